#include "model/fields.h"

#include "core/decimal.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

sepal_status invalid(sepal_ctx *ctx, const char *format, ...) {
    char what[ERROR_MESSAGE_BYTES / 2];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    return fail(ctx, SEPAL_EMODEL,
                "this model file is not sound: %s; copy it "
                "again or train the model again",
                what);
}

/* ---- looking at JSON text without reading it ---------------------------------------------- */

/* A column of 1,000 categories with their fill-ins makes 2,006 values, a header fewer than 100. */
enum { MOST_VALUES = 1 << 14, LONGEST_STRING = 1 << 20 };

struct key_lookup {
    size_t values;  /* at most so many */
    size_t longest; /* string, in bytes of its JSON text */
};

/* The ',' or the closing bracket that ends the value at `at`, or `end`. As far as the text is JSON
   this agrees with the reader, and where it is not, the reader stops. */
static const char *look_over(struct key_lookup *look, const char *at, const char *end) {
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

/* ---- one spelling --------------------------------------------------------------------------- */

/* The byte after an escape that json_print writes, NULL if it writes another one. `at` is behind
   the backslash of a valid escape. */
static const char *plain_escape(const char *at) {
    if (*at != 'u') return *at != '/' ? at + 1 : NULL;
    static const char digits[] = "0123456789abcdef";
    unsigned code = 0;
    for (int i = 1; i <= 4; i++) {
        const char *digit = strchr(digits, at[i]);
        if (digit == NULL) return NULL;
        code = code * 16 + (unsigned)(digit - digits);
    }
    bool has_letter = code >= '\b' && code <= '\r' && code != '\v';
    return (code < 0x20 && !has_letter) || code == 0x7F ? at + 5 : NULL;
}

/* The byte after the string, from its opening quote. */
static const char *plain_string(const char *at) {
    for (at++; at != NULL && *at != '"';) {
        if (*at == 0x7F) return NULL;
        at = *at == '\\' ? plain_escape(at + 1) : at + 1;
    }
    return at != NULL ? at + 1 : NULL;
}

static const char *plain_number(const char *at, const char *end) {
    double number;
    char shortest[DECIMAL_BYTES];
    const char *stop = decimal_read(at, end, &number);
    if (stop == NULL) return NULL; /* never: the reader has read it */
    struct slice written = {at, (size_t)(stop - at)};
    struct slice wanted = {shortest, decimal_print(shortest, number)};
    return slice_compare(written, wanted) == 0 ? stop : NULL;
}

/* Whether json_print would write the text, which is known to be JSON, in just this way: without
   blanks, escaping what must be and nothing else, numbers in their shortest form. */
static bool is_plain(struct slice json) {
    const char *at = json.bytes, *end = json.bytes + json.length;
    while (at != NULL && at < end) {
        if (*at == '"')
            at = plain_string(at);
        else if (*at == '-' || (*at >= '0' && *at <= '9'))
            at = plain_number(at, end);
        else
            at = strchr(" \t\n\r", *at) == NULL ? at + 1 : NULL;
    }
    return at != NULL;
}

/* The reader's message says at which byte, but not of what, nor what to do. */
static sepal_status json_failed(sepal_ctx *ctx) {
    char why[ERROR_MESSAGE_BYTES / 4];
    (void)snprintf(why, sizeof why, "%.*s", (int)sizeof why - 1, ctx->error.message);
    return invalid(ctx, "%s", why);
}

sepal_status json_read_small(struct tree **out, sepal_ctx *ctx, struct arena *arena,
                             struct slice json) {
    *out = NULL;
    struct key_lookup look = {0};
    (void)look_over(&look, json.bytes, json.bytes + json.length);
    if (look.values > MOST_VALUES)
        return invalid(ctx, "a JSON text in it has more than %d values", MOST_VALUES);
    if (look.longest > LONGEST_STRING)
        return invalid(ctx, "a text in it is longer than %d bytes", LONGEST_STRING);
    sepal_status status = json_read(out, ctx, arena, json, SEPAL_EMODEL);
    if (status == SEPAL_EMODEL) return json_failed(ctx);
    if (status == SEPAL_OK && !is_plain(json))
        return invalid(ctx, "a JSON text in it is not spelled as sepal spells it");
    return status;
}

sepal_status elements_open(struct elements *out, sepal_ctx *ctx, struct slice json,
                           const char *what) {
    const char *end = json.bytes + json.length;
    if (json.length < 2 || json.bytes[0] != '[' || end[-1] != ']')
        return invalid(ctx, "its %s are not a JSON array", what);
    *out = (struct elements){.at = json.bytes + 1, .end = end};
    if (json.length == 2) return SEPAL_OK;
    const char *at = json.bytes;
    do {
        struct key_lookup look = {0};
        at = look_over(&look, at + 1, end);
        out->count++;
    } while (at < end && *at == ',');
    if (at != end - 1) return invalid(ctx, "its %s are not a JSON array", what);
    return SEPAL_OK;
}

struct slice elements_next(struct elements *elements) {
    struct key_lookup look = {0};
    const char *stop = look_over(&look, elements->at, elements->end);
    struct slice element = {elements->at, (size_t)(stop - elements->at)};
    /* never: the end, before which there is the closing bracket */
    elements->at = stop < elements->end ? stop + 1 : stop;
    return element;
}

/* ---- fields ------------------------------------------------------------------------------- */

struct fields fields_open(sepal_ctx *ctx, const struct tree *object, const char *what) {
    const struct tree *first = object->kind == TREE_OBJECT ? object->first : NULL;
    return (struct fields){.ctx = ctx, .object = object, .next = first, .what = what};
}

const struct tree *fields_optional(struct fields *fields, const char *key) {
    const struct tree *value = fields->next;
    if (value == NULL || strcmp(value->key, key) != 0) return NULL;
    fields->next = value->next;
    return value;
}

const struct tree *fields_take(struct fields *fields, const char *key) {
    const struct tree *value = fields_optional(fields, key);
    if (value == NULL && fields->status == SEPAL_OK)
        fields->status = invalid(fields->ctx, "its %s has no '%s'%s", fields->what, key,
                                 tree_find(fields->object, key) ? " where it should be" : "");
    return value;
}

static void wrong_kind(struct fields *fields, const char *key, const char *wanted) {
    if (fields->status != SEPAL_OK) return;
    fields->status = invalid(fields->ctx, "'%s' of its %s is not %s", key, fields->what, wanted);
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
    if (value->kind != TREE_NUMBER) return false;
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
    char shown[TEXT_SHOWN_BYTES];
    if (fields->status == SEPAL_OK && fields->next != NULL)
        fields->status =
            invalid(fields->ctx, "its %s has a '%s' that this sepal does not know there",
                    fields->what, text_shown(shown, fields->next->key, strlen(fields->next->key)));
    return fields->status;
}
