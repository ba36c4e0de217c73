/* What the last steps have shown of the Hessian: pairs of a step s and of the gradient's change y that
   it made, and from them an inverse H of the Hessian that maps every y to its s, the newest first. */
#ifndef SEPAL_SOLVERS_LBFGS_PAIRS_H
#define SEPAL_SOLVERS_LBFGS_PAIRS_H

#include "core/context.h"

enum { PAIRS_MOST = 14 };

struct pairs {
    sepal_ctx *ctx;
    size_t width;
    const double *scale;     /* width: without pairs H is 1 / scale */
    float *s, *y;            /* PAIRS_MOST x width each; singles: H needs no more digits */
    size_t n, next;          /* pairs there are; where the next is kept */
    size_t slot[PAIRS_MOST]; /* of the pairs, the oldest first */
    double sy[PAIRS_MOST][PAIRS_MOST]; /* s_i . y_k, by slots */
    double yy[PAIRS_MOST][PAIRS_MOST]; /* y_i . y_k / scale */
};

sepal_status pairs_init(struct pairs *pairs, sepal_ctx *ctx, size_t width, const double *scale);
void pairs_clear(struct pairs *pairs);
/* Forget them all. */
void pairs_drop(struct pairs *pairs);
/* y is rounded as it is kept. A pair that, by rounding, no positive definite matrix can have made is
   left out. */
sepal_status pairs_add(struct pairs *pairs, const double *s, double *y);
/* To be called when the numbers in `scale` are new. `room`: for `width` numbers. */
sepal_status pairs_weigh(struct pairs *pairs, double *room);
/* out = -H g */
sepal_status pairs_direction(double *out, struct pairs *pairs, const double *g);

#endif
