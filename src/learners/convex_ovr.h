/* What the ways to fit each class against the rest, all at once, share. */
#ifndef SEPAL_LEARNERS_CONVEX_OVR_H
#define SEPAL_LEARNERS_CONVEX_OVR_H

#include "learners/convex.h"
#include "objective/certify_ovr.h"

struct ovr_fit {
    struct convex convex;
    struct ovr_objective rest;
    struct ovr_fits *fits;
    double tol;
    double *centre; /* of the columns; NULL: none is taken off */
    double *factor; /* 2 x classes; NULL: 1 */
    bool *wanted;   /* of each problem: not done */
    struct proof *proofs;
    convex_margin_fn tells;
    const char *solver; /* which, and why */
    const char *unit;   /* of its iterations */
    size_t iterations;
    size_t groups_done, groups; /* of classes, one after the other; for the time left */
    uint64_t start_ns;
    size_t limit; /* epochs of the dual solver that cost what another would; 0: it was asked for */
    bool newton_next; /* and that newton goes on with what it leaves */
    size_t before;    /* iterations of a solver before this one */
};

/* Progress, and whether the user wants to end: for the solvers, with the ovr_fit as payload. */
bool ovr_fit_stops(void *payload, size_t iteration, double objective, double gap);
/* Look at the proofs of a group's classes after so many iterations: those that are good enough, or may
   not go on (`last`: none may), leave their weights in the joint model. Returns the largest relative
   gap of the others. */
double ovr_fit_judge(struct ovr_fit *all, const struct ovr_point *point, const struct proof *proofs,
                     bool last, size_t iterations);

/* convex_ovr_dual.c, by dual coordinate descent: whether single precision holds its numbers; the fit. */
sepal_status ovr_fit_dual(struct ovr_fit *all, bool *taken);
/* convex_ovr_newton.c, by Newton's method: for smooth losses, an L2 penalty alone and few columns. */
sepal_status ovr_fit_newton(struct ovr_fit *all);

#endif
