/* Sums of products of doubles, and of whole numbers times doubles, without any rounding. */
#ifndef SEPAL_EXACT_EXACT_SUM_H
#define SEPAL_EXACT_EXACT_SUM_H

#include <stddef.h>
#include <stdint.h>

/* A fixed-point number whose last bit is worth 2^-2148, the least that a product of two doubles can
   have: 32 bits to a limb, with room above them for carries that are settled later. */
struct exact_sum {
    int64_t *limb; /* the caller's, n of them */
    size_t n;
    uint64_t adds; /* since carries were settled */
};

/* Limbs for products of doubles; sums that have whole numbers of L limbs in them need L more. */
enum { EXACT_SUM_LIMBS = 136 };

void exact_sum_clear(struct exact_sum *sum);
void exact_sum_add(struct exact_sum *sum, double a, double b); /* += a b, both finite */
/* += a times the whole number with these limbs, lowest first. */
void exact_sum_add_whole(struct exact_sum *sum, const uint32_t *whole, size_t limbs, double a);
int exact_sum_sign(struct exact_sum *sum); /* -1, 0, 1 */

#endif
