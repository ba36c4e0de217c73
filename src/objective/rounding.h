/* What rounding can cost a proof, bounded from above (Higham, "Accuracy and Stability of Numerical
   Algorithms", 2002, ch. 3): an operation is off by at most ROUNDING of its result, and a sum in which
   no term takes part in more than k additions by k times that of the terms' magnitudes. */
#ifndef SEPAL_OBJECTIVE_ROUNDING_H
#define SEPAL_OBJECTIVE_ROUNDING_H

#include "objective/certify.h"

#include <float.h>
#include <math.h>

#define ROUNDING (DBL_EPSILON / 2)
/* Of losses and of their conjugates, times a row weight: a logarithm and some products. */
#define ROUNDING_OF_TERM (12 * ROUNDING)
/* For what is of second order in these bounds, which are computed with rounding themselves. */
#define ROUNDING_MORE 1.01

/* k operations on numbers of this size; what falls below the range of a double is DBL_MIN at most. */
static inline double rounding_of(double k, double size) {
    return ROUNDING_MORE * k * ROUNDING * size + DBL_MIN;
}

/* The largest slope of a loss at margins that are off by at most `off`, by its dual variable at m - off: slopes
   of convex losses rise, so that only where they can be above 0 the other end counts. */
static inline double steepest_near(const struct loss *loss, double alpha, double off) {
    return fabs(alpha) + (isinf(loss->least) ? 2 * loss->smoothness * off : 0);
}

/* What a conjugate and its rounding are measured by. */
static inline double neg_conjugate_size(const struct loss *loss, double a, double neg_conjugate) {
    return isinf(loss->most) ? fabs(a) + a * a : fabs(neg_conjugate);
}

/* An objective and a bound from below, each with what rounding may have added to it. */
struct estimate {
    double primal, primal_error;
    bool bounded; /* there is a dual point */
    double dual, dual_error;
};
/* The proof's numbers. SEPAL_EINTERNAL if the bound is above the objective by more than rounding. */
sepal_status proof_conclude(struct proof *out, sepal_ctx *ctx, const struct estimate *estimate);

#endif
