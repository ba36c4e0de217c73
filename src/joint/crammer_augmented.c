/* The method of multipliers for Crammer and Singer's machine with an L2 penalty, by semismooth Newton
   steps (Rockafellar, Math. Oper. Res. 1976; Yan and Li, Math. Program. Comput. 2020): as
   solvers/augmented_lagrangian.c, for points of the simplex.

   Each loss is replaced by a smooth one (crammer_smooth.c). When that is minimised well enough the
   multipliers become what they were there, and the sigmas grow. The start is what coordinate descent leaves,
   once it gains little; free biases it leaves to the Newton steps, where they are variables like others. */
#include "joint/crammer_augmented.h"

#include <math.h>
#include <string.h>

enum { ROUNDS = 200, STEPS_A_ROUND = 30, EPOCHS_FIRST = 1000 };
static const double STRENGTH = 10, STRONGEST = 1e12;
static const double FORCING = 0.1;

static double crammer_gap(const struct crammer_augmented *s) {
    return (s->primal - s->dual) / fmax(fabs(s->primal), 1e-300);
}

/* ---- where we are --------------------------------------------------------------------------- */

static sepal_status crammer_offer(struct crammer_augmented *s) {
    double loss;
    TRY(joint_loss_at(&loss, s->j, s->score));
    double primal = loss + joint_penalty(s->j, s->u);
    if (!(primal < s->primal)) return SEPAL_OK;
    s->primal = primal;
    memcpy(s->d->u, s->u, s->j->size * sizeof *s->u);
    return SEPAL_OK;
}

/* The sums of the variables go to `gradient` as well, where they need not be balanced. */
static sepal_status crammer_offer_dual(struct crammer_augmented *s, const double *alpha) {
    double bound;
    memcpy(s->scratch, alpha, s->j->cells * sizeof *alpha);
    TRY(joint_feasible(s->j, s->scratch));
    TRY(joint_dual_value(&bound, s->gradient, s->j, s->scratch));
    if (!(bound > s->dual)) return SEPAL_OK;
    s->dual = bound;
    memcpy(s->d->alpha, s->scratch, s->j->cells * sizeof *alpha);
    s->d->paired = true;
    return SEPAL_OK;
}

/* t, the curvatures and the gradient, and what they are worth to the problem itself. */
static sepal_status crammer_evaluate(struct crammer_augmented *s) {
    const struct joint *j = s->j;
    size_t penalised = joint_penalised(j);
    TRY(crammer_smooth_at(s));
    TRY(crammer_offer(s));
    TRY(crammer_offer_dual(s, s->t));
    if (s->o->bias == BIAS_FREE) TRY(joint_dual_sums(s->gradient, j, s->t));
    for (size_t k = 0; k < penalised; k++) s->gradient[k] = s->o->l2 * s->u[k] - s->gradient[k];
    for (size_t k = penalised; k < j->size; k++)
        s->gradient[k] = s->stiff * (s->u[k] - s->anchor[k - penalised]) - s->gradient[k];
    return SEPAL_OK;
}

/* What is left of the gradient adds little to the gap. */
static bool crammer_is_near(const struct crammer_augmented *s) {
    size_t penalised = joint_penalised(s->j);
    double square = 0, biases = 0;
    for (size_t k = 0; k < penalised; k++) square += s->gradient[k] * s->gradient[k];
    for (size_t k = penalised; k < s->j->size; k++) biases += s->gradient[k] * s->gradient[k];
    double excess = square / (2 * s->o->l2) + (biases > 0 ? biases / (2 * s->stiff) : 0);
    return excess <= FORCING * (s->primal - s->dual);
}

/* The tolerance is reached, or the user wants to end. */
static bool crammer_ends(struct crammer_augmented *s) {
    struct solver *d = s->d;
    d->converged = crammer_gap(s) <= d->tol;
    if (!d->converged && !d->stopped)
        d->stopped = d->stops(d->payload, d->iterations, s->primal, crammer_gap(s));
    return d->converged || d->stopped;
}

enum crammer_round { ROUND_QUICK, ROUND_SLOW, ROUND_STUCK };

/* ---- rounds --------------------------------------------------------------------------------- */

/* One problem with these multipliers, and how it went. */
static sepal_status crammer_round(struct crammer_augmented *s, enum crammer_round *out) {
    enum { SOON = 6 };
    double length;
    *out = ROUND_SLOW;
    TRY(joint_scores(s->score, s->j, s->u));
    TRY(crammer_evaluate(s));
    for (int k = 0; k < STEPS_A_ROUND && !crammer_ends(s); k++) {
        if (crammer_is_near(s) && k > 0) {
            *out = k <= SOON ? ROUND_QUICK : ROUND_SLOW;
            return SEPAL_OK;
        }
        TRY(crammer_newton_step(s, &length));
        if (!(length > 0)) *out = ROUND_STUCK;
        if (!(length > 0) || s->d->stopped) return SEPAL_OK;
        s->d->iterations++;
        TRY(crammer_evaluate(s));
        if (s->d->iterations == s->d->max_iter) return SEPAL_OK;
    }
    return SEPAL_OK;
}

/* The multipliers become the variables. What was solved quickly may be harder next time. */
static void crammer_next_round(struct crammer_augmented *s, enum crammer_round last) {
    static const double change[] = {5, 1, 0.2};
    const struct joint *j = s->j;
    double factor = fmin(change[last], STRONGEST / s->strength);
    memcpy(s->a, s->t, j->cells * sizeof *s->a);
    if (s->o->bias == BIAS_FREE)
        memcpy(s->anchor, s->u + joint_penalised(j), j->lanes * sizeof *s->anchor);
    s->stiff /= factor;
    s->strength *= factor;
}

/* Many rounds have gained little: rounding leaves no more. */
static bool crammer_is_stuck(const struct crammer_augmented *s, int round, double *then) {
    enum { ROUNDS_BETWEEN = 10 };
    if (round % ROUNDS_BETWEEN != ROUNDS_BETWEEN - 1) return false;
    bool stuck = crammer_gap(s) > 0.5 * *then;
    *then = crammer_gap(s);
    return stuck;
}

static sepal_status crammer_rounds(struct crammer_augmented *s) {
    struct solver *d = s->d;
    size_t most = d->max_iter ? d->max_iter : SIZE_MAX;
    double then = INFINITY;
    enum crammer_round last;
    for (int k = 0; k < ROUNDS && d->iterations < most; k++) {
        TRY(crammer_round(s, &last));
        if (crammer_ends(s) || crammer_is_stuck(s, k, &then)) return SEPAL_OK;
        crammer_next_round(s, last);
    }
    return SEPAL_OK;
}

/* ---- the start ------------------------------------------------------------------------------ */

static sepal_status crammer_augmented_start(struct crammer_augmented *s) {
    const struct joint *j = s->j;
    const struct objective *o = s->o;
    double total = objective_total_weight(o), sum = 0;
    TRY(joint_curvatures(s->curvature, j));
    for (size_t i = 0; i < o->n; i++) {
        if (o->bias != BIAS_NONE) s->curvature[i] += o->row_weight[i] / o->l2;
        sum += s->curvature[i];
    }
    double usual = sum > 0 ? sum / (double)o->n : 1;
    /* rows of nothing but zeros have biases alone to move */
    for (size_t i = 0; i < o->n; i++) s->curvature[i] = fmax(s->curvature[i], 1e-3 * usual);
    s->strength = STRENGTH;
    s->stiff = total / (STRENGTH * usual * (double)o->n);
    memcpy(s->u, s->d->u, j->size * sizeof *s->u);
    if (o->bias == BIAS_FREE)
        memcpy(s->anchor, s->u + joint_penalised(j), j->lanes * sizeof *s->anchor);
    if (s->d->paired)
        memcpy(s->a, s->d->alpha, j->cells * sizeof *s->a);
    else
        for (size_t i = 0; i < o->n; i++) s->a[i * j->lanes + (size_t)o->label[i]] = 1;
    s->primal = INFINITY;
    s->dual = -INFINITY;
    return crammer_offer_dual(s, s->a);
}

static sepal_status crammer_multipliers(struct solver *d) {
    const struct joint *j = d->joint;
    sepal_ctx *ctx = j->o->ctx;
    struct crammer_augmented s = {.d = d, .j = j, .o = j->o, .smooth = *j};
    struct arena arena = {0};
    s.smooth.loss = &crammer_smooth_loss;
    sepal_status status = ARENA_VECTORS(ctx, &arena, j->o->n, &s.curvature);
    if (status == SEPAL_OK)
        status = ARENA_VECTORS(ctx, &arena, j->cells, &s.a, &s.t, &s.score, &s.slope, &s.state,
                               &s.scratch);
    if (status == SEPAL_OK)
        status = ARENA_VECTORS(ctx, &arena, j->size, &s.u, &s.gradient, &s.step, &s.residual,
                               &s.direction, &s.product, &s.diagonal);
    if (status == SEPAL_OK) status = ARENA_VECTORS(ctx, &arena, j->lanes, &s.anchor);
    if (status == SEPAL_OK) status = crammer_hessian_init(&s, &arena);
    if (status == SEPAL_OK) status = crammer_augmented_start(&s);
    if (status == SEPAL_OK) status = crammer_rounds(&s);
    arena_clear(&arena);
    return status;
}

/* Where steps are solved for they are cheap, else as dear as some dozens of epochs. */
enum { HALVED_SOON = 4, HALVED_LATE = 64 };

static sepal_status solve_crammer_augmented(struct solver *d) {
    size_t most = d->iterations + EPOCHS_FIRST;
    if (d->max_iter && d->max_iter < most) most = d->max_iter;
    if (!(d->joint->o->rows.sparse && d->joint->o->centre))
        TRY(joint_dcd_descend(d, most, crammer_has_hessian(d->joint) ? HALVED_SOON : HALVED_LATE));
    if (d->converged || d->stopped || d->iterations == d->max_iter) return SEPAL_OK;
    return crammer_multipliers(d);
}

static const char *crammer_augmented_refuses(const struct joint *j) {
    if (j->loss != &joint_crammer_singer) return "it is for the loss of Crammer and Singer";
    return j->o->l1 > 0 || !(j->o->l2 > 0) ? "it is for an L2 penalty" : NULL;
}

static double crammer_augmented_cost(const struct joint *j, const struct convex_shape *shape) {
    (void)shape;
    return joint_entries(j) * (double)j->lanes;
}

const struct joint_solver_row joint_solver_crammer_augmented = {
    .name = {.name = "augmented",
             .summary = "dual coordinate descent, then the augmented Lagrangian method"},
    .suits = "a loss with kinks",
    .solve = solve_crammer_augmented,
    .refuses = crammer_augmented_refuses,
    .cost = crammer_augmented_cost,
};
