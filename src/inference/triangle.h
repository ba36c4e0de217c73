/* Small dense systems of a triangular factor whose columns may depend on each other. */
#ifndef SEPAL_INFERENCE_TRIANGLE_H
#define SEPAL_INFERENCE_TRIANGLE_H

#include <stdbool.h>
#include <stddef.h>

/* The first `cols` rows of the factor R of A = R'R (n x n, upper triangle), in place, by Cholesky's method,
   columns from `cols` on being right-hand sides. False: a pivot is below `least` of its diagonal. */
bool triangle_of_gram(double *a, size_t n, size_t cols, double least);
/* R (n x n, upper triangular) in place, its first `cols` columns taken in order: one whose part that is
   orthogonal to those kept before it is no longer than tolerance[j] is left out, as R's glm leaves out
   aliased terms. `kept` gets the numbers of the others, and how many there are is returned: the rows and
   columns of the factor of these, whose right-hand sides are the columns from `cols` on. */
size_t triangle_keep(double *r, size_t n, size_t cols, const double *tolerance, size_t *kept);
/* x (m numbers) of the kept factor for the right-hand side in column `rhs`. */
void triangle_solve(double *x, const double *r, size_t n, const size_t *kept, size_t m, size_t rhs);
/* The inverse of the kept factor, m x m, upper triangular: the covariance is that times its transpose. */
void triangle_invert(double *inverse, const double *r, size_t n, const size_t *kept, size_t m);
/* The solution of R'y = x, in place, of the first m rows and columns of R, whose rows are `stride` apart. */
void triangle_forward(double *x, const double *r, size_t stride, size_t m);

#endif
