/* The facts of a choice. */
#include "core/clock.h"
#include "core/parallel.h"
#include "core/usage.h"
#include "selection/selection_report.h"
#include "selection/tune.h"

#include <math.h>

void report_spread(struct tree_maker *make, struct tree *parent, const char *key,
                   const struct spread *spread, bool error) {
    struct tree *out = tree_object(make, parent, key);
    tree_number(make, out, "mean", spread->mean);
    tree_number(make, out, "std", spread->std);
    if (error) tree_number(make, out, "standard_error", spread->error);
}

void report_rows_of(struct tree_maker *make, struct tree *report, const sepal_data *data) {
    tree_number(make, report, "rows", (double)data->matrix.rows);
    tree_number(make, report, "features", (double)schema_features(data->schema));
    tree_number(make, report, "nonzeros", (double)data->matrix.nonzeros);
    if (data->weight) tree_number(make, report, "total_weight", data->total_weight);
    target_tell(make, report, &data->target);
    tree_texts(make, report, "classes", data->schema->classes, data->schema->n_classes);
}

void report_end_of(sepal_ctx *ctx, struct tree_maker *make, struct tree *report,
                   const sepal_data *data, const struct splits *splits, double seconds) {
    tree_number(make, report, "folds", (double)splits->folds);
    tree_number(make, report, "repeats", (double)splits->repeats);
    struct tree *times = tree_object(make, report, "seconds");
    tree_number(make, times, "load", data->seconds);
    tree_number(make, times, "folds", seconds);
    tree_number(make, times, "total", data->seconds + seconds);
    tree_number(make, report, "peak_memory", usage_peak_memory(ctx));
    tree_number(make, report, "threads", parallel_width(ctx));
    tree_number(make, report, "seed", (double)ctx->seed);
}

static void report_values(struct tree_maker *make, struct tree *parent, const struct grid *grid,
                          size_t point) {
    struct tree *values = tree_object(make, parent, "values");
    for (size_t a = 0; a < grid->n_axes; a++) {
        const struct grid_axis *axis = &grid->axes[a];
        size_t place = grid_place(grid, point, a);
        if (isnan(axis->number[place]))
            tree_text(make, values, axis->name, axis->text[place]);
        else
            tree_number(make, values, axis->name, axis->number[place]);
    }
}

static bool point_converged(const struct tune_round *round, size_t k) {
    bool converged = true;
    for (size_t s = 0; s < round->splits.n; s++)
        converged = converged && round->trials.of[k * round->splits.n + s].converged;
    return converged;
}

static void report_points(struct tree_maker *make, struct tree *out, const struct tuning *tuning,
                          const struct tune_round *round) {
    static const char *const names[] = {"none", "large", "small"};
    struct tree *parameters = tree_array(make, out, "parameters");
    for (size_t a = 0; a < tuning->grid.n_axes; a++) {
        const struct grid_axis *axis = &tuning->grid.axes[a];
        struct tree *row = tree_object(make, parameters, NULL);
        tree_text(make, row, "name", axis->name);
        tree_number(make, row, "values", (double)axis->n);
        tree_bool(make, row, "log", axis->logarithmic);
        tree_text(make, row, "simpler", names[axis->side]);
    }
    struct tree *points = tree_array(make, out, "points");
    for (size_t k = 0; k < tuning->grid.n; k++) {
        struct tree *row = tree_object(make, points, NULL);
        report_values(make, row, &tuning->grid, k);
        tree_text(make, row, "spec", tuning->candidates[k].spec);
        report_spread(make, row, "train", &round->train[k], false);
        report_spread(make, row, "valid", &round->valid[k], true);
        tree_bool(make, row, "converged", point_converged(round, k));
    }
}

static void report_nested(struct tree_maker *make, struct tree *report, const struct tuning *tuning,
                          const struct nested *nested) {
    struct tree *out = tree_object(make, report, "nested");
    struct tree *folds = tree_array(make, out, "folds");
    for (size_t f = 0; f < nested->n; f++) {
        const struct nested_fold *fold = &nested->folds[f];
        struct tree *row = tree_object(make, folds, NULL);
        report_values(make, row, &tuning->grid, fold->point);
        tree_text(make, row, "spec", tuning->candidates[fold->point].spec);
        if (tuning->goal.name) tree_number(make, row, "cutoff", fold->cutoff);
        tree_number(make, row, "train_rows", fold->train_rows);
        tree_number(make, row, "valid_rows", fold->valid_rows);
        tree_number(make, row, "value", fold->value);
    }
    tree_number(make, out, "mean", nested->spread.mean);
    tree_number(make, out, "std", nested->spread.std);
}

static void report_cutoff(struct tree_maker *make, struct tree *report, const struct tuning *tuning,
                          const struct tune_round *round) {
    const struct cutoff_goal *goal = &tuning->goal;
    struct tree *out = tree_object(make, report, "cutoff");
    tree_number(make, out, "value", round->cutoff.value);
    tree_text(make, out, "for", goal->name);
    tree_text(make, out, "positive", tuning->asked->data->schema->classes[goal->positive]);
    if (!goal->metric) {
        tree_number(make, out, "cost_fp", goal->cost_fp);
        tree_number(make, out, "cost_fn", goal->cost_fn);
    }
    tree_number(make, out, "score", round->cutoff.score);
    tree_number(make, out, "score_at_half", round->cutoff.half);
    tree_number(make, out, "rows", (double)round->cutoff.rows);
}

static void report_index(struct tree_maker *make, struct tree *parent, const char *key, size_t k) {
    tree_number(make, tree_object(make, parent, key), "index", (double)k);
}

void tune_report(const struct tuning *tuning, const struct tune_round *round,
                 const struct nested *nested, const char *spec) {
    struct tree_maker *make = tuning->asked->make;
    struct tree *report = tuning->asked->report;
    const char *why = tune_why(round, tuning);
    tree_text(make, report, "spec", spec);
    report_rows_of(make, report, tuning->asked->data);
    struct tree *out = tree_object(make, report, "tuning");
    tree_text(make, out, "metric", tuning->measure.name);
    tree_text(make, out, "better", tuning->measure.better > 0 ? "more" : "less");
    tree_bool(make, out, "usual_grid", tuning->usual);
    report_points(make, out, tuning, round);
    report_index(make, out, "best", round->best);
    report_index(make, out, "one_standard_error", round->one_se);
    struct tree *chosen = tree_object(make, out, "chosen");
    tree_number(make, chosen, "index", (double)round->chosen);
    tree_text(make, chosen, "spec", tuning->candidates[round->chosen].spec);
    tree_text(make, chosen, "why", why ? why : "");
    if (!why) make->failed = true;
    if (tuning->goal.name) report_cutoff(make, report, tuning, round);
    if (nested->n > 0) report_nested(make, report, tuning, nested);
    report_end_of(tuning->ctx, make, report, tuning->asked->data, &round->splits,
                  round->trials.seconds);
}
