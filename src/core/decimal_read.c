/* Decimal text to the nearest binary64, ties to even.

   Three stages, each used when the one before cannot decide:
   1. at most 2^53 times or over a power of ten up to 10^22: both are doubles, so one operation
      rounds once (Clinger, "How to read floating point numbers accurately", 1990);
   2. a product with a 128-bit power of ten, whose error is known: when the interval it allows does
      not touch the midpoint of two doubles, the rounding is certain (after Lemire, "Number parsing
      at a gigabyte per second", 2021, with the interval in place of the case analysis);
   3. the midpoint is compared with the digits in exact integer arithmetic.
   Digits are gathered eight at a time within a 64-bit word. */
#include "core/decimal.h"

#include <float.h>
#include <stdint.h>
#include <string.h>

#include "core/decimal_powers.h"
#include "core/digits.h"

enum {
    WORD_DIGITS = 19,      /* 10^19 < 2^64 */
    EXACT_POWER_MAX = 22,  /* 10^22 is a double, 10^23 is not */
    MIDPOINT_DIGITS = 800, /* the midpoint of two doubles has at most 768 significant digits */
    DOUBLE_EXPONENT_MIN = -1022,
    DOUBLE_EXPONENT_MAX = 1023,
    DOUBLE_FRACTION_BITS = 52,
};

/* value = mantissa * 10^exponent; of more than 19 significant digits the mantissa holds 19. */
struct decimal_text {
    uint64_t mantissa;
    int64_t exponent;
    const char *digits, *digits_end; /* with the decimal mark among them */
    bool negative, truncated;
};

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/* Append the digits at p to the mantissa, modulo 2^64; returns the byte after them. */
static inline const char *decimal_gather(const char *p, const char *end, uint64_t *mantissa) {
    static const uint32_t powers[8] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000};
    uint64_t sum = *mantissa;
    while (end - p >= 8) {
        uint64_t word = digits_load(p);
        uint64_t others = digits_mark_others(word);
        if (others != 0) {
            int count = __builtin_ctzll(others) >> 3;
            /* Moving the digits to the top puts zeros before them; in two steps, as count can
               be 0 and a shift by 64 is undefined. */
            uint64_t padded = (word << (56 - 8 * count)) << 8;
            *mantissa = sum * powers[count] + digits_sum(padded);
            return p + count;
        }
        sum = sum * 100000000 + digits_sum(word);
        p += 8;
    }
    while (p < end && is_digit(*p)) {
        sum = sum * 10 + (uint64_t)(*p++ - '0');
    }
    *mantissa = sum;
    return p;
}

/* p is at the 'e'. Without digits after it, it is no part of the number: p itself comes back. */
static const char *read_exponent(const char *p, const char *end, int64_t *exponent) {
    const char *digit = p + 1;
    bool negative = false;
    if (digit < end && (*digit == '-' || *digit == '+')) {
        negative = *digit++ == '-';
    }
    if (digit == end || !is_digit(*digit)) {
        return p;
    }
    const int64_t limit = 100000000000000000; /* beyond any text's length, within int64_t */
    int64_t value = 0;
    for (; digit < end && is_digit(*digit); digit++) {
        value = value < limit ? value * 10 + (*digit - '0') : value;
    }
    *exponent += negative ? -value : value;
    return digit;
}

/* The mantissa overflowed unless enough of its `count` digits were leading zeros. */
static void keep_first_digits(struct decimal_text *number, int64_t count) {
    const char *p = number->digits;
    for (; p < number->digits_end && (*p == '0' || !is_digit(*p)); p++) {
        count -= *p == '0';
    }
    number->digits = p;
    if (count <= WORD_DIGITS) {
        return;
    }
    number->truncated = true;
    number->exponent += count - WORD_DIGITS;
    number->mantissa = 0;
    for (int taken = 0; taken < WORD_DIGITS; p++) {
        if (is_digit(*p)) {
            number->mantissa = number->mantissa * 10 + (uint64_t)(*p - '0');
            taken++;
        }
    }
}

/* Split the text into a number; returns the byte after it, NULL when none is there. Inlined by
   force: it is most of what reading a short number costs, and a call would pass all through
   memory. */
__attribute__((always_inline)) static inline const char *
scan(const char *text, const char *end, char mark, struct decimal_text *number) {
    const char *p = text;
    number->negative = p < end && *p == '-';
    p += p < end && (*p == '-' || *p == '+');
    number->digits = p;
    number->mantissa = 0;
    number->exponent = 0;
    number->truncated = false;
    /* Digits before the point are few and alike from number to number, so that predicted branches
       find the point sooner than arithmetic on a word does. */
    while (p < end && is_digit(*p)) {
        number->mantissa = number->mantissa * 10 + (uint64_t)(*p++ - '0');
    }
    int64_t count = p - number->digits;
    if (p < end && *p == mark) {
        const char *fraction = p + 1;
        p = decimal_gather(fraction, end, &number->mantissa);
        number->exponent = fraction - p;
        count += p - fraction;
    }
    if (count == 0) {
        return NULL;
    }
    number->digits_end = p;
    if (p < end && (*p == 'e' || *p == 'E')) {
        p = read_exponent(p, end, &number->exponent);
    }
    if (count > WORD_DIGITS) {
        keep_first_digits(number, count);
    }
    return p;
}

/* A natural number. The largest compared here have 800 decimal digits, or are 54 bits times
   5^(342 + 800 - 19): below 2^2688, that is 42 limbs; the limb a shift adds may be zero. */
struct big {
    size_t used;
    uint64_t limbs[44];
};

static void multiply_add(struct big *big, uint64_t factor, uint64_t addend) {
    uint64_t carry = addend;
    for (size_t i = 0; i < big->used; i++) {
        uint128 sum = (uint128)big->limbs[i] * factor + carry;
        big->limbs[i] = (uint64_t)sum;
        carry = (uint64_t)(sum >> 64);
    }
    if (carry != 0) {
        big->limbs[big->used++] = carry;
    }
}

static void multiply_power_of_five(struct big *big, int64_t power) {
    const uint64_t five_to_27 = 7450580596923828125u;
    for (; power >= 27; power -= 27) {
        multiply_add(big, five_to_27, 0);
    }
    for (; power > 0; power--) {
        multiply_add(big, 5, 0);
    }
}

static void shift_left(struct big *big, int64_t bits) {
    size_t whole = (size_t)bits / 64;
    for (size_t i = big->used; i-- > 0;) {
        big->limbs[i + whole] = big->limbs[i];
    }
    memset(big->limbs, 0, whole * sizeof big->limbs[0]);
    big->used += whole;
    multiply_add(big, (uint64_t)1 << (bits % 64), 0);
}

static int decimal_compare(const struct big *a, const struct big *b) {
    if (a->used != b->used) {
        return a->used < b->used ? -1 : 1;
    }
    for (size_t i = a->used; i-- > 0;) {
        if (a->limbs[i] != b->limbs[i]) {
            return a->limbs[i] < b->limbs[i] ? -1 : 1;
        }
    }
    return 0;
}

/* The first digits of a truncated number, those beyond the mantissa lowering the exponent; returns
   whether a digit other than 0 is left out. Digits past the last that a midpoint can have matter
   only when all before them equal the midpoint's, hence only by not being zero. */
static bool gather_big(const struct decimal_text *number, struct big *big, int64_t *exponent) {
    const char *p = number->digits;
    int taken = 0;
    big->used = 0;
    for (; p < number->digits_end && taken < MIDPOINT_DIGITS; p++) {
        if (is_digit(*p)) {
            multiply_add(big, 10, (uint64_t)(*p - '0'));
            taken++;
        }
    }
    *exponent = number->exponent + WORD_DIGITS - taken;
    while (p < number->digits_end && (*p == '0' || !is_digit(*p))) {
        p++;
    }
    return p < number->digits_end;
}

/* Whether the number rounds up from low * 2^scale, given that it lies between this and
   (low + 1) * 2^scale. */
static bool rounds_up(const struct decimal_text *number, uint64_t low, int scale) {
    struct big value = {.used = 1, .limbs = {number->mantissa}};
    struct big midpoint = {.used = 1, .limbs = {2 * low + 1}};
    int64_t exponent = number->exponent;
    bool more = number->truncated && gather_big(number, &value, &exponent);
    if (exponent >= 0) {
        multiply_power_of_five(&value, exponent);
    } else {
        multiply_power_of_five(&midpoint, -exponent);
    }
    int64_t shift = exponent - (scale - 1);
    if (shift >= 0) {
        shift_left(&value, shift);
    } else {
        shift_left(&midpoint, -shift);
    }
    int order = decimal_compare(&value, &midpoint);
    return order > 0 || (order == 0 && (more || low % 2 == 1));
}

static double double_from_bits(uint64_t bits) {
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* The nearest double of the number without its sign, infinity when it is too large. */
static double convert(const struct decimal_text *number) {
    const uint64_t infinity = (uint64_t)0x7ff << DOUBLE_FRACTION_BITS;
    /* 10^19 * 10^-343 is less than half of 2^-1074, and 10^309 more than the largest double. */
    if (number->mantissa == 0 || number->exponent < DECIMAL_POWER_MIN) {
        return 0.0;
    }
    if (number->exponent > DBL_MAX_10_EXP) {
        return double_from_bits(infinity);
    }
    int power = (int)number->exponent;
    int zeros = __builtin_clzll(number->mantissa);
    uint128 product = decimal_power_times(power, number->mantissa << zeros);
    int top = (int)(product >> 127);
    int exponent = decimal_power_log2(power) + 63 - zeros + top;
    if (exponent > DOUBLE_EXPONENT_MAX) {
        return double_from_bits(infinity);
    }
    int dropped = 126 + top - DOUBLE_FRACTION_BITS;
    if (exponent < DOUBLE_EXPONENT_MIN) {
        dropped += DOUBLE_EXPONENT_MIN - exponent;
        exponent = DOUBLE_EXPONENT_MIN;
    }
    int scale = exponent - DOUBLE_FRACTION_BITS;
    if (dropped > 127) {
        return double_from_bits(rounds_up(number, 0, scale));
    }
    uint64_t kept = (uint64_t)(product >> dropped);
    uint128 rest = product & (((uint128)1 << dropped) - 1);
    uint128 half = (uint128)1 << (dropped - 1);
    /* The power is off by less than one unit, and so is the product that lost its low word;
       digits left out add less than one unit of the mantissa. */
    uint128 error = 1 + (number->truncated ? (uint128)1 << (64 + zeros) : 0);
    bool up = rest > half;
    if (rest + error >= half && rest <= half + error) {
        up = rounds_up(number, kept, scale);
    }
    /* The leading bit of `kept` counts as one in the exponent field; a carry out of the fraction
       steps to the next exponent, at the end to infinity. */
    uint64_t biased = (uint64_t)(exponent - DOUBLE_EXPONENT_MIN);
    return double_from_bits((biased << DOUBLE_FRACTION_BITS) + kept + up);
}

__attribute__((always_inline)) static inline const char *
read_marked(const char *text, const char *end, char mark, double *out) {
    static const double powers[EXACT_POWER_MAX + 1] = {
        1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
        1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
    };
    struct decimal_text number;
    const char *stop = scan(text, end, mark, &number);
    if (stop == NULL) {
        return NULL;
    }
    double value;
    int64_t exponent = number.exponent;
    if (number.mantissa <= (uint64_t)1 << DBL_MANT_DIG && exponent >= -EXACT_POWER_MAX &&
        exponent <= EXACT_POWER_MAX) {
        value = (double)(int64_t)number.mantissa;
        value = exponent < 0 ? value / powers[-exponent] : value * powers[exponent];
    } else {
        value = convert(&number);
        if (value > DBL_MAX) {
            return NULL;
        }
    }
    /* Signs are too random for a branch. */
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    *out = double_from_bits(bits | (uint64_t)number.negative << 63);
    return stop;
}

const char *decimal_read(const char *text, const char *end, double *out) {
    return read_marked(text, end, '.', out);
}

const char *decimal_comma_read(const char *text, const char *end, double *out) {
    return read_marked(text, end, ',', out);
}

bool decimal_overflows(const char *text, const char *end) {
    struct decimal_text number;
    return scan(text, end, '.', &number) != NULL && convert(&number) > DBL_MAX;
}
