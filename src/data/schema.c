#include "data/schema.h"

#include "core/alloc.h"
#include "core/decimal.h"
#include "data/limits.h"

#include <string.h>

struct schema *schema_new(sepal_ctx *ctx) {
    struct schema *schema = mem_zero(ctx, 1, sizeof *schema);
    if (schema) atomic_init(&schema->owners, 1);
    return schema;
}

/* NULL stays NULL. */
static sepal_status schema_copy_text(const char **out, sepal_ctx *ctx, struct arena *arena,
                                     const char *text) {
    *out = text ? arena_text(ctx, arena, text, strlen(text)) : NULL;
    return text && !*out ? SEPAL_EMEMORY : SEPAL_OK;
}

sepal_status schema_copy_facts(struct schema *to, sepal_ctx *ctx, const struct schema *from) {
    to->family = from->family;
    to->header = from->header;
    to->zero_based = from->zero_based;
    to->cells = from->cells;
    to->target_position = from->target_position;
    to->missing = from->missing;
    to->numeric_labels = from->numeric_labels;
    TRY(schema_copy_text(&to->target, ctx, &to->arena, from->target));
    TRY(schema_copy_text(&to->weight, ctx, &to->arena, from->weight));
    to->classes = arena_alloc(ctx, &to->arena, from->n_classes, sizeof *to->classes);
    if (!to->classes) return SEPAL_EMEMORY;
    for (; to->n_classes < from->n_classes; to->n_classes++)
        TRY(schema_copy_text(&to->classes[to->n_classes], ctx, &to->arena,
                             from->classes[to->n_classes]));
    to->label_separator = from->label_separator;
    if (!from->label_cells) return SEPAL_OK;
    to->label_cells = arena_alloc(ctx, &to->arena, from->n_classes, sizeof *to->label_cells);
    if (!to->label_cells) return SEPAL_EMEMORY;
    for (size_t k = 0; k < from->n_classes; k++) to->label_cells[k] = from->label_cells[k];
    return SEPAL_OK;
}

struct schema *schema_retain(const struct schema *schema) {
    struct schema *shared = (struct schema *)(uintptr_t)schema; /* only the count changes */
    atomic_fetch_add(&shared->owners, 1);
    return shared;
}

void schema_release(const struct schema *schema) {
    struct schema *shared = (struct schema *)(uintptr_t)schema;
    if (!shared || atomic_fetch_sub(&shared->owners, 1) > 1) return;
    arena_clear(&shared->arena);
    mem_free(shared);
}

static size_t column_width(const struct column *column) {
    return (column->text ? column->n_categories : 1) + (column->indicator ? 1 : 0);
}

void schema_layout(struct schema *schema) {
    if (schema->family == FAMILY_INDEXED) return;
    schema->width = schema->dependent = 0;
    for (size_t i = 0; i < schema->n_columns; i++) {
        struct column *column = &schema->columns[i];
        column->first = schema->width;
        schema->width += column_width(column);
        schema->dependent += column->n_categories > 0;
    }
}

sepal_status schema_check_width(sepal_ctx *ctx, const struct schema *schema) {
    if (schema->width <= LIMIT_INDEX) return SEPAL_OK;
    return fail(ctx, SEPAL_EDATA,
                "the categories of the text columns make %zu columns of 0 and 1, %d are the most "
                "there can be; leave some of them out with " OPTION "drop",
                schema->width, LIMIT_INDEX);
}

size_t schema_features(const struct schema *schema) {
    return schema->family == FAMILY_TABLE ? schema->n_columns : schema->width;
}

static const struct column *schema_column_of(const struct schema *schema, size_t j) {
    size_t low = 0, high = schema->n_columns;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (schema->columns[middle].first <= j)
            low = middle;
        else
            high = middle;
    }
    return &schema->columns[low];
}

void schema_column_name(sepal_ctx *ctx, struct text *out, const struct schema *schema, size_t j) {
    if (schema->names) {
        text_puts(ctx, out, schema->names[j]);
        return;
    }
    if (schema->family == FAMILY_INDEXED) {
        text_printf(ctx, out, "%zu", schema->zero_based ? j : j + 1);
        return;
    }
    const struct column *column = schema_column_of(schema, j);
    size_t k = j - column->first, parts = column->text ? column->n_categories : 1;
    text_puts(ctx, out, column->name);
    if (k == parts)
        text_puts(ctx, out, "=?");
    else if (column->text)
        text_printf(ctx, out, "=%s", column->categories[k]);
}

/* Text as a number, whole and finite. */
static bool schema_as_number(struct slice text, double *value) {
    const char *end = text.bytes + text.length;
    return decimal_read(text.bytes, end, value) == end;
}

int32_t schema_class_of(const struct schema *schema, struct slice label) {
    double value, other;
    bool by_value = schema->numeric_labels && schema_as_number(label, &value);
    if (schema->numeric_labels && !by_value) return -1;
    size_t low = 0, high = schema->n_classes;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        struct slice name = {schema->classes[middle], strlen(schema->classes[middle])};
        int order;
        if (by_value) {
            schema_as_number(name, &other);
            order = (value > other) - (value < other);
        } else {
            order = slice_compare(label, name);
        }
        if (order == 0) return (int32_t)middle;
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return -1;
}

size_t column_category(const struct column *column, struct slice text) {
    size_t low = 0, high = column->n_categories;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const char *name = column->categories[middle];
        int order = slice_compare(text, (struct slice){name, strlen(name)});
        if (order == 0) return middle;
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return column->n_categories;
}
