/* Each class against the rest by Newton's method, some classes at a time. */
#include "core/alloc.h"
#include "learners/convex_ovr.h"
#include "solvers/ovr_newton.h"

#include <math.h>
#include <string.h>

static sepal_status run_group(struct ovr_fit *all, struct ovr_newton *d) {
    const struct ovr_point *point = d->point;
    struct proof proofs[1][OVR_LANES];
    for (bool again = false;; again = true) {
        bool wanted[OVR_LANES];
        size_t before = d->iterations;
        for (size_t l = 0; l < point->n; l++) wanted[l] = all->wanted[point->class[l]];
        TRY(ovr_newton(d, wanted));
        TRY(certify_ovr(proofs, &all->rest, &point, 1));
        /* a proof of the same point again would be the same */
        bool last = d->stalled || d->stopped || (again && d->iterations == before);
        double largest = ovr_fit_judge(all, point, proofs[0], last, d->iterations);
        if (largest == 0 || last) return SEPAL_OK;
        d->tol *= fmin(0.5, 0.5 * all->tol / largest);
    }
}

/* Classes from .. from + n - 1. */
static sepal_status run_classes(struct ovr_fit *all, size_t from, size_t n) {
    enum { STEPS_MOST = 200 };
    const struct objective *o = all->rest.o;
    size_t limit = all->convex.fit->options.max_iter;
    struct ovr_point point = {.n = n, .lanes = n > OVR_LANES_HALF ? OVR_LANES : OVR_LANES_HALF};
    struct ovr_newton d = {.rest = &all->rest,
                           .tol = all->tol,
                           .max_iter = limit ? limit : STEPS_MOST,
                           .stops = ovr_fit_stops,
                           .payload = all,
                           .point = &point};
    void *block;
    double *room = mem_lines(&block, o->ctx, o->cols + o->n, point.lanes * sizeof *room);
    if (!room) return SEPAL_EMEMORY;
    memset(room, 0, (o->cols + o->n) * point.lanes * sizeof *room);
    point.w64 = room;
    point.alpha64 = room + o->cols * point.lanes;
    for (size_t l = 0; l < n; l++) point.class[l] = from + l;
    sepal_status status = run_group(all, &d);
    if (all->before + d.iterations > all->iterations) all->iterations = all->before + d.iterations;
    ovr_newton_close(&d);
    mem_free(block);
    return status;
}

sepal_status ovr_fit_newton(struct ovr_fit *all) {
    all->solver = "newton (few columns)";
    all->unit = "step";
    all->groups = (all->fits->n + OVR_LANES - 1) / OVR_LANES;
    for (; all->groups_done < all->groups; all->groups_done++) {
        size_t from = all->groups_done * OVR_LANES, left = all->fits->n - from;
        all->convex.first_gap = 0;
        TRY(run_classes(all, from, left < OVR_LANES ? left : OVR_LANES));
    }
    return SEPAL_OK;
}
