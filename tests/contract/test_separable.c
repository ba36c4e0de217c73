/* Separability: over random problems whose answer is known by construction the answer is found, its
   certificate is taken, a damaged one is not, and the bounds of the margin hold and are tight. */
#include "core/alloc.h"
#include "core/parallel.h"
#include "seed.h"
#include "data/data.h"
#include "separability/separable.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST_ROWS = 400, MOST_COLS = 60 };

static sepal_ctx ctx;

static int fresh(void **state) {
    (void)state;
    ctx = (sepal_ctx){.root = &ctx, .threads = 2, .kernels = kernels_choose(), .seed = 1};
    return 0;
}

static int clean(void **state) {
    (void)state;
    pool_free(ctx.pool);
    return 0;
}

/* ---- problems ------------------------------------------------------------------------------ */

struct problem {
    size_t n, cols, classes;
    double x[MOST_ROWS * MOST_COLS];
    int8_t side[MOST_ROWS];
    int32_t label[MOST_ROWS]; /* a machine's */
};

static double normal(struct rng *rng) {
    double u = 1 - rng_unit(rng), v = rng_unit(rng);
    return sqrt(-2 * log(u)) * cos(6.283185307179586 * v);
}

static void random_rows(struct problem *p, struct rng *rng, size_t n, size_t cols) {
    p->n = n;
    p->cols = cols;
    for (size_t i = 0; i < n * cols; i++) p->x[i] = normal(rng);
    for (size_t i = 0; i < n; i++) p->side[i] = i < 2 ? (i ? -1 : 1) : rng_below(rng, 2) ? 1 : -1;
}

/* Rows at least m from a hyperplane through the origin, and two of them opposite each other at exactly
   that distance: the margin is m. */
static void separable_rows(struct problem *p, struct rng *rng, size_t n, size_t cols, double m) {
    double w[MOST_COLS], size = 0;
    random_rows(p, rng, n, cols);
    for (size_t j = 0; j < cols; j++) w[j] = normal(rng), size += w[j] * w[j];
    for (size_t j = 0; j < cols; j++) w[j] /= sqrt(size);
    for (size_t i = 0; i < n; i++) {
        double *x = p->x + i * cols, *first = p->x, dot = 0;
        for (size_t j = 0; j < cols; j++) dot += w[j] * (i == 1 ? first[j] : x[j]);
        double far = i < 2 ? m : m + fabs(normal(rng));
        for (size_t j = 0; j < cols; j++)
            x[j] = (i == 1 ? first[j] : x[j]) + (p->side[i] * far - dot) * w[j];
    }
}

/* One side has a simplex around the origin, the other has the origin. */
static void overlapping_rows(struct problem *p, struct rng *rng, size_t n, size_t cols) {
    random_rows(p, rng, n, cols);
    for (size_t i = 0; i <= cols; i++) p->side[i] = 1;
    p->side[cols + 1] = -1;
    memset(p->x + (cols + 1) * cols, 0, cols * sizeof *p->x);
    for (size_t j = 0; j < cols; j++) {
        double sum = 0;
        for (size_t i = 0; i < cols; i++) sum += p->x[i * cols + j];
        p->x[cols * cols + j] = -sum;
    }
}

/* Whole numbers on both sides of x_0 = 0, with a row of each side in it that are the same, or one that
   is the mean of two: the hulls touch, and x_0 >= 0 separates them but for that. */
static void touching_rows(struct problem *p, struct rng *rng, size_t n, size_t cols) {
    random_rows(p, rng, n, cols);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < cols; j++) p->x[i * cols + j] = (double)rng_below(rng, 17) - 8;
        if (i > 1) p->x[i * cols] = p->side[i] * (double)(1 + rng_below(rng, 5));
    }
    bool mean = rng_below(rng, 2) && cols > 1;
    for (size_t j = 0; j < cols; j++) {
        if (j == 0) p->x[0] = p->x[cols] = 0;
        if (!mean) p->x[cols + j] = p->x[j];
        if (mean && j > 0) p->x[2 * cols + j] = 2 * p->x[cols + j] - p->x[j];
    }
    if (mean) p->side[2] = p->side[0], p->x[2 * cols] = 0;
}

/* ---- answers ------------------------------------------------------------------------------- */

struct found {
    sepal_data *data;
    struct question q;
    struct arena arena;
    struct separability s;
};

static void find(struct found *f, const struct problem *p, bool machine) {
    const char *labels[MOST_ROWS];
    for (size_t i = 0; i < p->n; i++) labels[i] = p->side[i] > 0 ? "b" : "a";
    *f = (struct found){0};
    assert_int_equal(data_from_dense(&f->data, &ctx, p->x, p->n, p->cols, labels, NULL), SEPAL_OK);
    f->q = (struct question){.x = &f->data->matrix,
                             .side = machine ? NULL : p->side,
                             .label = p->label,
                             .classes = p->classes,
                             .bias = true};
    struct budget budget = {.start_ns = clock_ns(), .max_seconds = NAN, .max_work = NAN};
    struct separable_wish wish = {.margin = true, .quasi = true};
    assert_int_equal(separable_decide(&f->s, &ctx, &f->arena, &f->q, wish, &budget), SEPAL_OK);
}

static void lose(struct found *f) {
    data_free(f->data);
    arena_clear(&f->arena);
}

static bool holds(const struct found *f) {
    struct verdict verdict;
    assert_int_equal(certificate_judge(&verdict, &ctx, &f->q, &f->s.certificate), SEPAL_OK);
    assert_true(verdict.holds == (*verdict.why == '\0'));
    return verdict.holds;
}

/* A change of any number of the proof, of a row or of a label is seen. */
static void check_damage(struct found *f, struct problem *p, struct rng *rng) {
    struct certificate *c = &f->s.certificate;
    if (c->kind == CERTIFICATE_PLANE) {
        double b = c->b[0];
        c->b[0] = 1e300;
        assert_false(holds(f));
        c->b[0] = NAN;
        assert_false(holds(f));
        c->b[0] = b;
        for (size_t j = 0; j < p->cols; j++) c->w[j] = -c->w[j];
        assert_false(holds(f));
        for (size_t j = 0; j < p->cols; j++) c->w[j] = -c->w[j];
        size_t row = rng_below(rng, p->n);
        p->side[row] = (int8_t)-p->side[row];
        assert_false(holds(f));
        p->side[row] = (int8_t)-p->side[row];
    } else {
        size_t i = rng_below(rng, c->n), row = c->rows[i];
        const char *digits = c->integers ? c->integers[i] : NULL;
        double multiplier = c->integers ? 0 : c->multipliers[i];
        if (digits) {
            char longer[8192];
            (void)snprintf(longer, sizeof longer, "%.8000s7", digits);
            c->integers[i] = longer;
            assert_false(holds(f));
            c->integers[i] = "-1";
            assert_false(holds(f));
            c->integers[i] = digits;
        } else {
            c->multipliers[i] *= 1 + 1e-4;
            assert_false(holds(f));
            c->multipliers[i] = -multiplier;
            assert_false(holds(f));
            c->multipliers[i] = multiplier;
        }
        p->side[row] = (int8_t)-p->side[row];
        assert_false(holds(f));
        p->side[row] = 0;
        assert_false(holds(f));
        p->side[row] = 1; /* back, by its label */
        p->side[row] = f->data->label[row] ? 1 : -1;
        c->rows[i] = p->n;
        assert_false(holds(f));
        c->rows[i] = row;
    }
    assert_true(holds(f));
}

static size_t rows_for(struct rng *rng, size_t cols) {
    size_t n = cols + 3 + rng_below(rng, 200);
    return n < MOST_ROWS ? n : MOST_ROWS;
}

static size_t cols_for(struct rng *rng) {
    return 1 + rng_below(rng, rng_below(rng, 4) ? 12 : MOST_COLS);
}

static void expect_yes(struct problem *p, struct rng *rng, double margin, double accuracy) {
    struct found f;
    find(&f, p, false);
    assert_int_equal(f.s.separable, OUTCOME_YES);
    assert_int_equal(f.s.quasi, OUTCOME_NO);
    assert_true(holds(&f));
    const double *m = f.s.margin;
    assert_true(m[0] > 0 && m[0] <= m[1]);
    if (accuracy < 1) assert_true(m[1] - m[0] <= 1e-6 * m[1]);
    if (margin > 0) assert_true(m[0] <= margin * (1 + accuracy) && m[1] >= margin * (1 - accuracy));
    check_damage(&f, p, rng);
    lose(&f);
}

static void test_known_margins(void **state) {
    struct rng rng = rng_make(test_seed(1), 0);
    struct problem *p = malloc(sizeof *p);
    static const double margins[] = {2, 0.3, 1e-2, 1e-4, 1e-7};
    (void)state;
    for (size_t round = 0; round < 150; round++) {
        size_t cols = cols_for(&rng);
        double margin = margins[round % 5];
        separable_rows(p, &rng, rows_for(&rng, cols), cols, margin);
        expect_yes(p, &rng, margin, 1e-13 / margin + 1e-12);
    }
    free(p);
}

/* Units and origin are the user's affair: the margin follows. */
static void test_scales_and_shifts(void **state) {
    struct rng rng = rng_make(test_seed(2), 0);
    struct problem *p = malloc(sizeof *p);
    static const double scale[] = {1e150, 1e-150, 0x1p600, 0x1p-700, 1, 1};
    static const double shift[] = {0, 0, 0, 0, 1e8, -3e6};
    (void)state;
    for (size_t round = 0; round < 60; round++) {
        size_t cols = cols_for(&rng), k = round % 6;
        separable_rows(p, &rng, rows_for(&rng, cols), cols, 0.01);
        for (size_t i = 0; i < p->n * cols; i++) p->x[i] = p->x[i] * scale[k] + shift[k];
        expect_yes(p, &rng, 0.01 * scale[k], shift[k] != 0 ? 1e-4 : 1e-9);
    }
    free(p);
}

static void test_columns_of_different_sizes(void **state) {
    struct rng rng = rng_make(test_seed(3), 0);
    struct problem *p = malloc(sizeof *p);
    (void)state;
    for (size_t round = 0; round < 60; round++) {
        size_t cols = cols_for(&rng);
        separable_rows(p, &rng, rows_for(&rng, cols), cols, 0.01);
        for (size_t j = 0; j < cols; j++) {
            double unit = pow(10, (double)rng_below(&rng, 13) - 6);
            bool constant = rng_below(&rng, 8) == 0 && cols > 1;
            for (size_t i = 0; i < p->n; i++) p->x[i * cols + j] *= unit;
            /* a column that is the same in all rows changes nothing */
            if (constant && j > 0)
                for (size_t i = 0; i < p->n; i++) p->x[i * cols + j] = 12345.678;
        }
        struct found f;
        find(&f, p, false);
        assert_true(f.s.separable != OUTCOME_UNKNOWN && holds(&f));
        check_damage(&f, p, &rng);
        lose(&f);
    }
    free(p);
}

static void expect_no(struct problem *p, struct rng *rng, enum outcome quasi) {
    struct found f;
    find(&f, p, false);
    assert_int_equal(f.s.separable, OUTCOME_NO);
    assert_int_equal(f.s.quasi, quasi);
    assert_true(holds(&f));
    assert_true(f.s.certificate.n <= p->cols + 2);
    assert_true(f.s.margin[0] == 0 && f.s.margin[1] == 0);
    check_damage(&f, p, rng);
    lose(&f);
}

static void test_overlapping_classes(void **state) {
    struct rng rng = rng_make(test_seed(4), 0);
    struct problem *p = malloc(sizeof *p);
    (void)state;
    for (size_t round = 0; round < 120; round++) {
        size_t cols = cols_for(&rng);
        overlapping_rows(p, &rng, rows_for(&rng, cols), cols);
        expect_no(p, &rng, OUTCOME_NO);
    }
    free(p);
}

static void test_touching_classes(void **state) {
    struct rng rng = rng_make(test_seed(5), 0);
    struct problem *p = malloc(sizeof *p);
    (void)state;
    for (size_t round = 0; round < 100; round++) {
        size_t cols = 1 + rng_below(&rng, 12);
        touching_rows(p, &rng, 6 + rng_below(&rng, 80), cols);
        expect_no(p, &rng, OUTCOME_YES);
    }
    free(p);
}

/* Large whole numbers, few rows in many columns, a single row a class, duplicates. */
static void test_corner_cases(void **state) {
    struct rng rng = rng_make(test_seed(6), 0);
    struct problem *p = calloc(1, sizeof *p);
    (void)state;
    p->n = 4;
    p->cols = 2;
    static const double corners[] = {0, 0, 0, 1, 1, 0, 1, 1};
    memcpy(p->x, corners, sizeof corners);
    static const int8_t crossed[] = {-1, 1, 1, -1};
    memcpy(p->side, crossed, sizeof crossed);
    expect_no(p, &rng, OUTCOME_NO);
    for (size_t i = 0; i < 8; i++) p->x[i] = p->x[i] * 0x1p52 + 0x1p53 - 2;
    expect_no(p, &rng, OUTCOME_NO);
    random_rows(p, &rng, 2, 30);
    double square = 0;
    for (size_t j = 0; j < 30; j++) square += (p->x[j] - p->x[30 + j]) * (p->x[j] - p->x[30 + j]);
    expect_yes(p, &rng, sqrt(square) / 2, 1e-12);
    random_rows(p, &rng, 20, 40); /* fewer rows than columns are in general position */
    expect_yes(p, &rng, 0, 0);
    memcpy(p->x + 40, p->x, 40 * sizeof *p->x); /* but not two equal ones */
    expect_no(p, &rng, OUTCOME_YES);
    /* neighbours among the doubles, far from 0 */
    p->n = 2;
    p->cols = 1;
    p->x[0] = 1e15;
    p->x[1] = nextafter(1e15, 0);
    expect_yes(p, &rng, 0.0625, 1e-12);
    free(p);
}

/* A margin of a few parts in 10^15 is a margin, and none is none. */
static void test_margins_near_rounding(void **state) {
    struct rng rng = rng_make(test_seed(7), 0);
    struct problem *p = calloc(1, sizeof *p);
    (void)state;
    for (size_t round = 0; round < 40; round++) {
        /* the middle of two points of one side, exactly or just off the line between them */
        p->n = 3;
        p->cols = 2;
        double tiny = round % 2 ? 0x1p-40 : 0;
        double a = (double)rng_below(&rng, 1 << 20) / 1024,
               c = (double)rng_below(&rng, 1 << 20) / 1024;
        double rows[] = {a, c, a + 2, c + 4, a + 1, c + 2 + tiny};
        memcpy(p->x, rows, sizeof rows);
        p->side[0] = p->side[1] = 1;
        p->side[2] = -1;
        if (round % 2)
            expect_yes(p, &rng, tiny / sqrt(5) / 2, 1e-3);
        else
            expect_no(p, &rng, OUTCOME_NO);
    }
    free(p);
}

/* ---- machines ------------------------------------------------------------------------------ */

/* Rows by the best of some linear scores, at a distance from the others; or with labels at random. */
static void machine_rows(struct problem *p, struct rng *rng, size_t cols, bool overlap) {
    double w[5][MOST_COLS];
    p->classes = 3 + rng_below(rng, 3);
    p->cols = cols;
    p->n = 0;
    for (size_t k = 0; k < p->classes; k++)
        for (size_t j = 0; j < cols; j++) w[k][j] = normal(rng);
    while (p->n < 80) {
        double *x = p->x + p->n * cols, best = -INFINITY, second = -INFINITY;
        for (size_t j = 0; j < cols; j++) x[j] = normal(rng);
        for (size_t k = 0; k < p->classes; k++) {
            double score = 0;
            for (size_t j = 0; j < cols; j++) score += w[k][j] * x[j];
            if (score > best) {
                second = best;
                best = score;
                p->label[p->n] = (int32_t)k;
            } else if (score > second) {
                second = score;
            }
        }
        if (best - second < 0.2) continue;
        if (overlap) p->label[p->n] = (int32_t)rng_below(rng, p->classes);
        p->side[p->n] = p->n % 2 ? 1 : -1;
        p->n++;
    }
}

static void test_machines(void **state) {
    struct rng rng = rng_make(test_seed(8), 0);
    struct problem *p = malloc(sizeof *p);
    (void)state;
    for (size_t round = 0; round < 60; round++) {
        bool overlap = round % 2;
        struct found f;
        machine_rows(p, &rng, 2 + rng_below(&rng, 4), overlap);
        find(&f, p, true);
        assert_int_equal(f.s.separable, overlap ? OUTCOME_NO : OUTCOME_YES);
        assert_true(holds(&f));
        struct certificate *c = &f.s.certificate;
        if (overlap) {
            int32_t rival = c->rivals[0];
            c->rivals[0] = p->label[c->rows[0]];
            assert_false(holds(&f));
            c->rivals[0] = (int32_t)p->classes;
            assert_false(holds(&f));
            c->rivals[0] = rival;
        } else {
            c->b[0] += 1e6;
            assert_false(holds(&f));
            c->b[0] -= 1e6;
            p->label[3] = (p->label[3] + 1) % (int32_t)p->classes;
            assert_false(holds(&f));
        }
        lose(&f);
    }
    free(p);
}

/* ---- the same bits ------------------------------------------------------------------------- */

static bool same_certificate(const struct certificate *a, const struct certificate *b,
                             size_t cols) {
    if (a->kind != b->kind || a->n != b->n) return false;
    if (a->kind == CERTIFICATE_PLANE)
        for (size_t j = 0; j < cols; j++)
            if (a->w[j] != b->w[j]) return false;
    if (a->kind == CERTIFICATE_PLANE) return a->b[0] == b->b[0];
    for (size_t i = 0; i < a->n; i++) {
        if (a->rows[i] != b->rows[i] || !a->integers != !b->integers) return false;
        if (a->integers ? strcmp(a->integers[i], b->integers[i]) != 0
                        : a->multipliers[i] != b->multipliers[i])
            return false;
    }
    return true;
}

static void test_threads_and_kernels_do_not_matter(void **state) {
    struct rng rng = rng_make(test_seed(9), 0);
    struct problem *p = malloc(sizeof *p);
    (void)state;
    for (size_t round = 0; round < 12; round++) {
        struct found first, other;
        if (round % 3 == 0) separable_rows(p, &rng, 300, 20, 1e-3);
        if (round % 3 == 1) overlapping_rows(p, &rng, 300, 20);
        if (round % 3 == 2) touching_rows(p, &rng, 60, 5);
        find(&first, p, false);
        for (unsigned threads = 1; threads <= 7; threads += 3) {
            ctx.threads = threads;
            if (threads == 4) ctx.kernels = &kernels_reference;
            find(&other, p, false);
            assert_true(first.s.separable == other.s.separable && first.s.quasi == other.s.quasi);
            assert_true(first.s.updates == other.s.updates);
            for (int end = 0; end < 2; end++)
                assert_true(first.s.margin[end] == other.s.margin[end] ||
                            (isnan(first.s.margin[end]) && isnan(other.s.margin[end])));
            assert_true(same_certificate(&first.s.certificate, &other.s.certificate, p->cols));
            lose(&other);
            ctx.kernels = kernels_choose();
        }
        lose(&first);
    }
    free(p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_known_margins, fresh, clean),
        cmocka_unit_test_setup_teardown(test_scales_and_shifts, fresh, clean),
        cmocka_unit_test_setup_teardown(test_columns_of_different_sizes, fresh, clean),
        cmocka_unit_test_setup_teardown(test_overlapping_classes, fresh, clean),
        cmocka_unit_test_setup_teardown(test_touching_classes, fresh, clean),
        cmocka_unit_test_setup_teardown(test_corner_cases, fresh, clean),
        cmocka_unit_test_setup_teardown(test_margins_near_rounding, fresh, clean),
        cmocka_unit_test_setup_teardown(test_machines, fresh, clean),
        cmocka_unit_test_setup_teardown(test_threads_and_kernels_do_not_matter, fresh, clean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
