#include "model/fields.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

sepal_status unsound(sepal_ctx *ctx, const char *format, ...) {
    char what[ERROR_MESSAGE_BYTES / 2];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    return fail(ctx, SEPAL_EMODEL, "this model file is not sound: %s; train the model again", what);
}

/* ---- looking at JSON text without reading it ---------------------------------------------- */

/* A column of 1,000 categories with their fill-ins makes 2,006 values, a header fewer than 100. */
enum { MOST_VALUES = 1 << 14, LONGEST_STRING = 1 << 20 };

struct look {
    size_t values;  /* at most so many */
    size_t longest; /* string, in bytes of its JSON text */
};

/* The ',' or the closing bracket that ends the value at `at`, or `end`. As far as the text is JSON
   this agrees with the reader, and where it is not, the reader stops. */
static const char *look_over(struct look *look, const char *at, const char *end) {
    const char *quote = NULL; /* of the string that `at` is in */
    size_t depth = 0;
    look->values++;
    for (; at < end; at++) {
        if (quote != NULL) {
            if (*at == '\\' && at + 1 < end) {
                at++;
            } else if (*at == '"') {
                if ((size_t)(at - quote) > look->longest) look->longest = (size_t)(at - quote);
                quote = NULL;
            }
        } else if (*at == '"') {
            quote = at;
        } else if (*at == '[' || *at == '{') {
            depth++;
            look->values++;
        } else if (*at == ']' || *at == '}') {
            if (depth-- == 0) return at;
        } else if (*at == ',') {
            if (depth == 0) return at;
            look->values++;
        }
    }
    if (quote != NULL) look->longest = (size_t)(end - quote);
    return end;
}

sepal_status json_read_small(struct tree **out, sepal_ctx *ctx, struct arena *arena,
                             struct slice json) {
    *out = NULL;
    struct look look = {0};
    (void)look_over(&look, json.bytes, json.bytes + json.length);
    if (look.values > MOST_VALUES)
        return unsound(ctx, "a JSON text in it has more than %d values", MOST_VALUES);
    if (look.longest > LONGEST_STRING)
        return unsound(ctx, "a text in it is longer than %d bytes", LONGEST_STRING);
    return json_read(out, ctx, arena, json, SEPAL_EMODEL);
}

sepal_status elements_open(struct elements *out, sepal_ctx *ctx, struct slice json,
                           const char *what) {
    const char *end = json.bytes + json.length;
    if (json.length < 2 || json.bytes[0] != '[' || end[-1] != ']')
        return unsound(ctx, "its %s are not a JSON array", what);
    *out = (struct elements){.at = json.bytes + 1, .end = end};
    if (json.length == 2) return SEPAL_OK;
    const char *at = json.bytes;
    do {
        struct look look = {0};
        at = look_over(&look, at + 1, end);
        out->count++;
    } while (at < end && *at == ',');
    if (at != end - 1) return unsound(ctx, "its %s are not a JSON array", what);
    return SEPAL_OK;
}

struct slice elements_next(struct elements *elements) {
    struct look look = {0};
    const char *stop = look_over(&look, elements->at, elements->end);
    struct slice element = {elements->at, (size_t)(stop - elements->at)};
    elements->at = stop < elements->end ? stop + 1 : stop;
    return element;
}

/* ---- fields ------------------------------------------------------------------------------- */

const struct tree *fields_optional(struct fields *fields, const char *key) {
    const struct tree *value = tree_find(fields->object, key);
    if (value != NULL) fields->taken++;
    return value;
}

const struct tree *fields_take(struct fields *fields, const char *key) {
    const struct tree *value = fields_optional(fields, key);
    if (value == NULL && fields->status == SEPAL_OK)
        fields->status = unsound(fields->ctx, "its %s has no '%s'", fields->what, key);
    return value;
}

static void wrong_kind(struct fields *fields, const char *key, const char *wanted) {
    if (fields->status != SEPAL_OK) return;
    fields->status = unsound(fields->ctx, "'%s' of its %s is not %s", key, fields->what, wanted);
}

/* The value, if it is there and of that kind, or null where that is allowed. */
static const struct tree *take_kind(struct fields *fields, const char *key, enum tree_kind kind,
                                    bool or_null, const char *wanted) {
    const struct tree *value = fields_take(fields, key);
    if (value == NULL || (or_null && value->kind == TREE_NULL)) return NULL;
    if (value->kind == kind) return value;
    wrong_kind(fields, key, wanted);
    return NULL;
}

const struct tree *fields_array(struct fields *fields, const char *key) {
    return take_kind(fields, key, TREE_ARRAY, true, "an array or null");
}

const char *fields_text(struct fields *fields, const char *key) {
    const struct tree *value = take_kind(fields, key, TREE_TEXT, false, "a text");
    return value ? value->text.bytes : "";
}

const char *fields_text_or_null(struct fields *fields, const char *key) {
    const struct tree *value = take_kind(fields, key, TREE_TEXT, true, "a text or null");
    return value ? value->text.bytes : NULL;
}

bool fields_bool(struct fields *fields, const char *key) {
    const struct tree *value = take_kind(fields, key, TREE_BOOL, false, "true or false");
    return value && value->truth;
}

double fields_number(struct fields *fields, const char *key) {
    const struct tree *value = take_kind(fields, key, TREE_NUMBER, false, "a number");
    return value ? value->number : NAN;
}

double fields_number_or_null(struct fields *fields, const char *key) {
    const struct tree *value = take_kind(fields, key, TREE_NUMBER, true, "a number or null");
    return value ? value->number : NAN;
}

bool tree_is_count(const struct tree *value, size_t *out) {
    const uint64_t exact = UINT64_C(1) << 53, most = SIZE_MAX < exact ? SIZE_MAX : exact;
    if (value == NULL || value->kind != TREE_NUMBER) return false;
    double number = value->number;
    if (signbit(number) || number > (double)most || number != floor(number)) return false;
    *out = (size_t)number;
    return true;
}

size_t fields_count(struct fields *fields, const char *key) {
    const struct tree *value = fields_take(fields, key);
    size_t count = 0;
    if (value != NULL && !tree_is_count(value, &count)) wrong_kind(fields, key, "a count");
    return count;
}

sepal_status fields_end(struct fields *fields) {
    if (fields->status == SEPAL_OK && fields->taken != fields->object->count)
        fields->status =
            unsound(fields->ctx, "its %s has fields that this sepal does not know", fields->what);
    return fields->status;
}
