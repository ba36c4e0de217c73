/* L-BFGS (Liu and Nocedal 1989) from a diagonal that is known rather than guessed, with an exact line
   search. A step costs one read of the rows for its margins and one for the gradient, as much as a
   product of conjugate gradients; but no product is spent on a Hessian that the step then leaves.

   The gradient is uneven from step to step, and with it the bound by the dual variables at the point. So the
   dual point is one between itself and those dual variables: where the dual is largest along that line, by its
   two values and one slope. */
#include "solvers/solver.h"

#include "core/parallel.h"
#include "solvers/linesearch.h"

#include <math.h>
#include <string.h>

enum { STEPS_MOST = 5000, HISTORY = 16, PAIRS_MOST = 14 };

struct lbfgs {
    struct solver *d;
    const struct objective *o;
    /* The last steps and what each changed in the gradient (PAIRS_MOST x width), and their products. */
    double *moves, *changes, product[PAIRS_MOST];
    size_t pairs, next; /* how many there are; where the next is kept */
    double *m, *t;      /* n: margins; those of a step, then dual variables */
    double *gradient, *scale, *step, *change, *sums; /* width; sums: what d->alpha amounts to */
    double objective, loss, gap;
    double neg_conjugate;    /* by d->alpha */
    double history[HISTORY]; /* gaps, of the last steps */
};

/* ---- where we are ------------------------------------------------------------------------- */

/* Sums over rows, by slabs. */
struct lbfgs_tally {
    const struct lbfgs *s;
    double loss[SLABS_MOST], own[SLABS_MOST], other[SLABS_MOST];
};

/* t = the dual variables at the margins; the losses, and what these dual variables and the dual point's have of the
   margins. */
static sepal_status lbfgs_dual_slab(sepal_ctx *ctx, size_t slab, void *payload) {
    enum { PART = 256 };
    struct lbfgs_tally *tally = payload;
    const struct lbfgs *s = tally->s;
    const struct objective *o = s->o;
    double value[PART], loss = 0, own = 0, other = 0;
    for (size_t i = o->slab_first[slab], n; i < o->slab_first[slab + 1]; i += n) {
        n = o->slab_first[slab + 1] - i < PART ? o->slab_first[slab + 1] - i : PART;
        o->loss->at(ctx->kernels, n, s->m + i, value, s->t + i, NULL);
        for (size_t k = 0; k < n; k++) {
            double weight = o->row_weight[i + k], m = weight * s->m[i + k];
            loss += weight * value[k];
            own += m * s->t[i + k];
            other += m * s->d->alpha[i + k];
        }
    }
    tally->loss[slab] = loss;
    tally->own[slab] = own;
    tally->other[slab] = other;
    return SEPAL_OK;
}

static double lbfgs_dot(const struct objective *o, const double *a, const double *b) {
    return o->ctx->kernels->dot_f64(a, b, o->penalised);
}

/* How far to go from the dual point to the dual variables at u: the maximum of a parabola that has the dual's
   slope there, and minus the conjugates at both ends. `move`: the way of the sums. A start is taken
   as it is. */
static double best_blend(const struct lbfgs *s, const struct lbfgs_tally *tally,
                         const double *move) {
    const struct objective *o = s->o;
    double own = objective_total(o, tally->own), slope = own - objective_total(o, tally->other);
    double curvature =
        2 * fmax(0, s->loss + own - slope - s->neg_conjugate) + lbfgs_dot(o, move, move) / o->l2;
    slope -= (o->l2 * lbfgs_dot(o, s->d->u, move) - lbfgs_dot(o, s->gradient, move)) / o->l2;
    double theta = 1 + slope / curvature;
    return s->d->paired && theta < 1 ? fmax(theta, 0) : 1;
}

/* After the gradient: `step` is free. */
static sepal_status lbfgs_dual_point(struct lbfgs *s, struct lbfgs_tally *tally) {
    const struct objective *o = s->o;
    struct solver *d = s->d;
    double *move = s->step;
    for (size_t j = 0; j < o->width; j++) {
        double penalty = j < o->penalised ? o->l2 * d->u[j] : 0;
        move[j] = penalty - s->gradient[j] - s->sums[j];
    }
    double theta = best_blend(s, tally, move);
    o->ctx->kernels->axpy_f64(theta, move, s->sums, o->width);
    for (size_t i = 0; i < o->n; i++)
        d->alpha[i] = theta < 1 ? d->alpha[i] + theta * (s->t[i] - d->alpha[i]) : s->t[i];
    TRY(objective_neg_conjugate(&s->neg_conjugate, o, d->alpha, 1));
    d->paired = true;
    double bound = s->neg_conjugate - lbfgs_dot(o, s->sums, s->sums) / (2 * o->l2);
    /* the bias is always put right, so this is no more than rounding */
    if (o->bias == BIAS_FREE) bound -= fabs(s->sums[o->cols] * d->u[o->cols]);
    s->gap = (s->objective - bound) / fmax(fabs(s->objective), 1e-300);
    return SEPAL_OK;
}

/* change = how the gradient is other than before */
static sepal_status lbfgs_look(struct lbfgs *s, struct lbfgs_tally *tally) {
    const struct objective *o = s->o;
    TRY(parallel_for(o->ctx, o->slabs, lbfgs_dual_slab, tally));
    s->loss = objective_total(o, tally->loss);
    s->objective = s->loss + objective_penalty(o, s->d->u);
    TRY(objective_dual_sums(s->change, o, s->t));
    for (size_t j = 0; j < o->width; j++) {
        double now = (j < o->penalised ? o->l2 * s->d->u[j] : 0) - s->change[j];
        s->change[j] = now - s->gradient[j];
        s->gradient[j] = now;
    }
    return SEPAL_OK;
}

/* ---- the step ----------------------------------------------------------------------------- */

/* A power of the diagonal between its root and itself is a good preconditioner for counts and bits;
   columns of very different scale need all of it. `t` is free. */
static sepal_status weigh_columns(struct lbfgs *s) {
    static const double far = 1e9;
    const struct objective *o = s->o;
    double *h = s->scale, least = INFINITY, most = 0;
    o->loss->at(o->ctx->kernels, o->n, s->m, NULL, NULL, s->t);
    for (size_t i = 0; i < o->n; i++) s->t[i] *= o->row_weight[i];
    TRY(objective_diagonal(h, o, s->t));
    for (size_t j = 0; j < o->width; j++) {
        if (j < o->penalised) h[j] += o->l2;
        if (h[j] > 0) least = fmin(least, h[j]);
        most = fmax(most, h[j]);
    }
    for (size_t j = 0; j < o->width; j++) {
        if (!(h[j] > 0)) h[j] = 1;
        if (most <= far * least) h[j] = sqrt(h[j]) * sqrt(sqrt(sqrt(h[j])));
    }
    return SEPAL_OK;
}

/* The step just taken. A pair that, by rounding, no positive definite matrix can have made is left out. */
static void keep_pair(struct lbfgs *s) {
    size_t width = s->o->width, at = s->next;
    double product = s->o->ctx->kernels->dot_f64(s->step, s->change, width);
    if (!(product > 0 && isfinite(product))) return;
    memcpy(s->moves + at * width, s->step, width * sizeof *s->step);
    memcpy(s->changes + at * width, s->change, width * sizeof *s->change);
    s->product[at] = product;
    s->next = (at + 1) % PAIRS_MOST;
    if (s->pairs < PAIRS_MOST) s->pairs++;
}

/* step = -H gradient, H the inverse that maps every change to its step, from the newest pair on; without
   pairs it is 1 / scale. */
static void lbfgs_find_direction(struct lbfgs *s) {
    const struct kernels *kernels = s->o->ctx->kernels;
    size_t width = s->o->width, newest = s->next + PAIRS_MOST - 1;
    double factor[PAIRS_MOST], size = 0, *step = s->step;
    for (size_t j = 0; j < width; j++) step[j] = -s->gradient[j];
    for (size_t k = 0; k < s->pairs; k++) {
        size_t at = (newest - k) % PAIRS_MOST;
        factor[at] = kernels->dot_f64(s->moves + at * width, step, width) / s->product[at];
        kernels->axpy_f64(-factor[at], s->changes + at * width, step, width);
    }
    const double *change = s->changes + newest % PAIRS_MOST * width;
    for (size_t j = 0; s->pairs && j < width; j++) size += change[j] * change[j] / s->scale[j];
    double gamma = s->pairs ? s->product[newest % PAIRS_MOST] / size : 1;
    for (size_t j = 0; j < width; j++) step[j] *= gamma / s->scale[j];
    for (size_t k = s->pairs; k-- > 0;) {
        size_t at = (newest - k) % PAIRS_MOST;
        factor[at] -= kernels->dot_f64(s->changes + at * width, step, width) / s->product[at];
        kernels->axpy_f64(factor[at], s->moves + at * width, step, width);
    }
}

/* step = the way that was gone; none: all 0 */
static sepal_status lbfgs_advance(struct lbfgs *s, bool *moved) {
    const struct objective *o = s->o;
    double *u = s->d->u;
    struct linesearch line = {.o = o, .m = s->m, .t = s->t, .u = u, .step = s->step};
    lbfgs_find_direction(s);
    line.slope = o->ctx->kernels->dot_f64(s->gradient, s->step, o->width);
    line.value = s->objective;
    TRY(objective_margins(s->t, o, s->step));
    TRY(linesearch(&line));
    *moved = line.length > 0;
    for (size_t j = 0; j < o->width; j++) {
        s->step[j] *= line.length;
        u[j] += s->step[j];
    }
    for (size_t i = 0; i < o->n; i++) s->m[i] += line.length * s->t[i];
    if (o->bias != BIAS_FREE) return SEPAL_OK;
    double before = u[o->cols];
    TRY(linesearch_bias(o, s->m, &u[o->cols]));
    s->step[o->cols] += u[o->cols] - before;
    return SEPAL_OK;
}

/* ---- the solver --------------------------------------------------------------------------- */

/* Whether at the rate of the last steps more are left than the limit allows. */
static bool lbfgs_is_slow(struct lbfgs *s, size_t step) {
    const struct solver *d = s->d;
    double before = s->history[step % HISTORY];
    s->history[step % HISTORY] = s->gap;
    if (!d->limit || step < HISTORY || !(s->gap > 0)) return false;
    double rate = log(before / s->gap) / HISTORY;
    return !(log(s->gap / d->tol) <= rate * (double)d->limit);
}

/* The diagonal is taken anew after these steps: curvatures change most in the beginning. */
static bool is_due(size_t step) {
    return step == 8 || step == 20;
}

static sepal_status lbfgs_run(struct lbfgs *s) {
    struct solver *d = s->d;
    struct lbfgs_tally tally = {.s = s};
    size_t most = d->max_iter ? d->max_iter : STEPS_MOST;
    bool moved = false;
    d->paired = false;
    TRY(objective_margins(s->m, s->o, d->u));
    /* dual variables in balance are dual points, and so are blends of them */
    if (s->o->bias == BIAS_FREE) TRY(linesearch_bias(s->o, s->m, &d->u[s->o->cols]));
    TRY(weigh_columns(s));
    for (size_t step = 0;; step++) {
        TRY(lbfgs_look(s, &tally));
        if (moved) keep_pair(s);
        TRY(lbfgs_dual_point(s, &tally));
        if (s->gap <= d->tol) d->converged = true;
        if (d->converged || d->iterations >= most) return SEPAL_OK;
        d->stopped = d->stops(d->payload, d->iterations, s->objective, s->gap);
        d->slow = !d->stopped && lbfgs_is_slow(s, step);
        if (d->stopped || d->slow) return SEPAL_OK;
        if (is_due(step)) TRY(weigh_columns(s));
        TRY(lbfgs_advance(s, &moved));
        d->iterations++;
        if (moved) continue;
        if (s->pairs == 0) return SEPAL_OK; /* rounding leaves nothing to gain */
        s->pairs = 0;
    }
}

static sepal_status lbfgs_allocate(struct lbfgs *s, struct arena *arena) {
    const struct objective *o = s->o;
    TRY(ARENA_VECTORS(o->ctx, arena, o->n, &s->m, &s->t));
    TRY(ARENA_VECTORS(o->ctx, arena, o->width, &s->gradient, &s->scale, &s->step, &s->change,
                      &s->sums));
    s->moves = arena_alloc(o->ctx, arena, o->width, PAIRS_MOST * sizeof *s->moves);
    s->changes = arena_alloc(o->ctx, arena, o->width, PAIRS_MOST * sizeof *s->changes);
    return s->moves && s->changes ? SEPAL_OK : SEPAL_EMEMORY;
}

sepal_status solve_lbfgs(struct solver *d) {
    struct lbfgs s = {.d = d, .o = d->o};
    struct arena arena = {0};
    sepal_status status = lbfgs_allocate(&s, &arena);
    if (status == SEPAL_OK) status = lbfgs_run(&s);
    arena_clear(&arena);
    return status;
}

static const char *lbfgs_refuses(const struct objective *o) {
    return o->l2 > 0 ? refuse_unless_smooth(o) : "it is for an L2 penalty";
}

const struct convex_solver convex_solver_lbfgs = {
    .name = {.name = "lbfgs", .summary = "limited-memory BFGS: smooth losses with an L2 penalty"},
    .suits = "many columns",
    .solve = solve_lbfgs,
    .refuses = lbfgs_refuses,
    .cost = cost_of_lbfgs,
    .far = SOLVER_FAR,
};
