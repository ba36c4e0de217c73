/* All specs on the same splits, so that what a split has of easy and hard rows is the same for all, and the
   differences can be tested in pairs. Of each pair of them, with p-values adjusted for all pairs: then also
   those with the best are right, which is known only afterwards. */
#include "selection/compare.h"

#include "core/alloc.h"
#include "core/clock.h"
#include "data/class_sample.h"

#include <math.h>
#include <string.h>

#define AT(field) offsetof(struct compare_options, field)
static const struct parameter compare_option_table[] = {
    {"metric", PARAMETER_TEXT, AT(metric), NULL, "",
     "what to compare: log_loss, accuracy, f1, macro.f1, ... (`sepal list metrics`); log_loss "
     "unless given, or accuracy where one has no probabilities"},
    SPLIT_PARAMETERS(compare_options, "10"),
    {"positive", PARAMETER_TEXT, AT(positive), NULL, "",
     "the class that two-class metrics are about; the second unless given"},
    {"compare-rows", PARAMETER_COUNT, AT(most_rows), "0", "[0, 1e15]",
     "compare on so many rows at most, with their share of each class; 0: all, but without -m as "
     "many as take seconds"},
    {0},
};

/* ---- what is asked for --------------------------------------------------------------------- */

static sepal_status add_model(struct comparison *all, const char *spec) {
    struct pipeline pipeline;
    TRY((all->asked->data ? pipeline_parse : pipeline_parse_ahead)(&pipeline, all->ctx, &all->arena,
                                                                   spec));
    struct compared *model = &all->models[all->n++];
    model->spec = spec;
    model->in_short = pipeline_short_spec(all->ctx, &all->arena, &pipeline);
    if (!model->in_short) return SEPAL_EMEMORY;
    for (size_t i = 0; i + 1 < all->n; i++)
        if (strcmp(all->models[i].in_short, model->in_short) == 0)
            return fail(all->ctx, SEPAL_EUSAGE,
                        "%.200s is given twice, and does not differ from itself; leave it out once",
                        model->in_short);
    return SEPAL_OK;
}

static sepal_status read_specs(struct comparison *all) {
    const struct selection *asked = all->asked;
    all->models = arena_zero(all->ctx, &all->arena, asked->n_specs, sizeof *all->models);
    if (!all->models) return SEPAL_EMEMORY;
    for (size_t i = 0; i < asked->n_specs; i++) {
        TRY(measure_check_fit(all->ctx, asked->specs[i], asked->fit_options));
        TRY(add_model(all, asked->specs[i]));
    }
    return SEPAL_OK;
}

static sepal_status compare_read(struct comparison *all) {
    const struct selection *asked = all->asked;
    TRY(parameters_parse(&all->options, all->ctx, &all->arena, compare_option_table, "compare",
                         asked->options));
    TRY(split_options_check(&all->options.splits, all->ctx, &all->arena, asked->options));
    TRY(measure_check(all->ctx, all->options.metric));
    TRY(measure_check_loo(all->ctx, all->options.metric, all->options.splits.loo));
    all->usual = asked->n_specs == 0;
    return all->usual ? SEPAL_OK : read_specs(all);
}

/* ---- the rows ------------------------------------------------------------------------------ */

/* Without specs no long wait was asked for. */
static double most_rows(const struct comparison *all) {
    static const double MOST_ROWS = 20000, MOST_NUMBERS = 2e6;
    const struct matrix *x = &all->asked->data->matrix;
    double numbers = x->sparse ? (double)x->nonzeros : (double)x->rows * (double)x->cols;
    double rows = (double)x->rows;
    if (all->options.most_rows > 0) return fmin(rows, (double)all->options.most_rows);
    if (!all->usual) return rows;
    return fmin(fmin(rows, MOST_ROWS),
                numbers > MOST_NUMBERS ? rows * MOST_NUMBERS / numbers : rows);
}

/* A class keeps a row for each fold, so that none is rarer on each than it need be, and what is said of
   its rows is said of all that it has. */
static sepal_status take_rows(struct comparison *all) {
    const sepal_data *data = all->asked->data;
    const struct split_options *splits = &all->options.splits;
    double rows = (double)data->matrix.rows, most = floor(most_rows(all));
    size_t least = splits->loo ? 2 : splits->folds;
    all->data = data;
    if (most >= rows || splits->fold_file || splits->ordered || data->group) return SEPAL_OK;
    TRY(data_sample(&all->part, all->ctx, data, most / rows, least));
    all->data = all->part;
    return SEPAL_OK;
}

/* ---- the trials ---------------------------------------------------------------------------- */

static sepal_status judge_model(struct comparison *all, struct compared *model) {
    const struct candidate candidate = {model->spec, all->asked->fit_options};
    struct trials trials = {.ctx = all->ctx,
                            .data = all->data,
                            .splits = &all->splits,
                            .candidates = &candidate,
                            .n_candidates = 1,
                            .positive = all->options.positive,
                            .judge_train = true};
    sepal_status status = trials_run(&trials);
    if (status == SEPAL_OK) status = measure_check_trials(&all->measure, &trials);
    if (status == SEPAL_OK) {
        for (size_t s = 0; s < all->splits.n; s++)
            model->values[s] = trials_value(&trials, 0, s, true, all->measure.path);
        model->valid = trials_spread(&trials, 0, true, all->measure.path);
        model->train = trials_spread(&trials, 0, false, all->measure.path);
        model->accuracy = trials_spread(&trials, 0, true, "accuracy");
        model->converged = trials.unfinished == 0;
        model->seconds = trials.seconds;
    }
    all->seconds += trials.seconds;
    trials_clear(&trials);
    return status;
}

/* One of the usual set that cannot learn from these rows is no fault of whoever asks. */
static sepal_status judge_or_leave(struct comparison *all, struct compared *model) {
    struct part part;
    if (all->usual) part_begin(&part, all->ctx, true, "%.40s", model->in_short);
    sepal_status status = judge_model(all, model);
    if (all->usual) part_end(&part, NULL, 1); /* what it warns of is the chosen one's business */
    struct error why = all->ctx->error;
    if (status == SEPAL_EDATA && all->usual) {
        model->left_out = arena_text(all->ctx, &all->arena, why.message, strlen(why.message));
        return model->left_out ? SEPAL_OK : SEPAL_EMEMORY;
    }
    if (status == SEPAL_EDATA && !*why.file)
        return fail(all->ctx, status, "%.200s: %.1500s", model->in_short, why.message);
    return status;
}

static sepal_status make_room(struct comparison *all, struct compared *model) {
    const struct spread none = {.mean = NAN, .std = NAN, .error = NAN};
    model->values = arena_alloc(all->ctx, &all->arena, all->splits.n, sizeof *model->values);
    if (!model->values) return SEPAL_EMEMORY;
    for (size_t s = 0; s < all->splits.n; s++) model->values[s] = NAN;
    model->valid = model->train = model->accuracy = none;
    model->converged = true;
    return SEPAL_OK;
}

static sepal_status judge_all(struct comparison *all) {
    struct candidate *candidates = arena_alloc(all->ctx, &all->arena, all->n, sizeof *candidates);
    if (!candidates) return SEPAL_EMEMORY;
    for (size_t i = 0; i < all->n; i++)
        candidates[i] = (struct candidate){all->models[i].spec, all->asked->fit_options};
    TRY(measure_find(&all->measure, all->ctx, &all->arena, all->options.metric,
                     all->options.positive, all->data, candidates, all->n));
    all->best = all->n;
    for (size_t i = 0; i < all->n; i++) {
        struct compared *model = &all->models[i];
        TRY(make_room(all, model));
        if (all->usual && all->n == 1) { /* there is nothing to compare it with */
            all->best = 0;
            return SEPAL_OK;
        }
        TRY(judge_or_leave(all, model));
        if (model->left_out || isnan(model->valid.mean)) continue;
        if (all->best == all->n ||
            all->measure.better * (model->valid.mean - all->models[all->best].valid.mean) > 0)
            all->best = i;
    }
    if (all->best < all->n) return SEPAL_OK;
    return fail(all->ctx, SEPAL_EDATA,
                "none of the usual learners can learn from these rows: %.1500s",
                all->models[0].left_out ? all->models[0].left_out : "");
}

/* ---- the tests ----------------------------------------------------------------------------- */

/* Rows to judge by for each to learn from. */
static double test_ratio(const struct comparison *all) {
    double valid = 0, train = 0;
    for (size_t s = 0; s < all->splits.n; s++) {
        valid += (double)all->splits.of[s].n_valid;
        train += (double)all->splits.of[s].n_train;
    }
    return valid / train;
}

static void test_pair(struct compared_pair *out, const struct comparison *all, double *difference) {
    const double *a = all->models[out->a].values, *b = all->models[out->b].values;
    size_t n = 0;
    for (size_t s = 0; s < all->splits.n; s++)
        if (!isnan(a[s]) && !isnan(b[s])) difference[n++] = a[s] - b[s];
    out->test = paired_test(difference, n, test_ratio(all));
}

static sepal_status test_all(struct comparison *all) {
    size_t n = all->n, most = n * (n - 1) / 2;
    all->pairs = arena_zero(all->ctx, &all->arena, most + 1, sizeof *all->pairs);
    double *scratch = arena_alloc(all->ctx, &all->arena, all->splits.n + 2 * most, sizeof *scratch);
    if (!all->pairs || !scratch) return SEPAL_EMEMORY;
    double *p = scratch + all->splits.n, *adjusted = p + most;
    for (size_t a = 0; a < n; a++)
        for (size_t b = a + 1; b < n; b++) {
            if (all->models[a].left_out || all->models[b].left_out) continue;
            struct compared_pair *pair = &all->pairs[all->n_pairs];
            pair->a = a;
            pair->b = b;
            test_pair(pair, all, scratch);
            p[all->n_pairs++] = pair->test.p;
        }
    adjust_holm(adjusted, p, all->n_pairs);
    for (size_t i = 0; i < all->n_pairs; i++) all->pairs[i].adjusted = adjusted[i];
    return SEPAL_OK;
}

/* ---- the whole ----------------------------------------------------------------------------- */

static sepal_status compare_fit(struct comparison *all) {
    struct selection *asked = all->asked;
    if (!asked->wants_model) return SEPAL_OK;
    struct tree *fit = tree_object(asked->make, asked->report, "fit");
    TRY(pipeline_fit(&asked->model, all->ctx, all->models[all->best].spec, asked->data,
                     asked->fit_options, NULL, asked->make, fit));
    return check_cancelled(all->ctx, "fitting the best of them");
}

static sepal_status compare_whole(struct comparison *all) {
    struct split_plan plan;
    const sepal_data *data = all->asked->data;
    TRY(compare_read(all));
    if (!data->set_start) TRY(data_check_classes(all->ctx, &all->arena, data, " to learn from"));
    TRY(take_rows(all));
    if (all->usual) TRY(compare_usual(all));
    if (all->usual) TRY(compare_usual_folds(all));
    TRY(split_options_plan(&plan, &all->options.splits, all->ctx, &all->arena, all->data));
    if (!all->lone) TRY(splits_make(&all->splits, all->ctx, all->data, &plan));
    TRY(judge_all(all));
    TRY(test_all(all));
    TRY(compare_baseline(all));
    compare_report(all);
    if (all->asked->make->failed) return SEPAL_EMEMORY;
    return compare_fit(all);
}

static sepal_status compare_run(struct selection *asked) {
    struct comparison all = {.asked = asked, .ctx = asked->ctx};
    sepal_status status = compare_whole(&all);
    splits_clear(&all.splits);
    data_free(all.part);
    arena_clear(&all.arena);
    return status;
}

static sepal_status compare_check(const struct selection *asked) {
    struct selection copy = *asked;
    struct comparison all = {.asked = &copy, .ctx = asked->ctx};
    sepal_status status = compare_read(&all);
    arena_clear(&all.arena);
    return status;
}

const struct selection_task task_compare = {
    .name = "compare",
    .summary = "how specs do on the same rows held out, and whether they differ",
    .parameters = compare_option_table,
    .least_specs = 0,
    .most_specs = 100,
    .check = compare_check,
    .run = compare_run,
};
