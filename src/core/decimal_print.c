/* The shortest decimal that reads back as the same binary64, of those the nearest.

   The algorithm is Giulietti's Schubfach ("The Schubfach way to render doubles", 2020): choose k
   with 10^k <= width of the rounding interval < 10^(k+1). The interval then holds at most one
   multiple of 10^(k+1), which is the shortest answer if it exists, and at least one of 10^k, of
   which the nearest to the value is taken. Bounds and value are compared as multiples of 10^k / 4
   rounded to odd, which keeps every comparison with an integer exact; that this sees each
   fraction is proved for all binary exponents by tools/gen-decimal-powers. */
#include "core/decimal.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "core/decimal_powers.h"

enum {
    DOUBLE_FRACTION_BITS = 52,
    DOUBLE_SCALE_MIN = -1074, /* the smallest positive double is 2^-1074 */
    PLAIN_MIN = -5,           /* the plain form begins at 1e-5 ... */
    PLAIN_END = 17,           /* ... and ends before 1e17 */
};

/* digits * 10^exponent */
struct decimal {
    uint64_t digits;
    int exponent;
};

/* factor * 2^shift * 10^power with all of its fraction in the lowest bit. The four bits of margin
   lift any fraction, which is at least 2^-66, out of reach of the table's rounding. */
static uint64_t scale_to_odd(int power, uint64_t factor, int shift) {
    enum { MARGIN = 4, FRACTION = 64 + MARGIN };
    uint128 product = decimal_power_times(power, factor << (shift + MARGIN));
    uint128 fraction = product & (((uint128)1 << FRACTION) - 1);
    return (uint64_t)(product >> FRACTION) | (fraction != 0);
}

static struct decimal without_zeros(uint64_t digits, int exponent) {
    while (digits % 10 == 0) {
        digits /= 10;
        exponent++;
    }
    return (struct decimal){digits, exponent};
}

/* The shortest decimal of significand * 2^scale; `closer` when the double below is half as far as
   the one above. */
static struct decimal decimal_shorten(uint64_t significand, int scale, bool closer) {
    /* floor(log10(2^scale)), or of 3/4 of it; the constants are log10(2) and log10(4/3) in units
       of 2^-22, good for every scale. */
    int k = (scale * 1262611 - (closer ? 524031 : 0)) >> 22;
    int shift = scale + decimal_power_log2(-k) + 1;
    uint64_t lower = scale_to_odd(-k, 4 * significand - 2 + closer, shift);
    uint64_t value = scale_to_odd(-k, 4 * significand, shift);
    uint64_t upper = scale_to_odd(-k, 4 * significand + 2, shift);
    /* Reading rounds ties to even: only an even significand owns the ends of its interval. */
    lower += significand % 2;
    upper -= significand % 2;

    uint64_t units = value / 4;
    uint64_t tens = units / 10;
    bool below = lower <= 40 * tens;
    bool above = 40 * tens + 40 <= upper;
    if (below || above) {
        return without_zeros(tens + above, k + 1);
    }
    below = lower <= 4 * units;
    above = 4 * units + 4 <= upper;
    if (below == above) {
        uint64_t middle = 4 * units + 2;
        above = value > middle || (value == middle && units % 2 == 1);
    }
    return (struct decimal){units + above, k};
}

/* Write the digits of `number`; returns how many. */
static size_t put_integer(char *out, uint64_t number) {
    char reversed[20];
    size_t count = 0;
    do {
        reversed[count++] = (char)('0' + number % 10);
        number /= 10;
    } while (number != 0);
    for (size_t i = 0; i < count; i++) {
        out[i] = reversed[count - 1 - i];
    }
    return count;
}

/* `count` digits with the point after the first `point`: before all of them when it is 0 or less,
   beyond them when it is larger than count. */
static size_t put_plain(char *out, const char *digits, size_t count, int point) {
    if (point <= 0) {
        size_t zeros = (size_t)-point;
        memset(out, '0', 2 + zeros);
        out[1] = '.';
        memcpy(out + 2 + zeros, digits, count);
        return 2 + zeros + count;
    }
    size_t whole = (size_t)point;
    if (whole >= count) {
        memcpy(out, digits, count);
        memset(out + count, '0', whole - count);
        return whole;
    }
    memcpy(out, digits, whole);
    out[whole] = '.';
    memcpy(out + whole + 1, digits + whole, count - whole);
    return count + 1;
}

static size_t put_scientific(char *out, const char *digits, size_t count, int exponent) {
    size_t length = put_plain(out, digits, count, 1);
    out[length++] = 'e';
    out[length++] = exponent < 0 ? '-' : '+';
    return length + put_integer(out + length, (uint64_t)(exponent < 0 ? -exponent : exponent));
}

/* A positive finite value. */
static size_t put_positive(char *out, double value, uint64_t bits) {
    const uint64_t hidden = (uint64_t)1 << DOUBLE_FRACTION_BITS;
    if (value < (double)(2 * hidden) && value == (double)(int64_t)value) {
        return put_integer(out, (uint64_t)value);
    }
    uint64_t fraction = bits & (hidden - 1);
    int field = (int)(bits >> DOUBLE_FRACTION_BITS);
    bool normal = field > 0;
    bool closer = fraction == 0 && field > 1;
    uint64_t significand = normal ? hidden | fraction : fraction;
    struct decimal decimal =
        decimal_shorten(significand, DOUBLE_SCALE_MIN + field - normal, closer);
    char digits[20];
    size_t count = put_integer(digits, decimal.digits);
    int point = (int)count + decimal.exponent;
    if (point > PLAIN_MIN && point <= PLAIN_END) {
        return put_plain(out, digits, count, point);
    }
    return put_scientific(out, digits, count, point - 1);
}

size_t decimal_print(char out[DECIMAL_BYTES], double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    if (isnan(value)) {
        memcpy(out, "nan", 3);
        return 3;
    }
    size_t sign = bits >> 63;
    out[0] = '-';
    bits &= UINT64_MAX >> 1;
    value = sign ? -value : value;
    if (isinf(value)) {
        memcpy(out + sign, "inf", 3);
        return sign + 3;
    }
    return sign + put_positive(out + sign, value, bits);
}
