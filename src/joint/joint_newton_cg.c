/* Newton's method with preconditioned conjugate gradients for K scores a row. A product with the Hessian is
   one read of the rows, as a gradient is.

   The dual point is that of the quadratic model: after the step T in the scores the dual variables are
   p + (diag(p) - p p') T, whose sums are those of the model's gradient, so conjugate gradients leave all
   that 1/l2 can magnify. Without a penalty there is no bound, and what the step promises stands for the gap.

   Adding a constant to all scores of a row changes no loss: gradients have no part along it, conjugate
   gradients do not see it, and the answer is brought to weights and biases that add up to 0. */
#include "joint/joint_solver.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { STEPS_MOST = 500, CG_MOST = 500, SURE = 2 };

struct joint_newton {
    struct solver *d;
    const struct joint *j;
    struct joint_preconditioner precondition;
    struct joint_sweep sweep;
    double *t;                                     /* n x lanes: the step in the scores */
    double *step, *residual, *direction, *product; /* size */
    double *z;                                     /* size */
    double objective, bound, gap;
    double promise; /* the decrease that the step promises, relative; NaN: not asked to its end */
    double spent;   /* products since the preconditioner was made */
    double least, least_gap; /* the least objective and gap so far, ... */
    int idle;                /* ... and the number of steps since one of them was */
};

static double joint_newton_dot(const struct joint_newton *s, const double *a, const double *b) {
    return s->j->o->ctx->kernels->dot_f64(a, b, s->j->size);
}

/* ---- where we are ----------------------------------------------------------------------------- */

static sepal_status joint_newton_look(struct joint_newton *s) {
    const struct joint *j = s->j;
    TRY(joint_sweep(&s->sweep, j, s->d->u));
    s->objective = s->sweep.loss + joint_penalty(j, s->d->u);
    for (size_t k = 0; k < joint_penalised(j); k++) s->sweep.gradient[k] += j->o->l2 * s->d->u[k];
    double excess = s->objective - s->bound;
    s->gap = isfinite(excess) ? excess / fmax(fabs(s->objective), 1e-300) : NAN;
    if (!(j->o->l2 > 0) && s->objective == 0) s->gap = 0;
    return SEPAL_OK;
}

/* ---- the step ----------------------------------------------------------------------------------- */

static sepal_status joint_newton_multiply(struct joint_newton *s, const double *p) {
    const struct joint *j = s->j;
    TRY(joint_product(s->product, j, s->sweep.state, p));
    for (size_t k = 0; k < joint_penalised(j); k++) s->product[k] += j->o->l2 * p[k];
    s->spent++;
    return SEPAL_OK;
}

/* Without a penalty the rows do not see some directions, and the preconditioner magnifies what rounding
   leaves of the gradient along them: residuals that have outgrown the first one are made of it, once what is
   left to gain is below the tolerance. */
static bool joint_newton_rounds(const struct joint_newton *s, double next, double first,
                                double model) {
    return next > first && model <= s->d->tol * fabs(s->objective);
}

/* step = about -H^-1 g: until a step gains less than its part of what all have gained (Nash and Sofer 1990),
   or rounding is all that is left. */
static sepal_status joint_newton_solve(struct joint_newton *s, double forcing) {
    const struct joint *j = s->j;
    double *p = s->direction, *r = s->residual, model = 0, rz;
    for (size_t k = 0; k < j->size; k++) {
        r[k] = -s->sweep.gradient[k];
        s->step[k] = 0;
    }
    joint_precondition(&s->precondition, r, s->z);
    memcpy(p, s->z, j->size * sizeof *p);
    rz = joint_newton_dot(s, r, s->z);
    double first = rz;
    bool ended = !(rz > 0);
    for (int k = 1; k <= CG_MOST && !ended; k++) {
        TRY(joint_newton_multiply(s, p));
        double curvature = joint_newton_dot(s, p, s->product);
        if (!(curvature > 0)) break;
        double length = rz / curvature, gain = 0.5 * length * rz;
        j->o->ctx->kernels->axpy_f64(length, p, s->step, j->size);
        j->o->ctx->kernels->axpy_f64(-length, s->product, r, j->size);
        joint_precondition(&s->precondition, r, s->z);
        double next = joint_newton_dot(s, r, s->z);
        model += gain;
        ended = k * gain <= forcing * model || !(next > DBL_EPSILON * DBL_EPSILON * first) ||
                joint_newton_rounds(s, next, first, model);
        if (ended) break;
        for (size_t i = 0; i < j->size; i++) p[i] = s->z[i] + next / rz * p[i];
        rz = next;
        s->d->stopped = s->d->stops(s->d->payload, s->d->iterations, s->objective, s->gap);
        if (s->d->stopped) break; /* the step so far is taken all the same */
    }
    /* where rounding leaves no curvature, what the preconditioner promises */
    double scale = fmax(fabs(s->objective), 1e-300);
    s->promise = ended ? model / scale : 0.5 * rz / scale <= s->d->tol ? model / scale : NAN;
    return SEPAL_OK;
}

/* ---- the dual point ------------------------------------------------------------------------------ */

/* After the step's scores are known: the state becomes the dual variables. */
static sepal_status joint_newton_dual(struct joint_newton *s) {
    const struct joint *j = s->j;
    double *alpha = s->sweep.state, bound;
    if (!(j->o->l2 > 0)) return SEPAL_OK;
    for (size_t i = 0; i < j->o->n; i++) {
        double *p = alpha + i * j->lanes, mean = 0;
        const double *t = s->t + i * j->lanes;
        for (size_t l = 0; l < j->lanes; l++) mean += p[l] * t[l];
        for (size_t l = 0; l < j->lanes; l++) p[l] += p[l] * (t[l] - mean);
    }
    TRY(joint_feasible(j, alpha));
    TRY(joint_dual_value(&bound, s->product, j, alpha));
    if (!(bound > s->bound)) return SEPAL_OK;
    s->bound = bound;
    memcpy(s->d->alpha, alpha, j->cells * sizeof *alpha);
    s->d->paired = true;
    return SEPAL_OK;
}

/* ---- along the step ------------------------------------------------------------------------------- */

static sepal_status joint_value_at(double *out, const struct joint_newton *s, double length) {
    const struct joint *j = s->j;
    const double *u = s->d->u;
    double square = 0;
    TRY(joint_loss_along(out, j, s->sweep.score, s->t, length));
    for (size_t k = 0; k < joint_penalised(j); k++) {
        double x = u[k] + length * s->step[k];
        square += x * x;
    }
    *out += 0.5 * j->o->l2 * square;
    return SEPAL_OK;
}

/* A length that decreases the objective enough (Armijo), up to rounding, from 1 down; 0: none does. */
static sepal_status joint_newton_search(struct joint_newton *s, double *length) {
    enum { TRIALS = 30 };
    static const double enough = 1e-4, rounding = 8 * DBL_EPSILON;
    double slack = rounding * fabs(s->objective),
           slope = joint_newton_dot(s, s->sweep.gradient, s->step), value;
    double length_now = 1;
    *length = 0;
    for (int trial = 0; trial < TRIALS && slope < 0; trial++) {
        TRY(joint_value_at(&value, s, length_now));
        if (value <= s->objective + enough * length_now * slope + slack) {
            *length = length_now;
            return SEPAL_OK;
        }
        /* the parabola through what is known */
        double over = value - s->objective - length_now * slope;
        double next =
            isfinite(over) && over > 0 ? -0.5 * slope * length_now * length_now / over : 0;
        length_now = fmin(fmax(next, 0.1 * length_now), 0.5 * length_now);
    }
    return SEPAL_OK;
}

static void joint_newton_drift(struct joint_newton *s, double length) {
    s->d->drift = 0;
    for (size_t k = 0; k < s->j->cells; k++)
        s->d->drift = fmax(s->d->drift, fabs(length * s->t[k]));
}

static sepal_status joint_newton_advance(struct joint_newton *s, bool *moved) {
    const struct joint *j = s->j;
    double length;
    TRY(joint_scores(s->t, j, s->step));
    TRY(joint_newton_search(s, &length));
    TRY(joint_newton_dual(s));
    *moved = length > 0;
    if (!*moved) return SEPAL_OK;
    joint_newton_drift(s, length);
    j->o->ctx->kernels->axpy_f64(length, s->step, s->d->u, j->size);
    joint_remove_shift(j, s->d->u);
    return SEPAL_OK;
}

/* ---- the solver ------------------------------------------------------------------------------------ */

/* The preconditioner is made anew when as much was spent on products as it costs. */
static sepal_status joint_newton_precondition(struct joint_newton *s) {
    bool first = s->d->iterations == 0;
    if (!first && s->spent < joint_precondition_price(&s->precondition)) return SEPAL_OK;
    s->spent = 0;
    return joint_precondition_make(&s->precondition, s->sweep.state);
}

/* Steps that gain nothing but rounding end. */
static bool joint_newton_idles(struct joint_newton *s) {
    enum { IDLE_MOST = 3 };
    bool gains = s->objective < s->least || s->gap < s->least_gap;
    s->idle = gains ? 0 : s->idle + 1;
    s->least = fmin(s->least, s->objective);
    s->least_gap = fmin(s->least_gap, s->gap);
    return s->idle > IDLE_MOST;
}

/* Without a penalty the losses of classes that a linear machine separates fall for ever. */
static bool joint_nothing_left(const struct joint_newton *s) {
    static const double nothing = 1e-13;
    return s->j->o->l2 == 0 && s->objective < nothing;
}

static sepal_status joint_newton_run(struct joint_newton *s) {
    struct solver *d = s->d;
    size_t most = d->max_iter ? d->max_iter : STEPS_MOST;
    bool penalised = s->j->o->l2 > 0;
    int sure = 0;
    s->bound = -INFINITY;
    s->least = s->least_gap = INFINITY;
    s->promise = NAN;
    for (;;) {
        bool moved = false;
        TRY(joint_newton_look(s));
        d->converged = s->gap <= d->tol || sure == SURE;
        if (d->converged || d->stopped || d->iterations >= most) return SEPAL_OK;
        if (joint_nothing_left(s) || joint_newton_idles(s)) return SEPAL_OK;
        d->stopped = d->stops(d->payload, d->iterations, s->objective, s->gap);
        if (d->stopped) return SEPAL_OK;
        TRY(joint_newton_precondition(s));
        double rate = isnan(s->promise) ? 1 : s->promise;
        TRY(joint_newton_solve(s, fmin(0.25, fmax(penalised ? 1e-4 : 1e-8, sqrt(rate)))));
        sure = !penalised && s->promise <= d->tol ? sure + 1 : 0;
        d->decrement = sqrt(2 * s->promise * s->objective);
        TRY(joint_newton_advance(s, &moved));
        d->iterations++;
        if (moved) continue;
        d->converged = sure > 0;
        return SEPAL_OK; /* rounding leaves nothing to gain */
    }
}

static sepal_status solve_joint_newton_cg(struct solver *d) {
    const struct joint *j = d->joint;
    sepal_ctx *ctx = j->o->ctx;
    struct joint_newton s = {.d = d, .j = j};
    struct arena arena = {0};
    sepal_status status = joint_precondition_init(&s.precondition, j, &arena);
    if (status == SEPAL_OK)
        status = ARENA_VECTORS(ctx, &arena, j->cells, &s.sweep.score, &s.sweep.state, &s.t);
    if (status == SEPAL_OK)
        status = ARENA_VECTORS(ctx, &arena, j->size, &s.sweep.gradient, &s.step, &s.residual,
                               &s.direction, &s.product);
    if (status == SEPAL_OK) status = ARENA_VECTORS(ctx, &arena, j->size, &s.z);
    if (status == SEPAL_OK) status = joint_newton_run(&s);
    arena_clear(&arena);
    return status;
}

static const char *joint_newton_refuses(const struct joint *j) {
    if (j->o->l1 > 0) return "|w|_1 has no slope at 0";
    if (!j->loss->smooth) return "the loss has no slope at its kinks";
    return j->loss->convex ? NULL : "the loss is not convex";
}

static double joint_newton_cost(const struct joint *j, const struct convex_shape *shape) {
    (void)shape;
    return joint_entries(j) * (double)j->lanes;
}

const struct joint_solver_row joint_solver_newton_cg = {
    .name = {.name = "newton-cg",
             .summary = "Newton's method by conjugate gradients: smooth losses, any data"},
    .suits = "a smooth loss",
    .solve = solve_joint_newton_cg,
    .refuses = joint_newton_refuses,
    .cost = joint_newton_cost,
};
