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

/* |x_i - x_j|^2 of rows that are both sparse or both dense. */
static double square_distance(const struct objective *o, size_t i, size_t j) {
    size_t rows[2] = {i, j}, local[2], at[2] = {0, 0}, column[2];
    const struct block *block[2];
    double value[2], sum = 0;
    bool left[2];
    for (int k = 0; k < 2; k++) {
        block[k] = matrix_block_of(&o->rows, rows[k], &local[k]);
        left[k] = row_next(block[k], local[k], o->cols, &at[k], &column[k], &value[k]);
    }
    while (left[0] || left[1]) {
        bool first = left[0] && (!left[1] || column[0] <= column[1]);
        bool second = left[1] && (!left[0] || column[1] <= column[0]);
        double x = (first ? value[0] : 0) - (second ? value[1] : 0);
        sum += x * x;
        if (first) left[0] = row_next(block[0], local[0], o->cols, &at[0], &column[0], &value[0]);
        if (second) left[1] = row_next(block[1], local[1], o->cols, &at[1], &column[1], &value[1]);
    }
    return sum;
}

/* How much one row can move its own score: C |x|^2, the mean over some rows. With a free bias that of
   rows less their mean, which is half that of differences: it is the same wherever the origin lies. */
static double mean_row_curvature(const struct objective *o) {
    enum { LOOKED_AT = 64 };
    size_t step = o->n / LOOKED_AT + 1, looked = 0;
    double sum = 0;
    for (size_t i = 0; i < o->n; i += step, looked++) {
        size_t local;
        const struct block *block = matrix_block_of(&o->rows, i, &local);
        double square = o->bias == BIAS_FREE ? square_distance(o, i, (i + o->n / 2) % o->n) / 2
                                             : row_square_norm(block, local, o->cols);
        sum += o->row_weight[i] / o->l2 * square;
    }
    return sum / (double)looked;
}

struct convex_shape convex_shape(const struct objective *o, size_t classes, double tol) {
    struct convex_shape shape = {.rows = (double)o->n,
                                 .width = (double)o->width,
                                 .classes = (double)classes,
                                 .tol = fmin(tol, 1),
                                 .sparse = o->rows.sparse,
                                 .logistic = o->loss == &loss_logistic,
                                 .hinge = o->loss == &loss_hinge};
    shape.entries = o->rows.sparse ? (double)o->rows.nonzeros : shape.rows * (double)o->cols;
    if (o->l2 > 0) shape.curvature = mean_row_curvature(o);
    return shape;
}

static struct convex_cost cost_of(const struct convex_solver *solver, const struct objective *o,
                                  const struct convex_shape *shape) {
    static const struct convex_cost never = {INFINITY, 1}, only_one = {DBL_MAX, 1};
    if (solver->name.as_given || solver_refuses(solver, o)) return never;
    return solver->cost ? solver->cost(shape) : only_one;
}

/* The cheapest, and the next, which takes over where the first turns out slow. Without an L2 penalty none
   goes on from the point of another. */
struct convex_plan convex_plan_by(const struct objective *o, const struct convex_shape *shape) {
    struct convex_plan plan = {.cost = INFINITY};
    static const double doubt = 6; /* it is given so many times what was foreseen */
    double next = INFINITY, step = 1;
    for (const struct convex_solver *const *row = convex_solver_table; *row; row++) {
        struct convex_cost cost = cost_of(*row, o, shape);
        double all = cost.step * cost.steps;
        if (all < plan.cost) {
            next = plan.cost;
            plan = (struct convex_plan){.first = *row, .then = plan.first, .cost = all};
            step = cost.step;
        } else if (all < next) {
            next = all;
            plan.then = *row;
        }
    }
    if (!plan.first) plan.first = &convex_solver_sgd; /* there is none for such an objective */
    if (!(o->l2 > 0)) plan.then = NULL;
    plan.why = o->l1 > 0 && !o->box ? "an L1 penalty" : plan.first->suits;
    plan.limit = (size_t)fmin(fmax(next, doubt * plan.cost) / step, 1e9) + 1;
    return plan;
}

sepal_status convex_choose(struct convex_plan *out, struct convex *convex) {
    struct convex_shape shape = convex_shape(&convex->objective, 1, convex->tol);
    *out = convex_plan_by(&convex->objective, &shape);
    if (!convex->fit->options.asked) return SEPAL_OK;
    *out = (struct convex_plan){.why = "as asked"};
    return choice_named(&out->first, convex);
}
