/* K classes by two-class problems: each class against the rest, or each pair. The problems are fitted
   one after the other, or all at once if the learner can; the answer to each is one row of the joint
   model. */
#include "multiclass/multiclass.h"

#include "core/alloc.h"
#include "core/clock.h"
#include "multiclass/problem.h"
#include "statistics/scatter_parts.h"

#include <float.h>
#include <math.h>
#include <string.h>

const struct strategy *strategy_default(const struct learner *learner, const void *config) {
    if (learner->sets) return &strategy_labels;
    return learner_is_machine(learner, config) ? &strategy_machine : &strategy_ovr;
}

enum { PROBLEMS_TOLD = 1000 }; /* the report has the facts of each, if there are no more */

struct multiclass_fit {
    struct fit *fit;
    const struct learner *learner;
    const struct strategy *strategy;
    struct linear joint;
    bool started;
    const struct fit *together; /* the problems' fits when all were fitted at once; NULL: not */
    double objective, dual;
    size_t iterations;
    bool converged;
    size_t alone, left; /* fitted together but for `left`: how many of these were begun alone */
    uint64_t start_ns;  /* of the first that is fitted alone */
    struct tree *told;
    struct tally tally;
};

/* ---- what cannot be reduced --------------------------------------------------------------- */

static sepal_status check_size(const struct multiclass_fit *all) {
    size_t classes = all->fit->data->schema->n_classes, most = all->strategy->most_classes;
    if (most == 0 || classes <= most) return SEPAL_OK;
    return fail(all->fit->ctx, SEPAL_EDATA,
                "%zu classes have %zu pairs, more than %s fits (%zu classes at most); use ovr%s",
                classes, all->strategy->functions(classes), all->strategy->name, most,
                learner_is_machine(all->learner, all->fit->config) ? " or machine" : "");
}

/* Priors are of all classes, and a problem has two. */
static sepal_status check_priors(const struct multiclass_fit *all) {
    if (!all->learner->priors || !all->learner->priors(all->fit->config)) return SEPAL_OK;
    return fail(all->fit->ctx, SEPAL_EUSAGE,
                "the priors of %s are of all %zu classes, and %s fits two at a time; leave the "
                "priors out, or the strategy",
                all->learner->name, all->fit->data->schema->n_classes, all->strategy->name);
}

/* ---- joining ------------------------------------------------------------------------------ */

/* The first answer says what the joint model is like. */
static sepal_status multiclass_start(struct multiclass_fit *all, const struct linear *one) {
    sepal_ctx *ctx = all->fit->ctx;
    size_t classes = all->fit->data->schema->n_classes;
    all->started = true;
    TRY(linear_init_rows(&all->joint, ctx, classes, all->strategy, one->cols, one->centre != NULL));
    all->joint.bits = one->bits;
    if (one->centre) memcpy(all->joint.centre, one->centre, one->cols * sizeof *one->centre);
    if (!density_is_quadratic(one->density)) return SEPAL_OK;
    return density_new(&all->joint.density, ctx, one->density->kind, 2 * all->joint.rows,
                       one->cols);
}

/* Both forms of a quadratic answer around the joint centre, and the slopes there. */
static sepal_status join_forms(struct multiclass_fit *all, const struct linear *one, size_t r) {
    struct linear *joint = &all->joint;
    const struct density *density = one->density;
    size_t cols = one->cols, root = density_root_size(density->kind, 2, cols);
    struct density pair = {.kind = density->kind,
                           .forms = 2,
                           .cols = cols,
                           .mean = joint->density->mean + 2 * r * cols,
                           .root = joint->density->root + r * root,
                           .constant = joint->density->constant + 2 * r};
    for (size_t f = 0; f < 2; f++)
        for (size_t j = 0; j < cols; j++)
            pair.mean[f * cols + j] =
                density->mean[f * cols + j] + (one->centre[j] - joint->centre[j]);
    memcpy(pair.constant, density->constant, 2 * sizeof *pair.constant);
    memcpy(pair.root, density->root, root * sizeof *pair.root);
    double logs[2], *slopes = mem_alloc(all->fit->ctx, 2 * cols, sizeof *slopes);
    if (!slopes) return SEPAL_EMEMORY;
    density_tangent(logs, slopes, &pair, NULL, all->fit->ctx->blas);
    for (size_t j = 0; j < cols; j++) joint->w[r * cols + j] = slopes[cols + j] - slopes[j];
    mem_free(slopes);
    return SEPAL_OK;
}

static sepal_status multiclass_join(struct multiclass_fit *all, const struct linear *one,
                                    size_t r) {
    if (!all->started) TRY(multiclass_start(all, one));
    struct linear *joint = &all->joint;
    size_t cols = joint->cols;
    joint->b[r] = one->b[0];
    if (joint->density) return join_forms(all, one, r);
    memcpy(joint->w + r * cols, one->w, cols * sizeof *one->w);
    /* of sparse rows some of the answers may have a centre, and others none */
    for (size_t j = 0; (one->centre || joint->centre) && j < cols; j++) {
        double from = one->centre ? one->centre[j] : 0, to = joint->centre ? joint->centre[j] : 0;
        joint->b[r] += one->w[j] * (to - from);
    }
    return SEPAL_OK;
}

/* ---- the fits ----------------------------------------------------------------------------- */

/* A time limit is for all problems: each has an equal part of what is left. */
static void divide_time(struct fit *fit, const struct fit *whole, size_t problems_left) {
    double limit = whole->options.max_seconds;
    if (isnan(limit)) return;
    double left = fmax(0, limit - clock_seconds_since(whole->start_ns));
    fit->options.max_seconds = left / (double)problems_left;
    fit->start_ns = clock_ns();
}

static void multiclass_add_up(struct multiclass_fit *all, const struct fit *fit,
                              const struct problem *problem) {
    struct fit *whole = all->fit;
    all->objective += fit->objective;
    all->dual += fit->dual;
    all->iterations += fit->iterations;
    all->converged = all->converged && fit->converged;
    whole->message_lost = whole->message_lost || fit->message_lost;
    if (fit->stopped) whole->stopped = fit->stopped;
    if (problem->r > 0) return;
    whole->solver = fit_text(whole, "%s, for %s two-class problem%s", fit->solver,
                             all->together ? "all" : "each", all->together ? "s at once" : "");
    whole->words = fit_text(whole, "the sum over all two-class problems of: %s", fit->words);
    if (fit->loss) whole->loss = fit_text(whole, "%s", fit->loss);
    whole->priors = fit->priors;
}

static void report_problem(struct multiclass_fit *all, const struct fit *fit) {
    tree_number(fit->make, fit->report, "objective", fit->objective);
    tree_number(fit->make, fit->report, "gap", fit->gap);
    tree_number(fit->make, fit->report, "iterations", (double)fit->iterations);
    tree_bool(fit->make, fit->report, "converged", fit->converged);
    if (fit->make->failed) all->fit->make->failed = true;
}

/* Fit one problem as if it were the whole task. */
static sepal_status fit_posed(struct multiclass_fit *all, struct fit *fit,
                              const struct problem *problem) {
    struct tree_maker unheard = {.ctx = fit->ctx, .arena = &fit->arena};
    fit->data = &problem->data;
    fit->own_label = problem->own_label;
    if (all->strategy->sets) /* its schema may have fewer labels than the data */
        fit->own_class = (size_t)schema_class_of(
            fit->own_schema, (struct slice){problem->names[1], strlen(problem->names[1])});
    else
        fit->own_schema = problem->own_schema;
    if (!all->told) fit->make = &unheard;
    fit->report = tree_object(fit->make, all->told, NULL);
    problem_report(fit->make, fit->report, problem);
    TRY(problem_trace(fit->ctx, problem));
    sepal_status status = all->learner->fit(fit);
    if (status != SEPAL_OK) problem_prefix_error(fit->ctx, problem);
    TRY(status);
    TRY(multiclass_join(all, &fit->linear, problem->r));
    multiclass_add_up(all, fit, problem);
    report_problem(all, fit);
    return SEPAL_OK;
}

/* Row r of a model to start from; it owns nothing. */
static struct linear warm_row(const struct linear *all, size_t r) {
    return (struct linear){.classes = 2,
                           .rows = 1,
                           .cols = all->cols,
                           .w = all->w + r * all->cols,
                           .b = all->b + r,
                           .centre = all->centre};
}

/* The fit of a problem before anything is known of it. */
static struct fit multiclass_blank(const struct fit *whole) {
    struct fit fit = *whole;
    fit.arena = (struct arena){0};
    fit.linear = (struct linear){0};
    fit.stopped = NULL;
    fit.dual = NAN;
    return fit;
}

/* ---- asked to stop ------------------------------------------------------------------------ */

/* The fit ended before its time, and has nothing. */
static bool is_empty(const struct fit *fit, const double *w, size_t cols) {
    return fit->stopped && numbers_are_zero(w, cols) && cancelled(fit->ctx);
}

/* All functions were fitted at once: an interrupted fit is a model if each has weights. `each`: the
   fits of the functions; NULL: they have one. */
static sepal_status check_begun(struct fit *fit, const struct linear *linear,
                                const struct fit *each) {
    bool whole = true;
    bool *has = mem_zero(fit->ctx, linear->rows, sizeof *has);
    if (!has) return SEPAL_EMEMORY;
    for (size_t r = 0; r < linear->rows; r++) {
        has[r] = !is_empty(each ? &each[r] : fit, linear->w + r * linear->cols, linear->cols);
        whole = whole && has[r];
    }
    sepal_status status =
        whole ? SEPAL_OK : problems_unfinished(fit->ctx, fit->data, linear->strategy, has);
    mem_free(has);
    return status;
}

/* The user asked to stop when the first `done` problems were. */
static sepal_status unfinished(const struct multiclass_fit *all, size_t done, size_t problems) {
    sepal_ctx *ctx = all->fit->ctx;
    bool *has = mem_zero(ctx, problems, sizeof *has);
    if (!has) return SEPAL_EMEMORY;
    for (size_t r = 0; r < done; r++) has[r] = true;
    sepal_status status = problems_unfinished(ctx, all->fit->data, all->strategy, has);
    mem_free(has);
    return status;
}

static sepal_status fit_problem(struct multiclass_fit *all, size_t r, size_t problems) {
    struct fit fit = multiclass_blank(all->fit);
    fit.among.done = all->together ? all->alone++ : r;
    fit.among.of = all->together ? all->left : problems;
    fit.among.start_ns = all->start_ns;
    struct problem problem;
    struct linear warm;
    struct scatter_left left = {.own = LEFT_CLASSES};
    size_t warnings = fit.ctx->n_warnings;
    const struct linear *from = all->together ? &all->joint : fit.warm;
    if (from) {
        warm = warm_row(from, r);
        fit.warm = &warm;
    }
    divide_time(&fit, all->fit, problems - r);
    sepal_status status = problem_pose(&problem, fit.ctx, all->fit->data, all->strategy, r);
    if (fit.left) { /* of parts of the rows that know all classes */
        left = *fit.left;
        left.own = problem.sides[1];
        left.lacking = problem.sides[0] != ALL_OTHERS;
        fit.left = &left;
    }
    if (status == SEPAL_OK) status = fit_posed(all, &fit, &problem);
    if (fit.left && left.lacking) all->fit->left->lacking = true;
    tally_take(&all->tally, fit.ctx, warnings, &problem);
    /* what was fitted together has weights for all; one by one, those to come have none */
    if (status == SEPAL_ECANCEL && !all->together)
        status = unfinished(all, r, problems);
    else if (status == SEPAL_OK && !all->together &&
             (is_empty(&fit, fit.linear.w, fit.linear.cols) ||
              (r + 1 < problems && cancelled(fit.ctx))))
        status = unfinished(all, fit.stopped ? r : r + 1, problems);
    linear_clear(&fit.linear);
    arena_clear(&fit.arena);
    problem_clear(&problem);
    return status;
}

/* ---- all at once ---------------------------------------------------------------------------- */

/* Fit the problems that are not done with one by one, and put all answers together. */
static sepal_status multiclass_finish(struct multiclass_fit *all, struct ovr_fits *rest) {
    all->joint = rest->joint;
    all->started = true;
    all->together = rest->each;
    all->start_ns = clock_ns();
    for (size_t r = 0; r < rest->n; r++) all->left += !rest->each[r].converged;
    for (size_t r = 0; r < rest->n; r++) {
        struct fit *fit = &rest->each[r];
        struct problem problem;
        bool stops = !fit->converged && cancelled(fit->ctx);
        if (stops) fit->stopped = "interrupted"; /* its weights stay as they are */
        if (fit->converged || rest->ended || stops) {
            problem_name(&problem, fit->data, rest->strategy, r);
            if (all->told) tree_adopt(all->told, fit->report);
            multiclass_add_up(all, fit, &problem);
            report_problem(all, fit);
        } else {
            all->iterations += fit->iterations;
            TRY(fit_problem(all, r, rest->n));
        }
    }
    return check_begun(all->fit, &all->joint, rest->each);
}

static sepal_status multiclass_fit_rest(struct multiclass_fit *all, size_t problems, bool *taken) {
    struct fit *whole = all->fit;
    struct ovr_fits rest = {.strategy = all->strategy, .n = problems};
    size_t sides[2];
    all->strategy->sides(0, whole->data->schema->n_classes, sides);
    *taken = false;
    if (!all->learner->fit_rest || sides[0] != ALL_OTHERS || whole->warm) return SEPAL_OK;
    rest.each = mem_zero(whole->ctx, problems, sizeof *rest.each);
    if (!rest.each) return SEPAL_EMEMORY;
    for (size_t r = 0; r < problems; r++) {
        struct problem problem;
        rest.each[r] = multiclass_blank(whole);
        rest.each[r].report = tree_object(whole->make, NULL, NULL);
        problem_name(&problem, whole->data, rest.strategy, r);
        problem_report(whole->make, rest.each[r].report, &problem);
    }
    sepal_status status = all->learner->fit_rest(whole, &rest);
    *taken = rest.taken;
    if (status == SEPAL_OK && rest.taken)
        status = multiclass_finish(all, &rest);
    else
        linear_clear(&rest.joint);
    for (size_t r = 0; r < problems; r++) arena_clear(&rest.each[r].arena);
    mem_free(rest.each);
    return status;
}

/* ---- together ----------------------------------------------------------------------------- */

static sepal_status fit_all(struct multiclass_fit *all) {
    sepal_ctx *ctx = all->fit->ctx;
    bool taken;
    size_t problems = all->strategy->functions(all->fit->data->schema->n_classes);
    if (problems <= PROBLEMS_TOLD)
        all->told = tree_array(all->fit->make, all->fit->report, "problems");
    TRY(multiclass_fit_rest(all, problems, &taken));
    all->start_ns = clock_ns();
    for (size_t r = 0; !taken && r < problems; r++) {
        if (progress(ctx, "two-class problem %zu of %zu", r + 1, problems))
            return unfinished(all, r, problems);
        TRY(fit_problem(all, r, problems));
    }
    tally_warn(&all->tally, ctx, problems);
    return SEPAL_OK;
}

sepal_status strategy_fit(struct fit *fit, const struct learner *learner,
                          const struct strategy *strategy) {
    if (strategy->sets) return label_sets_fit(fit, learner, strategy);
    if (fit->data->schema->n_classes == 2 || strategy->joint) {
        TRY(learner->fit(fit));
        return check_begun(fit, &fit->linear, NULL);
    }
    return problems_fit(fit, learner, strategy);
}

sepal_status problems_fit(struct fit *fit, const struct learner *learner,
                          const struct strategy *strategy) {
    struct multiclass_fit all = {
        .fit = fit, .learner = learner, .strategy = strategy, .converged = true};
    TRY(check_size(&all));
    TRY(check_priors(&all));
    sepal_status status = fit_all(&all);
    tally_clear(&all.tally);
    if (status != SEPAL_OK) {
        linear_clear(&all.joint);
        return status;
    }
    fit->linear = all.joint;
    fit->objective = all.objective;
    fit->iterations = all.iterations;
    fit->converged = all.converged;
    fit->dual = all.dual;
    fit->gap = (all.objective - all.dual) / fmax(fabs(all.objective), 1e-300);
    if (fit->gap < DBL_EPSILON) fit->gap = DBL_EPSILON; /* less is not known */
    return SEPAL_OK;
}
