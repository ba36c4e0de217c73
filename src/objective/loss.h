/* Losses of a margin m = y s, y = -1 or 1, with what their duals need. */
#ifndef SEPAL_OBJECTIVE_LOSS_H
#define SEPAL_OBJECTIVE_LOSS_H

#include "kernels/kernels.h"

#include <stdbool.h>

struct loss {
    const char *name;
    const char *words; /* "ln(1 + e^-m)" */
    bool smooth;       /* it has one slope everywhere */
    double smoothness; /* the largest second derivative; infinite for the hinge */
    /* Of n margins: the losses, the dual variables a = -slope, the curvatures; each may be NULL. At the kink
       of the hinge the dual variable is 0, and its curvature is 0 everywhere. */
    void (*at)(const struct kernels *kernels, size_t n, const double *m, double *value,
               double *alpha, double *curvature);
    /* What n dual variables a add to the dual: minus the conjugate of the loss at -a; outside the
       range of a, minus infinity. */
    void (*neg_conjugate)(const struct kernels *kernels, size_t n, const double *a, double *out);
    double least, most; /* the range of a */
};

/* Into [low, high], a NaN to low: without the calls that fmin and fmax are. */
static inline double clamp(double x, double low, double high) {
    if (!(x > low)) return low;
    return x < high ? x : high;
}

extern const struct loss loss_logistic;      /* ln(1 + e^-m) */
extern const struct loss loss_hinge;         /* max(0, 1 - m) */
extern const struct loss loss_squared_hinge; /* max(0, 1 - m)^2 */
extern const struct loss loss_squared;       /* (1 - m)^2 / 2, which is (s - y)^2 / 2 */

#endif
