#include "data/cell_value.h"

#include "core/decimal.h"

#include <string.h>

bool cell_is_missing(struct slice text) {
    static const char *const words[] = {"?", "na", "n/a", "nan", "null"};
    if (text.length == 0) return true;
    if (text.length > 4) return false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (slice_is_nocase(text, words[i])) return true;
    return false;
}

bool cell_is_number(struct slice text, double *value) {
    if (text.length == 0) return false;
    const char *end = text.bytes + text.length;
    return decimal_read(text.bytes, end, value) == end;
}

bool cell_is_comma_number(struct slice text, double *value) {
    if (text.length == 0) return false;
    const char *end = text.bytes + text.length;
    return decimal_comma_read(text.bytes, end, value) == end;
}

static bool digits_at(const char **p, const char *end, size_t least, size_t most) {
    size_t n = 0;
    while (*p < end && n < most && **p >= '0' && **p <= '9') ++*p, n++;
    return n >= least;
}

/* A narrow or ordinary no-break space and the typographic apostrophe are marks, too. */
static size_t thousands_mark(const char *p, const char *end) {
    static const char *const marks[] = {
        ",", ".", " ", "'", "_", "\xC2\xA0", "\xE2\x80\xAF", "\xE2\x80\x99"};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        size_t n = strlen(marks[i]);
        if ((size_t)(end - p) >= n && memcmp(p, marks[i], n) == 0) return n;
    }
    return 0;
}

bool cell_has_thousands(struct slice text) {
    const char *p = text.bytes, *end = p + text.length;
    if (p < end && (*p == '+' || *p == '-')) p++;
    if (p == end || *p == '0' || !digits_at(&p, end, 1, 3)) return false;
    const char *mark = p;
    size_t n = thousands_mark(p, end), groups = 0;
    while (n && (size_t)(end - p) > n && memcmp(p, mark, n) == 0) {
        p += n;
        if (!digits_at(&p, end, 3, 3)) return false;
        groups++;
    }
    if (groups && p < end && (*p == ',' || *p == '.') && *p != *mark) {
        p++;
        digits_at(&p, end, 0, SIZE_MAX);
    }
    return groups && p == end;
}
