/* Inside the dual solver: its state, and the parts it is made of. See dual.c. */
#ifndef SEPAL_SOLVERS_DUAL_H
#define SEPAL_SOLVERS_DUAL_H

#include "solvers/solver.h"

/* Rows are visited in groups of so many that follow each other in memory. */
enum { DUAL_GROUP = 4 };

struct dual {
    struct solver *d;
    const struct objective *o;
    double *w; /* the point; its weights are (1 / l2) sum of c_i a_i y_i (x_i - c) */
    double *a; /* n: the dual variables */
    /* The bias is anchor + (1 / stiff) sum of c_i a_i y_i. */
    double bias, anchor, stiff;
    double mean_square; /* the mean of |x_i - c|^2 by row weight, divided by l2 */
    double *curvature;  /* n: what m_i changes by when a_i moves by 1 */
    double *
        implied_margin; /* n, logistic: a margin whose dual variable is about a_i; infinite: there is none */
    bool *shrunk;    /* n, hinges: at its bound and likely to stay there */
    double *m;       /* n, and n more: scratch */
    double *dense;   /* a dense row as doubles less its centre */
    uint32_t *order; /* of the groups */
    size_t groups;
    size_t visits, often; /* since the user was asked; when to ask again */

    /* The best a_i for a row whose margin is m. */
    double (*next)(struct dual *s, size_t i, double m);
    /* Of the last epoch, each row as it was met: what its loss had above its bound, the loss (hinges
       only), and a_i m_i. */
    double excess, loss, products;
    bool any_shrunk;
    double high, low;         /* slopes beyond which a row at its bound may rest */
    double high_now, low_now; /* the extremes of this epoch */
};

/* What is known of the way. */
struct gap_estimate {
    double primal;     /* about */
    double gap;        /* relative; estimated unless just looked at */
    double ratio;      /* of the true gap to the excess when last looked at; NaN: never */
    double history[4]; /* the excess of the last epochs, the newest first */
};

/* dual_rows.c: `curvature` without the bias, and `mean_square`. */
sepal_status dual_curvatures(struct dual *s);
/* One visit of every row that is not shrunk; false: the user, asked now and then, wants to end. */
bool dual_epoch(struct dual *s, const struct gap_estimate *out);
/* Rows that are shrunk are visited again. */
void dual_unshrink(struct dual *s);

/* dual_steps.c: the step of a loss. */
double dual_step_logistic(struct dual *s, size_t i, double m);
double dual_step_hinge(struct dual *s, size_t i, double m);
double dual_step_squared_hinge(struct dual *s, size_t i, double m);

/* dual_gap.c. After an epoch: estimate the gap from the rows' excess. */
sepal_status dual_gap_estimate(const struct dual *s, struct gap_estimate *out);
/* The true gap, and the bias at its best in the point. */
sepal_status dual_gap_measure(const struct dual *s, struct gap_estimate *out);
/* Epochs to the tolerance, if it goes on like this; infinite if it does not. */
double dual_epochs_left(const struct gap_estimate *out, double tol);

#endif
