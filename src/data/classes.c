#include "data/classes.h"

#include "core/alloc.h"
#include "core/decimal.h"
#include "data/csv.h"

#include <stdlib.h>

struct label {
    struct slice text;
    double value;
    size_t number; /* among the texts */
};

bool label_is_missing(struct slice text) {
    static const char *const infinite[] = {"inf",      "+inf",      "-inf",
                                           "infinity", "+infinity", "-infinity"};
    for (size_t i = 0; i < sizeof infinite / sizeof *infinite; i++)
        if (slice_is_nocase(text, infinite[i])) return true;
    return csv_is_missing(text);
}

static int by_value(const void *a, const void *b) {
    double x = ((const struct label *)a)->value, y = ((const struct label *)b)->value;
    return (x > y) - (x < y);
}

static int by_bytes(const void *a, const void *b) {
    return slice_compare(((const struct label *)a)->text, ((const struct label *)b)->text);
}

const char *class_print(sepal_ctx *ctx, struct arena *arena, struct slice text, bool numeric) {
    double value;
    if (!numeric || !csv_is_number(text, &value))
        return arena_text(ctx, arena, text.bytes, text.length);
    char digits[DECIMAL_BYTES];
    if (value == 0) value = 0; /* -0 is the label 0 */
    return arena_text(ctx, arena, digits, decimal_print(digits, value));
}

static sepal_status number_classes(struct schema *schema, sepal_ctx *ctx, struct label *labels,
                                   size_t n, int32_t *class_of) {
    int (*order)(const void *, const void *) = schema->numeric_labels ? by_value : by_bytes;
    qsort(labels, n, sizeof *labels, order);
    schema->n_classes = 0;
    schema->classes = arena_alloc(ctx, &schema->arena, n, sizeof *schema->classes);
    if (!schema->classes) return SEPAL_EMEMORY;
    for (size_t i = 0; i < n; i++) {
        if (i == 0 || order(&labels[i - 1], &labels[i]) != 0) {
            const char *name =
                class_print(ctx, &schema->arena, labels[i].text, schema->numeric_labels);
            if (!name) return SEPAL_EMEMORY;
            schema->classes[schema->n_classes++] = name;
        }
        class_of[labels[i].number] = (int32_t)schema->n_classes - 1;
    }
    return SEPAL_OK;
}

sepal_status classes_learn(struct schema *schema, sepal_ctx *ctx, const struct tokens *texts,
                           int32_t *class_of) {
    struct label *labels = mem_alloc(ctx, texts->count, sizeof *labels);
    if (!labels) return SEPAL_EMEMORY;
    schema->numeric_labels = texts->count > 0;
    for (size_t i = 0; i < texts->count; i++) {
        labels[i] = (struct label){.text = texts->items[i], .number = i};
        if (!csv_is_number(texts->items[i], &labels[i].value)) schema->numeric_labels = false;
    }
    sepal_status status = number_classes(schema, ctx, labels, texts->count, class_of);
    mem_free(labels);
    return status;
}
