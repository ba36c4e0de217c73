/* What a solver of an objective is given, and what it leaves. */
#ifndef SEPAL_SOLVERS_SOLVER_H
#define SEPAL_SOLVERS_SOLVER_H

#include "objective/objective.h"

/* How sgd runs. After e epochs, fractions included, a step is eta, eta / (1 + e) or
   eta / sqrt(1 + e) long. */
enum schedule { SCHEDULE_CONSTANT, SCHEDULE_INVERSE, SCHEDULE_ROOT };
struct stride {
    double eta;
    size_t epochs, batch; /* batch: rows to a step; 0: all */
    enum schedule schedule;
    bool shuffle, average; /* average: the answer is the mean of the weights after every step */
};

struct solver {
    /* Given. */
    const struct objective *o;
    double tol;      /* stop when the relative gap (P - D) / |P| is known to be at most this */
    size_t max_iter; /* 0: the solver's own limit */
    uint64_t seed;
    /* Asked once an iteration; true: stop with the best so far. gap NaN: not known. */
    bool (*stops)(void *payload, size_t iteration, double objective, double gap);
    void *payload;
    const struct stride *stride; /* of sgd */
    /* The handover limit of newton, dual and lbfgs: so many steps, or epochs, taken or foreseen, and the rest
       is left to another solver; 0: any */
    size_t limit;

    /* The point (o->width numbers): where to start, then the best found. */
    double *u;
    bool warm; /* the start is worth something; else it is 0 */
    /* A dual variable for each row (n numbers, of the loss's range; see certify.h). `paired`: they
       hold the solver's own, which may be a better bound than the slopes at u. */
    double *alpha;
    bool paired;

    size_t iterations;
    bool converged; /* by the solver's own account */
    bool stopped;   /* by `stops` */
    bool slow;      /* left early, see limit */
    bool diverged;  /* the next weights were no numbers; the point is the last that was */
    /* newton: the largest change of a margin in its last step, and sqrt(g' H^-1 g) of the gradient
       at u; other solvers leave 0 and NaN. */
    double drift, decrement;
};

/* descent.c: whether a step ended because the user asked to stop, in the middle of it. That is the end
   of the descent and no failure: the point so far is its answer. */
bool solver_interrupted(struct solver *d, sepal_status status, double objective);
/* A free bias needs dual variables of both sides with the same sum. The imbalance is shared out over
   those between their bounds; if they have not the slack, the larger side is shrunk. */
void solver_balance(const struct objective *o, double *a);

/* newton_cg.c: smooth losses, no L1 penalty. */
sepal_status solve_newton_cg(struct solver *d);
/* lbfgs.c: smooth losses, an L2 penalty and no L1. */
sepal_status solve_lbfgs(struct solver *d);
/* sgd.c: any loss and penalty; runs on the rows as given, so the objective has no centre but
   that of sparse rows themselves. */
sepal_status solve_sgd(struct solver *d);
/* newton.c: smooth losses, no L1 penalty, at most NEWTON_WIDTH_MOST columns. */
enum { NEWTON_WIDTH_MOST = 4096 };
sepal_status solve_newton(struct solver *d);
/* interior.c: the hinge with any penalty or none, at most INTERIOR_WIDTH_MOST columns; with an L1
   penalty so many that have a weight. */
enum { INTERIOR_WIDTH_MOST = 4096 };
sepal_status solve_interior(struct solver *d);
/* dual.c: logistic, hinge and squared hinge, an L2 penalty and no L1; sparse rows without a centre. */
sepal_status solve_dual(struct solver *d);
/* augmented.c: the hinge with an L2 penalty or none. */
sepal_status solve_augmented(struct solver *d);
/* prox_newton.c: smooth losses, an L1 penalty. */
sepal_status solve_prox_newton(struct solver *d);

#endif
