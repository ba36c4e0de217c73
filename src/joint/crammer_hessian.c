/* The Hessian of the smoothed losses where the weights are few, as blocks of pairs of classes: row i, with m
   classes in use, adds c_i sigma_i (x_i, 1)(x_i, 1)' (1 - 1/m) to the block of each of them, and -1/m times
   that to those of its pairs. */
#include "core/parallel.h"
#include "joint/crammer_augmented.h"
#include "solvers/newton.h"

#include "core/alloc.h"

#include <string.h>

enum { WEIGHTS_MOST = 1200 };

bool crammer_has_hessian(const struct joint *j) {
    return j->classes <= WEIGHTS_MOST / j->o->width;
}

sepal_status crammer_hessian_init(struct crammer_augmented *s, struct arena *arena) {
    sepal_ctx *ctx = s->o->ctx;
    size_t n = s->j->classes * s->o->width;
    if (!crammer_has_hessian(s->j)) return SEPAL_OK;
    s->hessian = arena_alloc(ctx, arena, n, n * sizeof *s->hessian);
    s->scale = arena_alloc(ctx, arena, n, sizeof *s->scale);
    s->packed = arena_alloc(ctx, arena, n, sizeof *s->packed);
    return s->hessian && s->scale && s->packed ? SEPAL_OK : SEPAL_EMEMORY;
}

/* block (width x width, `apart` numbers from row to row) += factor x x' */
static void crammer_add_square(double *block, size_t apart, const double *x, size_t width,
                               double factor) {
    for (size_t c = 0; c < width; c++) {
        double by = factor * x[c], *to = block + c * apart;
        for (size_t e = 0; e < width; e++) to[e] += by * x[e];
    }
}

/* A stripe of rows of the Hessian belongs to a class, so threads share it without sums of their own. */
static void crammer_add_row(const struct crammer_augmented *s, size_t k, const double *state,
                            const double *x, double weight) {
    size_t width = s->o->width, n = s->j->classes * width, used = 0;
    for (size_t q = 0; q < s->j->classes; q++) used += state[q] > 0;
    double factor = weight * state[k], share = factor / (double)used;
    for (size_t q = k; q < s->j->classes; q++) {
        if (!(state[q] > 0)) continue;
        crammer_add_square(s->hessian + k * width * n + q * width, n, x, width,
                           q == k ? factor - share : -share);
    }
}

/* A row less the centre as dense numbers, and the 1 of the bias. */
static void crammer_dense_row(const struct objective *o, size_t i, double *out) {
    size_t local;
    const struct block *block = matrix_block_of(&o->rows, i, &local);
    block_dense(block, local, 1, o->cols, o->centre, NULL, out, o->cols);
    if (o->bias != BIAS_NONE) out[o->cols] = 1;
}

static sepal_status crammer_hessian_class(sepal_ctx *ctx, size_t k, void *payload) {
    const struct crammer_augmented *s = payload;
    size_t width = s->o->width, n = s->j->classes * width, lanes = s->j->lanes;
    double *x = mem_alloc(ctx, s->o->cols + 1, sizeof *x);
    if (!x) return SEPAL_EMEMORY;
    memset(s->hessian + k * width * n, 0, width * n * sizeof *s->hessian);
    for (size_t i = 0; i < s->o->n; i++) {
        const double *state = s->state + i * lanes;
        if (!(state[k] > 0)) continue;
        crammer_dense_row(s->o, i, x);
        crammer_add_row(s, k, state, x, s->o->row_weight[i]);
    }
    for (size_t c = 0; c < width; c++)
        s->hessian[(k * width + c) * n + k * width + c] += crammer_penalty_at(s, c * lanes);
    mem_free(x);
    return SEPAL_OK;
}

sepal_status crammer_hessian_step(bool *out, struct crammer_augmented *s) {
    size_t width = s->o->width, lanes = s->j->lanes, classes = s->j->classes, n = classes * width;
    TRY(parallel_for(s->o->ctx, classes, crammer_hessian_class, s));
    *out = factor_make(s->hessian, n, s->scale, s->o->ctx);
    if (!*out) return SEPAL_OK;
    for (size_t k = 0; k < classes; k++)
        for (size_t c = 0; c < width; c++) s->packed[k * width + c] = -s->gradient[c * lanes + k];
    factor_solve(s->hessian, n, s->scale, s->packed, s->o->ctx);
    memset(s->step, 0, s->j->size * sizeof *s->step);
    for (size_t k = 0; k < classes; k++)
        for (size_t c = 0; c < width; c++) s->step[c * lanes + k] = s->packed[k * width + c];
    return SEPAL_OK;
}
