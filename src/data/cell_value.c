#include "data/cell_value.h"

#include "core/decimal.h"

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
