/* Which solver for which objective and data. */
#include "learners/convex.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* ---- as asked ------------------------------------------------------------------------------- */

static sepal_status choice_refuse(struct convex *convex, const struct convex_solver *solver,
                                  const char *why) {
    char able[256] = "";
    for (const struct convex_solver *const *row = convex_solver_table; *row; row++) {
        if (solver_refuses(*row, &convex->objective)) continue;
        if (*able) strncat(able, ", ", sizeof able - strlen(able) - 1);
        strncat(able, (*row)->name.name, sizeof able - strlen(able) - 1);
    }
    return fail(convex->fit->ctx, SEPAL_EUSAGE,
                "the solver %s cannot do this: %s; leave " OPTION "solver out, or take one of: %s",
                solver->name.name, why, able);
}

static sepal_status choice_named(const struct convex_solver **out, struct convex *convex) {
    *out =
        (const struct convex_solver *)convex->fit->options.asked; /* its row begins with the name */
    const char *why = solver_refuses(*out, &convex->objective);
    return why ? choice_refuse(convex, *out, why) : SEPAL_OK;
}

/* ---- by what they cost ---------------------------------------------------------------------- */

static struct convex_cost cost_of(const struct convex_solver *solver, const struct objective *o,
                                  const struct convex_shape *shape) {
    static const struct convex_cost never = {INFINITY, 1}, only_one = {DBL_MAX, 1};
    if (solver->name.as_given || solver_refuses(solver, o)) return never;
    return solver->cost ? solver->cost(shape) : only_one;
}

static double cost_in_all(const struct convex_solver *solver, const struct objective *o,
                          const struct convex_shape *shape) {
    struct convex_cost cost = cost_of(solver, o, shape);
    return cost.step * cost.steps;
}

/* So many steps cost what the next solver would, and no less than a doubtful foresight of this one's. */
static size_t limit_of(const struct convex_solver *solver, const struct objective *o,
                       const struct convex_shape *shape, double next) {
    static const double doubt = 6; /* it is given so many times what was foreseen */
    struct convex_cost cost = cost_of(solver, o, shape);
    return (size_t)fmin(fmax(next, doubt * cost.step * cost.steps) / cost.step, 1e9) + 1;
}

/* The last one goes on without a limit: it is to be one of second order, which the conditioning of the
   problem does not hold up for ever. */
static const struct convex_solver *last_of(const struct objective *o,
                                           const struct convex_shape *shape) {
    double newton = cost_in_all(&convex_solver_newton, o, shape),
           newton_cg = cost_in_all(&convex_solver_newton_cg, o, shape);
    const struct convex_solver *last =
        newton <= newton_cg ? &convex_solver_newton : &convex_solver_newton_cg;
    return fmin(newton, newton_cg) < DBL_MAX ? last : NULL;
}

/* The cheapest, and the next, which takes over where the first turns out slow, and who does so from that.
   Without an L2 penalty none goes on from the point of another. */
struct convex_plan convex_plan_by(const struct objective *o, const struct convex_shape *shape) {
    struct convex_plan plan = {.cost = INFINITY};
    double next = INFINITY;
    for (const struct convex_solver *const *row = convex_solver_table; *row; row++) {
        double all = cost_in_all(*row, o, shape);
        if (all < plan.cost) {
            next = plan.cost;
            plan = (struct convex_plan){.first = *row, .then = plan.first, .cost = all};
        } else if (all < next) {
            next = all;
            plan.then = *row;
        }
    }
    if (!plan.first) plan.first = &convex_solver_sgd; /* there is none for such an objective */
    if (!(o->l2 > 0)) plan.then = NULL;
    plan.why = o->l1 > 0 && !o->box ? "an L1 penalty" : plan.first->suits;
    if (!plan.then) return plan;
    plan.limit = limit_of(plan.first, o, shape, next);
    plan.last = last_of(o, shape);
    if (plan.last == plan.then) plan.last = NULL;
    if (plan.last)
        plan.then_limit = limit_of(plan.then, o, shape, cost_in_all(plan.last, o, shape));
    return plan;
}

sepal_status convex_choose(struct convex_plan *out, struct convex *convex) {
    struct convex_shape shape;
    TRY(convex_shape(&shape, &convex->objective, 1, convex->tol));
    shape.near = convex->descent.near && convex->descent.warm;
    *out = convex_plan_by(&convex->objective, &shape);
    if (!convex->fit->options.asked) return SEPAL_OK;
    *out = (struct convex_plan){.why = "as asked"};
    return choice_named(&out->first, convex);
}
