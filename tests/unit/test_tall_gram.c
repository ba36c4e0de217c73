/* A'A by tiles and groups of rows against sums in plain loops, for widths around and beyond a tile and
   any number of threads: the same numbers, to rounding, in every cell of the upper triangle. */
#include "dense/tall.h"

#include "core/rng.h"
#include "kernels/blas.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h> /* after core/context.h: it defines a macro fail() */

static double cell(size_t i, size_t j) {
    return (double)(rng_at(3, i, j) >> 40) * 0x1p-24 - 0.5 + (double)j * 1e-3;
}

static void fill(const void *payload, size_t first, size_t n, double *out, size_t stride) {
    size_t cols = *(const size_t *)payload;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < cols; j++) out[i * stride + j] = cell(first + i, j);
}

/* In doubles, or by products of singles. */
static void check_as(sepal_ctx *ctx, size_t rows, size_t cols, unsigned threads, bool single) {
    struct tall tall = {.rows = rows,
                        .cols = cols,
                        .stride = cols + 3,
                        .single = single,
                        .fill = fill,
                        .payload = &cols};
    double error = single ? 1e-6 : 1e-12;
    double *gram = malloc(cols * cols * sizeof *gram), *x = malloc(rows * cols * sizeof *x);
    assert_true(gram && x);
    sepal_ctx_set_threads(ctx, threads);
    blas_enter();
    assert_int_equal(tall_gram(gram, ctx, &tall), SEPAL_OK);
    blas_leave();
    fill(&cols, 0, rows, x, cols);
    for (size_t i = 0; i < cols; i++)
        for (size_t j = i; j < cols; j++) {
            double sum = 0;
            for (size_t k = 0; k < rows; k++) sum += x[k * cols + i] * x[k * cols + j];
            if (!(fabs(gram[i * cols + j] - sum) <= error * (double)rows))
                fail_msg("%zu rows, %zu columns: cell (%zu, %zu) is %g, not %g", rows, cols, i, j,
                         gram[i * cols + j], sum);
        }
    free(gram);
    free(x);
}

static void check(sepal_ctx *ctx, size_t rows, size_t cols, unsigned threads) {
    check_as(ctx, rows, cols, threads, false);
    if (ctx->blas->syrk_t_single) check_as(ctx, rows, cols, threads, true);
}

static void widths_around_a_tile(void **state) {
    (void)state;
    static const size_t cols[] = {1, 127, 128, 129, 255, 256, 257, 511, 513, 600, 769, 1000};
    sepal_ctx *ctx;
    assert_int_equal(sepal_ctx_new(&ctx), SEPAL_OK);
    for (size_t i = 0; i < sizeof cols / sizeof *cols; i++)
        check(ctx, 13, cols[i], 1 + (unsigned)i % 3);
    check(ctx, 700, 300, 2); /* several pieces of rows */
    sepal_ctx_free(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(widths_around_a_tile)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
