/* Which solver for which objective and data. */
#include "learners/convex.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const char *newton_cg_refuses(const struct objective *o) {
    if (!o->loss->smooth) return "the hinge has no slope at its kink";
    return o->l1 > 0 ? "|w|_1 has no slope at 0" : NULL;
}

static const char *lbfgs_refuses(const struct objective *o) {
    return o->l2 > 0 ? newton_cg_refuses(o) : "it is for an L2 penalty";
}

static const char *sgd_refuses(const struct objective *o) {
    (void)o;
    return NULL;
}

static const char *prox_newton_refuses(const struct objective *o) {
    if (!o->loss->smooth) return "the hinge has no slope at its kink";
    return o->l1 > 0 ? NULL : "it is for |w|_1, and l1 is 0";
}

static const char *newton_refuses(const struct objective *o) {
    if (o->width > NEWTON_WIDTH_MOST) return "its Hessian has more than 4096 columns";
    return newton_cg_refuses(o);
}

static const char *augmented_refuses(const struct objective *o) {
    if (o->loss != &loss_hinge) return "it is for the hinge";
    return o->l1 > 0 ? "it is for an L2 penalty, or none" : NULL;
}

static const char *interior_refuses(const struct objective *o) {
    if (o->loss != &loss_hinge) return "it is for the hinge";
    /* with an L1 penalty it takes the columns that have a weight */
    if (o->l1 > 0 || o->width <= INTERIOR_WIDTH_MOST) return NULL;
    return "its matrix has more than 4096 columns";
}

static const char *dual_refuses(const struct objective *o) {
    if (o->loss == &loss_squared) return "it is for the losses of two classes";
    if (o->l1 > 0 || !(o->l2 > 0)) return "it is for an L2 penalty";
    return o->rows.sparse && o->centre ? "it cannot centre sparse rows" : NULL;
}

/* Squares, and products of columns, weights and curvatures, stay far from the ends of the range; what
   augmented makes smaller from round to round is the L2 penalty, which asks for like columns. */
enum { FAR = 300, NEAR = 4 };
/* name, how, why not, what it costs, what it suits, columns of which sizes; without a cost it is not chosen
   where another can do it */
static const struct convex_way ways[] = {
    {"newton", solve_newton, newton_refuses, cost_of_newton, "few columns", FAR},
    {"newton-cg", solve_newton_cg, newton_cg_refuses, cost_of_newton_cg, "many columns", FAR},
    {"lbfgs", solve_lbfgs, lbfgs_refuses, cost_of_lbfgs, "many columns", FAR},
    {"dual", solve_dual, dual_refuses, cost_of_dual, "short rows", FAR},
    {"interior", solve_interior, interior_refuses, cost_of_interior, "few columns", FAR},
    {"augmented", solve_augmented, augmented_refuses, cost_of_augmented, "many columns", NEAR},
    {"prox-newton", solve_prox_newton, prox_newton_refuses, NULL, "an L1 penalty", FAR},
    {CONVEX_WALK, solve_sgd, sgd_refuses, NULL, "as asked", FAR},
};
enum { WAYS = sizeof ways / sizeof *ways };
const char convex_ways[] =
    "newton|newton-cg|lbfgs|dual|interior|augmented|prox-newton|" CONVEX_WALK;

/* ---- --solver ----------------------------------------------------------------------------- */

static sepal_status choice_refuse(struct convex *convex, const struct convex_way *way,
                                  const char *why) {
    char able[256] = "";
    for (size_t w = 0; w < WAYS; w++) {
        if (ways[w].refuses(&convex->objective)) continue;
        if (*able) strncat(able, ", ", sizeof able - strlen(able) - 1);
        strncat(able, ways[w].name, sizeof able - strlen(able) - 1);
    }
    return fail(convex->fit->ctx, SEPAL_EUSAGE,
                "the solver %s cannot do this: %s; leave " OPTION "solver out, or take one of: %s",
                way->name, why, able);
}

static sepal_status choice_named(const struct convex_way **out, struct convex *convex) {
    for (size_t w = 0; w < WAYS; w++)
        if (strcmp(ways[w].name, convex->fit->options.solver) == 0) *out = &ways[w];
    const char *why = (*out)->refuses(&convex->objective);
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
static double row_reach(const struct objective *o) {
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
    if (o->l2 > 0) shape.reach = row_reach(o);
    return shape;
}

static struct convex_cost cost_of(const struct convex_way *way, const struct objective *o,
                                  const struct convex_shape *shape) {
    static const struct convex_cost never = {INFINITY, 1}, only_one = {DBL_MAX, 1};
    if (way->solve == solve_sgd || way->refuses(o)) return never;
    return way->cost ? way->cost(shape) : only_one;
}

/* The cheapest, and the next, which takes over where the first turns out slow. Without an L2 penalty none
   goes on from the point of another. */
struct convex_plan convex_plan_by(const struct objective *o, const struct convex_shape *shape) {
    struct convex_plan plan = {.cost = INFINITY};
    static const double doubt = 6; /* it is given so many times what was foreseen */
    double next = INFINITY, step = 1;
    for (size_t w = 0; w < WAYS; w++) {
        struct convex_cost cost = cost_of(&ways[w], o, shape);
        double all = cost.step * cost.steps;
        if (all < plan.cost) {
            next = plan.cost;
            plan = (struct convex_plan){.first = &ways[w], .then = plan.first, .cost = all};
            step = cost.step;
        } else if (all < next) {
            next = all;
            plan.then = &ways[w];
        }
    }
    if (!(o->l2 > 0)) plan.then = NULL;
    plan.why = o->l1 > 0 ? "an L1 penalty" : plan.first->suits;
    plan.limit = (size_t)fmin(fmax(next, doubt * plan.cost) / step, 1e9) + 1;
    return plan;
}

sepal_status convex_choose(struct convex_plan *out, struct convex *convex) {
    struct convex_shape shape = convex_shape(&convex->objective, 1, convex->tol);
    *out = convex_plan_by(&convex->objective, &shape);
    if (!convex->fit->options.solver) return SEPAL_OK;
    *out = (struct convex_plan){.why = "as asked"};
    return choice_named(&out->first, convex);
}
