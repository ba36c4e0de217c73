/* Sums of products of rows that hold small integers, exactly. */
#ifndef SEPAL_DENSE_INTEGER_GRAM_H
#define SEPAL_DENSE_INTEGER_GRAM_H

#include "data/matrix.h"

/* Rows list[0 .. rows-1] of the data (NULL: the first ones), columns active[0 .. n-1], less the
   integers of their class. */
struct integer_rows {
    const struct matrix *x;
    const size_t *list;
    size_t rows;
    const int32_t *label;          /* NULL: one class */
    const float *minus;            /* those integers, their signs changed: classes x (n + 1), the
                                      last of each row for columns that are left out */
    const size_t *active, *places; /* places: of each column of x its place in active, or n */
    size_t n;
};

/* The upper triangle of Z'Z (n x n), each number exact. *exact = false: the rows do not hold
   integers, or too large ones, and `out` is undefined. */
sepal_status integer_gram(double *out, bool *exact, sepal_ctx *ctx,
                          const struct integer_rows *rows);

#endif
