#include "learners/joint_fit.h"

#include "core/alloc.h"
#include "joint/joint_certify.h"
#include "kernels/blas.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* ---- set-up ------------------------------------------------------------------------------------ */

/* Where another model left off: the biases are those of rows less the centre of our answer. One function of
   two classes is half of it for one, and minus that for the other. */
static void joint_set_start(struct joint_fit *all) {
    const struct fit *fit = all->convex.fit;
    const struct linear *warm = fit->warm, *own = &fit->linear;
    const struct joint *j = &all->joint;
    size_t cols = j->o->cols;
    if (!warm) return;
    for (size_t k = 0; k < j->classes; k++) {
        double factor = warm->rows == 1 ? (k == 1 ? 0.5 : -0.5) : 1;
        size_t r = warm->rows == 1 ? 0 : k;
        double bias = factor * warm->b[r];
        for (size_t c = 0; c < cols; c++) {
            double w = factor * warm->w[r * cols + c];
            double before = warm->centre ? warm->centre[c] : 0,
                   now = own->centre ? own->centre[c] : 0;
            all->convex.descent.u[c * j->lanes + k] = w;
            bias += w * (now - before);
        }
        if (j->o->bias != BIAS_NONE) all->convex.descent.u[cols * j->lanes + k] = bias;
    }
    joint_remove_shift(j, all->convex.descent.u);
    all->convex.descent.warm = true;
}

/* Nothing leads back from where the objective is infinite, and a start worse than 0 is none. */
static sepal_status joint_judge_start(struct joint_fit *all) {
    const struct joint *j = &all->joint;
    struct solver *d = &all->convex.descent;
    double loss, at_zero = all->convex.joint_at_zero;
    if (!d->warm) return SEPAL_OK;
    TRY(joint_scores(d->alpha, j, d->u));
    TRY(joint_loss_at(&loss, j, d->alpha));
    double there = loss + joint_penalty(j, d->u);
    if (there <= at_zero || convex_is_sgd(all->convex.fit)) return SEPAL_OK;
    memset(d->u, 0, j->size * sizeof *d->u);
    d->warm = false;
    warn(j->o->ctx, "warm-start",
         "the model of " OPTION "warm is no start: its objective on these rows is %.3g, and "
         "weights of 0 have %.3g, so these were the start",
         there, at_zero);
    return SEPAL_OK;
}

static sepal_status joint_set_up(struct joint_fit *all, const struct joint_loss *loss) {
    struct convex *convex = &all->convex;
    struct fit *fit = convex->fit;
    size_t classes = fit->data->schema->n_classes;
    convex->joint = &all->joint;
    all->joint = (struct joint){.o = &convex->objective, .loss = loss, .classes = classes};
    TRY(linear_init(&fit->linear, fit->ctx, classes, fit->data->matrix.cols, convex_centres(fit)));
    TRY(convex_pose(convex, loss->smooth ? &loss_logistic : &loss_hinge, fit->linear.centre));
    if (!convex->centred) linear_uncentre(&fit->linear);
    TRY(joint_init(&all->joint));
    TRY(joint_at_zero(&convex->joint_at_zero, &all->joint));
    struct solver *d = &convex->descent;
    d->joint = &all->joint;
    d->u = arena_zero(fit->ctx, &fit->arena, all->joint.size, sizeof *d->u);
    /* not touched by solvers whose variables are those of the point */
    d->alpha = arena_alloc(fit->ctx, &fit->arena, all->joint.cells, sizeof *d->alpha);
    fit->decided = arena_alloc(fit->ctx, &fit->arena, all->joint.o->n, sizeof *fit->decided);
    if (!d->u || !d->alpha || !fit->decided) return SEPAL_EMEMORY;
    joint_set_start(all);
    return joint_judge_start(all);
}

/* ---- which solver ------------------------------------------------------------------------------ */

static sepal_status joint_refuse(struct joint_fit *all, const char *name, const char *why) {
    char able[256] = "";
    for (const struct joint_solver_row *const *row = joint_solver_table; *row; row++) {
        if ((*row)->refuses(&all->joint)) continue;
        if (*able) strncat(able, ", ", sizeof able - strlen(able) - 1);
        strncat(able, (*row)->name.name, sizeof able - strlen(able) - 1);
    }
    return fail(all->convex.fit->ctx, SEPAL_EUSAGE,
                "the solver %s cannot do this: %s; leave " OPTION "solver out, or take one of: %s",
                name, why, able);
}

/* The one of that name, which other learners may have by themselves; NULL: there is none. */
static const struct joint_solver_row *joint_named(const struct joint *j, const char *name) {
    const struct joint_solver_row *found = NULL;
    for (const struct joint_solver_row *const *row = joint_solver_table; *row; row++) {
        if (strcmp((*row)->name.name, name) != 0) continue;
        if (!found || !(*row)->refuses(j)) found = *row;
    }
    return found;
}

static sepal_status joint_as_asked(const struct joint_solver_row **out, struct joint_fit *all,
                                   const char *name) {
    *out = joint_named(&all->joint, name);
    const char *cannot = *out ? (*out)->refuses(&all->joint) : "it fits two classes at a time";
    return cannot ? joint_refuse(all, name, cannot) : SEPAL_OK;
}

/* Only sgd is left, and it runs when it is asked for. */
static sepal_status joint_refuse_all(struct joint_fit *all) {
    const struct joint *j = &all->joint;
    bool l1 = j->o->l1 > 0;
    return fail(all->convex.fit->ctx, SEPAL_EUSAGE,
                "no solver finds the minimum of %s with %s; give an L2 penalty (C=1 or l2=1e-6)%s, "
                "or take the steps of " OPTION "solver sgd",
                j->loss->name, l1 ? "an L1 penalty" : "no penalty",
                j->loss->convex ? "" : ", or loss=cross_entropy");
}

/* The one asked for, or the cheapest of those that can. */
static sepal_status joint_choose(const struct joint_solver_row **out, const char **why,
                                 struct joint_fit *all) {
    const struct joint *j = &all->joint;
    const struct solver_name *asked = all->convex.fit->options.asked;
    *out = NULL;
    *why = "as asked";
    if (asked) return joint_as_asked(out, all, asked->name);
    struct convex_shape shape;
    TRY(convex_shape(&shape, j->o, j->classes, all->convex.descent.tol));
    double least = INFINITY;
    for (const struct joint_solver_row *const *row = joint_solver_table; *row; row++) {
        if ((*row)->name.as_given || (*row)->refuses(j)) continue;
        double cost = (*row)->cost ? (*row)->cost(j, &shape) : DBL_MAX;
        if (*out && !(cost < least)) continue;
        *out = *row;
        least = cost;
    }
    if (!*out) return joint_refuse_all(all);
    *why = j->loss->smooth ? (*out)->suits : "a loss with kinks";
    return SEPAL_OK;
}

/* ---- solving ------------------------------------------------------------------------------------ */

static sepal_status joint_prove_fit(void *fit) {
    struct joint_fit *all = fit;
    const struct joint *j = &all->joint;
    const struct solver *d = &all->convex.descent;
    bool theirs =
        d->paired && j->loss->convex && (j->o->l1 > 0 || j->o->l2 > 0 || !j->loss->smooth);
    all->proofs++;
    return joint_certify(&all->convex.proof, j, d->u, theirs ? d->alpha : NULL,
                         all->convex.fit->decided);
}

/* Where the one that was chosen is slow, another takes over. */
static sepal_status joint_run(struct joint_fit *all, const struct joint_solver_row *row) {
    struct convex *convex = &all->convex;
    struct solver *d = &convex->descent;
    bool chosen = !convex->fit->options.asked && row->then && !row->then->refuses(&all->joint);
    d->limit = chosen ? row->limit : 0;
    if (!convex->handed_over) TRY(convex_run_one(convex, row->solve, NO_UNITS));
    if (!convex->handed_over && (d->converged || d->stopped || !chosen)) return SEPAL_OK;
    d->limit = 0;
    d->warm = true;
    convex->handed_over = true;
    return row->then ? convex_run_one(convex, row->then->solve, NO_UNITS) : SEPAL_OK;
}

static sepal_status joint_solve(struct joint_fit *all, const struct joint_solver_row *row) {
    struct convex *convex = &all->convex;
    for (int round = 0;; round++) {
        size_t before = convex->descent.iterations;
        TRY(joint_run(all, row));
        if (!row->name.as_given) joint_remove_shift(&all->joint, convex->descent.u);
        TRY(joint_prove_fit(all));
        if (!convex_goes_on(convex, round, before)) break;
    }
    size_t proofs = all->proofs;
    TRY(convex_fall_back(convex, all->joint.size, joint_prove_fit, all));
    if (all->proofs != proofs)
        convex->fit->decided = NULL; /* the last one need not be of our weights */
    return SEPAL_OK;
}

/* ---- what came of it ---------------------------------------------------------------------------- */

/* Of two classes the difference of their functions. */
static void joint_keep_weights(struct joint_fit *all) {
    const struct joint *j = &all->joint;
    struct linear *linear = &all->convex.fit->linear;
    size_t cols = j->o->cols;
    const double *u = all->convex.descent.u;
    bool bias = j->o->bias != BIAS_NONE;
    for (size_t r = 0; r < linear->rows; r++) {
        size_t k = linear->rows == 1 ? 1 : r;
        for (size_t c = 0; c <= cols; c++) {
            const double *at = u + c * j->lanes;
            double x = c < cols || bias ? at[k] - (linear->rows == 1 ? at[0] : 0) : 0;
            *(c < cols ? &linear->w[r * cols + c] : &linear->b[r]) = x;
        }
    }
}

/* Free biases add up to 0 where the columns are 0, wherever the centre of the answer lies. */
static void joint_settle_biases(struct joint_fit *all) {
    struct linear *linear = &all->convex.fit->linear;
    double sum = 0;
    if (linear->rows == 1 || all->joint.o->bias != BIAS_FREE) return;
    for (size_t r = 0; r < linear->rows; r++) sum += linear_bias(linear, r);
    for (size_t r = 0; r < linear->rows; r++) linear->b[r] -= sum / (double)linear->rows;
}

/* A loss with a margin keeps rows at least 1 / |w_k - w_q| away from the border of classes k and q; the
   nearest of these counts, as the norm of two classes' one function does. */
static sepal_status joint_find_margin(struct joint_fit *all) {
    const struct joint *j = &all->joint;
    size_t lanes = j->lanes;
    double most = 0;
    if (j->loss->smooth) return SEPAL_OK;
    double *gram = mem_alloc(j->o->ctx, lanes, lanes * sizeof *gram);
    if (!gram) return SEPAL_EMEMORY;
    j->o->ctx->blas->gemm_tn(lanes, lanes, j->o->cols, all->convex.descent.u, lanes,
                             all->convex.descent.u, lanes, 0, gram, lanes);
    for (size_t k = 0; k < j->classes; k++)
        for (size_t q = 0; q < k; q++)
            most = fmax(most, gram[k * lanes + k] + gram[q * lanes + q] - 2 * gram[k * lanes + q]);
    all->convex.proof.norm = sqrt(most);
    mem_free(gram);
    return SEPAL_OK;
}

sepal_status joint_fit(struct fit *fit, const struct joint_loss *loss) {
    struct joint_fit all = {.convex = {.fit = fit, .config = fit->config}};
    const struct joint_solver_row *row;
    const char *why;
    TRY(joint_set_up(&all, loss));
    TRY(joint_choose(&row, &why, &all));
    TRY(convex_warn_unused(&all.convex));
    TRY(joint_solve(&all, row));
    TRY(joint_find_margin(&all));
    joint_keep_weights(&all);
    if (all.convex.config->correct_priors) fit->decided = NULL; /* other biases */
    joint_correct_priors(&all.convex, &fit->linear);
    convex_warn_of_priors(&all.convex);
    if (!row->name.as_given) joint_settle_biases(&all);
    TRY(convex_separation(&all.convex));
    convex_warn(&all.convex);
    const struct convex_solver first = {.name = row->name};
    const struct convex_solver then = {.name = row->then ? row->then->name : row->name};
    convex_report(&all.convex, &(struct convex_plan){.first = &first, .then = &then, .why = why});
    return SEPAL_OK;
}
