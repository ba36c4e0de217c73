/* The hinge with any penalty, or none: its kink is rounded off, ever less, and each smooth problem is
   solved from the answer to the one before (Nesterov, Math. Program. 2005, has the bound). A rounded
   loss is below the hinge by at most half its width, and its dual variables are the hinge's own, so
   what is left of the gap follows from both. */
#include "core/alloc.h"
#include "solvers/descent.h"

#include <math.h>
#include <string.h>

struct smoothed {
    struct descent *d;
    struct objective o; /* with a rounded loss */
    double *u, *pull;   /* of the last problem */
    double primal;      /* the least objective of the hinge found; d->u has its point */
    double width;
};

/* The objective of the hinge at the answer; if it is the least, it is taken. */
static sepal_status offer(struct smoothed *s, const struct descent *inner) {
    const struct objective *hinge = s->d->o;
    double value, *m = mem_alloc(hinge->ctx, hinge->n, sizeof *m);
    sepal_status status = m ? objective_margins(m, hinge, inner->u) : SEPAL_EMEMORY;
    if (status == SEPAL_OK) status = objective_loss(&value, hinge, m);
    if (status == SEPAL_OK) {
        value += objective_penalty(hinge, inner->u);
        if (value <= s->primal) {
            s->primal = value;
            memcpy(s->d->u, inner->u, hinge->width * sizeof *m);
        }
        if (inner->paired) {
            memcpy(s->d->pull, inner->pull, hinge->n * sizeof *m);
        } else {
            s->o.loss->at(hinge->ctx->kernels, hinge->n, m, NULL, s->d->pull, NULL);
        }
        s->d->paired = true;
    }
    mem_free(m);
    return status;
}

static sepal_status solve_round(struct descent *inner) {
    const struct objective *o = inner->o;
    if (o->l1 > 0) return solve_prox_newton(inner);
    if (o->width > NEWTON_WIDTH_MOST) return solve_newton_cg(inner);
    TRY(solve_newton(inner));
    if (inner->converged || inner->stopped) return SEPAL_OK;
    inner->iterations = 0;
    inner->warm = true;
    return solve_newton_cg(inner);
}

/* One problem; true in *last when its answer is near enough, or no better one can be had. */
static sepal_status run_round(struct smoothed *s, size_t k, bool *last) {
    static const double half = 0.5;
    struct descent *d = s->d;
    struct descent inner = *d;
    s->o.loss = &loss_smoothed[k];
    s->width = 1 / s->o.loss->bend;
    /* no closer than the rounding is from the hinge */
    double off = half * s->width / fmax(s->primal, 1e-300);
    inner.o = &s->o;
    inner.tol = fmin(fmax(half * d->tol, fmin(off, 0.1)), 0.1);
    inner.u = s->u;
    inner.pull = s->pull;
    inner.warm = k > 0 || d->warm;
    inner.paired = inner.converged = false;
    inner.iterations = inner.patience = 0;
    TRY(solve_round(&inner));
    d->iterations += inner.iterations;
    d->stopped = inner.stopped;
    TRY(offer(s, &inner));
    bool near = half * s->width <= half * d->tol * s->primal || s->primal == 0;
    d->converged = near && inner.converged;
    *last = near || d->stopped || k + 1 == losses_smoothed;
    return SEPAL_OK;
}

sepal_status solve_smoothed(struct descent *d) {
    const struct objective *hinge = d->o;
    struct smoothed s = {.d = d, .o = *hinge, .primal = INFINITY};
    s.u = mem_alloc(hinge->ctx, hinge->width, sizeof *s.u);
    s.pull = mem_zero(hinge->ctx, hinge->n, sizeof *s.pull);
    sepal_status status = s.u && s.pull ? SEPAL_OK : SEPAL_EMEMORY;
    if (status == SEPAL_OK) memcpy(s.u, d->u, hinge->width * sizeof *s.u);
    bool last = false;
    for (size_t k = 0; status == SEPAL_OK && !last; k++) status = run_round(&s, k, &last);
    mem_free(s.u);
    mem_free(s.pull);
    return status;
}
