/* Natural numbers of any size, as little of their arithmetic as exact multipliers need. */
#ifndef SEPAL_EXACT_BIGINT_H
#define SEPAL_EXACT_BIGINT_H

#include "core/arena.h"

struct natural {
    uint32_t *limb; /* lowest first, the highest is not 0 */
    size_t n;       /* 0: the number 0 */
    size_t room;
};

/* The number 0 with room for `limbs`. No function makes more of it. */
sepal_status natural_make(struct natural *out, sepal_ctx *ctx, struct arena *arena, size_t limbs);
void natural_set(struct natural *a, uint64_t value);
void natural_copy(struct natural *to, const struct natural *from);
/* a = a * factor + addend */
void natural_extend(struct natural *a, uint64_t factor, uint64_t addend);
int natural_compare(const struct natural *a, const struct natural *b);
void natural_subtract(struct natural *a, const struct natural *b); /* a >= b */
size_t natural_zeros(const struct natural *a); /* at the end, in binary; of 0: SIZE_MAX */
void natural_shift_right(struct natural *a, size_t bits);
/* a = gcd(a, b), both odd or 0; b is destroyed. */
void natural_gcd(struct natural *a, struct natural *b);
/* a = a / d, which leaves no rest; d is odd. */
void natural_divide(struct natural *a, const struct natural *d);
/* Decimal digits; destroys a. NULL: no memory. */
const char *natural_print(sepal_ctx *ctx, struct arena *arena, struct natural *a);

#endif
