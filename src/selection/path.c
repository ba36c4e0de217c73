/* A path of penalties on all rows, the same on the rows outside of each fold, and the fit of the value
   that is chosen: that one is a fit like any other, so whoever trains by its spec has its very weights. */
#include "selection/path.h"

#include "core/alloc.h"
#include "core/clock.h"
#include "core/spec.h"
#include "kernels/blas.h"
#include "selection/folds.h"
#include "selection/task.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- what is asked for -------------------------------------------------------------------- */

static sepal_status refuse_learner(sepal_ctx *ctx, const struct learner *learner) {
    struct text able = {0};
    for (size_t i = 0; learner_table[i]; i++)
        if (learner_table[i]->path)
            text_printf(ctx, &able, "%s%s", able.length ? ", " : "", learner_table[i]->name);
    sepal_status status =
        able.failed
            ? SEPAL_EMEMORY
            : fail(ctx, SEPAL_EUSAGE, "%s has no path of penalties; learners that have one: %s",
                   learner->name, able.bytes);
    text_clear(&able);
    return status;
}

static sepal_status refuse_options(const struct path *path) {
    const struct fit_options *options = &path->fit_options;
    if (options->warm)
        return fail(path->ctx, SEPAL_EUSAGE,
                    "a path begins with weights of 0 and goes on by itself; leave " OPTION
                    "warm out");
    if (options->asked && options->asked->as_given)
        return fail(
            path->ctx, SEPAL_EUSAGE,
            "the solver %s proves no gap, and a path goes on from proved fits; leave " OPTION
            "solver out",
            options->asked->name);
    if (path->options.lambdas && !isnan(path->options.min_ratio))
        return fail(path->ctx, SEPAL_EUSAGE,
                    OPTION "lambdas has all values, so there is no place for " OPTION
                           "lambda-min-ratio; leave one of them out");
    return SEPAL_OK;
}

static sepal_status path_parse(struct path *path, const char *spec, const char *options,
                               const char *fit_options) {
    sepal_ctx *ctx = path->ctx;
    TRY(pipeline_parse(&path->pipeline, ctx, &path->arena, spec));
    const struct learner *learner = path->pipeline.learner;
    if (!learner->path) return refuse_learner(ctx, learner);
    TRY(learner->path->ratio(&path->ratio, ctx, path->pipeline.config));
    TRY(pipeline_parse_options(&path->fit_options, &path->pipeline, ctx, &path->arena,
                               fit_options));
    TRY(parameters_parse(&path->options, ctx, &path->arena, path_option_table, "the path",
                         options));
    TRY(refuse_options(path));
    return path_read_lambdas(path);
}

static sepal_status path_check(const struct selection *asked) {
    struct path path = {.ctx = asked->ctx};
    sepal_status status = path_parse(&path, asked->specs[0], asked->options, asked->fit_options);
    arena_clear(&path.arena);
    return status;
}

static sepal_status path_check_data(struct path *path) {
    const struct strategy *strategy = pipeline_strategy(&path->pipeline);
    size_t classes;
    TRY(pipeline_check_data(path->ctx, path->pipeline.learner, path->data));
    TRY(data_check_classes(path->ctx, &path->arena, path->data, " to learn from"));
    classes = path->data->schema->n_classes;
    if (classes > 2 && strategy->most_classes && classes > strategy->most_classes)
        return fail(path->ctx, SEPAL_EDATA, "%zu classes are more than %s fits (%zu); use ovr",
                    classes, strategy->name, strategy->most_classes);
    path->fold = arena_alloc(path->ctx, &path->arena, path->data->matrix.rows, sizeof *path->fold);
    if (!path->fold) return SEPAL_EMEMORY;
    return folds_make(path->fold, path->ctx, path->data, path->options.folds, 0);
}

/* ---- all rows ----------------------------------------------------------------------------- */

static sepal_status path_make_room(struct path *path) {
    size_t n = path->wanted, folds = path->options.folds;
    path->row = arena_zero(path->ctx, &path->arena, n, sizeof *path->row);
    path->fold_loss = arena_zero(path->ctx, &path->arena, n * folds, sizeof *path->fold_loss);
    path->fold_error = arena_zero(path->ctx, &path->arena, n * folds, sizeof *path->fold_error);
    path->fold_weight = arena_zero(path->ctx, &path->arena, folds, sizeof *path->fold_weight);
    if (!path->row || !path->fold_loss || !path->fold_error || !path->fold_weight)
        return SEPAL_EMEMORY;
    for (size_t k = 0; k < n; k++) path->row[k].converged = true;
    path->n = n;
    return SEPAL_OK;
}

/* After a run: the values that it did not come to are left out, if the clock has stopped it. */
static sepal_status path_take(struct path *path, const struct path_run *run) {
    char fold[64] = "";
    if (run->held)
        (void)snprintf(fold, sizeof fold, " in fold %zu of %zu", run->part, run->parts - 1);
    if (cancelled(path->ctx))
        return fail(path->ctx, SEPAL_ECANCEL,
                    "interrupted after %zu of %zu values of lambda%s; a choice needs all folds, so "
                    "there is nothing to save",
                    run->done, path->n, fold);
    if (run->done == 0)
        return fail(path->ctx, SEPAL_EUSAGE,
                    "the time was over before the first value of lambda was fitted%s; give " OPTION
                    "max-seconds more",
                    fold);
    path->n = run->done;
    return SEPAL_OK;
}

static sepal_status path_on_all(struct path *path) {
    struct path_run run = {
        .path = path, .train = path->data, .parts = path->options.folds + 1, .begins = true};
    if (!path->lambda) TRY(path_run(&run));
    TRY(path_grid(path, run.slope));
    TRY(path_make_room(path));
    run.begins = false;
    TRY(path_run(&run));
    path->seconds = clock_seconds_since(path->start_ns);
    return path_take(path, &run);
}

/* ---- folds -------------------------------------------------------------------------------- */

static sepal_status path_on_fold(struct path *path, size_t fold) {
    sepal_data *train = NULL, *held = NULL;
    sepal_status status = folds_select(&train, path->ctx, path->data, path->fold, fold, false);
    if (status == SEPAL_OK)
        status = folds_select(&held, path->ctx, path->data, path->fold, fold, true);
    if (status == SEPAL_OK) {
        struct path_run run = {.path = path,
                               .train = train,
                               .held = held,
                               .part = fold + 1,
                               .parts = path->options.folds + 1,
                               .loss = path->fold_loss + fold * path->wanted,
                               .error = path->fold_error + fold * path->wanted};
        path->fold_weight[fold] = held->total_weight;
        status = path_run(&run);
        if (status == SEPAL_OK) status = path_take(path, &run);
    }
    data_free(train);
    data_free(held);
    return status;
}

/* ---- the choice --------------------------------------------------------------------------- */

static void path_warn(const struct path *path) {
    size_t open = 0, chosen = path->options.choose == CHOOSE_ONE_SE ? path->one_se : path->best;
    for (size_t k = 0; k < path->n; k++) open += !path->row[k].converged;
    if (open)
        warn(path->ctx, "not-converged",
             "%zu of the %zu fits of the path did not come to the gap asked for; see `gap` in the "
             "table",
             open, path->n);
    if (path->n < path->wanted)
        warn(path->ctx, "path-cut",
             "the time was over after %zu of %zu values of lambda, and the choice is among these",
             path->n, path->wanted);
    if (chosen == path->n - 1 && path->best == path->n - 1)
        warn(path->ctx, "path-end",
             "the loss on held-out rows is least at the end of the path; a weaker penalty may be "
             "better: give a smaller " OPTION "lambda-min-ratio, or further " OPTION "lambdas");
}

/* The canonical spec of a value of the path. */
static const char *path_spec(struct path *path, size_t k) {
    const struct path_row *row = &path->row[k];
    path->pipeline.learner->path->set(path->pipeline.config, row->l1, row->l2);
    return pipeline_spec(path->ctx, &path->arena, &path->pipeline, path->data->schema->n_classes);
}

static sepal_status path_choose(sepal_model **out, struct path *path, const char *fit_options,
                                struct tree_maker *make, struct tree *report) {
    size_t chosen;
    path_judge(path);
    path_warn(path);
    chosen = path->options.choose == CHOOSE_ONE_SE ? path->one_se : path->best;
    const char *spec = path_spec(path, chosen);
    if (!spec) return SEPAL_EMEMORY;
    path_report(path, make, report, spec);
    struct tree *fit = tree_object(make, report, "fit");
    TRY(pipeline_fit(out, path->ctx, spec, path->data, fit_options, NULL, make, fit));
    if (cancelled(path->ctx)) {
        model_free(*out);
        *out = NULL;
        return fail(path->ctx, SEPAL_ECANCEL,
                    "interrupted in the fit of the value chosen; `sepal train` fits it, by -m "
                    "\"%.1000s\"",
                    spec);
    }
    return make->failed ? SEPAL_EMEMORY : SEPAL_OK;
}

static sepal_status path_whole(sepal_model **out, struct path *path, const char *fit_options,
                               struct tree_maker *make, struct tree *report) {
    TRY(path_check_data(path));
    TRY(path_on_all(path));
    for (size_t f = 0; f < path->options.folds; f++) TRY(path_on_fold(path, f));
    return path_choose(out, path, fit_options, make, report);
}

static sepal_status path_fit(struct selection *asked) {
    struct path path = {.ctx = asked->ctx, .data = asked->data, .start_ns = clock_ns()};
    blas_enter();
    sepal_status status = path_parse(&path, asked->specs[0], asked->options, asked->fit_options);
    if (status == SEPAL_OK)
        status = path_whole(&asked->model, &path, asked->fit_options, asked->make, asked->report);
    blas_leave();
    arena_clear(&path.arena);
    return status;
}

const struct selection_task task_path = {
    .name = "path",
    .summary = "fits along a path of penalties, and the choice of one by cross-validation",
    .parameters = path_option_table,
    .least_specs = 1,
    .most_specs = 1,
    .check = path_check,
    .run = path_fit,
};
