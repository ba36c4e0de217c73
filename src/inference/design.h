/* The design matrix X of the terms: a column of ones and the terms' columns of phi, less their means and
   times a power of two, so that neither large means nor units cost digits; its triangular factor by the
   rows' curvatures, and which of its columns depend on those before them. */
#ifndef SEPAL_INFERENCE_DESIGN_H
#define SEPAL_INFERENCE_DESIGN_H

#include "dense/tall.h"
#include "inference/wald.h"

struct design {
    const struct wald *given;
    size_t n, p;  /* rows, terms */
    size_t width; /* p, and right-hand sides of the factor behind them */
    double *root; /* of each row: the square root of its curvature, weight included */
    double *mean, *scale, *size; /* of each term's column: phi is less mean, times scale */
    double *tolerance, *factor;  /* factor: width^2 */
    size_t *kept, m;             /* the terms that depend on no others, rising */
    bool by_rows;                /* QR of the rows is needed */
};

/* In the arena; `given`, n, p and width are set. */
sepal_status design_room(struct design *d);
/* Means by the curvatures, which make the columns all but orthogonal to that of ones; differences to
   the first row are summed. */
sepal_status design_means(struct design *d);
/* A power of two that brings a column's largest number near 1, and how large its numbers are besides:
   the user's, which have rounding errors by their size. */
sepal_status design_scales(struct design *d);
/* The terms' numbers in a row of phi, in place: `x` lies behind `out`. */
void design_code(double *out, const struct design *d, const double *x);
/* The same of row `at` of the data. `out` has room for the columns and one more. */
void design_row(double *out, const struct design *d, size_t at, size_t room);
/* Factor the rows of `tall`, sqrt(W) X and right-hand sides, and leave out what depends. `alias` says which
   terms are left out and why. */
sepal_status design_factor(struct design *d, const struct tall *tall, enum alias *alias);
/* What one unit of the term, as it was coded, is in the user's; and where its column is centred. */
double design_unit(const struct design *d, size_t t, double *centre);
/* Of term kept[k] in the intercept, which is meant at 0 and not at the means. */
double design_at_zero(const struct design *d, size_t k);

/* Newton's steps from the scores of a fit. How far the last one moved a score at most, and how large
   they are. */
struct newton_steps {
    double moved, largest, before;
    bool converged;
};
enum { NEWTON_MOST_STEPS = 30 };
/* Of n scores, as they are and as they were. */
void newton_steps_measure(struct newton_steps *steps, const double *score, const double *before,
                          size_t n);
/* Whether they end: at the maximum, or where they get no nearer to it. */
bool newton_steps_end(struct newton_steps *steps);
/* Whether they moved as on the way to infinity. */
bool newton_steps_grow(const struct newton_steps *steps);

/* Of estimates that were not found: too few rows, or weights that grow; else *out stays as it is. */
sepal_status wald_explain(struct summary **out, const struct wald *wald, bool few,
                          const struct newton_steps *steps);
/* Whatever is kept can be saved. */
bool wald_is_finite(const struct summary *summary);
/* count ln(count / total) */
double wald_entropy(double count, double total);

#endif
