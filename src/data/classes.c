#include "data/classes.h"

#include "core/alloc.h"
#include "core/decimal.h"
#include "data/cell_value.h"
#include "data/limits.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

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
    return cell_is_missing(text);
}

static int by_value(const void *a, const void *b) {
    double x = ((const struct label *)a)->value, y = ((const struct label *)b)->value;
    return (x > y) - (x < y);
}

static int classes_by_bytes(const void *a, const void *b) {
    return slice_compare(((const struct label *)a)->text, ((const struct label *)b)->text);
}

const char *class_print(sepal_ctx *ctx, struct arena *arena, struct slice text, bool numeric) {
    double value;
    if (!numeric || !cell_is_number(text, &value)) /* never: numeric, but not a number */
        return arena_text(ctx, arena, text.bytes, text.length);
    char digits[DECIMAL_BYTES];
    if (value == 0) value = 0; /* -0 is the label 0 */
    return arena_text(ctx, arena, digits, decimal_print(digits, value));
}

/* The digits that count of a decimal number, and the power of ten of the first of them. */
struct exact {
    bool negative;
    char *digits; /* without zeros at either end */
    size_t n;
    long long power;
};

static struct exact exact_of(struct slice text, char *digits) {
    struct exact out = {.digits = digits};
    const char *p = text.bytes, *end = p + text.length;
    long long point = 0, exponent = 0;
    bool behind = false, minus = false;
    out.negative = *p == '-';
    for (p += *p == '-' || *p == '+'; p < end && (*p | 32) != 'e'; p++) {
        if (*p == '.') {
            behind = true;
            continue;
        }
        if (out.n || *p != '0') out.digits[out.n++] = *p;
        if (!behind && out.n) point++;
        if (behind && !out.n) point--;
    }
    if (p < end) { /* the exponent */
        p++;
        minus = *p == '-';
        for (p += *p == '-' || *p == '+'; p < end && exponent < LLONG_MAX / 100; p++)
            exponent = exponent * 10 + (*p - '0');
    }
    while (out.n && out.digits[out.n - 1] == '0') out.n--;
    out.power = out.n ? point + (minus ? -exponent : exponent) : 0;
    return out;
}

/* Two numbers that are one double may still differ: 9007199254740993 and ...992 do. */
static sepal_status classes_check_same(sepal_ctx *ctx, struct slice a, struct slice b) {
    char *digits = mem_alloc(ctx, a.length + b.length, 1);
    if (!digits) return SEPAL_EMEMORY;
    struct exact x = exact_of(a, digits), y = exact_of(b, digits + a.length);
    bool same = x.n == y.n && x.power == y.power && (x.n == 0 || x.negative == y.negative) &&
                memcmp(x.digits, y.digits, x.n) == 0;
    mem_free(digits);
    if (same) return SEPAL_OK;
    return fail(ctx, SEPAL_EDATA,
                "the label %.40s cannot be told from %.40s: they are the same double; put a letter "
                "before such labels to make them text",
                a.bytes, b.bytes);
}

/* Digits alone: a number somebody may mean to the last of them. */
static bool is_whole(struct slice text) {
    for (size_t i = 0; i < text.length; i++)
        if (text.bytes[i] == '.' || (text.bytes[i] | 32) == 'e') return false;
    return true;
}

static sepal_status number_classes(struct schema *schema, sepal_ctx *ctx, struct label *labels,
                                   size_t n, int32_t *class_of) {
    int (*order)(const void *, const void *) = schema->numeric_labels ? by_value : classes_by_bytes;
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
            if (schema->numeric_labels && is_whole(labels[i].text))
                TRY(classes_check_same(ctx, labels[i].text, (struct slice){name, strlen(name)}));
        } else if (schema->numeric_labels) { /* never: texts that are the same were met before */
            TRY(classes_check_same(ctx, labels[i - 1].text, labels[i].text));
        }
        class_of[labels[i].number] = (int32_t)schema->n_classes - 1;
    }
    if (schema->n_classes > LIMIT_CLASSES)
        return fail(ctx, SEPAL_EDATA,
                    "there are %zu different labels, %d are the most there can be; is it the right "
                    "column? " OPTION "target names another one",
                    schema->n_classes, LIMIT_CLASSES);
    return SEPAL_OK;
}

sepal_status classes_learn(struct schema *schema, sepal_ctx *ctx, const struct tokens *texts,
                           int32_t *class_of) {
    struct label *labels = mem_alloc(ctx, texts->count, sizeof *labels);
    if (!labels) return SEPAL_EMEMORY;
    schema->numeric_labels = texts->count > 0;
    for (size_t i = 0; i < texts->count; i++) {
        labels[i] = (struct label){.text = texts->items[i], .number = i};
        if (!cell_is_number(texts->items[i], &labels[i].value)) schema->numeric_labels = false;
    }
    sepal_status status = number_classes(schema, ctx, labels, texts->count, class_of);
    mem_free(labels);
    return status;
}
