/* Dual coordinate descent for two classes and an L2 penalty (Hsieh et al., ICML 2008; Yu, Huang and
   Lin, Machine Learning 2011, for the logistic loss). Rows are visited in groups that follow each
   other in memory, the groups in a new order each epoch.

   A free bias puts a constraint on the dual. The method of multipliers meets it: the bias has the
   penalty stiff/2 (b - anchor)^2, and the anchor follows it after every epoch.

   The sum of the rows' own excesses, as they are met, estimates the gap; the gap itself, which needs
   a pass, is taken only when the tolerance may have been reached. */
#include "solvers/dual.h"

#include "core/alloc.h"

#include <math.h>
#include <string.h>

/* ---- epochs ------------------------------------------------------------------------------- */

/* Excesses also rise for some epochs, as when rows are visited again: a part of the limit is used in any
   case. */
static bool dual_is_slow(const struct dual *s, const struct gap_estimate *out) {
    enum { PART = 4 };
    size_t limit = s->d->limit, done = s->d->iterations;
    return limit && done >= limit / PART &&
           (double)done + dual_epochs_left(out, s->d->tol) > (double)limit;
}

/* The multiplier of the constraint. */
static void dual_move_anchor(struct dual *s) {
    if (s->o->bias != BIAS_FREE) return;
    double step = s->bias - s->anchor;
    s->anchor += step;
    s->bias += step;
}

/* Small problems may take many: some seconds in all. A visit costs as much as some entries. */
static size_t epochs_most(const struct objective *o) {
    enum { LEAST = 300, ENTRIES = 200000000, VISIT = 32 };
    size_t entries = o->rows.sparse ? o->rows.nonzeros : o->n * o->cols;
    return LEAST + ENTRIES / (entries + VISIT * o->n + 1);
}

/* The weights that belong to the variables; the bias stays where it is, if it is free. */
static sepal_status dual_set_weights(struct dual *s) {
    const struct objective *o = s->o;
    double given = objective_bias(o, s->w);
    for (size_t i = 0; i < o->n; i++)
        s->m[i] = o->row_weight[i] * s->a[i] * objective_side(o, i) / o->l2;
    TRY(objective_back(s->w, o, s->m));
    s->bias = objective_bias(o, s->w);
    if (o->bias != BIAS_FREE) return SEPAL_OK;
    s->anchor = given - s->bias * o->l2 / s->stiff;
    s->bias = given;
    return SEPAL_OK;
}

/* So far below the tolerance that the proof alone will do: all that was met in this epoch, not only what
   may be left of it, and soon much less. (Where it falls slowly rows hold each other up, and the gap
   is larger than their excesses.) A free bias is found by looking. */
static bool is_sure(const struct dual *s, const struct gap_estimate *out) {
    static const double far = 0.2, fast = 0.5;
    const double *excess = out->history;
    return s->o->bias == BIAS_NONE && !s->any_shrunk && excess[0] < fast * excess[1] &&
           excess[0] <= far * s->d->tol * fabs(out->primal);
}

static sepal_status dual_run(struct dual *s) {
    struct solver *d = s->d;
    struct gap_estimate out = {.gap = 1, .ratio = NAN};
    size_t first = d->iterations, most = d->max_iter ? d->max_iter : first + epochs_most(s->o);
    while (d->iterations < most) {
        d->stopped = !dual_epoch(s, &out);
        if (d->stopped) break;
        d->iterations++;
        TRY(dual_gap_estimate(s, &out));
        if (out.gap <= d->tol) {
            if (!is_sure(s, &out)) TRY(dual_gap_measure(s, &out));
            d->converged = out.gap <= d->tol;
            /* with nothing in excess there is nothing to move either but a free bias */
            bool stationary = s->excess == 0 && !s->any_shrunk && s->o->bias != BIAS_FREE;
            if (d->converged || stationary) return SEPAL_OK;
            dual_unshrink(s);
        }
        d->stopped = d->stops(d->payload, d->iterations, out.primal, out.gap);
        d->slow = dual_is_slow(s, &out);
        if (d->stopped || d->slow) break;
        dual_move_anchor(s);
    }
    return dual_gap_measure(s, &out);
}

/* ---- the start ---------------------------------------------------------------------------- */

/* Stiff enough to follow the constraint, yet not so much that what is left of it costs more than the
   rest of the gap: between the curvature of the losses and that of the penalty. */
static void set_stiffness(struct dual *s) {
    const struct objective *o = s->o;
    static const double fraction = 0.3, most = 0.025, smoothness = 0.25;
    double total = objective_total_weight(o);
    s->stiff = o->bias == BIAS_NONE ? INFINITY : o->l2;
    if (o->bias == BIAS_FREE)
        s->stiff = fmin(most * total, fraction * sqrt(smoothness * total / s->mean_square));
    for (size_t i = 0; i < o->n; i++) s->curvature[i] += o->row_weight[i] / s->stiff;
}

/* The variables of the given point, or those left beside it. */
static sepal_status set_variables(struct dual *s) {
    const struct objective *o = s->o;
    const struct solver *d = s->d;
    if (!d->warm) {
        memset(s->a, 0, o->n * sizeof *s->a);
        for (size_t i = 0; s->implied_margin && i < o->n; i++) s->implied_margin[i] = INFINITY;
        return SEPAL_OK;
    }
    if (!d->paired) {
        TRY(objective_margins(s->m, o, s->w));
        o->loss->at(o->ctx->kernels, o->n, s->m, NULL, s->a, NULL);
    }
    for (size_t i = 0; i < o->n; i++) {
        if (!isfinite(s->a[i])) s->a[i] = 0;
        s->a[i] = fmin(fmax(s->a[i], o->loss->least), o->loss->most);
        if (s->implied_margin) s->implied_margin[i] = log((1 - s->a[i]) / s->a[i]);
    }
    return SEPAL_OK;
}

static sepal_status dual_start(struct dual *s) {
    for (size_t g = 0; g < s->groups; g++) s->order[g] = (uint32_t)g;
    TRY(dual_curvatures(s));
    set_stiffness(s);
    TRY(set_variables(s));
    dual_unshrink(s);
    if (s->d->warm) return dual_set_weights(s);
    memset(s->w, 0, s->o->width * sizeof *s->w);
    return SEPAL_OK;
}

static sepal_status dual_allocate(struct dual *s) {
    const struct objective *o = s->o;
    s->groups = (o->n + DUAL_GROUP - 1) / DUAL_GROUP;
    s->order = mem_alloc(o->ctx, s->groups, sizeof *s->order);
    s->curvature = mem_alloc(o->ctx, o->n, sizeof *s->curvature);
    s->m = mem_alloc(o->ctx, o->n, 2 * sizeof *s->m);
    s->dense = mem_alloc(o->ctx, o->rows.sparse ? 0 : o->cols, sizeof *s->dense);
    if (!s->order || !s->curvature || !s->m || !s->dense) return SEPAL_EMEMORY;
    if (o->loss == &loss_logistic) {
        s->next = dual_step_logistic;
        s->implied_margin = mem_alloc(o->ctx, o->n, sizeof *s->implied_margin);
        return s->implied_margin ? SEPAL_OK : SEPAL_EMEMORY;
    }
    s->next = o->loss == &loss_hinge ? dual_step_hinge : dual_step_squared_hinge;
    s->shrunk = mem_alloc(o->ctx, o->n, sizeof *s->shrunk);
    return s->shrunk ? SEPAL_OK : SEPAL_EMEMORY;
}

sepal_status solve_dual(struct solver *d) {
    struct dual s = {.d = d, .o = d->o, .w = d->u, .a = d->alpha};
    sepal_status status = dual_allocate(&s);
    if (status == SEPAL_OK) status = dual_start(&s);
    if (status == SEPAL_OK) status = dual_run(&s);
    d->paired = true;
    mem_free(s.order);
    mem_free(s.curvature);
    mem_free(s.m);
    mem_free(s.dense);
    mem_free(s.implied_margin);
    mem_free(s.shrunk);
    return status;
}

static const char *dual_refuses(const struct objective *o) {
    if (o->loss == &loss_squared) return "it is for the losses of two classes";
    if (o->l1 > 0 || !(o->l2 > 0)) return "it is for an L2 penalty";
    return o->rows.sparse && o->centre ? "it cannot centre sparse rows" : NULL;
}

const struct convex_solver convex_solver_dual = {
    .name = {.name = "dual", .summary = "dual coordinate descent: an L2 penalty, short rows"},
    .suits = "short rows",
    .solve = solve_dual,
    .refuses = dual_refuses,
    .cost = cost_of_dual,
    .far = SOLVER_FAR,
};
