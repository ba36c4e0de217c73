/* JSON text (RFC 8259) to a tree. The text may be hostile: nesting is a stack of bounded height
   instead of recursion, every byte is looked at a bounded number of times, and equal keys are found
   by sorting the keys of an object when it closes, which costs O(n log n) whatever the keys are. */
#include "core/tree.h"

#include "core/alloc.h"
#include "core/decimal.h"

#include <stdlib.h>
#include <string.h>

/* The reader's own limit (core/tree.h); the files of this project need less than ten. */
enum { DEPTH_LIMIT = 32 };

struct reader {
    sepal_ctx *ctx;
    sepal_status status; /* of malformed text */
    const char *start, *at, *end;
    struct tree_maker make;
    struct tree *open[DEPTH_LIMIT + 1]; /* open[0] is an array around the whole text */
    size_t depth;                       /* index of the innermost one */
    struct text key, text;              /* scratch */
};

static size_t byte_number(const struct reader *in, const char *at) {
    return (size_t)(at - in->start) + 1;
}

static sepal_status json_expected(struct reader *in, const char *what) {
    return fail(in->ctx, in->status, "json: expected %s at byte %zu%s", what,
                byte_number(in, in->at), in->at == in->end ? ", where the text ends" : "");
}

/* The next byte, -1 at the end. */
static int peek(const struct reader *in) {
    return in->at < in->end ? (unsigned char)*in->at : -1;
}

static int peek_past_blanks(struct reader *in) {
    int next = peek(in);
    while (next == ' ' || next == '\t' || next == '\n' || next == '\r') {
        in->at++;
        next = peek(in);
    }
    return next;
}

static sepal_status read_hex(struct reader *in, unsigned *out) {
    *out = 0;
    for (int i = 0; i < 4; i++) {
        int c = peek(in);
        unsigned digit;
        if (c >= '0' && c <= '9') {
            digit = (unsigned)(c - '0');
        } else if ((c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F')) {
            digit = (unsigned)((c | 0x20) - 'a') + 10;
        } else {
            return json_expected(in, "four hexadecimal digits after \\u");
        }
        *out = *out * 16 + digit;
        in->at++;
    }
    return SEPAL_OK;
}

static void add_utf8(struct reader *in, struct text *out, unsigned code) {
    char bytes[4];
    size_t n = 0;
    if (code < 0x80) {
        bytes[n++] = (char)code;
    } else if (code < 0x800) {
        bytes[n++] = (char)(0xC0 | (code >> 6));
    } else if (code < 0x10000) {
        bytes[n++] = (char)(0xE0 | (code >> 12));
        bytes[n++] = (char)(0x80 | ((code >> 6) & 0x3F));
    } else {
        bytes[n++] = (char)(0xF0 | (code >> 18));
        bytes[n++] = (char)(0x80 | ((code >> 12) & 0x3F));
        bytes[n++] = (char)(0x80 | ((code >> 6) & 0x3F));
    }
    if (code >= 0x80) bytes[n++] = (char)(0x80 | (code & 0x3F));
    text_add(in->ctx, out, bytes, n);
}

/* After "\u". A character beyond U+FFFF comes as two escapes, a high and a low surrogate. */
static sepal_status read_unicode(struct reader *in, struct text *out) {
    const char *escape = in->at - 2;
    unsigned code, low;
    TRY(read_hex(in, &code));
    if (code >= 0xD800 && code <= 0xDBFF && in->end - in->at >= 2 && in->at[0] == '\\' &&
        in->at[1] == 'u') {
        in->at += 2;
        TRY(read_hex(in, &low));
        if (low >= 0xDC00 && low <= 0xDFFF) {
            code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
        }
    }
    if (code == 0 || (code >= 0xD800 && code <= 0xDFFF)) {
        return fail(in->ctx, in->status, "json: the escape at byte %zu is %s",
                    byte_number(in, escape),
                    code == 0 ? "\\u0000, and no text here may hold a NUL"
                              : "half of a surrogate pair without the other half");
    }
    add_utf8(in, out, code);
    return SEPAL_OK;
}

/* After the backslash. */
static sepal_status read_escape(struct reader *in, struct text *out) {
    static const char letters[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
    int letter = peek(in);
    const char *found = letter > 0 ? strchr(letters, letter) : NULL;
    if (found == NULL && letter != 'u')
        return json_expected(in, "one of \"\\/bfnrtu after a backslash");
    in->at++;
    if (letter == 'u') return read_unicode(in, out);
    text_add(in->ctx, out, meanings + (found - letters), 1);
    return SEPAL_OK;
}

/* A string, at its opening quote. The bytes are known to be UTF-8. */
static sepal_status json_read_string(struct reader *in, struct text *out) {
    const char *open = in->at++;
    out->length = 0;
    text_add(in->ctx, out, "", 0);
    for (;;) {
        const char *from = in->at;
        while (peek(in) >= 0x20 && *in->at != '"' && *in->at != '\\') in->at++;
        text_add(in->ctx, out, from, (size_t)(in->at - from));
        if (peek(in) == '"') break;
        if (peek(in) < 0) {
            return fail(in->ctx, in->status, "json: the string that begins at byte %zu never ends",
                        byte_number(in, open));
        }
        if (peek(in) != '\\') return json_expected(in, "no bare control character in a string");
        in->at++;
        TRY(read_escape(in, out));
    }
    in->at++;
    return out->failed ? SEPAL_EMEMORY : SEPAL_OK;
}

static const char *skip_digits(const char *at, const char *end) {
    while (at < end && *at >= '0' && *at <= '9') at++;
    return at;
}

/* The end of the JSON number at `at`, NULL if there is none. Stricter than decimal_read: no plus
   sign, no leading zeros, digits on both sides of the point. */
static const char *number_end(const char *at, const char *end) {
    if (at < end && *at == '-') at++;
    const char *whole = at;
    at = skip_digits(at, end);
    if (at == whole || (*whole == '0' && at > whole + 1)) return NULL;
    if (at < end && *at == '.') {
        const char *fraction = ++at;
        at = skip_digits(at, end);
        if (at == fraction) return NULL;
    }
    if (at < end && (*at == 'e' || *at == 'E')) {
        at++;
        if (at < end && (*at == '+' || *at == '-')) at++;
        const char *exponent = at;
        at = skip_digits(at, end);
        if (at == exponent) return NULL;
    }
    return at;
}

static sepal_status read_number(struct reader *in, struct tree *parent, const char *key) {
    const char *stop = number_end(in->at, in->end);
    if (stop == NULL)
        return json_expected(in, "a number as JSON writes it (no '+', no leading zeros)");
    double number;
    if (decimal_read(in->at, stop, &number) != stop) {
        return fail(in->ctx, in->status, "json: the number at byte %zu is too large for a double",
                    byte_number(in, in->at));
    }
    in->at = stop;
    tree_number(&in->make, parent, key, number);
    return SEPAL_OK;
}

static bool json_read_word(struct reader *in, const char *word) {
    size_t length = strlen(word);
    if ((size_t)(in->end - in->at) < length || memcmp(in->at, word, length) != 0) return false;
    in->at += length;
    return true;
}

static sepal_status read_word_value(struct reader *in, struct tree *parent, const char *key) {
    if (json_read_word(in, "null")) {
        tree_null(&in->make, parent, key);
    } else if (json_read_word(in, "true")) {
        tree_bool(&in->make, parent, key, true);
    } else if (json_read_word(in, "false")) {
        tree_bool(&in->make, parent, key, false);
    } else {
        return json_expected(in, "a value");
    }
    return SEPAL_OK;
}

static sepal_status open_container(struct reader *in, struct tree *parent, const char *key) {
    if (in->depth == DEPTH_LIMIT) {
        return fail(in->ctx, in->status, "json: nested deeper than %d at byte %zu", DEPTH_LIMIT,
                    byte_number(in, in->at));
    }
    bool object = *in->at++ == '{';
    struct tree *made =
        object ? tree_object(&in->make, parent, key) : tree_array(&in->make, parent, key);
    in->open[++in->depth] = made;
    return SEPAL_OK;
}

/* One scalar, or the opening of an array or object. */
static sepal_status json_read_value(struct reader *in, const char *key) {
    struct tree *parent = in->open[in->depth];
    int next = peek_past_blanks(in);
    if (next == '{' || next == '[') {
        TRY(open_container(in, parent, key));
    } else if (next == '"') {
        TRY(json_read_string(in, &in->text));
        tree_slice(&in->make, parent, key, (struct slice){in->text.bytes, in->text.length});
    } else if (next == '-' || (next >= '0' && next <= '9')) {
        TRY(read_number(in, parent, key));
    } else {
        TRY(read_word_value(in, parent, key));
    }
    return in->make.failed ? SEPAL_EMEMORY : SEPAL_OK;
}

static int by_key(const void *a, const void *b) {
    const struct tree *const *left = a, *const *right = b;
    return strcmp((*left)->key, (*right)->key);
}

static sepal_status check_keys(struct reader *in, const struct tree *object) {
    if (object->count < 2) return SEPAL_OK;
    const struct tree **sorted = mem_alloc(in->ctx, object->count, sizeof *sorted);
    if (sorted == NULL) return SEPAL_EMEMORY;
    size_t n = 0;
    for (const struct tree *child = object->first; child != NULL; child = child->next) {
        sorted[n++] = child;
    }
    qsort(sorted, n, sizeof *sorted, by_key);
    const char *twice = NULL;
    for (size_t i = 1; i < n && twice == NULL; i++) {
        if (strcmp(sorted[i - 1]->key, sorted[i]->key) == 0) twice = sorted[i]->key;
    }
    mem_free(sorted);
    if (twice == NULL) return SEPAL_OK;
    char shown[TEXT_SHOWN_BYTES];
    return fail(in->ctx, in->status,
                "json: the object that ends at byte %zu has the key '%s' twice",
                byte_number(in, in->at), text_shown(shown, twice, strlen(twice)));
}

/* Inside an open array or object: its end, or one more child. */
static sepal_status read_child(struct reader *in) {
    struct tree *parent = in->open[in->depth];
    bool object = parent->kind == TREE_OBJECT;
    int next = peek_past_blanks(in);
    if (next == (object ? '}' : ']')) {
        if (object) TRY(check_keys(in, parent));
        in->at++;
        in->depth--;
        return SEPAL_OK;
    }
    if (parent->count > 0) {
        if (next != ',') return json_expected(in, object ? "',' or '}'" : "',' or ']'");
        in->at++;
    }
    if (!object) return json_read_value(in, NULL);
    if (peek_past_blanks(in) != '"') return json_expected(in, "a key in double quotes");
    TRY(json_read_string(in, &in->key));
    if (peek_past_blanks(in) != ':') return json_expected(in, "':'");
    in->at++;
    return json_read_value(in, in->key.bytes);
}

static sepal_status json_read_all(struct reader *in) {
    size_t length = (size_t)(in->end - in->start), valid = utf8_valid_prefix(in->start, length);
    if (valid < length) {
        return fail(in->ctx, in->status, "json: byte %zu is not UTF-8", valid + 1);
    }
    in->open[0] = tree_array(&in->make, NULL, NULL);
    if (in->make.failed) return SEPAL_EMEMORY;
    TRY(json_read_value(in, NULL));
    while (in->depth > 0) TRY(read_child(in));
    if (peek_past_blanks(in) >= 0) return json_expected(in, "nothing after the value");
    return SEPAL_OK;
}

sepal_status json_read(struct tree **out, sepal_ctx *ctx, struct arena *arena, struct slice json,
                       sepal_status status) {
    *out = NULL;
    const char *start = json.length > 0 ? json.bytes : "";
    struct reader in = {.ctx = ctx,
                        .status = status,
                        .start = start,
                        .at = start,
                        .end = start + json.length,
                        .make = {.ctx = ctx, .arena = arena}};
    sepal_status result = json_read_all(&in);
    text_clear(&in.key);
    text_clear(&in.text);
    if (result == SEPAL_OK) *out = in.open[0]->first;
    return result;
}
