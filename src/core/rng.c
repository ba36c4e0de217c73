#include "core/rng.h"

#include <math.h>

/* Multipliers and Weyl constants of philox4x32 (Salmon et al. 2011, section 4.3). */
static const uint32_t multiplier_0 = 0xD2511F53, multiplier_1 = 0xCD9E8D57;
static const uint32_t weyl_0 = 0x9E3779B9, weyl_1 = 0xBB67AE85;
enum { ROUNDS = 10 };

uint64_t rng_at(uint64_t seed, uint64_t stream, uint64_t i) {
    uint32_t x0 = (uint32_t)i, x1 = (uint32_t)(i >> 32);
    uint32_t x2 = (uint32_t)stream, x3 = (uint32_t)(stream >> 32);
    uint32_t key_0 = (uint32_t)seed, key_1 = (uint32_t)(seed >> 32);
    for (int round = 0; round < ROUNDS; round++) {
        uint64_t p0 = (uint64_t)multiplier_0 * x0, p1 = (uint64_t)multiplier_1 * x2;
        x0 = (uint32_t)(p1 >> 32) ^ x1 ^ key_0;
        x1 = (uint32_t)p1;
        x2 = (uint32_t)(p0 >> 32) ^ x3 ^ key_1;
        x3 = (uint32_t)p0;
        key_0 += weyl_0;
        key_1 += weyl_1;
    }
    return (uint64_t)x1 << 32 | x0;
}

double rng_unit_at(uint64_t seed, uint64_t stream, uint64_t i) {
    return (double)(rng_at(seed, stream, i) >> 11) * 0x1p-53;
}

double rng_normal_at(uint64_t seed, uint64_t stream, uint64_t i) {
    static const double circle = 6.283185307179586;
    uint64_t first = i & ~UINT64_C(1);
    double radius = sqrt(-2 * log(1 - rng_unit_at(seed, stream, first)));
    double angle = circle * rng_unit_at(seed, stream, first + 1);
    return radius * (i == first ? cos(angle) : sin(angle));
}

struct rng rng_make(uint64_t seed, uint64_t stream) {
    return (struct rng){.seed = seed, .stream = stream};
}

uint64_t rng_next(struct rng *rng) {
    return rng_at(rng->seed, rng->stream, rng->next++);
}

uint64_t rng_below(struct rng *rng, uint64_t n) {
    uint64_t limit = UINT64_MAX - UINT64_MAX % n, draw;
    do draw = rng_next(rng);
    while (draw >= limit);
    return draw % n;
}

double rng_unit(struct rng *rng) {
    return rng_unit_at(rng->seed, rng->stream, rng->next++);
}

void rng_shuffle(struct rng *rng, uint32_t *items, size_t n) {
    for (size_t i = n; i > 1; i--) {
        size_t j = (size_t)rng_below(rng, i);
        uint32_t swap = items[i - 1];
        items[i - 1] = items[j];
        items[j] = swap;
    }
}
