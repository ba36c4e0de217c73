/* Random numbers by counter: philox4x32-10 (Salmon, Moraes, Dror, Shaw, SC 2011). The i-th draw of
   a stream is a function of (seed, stream, i) alone, so no order of threads can change it. */
#ifndef SEPAL_CORE_RNG_H
#define SEPAL_CORE_RNG_H

#include <stddef.h>
#include <stdint.h>

struct rng {
    uint64_t seed, stream, next;
};
struct rng rng_make(uint64_t seed, uint64_t stream);
uint64_t rng_at(uint64_t seed, uint64_t stream, uint64_t i);    /* 64 random bits */
double rng_unit_at(uint64_t seed, uint64_t stream, uint64_t i); /* uniform on [0, 1), 53 bits */
/* Normal with mean 0 and variance 1, by Box and Muller (1958): numbers 2i and 2i + 1 are the two
   coordinates of one point, so they are made of the bits 2i and 2i + 1. */
double rng_normal_at(uint64_t seed, uint64_t stream, uint64_t i);
uint64_t rng_next(struct rng *rng);
uint64_t rng_below(struct rng *rng, uint64_t n); /* uniform on 0 .. n-1, without bias */
double rng_unit(struct rng *rng);                /* uniform on [0, 1) */
void rng_shuffle(struct rng *rng, uint32_t *items, size_t n);

#endif
