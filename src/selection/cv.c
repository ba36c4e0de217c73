/* Cross-validation of one spec: how it does on rows that it has not seen, beside how it does on those it has. */
#include "selection/cv.h"

#include "core/clock.h"
#include "kernels/blas.h"

#include <math.h>
#include <string.h>

#define AT(field) offsetof(struct cv_options, field)
const struct parameter cv_option_table[] = {
    {"folds", PARAMETER_COUNT, AT(folds), "10", "[2, 1e6]", "folds of the cross-validation"},
    {"repeats", PARAMETER_COUNT, AT(repeats), "1", "[1, 10000]",
     "how often the rows are dealt out to folds anew"},
    {"loo", PARAMETER_FLAG, AT(loo), "false", "", "leave one row out at a time"},
    {"ordered", PARAMETER_FLAG, AT(ordered), "false", "",
     "blocks of the rows in their order, each judged by what comes before it"},
    {"fold-file", PARAMETER_FILE, AT(fold_file), NULL, "",
     "file with the fold of each row, a whole number; -1: always learnt from"},
    {"metric", PARAMETER_TEXT, AT(metric), NULL, "",
     "metrics to show, with commas between them, the one that judges first; accuracy, ... unless "
     "given"},
    {"positive", PARAMETER_TEXT, AT(positive), NULL, "",
     "the class that two-class metrics are about"},
    {0},
};

/* ---- what is asked for -------------------------------------------------------------------- */

/* Whether an option stands among those given, and not only its default. */
static sepal_status was_given(bool *out, struct cv *cv, const char *text, const char *name) {
    struct setting *settings;
    size_t n;
    TRY(settings_parse(&settings, &n, cv->ctx, &cv->arena, text));
    *out = false;
    for (size_t i = 0; i < n; i++) *out = *out || strcmp(settings[i].name, name) == 0;
    return SEPAL_OK;
}

static sepal_status refuse_pair(sepal_ctx *ctx, const char *one, const char *other) {
    return fail(ctx, SEPAL_EUSAGE, OPTION "%s and " OPTION "%s contradict each other; give one",
                one, other);
}

/* Each manner has its own idea of how many folds there are. */
static sepal_status check_manner(struct cv *cv, const char *text) {
    const struct cv_options *o = &cv->options;
    bool folds, repeats;
    const char *manner = o->loo         ? "loo"
                         : o->fold_file ? "fold-file"
                         : o->ordered   ? "ordered"
                                        : NULL;
    TRY(was_given(&folds, cv, text, "folds"));
    TRY(was_given(&repeats, cv, text, "repeats"));
    if (!manner) return SEPAL_OK;
    if (o->loo && o->fold_file) return refuse_pair(cv->ctx, "loo", "fold-file");
    if (o->loo && o->ordered) return refuse_pair(cv->ctx, "loo", "ordered");
    if (o->ordered && o->fold_file) return refuse_pair(cv->ctx, "ordered", "fold-file");
    if (folds && !o->ordered) return refuse_pair(cv->ctx, manner, "folds");
    if (repeats && o->repeats > 1)
        return fail(cv->ctx, SEPAL_EUSAGE,
                    OPTION "%s parts the rows in one way, so " OPTION
                           "repeats %zu would judge the same again; leave it out",
                    manner, o->repeats);
    return SEPAL_OK;
}

static sepal_status check_fit_options(struct cv *cv) {
    if (cv->parsed.warm)
        return fail(cv->ctx, SEPAL_EUSAGE,
                    "a model to start from may have learnt from the rows that are held out; "
                    "leave " OPTION "warm out");
    if (cv->parsed.bootstrap)
        return fail(cv->ctx, SEPAL_EUSAGE,
                    OPTION
                    "bootstrap is about one model of all rows; leave it out here, and give it "
                    "to `sepal train`");
    return SEPAL_OK;
}

static sepal_status cv_parse(struct cv *cv, const struct selection *asked) {
    cv->spec = asked->specs[0];
    cv->fit_options = asked->fit_options;
    cv->candidate = (struct candidate){cv->spec, cv->fit_options};
    TRY((asked->data ? pipeline_parse : pipeline_parse_ahead)(&cv->pipeline, cv->ctx, &cv->arena,
                                                              cv->spec));
    TRY(pipeline_parse_options(&cv->parsed, &cv->pipeline, cv->ctx, &cv->arena,
                               asked->fit_options));
    TRY(check_fit_options(cv));
    TRY(parameters_parse(&cv->options, cv->ctx, &cv->arena, cv_option_table, "cv", asked->options));
    TRY(check_manner(cv, asked->options));
    return metric_names_read(&cv->metrics, cv->ctx, &cv->arena, cv->options.metric,
                             cv->options.loo);
}

static sepal_status cv_check(const struct selection *asked) {
    struct cv cv = {.ctx = asked->ctx};
    sepal_status status = cv_parse(&cv, asked);
    arena_clear(&cv.arena);
    return status;
}

/* ---- the run ------------------------------------------------------------------------------ */

static sepal_status cv_plan(struct cv *cv) {
    const struct cv_options *o = &cv->options;
    double *given = NULL;
    cv->plan = (struct split_plan){.manner = SPLIT_STRATIFIED,
                                   .folds = o->folds,
                                   .repeats = o->repeats,
                                   .given_from = o->fold_file};
    if (o->loo) cv->plan.manner = SPLIT_LEAVE_ONE_OUT;
    if (o->ordered) cv->plan.manner = SPLIT_ORDERED;
    if (o->fold_file) {
        cv->plan.manner = SPLIT_GIVEN;
        TRY(fold_file_read(&given, cv->ctx, &cv->arena, o->fold_file, cv->data));
        cv->plan.given = given;
    } else if (cv->data->group) {
        if (o->loo) return refuse_pair(cv->ctx, "loo", "group");
        if (o->ordered) return refuse_pair(cv->ctx, "ordered", "group");
        cv->plan.manner = SPLIT_GROUPED;
    }
    return splits_make(&cv->splits, cv->ctx, cv->data, &cv->plan);
}

static sepal_status cv_whole(struct cv *cv, struct selection *asked) {
    TRY(pipeline_check_data(cv->ctx, cv->pipeline.learner, cv->data));
    TRY(cv_plan(cv));
    cv->trials = (struct trials){.ctx = cv->ctx,
                                 .data = cv->data,
                                 .splits = &cv->splits,
                                 .candidates = &cv->candidate,
                                 .n_candidates = 1,
                                 .positive = cv->options.positive,
                                 .judge_train = true};
    TRY(trials_run(&cv->trials));
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
