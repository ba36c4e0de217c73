/* What a solver of an objective is given, and what it leaves. */
#ifndef SEPAL_SOLVERS_DESCENT_H
#define SEPAL_SOLVERS_DESCENT_H

#include "objective/objective.h"

struct descent {
    /* Given. */
    const struct objective *o;
    double tol;      /* stop when the relative gap (P - D) / |P| is known to be at most this */
    size_t max_iter; /* 0: the solver's own limit */
    uint64_t seed;
    /* Asked once an iteration; true: stop with the best so far. gap NaN: not known. */
    bool (*stops)(void *payload, size_t iteration, double objective, double gap);
    void *payload;

    /* The point (o->width numbers): where to start, then the best found. */
    double *u;
    bool warm; /* the start is worth something; else it is 0 */
    /* A dual variable for each row (n numbers, of the loss's range; see certify.h). `paired`: they
       hold the solver's own, which may be a better bound than the slopes at u. */
    double *pull;
    bool paired;

    size_t iterations;
    bool converged; /* by the solver's own account */
    bool stopped;   /* by `stops` */
};

/* newton_cg.c: smooth losses, no L1 penalty. */
sepal_status solve_newton_cg(struct descent *d);

#endif
