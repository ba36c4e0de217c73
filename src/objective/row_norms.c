/* The squares of rows. */
#include "core/parallel.h"
#include "objective/objective.h"

#include <string.h>

struct squaring {
    const struct objective *o;
    double *out;
};

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
            block->sparse ? entries_square(block, i) : dense_square(all->o, block, i);
    return SEPAL_OK;
}

static sepal_status squared_norms(double *out, const struct objective *o) {
    struct squaring all = {.o = o, .out = out};
    return parallel_if(o->slabs > 1, o->ctx, o->rows.n_blocks, squared_norms_block, &all);
}

sepal_status objective_keep_squares(struct objective *o) {
    o->squares = NULL;
    if (!o->rows.sparse) return SEPAL_OK;
    double *squares = arena_alloc(o->ctx, o->arena, o->n, sizeof *squares);
    if (!squares) return SEPAL_EMEMORY;
    o->squares = squares;
    return squared_norms(squares, o);
}

sepal_status objective_squared_norms(double *out, const struct objective *o) {
    if (!o->squares) return squared_norms(out, o);
    memcpy(out, o->squares, o->n * sizeof *out);
    return SEPAL_OK;
}
