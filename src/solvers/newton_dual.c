/* The dual point is that of the quadratic model: with a step s the dual variables move by -curvature times the
   change of the margins, so their sums are exactly those of the model's gradient at its least, which
   is 0. What is left of the gap is Fenchel and Young's, row by row, of the order of the square of the
   decrease that the step promised. Without a penalty that is the point itself that the proof needs:
   the sums vanish (METHODS: a projection in the metric of the Hessian). */
#include "core/parallel.h"
#include "solvers/newton.h"

#include <float.h>
#include <math.h>

struct dual_sums {
    struct newton *s;
    double loss[SLABS_MOST];
    bool clipped[SLABS_MOST];
};

/* Adds the Fenchel-Young terms of at most PART rows from row i on, which are 0 where loss and dual variable
   belong together. */
enum { PART = 256 };
static void newton_add_excess(double *excess, const struct newton *s, size_t i, size_t n) {
    const struct objective *o = s->o;
    const double *m = s->sweep.m + i, *a = s->d->alpha + i;
    double value[PART], neg_conjugate[PART];
    o->loss->at(o->ctx->kernels, n, m, value, NULL, NULL);
    o->loss->neg_conjugate(o->ctx->kernels, n, a, neg_conjugate);
    for (size_t k = 0; k < n; k++) value[k] = value[k] + a[k] * m[k] - neg_conjugate[k];
    *excess += o->ctx->kernels->dot_f64(o->row_weight + i, value, n);
}

static double newton_excess(const struct newton *s) {
    double excess = 0;
    for (size_t i = 0, n = s->o->n; i < n; i += PART)
        newton_add_excess(&excess, s, i, n - i < PART ? n - i : PART);
    return excess;
}

/* In place of the margins before the step: the model's dual variables after it. */
static sepal_status newton_dual_slab(sepal_ctx *ctx, size_t slab, void *payload) {
    struct dual_sums *all = payload;
    const struct newton *s = all->s;
    const struct objective *o = s->o;
    double alpha[PART], curvature[PART], excess = 0;
    for (size_t i = o->slab_first[slab], n; i < o->slab_first[slab + 1]; i += n) {
        n = o->slab_first[slab + 1] - i < PART ? o->slab_first[slab + 1] - i : PART;
        const double *m = s->sweep.m + i;
        double *a = s->d->alpha + i;
        o->loss->at(ctx->kernels, n, s->before + i, NULL, alpha, curvature);
        const double *before = s->before + i;
        double least = o->loss->least, most = o->loss->most;
        int outside = 0;
        for (size_t k = 0; k < n; k++) {
            double model = alpha[k] - curvature[k] * (m[k] - before[k]);
            double high = model > least ? model : least;
            a[k] = high < most ? high : most;
            outside |= a[k] != model;
        }
        if (outside) all->clipped[slab] = true;
        newton_add_excess(&excess, s, i, n);
    }
    all->loss[slab] = excess;
    return SEPAL_OK;
}

/* The residual of the dual constraints: the sums of the dual variables less the penalty's gradient. */
static sepal_status newton_dual_residual(struct newton *s, double *out) {
    const struct objective *o = s->o;
    TRY(objective_dual_sums(out, o, s->d->alpha));
    for (size_t j = 0; j < o->penalised; j++) out[j] -= o->l2 * s->u[j];
    return SEPAL_OK;
}

/* Takes the residual r off the sums of the dual variables in the metric of the Hessian, and clips these to
   the range of the loss; r and `before` are lost. */
static sepal_status newton_project_dual(struct newton *s, double *r) {
    const struct objective *o = s->o;
    factor_solve(s->factor, o->width, s->scale, r, o->ctx);
    TRY(objective_margins(s->before, o, r));
    for (size_t i = 0; i < o->n; i++) {
        double a = s->d->alpha[i] - s->sweep.curvature[i] / o->row_weight[i] * s->before[i];
        s->d->alpha[i] = clamp(a, o->loss->least, o->loss->most);
    }
    return SEPAL_OK;
}

/* The dual variables again onto the plane where the sums are right, in the metric of the Hessian: what rounding
   and the range of the loss have left is taken off. `exact`: to some roundings. */
static sepal_status refine_dual(struct newton *s, bool *exact) {
    enum { ROUNDS = 4 };
    static const double rounding = 1e-13;
    const struct objective *o = s->o;
    double last = INFINITY, total = 0, *r = s->product;
    for (size_t i = 0; i < o->n; i++) total += o->row_weight[i] * fabs(s->d->alpha[i]);
    for (int round = 0;; round++) {
        double most = 0;
        TRY(newton_dual_residual(s, r));
        for (size_t j = 0; j < o->width; j++) most = fmax(most, fabs(r[j]) * s->scale[j]);
        *exact = most <= rounding * total;
        if (round == ROUNDS || most == 0 || !(most < last)) return SEPAL_OK;
        last = most;
        TRY(newton_project_dual(s, r));
    }
}

/* What clipping has left of the sums, which 1 / l2 magnifies, is taken off in the metric of the Hessian;
   what is then out of range is clipped again, and so on while that helps: a round costs two passes. */
static sepal_status newton_correct(struct newton *s, double *excess) {
    static const double helps = 0.2, far = 1000;
    const struct objective *o = s->o;
    double *r = s->product, last = INFINITY, enough = s->d->tol;
    if (newton_relative(s, *excess) > far * enough) return SEPAL_OK;
    while (newton_relative(s, *excess) > enough && *excess < helps * last) {
        last = *excess;
        TRY(newton_project_dual(s, r));
        TRY(newton_dual_residual(s, r));
        *excess = newton_excess(s) + newton_dot(s, r, r) / (2 * o->l2);
    }
    return SEPAL_OK;
}

sepal_status newton_find_dual(struct newton *s) {
    const struct objective *o = s->o;
    struct dual_sums all = {.s = s};
    double excess = 0;
    bool clipped = false;
    TRY(parallel_for(o->ctx, o->slabs, newton_dual_slab, &all));
    for (size_t k = 0; k < o->slabs; k++) {
        excess += all.loss[k];
        clipped = clipped || all.clipped[k];
    }
    if (!(newton_relative(s, excess) < s->gap)) return SEPAL_OK;
    if ((clipped || s->inexact) && o->l2 > 0) {
        TRY(newton_dual_residual(s, s->product));
        excess += newton_dot(s, s->product, s->product) / (2 * o->l2);
        TRY(newton_correct(s, &excess));
    }
    s->d->paired = newton_relative(s, excess) < s->gap;
    if (s->d->paired) s->gap = newton_relative(s, excess);
    if (o->l2 > 0 || s->gap > s->d->tol) return SEPAL_OK;
    /* without a penalty sums that are not 0 prove nothing: take another step, while steps can help */
    bool exact;
    TRY(refine_dual(s, &exact));
    s->gap = newton_relative(s, newton_excess(s));
    if (!exact && newton_relative(s, s->decrement) > DBL_EPSILON) s->gap = INFINITY;
    return SEPAL_OK;
}
