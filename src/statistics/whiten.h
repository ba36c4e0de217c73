/* Solving with a scatter matrix S = C'C, whatever its rank: whitening b gives y = pinv(C)'b, and
   back goes w = pinv(C) y. So pinv(S) b is both in a row, and b'pinv(S) b = |y|^2.

   S may be shrunk: (1 - alpha) S + alpha trace(S)/cols I, or, with the intensity that Ledoit and Wolf
   estimate, in units of standard deviations: U((1 - alpha) R + alpha divisor I)U, U the root of the
   diagonal of S/divisor, 1 where that is 0, and S = U R U. Vectors are rows of arrays: b and w have
   the n active columns of the scatter, y has `height` numbers. */
#ifndef SEPAL_STATISTICS_WHITEN_H
#define SEPAL_STATISTICS_WHITEN_H

#include "dense/cholesky.h"
#include "dense/jacobi.h"
#include "statistics/scatter.h"

enum whiten_way {
    WHITEN_TRIANGLE, /* S = R'R, n x n */
    WHITEN_NULL,     /* the same for `rank` columns, and a basis of what S takes to zero */
    WHITEN_ROWS,     /* C itself, fewer rows than columns */
    WHITEN_SQUARE,   /* C itself, nearly singular: `rank` rows */
    WHITEN_RIDGE     /* shrunk, in the space of the rows */
};

struct whitener {
    const struct scatter *s; /* in the units that S is shrunk in */
    double alpha, trace;     /* trace: of S before it is shrunk */
    enum whiten_way way;
    size_t n, height;
    size_t rank;
    bool outside;   /* a vector had a part that S takes to zero, which was dropped */
    double *factor; /* TRIANGLE, NULL: R of S with unit diagonal; ROWS, SQUARE: C; RIDGE: of C C' +
                       ridge */
    double *scale;  /* 1 / root of the diagonal of S */
    size_t *order;  /* NULL: column order[i] is at place i of R */
    double *null;   /* NULL: n x (n - rank) */
    size_t rows;    /* of C */
    double *inner;  /* ROWS: R of C' = QR, or its pseudo-inverse if C has dependent rows */
    bool dependent;
    double ridge; /* what shrinking adds to the diagonal: alpha trace / cols, or alpha divisor */
};

/* `alpha` NaN: as Ledoit and Wolf estimate it, for the covariance S/divisor. */
sepal_status whitener_make(struct whitener *out, const struct scatter *s, double alpha,
                           double divisor);
/* y (k x height) from b (k x n), which is overwritten; w (k x n) from y, which is kept. */
sepal_status whitener_whiten(double *y, struct whitener *whitener, double *b, size_t k);
sepal_status whitener_back(double *out, struct whitener *w, const double *y, size_t k);

#endif
