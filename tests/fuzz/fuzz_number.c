/* Reading and printing numbers, against integer arithmetic: the bytes as text are read as by the
   reference; the first eight as a double are printed in as few digits as can be, of those the
   nearest, and in the form that core/decimal.h states. */
#include "fuzz/exact_decimal.h"
#include "fuzz/fuzz.h"

#include "core/decimal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t bits_of(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* digits * 10^power read by the reference. */
static double value_of(uint64_t digits, int power) {
    char text[64];
    double value = 0;
    int n = snprintf(text, sizeof text, "%llue%d", (unsigned long long)digits, power);
    exact_read(text, text + n, &value);
    return value;
}

/* The decimal as core/decimal.h says it is written. */
static void write_form(char *out, size_t room, uint64_t digits, int power) {
    char text[32];
    int n = snprintf(text, sizeof text, "%llu", (unsigned long long)digits);
    int point = n + power; /* digits before the point */
    if (point > 17 || point < -4)
        snprintf(out, room, "%.1s%s%se%+d", text, n > 1 ? "." : "", text + 1, point - 1);
    else if (point <= 0)
        snprintf(out, room, "0.%.*s%s", -point, "0000", text);
    else if (point >= n)
        snprintf(out, room, "%s%.*s", text, point - n, "00000000000000000");
    else
        snprintf(out, room, "%.*s.%s", point, text, text + point);
}

static bool is_form(const char *text, uint64_t digits, int power) {
    char wanted[64];
    while (digits % 10 == 0) digits /= 10, power++;
    write_form(wanted, sizeof wanted, digits, power);
    return strcmp(text, wanted) == 0;
}

/* Of the decimals that read back, the text is one with the fewest digits, and the nearest of those.
   If any of some number of digits reads back, then one of the two beside the value does. */
static bool is_best(const char *text, double value) {
    int count = 0, power, side;
    int zeros = 0; /* that are not followed by another digit, yet */
    for (const char *p = text; *p && *p != 'e'; p++) {
        if (*p == '.') continue;
        zeros = *p == '0' ? zeros + 1 : 0;
        if (*p != '0' || count) count++;
    }
    count -= zeros;
    for (int n = count > 1 ? count - 1 : 1; n <= count && n <= 17; n++) {
        uint64_t digits = exact_digits(value, n, &power, &side);
        bool below = value_of(digits, power) == value, above = value_of(digits + 1, power) == value;
        if (below && above && side == 0)
            return is_form(text, digits, power) || is_form(text, digits + 1, power);
        if (below || above)
            return is_form(text, above && (side > 0 || !below) ? digits + 1 : digits, power);
    }
    return false;
}

static void print_laws(double value) {
    char out[DECIMAL_BYTES + 1];
    size_t length = decimal_print(out, value);
    double back = 0, size = fabs(value);
    LAW(length > 0 && length < DECIMAL_BYTES, "%a is printed in %zu bytes", value, length);
    out[length] = '\0';
    if (!isfinite(value)) {
        LAW(strcmp(out, isnan(value) ? "nan" : value > 0 ? "inf" : "-inf") == 0, "'%s'", out);
        return;
    }
    LAW(exact_read(out, out + length, &back) == out + length && bits_of(back) == bits_of(value),
        "%a is printed '%s'", value, out);
    if (value == 0) {
        LAW(strcmp(out, signbit(value) ? "-0" : "0") == 0, "'%s'", out);
        return;
    }
    LAW((out[0] == '-') == (value < 0), "%a is printed '%s'", value, out);
    LAW(is_best(out + (value < 0), size), "%a is printed '%s'", value, out);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    const char *text = (const char *)bytes, *end = text + size;
    double wanted = 0, value = 12345;
    const char *stop = exact_read(text, end, &wanted), *got = decimal_read(text, end, &value);
    if (stop && isinf(wanted)) {
        LAW(!got && decimal_overflows(text, end), "%.*s does not overflow", (int)size, text);
    } else {
        LAW(got == stop, "%.*s: %td bytes read, not %td", (int)size, text, got ? got - text : -1,
            stop ? stop - text : -1);
        LAW(!decimal_overflows(text, end), "%.*s overflows", (int)size, text);
    }
    LAW(got || value == 12345, "a failed reading changed the number");
    if (got) {
        LAW(bits_of(value) == bits_of(wanted), "%.*s is read as %a, not %a", (int)size, text, value,
            wanted);
        print_laws(value);
    }
    if (size >= sizeof value) {
        memcpy(&value, bytes, sizeof value);
        print_laws(value);
    }
    return 0;
}
