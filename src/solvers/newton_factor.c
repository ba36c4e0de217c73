/* A Cholesky factor of a Hessian that may be singular: columns that are 0, constant, repeated or sums
   of others. Scaled to a unit diagonal, it gets a ridge of the size of its own rounding errors. A
   gradient has no part in the directions that the rows do not see, so what the ridge does there is to
   keep the step from moving. */
#include "solvers/newton.h"

#include "kernels/blas.h"

#include <float.h>
#include <math.h>

static bool scale_to_unit(double *h, size_t n, double *scale) {
    for (size_t j = 0; j < n; j++) {
        double d = h[j * n + j];
        if (!isfinite(d)) return false;
        scale[j] = d > 0 ? 1 / sqrt(d) : 1;
        if (!isfinite(scale[j])) scale[j] = 1;
    }
    for (size_t i = 0; i < n; i++)
        for (size_t j = i; j < n; j++) h[i * n + j] = h[i * n + j] * scale[i] * scale[j];
    return true;
}

/* The lower triangle gets what the upper one has, or gives it back; in tiles, for the cache. */
static void mirror(double *h, size_t n, bool back) {
    enum { TILE = 32 };
    for (size_t i0 = 0; i0 < n; i0 += TILE)
        for (size_t j0 = i0; j0 < n; j0 += TILE)
            for (size_t i = i0; i < i0 + TILE && i < n; i++)
                for (size_t j = j0 > i ? j0 : i + 1; j < j0 + TILE && j < n; j++) {
                    double *up = &h[i * n + j], *down = &h[j * n + i];
                    if (back)
                        *up = *down;
                    else
                        *down = *up;
                }
}

enum { TRIALS = 8 }; /* the last ridge is as large as the diagonal itself */

bool factor_make(double *h, size_t n, double *scale, sepal_ctx *ctx) {
    double ridge = 16 * DBL_EPSILON * (double)n;
    if (!scale_to_unit(h, n, scale)) return false;
    mirror(h, n, false); /* what the factor overwrites, until it is one */
    for (int trial = 0; trial < TRIALS; trial++) {
        if (trial > 0) mirror(h, n, true);
        for (size_t j = 0; j < n; j++) h[j * n + j] = 1 + ridge;
        if (ctx->blas->cholesky(n, h, n)) return true;
        ridge *= 100;
    }
    return false;
}

void factor_solve(const double *factor, size_t n, const double *scale, double *x, sepal_ctx *ctx) {
    for (size_t j = 0; j < n; j++) x[j] *= scale[j];
    ctx->blas->cholesky_solve(n, factor, n, 1, x, 1);
    for (size_t j = 0; j < n; j++) x[j] *= scale[j];
}
