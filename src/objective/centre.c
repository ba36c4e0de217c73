/* The mean of each column, by which dense rows are centred. */
#include "objective/objective.h"

static sepal_status add_block(sepal_ctx *ctx, const struct block *block, double *sum,
                              void *payload) {
    const struct objective *o = payload;
    double weight = 0;
    for (size_t i = 0; i < block->rows; i++) {
        row_axpy(ctx->kernels, block, i, o->x->cols, o->share[block->first_row + i], sum);
        weight += o->share[block->first_row + i];
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
