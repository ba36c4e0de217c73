/* L-BFGS (Liu and Nocedal 1989) for K scores a row, from the preconditioner of Newton's method rather than a
   guess. A trial step is one read of the rows, for its scores and its gradient: nearly all are taken. Losses need
   not be convex.

   The dual point of a convex loss with an L2 penalty is the probabilities at the point. By Fenchel's equality its
   gap is |g|^2 / 2 l2, g the gradient: it costs nothing, and the proof makes those variables itself. Points between
   those of several steps proved a gap no earlier, or one step of twenty. With a free bias they are balanced, at the
   cost of a read, when the gap seems small enough. Without a bound the gradient tells: its largest entry, each
   in units of its column's root mean square, relative to that at weights of 0.

   A common shift of all scores of a row changes no loss; steps have no part along it. */
#include "joint/joint_solver.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { STEPS_MOST = 5000, PAIRS_MOST = 14, HISTORY = 16 };

struct joint_lbfgs {
    struct solver *d;
    const struct joint *j;
    struct joint_preconditioner precondition;
    /* The last steps and what each changed in the gradient (PAIRS_MOST x size), and their products. */
    double *moves, *changes, product[PAIRS_MOST];
    size_t pairs, newest;             /* how many there are; where the last one is */
    struct joint_sweep sweep;         /* at `trial` */
    double *trial;                    /* size */
    double *gradient, *step, *change; /* size */
    double *z;                        /* size */
    double *t;                        /* n x lanes: of the step, where it is asked for */
    double *unit; /* width: the columns' root mean squares, 0 of those that are 0 */
    double objective, gap;
    double at_zero;          /* the largest entry of the gradient at weights of 0 */
    double history[HISTORY]; /* gaps, of the last steps */
    size_t made;             /* steps when the preconditioner was made */
    bool bounded;            /* there is a dual */
    bool scores;             /* steps are judged by what they do to the scores */
};

/* ---- trial steps ---------------------------------------------------------------------------- */

/* The objective and its gradient after so much of the step. */
static sepal_status joint_try(struct joint_lbfgs *s, double length, double *objective) {
    const struct joint *j = s->j;
    for (size_t k = 0; k < j->size; k++)
        s->trial[k] = length > 0 ? s->d->u[k] + length * s->step[k] : s->d->u[k];
    TRY(joint_sweep(&s->sweep, j, s->trial));
    for (size_t k = 0; k < joint_penalised(j); k++) s->sweep.gradient[k] += j->o->l2 * s->trial[k];
    *objective = s->sweep.loss + joint_penalty(j, s->trial);
    return SEPAL_OK;
}

/* change = how the gradient is other than before */
static void joint_take_trial(struct joint_lbfgs *s, double objective) {
    double *swap = s->gradient;
    for (size_t k = 0; k < s->j->size; k++) s->change[k] = s->sweep.gradient[k] - s->gradient[k];
    memcpy(s->d->u, s->trial, s->j->size * sizeof *s->trial);
    s->gradient = s->sweep.gradient;
    s->sweep.gradient = swap;
    s->objective = objective;
}

static double joint_steepest(const struct joint_lbfgs *s) {
    double most = 0;
    for (size_t k = 0; k < s->j->size; k++) {
        double unit = s->unit[k / s->j->lanes];
        if (unit > 0) most = fmax(most, fabs(s->gradient[k]) / unit);
    }
    return most;
}

/* ---- the dual point ------------------------------------------------------------------------- */

static double joint_lbfgs_dot(const struct joint_lbfgs *s, const double *a, const double *b) {
    return s->j->o->ctx->kernels->dot_f64(a, b, joint_penalised(s->j));
}

/* Dual variables that are in balance prove what out of balance they only suggest. */
static sepal_status joint_lbfgs_prove(struct joint_lbfgs *s) {
    const struct joint *j = s->j;
    double bound;
    TRY(joint_feasible(j, s->sweep.state));
    TRY(joint_dual_value(&bound, s->change, j, s->sweep.state));
    s->gap = (s->objective - bound) / fmax(fabs(s->objective), 1e-300);
    return SEPAL_OK;
}

/* After the pair is kept: `change` is free. */
static sepal_status joint_lbfgs_measure(struct joint_lbfgs *s) {
    double over = joint_lbfgs_dot(s, s->gradient, s->gradient) / (2 * s->j->o->l2);
    s->gap = over / fmax(fabs(s->objective), 1e-300);
    bool suggested = s->j->o->bias == BIAS_FREE && s->gap <= s->d->tol;
    return suggested ? joint_lbfgs_prove(s) : SEPAL_OK;
}

/* ---- the step ------------------------------------------------------------------------------- */

/* The step just taken. A pair that no positive definite matrix can have made is left out. */
static void joint_keep_pair(struct joint_lbfgs *s) {
    const struct kernels *kernels = s->j->o->ctx->kernels;
    size_t size = s->j->size, at = (s->newest + 1) % PAIRS_MOST;
    double product = kernels->dot_f64(s->step, s->change, size);
    double square = kernels->dot_f64(s->change, s->change, size);
    if (!(product > DBL_EPSILON * sqrt(square * kernels->dot_f64(s->step, s->step, size)))) return;
    memcpy(s->moves + at * size, s->step, size * sizeof *s->step);
    memcpy(s->changes + at * size, s->change, size * sizeof *s->change);
    s->product[at] = product;
    s->newest = at;
    if (s->pairs < PAIRS_MOST) s->pairs++;
}

/* step = -H gradient, H the inverse that maps every change to its step, from the newest pair on; without
   pairs it is the preconditioner. */
static void joint_lbfgs_direction(struct joint_lbfgs *s) {
    const struct kernels *kernels = s->j->o->ctx->kernels;
    size_t size = s->j->size;
    double factor[PAIRS_MOST], gamma = 1, *step = s->step;
    for (size_t k = 0; k < size; k++) step[k] = -s->gradient[k];
    for (size_t k = 0; k < s->pairs; k++) {
        size_t at = (s->newest + PAIRS_MOST - k) % PAIRS_MOST;
        factor[at] = kernels->dot_f64(s->moves + at * size, step, size) / s->product[at];
        kernels->axpy_f64(-factor[at], s->changes + at * size, step, size);
    }
    if (s->pairs) {
        const double *change = s->changes + s->newest * size;
        joint_precondition(&s->precondition, change, s->z);
        gamma = s->product[s->newest] / kernels->dot_f64(change, s->z, size);
    }
    joint_precondition(&s->precondition, step, s->z);
    for (size_t k = 0; k < size; k++) step[k] = gamma * s->z[k];
    for (size_t k = s->pairs; k-- > 0;) {
        size_t at = (s->newest + PAIRS_MOST - k) % PAIRS_MOST;
        factor[at] -= kernels->dot_f64(s->changes + at * size, step, size) / s->product[at];
        kernels->axpy_f64(factor[at], s->moves + at * size, step, size);
    }
    joint_remove_shift(s->j, step);
}

/* Where all probabilities are 0 or 1 a loss that is not convex has no slope that leads back: no step moves
   a score by more than this. */
static double joint_longest(const struct joint_lbfgs *s) {
    static const double far = 4;
    if (s->j->loss->convex) return 1;
    return s->d->drift > far ? far / s->d->drift : 1;
}

/* Near the minimum the decrease is less than rounding, and the slope tells: it has become less steep (Hager and
   Zhang 2005). */
static bool joint_less_steep(const struct joint_lbfgs *s, double value, double slope) {
    static const double rounding = 8 * DBL_EPSILON, less = 0.9;
    if (!(value <= s->objective + rounding * fabs(s->objective))) return false;
    double there = s->j->o->ctx->kernels->dot_f64(s->sweep.gradient, s->step, s->j->size);
    return fabs(there) <= -less * slope;
}

/* A length that decreases the objective enough (Armijo), from 1 down; 0: none does. */
static sepal_status joint_lbfgs_search(struct joint_lbfgs *s, double *length) {
    enum { TRIALS = 30 };
    static const double enough = 1e-4;
    double slope = s->j->o->ctx->kernels->dot_f64(s->gradient, s->step, s->j->size), value;
    double now = joint_longest(s);
    *length = 0;
    for (int trial = 0; trial < TRIALS && slope < 0; trial++) {
        TRY(joint_try(s, now, &value));
        if (value <= s->objective + enough * now * slope || joint_less_steep(s, value, slope)) {
            *length = now;
            joint_take_trial(s, value);
            return SEPAL_OK;
        }
        /* the parabola through what is known */
        double over = value - s->objective - now * slope;
        double next = isfinite(over) && over > 0 ? -0.5 * slope * now * now / over : 0;
        now = fmin(fmax(next, 0.1 * now), 0.5 * now);
    }
    return joint_try(s, 0, &value);
}

/* The largest change of a score by the step. */
static sepal_status joint_lbfgs_drift(struct joint_lbfgs *s) {
    double most = 0;
    TRY(joint_scores(s->t, s->j, s->step));
    for (size_t k = 0; k < s->j->cells; k++) {
        double x = fabs(s->t[k]);
        if (!(x <= most)) most = x;
    }
    s->d->drift = most;
    return SEPAL_OK;
}

static sepal_status joint_lbfgs_advance(struct joint_lbfgs *s, bool *moved) {
    double length;
    joint_lbfgs_direction(s);
    if (s->scores) TRY(joint_lbfgs_drift(s));
    TRY(joint_lbfgs_search(s, &length));
    *moved = length > 0;
    s->d->drift *= length;
    for (size_t k = 0; k < s->j->size; k++) s->step[k] *= length;
    return SEPAL_OK;
}

/* ---- the solver ------------------------------------------------------------------------------ */

/* At the rate of the last steps, as many as are kept; infinite where the gap does not fall. */
static double joint_lbfgs_missing(const struct joint_lbfgs *s, size_t step) {
    size_t n = step < HISTORY ? step : HISTORY;
    if (!s->bounded || n == 0) return INFINITY;
    double rate = log(s->history[(step - n) % HISTORY] / s->gap) / (double)n;
    double missing = log(s->gap / s->d->tol);
    return rate > 0 ? missing / rate : INFINITY;
}

/* The preconditioner is made anew after these steps, if it costs no more than they did, and than those to come:
   probabilities change most in the beginning. */
static sepal_status joint_lbfgs_renew(struct joint_lbfgs *s, size_t step) {
    bool due = step == 0 || step == 8 || step == 20 || step == 50;
    double price = joint_precondition_price(&s->precondition);
    if (!due) return SEPAL_OK;
    if (step && (double)(step - s->made) < price) return SEPAL_OK;
    if (step && joint_lbfgs_missing(s, step) < price) return SEPAL_OK;
    s->made = step;
    return joint_precondition_make(&s->precondition, s->sweep.state);
}

static bool joint_lbfgs_arrived(const struct joint_lbfgs *s) {
    static const double rounding = 64 * DBL_EPSILON;
    if (s->bounded) return s->gap <= s->d->tol;
    return joint_steepest(s) <= fmax(s->d->tol * s->at_zero, rounding * s->objective);
}

/* Whether the steps are more than the limit, taken or, at the rate of the last ones, to come. The first ones are
   slower than those with a second preconditioner. */
static bool joint_lbfgs_leaves(const struct joint_lbfgs *s, size_t step) {
    if (!s->d->limit || !s->bounded || step < 2 * HISTORY) return false;
    return !((double)step + joint_lbfgs_missing(s, step) <= (double)s->d->limit);
}

static sepal_status joint_lbfgs_run(struct joint_lbfgs *s) {
    struct solver *d = s->d;
    size_t most = d->max_iter ? d->max_iter : STEPS_MOST;
    bool moved = false;
    for (size_t step = 0;; step++) {
        if (moved) joint_keep_pair(s);
        if (s->bounded) TRY(joint_lbfgs_measure(s));
        d->converged = joint_lbfgs_arrived(s);
        if (d->converged || d->iterations >= most || joint_lbfgs_leaves(s, step)) return SEPAL_OK;
        d->stopped = d->stops(d->payload, d->iterations, s->objective, s->gap);
        if (d->stopped) return SEPAL_OK;
        TRY(joint_lbfgs_renew(s, step));
        s->history[step % HISTORY] = s->gap;
        TRY(joint_lbfgs_advance(s, &moved));
        d->iterations++;
        if (moved) continue;
        if (s->pairs == 0) return SEPAL_OK; /* rounding leaves nothing to gain */
        s->pairs = 0;
    }
}

/* Without a bound the columns' units, and the gradient at weights of 0. */
static sepal_status joint_lbfgs_scale(struct joint_lbfgs *s) {
    const struct joint *j = s->j;
    double total = objective_total_weight(j->o);
    TRY(objective_diagonal(s->unit, j->o, j->o->row_weight));
    for (size_t c = 0; c < j->o->width; c++) s->unit[c] = sqrt(s->unit[c] / total);
    memset(s->trial, 0, j->size * sizeof *s->trial);
    TRY(joint_sweep(&s->sweep, j, s->trial));
    memcpy(s->gradient, s->sweep.gradient, j->size * sizeof *s->gradient);
    s->at_zero = joint_steepest(s);
    return SEPAL_OK;
}

static sepal_status joint_lbfgs_begin(struct joint_lbfgs *s) {
    s->gap = NAN;
    s->d->paired = false;
    s->d->drift = 0;
    if (!s->bounded) TRY(joint_lbfgs_scale(s));
    TRY(joint_try(s, 0, &s->objective));
    memcpy(s->gradient, s->sweep.gradient, s->j->size * sizeof *s->gradient);
    return SEPAL_OK;
}

static sepal_status joint_lbfgs_allocate(struct joint_lbfgs *s, struct arena *arena) {
    const struct joint *j = s->j;
    sepal_ctx *ctx = j->o->ctx;
    TRY(joint_precondition_init(&s->precondition, j, arena));
    s->sweep.state = arena_alloc(ctx, arena, j->cells, sizeof *s->sweep.state);
    if (s->scores) TRY(ARENA_VECTORS(ctx, arena, j->cells, &s->t));
    TRY(ARENA_VECTORS(ctx, arena, j->size, &s->gradient, &s->step, &s->change, &s->z));
    TRY(ARENA_VECTORS(ctx, arena, j->size, &s->sweep.gradient, &s->trial));
    TRY(ARENA_VECTORS(ctx, arena, j->o->width, &s->unit));
    s->moves = arena_alloc(ctx, arena, j->size, PAIRS_MOST * sizeof *s->moves);
    s->changes = arena_alloc(ctx, arena, j->size, PAIRS_MOST * sizeof *s->changes);
    return s->sweep.state && s->moves && s->changes ? SEPAL_OK : SEPAL_EMEMORY;
}

static sepal_status solve_joint_lbfgs(struct solver *d) {
    const struct joint *j = d->joint;
    struct joint_lbfgs s = {.d = d,
                            .j = j,
                            .bounded = j->loss->convex && j->o->l2 > 0,
                            .scores = !j->loss->convex || !(j->o->l2 > 0)};
    struct arena arena = {0};
    sepal_status status = joint_lbfgs_allocate(&s, &arena);
    if (status == SEPAL_OK) status = joint_lbfgs_begin(&s);
    if (status == SEPAL_OK) status = joint_lbfgs_run(&s);
    arena_clear(&arena);
    return status;
}

static const char *joint_lbfgs_refuses(const struct joint *j) {
    if (j->o->l1 > 0) return "|w|_1 has no slope at 0";
    return j->loss->smooth ? NULL : "the loss has no slope at its kinks";
}

/* With an L2 penalty twice as fast as Newton's method on 40 of 42 sets, given and standardised, at gaps of 0.1 to
   1e-6; the limit finds the others. Without one as dear where there are some 100 weights. */
static double joint_lbfgs_cost(const struct joint *j, const struct convex_shape *shape) {
    static const double alike = 100, power = 0.3, faster = 0.5;
    if (joint_solver_newton_cg.refuses(j)) return joint_entries(j) * (double)j->lanes;
    double weights = (double)j->o->width * (double)j->classes;
    double part = j->o->l2 > 0 ? faster : pow(alike / weights, power);
    return joint_solver_newton_cg.cost(j, shape) * part;
}

const struct joint_solver_row joint_solver_lbfgs = {
    .name = {.name = "lbfgs", .summary = "limited-memory BFGS: smooth losses, convex or not"},
    .suits = "a smooth loss",
    .solve = solve_joint_lbfgs,
    .refuses = joint_lbfgs_refuses,
    .cost = joint_lbfgs_cost,
    .then = &joint_solver_newton_cg,
    .limit = 120,
};
