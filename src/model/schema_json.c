/* Writing and reading schemas. The reader checks everything that later code relies on: order and
   distinctness (searches are binary), positions (cells are found by them), counts (arrays are as
   long as the matrix is wide). */
#include "model/schema_json.h"

#include "core/alloc.h"
#include "core/decimal.h"
#include "data/classes.h"
#include "model/fields.h"
#include "model/model_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A name, category or label; JSON makes at most six bytes of one. */
enum { LONGEST_TEXT = 1 << 16, MOST_CATEGORIES = 1 << 12 };
/* Of a table that has columns of labels. */
enum { MOST_CELLS = 1 << 22 };
/* The shortest text of a column is longer; so the columns take no more memory than their text. */
enum { SHORTEST_COLUMN = 64 };
_Static_assert(sizeof(struct column) <= SHORTEST_COLUMN,
               "the memory bound of docs/model-format.md");

static const char *const family_names[] = {[FAMILY_TABLE] = "table", [FAMILY_INDEXED] = "indexed"};
static const char *const missing_names[] = {[MISSING_REFUSE] = "refuse",
                                            [MISSING_MEAN] = "mean",
                                            [MISSING_INDICATOR] = "indicator",
                                            [MISSING_DROP] = "drop"};
enum {
    N_FAMILIES = sizeof family_names / sizeof *family_names,
    N_MISSING = sizeof missing_names / sizeof *missing_names
};

static size_t fill_count(const struct column *column) {
    return column->text ? column->n_categories : 1;
}

/* ---- writing ------------------------------------------------------------------------------ */

static sepal_status schema_check_text(sepal_ctx *ctx, const char *text, const char *what) {
    size_t length = text ? strlen(text) : 0;
    if (length > LONGEST_TEXT)
        return fail(ctx, SEPAL_EDATA,
                    "a %s of %zu bytes does not go into a model file, %d are the most; shorten it",
                    what, length, LONGEST_TEXT);
    char shown[TEXT_SHOWN_BYTES];
    if (text && utf8_valid_prefix(text, length) < length)
        return fail(ctx, SEPAL_EDATA,
                    "the %s '%s' is not UTF-8 and does not go into a model file; convert it", what,
                    text_shown(shown, text, length));
    return SEPAL_OK;
}

sepal_status schema_check(sepal_ctx *ctx, const struct schema *schema) {
    if (schema->n_classes > MODEL_MOST_CLASSES || schema->width > MODEL_MOST_COLUMNS)
        return fail(ctx, SEPAL_EDATA,
                    "%zu classes and %zu columns do not go into a model file, which has up to %d "
                    "and %d; is " OPTION "target the right column?",
                    schema->n_classes, schema->width, MODEL_MOST_CLASSES, MODEL_MOST_COLUMNS);
    TRY(schema_check_text(ctx, schema->target, "target name"));
    TRY(schema_check_text(ctx, schema->weight, "weight name"));
    for (size_t k = 0; k < schema->n_classes; k++)
        TRY(schema_check_text(ctx, schema->classes[k], "label"));
    for (size_t j = 0; schema->names && j < schema->width; j++)
        TRY(schema_check_text(ctx, schema->names[j], "feature name"));
    for (size_t i = 0; i < schema->n_columns; i++) {
        const struct column *column = &schema->columns[i];
        TRY(schema_check_text(ctx, column->name, "column name"));
        if (column->n_categories > MOST_CATEGORIES)
            return fail(ctx, SEPAL_EDATA, "column '%s' has more than %d categories; leave it out",
                        column->name, MOST_CATEGORIES);
        for (size_t k = 0; k < column->n_categories; k++)
            TRY(schema_check_text(ctx, column->categories[k], "category"));
    }
    return SEPAL_OK;
}

const char *missing_name(enum missing missing) {
    return missing_names[missing];
}

static void text_or_null(struct tree_maker *make, struct tree *parent, const char *key,
                         const char *text) {
    if (text)
        tree_text(make, parent, key, text);
    else
        tree_null(make, parent, key);
}

/* Print the tree and give its memory back. */
static sepal_status print_and_clear(struct tree_maker *make, struct text *out,
                                    const struct tree *tree) {
    if (!make->failed) json_print(make->ctx, out, tree, 0);
    arena_clear(make->arena);
    return make->failed || out->failed ? SEPAL_EMEMORY : SEPAL_OK;
}

/* Of data that has sets of labels. */
static void print_label_sets(struct tree_maker *make, struct tree *facts,
                             const struct schema *schema) {
    if (schema->label_separator)
        tree_text(make, facts, "label_separator", (char[]){schema->label_separator, '\0'});
    if (!schema->label_cells) return;
    struct tree *cells = tree_array(make, facts, "label_cells");
    for (size_t k = 0; k < schema->n_classes; k++)
        tree_number(make, cells, NULL, (double)schema->label_cells[k]);
}

sepal_status schema_print_facts(sepal_ctx *ctx, struct text *out, const struct schema *schema) {
    struct arena arena = {0};
    struct tree_maker make = {.ctx = ctx, .arena = &arena};
    struct tree *facts = tree_object(&make, NULL, NULL);
    tree_text(&make, facts, "family", family_names[schema->family]);
    tree_bool(&make, facts, "header", schema->header);
    tree_bool(&make, facts, "zero_based", schema->zero_based);
    tree_number(&make, facts, "cells", (double)schema->cells);
    text_or_null(&make, facts, "target", schema->target);
    tree_number(&make, facts, "target_position", (double)schema->target_position);
    text_or_null(&make, facts, "weight", schema->weight);
    tree_text(&make, facts, "missing", missing_names[schema->missing]);
    tree_number(&make, facts, "width", (double)schema->width);
    tree_bool(&make, facts, "numeric_labels", schema->numeric_labels);
    print_label_sets(&make, facts, schema);
    return print_and_clear(&make, out, facts);
}

static struct tree *column_tree(struct tree_maker *make, const struct column *column) {
    struct tree *object = tree_object(make, NULL, NULL);
    tree_text(make, object, "name", column->name);
    tree_number(make, object, "position", (double)column->position);
    if (column->text)
        tree_texts(make, object, "categories", column->categories, column->n_categories);
    else
        tree_null(make, object, "categories");
    if (column->fill)
        tree_numbers(make, object, "fill", column->fill, fill_count(column));
    else
        tree_null(make, object, "fill");
    tree_bool(make, object, "indicator", column->indicator);
    return object;
}

/* A list of texts, one after the other. */
static sepal_status print_texts(sepal_ctx *ctx, struct text *out, const char *const *texts,
                                size_t n) {
    for (size_t i = 0; i < n; i++) {
        struct arena arena = {0};
        struct tree_maker make = {.ctx = ctx, .arena = &arena};
        struct tree *list = tree_array(&make, NULL, NULL);
        tree_text(&make, list, NULL, texts[i]);
        text_puts(ctx, out, i == 0 ? "[" : ",");
        TRY(print_and_clear(&make, out, list->first));
    }
    text_puts(ctx, out, n > 0 ? "]" : "[]"); /* never: a model has classes, and columns */
    return out->failed ? SEPAL_EMEMORY : SEPAL_OK;
}

sepal_status schema_print_columns(sepal_ctx *ctx, struct text *out, const struct schema *schema) {
    if (schema->names) return print_texts(ctx, out, schema->names, schema->width);
    for (size_t i = 0; i < schema->n_columns; i++) {
        struct arena arena = {0};
        struct tree_maker make = {.ctx = ctx, .arena = &arena};
        text_puts(ctx, out, i == 0 ? "[" : ",");
        TRY(print_and_clear(&make, out, column_tree(&make, &schema->columns[i])));
    }
    text_puts(ctx, out, schema->n_columns > 0 ? "]" : "[]"); /* never: a table has columns */
    return out->failed ? SEPAL_EMEMORY : SEPAL_OK;
}

sepal_status schema_print_classes(sepal_ctx *ctx, struct text *out, const struct schema *schema) {
    return print_texts(ctx, out, schema->classes, schema->n_classes);
}

/* ---- reading ------------------------------------------------------------------------------ */

struct schema_reader {
    sepal_ctx *ctx;
    struct schema *schema;
    struct arena scratch; /* of the element being read */
    bool *labelled;       /* of each cell of a row: it tells of a label; NULL: none does */
};

/* A copy that lives as long as the schema; NULL stays NULL. */
static sepal_status keep_text(struct schema_reader *in, const char **out, const char *text) {
    *out = NULL;
    if (!text) return SEPAL_OK;
    size_t length = strlen(text);
    if (length > LONGEST_TEXT)
        return invalid(in->ctx, "a text in it is longer than %d bytes", LONGEST_TEXT);
    *out = arena_text(in->ctx, &in->schema->arena, text, length);
    return *out ? SEPAL_OK : SEPAL_EMEMORY;
}

/* The number of the name; what is not among them is recorded. */
static int choice(struct fields *fields, const char *key, const char *const *names, int n) {
    const char *name = fields_text(fields, key);
    for (int i = 0; i < n; i++) {
        if (strcmp(name, names[i]) == 0) return i;
    }
    char shown[TEXT_SHOWN_BYTES];
    if (fields->status == SEPAL_OK)
        fields->status = invalid(fields->ctx, "'%s' of its %s is '%s'", key, fields->what,
                                 text_shown(shown, name, strlen(name)));
    return 0;
}

/* Each label has a cell of its own. */
static sepal_status read_label_cells(struct schema_reader *in, const struct tree *list,
                                     size_t classes) {
    struct schema *schema = in->schema;
    size_t n = 0;
    bool *taken = in->labelled = mem_zero(in->ctx, schema->cells, sizeof *taken);
    schema->label_cells =
        arena_alloc(in->ctx, &schema->arena, classes, sizeof *schema->label_cells);
    if (!taken || !schema->label_cells) return SEPAL_EMEMORY;
    for (const struct tree *item = list->first; item; item = item->next) {
        double cell = item->kind == TREE_NUMBER ? item->number : -1;
        bool sound = cell >= 0 && cell < (double)schema->cells && cell == floor(cell);
        if (!sound || taken[(size_t)cell])
            return invalid(in->ctx, "the cell of label %zu is none, or that of another", n);
        taken[(size_t)cell] = true;
        schema->label_cells[n++] = (size_t)cell;
    }
    return SEPAL_OK;
}

static sepal_status read_label_sets(struct schema_reader *in, struct fields *fields,
                                    size_t classes) {
    struct schema *schema = in->schema;
    const struct tree *mark = fields_optional(fields, "label_separator");
    const struct tree *cells = fields_optional(fields, "label_cells");
    TRY(fields->status);
    if (mark && (mark->kind != TREE_TEXT || mark->text.length != 1 || cells))
        return invalid(in->ctx, "its labels are separated by what is no character");
    if (mark) schema->label_separator = mark->text.bytes[0];
    if (!cells) return SEPAL_OK;
    if (cells->kind != TREE_ARRAY || cells->count != classes || schema->cells > MOST_CELLS)
        return invalid(in->ctx, "it has cells for other labels than its own");
    return read_label_cells(in, cells, classes);
}

static sepal_status read_facts(struct schema_reader *in, struct slice json, size_t classes) {
    struct schema *schema = in->schema;
    struct tree *facts;
    TRY(json_read_small(&facts, in->ctx, &in->scratch, json));
    struct fields fields = fields_open(in->ctx, facts, "schema");
    schema->family = (enum family)choice(&fields, "family", family_names, N_FAMILIES);
    schema->header = fields_bool(&fields, "header");
    schema->zero_based = fields_bool(&fields, "zero_based");
    schema->cells = fields_count(&fields, "cells");
    const char *target = fields_text_or_null(&fields, "target");
    schema->target_position = fields_count(&fields, "target_position");
    const char *weight = fields_text_or_null(&fields, "weight");
    schema->missing = (enum missing)choice(&fields, "missing", missing_names, N_MISSING);
    schema->width = fields_count(&fields, "width");
    schema->numeric_labels = fields_bool(&fields, "numeric_labels");
    TRY(read_label_sets(in, &fields, classes));
    TRY(fields_end(&fields));
    TRY(keep_text(in, &schema->target, target));
    TRY(keep_text(in, &schema->weight, weight));
    bool table = schema->family == FAMILY_TABLE;
    if (table ? schema->zero_based : schema->header || target || schema->label_cells)
        return invalid(in->ctx, "its schema mixes tables and indices");
    if (target && schema->target_position >= schema->cells)
        return invalid(in->ctx, "its target is cell %zu of %zu", schema->target_position,
                       schema->cells);
    return SEPAL_OK;
}

static sepal_status read_categories(struct schema_reader *in, struct column *column,
                                    const struct tree *list) {
    if (list->count > MOST_CATEGORIES)
        return invalid(in->ctx, "a column has more than %d categories", MOST_CATEGORIES);
    column->categories =
        arena_alloc(in->ctx, &in->schema->arena, list->count, sizeof *column->categories);
    if (!column->categories) return SEPAL_EMEMORY;
    char shown[TEXT_SHOWN_BYTES];
    for (const struct tree *item = list->first; item; item = item->next) {
        size_t k = column->n_categories;
        if (item->kind != TREE_TEXT) return invalid(in->ctx, "a category is not a text");
        TRY(keep_text(in, &column->categories[k], item->text.bytes));
        if (k > 0 && strcmp(column->categories[k - 1], column->categories[k]) >= 0)
            return invalid(in->ctx, "the category '%s' is out of order",
                           text_shown(shown, item->text.bytes, item->text.length));
        column->n_categories++;
    }
    return SEPAL_OK;
}

static sepal_status read_fill(struct schema_reader *in, struct column *column,
                              const struct tree *list) {
    size_t n = fill_count(column), k = 0;
    if (list->count != n)
        return invalid(in->ctx, "a column has %zu fill-ins instead of %zu", list->count, n);
    column->fill = arena_alloc(in->ctx, &in->schema->arena, n, sizeof *column->fill);
    if (!column->fill) return SEPAL_EMEMORY;
    for (const struct tree *item = list->first; item; item = item->next) {
        if (item->kind != TREE_NUMBER) return invalid(in->ctx, "a fill-in is not a number");
        column->fill[k++] = item->number;
    }
    return SEPAL_OK;
}

/* What stands for a missing value is learnt for all columns or for none. */
static sepal_status check_missing(struct schema_reader *in, const struct column *column,
                                  const char *name) {
    enum missing missing = in->schema->missing;
    bool filled = missing == MISSING_MEAN || missing == MISSING_INDICATOR;
    if (filled == (column->fill != NULL) && (!column->indicator || missing == MISSING_INDICATOR))
        return SEPAL_OK;
    char shown[TEXT_SHOWN_BYTES];
    return invalid(in->ctx, "column '%s' has other fill-ins than \"missing\":\"%s\" gives",
                   text_shown(shown, name, strlen(name)), missing_names[missing]);
}

static sepal_status read_column(struct schema_reader *in, struct slice json, size_t i) {
    const struct schema *schema = in->schema;
    struct column *column = &schema->columns[i];
    struct tree *object;
    TRY(json_read_small(&object, in->ctx, &in->scratch, json));
    struct fields fields = fields_open(in->ctx, object, "column");
    const char *name = fields_text(&fields, "name");
    column->position = fields_count(&fields, "position");
    const struct tree *categories = fields_array(&fields, "categories");
    const struct tree *fill = fields_array(&fields, "fill");
    column->indicator = fields_bool(&fields, "indicator");
    TRY(fields_end(&fields));
    TRY(keep_text(in, &column->name, name));
    column->text = categories != NULL;
    if (categories) TRY(read_categories(in, column, categories));
    if (fill) TRY(read_fill(in, column, fill));
    TRY(check_missing(in, column, name));
    bool on_target = schema->target && column->position == schema->target_position;
    if (column->position >= schema->cells || on_target ||
        (in->labelled && in->labelled[column->position]) ||
        (i > 0 && column->position <= column[-1].position))
        return invalid(in->ctx, "column %zu cannot be cell %zu of %zu", i, column->position,
                       schema->cells);
    return SEPAL_OK;
}

static sepal_status schema_check_names(sepal_ctx *ctx, const struct schema *schema) {
    size_t n = schema->n_columns;
    const char **names = mem_alloc(ctx, n, sizeof *names);
    if (!names) return SEPAL_EMEMORY;
    for (size_t i = 0; i < n; i++) names[i] = schema->columns[i].name;
    qsort(names, n, sizeof *names, text_order);
    const char *twice = NULL;
    for (size_t i = 1; i < n && !twice; i++) {
        if (strcmp(names[i - 1], names[i]) == 0) twice = names[i];
    }
    mem_free(names);
    char shown[TEXT_SHOWN_BYTES];
    if (!twice) return SEPAL_OK;
    return invalid(ctx, "it has two columns '%s'", text_shown(shown, twice, strlen(twice)));
}

static sepal_status read_columns(struct schema_reader *in, struct slice json) {
    struct schema *schema = in->schema;
    struct elements elements;
    TRY(elements_open(&elements, in->ctx, json, "columns"));
    if (elements.count > json.length / SHORTEST_COLUMN)
        return invalid(in->ctx, "its %zu columns do not fit into %zu bytes", elements.count,
                       json.length);
    schema->n_columns = elements.count;
    schema->columns =
        arena_zero(in->ctx, &schema->arena, schema->n_columns, sizeof *schema->columns);
    if (!schema->columns) return SEPAL_EMEMORY;
    for (size_t i = 0; i < elements.count; i++) {
        TRY(read_column(in, elements_next(&elements), i));
        arena_clear(&in->scratch);
    }
    TRY(schema_check_names(in->ctx, schema));
    size_t width = schema->width;
    schema_layout(schema);
    if (schema->width != width)
        return invalid(in->ctx, "its schema says %zu matrix columns and makes %zu", width,
                       schema->width);
    return SEPAL_OK;
}

/* Names of indexed features. All stand in one block, which is no longer than their JSON: with a pointer for
   each, they stay within the memory bound of docs/model-format.md. */
static sepal_status read_names(struct schema_reader *in, struct slice json) {
    struct schema *schema = in->schema;
    struct elements elements;
    TRY(elements_open(&elements, in->ctx, json, "columns"));
    if (elements.count != schema->width)
        return invalid(in->ctx, "it has %zu names for %zu features", elements.count, schema->width);
    schema->names = arena_alloc(in->ctx, &schema->arena, elements.count, sizeof *schema->names);
    char *room = arena_alloc(in->ctx, &schema->arena, json.length, 1);
    if (!schema->names || !room) return SEPAL_EMEMORY;
    for (size_t i = 0; i < elements.count; i++) {
        struct tree *name;
        TRY(json_read_small(&name, in->ctx, &in->scratch, elements_next(&elements)));
        if (name->kind != TREE_TEXT || name->text.length > LONGEST_TEXT)
            return invalid(in->ctx, "the name of feature %zu is not a text of at most %d bytes", i,
                           LONGEST_TEXT);
        memcpy(room, name->text.bytes, name->text.length + 1);
        schema->names[i] = room;
        room += name->text.length + 1;
        arena_clear(&in->scratch);
    }
    return SEPAL_OK;
}

/* Labels that are numbers are in their shortest form and sorted by value. */
static bool is_shortest_number(struct slice text, double *value) {
    char digits[DECIMAL_BYTES];
    const char *end = text.bytes + text.length;
    if (decimal_read(text.bytes, end, value) != end) return false;
    if (*value == 0) *value = 0; /* -0 is the label 0 */
    return slice_compare((struct slice){digits, decimal_print(digits, *value)}, text) == 0;
}

static sepal_status read_class(struct schema_reader *in, struct slice json, size_t k) {
    struct schema *schema = in->schema;
    struct tree *label;
    TRY(json_read_small(&label, in->ctx, &in->scratch, json));
    if (label->kind != TREE_TEXT) return invalid(in->ctx, "label %zu is not a text", k);
    struct slice text = label->text;
    char shown[TEXT_SHOWN_BYTES];
    text_shown(shown, text.bytes, text.length);
    const char *last = k > 0 ? schema->classes[k - 1] : NULL;
    double value, before;
    if (label_is_missing(text)) return invalid(in->ctx, "'%s' is not a label", shown);
    bool rising = !last || strcmp(last, text.bytes) < 0;
    if (schema->numeric_labels) {
        if (!is_shortest_number(text, &value))
            return invalid(in->ctx, "the label '%s' is not a number in its shortest form", shown);
        /* never: NULL, the last was a number as well */
        rising = !last || (decimal_read(last, last + strlen(last), &before) && before < value);
    }
    if (!rising) return invalid(in->ctx, "the label '%s' is out of order", shown);
    return keep_text(in, &schema->classes[k], text.bytes);
}

static sepal_status read_classes(struct schema_reader *in, struct slice json, size_t n) {
    struct schema *schema = in->schema;
    struct elements elements;
    TRY(elements_open(&elements, in->ctx, json, "classes"));
    if (elements.count != n)
        return invalid(in->ctx, "it has %zu classes and weights for %zu", elements.count, n);
    schema->n_classes = n;
    schema->classes = arena_alloc(in->ctx, &schema->arena, n, sizeof *schema->classes);
    if (!schema->classes) return SEPAL_EMEMORY;
    for (size_t k = 0; k < n; k++) {
        TRY(read_class(in, elements_next(&elements), k));
        arena_clear(&in->scratch);
    }
    return SEPAL_OK;
}

static sepal_status schema_read_all(struct schema_reader *in, const struct schema_json *json,
                                    size_t classes, size_t width) {
    TRY(read_facts(in, json->facts, classes));
    arena_clear(&in->scratch);
    bool table = in->schema->family == FAMILY_TABLE;
    if (table && !json->columns.bytes)
        return invalid(in->ctx, "it is a table model without columns");
    if (width != SIZE_MAX && in->schema->width != width)
        return invalid(in->ctx, "its schema has %zu matrix columns and its weights %zu",
                       in->schema->width, width);
    if (in->schema->width > MODEL_MOST_COLUMNS)
        return invalid(in->ctx, "its schema has %zu matrix columns", in->schema->width);
    if (json->columns.bytes) TRY((table ? read_columns : read_names)(in, json->columns));
    return read_classes(in, json->classes, classes);
}

sepal_status schema_read(struct schema **out, sepal_ctx *ctx, const struct schema_json *json,
                         size_t classes, size_t width) {
    *out = NULL;
    struct schema_reader in = {.ctx = ctx, .schema = schema_new(ctx)};
    if (!in.schema) return SEPAL_EMEMORY;
    sepal_status status = schema_read_all(&in, json, classes, width);
    arena_clear(&in.scratch);
    mem_free(in.labelled);
    if (status == SEPAL_OK)
        *out = in.schema;
    else
        schema_release(in.schema);
    return status;
}
