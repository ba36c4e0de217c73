#include "report/report.h"

#include "core/alloc.h"

#include <math.h>

sepal_report *report_new(sepal_ctx *ctx, enum report_kind kind) {
    sepal_report *report = mem_zero(ctx, 1, sizeof *report);
    if (!report) return NULL;
    report->kind = kind;
    report->make = (struct tree_maker){.ctx = ctx, .arena = &report->arena};
    report->root = tree_object(&report->make, NULL, NULL);
    if (!report->make.failed) return report;
    report_free(report);
    return NULL;
}

void report_free(sepal_report *report) {
    if (!report) return;
    arena_clear(&report->arena);
    mem_free(report);
}

/* ---- facts about data and models ---------------------------------------------------------- */

static void add_counts(sepal_report *report, const sepal_data *data) {
    struct tree_maker *make = &report->make;
    struct tree *classes = tree_array(make, report->root, "classes");
    struct tree *counts = tree_array(make, report->root, "counts");
    size_t labels = data->set_start ? data->set_start[data->matrix.rows] : data->matrix.rows;
    const int32_t *label = data->set_start ? data->set : data->label;
    double *count = arena_zero(make->ctx, &report->arena, data->schema->n_classes, sizeof *count);
    if (!count) {
        make->failed = true;
        return;
    }
    for (size_t i = 0; label && i < labels; i++) count[label[i]]++;
    for (size_t k = 0; k < data->schema->n_classes; k++) {
        tree_text(make, classes, NULL, data->schema->classes[k]);
        tree_number(make, counts, NULL, count[k]);
    }
    if (data->set_start) tree_bool(make, report->root, "label_sets", true);
}

/* With Neumaier's correction, so that the sum does not depend on where the blocks end. */
static double sum_of_values(const struct matrix *matrix) {
    double sum = 0, rest = 0, x;
    struct block_walk walk = {.matrix = matrix};
    for (const struct block *block; (block = block_next(&walk));)
        for (size_t i = 0; i < block->rows; i++)
            for (size_t at = 0, j; row_next(block, i, matrix->cols, &at, &j, &x);) {
                double next = sum + x;
                rest += fabs(sum) >= fabs(x) ? (sum - next) + x : (x - next) + sum;
                sum = next;
            }
    return sum + rest;
}

sepal_status describe_data(sepal_report *report, const sepal_data *data) {
    struct tree_maker *make = &report->make;
    struct tree *root = report->root;
    tree_number(make, root, "rows", (double)data->matrix.rows);
    tree_number(make, root, "features", (double)schema_features(data->schema));
    tree_number(make, root, "columns", (double)data->matrix.cols);
    tree_number(make, root, "nonzeros", (double)data->matrix.nonzeros);
    add_counts(report, data);
    tree_number(make, root, "sum", sum_of_values(&data->matrix));
    if (data->weight) tree_number(make, root, "total_weight", data->total_weight);
    tree_text(make, root, "storage", data->matrix.sparse ? "sparse" : "dense");
    tree_number(make, root, "memory", (double)matrix_bytes(&data->matrix));
    return make->failed ? SEPAL_EMEMORY : SEPAL_OK;
}

static void add_weights(sepal_report *report, const struct linear *linear) {
    struct tree_maker *make = &report->make;
    struct tree *weights = tree_array(make, report->root, "weights");
    for (size_t r = 0; r < linear->rows; r++) {
        struct tree *row = tree_array(make, weights, NULL);
        for (size_t j = 0; j < linear->cols; j++)
            tree_number(make, row, NULL, linear->w[r * linear->cols + j]);
    }
    struct tree *bias = tree_array(make, report->root, "bias");
    struct tree *norm = tree_array(make, report->root, "norm");
    struct tree *distance = tree_array(make, report->root, "distance_to_origin");
    for (size_t r = 0; r < linear->rows; r++) {
        double b = linear_bias(linear, r), length = linear_norm(linear, r);
        tree_number(make, bias, NULL, b);
        tree_number(make, norm, NULL, length);
        tree_number(make, distance, NULL, length > 0 ? b / length : NAN);
    }
}

static void add_names(sepal_report *report, const struct schema *schema) {
    struct tree *features = tree_array(&report->make, report->root, "features");
    struct text name = {0};
    for (size_t j = 0; j < schema->width; j++) {
        name.length = 0;
        schema_column_name(report->make.ctx, &name, schema, j);
        tree_slice(&report->make, features, NULL, (struct slice){name.bytes, name.length});
    }
    if (name.failed) report->make.failed = true;
    text_clear(&name);
}

sepal_status inspect_model(sepal_report *report, const sepal_model *model) {
    struct tree_maker *make = &report->make;
    struct tree *root = report->root;
    const struct schema *schema = model->schema;
    tree_text(make, root, "spec", model->spec);
    tree_text(make, root, "method", model->learner);
    struct tree *classes = tree_array(make, root, "classes");
    for (size_t k = 0; k < schema->n_classes; k++)
        tree_text(make, classes, NULL, schema->classes[k]);
    /* one row of weights speaks for the second class */
    struct tree *rows = tree_array(make, root, "rows");
    for (size_t r = 0; r < model->linear.rows; r++)
        tree_text(make, rows, NULL, schema->classes[model->linear.rows == 1 ? 1 : r]);
    add_names(report, schema);
    add_weights(report, &model->linear);
    struct tree *trained = tree_object(make, root, "training");
    tree_number(make, trained, "rows", (double)model->facts.rows);
    tree_number(make, trained, "objective", model->facts.objective);
    tree_number(make, trained, "gap", model->facts.gap);
    tree_number(make, trained, "iterations", (double)model->facts.iterations);
    tree_bool(make, trained, "converged", model->facts.converged);
    return make->failed ? SEPAL_EMEMORY : SEPAL_OK;
}

/* ---- JSON --------------------------------------------------------------------------------- */

static sepal_status print(char **out, sepal_ctx *ctx, const struct tree *root) {
    struct text text = {0};
    json_print(ctx, &text, root, 2);
    text_puts(ctx, &text, "\n");
    *out = text_take(ctx, &text);
    return *out ? SEPAL_OK : SEPAL_EMEMORY;
}

static void add_warnings(struct tree_maker *make, struct tree *root, const sepal_ctx *ctx) {
    struct tree *list = tree_array(make, root, "warnings");
    for (size_t i = 0; i < ctx->n_warnings; i++) {
        struct tree *one = tree_object(make, list, NULL);
        tree_text(make, one, "code", ctx->warnings[i].code);
        tree_text(make, one, "message", ctx->warnings[i].message);
    }
}

sepal_status report_json(char **out, sepal_ctx *ctx, const sepal_report *report,
                         const char *command) {
    struct arena arena = {0};
    struct tree_maker make = {.ctx = ctx, .arena = &arena};
    struct tree *root = tree_object(&make, NULL, NULL);
    *out = NULL;
    tree_number(&make, root, "schema", 1);
    tree_text(&make, root, "command", command);
    for (const struct tree *fact = report->root->first; fact; fact = fact->next)
        tree_copy(&make, root, fact->key, fact);
    add_warnings(&make, root, ctx);
    sepal_status status = make.failed ? SEPAL_EMEMORY : print(out, ctx, root);
    arena_clear(&arena);
    return status;
}

sepal_status error_json(char **out, sepal_ctx *ctx, const char *command, int exit_code) {
    struct arena arena = {0};
    struct tree_maker make = {.ctx = ctx, .arena = &arena};
    struct error error = ctx->error; /* making the text may fail and write another one */
    struct tree *root = tree_object(&make, NULL, NULL);
    *out = NULL;
    tree_number(&make, root, "schema", 1);
    tree_text(&make, root, "command", command);
    struct tree *object = tree_object(&make, root, "error");
    tree_number(&make, object, "exit", exit_code);
    tree_text(&make, object, "message", error.message);
    if (*error.file)
        tree_text(&make, object, "file", error.file);
    else
        tree_null(&make, object, "file");
    tree_number(&make, object, "line", error.line ? (double)error.line : NAN);
    tree_number(&make, object, "column", error.column ? (double)error.column : NAN);
    sepal_status status = make.failed ? SEPAL_EMEMORY : print(out, ctx, root);
    arena_clear(&arena);
    return status;
}
