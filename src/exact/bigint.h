/* Natural numbers of any size, as little of their arithmetic as exact multipliers need. */
#ifndef SEPAL_EXACT_BIGINT_H
#define SEPAL_EXACT_BIGINT_H

#include "core/arena.h"

struct bigint {
    uint32_t *limb; /* lowest first, the highest is not 0 */
    size_t n;       /* 0: the number 0 */
    size_t room;
};

/* The number 0 with room for `limbs`. No function makes more of it. */
sepal_status bigint_make(struct bigint *out, sepal_ctx *ctx, struct arena *arena, size_t limbs);
void bigint_copy(struct bigint *to, const struct bigint *from);
/* a = a * factor + addend */
void bigint_extend(struct bigint *a, uint64_t factor, uint64_t addend);
int bigint_compare(const struct bigint *a, const struct bigint *b);
void bigint_subtract(struct bigint *a, const struct bigint *b); /* a >= b */
size_t bigint_zeros(const struct bigint *a); /* at the end, in binary; of 0: SIZE_MAX */
void bigint_shift_right(struct bigint *a, size_t bits);
/* a = gcd(a, b), both odd or 0; b is destroyed. */
void bigint_gcd(struct bigint *a, struct bigint *b);
/* a = a / d, which leaves no rest; d is odd. */
void bigint_divide(struct bigint *a, const struct bigint *d);
/* Decimal digits; destroys a. NULL: no memory. */
const char *bigint_print(sepal_ctx *ctx, struct arena *arena, struct bigint *a);

#endif
