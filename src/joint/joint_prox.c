/* L1 and elastic-net penalties for K scores a row: one class after the other (Friedman, Hastie and
   Tibshirani, "Regularization paths for generalized linear models via coordinate descent", JSS 33, 2010).
   With the other classes fixed, a class's step minimises the quadratic model of the losses plus the penalty
   over its working set, by coordinate descent, and a line search on the losses themselves makes it a descent.

   Adding the same number to a column's weights in all classes changes no loss, but the penalty: that is what
   steps of one class at a time are slow at, so after each cycle it is done outright. */
#include "joint/joint_prox.h"

#include <math.h>
#include <string.h>

enum { ROUNDS_MOST = 5000, CYCLES_MOST = 2 };

/* ---- where we are ------------------------------------------------------------------------------ */

static double prox_violation(const struct joint_prox *p, size_t c, size_t k) {
    const struct objective *o = p->j->o;
    size_t at = c * p->j->lanes + k;
    double w = p->d->u[at], g = p->sweep.gradient[at] + o->l2 * w;
    return w == 0 ? fmax(0, fabs(g) - o->l1) : fabs(g + copysign(o->l1, w));
}

/* The columns of each class that have a weight or want one; returns the sum of the violations. */
static double choose_sets(struct joint_prox *p) {
    const struct joint *j = p->j;
    double sum = 0;
    for (size_t k = 0; k < j->classes; k++) {
        p->n_set[k] = 0;
        for (size_t c = 0; c < j->o->cols; c++) {
            double violation = prox_violation(p, c, k);
            sum += violation;
            if (violation > 0 || p->d->u[c * j->lanes + k] != 0)
                p->set[k * j->o->cols + p->n_set[k]++] = (uint32_t)c;
        }
    }
    return sum;
}

/* One read of the rows, and one more for the dual bound. */
static sepal_status joint_prox_look(struct joint_prox *p) {
    const struct joint *j = p->j;
    struct solver *d = p->d;
    double bound;
    TRY(joint_sweep(&p->sweep, j, d->u));
    p->objective = p->sweep.loss + joint_penalty(j, d->u);
    memcpy(p->alpha, p->sweep.state, j->cells * sizeof *p->alpha);
    TRY(joint_feasible(j, p->alpha));
    TRY(joint_dual_value(&bound, p->v, j, p->alpha));
    if (bound > p->bound) {
        p->bound = bound;
        memcpy(d->alpha, p->alpha, j->cells * sizeof *p->alpha);
        d->paired = true;
    }
    p->gap = (p->objective - p->bound) / fmax(fabs(p->objective), 1e-300);
    return SEPAL_OK;
}

/* ---- the solver ------------------------------------------------------------------------------------ */

/* Cycles over the classes within their sets, until their violations are a third of what they were. */
static sepal_status cycle(struct joint_prox *p, bool *moved) {
    static const double part = 0.3;
    const struct joint *j = p->j;
    double first = 0;
    *moved = false;
    for (int round = 0; round < CYCLES_MOST; round++) {
        double violations = 0;
        for (size_t k = 0; k < j->classes; k++) {
            bool steps;
            TRY(joint_prox_class(p, k, &violations, &steps));
            *moved = *moved || steps;
            p->d->stopped = p->d->stops(p->d->payload, p->d->iterations, p->objective, p->gap);
            if (p->d->stopped) return SEPAL_OK;
        }
        joint_remove_shift(j, p->d->u);
        if (round == 0) first = violations;
        if (!(violations > part * first)) break;
    }
    return SEPAL_OK;
}

static sepal_status joint_prox_run(struct joint_prox *p, struct joint_support *support) {
    struct solver *d = p->d;
    size_t most = d->max_iter ? d->max_iter : ROUNDS_MOST;
    static const double less = 0.9;
    double before = INFINITY, least_gap = INFINITY;
    int idle = 0; /* rounds in which rounding left nothing to gain */
    p->bound = -INFINITY;
    for (;;) {
        bool moved, steps = false;
        TRY(joint_prox_look(p));
        d->converged = p->gap <= d->tol;
        idle = p->objective < before || p->gap < less * least_gap ? 0 : idle + 1;
        before = p->objective;
        least_gap = fmin(least_gap, p->gap);
        if (d->converged || d->stopped || d->iterations >= most || idle > 2) return SEPAL_OK;
        (void)choose_sets(p);
        TRY(cycle(p, &moved));
        if (!d->stopped) TRY(joint_prox_support(p, support, &steps));
        d->iterations++;
        if (!moved && !steps) return SEPAL_OK;
    }
}

static sepal_status joint_prox_allocate(struct joint_prox *p, struct arena *arena) {
    const struct joint *j = p->j;
    const struct objective *o = j->o;
    TRY(ARENA_VECTORS(o->ctx, arena, j->cells, &p->sweep.score, &p->sweep.state, &p->alpha));
    TRY(ARENA_VECTORS(o->ctx, arena, j->size, &p->sweep.gradient, &p->v));
    TRY(ARENA_VECTORS(o->ctx, arena, o->n, &p->slope, &p->scaled, &p->curvature, &p->once_rows,
                      &p->twice_rows, &p->t, &p->odds));
    TRY(ARENA_VECTORS(o->ctx, arena, o->cols + 1, &p->step, &p->once, &p->second));
    TRY(ARENA_VECTORS(o->ctx, arena, j->classes, &p->damping));
    memset(p->damping, 0, j->classes * sizeof *p->damping);
    p->n_set = arena_alloc(o->ctx, arena, j->classes, sizeof *p->n_set);
    p->set = arena_alloc(o->ctx, arena, j->classes, o->cols * sizeof *p->set);
    if (!p->n_set || !p->set) return SEPAL_EMEMORY;
    return columns_make(&p->columns, o->ctx, &o->rows, NULL, o->centre);
}

static sepal_status support_allocate(struct joint_support *s, const struct joint *j,
                                     struct arena *arena) {
    sepal_ctx *ctx = j->o->ctx;
    TRY(ARENA_VECTORS(ctx, arena, j->size, &s->slope, &s->residual, &s->direction, &s->step,
                      &s->point));
    TRY(ARENA_VECTORS(ctx, arena, j->size, &s->z));
    s->moves = arena_alloc(ctx, arena, j->size, sizeof *s->moves);
    if (!s->moves) return SEPAL_EMEMORY;
    return joint_precondition_init(&s->precondition, j, arena);
}

static sepal_status solve_joint_prox(struct solver *d) {
    struct joint_prox p = {.d = d, .j = d->joint};
    struct joint_support s;
    struct arena arena = {0};
    sepal_status status = joint_prox_allocate(&p, &arena);
    if (status == SEPAL_OK) status = support_allocate(&s, d->joint, &arena);
    if (status == SEPAL_OK) status = joint_prox_run(&p, &s);
    columns_clear(&p.columns);
    arena_clear(&arena);
    return status;
}

static const char *joint_prox_refuses(const struct joint *j) {
    if (j->loss != &joint_cross_entropy) return "it is for the cross-entropy";
    return j->o->l1 > 0 ? NULL : "it is for an L1 penalty";
}

const struct joint_solver_row joint_solver_prox_newton = {
    .name = {.name = "prox-newton",
             .summary = "proximal Newton, class by class: L1 and elastic-net penalties"},
    .suits = "an L1 penalty",
    .solve = solve_joint_prox,
    .refuses = joint_prox_refuses,
};
