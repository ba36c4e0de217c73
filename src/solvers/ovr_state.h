/* Inside Newton's method for one-versus-rest: where it stands, and what its parts do. */
#ifndef SEPAL_SOLVERS_OVR_STATE_H
#define SEPAL_SOLVERS_OVR_STATE_H

#include "core/arena.h"
#include "solvers/ovr_newton.h"

struct ovr_state {
    struct ovr ovr;
    struct arena arena;
    size_t place[OVR_LANES];                            /* of each lane in the point */
    double *room;                                       /* where the next lie */
    double *u, *left, *step, *gradient, *r, *z, *p, *q; /* width x lanes */
    double *m, *before, *curvature, *alpha;             /* n x lanes; alpha: see model_slab */
    struct ovr_factor factor[OVR_LANES];
    struct ovr_sums sums;
    double objective[OVR_LANES], gap[OVR_LANES]; /* the gap: absolute */
    double shrink[OVR_LANES];                    /* of the dual variables */
    double decrement[OVR_LANES];                 /* twice the decrease that the step promises */
    size_t products[OVR_LANES];                  /* of the last step */
    bool by_model[OVR_LANES];                    /* the gap is that of the model's dual point */
    bool stuck[OVR_LANES];
    bool goes[OVR_LANES];  /* the gap is not yet as asked */
    bool factored, broken; /* broken: a factor could not be made */
};

static inline bool ovr_any(const bool *flag, size_t n) {
    for (size_t l = 0; l < n; l++)
        if (flag[l]) return true;
    return false;
}

/* The gap that lane l may have. */
static inline double ovr_allowed(const struct ovr_newton *d, const struct ovr_state *s, size_t l) {
    return d->tol * s->objective[l];
}

/* ---- ovr_step.c ------------------------------------------------------------------------------- */

/* At the margins: objectives, gradients and curvatures. */
sepal_status ovr_evaluate(struct ovr_state *s);
bool ovr_asks_to_stop(struct ovr_newton *d, const struct ovr_state *s);
/* The steps of all lanes that go on. */
sepal_status ovr_find_steps(struct ovr_newton *d, struct ovr_state *s);
/* Take them, as far as that helps. */
sepal_status ovr_advance(struct ovr_state *s, double *length);
void ovr_free_factors(struct ovr_state *s);

/* ---- ovr_newton_dual.c ------------------------------------------------------------------------------- */

/* The gaps by the dual points of the margins; then by those of the quadratic models, where these may be
   better. */
void ovr_measure_gaps(struct ovr_state *s);
sepal_status ovr_measure_model_gaps(struct ovr_newton *d, struct ovr_state *s,
                                    const double *length);
/* The weights and dual variables of lane l to the point. */
void ovr_keep_lane(const struct ovr_newton *d, const struct ovr_state *s, size_t l);

#endif
