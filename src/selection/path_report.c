/* The facts of a path. */
#include "core/clock.h"
#include "core/parallel.h"
#include "core/usage.h"
#include "selection/path.h"

#include <math.h>

static void report_row(struct tree_maker *make, struct tree *out, const struct path_row *row) {
    tree_number(make, out, "lambda", row->lambda);
    tree_number(make, out, "l1", row->l1);
    tree_number(make, out, "l2", row->l2);
    tree_number(make, out, "C", row->c);
    tree_number(make, out, "nonzero", (double)row->nonzero);
    tree_number(make, out, "objective", row->objective);
    tree_number(make, out, "gap", row->gap);
    tree_number(make, out, "iterations", (double)row->iterations);
    tree_bool(make, out, "converged", row->converged);
    tree_number(make, out, "explained", row->explained);
    tree_number(make, out, "loss", row->loss);
    tree_number(make, out, "loss_standard_error", row->loss_error);
    tree_number(make, out, "error", row->error);
    tree_number(make, out, "error_standard_error", row->error_error);
}

static void report_choice(struct tree_maker *make, struct tree *report, const char *key,
                          const struct path *path, size_t k) {
    struct tree *choice = tree_object(make, report, key);
    tree_number(make, choice, "index", (double)k);
    report_row(make, choice, &path->row[k]);
}

static void report_rows(struct tree_maker *make, struct tree *report, const struct path *path) {
    const sepal_data *data = path->data;
    tree_number(make, report, "rows", (double)data->matrix.rows);
    tree_number(make, report, "features", (double)schema_features(data->schema));
    tree_number(make, report, "columns", (double)path->columns);
    tree_number(make, report, "nonzeros", (double)data->matrix.nonzeros);
    if (data->weight) tree_number(make, report, "total_weight", data->total_weight);
    target_tell(make, report, &data->target);
    tree_texts(make, report, "classes", data->schema->classes, data->schema->n_classes);
}

void path_report(const struct path *path, struct tree_maker *make, struct tree *report,
                 const char *spec) {
    static const char *const choices[] = {"one_standard_error", "best", "best"};
    tree_text(make, report, "spec", spec);
    tree_text(make, report, "method", path->pipeline.learner->name);
    report_rows(make, report, path);
    tree_number(make, report, "ratio", path->ratio);
    tree_number(make, report, "folds", (double)path->options.folds);
    tree_number(make, report, "null_loss", path->null_loss);
    tree_number(make, report, "values", (double)path->wanted);
    struct tree *rows = tree_array(make, report, "path");
    for (size_t k = 0; k < path->n; k++)
        report_row(make, tree_object(make, rows, NULL), &path->row[k]);
    report_choice(make, report, "best", path, path->best);
    report_choice(make, report, "one_standard_error", path, path->one_se);
    tree_text(make, report, "chosen", choices[path->options.choose]);
    if (path->stopped) tree_text(make, report, "stopped", path->stopped);
    struct tree *seconds = tree_object(make, report, "seconds");
    tree_number(make, seconds, "load", path->data->seconds);
    tree_number(make, seconds, "path", path->seconds);
    tree_number(make, seconds, "folds", clock_seconds_since(path->start_ns) - path->seconds);
    tree_number(make, seconds, "total", path->data->seconds + clock_seconds_since(path->start_ns));
    tree_number(make, report, "peak_memory", usage_peak_memory(path->ctx));
    tree_number(make, report, "threads", parallel_width(path->ctx));
    tree_number(make, report, "seed", (double)path->ctx->seed);
}
