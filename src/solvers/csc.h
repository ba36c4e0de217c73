/* A second copy of a matrix, column by column: coordinate descent goes by columns. */
#ifndef SEPAL_SOLVERS_CSC_H
#define SEPAL_SOLVERS_CSC_H

#include "data/matrix.h"

struct csc {
    size_t n, count; /* rows; columns kept */
    size_t *number;  /* of each in the matrix, rising */
    size_t *start;   /* column k holds entries start[k] .. start[k+1]-1 */
    uint32_t *row;   /* of each entry, rising within a column; NULL: dense, all rows */
    float *f32;      /* values; of sparse columns that have none a value is ... */
    double *f64;
    double *scale;        /* ... this one of its row, or 1 if that is NULL, too */
    const double *centre; /* dense: taken off each column of the matrix; NULL: nothing; not owned */
    /* Columns stripe[s] .. stripe[s+1]-1 are one task. */
    size_t n_stripes, *stripe;
};

/* The columns with `keep` true, NULL: all of them. `centre` is for dense rows. */
sepal_status columns_make(struct csc *out, sepal_ctx *ctx, const struct matrix *rows,
                          const bool *keep, const double *centre);
void columns_clear(struct csc *columns);

static inline size_t columns_length(const struct csc *c, size_t k) {
    return c->start[k + 1] - c->start[k];
}

/* Where values are by row, vectors over rows are multiplied by them once, and each column is a sum of
   numbers picked out. Returns the vector to use: `in` itself where there is nothing to do. */
const double *columns_scale(const struct csc *c, const double *in, double *scratch);
/* The sum over the rows of column k (less its centre, if dense) times a scaled vector. */
double columns_dot(const struct csc *c, const struct kernels *kernels, size_t k,
                   const double *scaled);
/* out += a times column k, by row */
void columns_add(const struct csc *c, size_t k, double a, double *out);

/* What along along column k: the sums over rows of curvature times x and times x^2. */
struct curvatures {
    const double *curvature; /* n */
    const double *once,
        *twice; /* the same times scale and scale^2; equal to curvature without a scale */
};
void columns_curvature(const struct csc *c, const struct kernels *kernels, size_t k,
                       const struct curvatures *along, double *once, double *twice);
/* r += a curvature x, r being scaled */
void columns_add_curvature(const struct csc *c, size_t k, double a, const struct curvatures *along,
                           double *r);

#endif
