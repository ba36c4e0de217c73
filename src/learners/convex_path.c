/* A path of penalties, from the strongest, for which all weights are 0, to weaker ones: each fit begins
   where the one before has ended (Friedman, Hastie and Tibshirani, JSS 33, 2010). Each has the proof that
   a fit by itself has. */
#include "learners/convex.h"

#include <math.h>
#include <string.h>

/* ---- the parameters ----------------------------------------------------------------------- */

sepal_status convex_path_ratio(double *out, sepal_ctx *ctx, const void *config) {
    const struct convex_config *c = config;
    static const char instead[] = "write penalty=l2, penalty=l1, or penalty=elasticnet with "
                                  "ratio=, and leave the strength to "
                                  "the path";
    if (weight_bounds_given(&c->weights))
        return fail(ctx, SEPAL_EUSAGE,
                    "a path has no bounds on weights; leave bounds and nonneg out, or train at one "
                    "strength of the penalty");
    *out = c->ratio;
    if (c->penalty == PENALTY_NONE)
        return fail(ctx, SEPAL_EUSAGE, "penalty=none leaves no path of penalties; %s", instead);
    if (isnan(c->c) || c->c != 1)
        return fail(ctx, SEPAL_EUSAGE,
                    "%s says how strong the penalty is, which a path is to find out; %s",
                    isnan(c->c) ? "l1 or l2" : "C", instead);
    return SEPAL_OK;
}

void convex_path_set(void *config, double l1, double l2) {
    struct convex_config *c = config;
    c->c = c->ratio = NAN;
    c->l1 = l1;
    c->l2 = l2;
    c->penalty = l1 > 0 ? (l2 > 0 ? PENALTY_ELASTICNET : PENALTY_L1) : PENALTY_L2;
}

/* ---- where all weights are 0 -------------------------------------------------------------- */

/* The best bias beside weights of 0, from the weights of both sides. Where the hinge leaves a range of
   biases any will do. */
static double bias_alone(const struct objective *o, const double side[2]) {
    if (o->bias != BIAS_FREE) return 0;
    if (o->loss == &loss_logistic) return log(side[1] / side[0]);
    if (o->loss == &loss_squared_hinge) return (side[1] - side[0]) / (side[1] + side[0]);
    return side[1] > side[0] ? 1 : -1;
}

/* Dual variables of both sides at that bias. The hinge has a kink there: the larger side gets what
   balances the other. */
static void duals_at_bias(double alpha[2], const struct objective *o, const double side[2],
                          double bias) {
    double m[2] = {-bias, bias};
    o->loss->at(o->ctx->kernels, 2, m, NULL, alpha, NULL);
    if (o->loss->smooth || o->bias != BIAS_FREE) return;
    alpha[0] = fmin(1, side[1] / side[0]);
    alpha[1] = fmin(1, side[0] / side[1]);
}

/* The largest slope of the mean loss by a weight, and the loss itself, where all weights are 0. */
static sepal_status path_begin(struct fit_path *path, struct convex *convex) {
    const struct objective *o = &convex->objective;
    double side[2] = {0, 0}, alpha[2], value[2], *a = convex->descent.alpha;
    double *v = arena_alloc(o->ctx, o->arena, o->width, sizeof *v);
    if (!v) return SEPAL_EMEMORY;
    for (size_t i = 0; i < o->n; i++) side[o->label[i] == 1] += o->row_weight[i];
    double bias = bias_alone(o, side), m[2] = {-bias, bias};
    duals_at_bias(alpha, o, side, bias);
    o->loss->at(o->ctx->kernels, 2, m, value, NULL, NULL);
    for (size_t i = 0; i < o->n; i++) a[i] = alpha[o->label[i] == 1];
    TRY(objective_dual_sums(v, o, a));
    path->slope = 0;
    for (size_t j = 0; j < o->penalised; j++) path->slope = fmax(path->slope, fabs(v[j]));
    path->null_loss = side[0] * value[0] + side[1] * value[1];
    path->loss = o->loss;
    path->factor = convex->factor;
    path->factor_by_side = convex->factor_by_side;
    return SEPAL_OK;
}

/* ---- the fits ----------------------------------------------------------------------------- */

static size_t nonzero_weights(const struct linear *linear) {
    size_t n = 0;
    for (size_t j = 0; j < linear->cols; j++) n += linear->w[j] != 0;
    return n;
}

static sepal_status path_refuse_sgd(const struct fit *fit) {
    if (!convex_is_sgd(fit)) return SEPAL_OK;
    return fail(fit->ctx, SEPAL_EUSAGE,
                "the solver sgd proves no gap, and a path goes on from proved fits; leave " OPTION
                "solver out");
}

/* From the point at hand, or from nowhere. */
static sepal_status path_solve(struct convex *convex, bool warm) {
    struct solver *d = &convex->descent;
    struct convex_plan plan;
    d->tol = convex->tol;
    d->iterations = convex->before = 0;
    d->converged = d->paired = d->slow = false;
    d->warm = warm;
    convex->first_gap = 0;
    if (!warm) memset(d->u, 0, d->o->width * sizeof *d->u);
    TRY(convex_choose(&plan, convex));
    return convex_solve(convex, plan);
}

/* A start that leads nowhere is given up: then the fit is what it would be by itself. */
static sepal_status path_solve_from_either(struct convex *convex) {
    struct solver *d = &convex->descent;
    bool warm = d->warm;
    TRY(path_solve(convex, warm));
    if (!warm || d->converged || d->stopped || d->max_iter) return SEPAL_OK;
    struct prox_kept *kept = d->kept;
    d->kept = NULL;
    TRY(path_solve(convex, false));
    d->kept = kept;
    return SEPAL_OK;
}

static sepal_status fit_at(struct convex *convex, struct fit_path *path, size_t k) {
    struct fit *fit = convex->fit;
    struct objective *o = &convex->objective;
    struct solver *d = &convex->descent;
    o->l1 = path->ratio * path->strength[k];
    o->l2 = (1 - path->ratio) * path->strength[k];
    TRY(path_solve_from_either(convex));
    d->warm = true;
    if (d->stopped) return SEPAL_OK;
    convex_keep_weights(convex);
    const struct path_point point = {.l1 = o->l1,
                                     .l2 = o->l2,
                                     .loss = convex->proof.primal - objective_penalty(o, d->u),
                                     .primal = convex->proof.primal,
                                     .dual = convex->proof.dual,
                                     .nonzero = nonzero_weights(&fit->linear),
                                     .iterations = d->iterations,
                                     .converged = d->converged};
    return path->visit(fit, path, k, &point);
}

sepal_status convex_path(struct fit *fit, struct fit_path *path, const struct loss *loss) {
    struct convex convex = {.fit = fit, .config = fit->config};
    TRY(path_refuse_sgd(fit));
    TRY(convex_set_up(&convex, loss));
    TRY(path_begin(path, &convex));
    if (path->n == 0) return SEPAL_OK;
    struct prox_kept *kept = NULL;
    if (path->ratio > 0) {
        kept = prox_kept_new(fit->ctx, path->ratio * path->strength[path->n - 1]);
        if (!kept) return SEPAL_EMEMORY;
    }
    convex.descent.kept = kept;
    sepal_status status = SEPAL_OK;
    for (size_t k = 0; k < path->n && status == SEPAL_OK && !convex.descent.stopped; k++)
        status = fit_at(&convex, path, k);
    prox_kept_free(kept);
    return status;
}
