/* The JSON reader, against a slow one that only says yes or no, and against the printer: what was
   read, printed in either form, is read as the same. */
#include "fuzz/fuzz.h"

#include "fuzz/exact_decimal.h"

#include "core/tree.h"

#include <stdlib.h>
#include <string.h>

/* ---- RFC 8259, with the limits of core/tree.h ---------------------------------------------- */

enum { DEEPEST = 32, MOST_KEYS = 64 };

struct strict {
    const char *at, *end;
    int depth;
};

static bool is_value(struct strict *in);

static void skip_blanks(struct strict *in) {
    while (in->at < in->end && memchr(" \t\n\r", *in->at, 4)) in->at++;
}

static bool skip(struct strict *in, const char *token) {
    size_t n = strlen(token);
    if ((size_t)(in->end - in->at) < n || memcmp(in->at, token, n) != 0) return false;
    in->at += n;
    return true;
}

/* \uXXXX; -1: it is not. */
static long unit(struct strict *in) {
    long code = 0;
    if (!skip(in, "\\u") || in->end - in->at < 4) return -1;
    for (int i = 0; i < 4; i++) {
        static const char hex[] = "0123456789abcdef0123456789ABCDEF";
        const char *found = *in->at ? strchr(hex, *in->at) : NULL;
        if (!found) return -1;
        code = code * 16 + (found - hex) % 16;
        in->at++;
    }
    return code;
}

/* One character of a text, appended to out (room for three bytes a byte). */
static bool character(struct strict *in, struct text *out) {
    unsigned char byte = (unsigned char)*in->at;
    static const char letters[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
    if (byte < ' ') return false;
    if (byte != '\\') {
        text_add(NULL, out, in->at++, 1);
        return true;
    }
    if (in->end - in->at < 2) return false;
    const char *found = in->at[1] ? strchr(letters, in->at[1]) : NULL;
    if (found) {
        text_add(NULL, out, &meanings[found - letters], 1);
        in->at += 2;
        return true;
    }
    long code = unit(in);
    if (code >= 0xD800 && code < 0xDC00) {
        long low = unit(in);
        if (low < 0xDC00 || low > 0xDFFF) return false;
        code = 0x10000 + (code - 0xD800) * 0x400 + (low - 0xDC00);
    }
    if (code <= 0 || (code >= 0xDC00 && code <= 0xDFFF)) return false;
    char utf8[4];
    size_t n = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    for (size_t i = n; i-- > 0; code >>= 6) utf8[i] = (char)(i ? 0x80 | (code & 0x3f) : code);
    static const unsigned char marks[] = {0, 0, 0xC0, 0xE0, 0xF0};
    utf8[0] = (char)((unsigned char)utf8[0] | marks[n]);
    text_add(NULL, out, utf8, n);
    return true;
}

static bool is_text(struct strict *in, struct text *out) {
    if (!skip(in, "\"")) return false;
    while (in->at < in->end && *in->at != '"')
        if (!character(in, out)) return false;
    return skip(in, "\"") && utf8_valid_prefix(out->bytes, out->length) == out->length;
}

static bool is_number(struct strict *in) {
    const char *digits = in->at + (in->at < in->end && *in->at == '-');
    double value;
    if (digits == in->end || *digits < '0' || *digits > '9') return false;
    if (*digits == '0' && digits + 1 < in->end && digits[1] >= '0' && digits[1] <= '9')
        return false;
    const char *stop = exact_read(in->at, in->end, &value);
    const char *point = memchr(in->at, '.', (size_t)(stop - in->at));
    if (point && (point + 1 == in->end || point[1] < '0' || point[1] > '9')) return false;
    in->at = stop;
    return value - value == 0;
}

static bool is_array(struct strict *in) {
    skip_blanks(in);
    if (skip(in, "]")) return true;
    do
        if (!is_value(in)) return false;
    while (skip(in, ","));
    return skip(in, "]");
}

static bool is_object(struct strict *in) {
    struct text keys[MOST_KEYS];
    size_t n = 0;
    bool well = true, more = true;
    skip_blanks(in);
    if (skip(in, "}")) return true;
    while (well && more) {
        LAW(n < MOST_KEYS, "more keys than the reference has room for");
        struct text *key = &keys[n++];
        *key = (struct text){0};
        skip_blanks(in);
        well = is_text(in, key);
        for (size_t i = 0; well && i + 1 < n; i++)
            well = keys[i].length != key->length ||
                   (key->length && memcmp(keys[i].bytes, key->bytes, key->length) != 0);
        skip_blanks(in);
        well = well && skip(in, ":") && is_value(in);
        more = well && skip(in, ",");
    }
    while (n) text_clear(&keys[--n]);
    return well && skip(in, "}");
}

static bool is_value(struct strict *in) {
    struct text text = {0};
    bool well = true;
    skip_blanks(in);
    if (in->at < in->end && *in->at == '"') {
        well = is_text(in, &text);
        text_clear(&text);
    } else if (!skip(in, "null") && !skip(in, "true") && !skip(in, "false")) {
        in->depth++;
        well = skip(in, "[")   ? in->depth <= DEEPEST && is_array(in)
               : skip(in, "{") ? in->depth <= DEEPEST && is_object(in)
                               : is_number(in);
        in->depth--;
    }
    skip_blanks(in);
    return well;
}

/* ---- the laws ----------------------------------------------------------------------------- */

static void print_laws(sepal_ctx *ctx, struct arena *arena, const struct tree *tree) {
    struct text flat = {0};
    json_print(ctx, &flat, tree, 0);
    for (int indent = 0; indent <= 2; indent += 2) {
        struct text form = {0}, again = {0};
        struct tree *back;
        json_print(ctx, &form, tree, indent);
        struct slice json = {form.bytes, form.length};
        LAW(json_read(&back, ctx, arena, json, SEPAL_EMODEL) == SEPAL_OK, "not read again: %s: %s",
            form.bytes, ctx->error.message);
        json_print(ctx, &again, back, 0);
        LAW(strcmp(flat.bytes, again.bytes) == 0, "%s, then %s", flat.bytes, again.bytes);
        text_clear(&form);
        text_clear(&again);
    }
    text_clear(&flat);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    struct slice json = {(const char *)bytes, size};
    struct strict strict = {json.bytes, json.bytes + size, 0};
    struct arena arena = {0};
    struct tree *tree;
    sepal_ctx *ctx = fuzz_ctx(1);
    size_t keys = 0;
    for (size_t i = 0; i < size; i++) keys += bytes[i] == ':';
    if (keys >= MOST_KEYS) return 0; /* more than the reference has room for */
    bool wanted = is_value(&strict) && strict.at == strict.end;
    sepal_status status = json_read(&tree, ctx, &arena, json, SEPAL_EMODEL);
    LAW((status == SEPAL_OK) == wanted, "%.*s is %s: %s", (int)size, json.bytes,
        wanted ? "JSON" : "not JSON", ctx->error.message);
    if (status == SEPAL_OK)
        print_laws(ctx, &arena, tree);
    else
        failure_laws(ctx, status, NULL);
    arena_clear(&arena);
    return 0;
}
