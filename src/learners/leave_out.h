/* Fits to all rows but one, each exact and at the price of two triangular solves. What a closed form
   solves with is a scatter matrix M of the rows, around the means of their classes or around the
   mean of all; a row that leaves takes b uu' from it, u being the row less that mean, and moves the
   means along u. */
#ifndef SEPAL_LEARNERS_LEAVE_OUT_H
#define SEPAL_LEARNERS_LEAVE_OUT_H

#include "learners/learner.h"
#include "statistics/scatter.h"

/* The rows without one of them. Means are around the centre of the fit. */
struct left_row {
    size_t n;             /* active columns of the scatter */
    double total;         /* weight */
    double *class_weight; /* K */
    double *mean;         /* K x cols */
    double *offset;       /* cols: the mean of all */
    double *solved;       /* K x n: inverse(M) times the mean of each class less that of all */
};

struct leave_out {
    /* Set by the learner. */
    struct scatter s; /* by leave_out_start */
    bool within;      /* M is the scatter around the means of the classes, not around that of all */
    double ridge;     /* what M has on its diagonal besides */
    size_t freedom;   /* the weight of the rest must be above this */
    /* Weights, biases and, where there are some, priors; the weights of columns that are not active are 0. */
    void (*set)(struct linear *linear, const struct left_row *row, const void *payload);
    const void *payload;

    /* Made by leave_out_factor. */
    bool exact; /* false: M is singular or nearly so, or too large, and nothing follows from it */
    size_t n;
    double *factor, *scale; /* of M, as cholesky_scaled leaves them */
    double *solved;         /* K x n, for all rows */
};

/* The means, and fit->linear with their centre. */
sepal_status leave_out_start(struct leave_out *out, struct fit *fit);
/* The rest, when the learner has set what it sets. */
sepal_status leave_out_factor(struct leave_out *out, struct fit *fit);
/* Fill `linear` (weights zeroed, priors allocated) with the fit to all rows but one. Not *exact: the rest is
   nearly singular without it, and is to be fitted. */
sepal_status leave_out_row(struct linear *linear, bool *exact, sepal_ctx *ctx,
                           const struct leave_out *all, size_t row);

#endif
