/* Each class against the rest by lock-step dual coordinate descent. */
#include "core/alloc.h"
#include "core/parallel.h"
#include "learners/convex_ovr.h"
#include "solvers/ovr_dcd.h"

#include <math.h>

enum { MANY_EPOCHS = 1000 };

/* Singles keep the squares of such rows, and their products with weights, far from their limits. */
static bool singles_hold(const struct ovr_fit *all, const struct ovr_dcd *d) {
    static const double largest = 1e15;
    double factor = 1;
    for (size_t k = 0; all->factor && k < 2 * all->rest.classes; k++)
        factor = fmax(factor, all->factor[k]);
    return d->norm_most * factor < largest && d->norm_mean > 1 / largest &&
           d->norm_largest < largest;
}

struct ovr_judging {
    struct ovr_fit *all;
    const struct ovr_dcd *d;
    struct proof (*proofs)[OVR_LANES];
    bool last;       /* none may go on */
    double *largest; /* a gap for each group */
};

static sepal_status ovr_dual_judge(sepal_ctx *ctx, size_t g, void *payload) {
    const struct ovr_judging *judging = payload;
    (void)ctx;
    judging->largest[g] = ovr_fit_judge(judging->all, &judging->d->groups[g].point,
                                        judging->proofs[g], judging->last, judging->d->epochs);
    return SEPAL_OK;
}

static sepal_status ovr_dual_prove(struct ovr_fit *all, const struct ovr_dcd *d, bool last,
                                   double *largest) {
    sepal_ctx *ctx = all->convex.fit->ctx;
    struct proof(*proofs)[OVR_LANES] = mem_alloc(ctx, d->n_groups, sizeof *proofs);
    const struct ovr_point **points = mem_alloc(ctx, d->n_groups, sizeof *points);
    double *gaps = mem_alloc(ctx, d->n_groups, sizeof *gaps);
    sepal_status status = SEPAL_EMEMORY;
    for (size_t g = 0; points && g < d->n_groups; g++) points[g] = &d->groups[g].point;
    struct ovr_judging judging = {all, d, proofs, last, gaps};
    if (proofs && points && gaps) status = certify_ovr(proofs, &all->rest, points, d->n_groups);
    if (status == SEPAL_OK) status = parallel_for(ctx, d->n_groups, ovr_dual_judge, &judging);
    for (size_t g = 0; status == SEPAL_OK && g < d->n_groups; g++)
        *largest = fmax(*largest, gaps[g]);
    mem_free(proofs);
    mem_free(points);
    mem_free(gaps);
    return status;
}

static sepal_status ovr_dual_run(struct ovr_fit *all, struct ovr_dcd *d) {
    /* from there on the drift of singles counts */
    static const double coarse = 1e-5;
    size_t limit = all->convex.fit->options.max_iter;
    if (limit > 0 && limit < d->max_epochs) d->max_epochs = limit;
    TRY(ovr_dcd_start(d));
    for (;;) {
        double largest = 0;
        TRY(ovr_dcd_descend(d));
        if (all->tol < coarse) TRY(ovr_dcd_settle(d));
        bool last = d->stalled || d->stopped;
        TRY(ovr_dual_prove(all, d, last, &largest));
        if (largest == 0 || last) return SEPAL_OK;
        d->tol *= fmin(0.5, 0.5 * all->tol / largest);
        TRY(ovr_dcd_keep(d, all->wanted));
    }
}

sepal_status ovr_fit_dual(struct ovr_fit *all, bool *taken) {
    size_t most = all->limit ? all->limit : MANY_EPOCHS;
    struct ovr_dcd d = {.rest = &all->rest,
                        .classes = all->fits->n,
                        .tol = all->tol,
                        .max_epochs = most,
                        .seed = all->convex.fit->ctx->seed,
                        .stops = ovr_fit_stops,
                        .payload = all};
    all->solver = "dual (many columns, short rows)";
    all->unit = "epoch";
    sepal_status status = ovr_dcd_open(&d);
    *taken = status == SEPAL_OK && singles_hold(all, &d);
    if (*taken) status = ovr_dual_run(all, &d);
    all->iterations = d.epochs;
    ovr_dcd_close(&d);
    return status;
}
