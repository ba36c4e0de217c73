/* A grid of specs, each fitted on the splits of a cross-validation; the choice of one by a metric on the rows
   held out; and its fit to all rows, which is a fit like any other, so whoever trains by its spec has its very
   weights. */
#include "selection/tune.h"

#include <math.h>
#include <string.h>

#define AT(field) offsetof(struct tune_options, field)
static const struct parameter tune_option_table[] = {
    {"over", PARAMETER_LIST, AT(over), NULL, "",
     "a parameter and the values to try, NAME=V1,V2,..., NAME=LOW:HIGH:log:N, NAME=LOW:HIGH:N; of "
     "several all combinations"},
    {"metric", PARAMETER_TEXT, AT(metric), NULL, "",
     "what to choose by: log_loss, accuracy, f1, macro.f1, ... (`sepal list metrics`); log_loss "
     "unless given, or accuracy without probabilities"},
    {"choose", PARAMETER_CHOICE, AT(choose), "1se", "1se|min|best",
     "the value to fit: best (or min) does best on held-out rows, 1se is the simplest, or the "
     "strongest penalty, within a standard error of it"},
    SPLIT_PARAMETERS(tune_options, "10"),
    {"nested", PARAMETER_COUNT, AT(nested), "0", "[0, 1e6]",
     "judge the choice itself, by so many folds around it; 0: not"},
    {"positive", PARAMETER_TEXT, AT(positive), NULL, "",
     "the class that two-class metrics are about; the second unless given"},
    {"cutoff-for", PARAMETER_TEXT, AT(cutoff_for), NULL, "",
     "choose the cutoff, too, by held-out rows: for f1, accuracy, balanced_accuracy, mcc, "
     "macro.f1, ..., or cost; the model keeps it"},
    {"cost-fp", PARAMETER_REAL, AT(cost_fp), NULL, "[0, inf)",
     "what a false alarm costs, for the cutoff; 1 unless given"},
    {"cost-fn", PARAMETER_REAL, AT(cost_fn), NULL, "[0, inf)",
     "what a miss of the positive class costs, for the cutoff; 1 unless given"},
    {0},
};

/* ---- what is asked for --------------------------------------------------------------------- */

static bool names_decision(const char *options) {
    return options && (strstr(options, "decide") || strstr(options, "cutoff"));
}

static sepal_status tune_read(struct tuning *tuning) {
    const struct selection *asked = tuning->asked;
    sepal_ctx *ctx = tuning->ctx;
    struct tune_options *options = &tuning->options;
    const char *over;
    TRY(parameters_parse(options, ctx, &tuning->arena, tune_option_table, "tune", asked->options));
    TRY(measure_check(ctx, options->metric));
    TRY(measure_check_loo(ctx, options->metric, options->splits.loo));
    TRY(cutoff_goal_read(&tuning->goal, ctx, options->cutoff_for, options->cost_fp,
                         options->cost_fn));
    if (tuning->goal.name && names_decision(asked->fit_options))
        return fail(ctx, SEPAL_EUSAGE,
                    OPTION "cutoff-for chooses the cutoff; leave " OPTION "decide and " OPTION
                           "cutoff out");
    if (options->nested == 1)
        return fail(ctx, SEPAL_EUSAGE, OPTION "nested 1 is no cross-validation; give 2 or more");
    TRY(split_options_check(&options->splits, ctx, &tuning->arena, asked->options));
    if (options->nested > 0 && options->splits.fold_file)
        return fail(ctx, SEPAL_EUSAGE,
                    OPTION "nested makes folds within folds, and " OPTION "fold-file has no such; "
                           "give one of them");
    TRY(measure_check_fit(ctx, asked->specs[0], asked->fit_options));
    over = options->over;
    tuning->usual = !over;
    if (!over) TRY(grid_usual(&over, ctx, &tuning->arena, asked->specs[0]));
    return grid_make(&tuning->grid, ctx, &tuning->arena, asked->specs[0], over, asked->fit_options);
}

static sepal_status make_candidates(struct tuning *tuning) {
    const struct grid *grid = &tuning->grid;
    tuning->candidates =
        arena_alloc(tuning->ctx, &tuning->arena, grid->n, sizeof *tuning->candidates);
    if (!tuning->candidates) return SEPAL_EMEMORY;
    for (size_t k = 0; k < grid->n; k++) {
        const char *spec = grid_spec(grid, k);
        if (!spec) return SEPAL_EMEMORY;
        tuning->candidates[k] = (struct candidate){spec, tuning->asked->fit_options};
    }
    return SEPAL_OK;
}

/* A cutoff is for two classes and their probabilities. */
static sepal_status check_goal(struct tuning *tuning) {
    const sepal_data *data = tuning->asked->data;
    struct measure loss;
    if (!tuning->goal.name) return SEPAL_OK;
    if (data->schema->n_classes != 2 || data->set_start)
        return fail(tuning->ctx, SEPAL_EUSAGE,
                    OPTION "cutoff-for is about two classes, and the data has %zu%s; leave it out",
                    data->schema->n_classes, data->set_start ? " labels" : "");
    TRY(measure_positive(&tuning->goal.positive, tuning->ctx, data, tuning->options.positive));
    return measure_find(&loss, tuning->ctx, &tuning->arena, "log_loss", tuning->options.positive,
                        data, tuning->candidates, tuning->grid.n);
}

/* The folds around the choice, which come after the grid: too many are better refused before it. */
static sepal_status check_nested(const struct tuning *tuning) {
    const sepal_data *data = tuning->asked->data;
    size_t rows = data->matrix.rows, nested = tuning->options.nested, most = rows;
    if (tuning->options.splits.ordered) most = rows - 1;
    if (data->group) most = data->n_groups;
    if (nested <= most) return SEPAL_OK;
    return fail(tuning->ctx, SEPAL_EUSAGE,
                OPTION "nested %zu is more than the %zu %s allow; give " OPTION
                       "nested a number from 2 to %zu",
                nested, data->group ? most : rows, data->group ? "groups" : "rows", most);
}

static sepal_status tune_prepare(struct tuning *tuning) {
    const sepal_data *data = tuning->asked->data;
    TRY(check_nested(tuning));
    TRY(data_check_classes(tuning->ctx, &tuning->arena, data, " to learn from"));
    TRY(split_options_plan(&tuning->plan, &tuning->options.splits, tuning->ctx, &tuning->arena,
                           data));
    TRY(make_candidates(tuning));
    TRY(measure_find(&tuning->measure, tuning->ctx, &tuning->arena, tuning->options.metric,
                     tuning->options.positive, data, tuning->candidates, tuning->grid.n));
    return check_goal(tuning);
}

/* ---- a round ------------------------------------------------------------------------------- */

const char *tune_fit_options(const struct tuning *tuning, struct arena *arena,
                             const struct cutoff *cutoff) {
    const char *given = tuning->asked->fit_options;
    struct text text = {0};
    if (isnan(cutoff->value)) return given ? given : "";
    text_printf(tuning->ctx, &text, "%s%sdecide=hard, cutoff=", given ? given : "",
                given && *given ? ", " : "");
    text_number(tuning->ctx, &text, cutoff->value);
    const char *copy = text.failed ? NULL : arena_text(tuning->ctx, arena, text.bytes, text.length);
    text_clear(&text);
    return copy;
}

sepal_status tune_round(struct tune_round *out, const struct tuning *tuning,
                        const sepal_data *data) {
    size_t n = tuning->grid.n;
    *out = (struct tune_round){.cutoff = {NAN, NAN, NAN, 0}};
    TRY(splits_make(&out->splits, tuning->ctx, data, &tuning->plan));
    out->trials = (struct trials){.ctx = tuning->ctx,
                                  .data = data,
                                  .splits = &out->splits,
                                  .candidates = tuning->candidates,
                                  .n_candidates = n,
                                  .positive = tuning->options.positive,
                                  .judge_train = data == tuning->asked->data,
                                  .metrics = &tuning->measure.path,
                                  .n_metrics = 1,
                                  .keep_rows = tuning->goal.name != NULL};
    TRY(trials_run(&out->trials));
    TRY(measure_check_trials(&tuning->measure, &out->trials));
    out->valid = arena_alloc(tuning->ctx, &out->trials.arena, n, sizeof *out->valid);
    out->train = arena_alloc(tuning->ctx, &out->trials.arena, n, sizeof *out->train);
    if (!out->valid || !out->train) return SEPAL_EMEMORY;
    for (size_t k = 0; k < n; k++) {
        out->valid[k] = trials_spread(&out->trials, k, true, tuning->measure.path);
        out->train[k] = trials_spread(&out->trials, k, false, tuning->measure.path);
    }
    TRY(tune_choose(out, tuning));
    if (!tuning->goal.name) return SEPAL_OK;
    return cutoff_find(&out->cutoff, &out->trials, out->chosen, &tuning->goal);
}

void tune_round_clear(struct tune_round *round) {
    trials_clear(&round->trials);
    splits_clear(&round->splits);
}

/* ---- the whole ----------------------------------------------------------------------------- */

static sepal_status tune_refit(struct tuning *tuning, const struct tune_round *round,
                               const char *spec) {
    struct selection *asked = tuning->asked;
    struct tree *fit = tree_object(asked->make, asked->report, "fit");
    const char *options = tune_fit_options(tuning, &tuning->arena, &round->cutoff);
    if (!options) return SEPAL_EMEMORY;
    TRY(pipeline_fit(&asked->model, tuning->ctx, spec, asked->data, options, NULL, asked->make,
                     fit));
    if (!cancelled(tuning->ctx)) return asked->make->failed ? SEPAL_EMEMORY : SEPAL_OK;
    model_free(asked->model);
    asked->model = NULL;
    return fail(tuning->ctx, SEPAL_ECANCEL,
                "interrupted in the fit of the values chosen; `sepal train` fits them, by -m "
                "\"%.1000s\"",
                spec);
}

/* The canonical spec of a point. */
static sepal_status canonical_spec(const char **out, struct tuning *tuning, size_t point) {
    struct pipeline pipeline;
    TRY(pipeline_parse(&pipeline, tuning->ctx, &tuning->arena, tuning->candidates[point].spec));
    *out = pipeline_spec(tuning->ctx, &tuning->arena, &pipeline,
                         tuning->asked->data->schema->n_classes);
    return *out ? SEPAL_OK : SEPAL_EMEMORY;
}

static sepal_status tune_whole(struct tuning *tuning, struct tune_round *round) {
    struct nested nested = {0};
    const char *spec;
    TRY(tune_prepare(tuning));
    TRY(tune_round(round, tuning, tuning->asked->data));
    tune_warn(round, tuning);
    if (tuning->options.nested > 0) TRY(tune_nested(&nested, tuning));
    TRY(canonical_spec(&spec, tuning, round->chosen));
    tune_report(tuning, round, &nested, spec);
    return tune_refit(tuning, round, spec);
}

static sepal_status tune_run(struct selection *asked) {
    struct tuning tuning = {.asked = asked, .ctx = asked->ctx};
    struct tune_round round = {0};
    sepal_status status = tune_read(&tuning);
    if (status == SEPAL_OK) status = tune_whole(&tuning, &round);
    tune_round_clear(&round);
    arena_clear(&tuning.arena);
    return status;
}

static sepal_status tune_check(const struct selection *asked) {
    struct selection copy = *asked;
    struct tuning tuning = {.asked = &copy, .ctx = asked->ctx};
    sepal_status status = tune_read(&tuning);
    arena_clear(&tuning.arena);
    return status;
}

const struct selection_task task_tune = {
    .name = "tune",
    .summary = "the values of parameters, chosen from a grid by cross-validation",
    .parameters = tune_option_table,
    .least_specs = 1,
    .most_specs = 1,
    .check = tune_check,
    .run = tune_run,
};
