/* Without a penalty the sums of the dual variables vanish up to rounding, which says nothing along a
   direction in which the rows differ by hardly more than that. */
#include "solvers/hinge.h"

#include "solvers/newton.h"

#include <float.h>
#include <math.h>

/* How much the rows differ along what a factor of X'X sees least; beside their columns. */
static sepal_status find_differ(double *out, struct hinge *h, struct arena *arena) {
    const struct objective *o = h->o;
    struct hessian hessian;
    double *factor = arena_alloc(o->ctx, arena, o->width * o->width, sizeof *factor);
    double *wide = arena_alloc(o->ctx, arena, o->width, 2 * sizeof *wide);
    if (!factor || !wide) return SEPAL_EMEMORY;
    struct flat flat = {.o = o,
                        .gradient = h->image,
                        .curvature = o->row_weight,
                        .factor = factor,
                        .scale = wide,
                        .direction = wide + o->width,
                        .scratch = h->point,
                        .t = h->m};
    *out = 0;
    TRY(hessian_init(&hessian, o, arena));
    TRY(hessian_make(factor, &hessian, o->row_weight));
    if (!factor_make(factor, o->width, wide, o->ctx)) return SEPAL_OK;
    TRY(objective_dual_sums(h->image, o, h->d->alpha));
    return flat_direction(&flat, out);
}

sepal_status hinge_check_conditioning(struct hinge *h) {
    enum { WIDTH_MOST = 2048 }; /* wider matrices take longer than the fit */
    static const double hardly = 100, roundings = 4 * DBL_EPSILON;
    const struct objective *o = h->o;
    struct arena arena = {0};
    double differ;
    if (h->primal == 0 || o->width > WIDTH_MOST) return SEPAL_OK;
    sepal_status status = find_differ(&differ, h, &arena);
    arena_clear(&arena);
    TRY(status);
    bool dependent = !(differ > roundings * sqrt((double)o->width));
    if (!dependent && differ <= hardly * hinge_rounding(o)) h->d->converged = false;
    return SEPAL_OK;
}
