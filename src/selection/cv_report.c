/* The facts of a cross-validation. Every number of a judgement is told of each fold, and as mean and deviation
   over the folds that have it. */
#include "core/clock.h"
#include "core/parallel.h"
#include "core/usage.h"
#include "selection/cv.h"
#include "selection/measure.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Whether a number of held-out rows says anything: of single rows many do not. */
static bool has_meaning(const struct cv *cv, bool valid, const char *metric) {
    return !valid || cv->plan.manner != SPLIT_LEAVE_ONE_OUT || measure_of_single_rows(metric);
}

/* ---- the numbers of a judgement ----------------------------------------------------------- */

static bool is_number(const struct tree *node) {
    static const char *const counts[] = {"rows", "total_weight"};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        if (strcmp(node->key, counts[i]) == 0) return false;
    return node->kind == TREE_NUMBER || node->kind == TREE_NULL;
}

static bool is_average(const struct tree *node) {
    return node->kind == TREE_OBJECT && strcmp(node->key, "ambiguous") != 0;
}

static void copy_numbers(struct tree_maker *make, struct tree *out, const struct tree *judged) {
    for (const struct tree *node = judged->first; node; node = node->next) {
        if (is_number(node)) tree_copy(make, out, node->key, node);
        if (is_average(node)) copy_numbers(make, tree_object(make, out, node->key), node);
    }
}

struct averaging {
    struct cv *cv;
    struct tree_maker *make;
    bool valid;
    double *values; /* of each fold */
};

/* The judgements of all folds, which nearly always have the same keys in the same order: so each is passed through
   once, and not searched for every key. */
struct fold_nodes {
    const struct tree **object, **next; /* of each fold */
};

static sepal_status fold_nodes_make(struct fold_nodes *out, const struct averaging *of) {
    size_t n = of->cv->splits.n;
    struct arena *arena = &of->cv->arena;
    out->object = arena_zero(of->cv->ctx, arena, n, sizeof(struct tree *));
    out->next = arena_zero(of->cv->ctx, arena, n, sizeof(struct tree *));
    return out->object && out->next ? SEPAL_OK : SEPAL_EMEMORY;
}

static const struct tree *fold_node(struct fold_nodes *nodes, size_t s, const char *key) {
    const struct tree *node = nodes->next[s];
    if (!node || strcmp(node->key, key) != 0)
        node = nodes->object[s] ? tree_find(nodes->object[s], key) : NULL;
    if (node) nodes->next[s] = node->next;
    return node;
}

static sepal_status average_numbers(const struct averaging *of, struct tree *mean, struct tree *std,
                                    const struct tree *like, const char *before,
                                    struct fold_nodes *nodes) {
    size_t n = of->cv->splits.n;
    for (size_t s = 0; s < n; s++)
        nodes->next[s] = nodes->object[s] ? nodes->object[s]->first : NULL;
    for (const struct tree *node = like->first; node; node = node->next) {
        char path[128];
        struct fold_nodes within;
        bool average = is_average(node);
        if (!average && !is_number(node)) continue;
        (void)snprintf(path, sizeof path, "%s%s%s", before, node->key, average ? "." : "");
        if (average) TRY(fold_nodes_make(&within, of));
        for (size_t s = 0; s < n; s++) {
            const struct tree *here = fold_node(nodes, s, node->key);
            if (average)
                within.object[s] = here;
            else
                of->values[s] = here && here->kind == TREE_NUMBER ? here->number : NAN;
        }
        if (average) {
            TRY(average_numbers(of, tree_object(of->make, mean, node->key),
                                tree_object(of->make, std, node->key), node, path, &within));
            continue;
        }
        struct spread spread = spread_of(of->values, n);
        bool told = has_meaning(of->cv, of->valid, path);
        tree_number(of->make, mean, node->key, told ? spread.mean : NAN);
        tree_number(of->make, std, node->key, told ? spread.std : NAN);
    }
    return SEPAL_OK;
}

/* ---- folds -------------------------------------------------------------------------------- */

static void report_fold(const struct cv *cv, struct tree_maker *make, struct tree *out, size_t s) {
    const struct split *split = &cv->splits.of[s];
    const struct trial *trial = &cv->trials.of[s];
    tree_number(make, out, "repeat", (double)split->repeat + 1);
    tree_number(make, out, "fold", (double)split->fold + 1);
    struct tree *rows = tree_object(make, out, "rows");
    tree_number(make, rows, "train", (double)split->n_train);
    tree_number(make, rows, "valid", (double)split->n_valid);
    tree_bool(make, out, "converged", trial->converged);
    tree_number(make, out, "iterations", (double)trial->iterations);
    tree_number(make, out, "objective", trial->objective);
    tree_number(make, out, "gap", trial->gap);
    copy_numbers(make, tree_object(make, out, "train"), trial->train);
    copy_numbers(make, tree_object(make, out, "valid"), trial->valid);
}

static sepal_status report_means(struct cv *cv, struct tree_maker *make, struct tree *report) {
    struct tree *mean = tree_object(make, report, "mean"), *std = tree_object(make, report, "std");
    size_t n = cv->splits.n;
    double *values = arena_alloc(cv->ctx, &cv->arena, n, sizeof *values);
    if (!values) return SEPAL_EMEMORY;
    for (int valid = 0; valid < 2; valid++) {
        const char *side = valid ? "valid" : "train";
        const struct averaging of = {cv, make, valid, values};
        struct fold_nodes nodes;
        TRY(fold_nodes_make(&nodes, &of));
        for (size_t s = 0; s < n; s++)
            nodes.object[s] = valid ? cv->trials.of[s].valid : cv->trials.of[s].train;
        struct tree *means = tree_object(make, mean, side), *stds = tree_object(make, std, side);
        if (nodes.object[0]) TRY(average_numbers(&of, means, stds, nodes.object[0], "", &nodes));
    }
    return SEPAL_OK;
}

/* How much better the metric that judges is on the rows that were learnt from: fold by fold, so that what
   makes a fold hard for both is not counted. */
static sepal_status report_gap(struct cv *cv, struct tree_maker *make, struct tree *report) {
    size_t n = cv->splits.n;
    double *gap = arena_alloc(cv->ctx, &cv->arena, n, sizeof *gap);
    const char *metric = NULL;
    if (!gap) return SEPAL_EMEMORY;
    for (size_t m = 0; m < cv->metrics.n && !metric; m++)
        if (has_meaning(cv, true, cv->metrics.path[m]) &&
            trials_spread(&cv->trials, 0, true, cv->metrics.path[m]).n > 0)
            metric = cv->metrics.path[m];
    if (!metric) return SEPAL_OK;
    for (size_t s = 0; s < n; s++)
        gap[s] = metric_better(metric) * (trials_value(&cv->trials, 0, s, false, metric) -
                                          trials_value(&cv->trials, 0, s, true, metric));
    struct spread spread = spread_of(gap, n);
    struct tree *out = tree_object(make, report, "over_fitting");
    tree_text(make, out, "metric", metric);
    tree_number(make, out, "better", metric_better(metric));
    tree_number(make, out, "train", trials_spread(&cv->trials, 0, false, metric).mean);
    tree_number(make, out, "valid", trials_spread(&cv->trials, 0, true, metric).mean);
    tree_number(make, out, "gap", spread.mean);
    tree_number(make, out, "standard_error", spread.error);
    return SEPAL_OK;
}

/* ---- all ---------------------------------------------------------------------------------- */

static void report_rows(const struct cv *cv, struct tree_maker *make, struct tree *report) {
    const sepal_data *data = cv->data;
    tree_number(make, report, "rows", (double)data->matrix.rows);
    tree_number(make, report, "features", (double)schema_features(data->schema));
    tree_number(make, report, "columns", (double)cv->trials.of[0].columns);
    tree_number(make, report, "nonzeros", (double)data->matrix.nonzeros);
    if (data->weight) tree_number(make, report, "total_weight", data->total_weight);
    if (data->group) tree_number(make, report, "groups", (double)data->n_groups);
    target_tell(make, report, &data->target);
    tree_texts(make, report, "classes", data->schema->classes, data->schema->n_classes);
}

static void report_splits(const struct cv *cv, struct tree_maker *make, struct tree *report) {
    static const char *const manners[] = {
        [SPLIT_STRATIFIED] = "stratified", [SPLIT_LEAVE_ONE_OUT] = "leave-one-out",
        [SPLIT_GROUPED] = "grouped",       [SPLIT_ORDERED] = "ordered",
        [SPLIT_GIVEN] = "given",           [SPLIT_HOLDOUT] = "holdout"};
    struct tree *splits = tree_object(make, report, "splits");
    bool dealt = cv->plan.manner == SPLIT_STRATIFIED && !cv->data->label; /* sets have no classes */
    tree_text(make, splits, "manner", dealt ? "shuffled" : manners[cv->plan.manner]);
    tree_number(make, splits, "folds", (double)cv->splits.folds);
    tree_number(make, splits, "repeats", (double)cv->splits.repeats);
    size_t follow = 0;
    for (size_t s = 0; s < cv->splits.n; s++) follow += cv->trials.of[s].follows;
    if (follow == 0) return;
    tree_number(make, splits, "fits", (double)(cv->splits.n - follow + 1));
    tree_text(make, splits, "train", "all rows");
}

sepal_status cv_report(struct cv *cv, struct tree_maker *make, struct tree *report) {
    size_t classes = cv->data->schema->n_classes;
    const char *spec = pipeline_spec(cv->ctx, &cv->arena, &cv->pipeline, classes);
    const char *in_short = pipeline_short_spec(cv->ctx, &cv->arena, &cv->pipeline);
    if (!spec || !in_short) return SEPAL_EMEMORY;
    tree_text(make, report, "spec", spec);
    tree_text(make, report, "spec_in_short", in_short);
    tree_text(make, report, "method", cv->pipeline.learner->name);
    report_rows(cv, make, report);
    report_splits(cv, make, report);
    struct tree *metrics = tree_array(make, report, "metrics");
    for (size_t m = 0; m < cv->metrics.n; m++)
        if (trials_spread(&cv->trials, 0, true, cv->metrics.path[m]).n > 0 || cv->options.metric)
            tree_text(make, metrics, NULL, cv->metrics.path[m]);
    struct tree *folds = tree_array(make, report, "folds");
    for (size_t s = 0; s < cv->splits.n; s++)
        report_fold(cv, make, tree_object(make, folds, NULL), s);
    TRY(report_means(cv, make, report));
    TRY(report_gap(cv, make, report));
    tree_number(make, report, "not_converged", (double)cv->trials.unfinished);
    struct tree *seconds = tree_object(make, report, "seconds");
    tree_number(make, seconds, "load", cv->data->seconds);
    tree_number(make, seconds, "fit", cv->trials.seconds);
    tree_number(make, seconds, "total", cv->data->seconds + clock_seconds_since(cv->start_ns));
    tree_number(make, report, "peak_memory", usage_peak_memory(cv->ctx));
    tree_number(make, report, "threads", parallel_width(cv->ctx));
    tree_number(make, report, "seed", (double)cv->ctx->seed);
    return make->failed ? SEPAL_EMEMORY : SEPAL_OK;
}
