/* The squares of rows. */
#include "core/parallel.h"
#include "objective/objective.h"

struct squaring {
    const struct objective *o;
    double *out;
};

static double sparse_square(const struct block *block, size_t i) {
    size_t at = block->start[i], n = block->start[i + 1] - at;
    double sum = 0;
    switch (block->values) {
    case VALUES_ONES: return (double)n;
    case VALUES_ROW: return (double)n * block->f64[i] * block->f64[i];
    case VALUES_F32:
        for (size_t k = at; k < at + n; k++) sum += (double)block->f32[k] * (double)block->f32[k];
        return sum;
    case VALUES_F64:
        for (size_t k = at; k < at + n; k++) sum += block->f64[k] * block->f64[k];
        return sum;
    }
    return sum;
}

static double dense_square(const struct objective *o, const struct block *block, size_t i) {
    double sum = 0;
    for (size_t j = 0; j < o->cols; j++) {
        size_t at = i * o->cols + j;
        double x = block->f32 ? (double)block->f32[at] : block->f64[at];
        if (o->centre) x -= o->centre[j];
        sum += x * x;
    }
    return sum;
}

static sepal_status squared_norms_block(sepal_ctx *ctx, size_t b, void *payload) {
    const struct squaring *all = payload;
    const struct block *block = &all->o->rows.blocks[b];
    (void)ctx;
    for (size_t i = 0; i < block->rows; i++)
        all->out[block->first_row + i] =
            block->sparse ? sparse_square(block, i) : dense_square(all->o, block, i);
    return SEPAL_OK;
}

sepal_status objective_squared_norms(double *out, const struct objective *o) {
    struct squaring all = {.o = o, .out = out};
    return parallel_for(o->ctx, o->rows.n_blocks, squared_norms_block, &all);
}
