/* L-BFGS (Liu and Nocedal 1989) for K scores a row, from the preconditioner of Newton's method rather than a
   guess. A step costs one read of the rows for its scores and one for the gradient. Losses need not be convex.

   The dual point of a convex loss with an L2 penalty is one between itself and the probabilities at the
   point: where the dual is largest along that line, by its two values and one slope. With a free bias it is
   balanced, at the cost of a read, when the gap seems small enough. Without a bound the gradient tells:
   its largest entry, each in units of its column's root mean square, relative to that at weights of 0.

   A common shift of all scores of a row changes no loss; steps have no part along it. */
#include "joint/joint_solver.h"

#include "core/parallel.h"

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
    size_t pairs, newest;          /* how many there are; where the last one is */
    double *score, *slope, *state; /* n x lanes: at the point, and at the end of a trial step */
    double *next_score, *t;        /* n x lanes: at a trial's end; of the step */
    double *gradient, *step, *change, *sums; /* size; sums: what d->alpha amounts to */
    double *z;                               /* size */
    double *unit; /* width: the columns' root mean squares, 0 of those that are 0 */
    double objective, loss, gap;
    double neg_conjugate;    /* by d->alpha */
    double at_zero;          /* the largest entry of the gradient at weights of 0 */
    double history[HISTORY]; /* gaps, of the last steps */
    size_t made;             /* steps when the preconditioner was made */
    bool bounded;            /* there is a dual */
};

/* ---- trial steps ---------------------------------------------------------------------------- */

struct joint_trial {
    struct joint_lbfgs *s;
    double length, loss[SLABS_MOST];
};

/* Scores, slopes times the rows' weights, and probabilities after a part of the step. */
static sepal_status joint_trial_slab(sepal_ctx *ctx, size_t slab, void *payload) {
    struct joint_trial *trial = payload;
    struct joint_lbfgs *s = trial->s;
    const struct joint *j = s->j;
    const struct objective *o = j->o;
    double value[JOINT_PANEL], sum = 0;
    for (size_t i = o->slab_first[slab], n; i < o->slab_first[slab + 1]; i += n) {
        n = o->slab_first[slab + 1] - i < JOINT_PANEL ? o->slab_first[slab + 1] - i : JOINT_PANEL;
        size_t first = i * j->lanes, count = n * j->lanes;
        for (size_t k = first; k < first + count; k++)
            s->next_score[k] =
                trial->length > 0 ? s->score[k] + trial->length * s->t[k] : s->score[k];
        j->loss->at(ctx->kernels, n, j->classes, j->lanes, s->next_score + first, o->label + i,
                    value, s->slope + first, s->state + first);
        for (size_t k = 0; k < n; k++) {
            double weight = o->row_weight[i + k], *slope = s->slope + first + k * j->lanes;
            sum += weight * value[k];
            for (size_t l = 0; l < j->lanes; l++) slope[l] *= weight;
        }
    }
    trial->loss[slab] = sum;
    return SEPAL_OK;
}

/* The losses after so much of the step, and the objective. */
static sepal_status joint_try(struct joint_lbfgs *s, double length, double *objective) {
    const struct joint *j = s->j;
    struct joint_trial trial = {.s = s, .length = length};
    double square = 0;
    TRY(parallel_for(j->o->ctx, j->o->slabs, joint_trial_slab, &trial));
    for (size_t k = 0; k < joint_penalised(j); k++) {
        double x = s->d->u[k] + length * s->step[k];
        square += x * x;
    }
    s->loss = objective_total(j->o, trial.loss);
    *objective = s->loss + 0.5 * j->o->l2 * square;
    return SEPAL_OK;
}

static void joint_take_trial(struct joint_lbfgs *s) {
    double *swap = s->score;
    s->score = s->next_score;
    s->next_score = swap;
}

/* change = how the gradient is other than before */
static sepal_status joint_lbfgs_gradient(struct joint_lbfgs *s) {
    const struct joint *j = s->j;
    TRY(joint_back(s->change, j, s->slope));
    for (size_t k = 0; k < j->size; k++) {
        double now = s->change[k] + (k < joint_penalised(j) ? j->o->l2 * s->d->u[k] : 0);
        s->change[k] = now - s->gradient[k];
        s->gradient[k] = now;
    }
    return SEPAL_OK;
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

struct joint_tally {
    const struct joint_lbfgs *s;
    double own[SLABS_MOST], other[SLABS_MOST];
};

/* What the probabilities and the dual variables have of the scores, less the own class's. */
static sepal_status joint_tally_slab(sepal_ctx *ctx, size_t slab, void *payload) {
    struct joint_tally *tally = payload;
    const struct joint_lbfgs *s = tally->s;
    const struct joint *j = s->j;
    const struct objective *o = j->o;
    double own = 0, other = 0;
    (void)ctx;
    for (size_t i = o->slab_first[slab]; i < o->slab_first[slab + 1]; i++) {
        const double *score = s->score + i * j->lanes, *p = s->state + i * j->lanes;
        const double *a = s->d->alpha + i * j->lanes;
        double base = score[o->label[i]], of_p = 0, of_a = 0;
        for (size_t k = 0; k < j->classes; k++) {
            of_p += p[k] * (score[k] - base);
            of_a += a[k] * (score[k] - base);
        }
        own += o->row_weight[i] * of_p;
        other += o->row_weight[i] * of_a;
    }
    tally->own[slab] = own;
    tally->other[slab] = other;
    return SEPAL_OK;
}

static double joint_lbfgs_dot(const struct joint_lbfgs *s, const double *a, const double *b) {
    return s->j->o->ctx->kernels->dot_f64(a, b, joint_penalised(s->j));
}

/* How far to go from the dual point to the probabilities: the maximum of a parabola that has the dual's slope
   there, and the entropies at both ends. `move`: the way of the sums. The first are taken as they are. */
static sepal_status joint_blend(double *out, struct joint_lbfgs *s, const double *move) {
    const struct objective *o = s->j->o;
    struct joint_tally tally = {.s = s};
    *out = 1;
    if (!s->d->paired) return SEPAL_OK;
    TRY(parallel_for(o->ctx, o->slabs, joint_tally_slab, &tally));
    double own = objective_total(o, tally.own), slope = objective_total(o, tally.other) - own;
    double curvature = 2 * fmax(0, s->loss - own - slope - s->neg_conjugate) +
                       joint_lbfgs_dot(s, move, move) / o->l2;
    slope -= joint_lbfgs_dot(s, s->d->u, move) - joint_lbfgs_dot(s, s->gradient, move) / o->l2;
    double theta = 1 + slope / curvature;
    if (theta < 1) *out = fmax(theta, 0);
    return SEPAL_OK;
}

struct joint_mix {
    struct joint_lbfgs *s;
    double theta, entropy[SLABS_MOST];
};

static sepal_status joint_mix_slab(sepal_ctx *ctx, size_t slab, void *payload) {
    struct joint_mix *mix = payload;
    const struct joint_lbfgs *s = mix->s;
    const struct joint *j = s->j;
    const struct objective *o = j->o;
    double value[JOINT_PANEL], *alpha = s->d->alpha, sum = 0;
    for (size_t i = o->slab_first[slab], n; i < o->slab_first[slab + 1]; i += n) {
        n = o->slab_first[slab + 1] - i < JOINT_PANEL ? o->slab_first[slab + 1] - i : JOINT_PANEL;
        for (size_t k = i * j->lanes; k < (i + n) * j->lanes; k++)
            alpha[k] =
                mix->theta < 1 ? alpha[k] + mix->theta * (s->state[k] - alpha[k]) : s->state[k];
        j->loss->neg_conjugate(ctx->kernels, n, j->classes, j->lanes, alpha + i * j->lanes,
                               o->label + i, value);
        for (size_t k = 0; k < n; k++) sum += o->row_weight[i + k] * value[k];
    }
    mix->entropy[slab] = sum;
    return SEPAL_OK;
}

static double joint_gap_of(const struct joint_lbfgs *s, double bound) {
    return (s->objective - bound) / fmax(fabs(s->objective), 1e-300);
}

/* Dual variables that are in balance prove what out of balance they only suggest. */
static sepal_status joint_lbfgs_prove(struct joint_lbfgs *s) {
    const struct joint *j = s->j;
    double bound;
    TRY(joint_feasible(j, s->d->alpha));
    TRY(joint_dual_value(&bound, s->sums, j, s->d->alpha));
    s->neg_conjugate = bound + joint_lbfgs_dot(s, s->sums, s->sums) / (2 * j->o->l2);
    s->gap = joint_gap_of(s, bound);
    return SEPAL_OK;
}

/* After the gradient: `step` is free. */
static sepal_status joint_lbfgs_dual(struct joint_lbfgs *s) {
    const struct joint *j = s->j;
    const struct objective *o = j->o;
    struct joint_mix mix = {.s = s};
    double *move = s->step;
    for (size_t k = 0; k < j->size; k++) {
        double penalty = k < joint_penalised(j) ? o->l2 * s->d->u[k] : 0;
        move[k] = penalty - s->gradient[k] - s->sums[k];
    }
    TRY(joint_blend(&mix.theta, s, move));
    o->ctx->kernels->axpy_f64(mix.theta, move, s->sums, j->size);
    TRY(parallel_for(o->ctx, o->slabs, joint_mix_slab, &mix));
    s->d->paired = true;
    s->neg_conjugate = objective_total(o, mix.entropy);
    s->gap = joint_gap_of(s, s->neg_conjugate - joint_lbfgs_dot(s, s->sums, s->sums) / (2 * o->l2));
    bool suggested = o->bias == BIAS_FREE && s->gap <= s->d->tol;
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
    double most = 0;
    if (s->j->loss->convex) return 1;
    for (size_t k = 0; k < s->j->cells; k++) most = fmax(most, fabs(s->t[k]));
    return most > far ? far / most : 1;
}

/* Near the minimum the decrease is less than rounding, and the slope tells: it has become less steep (Hager and
   Zhang 2005). */
static bool joint_less_steep(const struct joint_lbfgs *s, double length, double value,
                             double slope) {
    static const double rounding = 8 * DBL_EPSILON, less = 0.9;
    const struct joint *j = s->j;
    const struct kernels *kernels = j->o->ctx->kernels;
    size_t penalised = joint_penalised(j);
    if (!(value <= s->objective + rounding * fabs(s->objective))) return false;
    double there = kernels->dot_f64(s->slope, s->t, j->cells) +
                   j->o->l2 * (kernels->dot_f64(s->d->u, s->step, penalised) +
                               length * kernels->dot_f64(s->step, s->step, penalised));
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
        if (value <= s->objective + enough * now * slope ||
            joint_less_steep(s, now, value, slope)) {
            *length = now;
            s->objective = value;
            joint_take_trial(s);
            return SEPAL_OK;
        }
        /* the parabola through what is known */
        double over = value - s->objective - now * slope;
        double next = isfinite(over) && over > 0 ? -0.5 * slope * now * now / over : 0;
        now = fmin(fmax(next, 0.1 * now), 0.5 * now);
    }
    return joint_try(s, 0, &value);
}

/* step = the way that was gone; none: all 0 */
static sepal_status joint_lbfgs_advance(struct joint_lbfgs *s, bool *moved) {
    const struct joint *j = s->j;
    double length;
    joint_lbfgs_direction(s);
    TRY(joint_scores(s->t, j, s->step));
    TRY(joint_lbfgs_search(s, &length));
    *moved = length > 0;
    s->d->drift = 0;
    for (size_t k = 0; k < j->cells; k++) s->d->drift = fmax(s->d->drift, fabs(length * s->t[k]));
    for (size_t k = 0; k < j->size; k++) {
        s->step[k] *= length;
        s->d->u[k] += s->step[k];
    }
    return SEPAL_OK;
}

/* ---- the solver ------------------------------------------------------------------------------ */

/* The preconditioner is made anew after these steps, if it costs no more than they did: probabilities change
   most in the beginning. */
static sepal_status joint_lbfgs_renew(struct joint_lbfgs *s, size_t step) {
    bool due = step == 0 || step == 8 || step == 20 || step == 50;
    if (!due || (step && (double)(step - s->made) < joint_precondition_price(&s->precondition)))
        return SEPAL_OK;
    s->made = step;
    return joint_precondition_make(&s->precondition, s->state);
}

static bool joint_lbfgs_arrived(const struct joint_lbfgs *s) {
    static const double rounding = 64 * DBL_EPSILON;
    if (s->bounded) return s->gap <= s->d->tol;
    return joint_steepest(s) <= fmax(s->d->tol * s->at_zero, rounding * s->objective);
}

/* Whether the steps are more than the limit, taken or, at the rate of the last ones, to come. */
static bool joint_lbfgs_leaves(struct joint_lbfgs *s, size_t step) {
    double before = s->history[step % HISTORY];
    s->history[step % HISTORY] = s->gap;
    if (!s->d->limit || !s->bounded || step < HISTORY) return false;
    double rate = log(before / s->gap) / HISTORY, missing = log(s->gap / s->d->tol);
    return !(missing <= rate * ((double)s->d->limit - (double)step));
}

static sepal_status joint_lbfgs_run(struct joint_lbfgs *s) {
    struct solver *d = s->d;
    size_t most = d->max_iter ? d->max_iter : STEPS_MOST;
    bool moved = false;
    for (size_t step = 0;; step++) {
        TRY(joint_lbfgs_gradient(s));
        if (moved) joint_keep_pair(s);
        if (s->bounded) TRY(joint_lbfgs_dual(s));
        d->converged = joint_lbfgs_arrived(s);
        if (d->converged || d->iterations >= most || joint_lbfgs_leaves(s, step)) return SEPAL_OK;
        d->stopped = d->stops(d->payload, d->iterations, s->objective, s->gap);
        if (d->stopped) return SEPAL_OK;
        TRY(joint_lbfgs_renew(s, step));
        TRY(joint_lbfgs_advance(s, &moved));
        d->iterations++;
        if (moved) continue;
        if (s->pairs == 0) return SEPAL_OK; /* rounding leaves nothing to gain */
        s->pairs = 0;
    }
}

/* The columns' units, and without a bound the gradient at weights of 0. */
static sepal_status joint_lbfgs_begin(struct joint_lbfgs *s) {
    const struct joint *j = s->j;
    double total = objective_total_weight(j->o);
    TRY(objective_diagonal(s->unit, j->o, j->o->row_weight));
    for (size_t c = 0; c < j->o->width; c++) s->unit[c] = sqrt(s->unit[c] / total);
    s->gap = NAN;
    s->d->paired = false;
    if (!s->bounded) {
        TRY(joint_try(s, 0, &s->objective)); /* the scores are 0 so far */
        TRY(joint_back(s->gradient, j, s->slope));
        s->at_zero = joint_steepest(s);
        memset(s->gradient, 0, j->size * sizeof *s->gradient);
    }
    TRY(joint_scores(s->score, j, s->d->u));
    TRY(joint_try(s, 0, &s->objective));
    return SEPAL_OK;
}

static sepal_status joint_lbfgs_allocate(struct joint_lbfgs *s, struct arena *arena) {
    const struct joint *j = s->j;
    sepal_ctx *ctx = j->o->ctx;
    TRY(joint_precondition_init(&s->precondition, j, arena));
    TRY(ARENA_VECTORS(ctx, arena, j->cells, &s->score, &s->slope, &s->state, &s->next_score,
                      &s->t));
    TRY(ARENA_VECTORS(ctx, arena, j->size, &s->gradient, &s->step, &s->change, &s->sums));
    TRY(ARENA_VECTORS(ctx, arena, j->size, &s->z));
    TRY(ARENA_VECTORS(ctx, arena, j->o->width, &s->unit));
    s->moves = arena_alloc(ctx, arena, j->size, PAIRS_MOST * sizeof *s->moves);
    s->changes = arena_alloc(ctx, arena, j->size, PAIRS_MOST * sizeof *s->changes);
    return s->moves && s->changes ? SEPAL_OK : SEPAL_EMEMORY;
}

static sepal_status solve_joint_lbfgs(struct solver *d) {
    struct joint_lbfgs s = {
        .d = d, .j = d->joint, .bounded = d->joint->loss->convex && d->joint->o->l2 > 0};
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

/* Measured beside Newton's method on 11 sets: as dear where there are some 100 weights, and the cheaper the more
   there are. */
static double joint_lbfgs_cost(const struct joint *j, const struct convex_shape *shape) {
    static const double alike = 100, power = 0.3;
    if (joint_solver_newton_cg.refuses(j)) return joint_entries(j) * (double)j->lanes;
    double weights = (double)j->o->width * (double)j->classes;
    return joint_solver_newton_cg.cost(j, shape) * pow(alike / weights, power);
}

const struct joint_solver_row joint_solver_lbfgs = {
    .name = {.name = "lbfgs", .summary = "limited-memory BFGS: smooth losses, convex or not"},
    .suits = "a smooth loss",
    .solve = solve_joint_lbfgs,
    .refuses = joint_lbfgs_refuses,
    .cost = joint_lbfgs_cost,
    .then = &joint_solver_newton_cg,
    .limit = 60,
};
