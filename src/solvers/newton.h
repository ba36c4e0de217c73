/* Parts of Newton's method with a factor of the Hessian. */
#ifndef SEPAL_SOLVERS_NEWTON_H
#define SEPAL_SOLVERS_NEWTON_H

#include "objective/objective.h"
#include "solvers/solver.h"

#include <math.h>

/* ---- newton_hessian.c: H = sum over rows of curvature_i (x_i - c, 1)(x_i - c, 1)' + l2 ------------- */

struct hessian {
    const struct objective *o;
    bool scatters; /* products of a row's entries are added one by one; else by dense panels */
    bool single;   /* panels: products in single precision, for steps that need not be exact */
    size_t side;   /* of the sums: width, and a column of ones where the centre needs it */
    size_t parts;  /* scatters: ranges of slabs with sums of their own */
    double *sum;   /* parts x side x side, upper triangles; NULL: not needed */
    /* Where curvatures stay the same from step to step (NULL where not): those in the sums. */
    double *kept;
    bool begun;           /* the sums hold `kept` */
    size_t *listed;       /* n; panels: rows to be added */
    const double *weight; /* panels: n, of the rows, by their sizes; less `minus` unless NULL */
    const double *minus;
};
sepal_status hessian_init(struct hessian *h, const struct objective *o, struct arena *arena);
/* Whether `single` will do for a gap of tol: to be set after hessian_init, if so. */
bool hessian_may_be_single(const struct hessian *h, double tol);
/* Not single from now on. */
void hessian_be_exact(struct hessian *h);
/* The upper triangle (width x width), penalty included. */
sepal_status hessian_make(double *out, struct hessian *h, const double *curvature);
/* Whether the pass that gives the curvatures had better make it, too (struct sweep); and the same when
   it has done so. */
bool hessian_in_pass(const struct hessian *h);
void hessian_take_over(double *out, struct hessian *h, const double *curvature);

/* ---- newton_factor.c: a Cholesky factor that always is one ------------------------------------- */

/* Of the upper triangle of H in place, scaled to a unit diagonal: scale (n) gets the roots' inverses.
   What makes H singular is filled up with next to nothing. False: H has numbers that are none. */
bool factor_make(double *h, size_t n, double *scale, sepal_ctx *ctx);
/* x = H^-1 x */
void factor_solve(const double *factor, size_t n, const double *scale, double *x, sepal_ctx *ctx);

/* ---- newton_flat.c: what the factor does not see, without a penalty ------------------------------ */

struct flat {
    const struct objective *o;
    const double *m, *gradient, *curvature; /* of a point: n, width, n */
    const double *factor, *scale;           /* of a Hessian near it */
    double *direction, *scratch;            /* width */
    double *t;                              /* n: the change of the margins along the direction */
    double slope, curvature_along;          /* of P along the direction */
    double gain; /* the most that P may fall along it; 0 where the rows differ by roundings alone */
};
/* The direction of which the factor sees least. *differ: how much the rows differ along it, beside its
   columns. */
sepal_status flat_direction(struct flat *f, double *differ);
/* The same, and how far to go along it for P to fall. */
sepal_status flat_find(struct flat *f);

/* ---- newton_sample.c: some of the rows, in place ------------------------------------------------ */

struct sample {
    struct objective o;
    struct matrix x; /* its blocks are slices of the objective's */
    int32_t *label;
    double *row_weight;
};
/* One run of rows out of `every`. Lives in the arena; ok is false when a side has no row. */
sepal_status sample_init(struct sample *sample, bool *ok, const struct objective *o,
                         struct arena *arena, size_t every);

/* ---- newton_dual.c: the method, and its dual point ---------------------------------------------- */

struct newton {
    struct solver *d;
    const struct objective *o; /* of all rows, or of a sample */
    struct hessian hessian;
    struct sweep sweep;
    double *u;
    double *before;                                 /* n: margins before the step */
    double *left, *step, *scale, *factor, *product; /* width; the factor: its square */
    double objective, decrement;                    /* twice the decrease that the step promises */
    double gap;                                     /* relative */
    /* the dual point of `gap` is this part of the dual variables at u; unless d->paired */
    double theta;
    bool factored; /* the factor is one, of the last Hessian */
    bool inexact;  /* which was in single precision */
    size_t most;   /* iterations */
};

static inline double newton_dot(const struct newton *s, const double *a, const double *b) {
    return s->o->ctx->kernels->dot_f64(a, b, s->o->width);
}

/* A gap as a part of the objective. */
static inline double newton_relative(const struct newton *s, double excess) {
    return excess / fmax(fabs(s->objective), 1e-300);
}

/* The gap of the model's dual variables after a full step, if it is less than that known; `before` is lost. */
sepal_status newton_find_dual(struct newton *s);

#endif
