/* What is in a data set: its size, its classes, and a table of its columns. */
#include "core/decimal.h"
#include "data/column_facts.h"
#include "data/limits.h"
#include "report/report.h"

#include <math.h>
#include <string.h>

/* Columns that the table shows: more of them help no reader, and take more memory than their rows. */
enum { MOST_SHOWN = 10000 };

/* ---- classes ------------------------------------------------------------------------------ */

static double *count_classes(sepal_report *report, const sepal_data *data) {
    struct tree_maker *make = &report->make;
    size_t labels = data->set_start ? data->set_start[data->matrix.rows] : data->matrix.rows;
    const int32_t *label = data->set_start ? data->set : data->label;
    double *count = arena_zero(make->ctx, &report->arena, data->schema->n_classes, sizeof *count);
    if (!count) make->failed = true;
    for (size_t i = 0; count && label && i < labels; i++)
        if (label[i] >= 0) count[label[i]]++;
    return count;
}

static void add_counts(sepal_report *report, const sepal_data *data, const double *count) {
    struct tree_maker *make = &report->make;
    struct tree *classes = tree_array(make, report->root, "classes");
    struct tree *counts = tree_array(make, report->root, "counts");
    for (size_t k = 0; k < data->schema->n_classes; k++) {
        tree_text(make, classes, NULL, data->schema->classes[k]);
        tree_number(make, counts, NULL, count[k]);
    }
    if (!data->set_start) return;
    size_t rows = data->matrix.rows, empty = 0;
    for (size_t i = 0; i < rows; i++) empty += data->set_start[i] == data->set_start[i + 1];
    tree_bool(make, report->root, "label_sets", true);
    tree_number(make, report->root, "cardinality", (double)data->set_start[rows] / (double)rows);
    tree_number(make, report->root, "empty_sets", (double)empty);
}

/* ---- all values --------------------------------------------------------------------------- */

static bool is_text(const sepal_data *data, size_t j) {
    return data->coded && data->schema->columns[j].text;
}

/* Of the numbers that are there; a category is a 1. With Neumaier's correction, so that the sum does not
   depend on where the blocks end. */
static double sum_of_values(const sepal_data *data) {
    const struct matrix *matrix = &data->matrix;
    double sum = 0, rest = 0, x;
    struct block_iterator blocks = {.matrix = matrix};
    for (const struct block *block; (block = block_next(&blocks));)
        for (size_t i = 0; i < block->rows; i++)
            for (size_t at = 0, j; row_next(block, i, matrix->cols, &at, &j, &x);) {
                if (isnan(x) || is_text(data, j)) continue;
                double next = sum + x;
                rest += fabs(sum) >= fabs(x) ? (sum - next) + x : (x - next) + sum;
                sum = next;
            }
    return sum + rest;
}

static double count_categories(const sepal_data *data, const struct column_facts *facts) {
    size_t cells = 0;
    for (size_t j = 0; facts && j < data->matrix.cols; j++)
        if (is_text(data, j)) cells += data->matrix.rows - facts[j].missing;
    return (double)cells;
}

/* Columns of the matrix that a fit on all rows would see. */
static size_t count_columns(const sepal_data *data, const struct column_facts *facts) {
    size_t columns = data->coded ? data->schema->width : data->matrix.cols;
    for (size_t j = 0; facts && data->coded && j < data->matrix.cols; j++)
        columns += data->schema->missing == MISSING_INDICATOR && facts[j].missing > 0;
    return columns;
}

/* ---- the table ---------------------------------------------------------------------------- */

static void add_facts(struct tree_maker *make, struct tree *row, const struct column_facts *facts,
                      bool text) {
    tree_text(make, row, "kind", text ? "text" : "number");
    tree_number(make, row, "missing", (double)facts->missing);
    tree_number(make, row, "distinct", (double)facts->distinct);
    tree_number(make, row, "min", text ? NAN : facts->min);
    tree_number(make, row, "mean", text ? NAN : facts->mean);
    tree_number(make, row, "max", text ? NAN : facts->max);
}

static struct tree *add_row(struct tree_maker *make, struct tree *table, const char *name,
                            const char *role) {
    struct tree *row = tree_object(make, table, NULL);
    tree_text(make, row, "name", name);
    tree_text(make, row, "role", role);
    return row;
}

static double label_value(const char *label) {
    double value = NAN;
    decimal_read(label, label + strlen(label), &value);
    return value;
}

/* A column of 0 and 1 that tells of one label. */
static void add_bit_facts(struct tree_maker *make, struct tree *row, const sepal_data *data,
                          const double *count, const char *name) {
    int32_t label = schema_class_of(data->schema, (struct slice){name, strlen(name)});
    double rows = (double)data->matrix.rows, ones = label < 0 ? 0 : count[label];
    struct column_facts facts = {.distinct = (size_t)(ones > 0) + (ones < rows),
                                 .min = ones == rows,
                                 .mean = ones / rows,
                                 .max = ones > 0};
    add_facts(make, row, &facts, false);
}

static void add_target_facts(struct tree_maker *make, struct tree *row, const sepal_data *data,
                             const double *count, const char *name) {
    const struct schema *schema = data->schema;
    size_t n = schema->n_classes;
    if (schema->label_cells) {
        add_bit_facts(make, row, data, count, name);
        return;
    }
    struct column_facts facts = {.distinct = n, .min = NAN, .mean = NAN, .max = NAN};
    if (data->facts) facts.missing = data->facts->unlabelled;
    if (schema->numeric_labels && n) {
        double total = 0, sum = 0;
        for (size_t k = 0; k < n; k++) {
            total += count[k];
            sum += count[k] * label_value(schema->classes[k]);
        }
        facts.min = label_value(schema->classes[0]);
        facts.max = label_value(schema->classes[n - 1]);
        facts.mean = sum / total;
    }
    add_facts(make, row, &facts, !schema->numeric_labels);
}

static void add_weight_facts(struct tree_maker *make, struct tree *row, const sepal_data *data) {
    struct block block = {.rows = data->matrix.rows, .values = VALUES_F64, .f64 = data->weight};
    struct matrix weights = {
        .rows = block.rows, .cols = 1, .block_rows = block.rows, .n_blocks = 1, .blocks = &block};
    struct column_facts facts = {0};
    if (column_facts_find(&facts, make->ctx, &weights) != SEPAL_OK) make->failed = true;
    add_facts(make, row, &facts, false);
}

/* Of a column whose cells are not looked at. */
static void add_no_facts(struct tree_maker *make, struct tree *row) {
    static const char *const keys[] = {"kind", "missing", "distinct", "min", "mean", "max"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) tree_null(make, row, keys[i]);
}

/* Every column of the file. */
static void add_file_columns(sepal_report *report, struct tree *table, const sepal_data *data,
                             const struct column_facts *facts, const double *count) {
    struct tree_maker *make = &report->make;
    size_t shown = data->facts->n < MOST_SHOWN ? data->facts->n : MOST_SHOWN;
    for (size_t c = 0; c < shown && !make->failed; c++) {
        const struct surveyed_column *column = &data->facts->columns[c];
        struct tree *row = add_row(make, table, column->name, column->role);
        struct column_facts own = {0};
        if (column->feature != SIZE_MAX) own = facts[column->feature];
        own.missing -= column->odd;
        if (column->feature != SIZE_MAX)
            add_facts(make, row, &own, is_text(data, column->feature));
        else if (strcmp(column->role, "target") == 0)
            add_target_facts(make, row, data, count, column->name);
        else if (strcmp(column->role, "weight") == 0 && data->weight)
            add_weight_facts(make, row, data);
        else
            add_no_facts(make, row);
        if (column->odd) tree_number(make, row, "odd", (double)column->odd);
    }
}

/* The features of other data. */
static void add_features(sepal_report *report, struct tree *table, const sepal_data *data,
                         const struct column_facts *facts) {
    struct tree_maker *make = &report->make;
    struct text name = {0};
    size_t shown = data->matrix.cols < MOST_SHOWN ? data->matrix.cols : MOST_SHOWN;
    for (size_t j = 0; j < shown && !make->failed; j++) {
        name.length = 0;
        if (data->coded)
            text_puts(make->ctx, &name, data->schema->columns[j].name);
        else
            schema_column_name(make->ctx, &name, data->schema, j);
        if (name.failed) {
            make->failed = true;
            break;
        }
        struct tree *row = add_row(make, table, name.bytes, "feature");
        add_facts(make, row, &facts[j], is_text(data, j));
    }
    text_clear(&name);
}

/* ---- what could not be read as it stands -------------------------------------------------- */

static void add_file(sepal_report *report, const sepal_data *data) {
    struct tree_maker *make = &report->make;
    const struct file_facts *facts = data->facts;
    const char delimiter[] = {facts->delimiter, '\0'};
    tree_text(make, report->root, "format", facts->format);
    if (facts->delimiter) {
        tree_text(make, report->root, "delimiter", delimiter);
        tree_bool(make, report->root, "header", facts->header);
    }
    tree_number(make, report->root, "bad_lines", (double)facts->bad_lines);
    tree_number(make, report->root, "odd_cells", (double)facts->odd_cells);
    struct tree *list = tree_array(make, report->root, "odd");
    for (size_t i = 0; i < facts->odd_shown; i++) {
        struct tree *cell = tree_object(make, list, NULL);
        tree_number(make, cell, "line", (double)facts->odd[i].line);
        tree_number(make, cell, "column", (double)facts->odd[i].column);
        tree_text(make, cell, "name", facts->odd[i].name);
        tree_text(make, cell, "text", facts->odd[i].text);
    }
}

/* The only feature that is text, and has few values: perhaps the classes. NULL: there is none. */
static const char *likely_target(const sepal_data *data, const struct column_facts *facts) {
    enum { MOST_CLASSES = 100 };
    size_t only = SIZE_MAX, texts = 0;
    for (size_t j = 0; facts && j < data->matrix.cols; j++)
        if (is_text(data, j)) {
            only = j;
            texts++;
        }
    bool likely = texts == 1 && facts[only].distinct > 1 && facts[only].distinct <= MOST_CLASSES;
    return likely ? data->schema->columns[only].name : NULL;
}

/* The last column may not be the target. Text in a file of numbers is what the user calls so. */
static void question_target(sepal_ctx *ctx, const sepal_data *data,
                            const struct column_facts *facts) {
    const char *name = data->target.name;
    const char *likely = data->facts->delimiter ? likely_target(data, facts) : NULL;
    if (data->schema->n_classes == 0)
        warn(ctx, "target-empty",
             "the last column, '%s', is taken as the target and has no label; name the column of "
             "the classes with " OPTION "target, and leave this one out with " OPTION "drop '%s'",
             name, name);
    else if (target_is_doubtful(data))
        warn(ctx, "target-guessed",
             "the last column, '%s', is taken as the target and has %zu different labels in %zu "
             "rows; name the column of the classes with " OPTION "target%s%s%s",
             name, data->schema->n_classes, data->matrix.rows, likely ? " '" : "",
             likely ? likely : "", likely ? "', perhaps" : "");
    else if (likely && data->schema->numeric_labels)
        warn(ctx, "target-elsewhere",
             "the last column, '%s', is taken as the target, but '%s' is the only one of text; if "
             "it has the classes, say " OPTION "target '%s'",
             name, likely, likely);
}

/* What a newcomer would trip over in training. */
static void advise(sepal_ctx *ctx, const sepal_data *data, const struct column_facts *facts) {
    if (data->facts->columns && data->facts->n > MOST_SHOWN)
        warn(ctx, "table-cut", "the table shows %d of the %zu columns", MOST_SHOWN, data->facts->n);
    if (data->target.guessed) question_target(ctx, data, facts);
    for (size_t j = 0; facts && j < data->matrix.cols; j++)
        if (is_text(data, j) && facts[j].distinct > LIMIT_CATEGORIES)
            warn(ctx, "free-text",
                 "column '%s' is text with %zu different values, %d are the most that can become "
                 "0/1 columns; leave it out with " OPTION
                 "drop '%s', or count its words and give them as LIBSVM rows",
                 data->schema->columns[j].name, facts[j].distinct, LIMIT_CATEGORIES,
                 data->schema->columns[j].name);
}

/* ---- all ---------------------------------------------------------------------------------- */

static void describe_rows(sepal_report *report, const sepal_data *data,
                          const struct column_facts *facts) {
    struct tree_maker *make = &report->make;
    struct tree *root = report->root;
    const double *count = count_classes(report, data);
    if (!count) return;
    if (data->facts) add_file(report, data);
    tree_number(make, root, "rows", (double)data->matrix.rows);
    tree_number(make, root, "features", (double)schema_features(data->schema));
    tree_number(make, root, "columns", (double)count_columns(data, facts));
    tree_number(make, root, "nonzeros", (double)(data->matrix.nonzeros - data->missing));
    target_tell(make, root, &data->target);
    add_counts(report, data, count);
    tree_number(make, root, "sum", sum_of_values(data) + count_categories(data, facts));
    if (data->weight) tree_number(make, root, "total_weight", data->total_weight);
    tree_text(make, root, "storage", data->matrix.sparse ? "sparse" : "dense");
    tree_number(make, root, "memory", (double)matrix_bytes(&data->matrix));
    struct tree *table = tree_array(make, root, "table");
    if (data->facts && data->facts->columns && facts)
        add_file_columns(report, table, data, facts, count);
    else if (facts)
        add_features(report, table, data, facts);
}

sepal_status describe_data(sepal_report *report, const sepal_data *data) {
    struct tree_maker *make = &report->make;
    size_t cols = data->matrix.cols;
    struct column_facts *facts = NULL;
    if (data->schema->family == FAMILY_TABLE || cols <= MOST_SHOWN) {
        facts = arena_alloc(make->ctx, &report->arena, cols, sizeof *facts);
        if (!facts) return SEPAL_EMEMORY;
        TRY(column_facts_find(facts, make->ctx, &data->matrix));
    }
    describe_rows(report, data, facts);
    if (data->facts) advise(make->ctx, data, facts);
    return make->failed ? SEPAL_EMEMORY : SEPAL_OK;
}
