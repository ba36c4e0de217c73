/* A matrix with many rows that is never held as a whole: it is handed over some rows at a time. */
#ifndef SEPAL_DENSE_TALL_H
#define SEPAL_DENSE_TALL_H

#include "core/context.h"

/* Rows [first, first + n), `stride` numbers apart. */
typedef void (*tall_rows_fn)(const void *payload, size_t first, size_t n, double *out,
                             size_t stride);
struct tall {
    size_t rows, cols;
    size_t stride; /* of the rows asked for, at least cols: what is beyond may be written to */
    bool single;   /* tall_gram: products in single precision; asks for blas->syrk_t_single */
    tall_rows_fn fill;
    const void *payload;
};

/* out (cols x rows) of a matrix that is held as a whole */
static inline void transpose(double *out, const double *in, size_t rows, size_t cols) {
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < cols; j++) out[j * rows + i] = in[i * cols + j];
}

/* R (cols x cols, zeros below the diagonal and in rows that there are none for) of A = QR. */
sepal_status tsqr(double *r, sepal_ctx *ctx, const struct tall *tall);
/* The upper triangle of A'A (cols x cols). */
sepal_status tall_gram(double *gram, sepal_ctx *ctx, const struct tall *tall);

#endif
