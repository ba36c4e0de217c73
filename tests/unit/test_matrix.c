/* Blocks of rows: their law of size, sums by the fixed tree, and rows that say the same however
   they are stored. */
#include "core/alloc.h"
#include "core/parallel.h"
#include "seed.h"
#include "data/matrix.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h> /* after core/context.h: it defines a macro fail() */

static const unsigned widths[] = {1, 2, 3, 7};
enum { N_WIDTHS = sizeof widths / sizeof *widths };

static struct sepal_ctx ctx;

static int fresh(void **state) {
    (void)state;
    ctx = (struct sepal_ctx){.root = &ctx, .kernels = kernels_choose()};
    return 0;
}

static int clean(void **state) {
    (void)state;
    pool_free(ctx.pool);
    return 0;
}

/* ---- the law of blocks -------------------------------------------------------------------- */

static void test_block_rows(void **state) {
    (void)state;
    enum { CELLS = 1 << 17, FEWEST = 256, MOST = 512 };
    for (size_t cols = 0; cols < 5000; cols++) {
        size_t rows = matrix_block_rows(cols);
        assert_int_equal(rows & (rows - 1), 0);
        assert_in_range(rows, FEWEST, MOST);
        if (rows > FEWEST) assert_true(rows * cols <= CELLS);
        if (rows < MOST) assert_true(2 * rows * cols > CELLS);
        assert_true(matrix_block_rows(cols + 1) <= rows);
    }
    assert_int_equal(matrix_block_rows(SIZE_MAX), FEWEST);
}

static void test_blocks_cover_the_rows(void **state) {
    (void)state;
    static const size_t cases[][2] = {{1, 1},      {512, 3},  {513, 64},   {8192, 257},
                                      {255, 2000}, {257, 99}, {1000, 600}, {5000, 1024}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct matrix matrix;
        assert_int_equal(matrix_init(&matrix, &ctx, cases[i][0], cases[i][1], true), SEPAL_OK);
        size_t next = 0, seen = 0, local;
        struct block_iterator blocks = {.matrix = &matrix};
        for (const struct block *block; (block = block_next(&blocks)); seen++) {
            assert_int_equal(block->first_row, next);
            assert_true(block->rows == matrix.block_rows || seen + 1 == matrix.n_blocks);
            assert_true(block->rows > 0 && block->sparse);
            next += block->rows;
        }
        assert_int_equal(next, cases[i][0]);
        for (size_t row = 0; row < next; row += 97) {
            const struct block *block = matrix_block_of(&matrix, row, &local);
            assert_int_equal(block->first_row + local, row);
            assert_true(local < block->rows);
        }
        matrix_clear(&matrix);
    }
}

/* ---- sums --------------------------------------------------------------------------------- */

enum { SUM_WIDTH = 3, SUM_BLOCKS = 70, WIDE = 1024 };
static double terms[SUM_BLOCKS][SUM_WIDTH];

static sepal_status add_terms(sepal_ctx *mine, const struct block *block, double *partial,
                              void *payload) {
    (void)mine;
    const double(*from)[SUM_WIDTH] = payload;
    size_t b = block->first_row / matrix_block_rows(WIDE);
    for (size_t j = 0; j < SUM_WIDTH; j++) partial[j] += from[b][j];
    return SEPAL_OK;
}

/* The tree over blocks first .. first+n-1: the largest power of two below n on the left. */
static double tree_sum(size_t first, size_t n, size_t j) {
    if (n == 1) return 0 + terms[first][j];
    size_t left = 1;
    while (left * 2 < n) left *= 2;
    return tree_sum(first, left, j) + tree_sum(first + left, n - left, j);
}

static void test_sum_is_the_tree(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(1), 1);
    size_t height = matrix_block_rows(WIDE), differs = 0;
    for (size_t n = 1; n <= SUM_BLOCKS; n++) {
        double wanted[SUM_WIDTH], in_order[SUM_WIDTH] = {0};
        for (size_t b = 0; b < n; b++)
            for (size_t j = 0; j < SUM_WIDTH; j++)
                terms[b][j] = ldexp(rng_unit(&rng) - 0.5, (int)rng_below(&rng, 60));
        for (size_t j = 0; j < SUM_WIDTH; j++) wanted[j] = tree_sum(0, n, j);
        for (size_t b = 0; b < n; b++)
            for (size_t j = 0; j < SUM_WIDTH; j++) in_order[j] += terms[b][j];
        bool same = true;
        for (size_t j = 0; j < SUM_WIDTH; j++) same = same && in_order[j] == wanted[j];
        differs += !same;
        struct matrix matrix;
        assert_int_equal(matrix_init(&matrix, &ctx, (n - 1) * height + 1, WIDE, true), SEPAL_OK);
        assert_int_equal(matrix.n_blocks, n);
        for (size_t w = 0; w < N_WIDTHS; w++)
            for (int again = 0; again < 5; again++) {
                double sum[SUM_WIDTH];
                ctx.threads = widths[w];
                assert_int_equal(matrix_sum(sum, &ctx, &matrix, SUM_WIDTH, add_terms, terms),
                                 SEPAL_OK);
                assert_memory_equal(sum, wanted, sizeof sum);
            }
        matrix_clear(&matrix);
    }
    assert_true(differs > 40); /* the numbers do tell orders of summation apart */
}

static void test_sum_without_memory(void **state) {
    (void)state;
    struct matrix matrix;
    double sum[SUM_WIDTH];
    assert_int_equal(matrix_init(&matrix, &ctx, SUM_BLOCKS * matrix_block_rows(WIDE), WIDE, false),
                     SEPAL_OK);
    for (size_t w = 0; w < N_WIDTHS; w++)
        for (size_t k = 1; k <= 3; k++) {
            ctx.threads = widths[w];
            ctx.faults[FAULT_ALLOC].fail_at = k;
            ctx.faults[FAULT_ALLOC].from_then_on = k == 2;
            atomic_store(&ctx.faults[FAULT_ALLOC].calls, 0);
            assert_int_equal(matrix_sum(sum, &ctx, &matrix, SUM_WIDTH, add_terms, terms),
                             SEPAL_EMEMORY);
            ctx.faults[FAULT_ALLOC].fail_at = 0;
            assert_int_equal(matrix_sum(sum, &ctx, &matrix, SUM_WIDTH, add_terms, terms), SEPAL_OK);
        }
    matrix_clear(&matrix);
}

/* ---- rows in every kind of storage -------------------------------------------------------- */

enum { ROWS = 60, COLS = 101 };
enum kind { ONES, ROW, SPARSE_F32, SPARSE_F64, DENSE_F32, DENSE_F64, KINDS };

/* Numbers that every kind from `first` on holds exactly. */
static void draw(double x[ROWS][COLS], struct rng *rng, enum kind first) {
    for (size_t i = 0; i < ROWS; i++) {
        double row_value = (float)(rng_unit(rng) * 8 - 4);
        size_t density = (size_t)rng_below(rng, 11); /* empty and full rows among them */
        for (size_t j = 0; j < COLS; j++) {
            bool there = rng_below(rng, 10) < density;
            double value = first == ONES         ? 1
                           : first == ROW        ? row_value
                           : first == SPARSE_F32 ? (double)(float)(rng_unit(rng) * 8 - 4)
                                                 : rng_unit(rng) * 8 - 4;
            x[i][j] = there ? value : 0;
        }
    }
}

static void fill(struct block *block, double x[ROWS][COLS]) {
    size_t n = 0;
    for (size_t i = 0; i < ROWS; i++) {
        if (block->sparse) block->start[i] = n;
        for (size_t j = 0; j < COLS; j++) {
            double value = x[i][j];
            if (block->sparse && value == 0) continue;
            if (block->sparse) block->index[n] = (uint32_t)j;
            if (block->values == VALUES_F32) block->f32[n] = (float)value;
            if (block->values == VALUES_F64) block->f64[n] = value;
            if (block->values == VALUES_ROW) block->f64[i] = value;
            n++;
        }
    }
    if (block->sparse) block->start[ROWS] = n;
}

static void store(struct block *block, enum kind kind, double x[ROWS][COLS]) {
    static const enum values values[KINDS] = {VALUES_ONES, VALUES_ROW, VALUES_F32,
                                              VALUES_F64,  VALUES_F32, VALUES_F64};
    size_t entries = 0;
    for (size_t i = 0; i < ROWS; i++)
        for (size_t j = 0; j < COLS; j++) entries += x[i][j] != 0;
    *block = (struct block){
        .first_row = 7, .rows = ROWS, .sparse = kind < DENSE_F32, .values = values[kind]};
    assert_int_equal(block_alloc(&ctx, block, COLS, entries), SEPAL_OK);
    fill(block, x);
}

static void discard(struct block *block) {
    mem_free(block->start);
    mem_free(block->index);
    mem_free(block->f32);
    mem_free(block->f64);
}

static void check_products(const struct block *block, double x[ROWS][COLS], const double *w) {
    for (size_t i = 0; i < ROWS; i++) {
        long double sum = 0, size = 0, square = 0;
        double moved[COLS], wanted[COLS];
        for (size_t j = 0; j < COLS; j++) {
            sum += (long double)x[i][j] * w[j];
            size += fabsl((long double)x[i][j] * w[j]);
            square += (long double)x[i][j] * x[i][j];
            moved[j] = w[j];
            double step = 0.37 * x[i][j];
            wanted[j] = w[j] + step;
        }
        double dot = row_dot(ctx.kernels, block, i, COLS, w);
        assert_true(fabsl((long double)dot - sum) <= 1e-14L * size);
        double norm = row_square_norm(block, i, COLS);
        assert_true(fabsl((long double)norm - square) <= 1e-14L * square);
        row_axpy(ctx.kernels, block, i, COLS, 0.37, moved);
        assert_memory_equal(moved, wanted, sizeof wanted);
        if (block->sparse) continue;
        long double centred = 0;
        for (size_t j = 0; j < COLS; j++) centred += ((long double)x[i][j] - w[j]) * w[j];
        dot = row_dot_centred(ctx.kernels, block, i, COLS, w, w);
        assert_true(fabsl((long double)dot - centred) <= 1e-12L * (size + COLS));
    }
}

static void check_entries(const struct block *block, double x[ROWS][COLS]) {
    for (size_t i = 0; i < ROWS; i++) {
        size_t at = 0, column, next = 0;
        for (double value; row_next(block, i, COLS, &at, &column, &value); next = column + 1) {
            for (; next < column; next++) assert_true(x[i][next] == 0);
            assert_true(x[i][column] == value && value != 0);
        }
        for (; next < COLS; next++) assert_true(x[i][next] == 0);
    }
}

static void check_dense(const struct block *block, double x[ROWS][COLS], const double *w) {
    enum { STRIDE = COLS + 3, FIRST = 4, N = 30 };
    static double out[N][STRIDE];
    double root[ROWS + 7];
    for (size_t i = 0; i < ROWS + 7; i++) root[i] = 1 + (double)i;
    for (int pass = 0; pass < 4; pass++) {
        const double *centre = pass & 1 ? w : NULL, *roots = pass & 2 ? root : NULL;
        for (size_t i = 0; i < N; i++)
            for (size_t j = 0; j < STRIDE; j++) out[i][j] = -7;
        block_dense(block, FIRST, N, COLS, centre, roots, out[0], STRIDE);
        for (size_t i = 0; i < N; i++) {
            for (size_t j = 0; j < COLS; j++) {
                double wanted = x[FIRST + i][j];
                if (centre) wanted -= w[j];
                if (roots) wanted *= root[7 + FIRST + i];
                assert_true(out[i][j] == wanted);
            }
            for (size_t j = COLS; j < STRIDE; j++) assert_true(out[i][j] == -7);
        }
    }
}

static void test_rows_in_every_storage(void **state) {
    (void)state;
    static double x[ROWS][COLS];
    struct rng rng = rng_make(test_seed(2), 2);
    double w[COLS];
    for (size_t j = 0; j < COLS; j++) w[j] = rng_unit(&rng) * 2 - 1;
    static const enum kind firsts[] = {ONES, ROW, SPARSE_F32, SPARSE_F64};
    for (size_t f = 0; f < sizeof firsts / sizeof *firsts; f++) {
        draw(x, &rng, firsts[f]);
        for (int kind = (int)firsts[f]; kind < KINDS; kind++) {
            if (firsts[f] == SPARSE_F64 && kind == DENSE_F32) continue; /* would round */
            struct block block;
            store(&block, (enum kind)kind, x);
            check_products(&block, x, w);
            check_entries(&block, x);
            check_dense(&block, x, w);
            discard(&block);
        }
    }
}

static void test_impossible_blocks(void **state) {
    (void)state;
    struct block block = {.rows = 4, .values = VALUES_F64};
    assert_int_equal(block_alloc(&ctx, &block, SIZE_MAX / 2, 0), SEPAL_EMEMORY);
    assert_int_equal(block_alloc(&ctx, &block, SIZE_MAX / 16, 0), SEPAL_EMEMORY);
    assert_null(block.f64);
}

/* Rows are called by their numbers in the file, in blocks, in slices, and back again. */
static void test_numbers_of_rows(void **state) {
    (void)state;
    enum { TALL = 9000, LEFT_OUT_BELOW = 3 };
    static size_t number[TALL];
    struct matrix matrix;
    struct rng rng = rng_make(test_seed(5), 1);
    assert_int_equal(matrix_init(&matrix, &ctx, TALL, 40, false), SEPAL_OK);
    assert_true(matrix.n_blocks > 1);
    for (size_t b = 0; b < matrix.n_blocks; b++) {
        matrix.blocks[b].values = VALUES_F32;
        assert_int_equal(block_alloc(&ctx, &matrix.blocks[b], 40, 0), SEPAL_OK);
    }
    for (size_t i = 0, at = 0; i < TALL; i++) number[i] = at += 1 + rng_below(&rng, LEFT_OUT_BELOW);
    for (int pass = 0; pass < 2; pass++) {
        matrix_set_numbers(&matrix, pass ? number : NULL);
        for (size_t i = 0; i < TALL; i++) {
            size_t named = pass ? number[i] : i;
            assert_int_equal(matrix_row_number(&matrix, i), named);
            assert_int_equal(matrix_find_number(&matrix, named), i);
            if (pass && i > 0 && number[i - 1] + 1 < named)
                assert_true(matrix_find_number(&matrix, named - 1) == SIZE_MAX);
        }
        assert_true(matrix_find_number(&matrix, pass ? number[TALL - 1] + 1 : TALL) == SIZE_MAX);
        assert_true(matrix_find_number(&matrix, SIZE_MAX) == SIZE_MAX);
        for (size_t b = 0; b < matrix.n_blocks; b++) {
            size_t first = matrix.blocks[b].rows / 3;
            struct block slice = block_slice(&matrix.blocks[b], 40, first, 5);
            for (size_t i = 0; i < 5; i++)
                assert_int_equal(row_number(&slice, i),
                                 matrix_row_number(&matrix, slice.first_row + i));
        }
    }
    matrix_clear(&matrix);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_block_rows, fresh, clean),
        cmocka_unit_test_setup_teardown(test_blocks_cover_the_rows, fresh, clean),
        cmocka_unit_test_setup_teardown(test_sum_is_the_tree, fresh, clean),
        cmocka_unit_test_setup_teardown(test_sum_without_memory, fresh, clean),
        cmocka_unit_test_setup_teardown(test_rows_in_every_storage, fresh, clean),
        cmocka_unit_test_setup_teardown(test_impossible_blocks, fresh, clean),
        cmocka_unit_test_setup_teardown(test_numbers_of_rows, fresh, clean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
