/* The least-squares solution of least norm of a small dense system. */
#ifndef SEPAL_DENSE_MIN_NORM_H
#define SEPAL_DENSE_MIN_NORM_H

#include "core/context.h"

/* Of all W (n x k) that minimise ||A W - B||, the one of least norm. A (m x n) and B (m x k) are
   row-major and overwritten. The rank is decided on columns scaled to unit norm, so that units do
   not decide it; the norm is that of W as it is. */
sepal_status min_norm_solve(double *w, size_t *rank, sepal_ctx *ctx, double *a, size_t m, size_t n,
                            double *b, size_t k);

/* The rank of A (m x n) as above, and in the first rows of `out` (min(m, n) x n) as many independent
   rows C with C'C = A'A but for what counts as rounding. */
sepal_status min_norm_rows(double *out, size_t *rank, sepal_ctx *ctx, const double *a, size_t m,
                           size_t n);

#endif
