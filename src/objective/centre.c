/* The mean of each column, by which dense rows are centred. */
#include "objective/objective.h"

enum { PANEL = 32 };

static sepal_status add_block(sepal_ctx *ctx, const struct block *block, double *sum,
                              void *payload) {
    const struct objective *o = payload;
    const double *share = o->share + block->first_row;
    size_t cols = o->x->cols;
    bool doubles = !block->sparse && block->f64;
    double weight = 0;
    for (size_t i = 0, n; i < block->rows; i += n) {
        const double *x[PANEL];
        n = block->rows - i < PANEL ? block->rows - i : PANEL;
        for (size_t k = i; k < i + n; k++) {
            weight += share[k];
            if (doubles)
                x[k - i] = block->f64 + k * cols;
            else
                row_axpy(ctx->kernels, block, k, cols, share[k], sum);
        }
        if (doubles) ctx->kernels->add_rows(sum, NULL, share + i, x, n, cols);
    }
    sum[o->x->cols] += weight;
    return SEPAL_OK;
}

sepal_status objective_centre(double *out, struct objective *o) {
    size_t cols = o->x->cols;
    double *sum = arena_alloc(o->ctx, o->arena, cols + 1, sizeof *sum);
    if (!sum) return SEPAL_EMEMORY;
    TRY(matrix_sum(sum, o->ctx, o->x, cols + 1, add_block, o));
    for (size_t j = 0; j < cols; j++) out[j] = sum[j] / sum[cols];
    o->centre = out;
    return SEPAL_OK;
}
