/* @NAME@: gradient descent with steps of 1/L, L no less than any curvature of the objective. A skeleton:
   say here which algorithm it is, and where that comes from.

   The bias is put right after every step. What is left is a function of w as curved as the L2 penalty at
   least, so it is above its least value by |gradient|^2 / (2 l2) at most: that is the gap. */
#include "solvers/solver.h"

#include "core/arena.h"
#include "solvers/linesearch.h"

#include <math.h>

enum { STEPS_MOST = 100000 };

/* The trace of the largest Hessian, which is no less than its largest eigenvalue. */
static sepal_status @name@_curvature(double *out, const struct objective *o, double *row,
                                     double *diagonal) {
    for (size_t i = 0; i < o->n; i++) row[i] = o->loss->smoothness * o->row_weight[i];
    TRY(objective_diagonal(diagonal, o, row));
    *out = o->l2;
    for (size_t j = 0; j < o->width; j++) *out += diagonal[j];
    return SEPAL_OK;
}

static sepal_status @name@_run(struct solver *d, struct arena *arena) {
    const struct objective *o = d->o;
    struct sweep sweep = {0};
    double *step, curvature;
    TRY(ARENA_VECTORS(o->ctx, arena, o->n, &sweep.m));
    TRY(ARENA_VECTORS(o->ctx, arena, o->width, &sweep.gradient, &step));
    TRY(@name@_curvature(&curvature, o, sweep.m, step));
    d->paired = false;
    for (size_t most = d->max_iter ? d->max_iter : STEPS_MOST;; d->iterations++) {
        if (o->bias == BIAS_FREE) {
            TRY(objective_margins(sweep.m, o, d->u));
            TRY(linesearch_bias(o, sweep.m, &d->u[o->cols]));
        }
        TRY(objective_sweep(&sweep, o, d->u));
        double objective = sweep.loss + objective_penalty(o, d->u), square = 0;
        for (size_t j = 0; j < o->penalised; j++) {
            step[j] = sweep.gradient[j] + o->l2 * d->u[j];
            square += step[j] * step[j];
        }
        double gap = square / (2 * o->l2) / fmax(fabs(objective), 1e-300);
        if (gap <= d->tol) d->converged = true;
        if (d->converged || d->iterations >= most) return SEPAL_OK;
        d->stopped = d->stops(d->payload, d->iterations, objective, gap);
        if (d->stopped) return SEPAL_OK;
        for (size_t j = 0; j < o->penalised; j++) d->u[j] -= step[j] / curvature;
    }
}

sepal_status solve_@name@(struct solver *d) {
    struct arena arena = {0};
    sepal_status status = @name@_run(d, &arena);
    arena_clear(&arena);
    return status;
}

static const char *@name@_refuses(const struct objective *o) {
    return o->l2 > 0 ? refuse_unless_smooth(o) : "it is for an L2 penalty";
}

/* Taken only when it is asked for, until it is measured what a step costs and how many it takes. */
static struct convex_cost cost_of_@name@(const struct convex_shape *s) {
    (void)s;
    return (struct convex_cost){INFINITY, 1};
}

const struct convex_solver convex_solver_@name@ = {
    .name = {.name = "@NAME@",
             .summary = "gradient descent: smooth losses with an L2 penalty"},
    .suits = "as asked",
    .solve = solve_@name@,
    .refuses = @name@_refuses,
    .cost = cost_of_@name@,
    .far = SOLVER_FAR,
};
