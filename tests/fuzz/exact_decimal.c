/* Natural numbers as arrays of 32-bit words, long division bit by bit, rounding by comparing the
   remainder with half of the divisor: the definition of the nearest double, ties to even. */
#include "fuzz/exact_decimal.h"

#include "fuzz/fuzz.h"

#include <math.h>
#include <string.h>

/* The largest number that occurs is 1101 digits times 2^1130 or 10^1600 times 2^60. */
enum { WORDS = 256 };
struct bigint {
    uint32_t word[WORDS]; /* the lowest first */
    size_t n;             /* words in use; the last is not 0 */
};

static void times_plus(struct bigint *a, uint32_t factor, uint32_t summand) {
    uint64_t carry = summand;
    for (size_t i = 0; i < a->n; i++) {
        carry += (uint64_t)a->word[i] * factor;
        a->word[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (!carry) return;
    LAW(a->n < WORDS, "a number too large for the reference");
    a->word[a->n++] = (uint32_t)carry;
}

static void times_power(struct bigint *a, int base, long exponent) {
    for (long i = 0; i < exponent; i++) times_plus(a, (uint32_t)base, 0);
}

static void shift_up(struct bigint *a, long bits) {
    size_t words = (size_t)(bits / 32);
    if (a->n == 0) return;
    LAW(a->n + words <= WORDS, "a number too large for the reference");
    memmove(a->word + words, a->word, a->n * sizeof *a->word);
    memset(a->word, 0, words * sizeof *a->word);
    a->n += words;
    times_power(a, 2, bits % 32);
}

static void halve(struct bigint *a) {
    for (size_t i = 0; i < a->n; i++)
        a->word[i] = a->word[i] >> 1 | (i + 1 < a->n ? a->word[i + 1] << 31 : 0);
    if (a->n && a->word[a->n - 1] == 0) a->n--;
}

static int compare(const struct bigint *a, const struct bigint *b) {
    if (a->n != b->n) return a->n > b->n ? 1 : -1;
    for (size_t i = a->n; i-- > 0;)
        if (a->word[i] != b->word[i]) return a->word[i] > b->word[i] ? 1 : -1;
    return 0;
}

static void subtract(struct bigint *a, const struct bigint *b) {
    int64_t borrow = 0;
    for (size_t i = 0; i < a->n; i++) {
        borrow += (int64_t)a->word[i] - (i < b->n ? b->word[i] : 0);
        a->word[i] = (uint32_t)borrow;
        borrow >>= 32;
    }
    while (a->n && a->word[a->n - 1] == 0) a->n--;
}

static long bits_of(const struct bigint *a) {
    return a->n ? (long)(a->n * 32) - __builtin_clz(a->word[a->n - 1]) : 0;
}

/* a / b, known to be less than 2^64; *side compares the remainder with half of b. */
static uint64_t divide(struct bigint a, struct bigint b, int *side) {
    uint64_t quotient = 0;
    shift_up(&b, 63);
    for (int bit = 63; bit >= 0; bit--) {
        if (compare(&a, &b) >= 0) {
            subtract(&a, &b);
            quotient |= (uint64_t)1 << bit;
        }
        if (bit) halve(&b);
    }
    shift_up(&a, 1);
    *side = compare(&a, &b);
    return quotient;
}

/* The double nearest to a / b. */
static double nearest(struct bigint a, struct bigint b) {
    enum { MOST_BITS = 53, LOWEST = -1074 };
    if (a.n == 0) return 0;
    long scale = bits_of(&a) - bits_of(&b) - MOST_BITS; /* then a / b / 2^scale >= 2^52 */
    if (scale < LOWEST) scale = LOWEST;
    for (;; scale++) {
        struct bigint x = a, y = b;
        int side;
        if (scale < 0)
            shift_up(&x, -scale);
        else
            shift_up(&y, scale);
        uint64_t q = divide(x, y, &side);
        if (q >> MOST_BITS) continue; /* one bit too many: there may be one */
        if (side > 0 || (side == 0 && q % 2 == 1)) q++;
        return ldexp((double)q, (int)scale);
    }
}

/* ---- text --------------------------------------------------------------------------------- */

static bool is_digit(const char *p, const char *end) {
    return p < end && *p >= '0' && *p <= '9';
}

/* The exponent at p, if there is one: returns the byte after it, else p. */
static const char *read_exponent(const char *p, const char *end, long *exponent) {
    const char *digits = p + 1;
    *exponent = 0;
    if (p == end || (*p != 'e' && *p != 'E')) return p;
    bool minus = digits < end && *digits == '-';
    if (digits < end && (*digits == '-' || *digits == '+')) digits++;
    if (!is_digit(digits, end)) return p;
    for (; is_digit(digits, end); digits++)
        if (*exponent < 100000000) *exponent = *exponent * 10 + (*digits - '0');
    if (minus) *exponent = -*exponent;
    return digits;
}

const char *exact_read(const char *text, const char *end, double *out) {
    /* A middle of two doubles has at most 768 digits that count: of those beyond the 1100th all that
       matters is whether they are 0. */
    enum { KEPT = 1100, FAR = 400 };
    struct bigint digits = {0}, one = {.word = {1}, .n = 1};
    long kept = 0, power = 0, exponent;
    bool point = false, any = false, rest = false;
    const char *p = text;
    bool minus = p < end && *p == '-';
    if (p < end && (*p == '-' || *p == '+')) p++;
    for (; is_digit(p, end) || (p < end && *p == '.' && !point); p++) {
        if (*p == '.') {
            point = true;
            continue;
        }
        any = true;
        if (kept == KEPT) rest = rest || *p != '0';
        if (kept == KEPT && !point) power++;
        if (kept == KEPT) continue;
        times_plus(&digits, 10, (uint32_t)(*p - '0'));
        if (digits.n) kept++;
        if (point) power--;
    }
    if (!any) return NULL;
    p = read_exponent(p, end, &exponent);
    if (rest) {
        times_plus(&digits, 10, 1);
        power--;
    }
    power += exponent;
    double value = 0;
    if (digits.n && power + kept > FAR) {
        value = HUGE_VAL;
    } else if (digits.n && power + kept > -FAR) {
        times_power(power < 0 ? &one : &digits, 10, power < 0 ? -power : power);
        value = nearest(digits, one);
    }
    *out = minus ? -value : value;
    return p;
}

bool exact_is_number(const char *text, size_t length, double *out) {
    return exact_read(text, text + length, out) == text + length && isfinite(*out);
}

uint64_t exact_digits(double value, int count, int *power, int *side) {
    uint64_t most = 1, least;
    int scale;
    for (int i = 0; i < count; i++) most *= 10;
    least = most / 10;
    uint64_t mantissa = (uint64_t)ldexp(frexp(value, &scale), 53);
    struct bigint number = {.word = {(uint32_t)mantissa, (uint32_t)(mantissa >> 32)}, .n = 2};
    if (number.word[1] == 0) number.n = 1;
    scale -= 53;
    *power = (int)floor(log10(value)) - count; /* at most the wanted one; then upwards */
    for (;; ++*power) {
        struct bigint a = number, b = {.word = {1}, .n = 1};
        shift_up(scale < 0 ? &b : &a, scale < 0 ? -scale : scale);
        times_power(*power < 0 ? &a : &b, 10, *power < 0 ? -*power : *power);
        uint64_t digits = divide(a, b, side);
        if (digits < most) {
            LAW(digits >= least, "the reference missed the power of ten of %a", value);
            return digits;
        }
    }
}
