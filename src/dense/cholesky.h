/* Cholesky factors of dense symmetric matrices, n x n, upper triangle. */
#ifndef SEPAL_DENSE_CHOLESKY_H
#define SEPAL_DENSE_CHOLESKY_H

#include "core/context.h"

/* The Cholesky factor of a positive definite S = R'R in place (n x n, upper triangle) by way of the
   one of unit diagonal, and 1 / roots of the diagonal: S_ij = (R'R)_ij / (scale_i scale_j). false:
   not positive definite, or with a pivot not above `least`; then the upper triangle is that of unit
   diagonal. The lower one is overwritten. */
bool cholesky_scaled(double *s, size_t n, double *scale, double least, sepal_ctx *ctx);
/* P'AP = R'R, pivots not above the tolerance left out: returns how many are left in, R's rows.
   `work` has n numbers. */
size_t cholesky_pivoted(double *a, size_t n, double tolerance, size_t *order, double *work,
                        sepal_ctx *ctx);

#endif
