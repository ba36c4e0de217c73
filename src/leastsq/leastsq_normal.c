/* Normal equations, G W = X'T with G = X'X + ridge, by Cholesky's factors of G scaled to unit
   diagonal. G has the square of the condition of X, so its solution is only a start: residuals
   X'(T - X W) - ridge W are taken from the data itself and solved for with the same factors until
   nothing changes (the corrected semi-normal equations of Bjorck, "Numerical Methods for Least
   Squares Problems", 1996, 2.4.4 and 2.9). When the factors are too poor for the corrections to
   shrink, the caller is told to use another method. */
#include "leastsq/leastsq.h"

#include "core/alloc.h"
#include "kernels/blas.h"

#include <float.h>
#include <math.h>

/* A pivot of the scaled matrix is 1 - R^2 of a column on those before it: below PIVOT_LEAST the
   Gram matrix has lost most of what tells the columns apart. So it has when its least eigenvalue is
   rounding, which several small pivots may hide. Squares outside [DIAGONAL_LEAST, DIAGONAL_MOST] are near
   the ends of a double's range. */
static const double PIVOT_LEAST = 1e-12, EIGENVALUE_LEAST = 1e-13;
static const double DIAGONAL_LEAST = 1e-200, DIAGONAL_MOST = 1e200;
/* Every correction must be this much smaller than the one before; at most this many. */
static const double SHRINK = 0.1;
enum { CORRECTIONS = 8 };

struct system {
    struct leastsq *p;
    double *factor; /* n x n, of the scaled matrix */
    double *scale;  /* n: W = scale * (solution of the scaled system) */
    double *w, *rhs, *rows_of_w;
};

/* About the least eigenvalue of the scaled matrix, by inverse iteration. */
static double least_eigenvalue(const struct system *s) {
    enum { ROUNDS = 3, SIGNS = 5 };
    size_t n = s->p->n;
    double *v = s->rows_of_w, length = sqrt((double)n);
    for (size_t j = 0; j < n; j++) v[j] = j * j % SIGNS < 2 ? 1 : -1;
    for (int round = 0; round < ROUNDS; round++) {
        for (size_t j = 0; j < n; j++) v[j] /= length;
        s->p->ctx->blas->cholesky_solve(n, s->factor, n, 1, v, 1);
        length = sqrt(s->p->ctx->kernels->dot_f64(v, v, n));
    }
    return 1 / length;
}

/* false: not positive definite, or too near to it */
static bool normal_make_factor(struct system *s) {
    size_t n = s->p->n;
    double *g = s->factor;
    for (size_t j = 0; j < n; j++) {
        double diagonal = g[j * n + j] += s->p->ridge;
        if (!(diagonal > DIAGONAL_LEAST && diagonal < DIAGONAL_MOST)) return false;
        s->scale[j] = 1 / sqrt(diagonal);
    }
    for (size_t i = 0; i < n; i++) {
        for (size_t j = i; j < n; j++) g[i * n + j] *= s->scale[i] * s->scale[j];
        g[i * n + i] = 1;
    }
    if (!s->p->ctx->blas->cholesky(n, g, n)) return false;
    for (size_t j = 0; j < n; j++) {
        if (!(g[j * n + j] * g[j * n + j] > PIVOT_LEAST)) return false;
    }
    return least_eigenvalue(s) > EIGENVALUE_LEAST;
}

/* rhs = scaled solution of the system with that right-hand side; returns its norm, which counts
   every column in its own units */
static double normal_solve(const struct system *s) {
    size_t n = s->p->n, k = s->p->outputs;
    for (size_t i = 0; i < n * k; i++) s->rhs[i] *= s->scale[i / k];
    s->p->ctx->blas->cholesky_solve(n, s->factor, n, k, s->rhs, k);
    double sum = 0;
    for (size_t i = 0; i < n * k; i++) sum += s->rhs[i] * s->rhs[i];
    for (size_t i = 0; i < n * k; i++) s->rhs[i] *= s->scale[i / k];
    return sqrt(sum);
}

/* sum += X'(T - X W) of one block */
static sepal_status add_residuals(sepal_ctx *ctx, const struct block *block, double *sum,
                                  void *payload) {
    const struct system *s = payload;
    const struct leastsq *p = s->p;
    size_t cols = p->x->cols, outputs = p->outputs;
    double *rows = mem_alloc(ctx, block->rows * (cols + outputs), sizeof *rows);
    if (!rows) return SEPAL_EMEMORY;
    double *error = rows + block->rows * cols;
    leastsq_rows(p, block, 0, block->rows, rows, cols);
    for (size_t i = 0; i < block->rows; i++) {
        const double *target = leastsq_target(p, block->first_row + i);
        double root = leastsq_root_weight(p, block->first_row + i);
        for (size_t r = 0; r < outputs; r++)
            error[i * outputs + r] =
                root * target[r] -
                ctx->kernels->dot_f64(rows + i * cols, s->rows_of_w + r * p->n, p->n);
    }
    ctx->blas->gemm_tn(p->n, outputs, block->rows, rows, cols, error, outputs, 1, sum, outputs);
    mem_free(rows);
    return SEPAL_OK;
}

static sepal_status take_residuals(struct system *s) {
    const struct leastsq *p = s->p;
    size_t n = p->n, k = p->outputs;
    transpose(s->rows_of_w, s->w, n, k);
    TRY(matrix_sum(s->rhs, p->ctx, p->x, n * k, add_residuals, s));
    for (size_t i = 0; i < n * k; i++) s->rhs[i] -= p->ridge * s->w[i];
    return SEPAL_OK;
}

/* Add corrections until the next one would be lost in rounding. */
static sepal_status normal_correct(struct system *s, double size, bool *accurate) {
    size_t cells = s->p->n * s->p->outputs;
    double before = size;
    for (size_t step = 0; step < CORRECTIONS; step++) {
        if (leastsq_stops(s->p, "correcting the normal equations")) break;
        TRY(take_residuals(s));
        double correction = normal_solve(s);
        if (!(correction <= SHRINK * before)) {
            *accurate = correction <= DBL_EPSILON * size;
            return SEPAL_OK;
        }
        for (size_t i = 0; i < cells; i++) s->w[i] += s->rhs[i];
        if (correction * (correction / before) <= DBL_EPSILON * size) return SEPAL_OK;
        before = correction;
    }
    return SEPAL_OK;
}

sepal_status leastsq_normal(struct leastsq *p, bool *accurate) {
    size_t n = p->n, k = p->outputs;
    struct system s = {.p = p};
    s.factor = arena_alloc(p->ctx, p->arena, n, n * sizeof *s.factor);
    s.scale = arena_alloc(p->ctx, p->arena, n, sizeof *s.scale);
    double *numbers = arena_alloc(p->ctx, p->arena, 3 * n, k * sizeof *numbers);
    if (!s.factor || !s.scale || !numbers) return SEPAL_EMEMORY;
    s.w = numbers, s.rhs = numbers + n * k, s.rows_of_w = numbers + 2 * n * k;

    TRY(leastsq_gram(s.factor, s.rhs, p));
    if (p->stopped) return SEPAL_OK;
    *accurate = normal_make_factor(&s);
    if (!*accurate) return SEPAL_OK;
    double size = normal_solve(&s);
    for (size_t i = 0; i < n * k; i++) s.w[i] = s.rhs[i];
    if (size > 0) TRY(normal_correct(&s, size, accurate));
    if (!*accurate) return SEPAL_OK;
    p->rank = n;
    p->converged = !p->stopped;
    leastsq_store(p, s.w);
    return SEPAL_OK;
}
