/* K classes by two-class problems: each class against the rest, or each pair. A problem is the data
   with other labels, or some of its rows; its answer is one row of the joint model. */
#include "multiclass/reduction.h"

#include "core/alloc.h"
#include "linear/decide.h"

#include <math.h>
#include <string.h>

const struct reduction reduction_machine = {
    .name = "machine",
    .summary = "one linear function per class, fitted together; the largest score wins",
    .decode = DECODE_ARGMAX,
};
static const struct reduction reduction_ovr = {
    .name = "ovr",
    .summary = "each class against the rest, K functions; the largest score wins",
    .decode = DECODE_OVR,
};
static const struct reduction reduction_ovr_1 = {
    .name = "ovr-1",
    .summary = "each class but the last against the rest; what nobody claims is of the last",
    .decode = DECODE_OVR_1,
};
static const struct reduction reduction_ovo = {
    .name = "ovo",
    .summary = "each class against each other, K(K-1)/2 functions; most votes win",
    .decode = DECODE_OVO,
};

const struct reduction *const reduction_table[] = {&reduction_ovr, &reduction_ovr_1, &reduction_ovo,
                                                   &reduction_machine, NULL};

const struct reduction *reduction_find(const char *name) {
    for (const struct reduction *const *row = reduction_table; *row; row++)
        if (strcmp((*row)->name, name) == 0) return *row;
    return NULL;
}

const struct reduction *reduction_default(const struct learner *learner) {
    return learner->machine ? &reduction_machine : &reduction_ovr;
}

/* Pairs of more classes take gigabytes of weights and days of fits. */
enum { OVO_MOST_CLASSES = 512 };

/* One of the two-class problems. */
struct problem {
    size_t r;              /* its row in the joint model */
    struct schema schema;  /* of two classes */
    const char *names[2];  /* theirs */
    sepal_data data;       /* borrows all but the labels */
    sepal_data *selected;  /* the rows of a pair; NULL: all rows */
    int32_t *label;
};

struct reducing {
    struct fit *fit;
    const struct learner *learner;
    const struct reduction *reduction;
    struct linear joint;
    bool started;
    double objective;
    size_t iterations;
    bool converged;
};

/* ---- the problems ------------------------------------------------------------------------- */

static sepal_status select_pair(struct problem *problem, sepal_ctx *ctx, const sepal_data *all,
                                size_t i, size_t j) {
    size_t n = 0;
    size_t *rows = mem_alloc(ctx, all->matrix.rows, sizeof *rows);
    if (!rows) return SEPAL_EMEMORY;
    for (size_t row = 0; row < all->matrix.rows; row++)
        if (all->label[row] == (int32_t)i || all->label[row] == (int32_t)j) rows[n++] = row;
    sepal_status status = data_select(&problem->selected, ctx, all, rows, n);
    mem_free(rows);
    return status;
}

static sepal_status pose(struct problem *problem, const struct reducing *all) {
    const sepal_data *data = all->fit->data;
    sepal_ctx *ctx = all->fit->ctx;
    size_t i = 0, j = problem->r;
    problem->names[0] = "the rest";
    if (all->reduction->decode == DECODE_OVO) {
        pair_classes(problem->r, data->schema->n_classes, &i, &j);
        problem->names[0] = data->schema->classes[i];
        TRY(select_pair(problem, ctx, data, i, j));
        data = problem->selected;
    }
    problem->names[1] = data->schema->classes[j];
    problem->label = mem_alloc(ctx, data->matrix.rows, sizeof *problem->label);
    if (!problem->label) return SEPAL_EMEMORY;
    for (size_t row = 0; row < data->matrix.rows; row++)
        problem->label[row] = data->label[row] == (int32_t)j;
    problem->data = *data;
    problem->data.label = problem->label;
    memcpy(&problem->schema, data->schema, sizeof problem->schema);
    problem->schema.n_classes = 2;
    problem->schema.classes = problem->names;
    problem->data.schema = &problem->schema;
    return SEPAL_OK;
}

static void drop(struct problem *problem) {
    mem_free(problem->label);
    data_free(problem->selected);
}

/* ---- joining ------------------------------------------------------------------------------ */

/* The first answer says what the joint model is like. */
static sepal_status start(struct reducing *all, const struct linear *one) {
    sepal_ctx *ctx = all->fit->ctx;
    size_t classes = all->fit->data->schema->n_classes;
    all->started = true;
    TRY(linear_init_rows(&all->joint, ctx, classes, all->reduction->decode, one->cols,
                         one->centre != NULL));
    all->joint.bits = one->bits;
    if (one->centre) memcpy(all->joint.centre, one->centre, one->cols * sizeof *one->centre);
    if (!density_is_quadratic(one->density)) return SEPAL_OK;
    return density_new(&all->joint.density, ctx, one->density->kind, 2 * all->joint.rows, one->cols);
}

/* Both forms of a quadratic answer, around the joint centre. */
static void join_forms(struct density *joint, const struct linear *one, const double *centre,
                       size_t r) {
    const struct density *density = one->density;
    size_t cols = one->cols, root = density_root_size(density->kind, 2, cols);
    double *mean = joint->mean + 2 * r * cols;
    for (size_t f = 0; f < 2; f++)
        for (size_t j = 0; j < cols; j++)
            mean[f * cols + j] = density->mean[f * cols + j] + (one->centre[j] - centre[j]);
    memcpy(joint->constant + 2 * r, density->constant, 2 * sizeof *joint->constant);
    memcpy(joint->root + r * root, density->root, root * sizeof *joint->root);
}

static sepal_status join(struct reducing *all, const struct linear *one, size_t r) {
    if (!all->started) TRY(start(all, one));
    struct linear *joint = &all->joint;
    size_t cols = joint->cols;
    memcpy(joint->w + r * cols, one->w, cols * sizeof *one->w);
    joint->b[r] = one->b[0];
    if (joint->density) {
        join_forms(joint->density, one, joint->centre, r);
        return SEPAL_OK;
    }
    for (size_t j = 0; one->centre && j < cols; j++)
        joint->b[r] += one->w[j] * (joint->centre[j] - one->centre[j]);
    return SEPAL_OK;
}

/* ---- the fits ----------------------------------------------------------------------------- */

/* Fit one problem as if it were the whole task. */
static sepal_status fit_problem(struct reducing *all, struct problem *problem) {
    struct fit *whole = all->fit;
    struct fit fit = *whole;
    TRY(pose(problem, all));
    fit.data = &problem->data;
    fit.arena = (struct arena){0};
    fit.linear = (struct linear){0};
    fit.report = tree_object(whole->make, NULL, NULL); /* their facts are too many to tell */
    sepal_status status = all->learner->fit(&fit);
    if (status == SEPAL_OK) status = join(all, &fit.linear, problem->r);
    all->objective += fit.objective;
    all->iterations += fit.iterations;
    all->converged = all->converged && fit.converged;
    whole->speechless = whole->speechless || fit.speechless;
    if (fit.stopped) whole->stopped = fit.stopped;
    if (problem->r == 0) {
        whole->solver = fit_text(whole, "%s, for each two-class problem", fit.solver);
        whole->words = fit_text(whole, "the sum over all two-class problems of: %s", fit.words);
    }
    linear_clear(&fit.linear);
    arena_clear(&fit.arena);
    return status;
}

/* Every class must be told from something. */
static sepal_status check_size(const struct reducing *all) {
    size_t classes = all->fit->data->schema->n_classes;
    if (all->reduction->decode != DECODE_OVO || classes <= OVO_MOST_CLASSES) return SEPAL_OK;
    return fail(all->fit->ctx, SEPAL_EDATA,
                "%zu classes have %zu pairs, more than ovo fits (%d classes at most); use ovr%s",
                classes, classes * (classes - 1) / 2, OVO_MOST_CLASSES,
                all->learner->machine ? " or machine" : "");
}

/* A warning that every problem gives is given once. */
static void merge_warnings(sepal_ctx *ctx, size_t before, size_t after, size_t *repeated) {
    for (size_t i = after; i-- > before;) {
        size_t k = 0;
        while (k < i && strcmp(ctx->warnings[k].code, ctx->warnings[i].code) != 0) k++;
        if (k == i || i + 1 != ctx->n_warnings) continue;
        mem_free((char *)(uintptr_t)ctx->warnings[i].message);
        ctx->n_warnings--;
        ++*repeated;
    }
}

static sepal_status fit_all(struct reducing *all) {
    struct fit *fit = all->fit;
    sepal_ctx *ctx = fit->ctx;
    size_t problems = decode_rows(all->reduction->decode, fit->data->schema->n_classes);
    size_t first_warning = ctx->n_warnings, repeated = 0;
    for (size_t r = 0; r < problems; r++) {
        struct problem problem = {.r = r};
        size_t before = ctx->n_warnings;
        sepal_status status = fit_problem(all, &problem);
        drop(&problem);
        TRY(status);
        if (r > 0) merge_warnings(ctx, before, ctx->n_warnings, &repeated);
        if (fit->stopped && cancelled(ctx) && r + 1 < problems)
            return fail(ctx, SEPAL_ECANCEL, "stopped in problem %zu of %zu", r + 1, problems);
    }
    if (repeated && ctx->n_warnings > first_warning)
        warn(ctx, "repeated", "%zu more of the %zu two-class problems gave the same warnings",
             repeated, problems);
    return SEPAL_OK;
}

sepal_status reduction_fit(struct fit *fit, const struct learner *learner,
                           const struct reduction *reduction) {
    struct reducing all = {
        .fit = fit, .learner = learner, .reduction = reduction, .converged = true};
    if (fit->data->schema->n_classes == 2 || reduction == &reduction_machine)
        return learner->fit(fit);
    TRY(check_size(&all));
    sepal_status status = fit_all(&all);
    if (status != SEPAL_OK) {
        linear_clear(&all.joint);
        return status;
    }
    fit->linear = all.joint;
    fit->objective = all.objective;
    fit->iterations = all.iterations;
    fit->converged = all.converged;
    fit->gap = NAN;
    return SEPAL_OK;
}
