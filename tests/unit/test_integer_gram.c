/* Sums of products of integers are exact in any storage, at any number of threads; what is not made
   of small integers is left alone; and scatter matrices made so keep all digits of each variance. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "seed.h"
#include "kernels/blas.h"
#include "dense/integer_gram.h"
#include "statistics/scatter.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#undef fail
#include <cmocka.h>

#include "fixture.h"

enum storage { SINGLES, DOUBLES, SPARSE_SINGLES, SPARSE_DOUBLES, STORAGES };

static struct matrix matrix_of(const double *x, size_t rows, size_t cols, enum storage storage) {
    struct matrix out;
    bool sparse = storage >= SPARSE_SINGLES;
    assert_int_equal(matrix_init(&out, ctx, rows, cols, sparse), SEPAL_OK);
    for (size_t b = 0; b < out.n_blocks; b++) {
        struct block *block = &out.blocks[b];
        block->values = storage % 2 ? VALUES_F64 : VALUES_F32;
        assert_int_equal(block_alloc(ctx, block, cols, block->rows * cols), SEPAL_OK);
        size_t entries = 0;
        for (size_t i = 0; i < block->rows; i++) {
            const double *row = x + (block->first_row + i) * cols;
            if (!sparse) (void)block_store_row(block, i, row, cols);
            if (!sparse) continue;
            block->start[i] = entries;
            for (size_t j = 0; j < cols; j++) {
                if (row[j] == 0) continue;
                block->index[entries] = (uint32_t)j;
                if (block->f32)
                    block->f32[entries++] = (float)row[j];
                else
                    block->f64[entries++] = row[j];
            }
        }
        if (sparse) block->start[block->rows] = entries;
    }
    return out;
}

/* A problem of integers up to `most`, two classes with centres, half of the columns and rows. */
struct integers {
    size_t rows, cols, n, listed;
    double *x;
    int32_t *label;
    size_t *list, *active, *places;
    float *minus;
};

static void *zeros(size_t count, size_t size) {
    void *out = calloc(count, size);
    assert_non_null(out);
    return out;
}

static struct integers integers_new(struct rng *rng, size_t most) {
    struct integers p = {.rows = 1 + rng_below(rng, 3000), .cols = 1 + rng_below(rng, 40)};
    p.x = zeros(p.rows * p.cols, sizeof *p.x);
    p.label = zeros(p.rows, sizeof *p.label);
    p.list = zeros(p.rows, sizeof *p.list);
    p.active = zeros(p.cols, sizeof *p.active);
    p.places = zeros(p.cols, sizeof *p.places);
    for (size_t j = 0; j < p.cols; j++)
        if (j == 0 || rng_below(rng, 4)) p.active[p.n++] = j;
    for (size_t j = 0; j < p.cols; j++) p.places[j] = p.n;
    for (size_t a = 0; a < p.n; a++) p.places[p.active[a]] = a;
    p.minus = zeros(2 * (p.n + 1), sizeof *p.minus);
    for (size_t i = 0; i < 2 * (p.n + 1); i++)
        if (i % (p.n + 1) < p.n) p.minus[i] = -(float)rng_below(rng, most);
    for (size_t i = 0; i < p.rows * p.cols; i++)
        p.x[i] = rng_below(rng, 3) ? (double)rng_below(rng, most + 1) : 0;
    for (size_t i = 0; i < p.rows; i++) {
        p.label[i] = (int32_t)rng_below(rng, 2);
        if (i == 0 || rng_below(rng, 2)) p.list[p.listed++] = i;
    }
    return p;
}

static void integers_free(struct integers *p) {
    free(p->x), free(p->label), free(p->list), free(p->active), free(p->places), free(p->minus);
}

static int64_t plain_product(const struct integers *p, bool listed, size_t a, size_t b) {
    int64_t sum = 0;
    for (size_t i = 0; i < (listed ? p->listed : p->rows); i++) {
        size_t row = listed ? p->list[i] : i;
        const float *minus = p->minus + (size_t)p->label[row] * (p->n + 1);
        const double *x = p->x + row * p->cols;
        sum += ((int64_t)x[p->active[a]] + (int64_t)minus[a]) *
               ((int64_t)x[p->active[b]] + (int64_t)minus[b]);
    }
    return sum;
}

static void test_exact(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(61), 1);
    static const size_t ranges[] = {1, 15, 255, 500};
    if (!ctx->blas->syrk_t_single) skip();
    blas_enter();
    for (size_t number = 0; number < 64; number++) {
        struct integers p = integers_new(&rng, ranges[number / 4 % 4]);
        struct matrix x = matrix_of(p.x, p.rows, p.cols, (enum storage)(number % STORAGES));
        bool listed = number / 16 % 2, exact;
        double *gram = zeros(p.n * p.n, sizeof *gram);
        struct integer_rows rows = {.x = &x,
                                    .list = listed ? p.list : NULL,
                                    .rows = listed ? p.listed : p.rows,
                                    .label = p.label,
                                    .minus = p.minus,
                                    .active = p.active,
                                    .places = p.places,
                                    .n = p.n};
        ctx->threads = (unsigned)(1 + number % 3);
        assert_int_equal(integer_gram(gram, &exact, ctx, &rows), SEPAL_OK);
        assert_true(exact);
        for (size_t a = 0; a < p.n; a++)
            for (size_t b = a; b < p.n; b++)
                assert_true(gram[a * p.n + b] == (double)plain_product(&p, listed, a, b));
        free(gram);
        matrix_clear(&x);
        integers_free(&p);
    }
    ctx->threads = 0;
    blas_leave();
}

/* 64 rows of 500 are within 2^24, 68 are not: they are exact, however many are left for the last
   panel, and whichever panel a thread has had before. */
static void test_any_number_of_rows(void **state) {
    (void)state;
    static const size_t sizes[] = {64, 65, 100, 125, 127, 1000, 1024 + 125, 3 * 1024 + 1000};
    enum { MOST = 3 * 1024 + 1000, COLS = 2 };
    double *x = zeros(MOST * COLS, sizeof *x), gram[COLS * COLS];
    if (!ctx->blas->syrk_t_single) {
        free(x);
        skip();
    }
    for (size_t i = 0; i < MOST * COLS; i++) x[i] = 500;
    blas_enter();
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (unsigned threads = 1; threads <= 4; threads++) {
            struct matrix matrix = matrix_of(x, sizes[s], COLS, SINGLES);
            size_t active[] = {0, 1}, places[] = {0, 1};
            float minus[COLS + 1] = {0};
            struct integer_rows rows = {.x = &matrix,
                                        .rows = sizes[s],
                                        .minus = minus,
                                        .active = active,
                                        .places = places,
                                        .n = COLS};
            bool exact = false;
            ctx->threads = threads;
            assert_int_equal(integer_gram(gram, &exact, ctx, &rows), SEPAL_OK);
            assert_true(exact);
            assert_true(gram[1] == 250000 * (double)sizes[s]);
            matrix_clear(&matrix);
        }
    ctx->threads = 0;
    blas_leave();
    free(x);
}

/* Columns that are left out share one place: their sum is no number of the rows. */
static void test_columns_left_out(void **state) {
    (void)state;
    enum { COLS = 40 };
    double x[COLS], gram = 0;
    size_t active = 7, places[COLS];
    float minus[2] = {-100, 0};
    if (!ctx->blas->syrk_t_single) skip();
    blas_enter();
    for (size_t j = 0; j < COLS; j++) x[j] = 255, places[j] = j != active;
    for (size_t storage = 0; storage < STORAGES; storage++) {
        struct matrix matrix = matrix_of(x, 1, COLS, (enum storage)storage);
        struct integer_rows rows = {
            .x = &matrix, .rows = 1, .minus = minus, .active = &active, .places = places, .n = 1};
        bool exact = false;
        assert_int_equal(integer_gram(&gram, &exact, ctx, &rows), SEPAL_OK);
        assert_true(exact && gram == 155 * 155);
        matrix_clear(&matrix);
    }
    blas_leave();
}

static void check_inexact(const struct integers *p, enum storage storage) {
    struct matrix x = matrix_of(p->x, p->rows, p->cols, storage);
    struct integer_rows rows = {.x = &x,
                                .rows = p->rows,
                                .label = p->label,
                                .minus = p->minus,
                                .active = p->active,
                                .places = p->places,
                                .n = p->n};
    double *gram = zeros(p->n * p->n, sizeof *gram);
    bool exact = true;
    assert_int_equal(integer_gram(gram, &exact, ctx, &rows), SEPAL_OK);
    assert_false(exact);
    free(gram);
    matrix_clear(&x);
}

/* A number that is no small integer anywhere: the rows are not for this. */
static void test_others_are_refused(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(62), 1);
    static const double others[] = {0.5, 5000, -5000, 1e30, 3.0000002384185791, 1e-30};
    if (!ctx->blas->syrk_t_single) skip();
    blas_enter();
    for (size_t number = 0; number < 6 * STORAGES; number++) {
        struct integers p = integers_new(&rng, 255);
        p.x[rng_below(&rng, p.rows) * p.cols] = others[number / STORAGES];
        check_inexact(&p, (enum storage)(number % STORAGES));
        integers_free(&p);
    }
    /* integers of 4000: 64 rows of them are beyond what singles can add */
    struct integers p = integers_new(&rng, 255);
    for (size_t i = 0; i < p.rows * p.cols; i++) p.x[i] = 4000;
    check_inexact(&p, SINGLES);
    integers_free(&p);
    blas_leave();
}

/* Scatter matrices of 8-bit rows: every variance to a few units in the last place, those of columns
   too that differ in one row only, or vary far more between classes than within. */
static void test_variances(void **state) {
    (void)state;
    enum { ROWS = 3000, COLS = 140, CLASSES = 3 };
    struct rng rng = rng_make(test_seed(63), 1);
    double *x = zeros(ROWS * COLS, sizeof *x), *out = zeros(COLS * COLS, sizeof *out);
    double *of_class = zeros(COLS * COLS, sizeof *of_class);
    int32_t *label = zeros(ROWS, sizeof *label);
    for (size_t i = 0; i < ROWS; i++) {
        label[i] = (int32_t)(i % CLASSES);
        for (size_t j = 0; j < COLS; j++)
            x[i * COLS + j] = j % 7 == 0   ? (double)(255 * (label[i] == 1)) + (i == 5 * j)
                              : j % 7 == 1 ? 250 + (double)rng_below(&rng, 2)
                                           : (double)rng_below(&rng, 256);
    }
    for (enum storage storage = SINGLES; storage < STORAGES; storage++) {
        struct arena arena = {0};
        struct matrix matrix = matrix_of(x, ROWS, COLS, storage);
        double centre[COLS];
        struct scatter s = {.ctx = ctx,
                            .arena = &arena,
                            .x = &matrix,
                            .label = label,
                            .classes = CLASSES,
                            .centre = centre};
        struct class_order order;
        blas_enter();
        assert_int_equal(scatter_means(&s), SEPAL_OK);
        assert_int_equal(scatter_columns(&s, SPREAD_NONE), SEPAL_OK);
        assert_int_equal(scatter_order(&order, &s), SEPAL_OK);
        assert_int_equal(scatter_within(out, &s), SEPAL_OK);
        assert_int_equal(scatter_of_class(of_class, &s, &order, 1), SEPAL_OK);
        blas_leave();
        for (size_t a = 0; a < COLS; a++) {
            for (size_t b = a; b < COLS; b++) {
                long double right = 0, one = 0, aa = out[a * COLS + a], bb = out[b * COLS + b];
                for (int k = 0; k < CLASSES; k++) { /* all in integers but for the division */
                    int64_t n = 0, sum_a = 0, sum_b = 0, product = 0;
                    for (size_t i = (size_t)k; i < ROWS; i += CLASSES) {
                        int64_t u = (int64_t)x[i * COLS + a], v = (int64_t)x[i * COLS + b];
                        n++, sum_a += u, sum_b += v, product += u * v;
                    }
                    one = (long double)(n * product - sum_a * sum_b) / (long double)n;
                    right += one;
                    if (k == 1) {
                        long double size =
                            sqrtl((long double)of_class[a * COLS + a] * of_class[b * COLS + b]);
                        assert_true(fabsl(of_class[a * COLS + b] - one) <= 1e-14L * size);
                    }
                }
                assert_true(fabsl(out[a * COLS + b] - right) <= 1e-14L * sqrtl(aa * bb));
            }
        }
        matrix_clear(&matrix);
        arena_clear(&arena);
    }
    free(x), free(out), free(of_class), free(label);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exact),
        cmocka_unit_test(test_any_number_of_rows),
        cmocka_unit_test(test_columns_left_out),
        cmocka_unit_test(test_others_are_refused),
        cmocka_unit_test(test_variances),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
