/* Proofs that classes are, or are not, linearly separable, and the code that judges them.

   Nothing here knows how a proof was found: the files of certificate*.c, exact_sum.c and
   interval_proof.c are all that has to be right for a claim to be true, and they use no solver. */
#ifndef SEPAL_CERTIFICATES_CERTIFICATE_H
#define SEPAL_CERTIFICATES_CERTIFICATE_H

#include "data/matrix.h"

/* What is asked: do the two sides lie on two sides of a hyperplane; or, with labels instead, is there
   a linear machine, w_y.x + b_y > w_j.x + b_j for every row of class y and all other classes j. */
struct question {
    const struct matrix *x;
    const int8_t *side;   /* of each row: -1, 1, or 0 if it does not take part; NULL: a machine */
    const int32_t *label; /* a machine: the class of each row */
    size_t classes;
    bool bias; /* false: b = 0 */
};

enum certificate_kind {
    CERTIFICATE_NONE,
    CERTIFICATE_PLANE, /* t (w.x + b) > 0 for every row; or a machine */
    /* Gordan: multipliers >= 0, not all 0, of the rows t (x, 1) that add up to exactly 0; in a
       machine a row with its rival j counts as (x, 1) at the place of y and -(x, 1) at that of j */
    CERTIFICATE_GORDAN
};

struct certificate {
    enum certificate_kind kind;
    double *w; /* cols; a machine: classes x cols */
    double *b; /* 1; a machine: classes */

    size_t n;              /* rows of a Gordan certificate */
    size_t *rows;          /* of the matrix; in reports and files: their numbers in the data file */
    int32_t *rivals;       /* a machine: the other class of each; else NULL */
    double *multipliers;   /* near exact ones; NULL: they are given as */
    const char **integers; /* exact whole numbers, decimal digits */
};

enum { CERTIFICATE_WHY_BYTES = 256 };
struct verdict {
    bool holds;
    char why[CERTIFICATE_WHY_BYTES]; /* what is wrong with it; "" when it holds */
    /* Gordan with multipliers: the rank of the rows is this, proved. 0: not known. */
    size_t rank;
};

/* Judge a certificate, which may hold anything. */
sepal_status certificate_judge(struct verdict *out, sepal_ctx *ctx, const struct question *question,
                               const struct certificate *certificate);

/* ---- parts of it */

/* One number of the system of equations  sum over points of value * multiplier = 0. */
struct equation_entry {
    size_t equation, point;
    double value;
};
/* Multipliers near the exact ones are this near, each relative to itself. */
extern const double certificate_nearness;

/* The equation's entries in `values` (one per point) are proved to have an exact, positive solution
   near `multipliers`: n rows of k > n numbers, each right to `error` of itself. */
sepal_status interval_proof(bool *proved, sepal_ctx *ctx, const double *values, size_t n, size_t k,
                            double error, const double *multipliers);
/* certificate_gordan.c */
sepal_status gordan_judge(struct verdict *out, sepal_ctx *ctx, const struct question *question,
                          const struct certificate *certificate);
bool verdict_no(struct verdict *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
