/* Which solver for which objective and data. */
#include "learners/convex.h"

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

enum way {
    WAY_NEWTON,
    WAY_NEWTON_CG,
    WAY_LBFGS,
    WAY_DUAL,
    WAY_INTERIOR,
    WAY_AUGMENTED,
    WAY_PROX_NEWTON,
    WAY_SGD,
    WAYS
};
/* Squares, and products of columns, shares and curvatures, stay far from the ends of the range; what
   augmented makes smaller from round to round is the L2 penalty, which asks for like columns. */
enum { FAR = 300, NEAR = 4 };
static const struct convex_way ways[WAYS] = {
    [WAY_NEWTON] = {"newton", solve_newton, newton_refuses, FAR},
    [WAY_NEWTON_CG] = {"newton-cg", solve_newton_cg, newton_cg_refuses, FAR},
    [WAY_LBFGS] = {"lbfgs", solve_lbfgs, lbfgs_refuses, FAR},
    [WAY_DUAL] = {"dual", solve_dual, dual_refuses, FAR},
    [WAY_INTERIOR] = {"interior", solve_interior, interior_refuses, FAR},
    [WAY_AUGMENTED] = {"augmented", solve_augmented, augmented_refuses, NEAR},
    [WAY_PROX_NEWTON] = {"prox-newton", solve_prox_newton, prox_newton_refuses, FAR},
    [WAY_SGD] = {CONVEX_WALK, solve_sgd, sgd_refuses, FAR},
};
const char convex_ways[] =
    "newton|newton-cg|lbfgs|dual|interior|augmented|prox-newton|" CONVEX_WALK;

/* ---- --solver ----------------------------------------------------------------------------- */

static sepal_status refuse(struct convex *convex, const struct convex_way *way, const char *why) {
    char able[256] = "";
    for (size_t w = 0; w < WAYS; w++) {
        if (ways[w].refuses(&convex->objective)) continue;
        if (*able) strncat(able, ", ", sizeof able - strlen(able) - 1);
        strncat(able, ways[w].name, sizeof able - strlen(able) - 1);
    }
    return fail(convex->fit->ctx, SEPAL_EUSAGE,
                "the solver %s cannot do this: %s; leave --solver out, or take one of: %s",
                way->name, why, able);
}

static sepal_status named(const struct convex_way **out, struct convex *convex) {
    for (size_t w = 0; w < WAYS; w++)
        if (strcmp(ways[w].name, convex->fit->options.solver) == 0) *out = &ways[w];
    const char *why = (*out)->refuses(&convex->objective);
    return why ? refuse(convex, *out, why) : SEPAL_OK;
}

/* ---- by the data's shape -------------------------------------------------------------------- */

/* Nanoseconds, of one core, as far as a choice needs them: a product of two entries of a sparse row
   that are added to the Hessian, one of dense panels, and an entry's share of a pass. */
static const double SPARSE_PRODUCT = 1, DENSE_PRODUCT = 0.05, SPARSE_ENTRY = 2.5, DENSE_ENTRY = 0.5;
/* Hessians that a fit takes, and passes of conjugate gradients instead of them. */
static const double HESSIANS = 5, HESSIANS_OF_HINGE = 40, PASSES = 60;
enum { FEW_COLUMNS = 64, LBFGS_STEPS = 300 };

static double pass_cost(const struct objective *o) {
    double cells = (double)o->n * (double)o->width;
    return o->rows.sparse ? (double)o->rows.nonzeros * SPARSE_ENTRY : cells * DENSE_ENTRY;
}

static double hessian_cost(const struct objective *o) {
    double rows = (double)o->n, width = (double)o->width, entries = (double)o->rows.nonzeros;
    double dense = rows * width * width * DENSE_PRODUCT;
    double sparse = entries / rows * entries / 2 * SPARSE_PRODUCT;
    return (o->rows.sparse && sparse < dense ? sparse : dense) +
           width * width * width / 3 * DENSE_PRODUCT;
}

/* Whether Hessians cost less than the passes that would do without. */
static bool hessian_pays(const struct objective *o) {
    return o->width <= FEW_COLUMNS || HESSIANS * hessian_cost(o) <= PASSES * pass_cost(o);
}

/* How much one row can move its own score by coordinate descent: C |x|^2, the mean over some rows.
   The larger, the more the rows undo each other's steps. */
static double row_reach(const struct objective *o) {
    enum { LOOKED_AT = 200 };
    size_t step = o->n / LOOKED_AT + 1, looked = 0;
    double sum = 0;
    for (size_t i = 0; i < o->n; i += step, looked++) {
        size_t local;
        const struct block *block = matrix_block_of(&o->rows, i, &local);
        sum += o->share[i] / o->l2 * row_square_norm(block, local, o->cols);
    }
    return sum / (double)looked;
}

static bool dual_pays(const struct objective *o) {
    static const double far = 300;
    return !dual_refuses(o) && row_reach(o) <= far;
}

/* One-versus-rest: Newton's method for all classes at once against epochs of the dual solver, in
   nanoseconds. An epoch takes off a part of the gap that is the smaller, the more a row moves itself
   (Shalev-Shwartz and Zhang, JMLR 2013). */
bool convex_newton_pays(const struct objective *o, size_t classes, double tol) {
    static const double passes = 60, lane_entry = 0.3;
    if (newton_refuses(o) || !(o->l2 > 0)) return false;
    double cells = (double)o->n * (double)o->width * (double)classes;
    double newton = passes * 2 * cells * DENSE_PRODUCT;
    double entries = o->rows.sparse ? (double)o->rows.nonzeros : (double)o->n * (double)o->cols;
    double epochs = (1 + row_reach(o)) * (1 - log(fmin(tol, 1)));
    return dual_refuses(o) || newton < epochs * entries * (double)classes * lane_entry;
}

static struct convex_plan plan_of_hinge(const struct objective *o) {
    bool few = !interior_refuses(o);
    const struct convex_way *exact = few ? &ways[WAY_INTERIOR] : &ways[WAY_AUGMENTED];
    if (!dual_pays(o) || o->width <= FEW_COLUMNS)
        return (struct convex_plan){.first = exact, .why = few ? "few columns" : "long rows"};
    double patience = few ? HESSIANS_OF_HINGE * hessian_cost(o) / pass_cost(o) : 2 * PASSES;
    return (struct convex_plan){.first = &ways[WAY_DUAL],
                                .then = exact,
                                .why = "short rows",
                                .patience = (size_t)fmin(patience, 1e9) + 1};
}

static struct convex_plan plan_of(const struct objective *o) {
    const struct convex_way *newton = &ways[WAY_NEWTON], *newton_cg = &ways[WAY_NEWTON_CG];
    bool exact = !interior_refuses(o);
    if (!o->loss->smooth && (o->l1 > 0 || o->l2 == 0))
        return (struct convex_plan){.first = &ways[exact ? WAY_INTERIOR : WAY_AUGMENTED],
                                    .why = o->l1 > 0 ? "an L1 penalty"
                                           : exact   ? "few columns"
                                                     : "many columns, no penalty"};
    if (o->l1 > 0)
        return (struct convex_plan){.first = &ways[WAY_PROX_NEWTON], .why = "an L1 penalty"};
    if (!o->loss->smooth) return plan_of_hinge(o);
    if (!newton_refuses(o) && o->l2 == 0)
        return (struct convex_plan){.first = newton, .why = "few columns"};
    if (!newton_refuses(o) && hessian_pays(o))
        return (struct convex_plan){.first = newton, .then = newton_cg, .why = "few columns"};
    /* conjugate gradients have a hard time where curvatures jump */
    size_t patience = (size_t)PASSES * (o->loss == &loss_logistic ? 2 : 20);
    if (o->l2 > 0 && dual_pays(o))
        return (struct convex_plan){.first = &ways[WAY_DUAL],
                                    .then = newton_cg,
                                    .why = "many columns, short rows",
                                    .patience = patience};
    if (lbfgs_refuses(o)) return (struct convex_plan){.first = newton_cg, .why = "many columns"};
    return (struct convex_plan){.first = &ways[WAY_LBFGS],
                                .then = newton_cg,
                                .why = "many columns",
                                .patience = LBFGS_STEPS};
}

sepal_status convex_choose(struct convex_plan *out, struct convex *convex) {
    const struct objective *o = &convex->objective;
    *out = plan_of(o);
    if (!convex->fit->options.solver) return SEPAL_OK;
    *out = (struct convex_plan){.why = "as asked"};
    return named(&out->first, convex);
}
