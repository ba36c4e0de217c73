/* The nearest points of two convex hulls, or of one hull to the origin. */
#ifndef SEPAL_SEPARABILITY_WOLFE_H
#define SEPAL_SEPARABILITY_WOLFE_H

#include "core/budget.h"
#include "separability/hull_points.h"

enum wolfe_end {
    HULLS_APART,  /* w is the shortest, up to the gap */
    HULLS_MEET,   /* w is 0, up to rounding */
    HULLS_STOPPED /* by the budget, or because rounding leaves nothing to gain */
};

struct wolfe {
    sepal_ctx *ctx;
    const struct hull_points *points;
    struct budget *budget;
    enum wolfe_end end;

    /* w = sum of alpha_i p_i over the corral: affinely independent points whose alpha are positive and
       add up to 1 in each group */
    size_t k;
    struct point **corral;
    double *alpha;
    double *w, *w_low; /* w_low: the rest of w when it is computed finely, else 0 */
    double square;     /* |w|^2 */
    double least[2];   /* of w.p in each group, over all points */
    /* the direction of the best lower bound seen: (least_0 + least_1) / |w| */
    double *best;
    double best_bound;
    size_t steps;

    /* the rest is the solver's own */
    struct point **members; /* points that are looked at in every step; the corral is among them */
    size_t n_members, most;
    double **column; /* of the triangular factor of the corral */
    double **basis;  /* of the orthogonal factor; NULL: too large */
    double *beta, *beta_low, *y, *z;
    double *slope; /* p.w of the corral */
    bool fine;     /* w is so short that it needs twice the precision */
    double *values, *scratch, *left;
    double group_square; /* the weight of a group's row in the factor */
    size_t *chosen;
    struct arena arena;
};

/* `tolerance`: of the gap, relative to |w|. The result is to be cleared, whatever the status. */
sepal_status wolfe_solve(struct wolfe *out, sepal_ctx *ctx, const struct hull_points *points,
                         struct budget *budget, double tolerance);
void wolfe_clear(struct wolfe *hulls);

/* ---- the corral (wolfe_corral.c) */

/* Put a point at the end of the corral; false when it depends on those that are there. */
sepal_status corral_enter(struct wolfe *h, struct point *point, bool *entered);
/* Move alpha and w to the affine minimiser, losing the points that lie beyond; false when rounding
   leaves none. */
bool corral_settle(struct wolfe *h);
/* w = sum of coefficients (and, finely, their errors, may be NULL) times the points of the corral. */
void corral_sum(struct wolfe *h, const double *coefficient, const double *rest);
double corral_slope(const struct wolfe *h, const struct point *point); /* p.w */
/* About the length that w would have if nothing cancelled. */
double corral_size(const struct wolfe *h, const double *coefficient);

#endif
