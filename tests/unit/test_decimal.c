/* Laws of core/decimal.h: reading agrees with the C library's strtod (correctly rounded in glibc)
   on every shape of number and never looks beyond the end; printing reads back bit for bit, in as
   few digits as possible, and of those the nearest. Every text is read from a heap copy of exactly
   its size, so that an address sanitizer sees any overreach. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/decimal.h"
#include "seed.h"

enum { TEXT_BYTES = 1200 };

/* splitmix64 (Steele, Lea and Flood 2014) */
static uint64_t next_random(uint64_t *state) {
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static int random_below(uint64_t *state, int limit) {
    return (int)(next_random(state) % (uint64_t)limit);
}

static double from_bits(uint64_t bits) {
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static uint64_t to_bits(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static double random_finite(uint64_t *state) {
    double value;
    do {
        value = from_bits(next_random(state));
    } while (!isfinite(value));
    return value;
}

static char *exact_copy(const char *text, size_t length) {
    char *copy = malloc(length > 0 ? length : 1);
    assert_non_null(copy);
    return memcpy(copy, text, length);
}

/* How many bytes of the text were read as a number, -1 for none. */
static ptrdiff_t read_copy(const char *text, size_t length, double *out) {
    char *copy = exact_copy(text, length);
    const char *stop = decimal_read(copy, copy + length, out);
    ptrdiff_t used = stop == NULL ? -1 : stop - copy;
    free(copy);
    return used;
}

static bool overflows_copy(const char *text, size_t length) {
    char *copy = exact_copy(text, length);
    bool overflows = decimal_overflows(copy, copy + length);
    free(copy);
    return overflows;
}

static void expect_read(const char *text, double expected) {
    size_t length = strlen(text);
    double value = -12345.0;
    ptrdiff_t used = read_copy(text, length, &value);
    bool well = isinf(expected) ? used == -1 && value == -12345.0 && overflows_copy(text, length)
                                : used == (ptrdiff_t)length && to_bits(value) == to_bits(expected);
    if (!well) {
        fail_msg("%.60s... (%zu bytes): %td used, %a read, %a expected", text, length, used, value,
                 expected);
    }
}

static void expect_like_strtod(const char *text) {
    expect_read(text, strtod(text, NULL));
}

/* prefix, then `count` times `digit`, then suffix */
static const char *stretch(char text[], const char *prefix, char digit, size_t count,
                           const char *suffix) {
    size_t length = strlen(prefix);
    memcpy(text, prefix, length);
    memset(text + length, digit, count);
    memcpy(text + length + count, suffix, strlen(suffix) + 1);
    return text;
}

static void hard_values_are_read_exactly(void **state) {
    (void)state;
    static const struct {
        const char *text;
        double value;
    } cases[] = {
        {"0.000e99999999999999999999999999", 0.0},
        {"1e-99999999999", 0.0},
        {"1e99999999999", INFINITY},
        {"-1e99999999999999999999999999", INFINITY},
        {"00000000000000000000000001", 1.0},
        {"18446744073709551616", 0x1p64},
        {"9007199254740993", 0x1p53},
        {"9007199254740995", 0x1.0000000000002p53},
        {"9007199254740993.00000000000000000000000000001", 0x1.0000000000001p53},
        {"1e23", 0x1.52d02c7e14af6p76},
        {"2.2250738585072011e-308", 0x0.fffffffffffffp-1022},
        {"2.2250738585072012e-308", 0x1p-1022},
        {"4.9406564584124654e-324", 0x1p-1074},
        {"2.4703282292062327e-324", 0.0},
        {"2.4703282292062328e-324", 0x1p-1074},
        /* 2^256: the midpoint just below it has a word less */
        {"115792089237316195423570985008687907853269984665640564039457584007913129639936e-63",
         0x1.a53fc9631d10dp46},
        {"1.7976931348623158e308", DBL_MAX},
        {"1.7976931348623159e308", INFINITY},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        expect_read(cases[i].text, cases[i].value);
    }
    static const char *const texts[] = {
        "0",      "-0",      "-0.0e-5", "0e999999999", ".5",        "5.",       "+1",
        "1e5",    "1E+05",   "1e22",    "8.5e22",      "5e-324",    "7.4e-324", "7.42e-324",
        "1e-400", "0.1e309", "1e309",   "10e308",      "0.0764719",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        expect_like_strtod(texts[i]);
    }
}

/* Digits without point or trailing zeros, and the power of ten they count. */
struct midpoint {
    char digits[TEXT_BYTES];
    int exponent;
};

static struct midpoint midpoint_of(double low, double high) {
    enum { FRACTION = 770 }; /* the longest midpoint has 768 digits */
    struct midpoint middle;
    /* Exact, as a long double has bits to spare wherever this runs. */
    snprintf(middle.digits, sizeof middle.digits, "%.*Le", FRACTION,
             ((long double)low + (long double)high) / 2);
    middle.exponent = (int)strtol(strchr(middle.digits, 'e') + 1, NULL, 10);
    memmove(middle.digits + 1, middle.digits + 2, FRACTION);
    size_t count = 1 + FRACTION;
    while (middle.digits[count - 1] == '0') {
        count--;
    }
    middle.digits[count] = '\0';
    middle.exponent -= (int)count - 1;
    return middle;
}

static void expect_midpoint(double low, double high, int distance) {
    struct midpoint middle = midpoint_of(low, high);
    size_t count = strlen(middle.digits);
    char text[2 * TEXT_BYTES];
    snprintf(text, sizeof text, "%se%d", middle.digits, middle.exponent);
    expect_read(text, to_bits(low) % 2 == 0 ? low : high);
    snprintf(text, sizeof text, "%s%0*de%d", middle.digits, distance, 1,
             middle.exponent - distance);
    expect_read(text, high);
    middle.digits[count - 1]--;
    memset(middle.digits + count, '9', (size_t)distance);
    middle.digits[count + (size_t)distance] = '\0';
    snprintf(text, sizeof text, "%se%d", middle.digits, middle.exponent - distance);
    expect_read(text, low);
}

/* However far out the first digit that differs from the midpoint of two doubles, it decides. */
static void midpoints_are_told_from_their_neighbours(void **state) {
    (void)state;
    if (LDBL_MANT_DIG <= DBL_MANT_DIG) {
        skip();
    }
    uint64_t seed = test_seed(11);
    expect_midpoint(0.0, 0x1p-1074, 1);
    expect_midpoint(0.0, 0x1p-1074, 300);
    for (int i = 0; i < 3000; i++) {
        double low = fabs(random_finite(&seed));
        if (i % 3 == 0) {
            low = from_bits(next_random(&seed) >> (12 + random_below(&seed, 52)));
        }
        double high = nextafter(low, INFINITY);
        if (!isinf(high)) {
            expect_midpoint(low, high, 1 + random_below(&seed, 300));
        }
    }
}

static void long_numbers_are_read_exactly(void **state) {
    (void)state;
    enum { MANY = 100000 };
    char *text = malloc(MANY + 100);
    assert_non_null(text);
    for (size_t count = 1; count <= MANY; count = count * 5 / 3 + 1) {
        char suffix[40];
        snprintf(suffix, sizeof suffix, "e-%zu", count);
        expect_read(stretch(text, "1", '0', count, suffix), 1.0);
        snprintf(suffix, sizeof suffix, ".0e-%zu", count);
        expect_read(stretch(text, "9007199254740993", '0', count, suffix), 9007199254740992.0);
        snprintf(suffix, sizeof suffix, "1e%zu", count + 1);
        expect_read(stretch(text, "0.", '0', count, suffix), 1.0);
        expect_like_strtod(stretch(text, "0.", '0', count, "1"));
        expect_like_strtod(stretch(text, "", '7', count, ""));
        expect_like_strtod(stretch(text, ".", '9', count, "e-3"));
        expect_like_strtod(stretch(text, "0.", '3', count, "e-300"));
        expect_read(stretch(text, "9007199254740993.", '0', count, "1"), 9007199254740994.0);
        expect_read(stretch(text, "9007199254740993.", '0', count, ""), 9007199254740992.0);
        expect_read(stretch(text, "9007199254740992.", '9', count, ""), 9007199254740992.0);
    }
    free(text);
}

static void every_prefix_ends_at_its_end(void **state) {
    (void)state;
    static const char *const texts[] = {
        "-73.302422",  "0.0764719",           "12345678.12345678e-12",
        "+1234567890", "0.00000000000000001", "123456789012345678901234567890.5E+0003",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        for (size_t length = 0; length <= strlen(texts[i]); length++) {
            char prefix[64] = {0};
            memcpy(prefix, texts[i], length);
            char *stop;
            double expected = strtod(prefix, &stop);
            double value = 0.0;
            ptrdiff_t used = read_copy(prefix, length, &value);
            assert_int_equal(used, stop == prefix ? -1 : stop - prefix);
            assert_true(used < 0 || to_bits(value) == to_bits(expected));
            /* The same bytes with more digits behind an earlier end. */
            const char *within = decimal_read(texts[i], texts[i] + length, &value);
            assert_int_equal(within == NULL ? -1 : within - texts[i], used);
            assert_true(used < 0 || to_bits(value) == to_bits(expected));
        }
    }
}

static void expect_used(const char *text, ptrdiff_t expected) {
    size_t length = strlen(text);
    double value = 0.0;
    ptrdiff_t used = read_copy(text, length, &value);
    if (used != expected) {
        fail_msg("\"%s\": %td bytes used, %td expected", text, used, expected);
    }
    assert_false(overflows_copy(text, length));
}

static void what_is_no_number_is_left_unread(void **state) {
    (void)state;
    static const char *const refused[] = {
        "",    ".",   "+",         "-",  "-.",  "e5",  ".e5", "nan",
        "inf", "NaN", "-infinity", " 1", "--1", "+-1", "x",   ",5",
    };
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        expect_used(refused[i], -1);
    }
    static const char *const single[] = {
        "1e", "1e+", "1e-", "1e x", "1_000", "0x10", "1 2", "3:4", "1,5", "1-1", "1f", "1\xb2",
    };
    for (size_t i = 0; i < sizeof single / sizeof single[0]; i++) {
        expect_used(single[i], 1);
    }
    expect_used("1.2.3", 3);
    expect_used("2.5e", 3);
    expect_used("1e5e5", 3);
    expect_used("1e5.5", 3);
    expect_used("12345678x", 8);
    assert_true(overflows_copy("1e400 ", 6));
    assert_true(overflows_copy("-1e400e", 7));
    assert_false(overflows_copy("1e40 ", 5));
}

/* Any byte but a digit or 'e' ends the number, in whichever place of a word it stands. */
static void any_other_byte_ends_the_digits(void **state) {
    (void)state;
    for (int byte = 0; byte < 256; byte++) {
        for (size_t place = 2; place < 12 && byte != 'e' && byte != 'E'; place++) {
            char text[] = "0.1234567890";
            text[place] = (char)byte;
            size_t stop = byte >= '0' && byte <= '9' ? 12 : place;
            double value = 0.0;
            assert_int_equal(read_copy(text, 12, &value), stop);
        }
    }
}

/* Sign, digits, point, digits, exponent, each of random length up to the given one. */
static void make_number(char *text, int whole, int fraction, int exponent, uint64_t *seed) {
    char *p = text;
    int sign = random_below(seed, 3);
    if (sign > 0) {
        *p++ = sign == 1 ? '-' : '+';
    }
    for (int i = random_below(seed, whole); i >= 0; i--) {
        *p++ = (char)('0' + random_below(seed, 10));
    }
    if (random_below(seed, 4) > 0) {
        *p++ = '.';
        for (int i = random_below(seed, fraction + 1); i > 0; i--) {
            *p++ = (char)('0' + random_below(seed, 10));
        }
    }
    *p = '\0';
    if (exponent > 0) {
        snprintf(p, 16, "e%d", random_below(seed, 2 * exponent) - exponent);
    }
}

static void random_texts_read_like_strtod(void **state) {
    (void)state;
    uint64_t seed = test_seed(1);
    char text[TEXT_BYTES];
    for (int i = 0; i < 900000; i++) {
        make_number(text, 3, 8, 0, &seed);
        expect_like_strtod(text);
    }
    for (int i = 0; i < 500000; i++) {
        make_number(text, 12, 8, 345, &seed);
        expect_like_strtod(text);
    }
    for (int i = 0; i < 150000; i++) {
        make_number(text, 22, 30, i % 2 == 0 ? 30 : 0, &seed);
        expect_like_strtod(text);
    }
    for (int i = 0; i < 2000; i++) {
        make_number(text, 400, 600, 400, &seed);
        expect_like_strtod(text);
    }
}

static void printed_doubles_read_like_strtod(void **state) {
    (void)state;
    static const struct {
        const char *format;
        int count;
    } shapes[] = {{"%.17g", 250000}, {"%.20e", 150000}, {"%.40g", 50000}, {"%.3e", 50000}};
    uint64_t seed = test_seed(2);
    char text[TEXT_BYTES];
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        for (int j = 0; j < shapes[i].count; j++) {
            snprintf(text, sizeof text, shapes[i].format, random_finite(&seed));
            expect_like_strtod(text);
        }
    }
}

static void expect_round_trip(double value) {
    char text[DECIMAL_BYTES];
    size_t length = decimal_print(text, value);
    double back = NAN;
    ptrdiff_t used = read_copy(text, length, &back);
    if (used != (ptrdiff_t)length || to_bits(back) != to_bits(value)) {
        fail_msg("%a printed as %.*s reads back as %a", value, (int)length, text, back);
    }
}

static void printed_numbers_read_back(void **state) {
    (void)state;
    uint64_t seed = test_seed(3);
    for (int i = 0; i < 1000000; i++) {
        expect_round_trip(random_finite(&seed));
    }
    for (int i = 0; i < 50000; i++) {
        expect_round_trip(from_bits(next_random(&seed) >> (12 + i % 52)));
        expect_round_trip((double)(int64_t)next_random(&seed));
        expect_round_trip((double)random_below(&seed, 1000000) / 1e4);
    }
    for (int i = -1074; i <= 1023; i++) {
        double power = ldexp(1.0, i);
        expect_round_trip(power);
        expect_round_trip(nextafter(power, INFINITY));
        expect_round_trip(-nextafter(power, 0.0));
    }
    for (int i = -323; i <= 308; i++) {
        char text[16];
        snprintf(text, sizeof text, "1e%d", i);
        double power = strtod(text, NULL);
        expect_round_trip(power);
        expect_round_trip(nextafter(power, INFINITY));
        expect_round_trip(nextafter(power, 0.0));
    }
    for (uint64_t bits = 0; bits < 2000; bits++) {
        expect_round_trip(from_bits(bits));
        expect_round_trip(from_bits(to_bits(DBL_MAX) - bits));
    }
}

/* The significant digits of a printed number, without leading and trailing zeros. */
static int significant_digits(const char *text, size_t length, char digits[static DECIMAL_BYTES]) {
    int count = 0;
    int kept = 0;
    for (size_t i = 0; i < length && text[i] != 'e'; i++) {
        if (text[i] < '0' || text[i] > '9' || (text[i] == '0' && count == 0)) {
            continue;
        }
        digits[count++] = text[i];
        kept = text[i] == '0' ? kept : count;
    }
    digits[kept] = '\0';
    return kept;
}

/* `digits` digits of a positive value, rounded to nearest: the integer they make and its power. */
static void round_to_digits(double value, int digits, int64_t *integer, int *exponent) {
    char text[64];
    snprintf(text, sizeof text, "%.*e", digits - 1, value);
    *exponent = (int)strtol(strchr(text, 'e') + 1, NULL, 10) - (digits - 1);
    *integer = text[0] - '0';
    for (int i = 0; i < digits - 1; i++) {
        *integer = *integer * 10 + (text[2 + i] - '0');
    }
}

static double scaled(int64_t integer, int exponent) {
    char text[64];
    snprintf(text, sizeof text, "%llde%d", (long long)integer, exponent);
    return strtod(text, NULL);
}

static void expect_shortest(double value) {
    char text[DECIMAL_BYTES];
    char digits[DECIMAL_BYTES];
    size_t length = decimal_print(text, value);
    int count = significant_digits(text, length, digits);
    int64_t integer;
    int exponent;
    /* Both neighbours too: of a power of two the nearest decimal may fall to the double below and
       one farther above still be right. */
    if (count > 1) {
        round_to_digits(value, count - 1, &integer, &exponent);
        for (int64_t near = integer - 1; near <= integer + 1; near++) {
            if (scaled(near, exponent) == value) {
                fail_msg("%a printed as %.*s, not %llde%d", value, (int)length, text,
                         (long long)near, exponent);
            }
        }
    }
    round_to_digits(value, count, &integer, &exponent);
    if (scaled(integer, exponent) == value && strtoll(digits, NULL, 10) != integer) {
        fail_msg("%a printed as %.*s, not %llde%d", value, (int)length, text, (long long)integer,
                 exponent);
    }
}

static void printed_numbers_are_shortest_and_nearest(void **state) {
    (void)state;
    uint64_t seed = test_seed(4);
    for (int i = 0; i < 60000; i++) {
        expect_shortest(fabs(random_finite(&seed)));
    }
    for (int i = 0; i < 20000; i++) {
        expect_shortest((double)(1 + random_below(&seed, 1000000)) / 1e5);
        expect_shortest(from_bits(1 + (next_random(&seed) >> (12 + i % 52))));
    }
    for (int i = -1074; i <= 1023; i++) {
        expect_shortest(ldexp(1.0, i));
    }
}

static void printed_form_is_as_promised(void **state) {
    (void)state;
    static const struct {
        double value;
        const char *text;
    } cases[] = {
        {0.0, "0"},
        {-0.0, "-0"},
        {150.0, "150"},
        {-73.302422, "-73.302422"},
        {0.3 - 0.1, "0.19999999999999998"},
        {1e-5, "0.00001"},
        {-1.2345678901234567e-5, "-0.000012345678901234568"},
        {9.999999999999999e-6, "9.999999999999999e-6"},
        {1e-7, "1e-7"},
        {0x1p53 - 1, "9007199254740991"},
        {0x1p53, "9007199254740992"},
        {99999999999999984.0, "99999999999999980"},
        {1e17, "1e+17"},
        {-1.5e300, "-1.5e+300"},
        {5e-324, "5e-324"},
        {1e-323, "1e-323"},
        {DBL_MAX, "1.7976931348623157e+308"},
        {-DBL_MIN, "-2.2250738585072014e-308"},
        {0x1p-44, "5.684341886080802e-14"},
        {INFINITY, "inf"},
        {-INFINITY, "-inf"},
        {NAN, "nan"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[DECIMAL_BYTES + 1];
        size_t length = decimal_print(text, cases[i].value);
        text[length] = '\0';
        assert_string_equal(text, cases[i].text);
    }
}

/* With the other mark, and only with it. */
static void commas_read_like_points(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(11), 1);
    static const char letters[] = "0123456789..,,ee+-";
    for (int i = 0; i < 200000; i++) {
        char text[40], other[40];
        size_t n = (size_t)rng_below(&rng, sizeof text);
        for (size_t k = 0; k < n; k++) {
            char c = letters[rng_below(&rng, i % 2 ? 11 : sizeof letters - 1)];
            text[k] = c;
            other[k] = c == '.' ? ',' : c == ',' ? '.' : c;
        }
        double a = 1, b = 1;
        const char *stop = decimal_read(text, text + n, &a);
        const char *end = decimal_comma_read(other, other + n, &b);
        assert_int_equal(stop ? stop - text : -1, end ? end - other : -1);
        assert_memory_equal(&a, &b, sizeof a);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hard_values_are_read_exactly),
        cmocka_unit_test(midpoints_are_told_from_their_neighbours),
        cmocka_unit_test(long_numbers_are_read_exactly),
        cmocka_unit_test(every_prefix_ends_at_its_end),
        cmocka_unit_test(what_is_no_number_is_left_unread),
        cmocka_unit_test(any_other_byte_ends_the_digits),
        cmocka_unit_test(random_texts_read_like_strtod),
        cmocka_unit_test(printed_doubles_read_like_strtod),
        cmocka_unit_test(commas_read_like_points),
        cmocka_unit_test(printed_numbers_read_back),
        cmocka_unit_test(printed_numbers_are_shortest_and_nearest),
        cmocka_unit_test(printed_form_is_as_promised),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
