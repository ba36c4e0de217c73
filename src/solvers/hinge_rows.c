/* The squares of rows. */
#include "core/parallel.h"
#include "solvers/hinge.h"

#include <math.h>

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

static sepal_status square_block(sepal_ctx *ctx, size_t b, void *payload) {
    const struct squaring *all = payload;
    const struct block *block = &all->o->rows.blocks[b];
    (void)ctx;
    for (size_t i = 0; i < block->rows; i++)
        all->out[block->first_row + i] = block->sparse ? row_square_norm(block, i, all->o->cols)
                                                       : dense_square(all->o, block, i);
    return SEPAL_OK;
}

sepal_status hinge_squares(double *out, const struct objective *o) {
    struct squaring all = {.o = o, .out = out};
    return parallel_for(o->ctx, o->rows.n_blocks, square_block, &all);
}

void hinge_sizes(double *out, const struct objective *o) {
    for (size_t i = 0; i < o->n; i++) {
        size_t local, at = 0, column;
        double value;
        const struct block *block = matrix_block_of(&o->rows, i, &local);
        if (o->bias != BIAS_NONE) out[o->cols] += o->share[i];
        while (row_next(block, local, o->cols, &at, &column, &value)) {
            double centre = o->centre ? o->centre[column] : 0;
            out[column] += o->share[i] * fabs(value - centre);
        }
    }
}
