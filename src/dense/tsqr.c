/* The triangular factor of a matrix with many rows: some rows at a time are put under the factor of
   those before them and factored again (Golub and Van Loan, "Matrix Computations", 4th ed., 6.5.3;
   Demmel, Grigori, Hoemmen, Langou, "Communication-optimal parallel and sequential QR", 2012).
   The rows are cut into ranges, one task each, whose factors are joined in pairs. How many ranges
   there are follows from the shape alone, so threads do not change the bits. */
#include "dense/tall.h"

#include "core/alloc.h"
#include "core/parallel.h"
#include "kernels/blas.h"

#include <string.h>

/* Ranges hold at least 4 steps of rows, or joining would cost more than they save; there are at
   most 16 of them and their factors take at most 128 MiB. A step has STEP_LEAST rows at least. */
enum { RANGE_STEPS = 4, RANGES_MOST = 16, FACTOR_CELLS = 1 << 24, STEP_LEAST = 256 };

struct stack {
    const struct tall *tall;
    size_t ranges, step; /* rows added at a time, at least cols */
    double **array;      /* of each range: (cols + step) x stride, the factor on top */
    size_t *have;        /* rows of that factor */
    size_t gap;          /* of the pair being joined */
};

static void tsqr_factor(sepal_ctx *ctx, const struct stack *s, size_t range, size_t more) {
    const struct tall *tall = s->tall;
    double *array = s->array[range];
    size_t rows = s->have[range] + more;
    ctx->blas->qr_r(rows, tall->cols, array, tall->stride,
                    array + (tall->cols + s->step) * tall->stride);
    s->have[range] = rows < tall->cols ? rows : tall->cols;
}

static sepal_status factor_range(sepal_ctx *ctx, size_t range, void *payload) {
    struct stack *s = payload;
    const struct tall *tall = s->tall;
    size_t from = tall->rows / s->ranges * range;
    size_t to = range + 1 == s->ranges ? tall->rows : tall->rows / s->ranges * (range + 1);
    size_t work = blas_qr_work(tall->cols + s->step, tall->cols);
    double *array = mem_alloc(ctx, (tall->cols + s->step) * tall->stride + work, sizeof *array);
    if (!array) return SEPAL_EMEMORY;
    s->array[range] = array;
    for (size_t n; from < to; from += n) {
        n = to - from < s->step ? to - from : s->step;
        tall->fill(tall->payload, from, n, array + s->have[range] * tall->stride, tall->stride);
        tsqr_factor(ctx, s, range, n);
    }
    return SEPAL_OK;
}

static sepal_status join_pair(sepal_ctx *ctx, size_t pair, void *payload) {
    struct stack *s = payload;
    size_t left = 2 * pair * s->gap, right = left + s->gap, stride = s->tall->stride;
    memcpy(s->array[left] + s->have[left] * stride, s->array[right],
           s->have[right] * stride * sizeof(double));
    tsqr_factor(ctx, s, left, s->have[right]);
    return SEPAL_OK;
}

static sepal_status join_all(sepal_ctx *ctx, struct stack *s) {
    TRY(parallel_for(ctx, s->ranges, factor_range, s));
    for (s->gap = 1; s->gap < s->ranges; s->gap *= 2)
        TRY(parallel_for(ctx, s->ranges / (2 * s->gap), join_pair, s));
    return SEPAL_OK;
}

/* A power of two, for the pairs to come out even. */
static size_t count_ranges(const struct tall *tall, size_t step) {
    size_t ranges = 1;
    while (ranges < RANGES_MOST && 2 * ranges * RANGE_STEPS * step <= tall->rows &&
           2 * ranges <= FACTOR_CELLS / tall->cols / tall->cols)
        ranges *= 2;
    return ranges;
}

sepal_status tsqr(double *r, sepal_ctx *ctx, const struct tall *tall) {
    size_t cols = tall->cols, step = cols > STEP_LEAST ? cols : STEP_LEAST;
    struct stack s = {.tall = tall, .step = step, .ranges = count_ranges(tall, step)};
    double *array[RANGES_MOST] = {0};
    size_t have[RANGES_MOST] = {0};
    s.array = array, s.have = have;
    sepal_status status = join_all(ctx, &s);
    memset(r, 0, cols * cols * sizeof *r);
    for (size_t i = 0; status == SEPAL_OK && i < have[0]; i++)
        memcpy(r + i * cols, array[0] + i * tall->stride, cols * sizeof *r);
    for (size_t range = 0; range < s.ranges; range++) mem_free(array[range]);
    return status;
}
