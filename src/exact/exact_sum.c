/* The long accumulator of Kulisch ("Computer Arithmetic and Validity", 2008): a fixed-point number
   wide enough for every product of two doubles, so that adding is exact and the sign of a sum is
   what it is in mathematics. */
#include "exact/exact_sum.h"

#include <math.h>
#include <string.h>

__extension__ typedef unsigned __int128 uint128;

enum { LIMB_BITS = 32, LAST_BIT = 2148, MANTISSA_BITS = 53 };
static const int64_t LIMB_MASK = 0xffffffff;
/* An addition puts less than 2^33 into a limb, which holds 2^63. */
static const uint64_t MOST_ADDS = UINT64_C(1) << 29;

void exact_sum_clear(struct exact_sum *sum) {
    memset(sum->limb, 0, sum->n * sizeof *sum->limb);
    sum->adds = 0;
}

/* |a| = mantissa * 2^exponent with a whole mantissa. */
static uint64_t exact_split(double a, int *exponent) {
    double fraction = frexp(fabs(a), exponent);
    *exponent -= MANTISSA_BITS;
    uint64_t mantissa = (uint64_t)ldexp(fraction, MANTISSA_BITS);
    /* a subnormal has zeros at the end that would reach below the last bit */
    while (mantissa != 0 && *exponent < -1074) {
        mantissa >>= 1;
        ++*exponent;
    }
    return mantissa;
}

/* Limbs below the last one hold 0 .. 2^32 - 1 afterwards; the last has the sign of all. */
static void exact_settle(struct exact_sum *sum) {
    for (size_t i = 0; i + 1 < sum->n; i++) {
        int64_t low = sum->limb[i] & LIMB_MASK;
        sum->limb[i + 1] += (sum->limb[i] - low) / (LIMB_MASK + 1);
        sum->limb[i] = low;
    }
    sum->adds = 0;
}

static void exact_add_bits(struct exact_sum *sum, size_t position, uint64_t bits, int64_t sign) {
    size_t at = position / LIMB_BITS;
    uint128 shifted = (uint128)bits << (position % LIMB_BITS);
    for (; shifted != 0; shifted >>= LIMB_BITS, at++)
        sum->limb[at] += sign * (int64_t)((uint64_t)shifted & (uint64_t)LIMB_MASK);
}

static void exact_add_product(struct exact_sum *sum, size_t position, uint64_t a, uint64_t b,
                              int64_t sign) {
    uint128 product = (uint128)a * b;
    exact_add_bits(sum, position, (uint64_t)product, sign);
    exact_add_bits(sum, position + 64, (uint64_t)(product >> 64), sign);
}

void exact_sum_add(struct exact_sum *sum, double a, double b) {
    int of_a, of_b;
    uint64_t first = exact_split(a, &of_a), second = exact_split(b, &of_b);
    if (first == 0 || second == 0) return;
    if (sum->adds++ == MOST_ADDS) exact_settle(sum);
    int position = of_a + of_b + LAST_BIT;
    exact_add_product(sum, (size_t)position, first, second, signbit(a) == signbit(b) ? 1 : -1);
}

void exact_sum_add_whole(struct exact_sum *sum, const uint32_t *whole, size_t limbs, double a) {
    int exponent;
    uint64_t mantissa = exact_split(a, &exponent);
    if (mantissa == 0) return;
    if (sum->adds++ == MOST_ADDS) exact_settle(sum);
    exponent += LAST_BIT;
    for (size_t l = 0; l < limbs; l++)
        exact_add_product(sum, (size_t)exponent + l * LIMB_BITS, whole[l], mantissa,
                          signbit(a) ? -1 : 1);
}

int exact_sum_sign(struct exact_sum *sum) {
    exact_settle(sum);
    if (sum->limb[sum->n - 1] < 0) return -1;
    for (size_t i = 0; i < sum->n; i++)
        if (sum->limb[i] != 0) return 1;
    return 0;
}
