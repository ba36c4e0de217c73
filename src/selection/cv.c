/* Cross-validation of one spec: how it does on rows that it has not seen, beside how it does on those it has. */
#include "selection/cv.h"

#include "core/clock.h"
#include "kernels/blas.h"
#include "selection/measure.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define AT(field) offsetof(struct cv_options, field)
const struct parameter cv_option_table[] = {
    SPLIT_PARAMETERS(cv_options, "10"),
    {"metric", PARAMETER_TEXT, AT(metric), NULL, "",
     "metrics to show, with commas between them, the one that judges first; accuracy, ... unless "
     "given"},
    {"positive", PARAMETER_TEXT, AT(positive), NULL, "",
     "the class that two-class metrics are about"},
    {0},
};

/* ---- what is asked for -------------------------------------------------------------------- */

static sepal_status cv_parse(struct cv *cv, const struct selection *asked) {
    cv->spec = asked->specs[0];
    cv->fit_options = asked->fit_options;
    cv->candidate = (struct candidate){cv->spec, cv->fit_options};
    TRY((asked->data ? pipeline_parse : pipeline_parse_ahead)(&cv->pipeline, cv->ctx, &cv->arena,
                                                              cv->spec));
    TRY(pipeline_parse_options(&cv->parsed, &cv->pipeline, cv->ctx, &cv->arena,
                               asked->fit_options));
    TRY(split_options_check_fit(cv->ctx, &cv->parsed));
    TRY(parameters_parse(&cv->options, cv->ctx, &cv->arena, cv_option_table, "cv", asked->options));
    TRY(split_options_check(&cv->options.splits, cv->ctx, &cv->arena, asked->options));
    return metric_names_read(&cv->metrics, cv->ctx, &cv->arena, cv->options.metric,
                             cv->options.splits.loo);
}

static sepal_status cv_check(const struct selection *asked) {
    struct cv cv = {.ctx = asked->ctx};
    sepal_status status = cv_parse(&cv, asked);
    arena_clear(&cv.arena);
    return status;
}

/* ---- the run ------------------------------------------------------------------------------ */

static sepal_status cv_plan(struct cv *cv) {
    TRY(split_options_plan(&cv->plan, &cv->options.splits, cv->ctx, &cv->arena, cv->data));
    return splits_make(&cv->splits, cv->ctx, cv->data, &cv->plan);
}

/* The numbers of the positive class get a place of their own, where its label stood. */
static void place_positive(struct tree_maker *make, const struct cv *cv, struct tree *judged,
                           size_t class) {
    struct tree *row = tree_object(make, NULL, NULL);
    for (size_t m = 0; m < cv->metrics.n; m++) {
        const char *metric = cv->metrics.path[m];
        char path[96];
        if (strncmp(metric, "positive.", 9) != 0 || tree_find(row, metric + 9)) continue;
        (void)snprintf(path, sizeof path, "per_class.%zu.%s", class, metric + 9);
        const struct tree *number = tree_path(judged, path);
        if (number) tree_copy(make, row, metric + 9, number);
    }
    tree_replace(make, judged, "positive", row);
}

static sepal_status place_positives(struct cv *cv) {
    struct tree_maker make = {.ctx = cv->ctx, .arena = &cv->arena};
    bool asked = false;
    size_t class;
    for (size_t m = 0; m < cv->metrics.n; m++)
        asked = asked || strncmp(cv->metrics.path[m], "positive.", 9) == 0;
    if (!asked) return SEPAL_OK;
    TRY(measure_positive(&class, cv->ctx, cv->data, cv->options.positive));
    for (size_t s = 0; s < cv->splits.n; s++) {
        place_positive(&make, cv, cv->trials.of[s].train, class);
        place_positive(&make, cv, cv->trials.of[s].valid, class);
    }
    return make.failed ? SEPAL_EMEMORY : SEPAL_OK;
}

static sepal_status cv_whole(struct cv *cv, struct selection *asked) {
    TRY(pipeline_check_data(cv->ctx, cv->pipeline.learner, cv->data));
    for (size_t m = 0; m < cv->metrics.n; m++)
        TRY(measure_check_two(cv->ctx, cv->metrics.path[m], cv->data));
    TRY(cv_plan(cv));
    cv->trials = (struct trials){.ctx = cv->ctx,
                                 .data = cv->data,
                                 .splits = &cv->splits,
                                 .candidates = &cv->candidate,
                                 .n_candidates = 1,
                                 .positive = cv->options.positive,
                                 .judge_train = true,
                                 .metrics = cv->metrics.path,
                                 .n_metrics = cv->metrics.n};
    TRY(trials_run(&cv->trials));
    TRY(place_positives(cv));
    TRY(cv_report(cv, asked->make, asked->report));
    if (!asked->wants_model) return SEPAL_OK;
    struct tree *fit = tree_object(asked->make, asked->report, "fit");
    TRY(pipeline_fit(&asked->model, cv->ctx, cv->spec, cv->data, cv->fit_options, NULL, asked->make,
                     fit));
    return check_cancelled(cv->ctx, "fitting all rows");
}

static sepal_status cv_run(struct selection *asked) {
    struct cv cv = {.ctx = asked->ctx, .data = asked->data, .start_ns = clock_ns()};
    blas_enter();
    sepal_status status = cv_parse(&cv, asked);
    if (status == SEPAL_OK) status = cv_whole(&cv, asked);
    blas_leave();
    trials_clear(&cv.trials);
    splits_clear(&cv.splits);
    arena_clear(&cv.arena);
    return status;
}

const struct selection_task task_cv = {
    .name = "cv",
    .summary = "how a spec does on rows held out, beside how it does on those it has learnt from",
    .parameters = cv_option_table,
    .least_specs = 1,
    .most_specs = 1,
    .check = cv_check,
    .run = cv_run,
};
