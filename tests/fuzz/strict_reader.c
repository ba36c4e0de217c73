#include "fuzz/strict_reader.h"

#include "fuzz/exact_decimal.h"
#include "fuzz/fuzz.h"

#include "core/decimal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

void *strict_grow(void *old, size_t n, size_t size) {
    void *new = old ? reallocarray(old, n + 1, size) : calloc(n + 1, size);
    if (!new) abort();
    return new;
}

void strict_refuse(struct strict *strict, size_t line, size_t column) {
    strict->faults = strict_grow(strict->faults, strict->n_faults + 1, sizeof *strict->faults);
    strict->faults[strict->n_faults++] = (struct strict_place){line, column};
}

void strict_free(struct strict *strict) {
    for (size_t k = 0; k < strict->n_classes; k++) free(strict->classes[k]);
    free(strict->classes);
    free(strict->has);
    free(strict->values);
    free(strict->faults);
    free(strict);
}

/* ---- bytes -------------------------------------------------------------------------------- */

void strict_step(struct strict_cursor *in) {
    bool line = *in->at++ == in->eol;
    in->place = line ? (struct strict_place){in->place.line + 1, 1}
                     : (struct strict_place){in->place.line, in->place.column + 1};
}

bool strict_at_eol(const struct strict_cursor *in) {
    const char *p = in->at;
    if (p < in->end && *p == '\r') p++;
    return in->at == in->end || *in->at == in->eol ||
           (*in->at == '\r' && (p == in->end || *p == in->eol));
}

void strict_next_line(struct strict_cursor *in) {
    while (in->at < in->end && *in->at != in->eol) strict_step(in);
    if (in->at < in->end) strict_step(in);
}

/* Lines end with LF; in a file without any, with CR. */
static char line_end(const char *bytes, size_t n) {
    bool cr = false;
    for (size_t i = 0; i < n; i++) {
        if (bytes[i] == '\n') return '\n';
        if (bytes[i] == '\r' && i + 1 < n) cr = true;
    }
    return cr ? '\r' : '\n';
}

bool strict_begin(struct strict *strict, struct strict_cursor *in, const char *bytes, size_t n,
                  const struct read_options *options) {
    if (n >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0) bytes += 3, n -= 3;
    *in = (struct strict_cursor){bytes, bytes + n, line_end(bytes, n), {1, 1}};
    for (size_t i = 0; i < options->skip; i++) strict_next_line(in);
    /* of what remains: lines that were skipped do not say how the others end */
    in->eol = line_end(in->at, (size_t)(in->end - in->at));
    for (struct strict_cursor p = *in; p.at < p.end; strict_step(&p))
        if (*p.at == '\0') {
            strict_refuse(strict, p.place.line, p.place.column);
            return false;
        }
    if (in->at == in->end) strict_refuse(strict, 0, 0);
    return in->at < in->end;
}

/* ---- words -------------------------------------------------------------------------------- */

bool strict_is_control(char c) {
    unsigned char code = (unsigned char)c;
    return (code < ' ' && c != '\t' && c != '\r' && c != '\n') || code == 0x7f;
}

static bool is_word(const char *text, size_t n, const char *word) {
    return strlen(word) == n && strncasecmp(text, word, n) == 0;
}

bool strict_is_missing(const char *text, size_t n) {
    return n == 0 || is_word(text, n, "?") || is_word(text, n, "na") || is_word(text, n, "n/a") ||
           is_word(text, n, "nan") || is_word(text, n, "null");
}

bool strict_is_bad_label(const char *text, size_t n) {
    if (strict_is_missing(text, n)) return true;
    if (*text == '+' || *text == '-') text++, n--;
    return is_word(text, n, "inf") || is_word(text, n, "infinity");
}

/* Table 3-7 of the Unicode standard, by the value of the code point. */
bool strict_is_utf8(const char *text, size_t n) {
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    for (size_t i = 0; i < n;) {
        unsigned char lead = (unsigned char)text[i];
        size_t size = lead < 0x80       ? 1
                      : lead >> 5 == 6  ? 2
                      : lead >> 4 == 14 ? 3
                      : lead >> 3 == 30 ? 4
                                        : 0;
        if (size == 0 || size > n - i) return false;
        uint32_t code = size == 1 ? lead : lead & (0x7fu >> size);
        for (size_t k = 1; k < size; k++) {
            if (((unsigned char)text[i + k] & 0xC0) != 0x80) return false;
            code = code << 6 | ((unsigned char)text[i + k] & 0x3F);
        }
        if (code < least[size] || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF))
            return false;
        i += size;
    }
    return true;
}

/* ---- labels ------------------------------------------------------------------------------- */

/* The same decimal number has the same form: sign, digits without zeros at the ends, exponent. */
static char *exact_form(const char *text) {
    size_t n = strlen(text), digits = 0;
    char *form = strict_grow(NULL, n + 32, 1), *mantissa = form + 1;
    long long power = 0;
    bool point = false;
    form[0] = *text == '-' ? '-' : '+';
    for (text += *text == '-' || *text == '+'; *text == '.' || (*text >= '0' && *text <= '9');
         text++) {
        if (*text != '.' && (digits || *text != '0')) mantissa[digits++] = *text;
        if (*text != '.' && point) power--;
        point = point || *text == '.';
    }
    if (*text) {
        bool minus = text[1] == '-';
        long long exponent = 0;
        for (text += 1 + (text[1] == '-' || text[1] == '+'); *text; text++)
            if (exponent < 1000000000000) exponent = exponent * 10 + (*text - '0');
        power += minus ? -exponent : exponent;
    }
    for (; digits && mantissa[digits - 1] == '0'; digits--) power++;
    if (digits == 0) form[0] = '+', power = 0;
    snprintf(mantissa + digits, 30, "e%lld", power);
    return form;
}

struct label {
    char *text;
    double value;
    char *form;
};
static int by_value(const void *a, const void *b) {
    double x = ((const struct label *)a)->value, y = ((const struct label *)b)->value;
    return x < y ? -1 : x > y;
}
static int by_bytes(const void *a, const void *b) {
    return strcmp(((const struct label *)a)->text, ((const struct label *)b)->text);
}

/* Numbers that are one double but differ, and whole numbers that a double does not hold as they are
   written, cannot be labels. */
static bool is_lossy(const struct label *label, const struct label *before) {
    char shortest[DECIMAL_BYTES + 1];
    shortest[decimal_print(shortest, label->value)] = '\0';
    char *printed = exact_form(shortest);
    bool whole = !strpbrk(label->text, ".eE");
    bool lost = whole && strcmp(printed, label->form) != 0;
    free(printed);
    return lost ||
           (before && before->value == label->value && strcmp(before->form, label->form) != 0);
}

static void add_class(struct strict *strict, const struct label *label, bool numeric) {
    char shortest[DECIMAL_BYTES + 1] = "";
    if (numeric) shortest[decimal_print(shortest, label->value == 0 ? 0 : label->value)] = '\0';
    strict->classes = strict_grow(strict->classes, strict->n_classes + 1, sizeof *strict->classes);
    strict->classes[strict->n_classes++] = strdup(numeric ? shortest : label->text);
}

static void learn_classes(struct strict *strict, struct label *labels, size_t n) {
    bool numeric = n > 0;
    for (size_t i = 0; i < n; i++)
        if (!exact_is_number(labels[i].text, strlen(labels[i].text), &labels[i].value))
            numeric = false;
    strict->numeric = numeric;
    if (n) qsort(labels, n, sizeof *labels, numeric ? by_value : by_bytes);
    for (size_t i = 0; i < n; i++) {
        if (numeric) labels[i].form = exact_form(labels[i].text);
        if (numeric && is_lossy(&labels[i], i ? &labels[i - 1] : NULL)) strict_refuse(strict, 0, 0);
        bool same = i && (numeric ? by_value : by_bytes)(&labels[i - 1], &labels[i]) == 0;
        if (!same) add_class(strict, &labels[i], numeric);
    }
    for (size_t i = 0; i < n; i++) free(labels[i].form);
}

static size_t class_of(const struct strict *strict, const char *text) {
    double value, other;
    bool number = strict->numeric && exact_is_number(text, strlen(text), &value);
    for (size_t k = 0; k < strict->n_classes; k++) {
        const char *class = strict->classes[k];
        if (strcmp(class, text) == 0) return k;
        if (number && exact_is_number(class, strlen(class), &other) && other == value) return k;
    }
    law_broken(__FILE__, __LINE__, "the label '%s' has no class", text);
}

void strict_label(struct strict *strict, char *const *texts) {
    struct label *labels = NULL;
    size_t n = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (size_t row = 0; row < strict->rows; row++) {
            char *copy = strdup(texts[row] ? texts[row] : ""), *rest = copy, *text;
            while ((text = strict->sets ? strsep(&rest, ",") : rest)) {
                if (!strict->sets) rest = NULL;
                if (*text && pass == 0) {
                    labels = strict_grow(labels, n + 1, sizeof *labels);
                    labels[n++] = (struct label){.text = strdup(text)};
                } else if (*text) {
                    strict->has[row * strict->n_classes + class_of(strict, text)] = true;
                }
            }
            free(copy);
        }
        if (pass == 1) break;
        learn_classes(strict, labels, n);
        strict->has = strict_grow(NULL, strict->rows * strict->n_classes, sizeof *strict->has);
    }
    while (n) free(labels[--n].text);
    free(labels);
}
