/* Newton's method with a Cholesky factor of the Hessian, for smooth losses of rows with few columns.

   The first steps are taken on a sample of the rows: its optimum is as near to that of all rows as
   statistics go, and from there one or two steps of all rows are left. A step is tried by looking
   around where it leads; only when that is no gain a shorter one is sought, on the margins alone. */
#include "solvers/linesearch.h"
#include "solvers/newton.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { STEPS_MOST = 200, SAMPLE_STEPS_MOST = 12, SAMPLE_ROWS = 512, ROWS_PER_COLUMN = 32 };

/* ---- where we are ------------------------------------------------------------------------- */

static sepal_status newton_evaluate(struct newton *s) {
    const struct objective *o = s->o;
    TRY(objective_sweep(&s->sweep, o, s->u));
    s->objective = s->sweep.loss + objective_penalty(o, s->u);
    for (size_t j = 0; j < o->penalised; j++) s->sweep.gradient[j] += o->l2 * s->u[j];
    return SEPAL_OK;
}

/* What a free bias off its optimum costs: balancing the dual variables, and itself. */
static double newton_bias_excess(const struct newton *s) {
    const struct objective *o = s->o;
    double g = s->sweep.gradient[o->cols], curvatures = 0;
    for (size_t i = 0; i < o->n; i++) curvatures += s->sweep.curvature[i];
    return fabs(g * s->u[o->cols]) + (curvatures > 0 ? g * g / (2 * curvatures) : 0);
}

/* By the dual variables a at the point itself: P - D = |gradient|^2 / 2 l2, if the bias is optimal. Far from the
   optimum a part of them does better: with v, their sums, D(theta a) is at least theta E - theta^2
   |v|^2 / 2 l2, since conjugates are convex and 0 at 0, and E = the sum of losses + v . u (Fenchel and
   Young's equality). */
static double own_gap(struct newton *s) {
    const struct objective *o = s->o;
    const double *g = s->sweep.gradient;
    double square = 0, own = 0, along = 0, *v = s->product;
    s->theta = 1;
    if (s->objective == 0) return 0;
    if (!(o->l2 > 0)) return INFINITY;
    for (size_t j = 0; j < o->width; j++) v[j] = (j < o->penalised ? o->l2 * s->u[j] : 0) - g[j];
    for (size_t j = 0; j < o->penalised; j++) {
        own += g[j] * g[j];
        square += v[j] * v[j];
    }
    along = newton_dot(s, v, s->u);
    double bias = o->bias == BIAS_FREE ? newton_bias_excess(s) : 0,
           neg_conjugate = s->sweep.loss + along;
    double charge = square / (2 * o->l2);
    if (!(neg_conjugate < 2 * charge) || !(neg_conjugate > 0))
        return newton_relative(s, own / (2 * o->l2) + bias);
    s->theta = neg_conjugate / (2 * charge);
    return newton_relative(s, s->objective - s->theta * neg_conjugate / 2 + bias);
}

/* The dual point of own_gap, where it is not that of the margins. */
static void keep_part(struct newton *s) {
    const struct objective *o = s->o;
    if (s->d->paired || s->theta == 1) return;
    o->loss->at(o->ctx->kernels, o->n, s->sweep.m, NULL, s->d->alpha, NULL);
    for (size_t i = 0; i < o->n; i++) s->d->alpha[i] *= s->theta;
    s->d->paired = true;
}

/* ---- the step ----------------------------------------------------------------------------- */

static sepal_status newton_find_step(struct newton *s, bool *found) {
    const struct objective *o = s->o;
    double before = s->decrement;
    s->decrement = NAN;
    s->factored = false;
    if (s->sweep.hessian)
        hessian_take_over(s->factor, &s->hessian, s->sweep.curvature);
    else
        TRY(hessian_make(s->factor, &s->hessian, s->sweep.curvature));
    s->sweep.hessian = NULL; /* later ones differ by few rows, or may not be needed */
    s->inexact = s->hessian.single;
    *found = s->factored = factor_make(s->factor, o->width, s->scale, o->ctx);
    if (!*found) return SEPAL_OK;
    for (size_t j = 0; j < o->width; j++) s->step[j] = -s->sweep.gradient[j];
    factor_solve(s->factor, o->width, s->scale, s->step, o->ctx);
    s->decrement = -newton_dot(s, s->sweep.gradient, s->step);
    if (before > 0 && s->decrement > before) hessian_be_exact(&s->hessian);
    *found = isfinite(s->decrement) && s->decrement > 0;
    return SEPAL_OK;
}

/* Back, and not so far; the margins of the step are what it has changed. */
static sepal_status step_shorter(struct newton *s, double value, double *length) {
    const struct objective *o = s->o;
    double *t = s->sweep.m;
    for (size_t i = 0; i < o->n; i++) t[i] -= s->before[i];
    struct linesearch line = {.o = o,
                              .m = s->before,
                              .t = t,
                              .u = s->left,
                              .step = s->step,
                              .value = value,
                              .slope = -s->decrement};
    TRY(linesearch(&line));
    *length = line.length;
    for (size_t j = 0; j < o->width; j++) s->u[j] = s->left[j] + line.length * s->step[j];
    return newton_evaluate(s);
}

static sepal_status newton_advance(struct newton *s, double *length) {
    static const double enough = 1e-4, far = 0.1, useful = 0.01;
    const struct objective *o = s->o;
    double value = s->objective, noise = 4 * DBL_EPSILON * fabs(value);
    double *before = s->before;
    s->before = s->sweep.m;
    s->sweep.m = before;
    memcpy(s->left, s->u, o->width * sizeof *s->left);
    for (size_t j = 0; j < o->width; j++) s->u[j] += s->step[j];
    *length = 1;
    TRY(newton_evaluate(s));
    if (s->objective <= value - enough * s->decrement + noise) return SEPAL_OK;
    double promise = newton_relative(s, s->decrement);
    TRY(step_shorter(s, value, length));
    /* far from the optimum it is the model that is wrong, not its digits */
    if (promise < far || *length < useful) hessian_be_exact(&s->hessian);
    return SEPAL_OK;
}

/* ---- all rows ----------------------------------------------------------------------------- */

/* What is left of a sum of losses without bound from below but 0: margins of about 30 and more. */
static const double NOTHING = 1e-13;

static void newton_measure_drift(struct newton *s) {
    s->d->drift = 0;
    for (size_t i = 0; i < s->o->n; i++)
        s->d->drift = fmax(s->d->drift, fabs(s->sweep.m[i] - s->before[i]));
}

/* The gap of the model's dual variables is of the order of the square of the promise. That of a squared hinge
   may be far less: it is 0 where no row has crossed its margin. */
static bool dual_may_suffice(const struct newton *s) {
    double promise = newton_relative(s, s->decrement);
    return promise * promise <= (s->o->loss == &loss_logistic ? 2 : 100) * s->d->tol;
}

/* A step along what the factor does not see, unless rounding leaves nothing to gain by it. */
static sepal_status advance_flat(struct newton *s, const struct flat *flat, bool *moved) {
    const struct objective *o = s->o;
    struct linesearch line = {.o = o,
                              .m = s->sweep.m,
                              .t = flat->t,
                              .u = s->u,
                              .step = flat->direction,
                              .value = s->objective,
                              .slope = flat->slope};
    TRY(linesearch(&line));
    memcpy(s->left, s->u, o->width * sizeof *s->left);
    for (size_t j = 0; j < o->width; j++) s->u[j] += line.length * flat->direction[j];
    for (size_t i = 0; i < o->n; i++)
        s->d->drift = fmax(s->d->drift, fabs(line.length * flat->t[i]));
    TRY(newton_evaluate(s));
    *moved = s->objective < line.value;
    if (*moved) return SEPAL_OK;
    memcpy(s->u, s->left, o->width * sizeof *s->left);
    return newton_evaluate(s);
}

static sepal_status newton_probe_flat(struct newton *s, struct flat *flat) {
    *flat = (struct flat){.o = s->o,
                          .m = s->sweep.m,
                          .gradient = s->sweep.gradient,
                          .curvature = s->sweep.curvature,
                          .factor = s->factor,
                          .scale = s->scale,
                          .direction = s->step,
                          .scratch = s->product,
                          .t = s->before};
    return flat_find(flat);
}

/* Without a penalty little is left to gain by the factor's account also where the factor is not the
   Hessian: along what the rows hardly differ in. There the rows themselves are asked. `moved`: there was
   more, and a step was taken. */
static sepal_status newton_confirm(struct newton *s, bool *moved) {
    struct solver *d = s->d;
    struct flat flat;
    *moved = false;
    if (s->o->l2 > 0 || s->objective == 0 || !s->factored) return SEPAL_OK;
    TRY(newton_probe_flat(s, &flat));
    d->converged = newton_relative(s, flat.gain) <= d->tol;
    if (d->converged || d->iterations >= s->most) return SEPAL_OK;
    TRY(advance_flat(s, &flat, moved));
    if (*moved) d->iterations++;
    d->paired = false;
    s->gap = own_gap(s);
    return SEPAL_OK;
}

/* The step led nowhere: if it promised little, only rounding is in its way. */
static sepal_status end_in_rounding(struct newton *s) {
    bool moved;
    s->d->converged = !(s->o->l2 > 0) && newton_relative(s, s->decrement) <= s->d->tol;
    return s->d->converged ? newton_confirm(s, &moved) : SEPAL_OK;
}

static sepal_status newton_take_steps(struct newton *s) {
    struct solver *d = s->d;
    s->most = d->max_iter ? d->max_iter : STEPS_MOST;
    if (d->limit && d->limit < s->most) s->most = d->limit;
    if (hessian_in_pass(&s->hessian)) s->sweep.hessian = s->factor;
    TRY(newton_evaluate(s));
    d->paired = false; /* dual variables of a solver before it have another gap */
    s->gap = own_gap(s);
    for (;;) {
        bool found, moved = true;
        double length, value = s->objective;
        d->converged = s->gap <= d->tol;
        if (d->converged) TRY(newton_confirm(s, &moved));
        if (d->converged) keep_part(s);
        if (d->converged || !moved || d->iterations >= s->most) return SEPAL_OK;
        if (d->stops(d->payload, d->iterations, s->objective, isinf(s->gap) ? NAN : s->gap)) {
            d->stopped = true;
            return SEPAL_OK;
        }
        sepal_status status = newton_find_step(s, &found);
        if (solver_interrupted(d, status, s->objective)) return SEPAL_OK;
        TRY(status);
        if (!found) {
            /* nothing to gain at all: the dual variables at the point are the dual point */
            d->converged = s->decrement == 0;
            return SEPAL_OK;
        }
        TRY(newton_advance(s, &length));
        d->iterations++;
        if (length < 1 && !s->inexact && !(s->objective < value)) return end_in_rounding(s);
        if (linesearch_clear(s->o, s->objective, s->u)) TRY(newton_evaluate(s));
        d->paired = false;
        s->gap = own_gap(s);
        if (!(s->o->l2 > 0)) newton_measure_drift(s);
        if (s->o->l2 == 0 && s->o->loss == &loss_logistic && s->sweep.loss < NOTHING)
            return SEPAL_OK;
        if (length == 1 && s->gap > d->tol && dual_may_suffice(s)) TRY(newton_find_dual(s));
    }
}

/* How far the optimum may be, by the last factor and along what that does not see; where there is none
   it stays unknown. */
static sepal_status measure_rest(struct newton *s) {
    const struct objective *o = s->o;
    struct flat flat;
    if (o->l2 > 0 || !s->factored) return SEPAL_OK;
    TRY(newton_probe_flat(s, &flat));
    memcpy(s->product, s->sweep.gradient, o->width * sizeof *s->product);
    factor_solve(s->factor, o->width, s->scale, s->product, o->ctx);
    s->d->decrement = sqrt(fmax(2 * flat.gain, newton_dot(s, s->sweep.gradient, s->product)));
    return SEPAL_OK;
}

static sepal_status newton_descend(struct newton *s) {
    TRY(newton_take_steps(s));
    return measure_rest(s);
}

/* ---- some of the rows --------------------------------------------------------------------- */

static sepal_status newton_init(struct newton *s, struct arena *arena) {
    const struct objective *o = s->o;
    TRY(hessian_init(&s->hessian, o, arena));
    s->hessian.single = hessian_may_be_single(&s->hessian, s->d->tol);
    TRY(ARENA_VECTORS(o->ctx, arena, o->n, &s->sweep.m, &s->sweep.curvature, &s->before));
    TRY(ARENA_VECTORS(o->ctx, arena, o->width, &s->sweep.gradient, &s->left, &s->step, &s->scale,
                      &s->product));
    s->factor = arena_alloc(o->ctx, arena, o->width * o->width, sizeof *s->factor);
    return s->factor ? SEPAL_OK : SEPAL_EMEMORY;
}

/* As near to the sample's optimum as that is to the optimum of all rows: its excess there is some d / 2n. */
static sepal_status descend_roughly(struct newton *s) {
    double near = (double)s->o->width / (double)s->o->n;
    TRY(newton_evaluate(s));
    for (int k = 0; k < SAMPLE_STEPS_MOST; k++) {
        bool found;
        double length;
        sepal_status status = newton_find_step(s, &found);
        if (solver_interrupted(s->d, status, s->objective)) return SEPAL_OK;
        TRY(status);
        if (!found) return SEPAL_OK;
        if (s->decrement <= near) {
            for (size_t j = 0; j < s->o->width; j++) s->u[j] += s->step[j];
            return SEPAL_OK;
        }
        TRY(newton_advance(s, &length));
        if (length == 0) return SEPAL_OK;
        struct solver *d = s->d;
        d->stopped = d->stops(d->payload, d->iterations, s->objective, NAN);
        if (d->stopped) return SEPAL_OK;
    }
    return SEPAL_OK;
}

static sepal_status start_on_sample(struct newton *s, size_t every, struct arena *arena) {
    struct sample sample;
    bool ok;
    TRY(sample_init(&sample, &ok, s->o, arena, every));
    struct newton some = {.d = s->d, .o = &sample.o, .u = s->u};
    if (!ok) return SEPAL_OK;
    TRY(newton_init(&some, arena));
    return descend_roughly(&some);
}

static sepal_status newton_start(struct newton *s) {
    const struct objective *o = s->o;
    size_t rows = ROWS_PER_COLUMN * o->width, every = 1;
    if (rows < SAMPLE_ROWS) rows = SAMPLE_ROWS;
    /* without a penalty a sample may be separable where all rows are not, and lead far away */
    while (o->l2 > 0 && o->n / every >= 2 * rows) every *= 2;
    if (every == 2) every = 4; /* half of the rows would cost as much as the steps it saves */
    for (; every >= 4 && !s->d->stopped; every /= 8) {
        struct arena arena = {0};
        sepal_status status = start_on_sample(s, every, &arena);
        arena_clear(&arena);
        TRY(status);
    }
    return SEPAL_OK;
}

sepal_status solve_newton(struct solver *d) {
    struct newton s = {.d = d, .o = d->o, .u = d->u};
    struct arena arena = {0};
    sepal_status status = newton_init(&s, &arena);
    if (status == SEPAL_OK && !d->warm && !d->max_iter) status = newton_start(&s);
    if (status == SEPAL_OK) status = newton_descend(&s);
    arena_clear(&arena);
    return status;
}

static const char *newton_refuses(const struct objective *o) {
    if (o->width > NEWTON_WIDTH_MOST) return "its Hessian has more than 4096 columns";
    return refuse_unless_smooth(o);
}

const struct convex_solver convex_solver_newton = {
    .name = {.name = "newton",
             .summary = "Newton's method with a factored Hessian: smooth losses, few columns"},
    .suits = "few columns",
    .solve = solve_newton,
    .refuses = newton_refuses,
    .cost = cost_of_newton,
    .far = SOLVER_FAR,
};
