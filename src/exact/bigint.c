/* Schoolbook arithmetic (Knuth, "The Art of Computer Programming" 2, 4.3.1), the binary gcd (Stein
   1967) and exact division from the low end (Jebelean 1993). */
#include "exact/bigint.h"

#include <string.h>

enum { LIMB_BITS = 32 };

static void trim(struct bigint *a) {
    while (a->n > 0 && a->limb[a->n - 1] == 0) a->n--;
}

sepal_status bigint_make(struct bigint *out, sepal_ctx *ctx, struct arena *arena, size_t limbs) {
    *out =
        (struct bigint){.limb = arena_alloc(ctx, arena, limbs, sizeof *out->limb), .room = limbs};
    return out->limb ? SEPAL_OK : SEPAL_EMEMORY;
}

void bigint_copy(struct bigint *to, const struct bigint *from) {
    memcpy(to->limb, from->limb, from->n * sizeof *to->limb);
    to->n = from->n;
}

/* a = a * factor + addend for a factor of one limb */
static void extend_small(struct bigint *a, uint32_t factor, uint64_t addend) {
    uint64_t carry = addend;
    for (size_t i = 0; i < a->n; i++) {
        uint64_t low = (uint64_t)a->limb[i] * factor + (uint32_t)carry;
        a->limb[i] = (uint32_t)low;
        carry = (carry >> LIMB_BITS) + (low >> LIMB_BITS);
    }
    for (; carry != 0; carry >>= LIMB_BITS) a->limb[a->n++] = (uint32_t)carry;
    trim(a);
}

void bigint_extend(struct bigint *a, uint64_t factor, uint64_t addend) {
    uint32_t low = (uint32_t)factor, high = (uint32_t)(factor >> LIMB_BITS);
    if (high == 0) {
        extend_small(a, low, addend);
        return;
    }
    /* two columns of the product at once: limb i takes what limbs i and i - 1 give */
    uint64_t carry = addend;
    uint32_t before = 0;
    size_t n = a->n;
    for (size_t i = 0; i <= n; i++) {
        uint32_t now = i < n ? a->limb[i] : 0;
        uint64_t first = (uint64_t)now * low, second = (uint64_t)before * high;
        uint64_t sum = (first & UINT32_MAX) + (second & UINT32_MAX) + (carry & UINT32_MAX);
        a->limb[i] = (uint32_t)sum;
        carry = (carry >> LIMB_BITS) + (first >> LIMB_BITS) + (second >> LIMB_BITS) +
                (sum >> LIMB_BITS);
        before = now;
    }
    a->n = n + 1;
    for (; carry != 0; carry >>= LIMB_BITS) a->limb[a->n++] = (uint32_t)carry;
    trim(a);
}

int bigint_compare(const struct bigint *a, const struct bigint *b) {
    if (a->n != b->n) return a->n < b->n ? -1 : 1;
    for (size_t i = a->n; i-- > 0;)
        if (a->limb[i] != b->limb[i]) return a->limb[i] < b->limb[i] ? -1 : 1;
    return 0;
}

void bigint_subtract(struct bigint *a, const struct bigint *b) {
    uint64_t borrow = 0;
    for (size_t i = 0; i < a->n; i++) {
        uint64_t taken = borrow + (i < b->n ? b->limb[i] : 0);
        borrow = a->limb[i] < taken;
        a->limb[i] = (uint32_t)(a->limb[i] - taken);
    }
    trim(a);
}

size_t bigint_zeros(const struct bigint *a) {
    if (a->n == 0) return SIZE_MAX;
    size_t i = 0, bit = 0;
    while (a->limb[i] == 0) i++;
    while (!(a->limb[i] >> bit & 1)) bit++;
    return i * LIMB_BITS + bit;
}

void bigint_shift_right(struct bigint *a, size_t bits) {
    size_t limbs = bits / LIMB_BITS, rest = bits % LIMB_BITS;
    if (limbs >= a->n) {
        a->n = 0;
        return;
    }
    for (size_t i = 0; i + limbs < a->n; i++) {
        uint64_t high = i + limbs + 1 < a->n ? a->limb[i + limbs + 1] : 0;
        a->limb[i] = (uint32_t)((high << LIMB_BITS | a->limb[i + limbs]) >> rest);
    }
    a->n -= limbs;
    trim(a);
}

void bigint_gcd(struct bigint *a, struct bigint *b) {
    if (a->n == 0) bigint_copy(a, b);
    while (b->n > 0) {
        int order = bigint_compare(a, b);
        if (order == 0) return;
        struct bigint *larger = order > 0 ? a : b;
        bigint_subtract(larger, order > 0 ? b : a);
        bigint_shift_right(larger, bigint_zeros(larger));
    }
}

/* The inverse of an odd number modulo 2^32, by Newton's iteration: each round doubles the bits. */
static uint32_t inverse(uint32_t odd) {
    uint32_t x = odd;
    for (int round = 0; round < 5; round++) x *= 2 - odd * x;
    return x;
}

void bigint_divide(struct bigint *a, const struct bigint *d) {
    uint32_t low = inverse(d->limb[0]);
    size_t n = a->n < d->n ? 0 : a->n - d->n + 1;
    for (size_t i = 0; i < n; i++) {
        uint32_t digit = a->limb[i] * low;
        uint64_t borrow = 0;
        for (size_t j = 0; j < d->n || borrow != 0; j++) {
            if (i + j >= a->n) break;
            uint64_t take = borrow + (j < d->n ? (uint64_t)d->limb[j] * digit : 0);
            borrow = (take >> LIMB_BITS) + (a->limb[i + j] < (uint32_t)take);
            a->limb[i + j] -= (uint32_t)take;
        }
        a->limb[i] = digit; /* what was here is 0 now */
    }
    a->n = n;
    trim(a);
}

const char *bigint_print(sepal_ctx *ctx, struct arena *arena, struct bigint *a) {
    enum { AT_ONCE = 9 };
    static const uint32_t BASE = 1000000000;
    size_t room = a->n * 10 + 2, at = room;
    char *text = arena_alloc(ctx, arena, room, 1);
    if (!text) return NULL;
    text[--at] = '\0';
    while (a->n > 0) {
        uint64_t rest = 0;
        for (size_t i = a->n; i-- > 0;) {
            rest = rest << LIMB_BITS | a->limb[i];
            a->limb[i] = (uint32_t)(rest / BASE);
            rest %= BASE;
        }
        trim(a);
        for (int digit = 0; digit < AT_ONCE && (a->n > 0 || rest > 0); digit++, rest /= 10)
            text[--at] = (char)('0' + rest % 10);
    }
    if (text[at] == '\0') text[--at] = '0';
    return text + at;
}
