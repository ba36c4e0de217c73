/* One-sided Jacobi: rows that are orthogonal to each other. */
#ifndef SEPAL_DENSE_JACOBI_H
#define SEPAL_DENSE_JACOBI_H

#include "kernels/kernels.h"

/* Singular values of a k x n matrix by its rows: on return the rows are orthogonal, by falling
   norm, and of the same sum of outer products (Hestenes). */
void jacobi_rows(double *rows, size_t k, size_t n, const struct kernels *kernels);

#endif
