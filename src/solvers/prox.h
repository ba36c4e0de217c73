/* Parts of the solver for L1 penalties and bounds on weights, prox_newton.c. */
#ifndef SEPAL_SOLVERS_PROX_H
#define SEPAL_SOLVERS_PROX_H

#include "core/parallel.h"
#include "solvers/csc.h"
#include "solvers/solver.h"

#include <math.h>

/* Coordinates are the weights of the columns kept, and behind them the bias. */
struct prox {
    struct solver *d;
    const struct objective *o;

    /* Rows, n numbers each. */
    double *m;          /* margins */
    double *t;          /* what a whole step adds to them */
    double *a;          /* dual variables */
    double *f;          /* c_i y_i a_i: minus the slopes of the losses by score */
    double *curvature;  /* c_i times the curvature */
    double *scratch[4]; /* for vectors made in passing */

    /* Coordinates. */
    struct csc columns;
    size_t count; /* of columns; the place of the bias */
    double *w, *step;
    double *low, *high;     /* bounds of the weights; -inf, inf: none */
    double *v;              /* sums over the rows of f_i (x_i - c, 1) */
    double *norm;           /* roots of the sums over the rows of c_i (x_i - c)^2 */
    double *mean, *aligned; /* of the columns, and sums without it: prox_mean.c */
    bool *gone;             /* is 0 at the optimum, by proof */
    double *first,
        *second;        /* of the set: sums of curvature times x and, as the bias follows, x^2 */
    double *before;     /* steps, for a while */
    size_t entries;     /* of the set's columns */
    size_t *set, n_set; /* columns that the step may move, rising; of them ... */
    size_t *light, n_light; /* ... those that go one by one ... */
    size_t *block, n_block; /* ... and those that are taken together, ... */
    bool block_bias;        /* ... with a penalised bias as one more member */
    double *block_slope;
    double *gram;            /* the block's second derivatives, n x n with the bias; NULL: none */
    double block_curvatures; /* `curvatures` when they were taken */
    bool settled;            /* few columns come and go, and the curvature stays */
    bool careful;            /* a bold step led nowhere: no old matrix, no extrapolation */
    bool means_dominate;     /* columns one by one get nowhere: few at a time, in a block */

    double least_l1;  /* of all calls: columns that cannot exceed it are not kept */
    double before_l1; /* of the call before, which came to its end; 0: there was none */
    size_t guesses;   /* how often columns that were left out by a guess were taken back */
    bool guessed;     /* some are left out without a proof */

    double factors;           /* the sum of f */
    double curvatures;        /* the sum of curvature */
    double curvatures_before; /* at the step before */
    double loss, penalty;
    double shrink, bound; /* of the dual variables to obey the penalty, and the dual there */
    double dual;          /* the best */
    double gap;           /* relative, with the best */
    double inner;         /* fraction of `outset` that coordinate descent may leave */
    double outset;        /* the sum of all violations in the first pass */
    bool
        unproved; /* nothing bounds the dual variables' sums: the model's promise stands for the gap */
    bool promised; /* the step before was small enough for the end */
};

static inline double prox_objective(const struct prox *p) {
    return p->loss + p->penalty;
}
/* What is taken off a column of sparse rows, whose sums know nothing of it. */
static inline double prox_centre(const struct prox *p, size_t k) {
    return p->o->centre && p->o->rows.sparse ? p->o->centre[p->columns.number[k]] : 0;
}
static inline size_t prox_penalised(const struct prox *p) {
    return p->count + (p->o->bias == BIAS_PENALISED);
}
/* The block is the whole model. */
static inline bool prox_alone(const struct prox *p) {
    return p->n_light == 0 && (p->block_bias || p->o->bias != BIAS_PENALISED);
}
/* Tasks that go over so many numbers in all: few are not worth waking another thread. */
static inline sepal_status prox_tasks(const struct prox *p, size_t numbers, size_t n, task_fn task,
                                      void *payload) {
    enum { FEW = 1 << 15 };
    if (numbers > FEW) return parallel_for(p->o->ctx, n, task, payload);
    for (size_t i = 0; i < n; i++) TRY(task(p->o->ctx, i, payload));
    return SEPAL_OK;
}
/* The w that minimises g (w - at) + h/2 (w - at)^2 + l1 |w|. */
static inline double prox_shrink(double at, double g, double h, double l1) {
    double z = h * at - g;
    return z > l1 ? (z - l1) / h : z < -l1 ? (z + l1) / h : 0;
}
/* The weight of coordinate k with so much of its step: a whole one that leads to a bound ends on it, to the
   bit. */
static inline double prox_weight(const struct prox *p, size_t k, double length) {
    double w = p->w[k], step = p->step[k];
    if (length == 1 && step == p->low[k] - w) return p->low[k];
    if (length == 1 && step == p->high[k] - w) return p->high[k];
    return length == 1 ? w + step : box_clip(w + length * step, p->low[k], p->high[k]);
}
/* How far the slope of the losses is from what the penalty and the bounds want of a weight w. */
static inline double prox_violation(const struct prox *p, size_t k, double slope, double w) {
    double l1 = p->o->l1;
    double up = w < p->high[k] ? -(slope + (w < 0 ? -l1 : l1)) : 0;
    double down = w > p->low[k] ? slope + (w > 0 ? l1 : -l1) : 0;
    return fmax(0, fmax(up, down));
}
/* The slope of the losses at a weight of 0, unless it leads out of its bounds: then 0. */
static inline double prox_slope_at_zero(const struct prox *p, size_t k) {
    double v = p->v[k];
    return v > 0 ? (p->high[k] > 0 ? v : 0) : (p->low[k] < 0 ? -v : 0);
}

/* prox_rows.c: at the margins all that is known by rows, and the penalty. */
sepal_status prox_look(struct prox *p);
/* The dual bound of the dual variables, shrunk as the penalty wants, by the columns that are not gone or by
   all; the best is kept in d->alpha. */
sepal_status prox_bound(struct prox *p, bool all);
/* Go along the step as far as it pays; false: nowhere. */
sepal_status prox_advance(struct prox *p, bool *moved);
/* How much the objective may fall by, as far as the step tells. */
double prox_promise(const struct prox *p);

/* prox_columns.c: which columns can matter at all, and their copy. */
sepal_status prox_columns_make(struct prox *p);
sepal_status prox_columns_norms(struct prox *p);
/* v from f, of the columns that are not gone or of all */
sepal_status prox_columns_sums(struct prox *p, bool all);
/* `first` and `second` of the set */
sepal_status prox_columns_curvature(struct prox *p, struct curvatures *out);
/* out (n) = the sum over a set of coordinates of z times their columns, centres left out */
sepal_status prox_columns_scores(double *out, struct prox *p, const size_t *set, size_t n,
                                 const double *z);

/* prox_step.c: the step of the set, and t. */
sepal_status prox_step(struct prox *p);

/* prox_gram.c: part the set into the block and the others; the block's matrix; its step, from
   slopes that are overwritten. */
void prox_gram_choose(struct prox *p);
sepal_status prox_gram_make(struct prox *p);
sepal_status prox_gram_descend(struct prox *p, double *slope);
/* prox_active.c: the same of all n members, where coordinate descent does not come to its end. */
sepal_status prox_active_descend(struct prox *p, double *slope, size_t n);

/* prox_mean.c: whether the columns' means rule all else, into `means_dominate`. */
sepal_status prox_mean_rules(struct prox *p);
/* Another try for the dual: the dual variables moved along the curvatures until their sums have no more of the
   mean than the penalty wants. Two passes. */
sepal_status prox_mean_align(struct prox *p, bool all);

/* prox_extrapolate.c: the last passes of coordinate descent. {0} is empty. */
enum { HISTORY = 6 };
struct history {
    size_t n;
    double *steps, *rows;
};
/* After a pass: the step, and the slopes by row. */
sepal_status history_add(struct history *h, const struct prox *p, const double *r);
/* Put step and slopes where the passes lead to; false: they are as they were. Then the history is
   empty. */
bool history_extrapolate(struct history *h, struct prox *p, double *r);
void history_clear(struct history *h);

#endif
