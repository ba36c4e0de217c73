/* The state of stochastic gradient descent: see sgd.c. */
#ifndef SEPAL_SOLVERS_SGD_H
#define SEPAL_SOLVERS_SGD_H

#include "solvers/solver.h"

struct sgd {
    struct solver *d;
    const struct objective *o;
    struct arena arena;
    bool eager;       /* steps touch every weight: nothing is put off */
    double scale, *v; /* weights are scale times v */
    double bias;
    double l1_total,
        *l1_applied;       /* L1, in units of v: all of it, and what was applied to each weight */
    double *sum, bias_sum; /* of the iterates; NULL: not wanted */
    double scales, *late;  /* sum of scales since `sum` was made; what it counted too often */
    uint32_t *order;       /* rows of this epoch; NULL: as they are */
    double *factor;        /* of the rows of a batch */
    double *point;         /* width */
    struct sweep sweep;    /* margins; with all rows to a step the gradient */
    size_t steps, steps_an_epoch, work;
    double objective; /* after the last epoch */
};

/* What sgd for K scores a row does alike (joint/joint_sgd.c). The length of the step after so many; x moved
   towards 0, and no further; the rows' order in an epoch. */
double sgd_eta(const struct sgd_options *options, size_t steps, size_t steps_an_epoch);
double sgd_shrunk(double x, double by);
sepal_status sgd_shuffle(uint32_t *order, const struct objective *o, uint64_t seed, size_t epoch);

/* sgd_trace.c: one JSON line for an epoch that has ended, of one function or of K. Number k of a column, or of
   the biases behind them, is u[column * lanes + k]. */
struct sgd_epoch {
    const struct objective *o;
    size_t epoch, steps;
    double objective;
    const double *u;
    size_t functions, lanes;
};
sepal_status sgd_trace(const struct sgd_epoch *e);

#endif
