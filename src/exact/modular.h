/* Arithmetic modulo primes just below 2^62, in Montgomery's form. */
#ifndef SEPAL_EXACT_MODULAR_H
#define SEPAL_EXACT_MODULAR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

__extension__ typedef unsigned __int128 modular_wide;

struct modulus {
    uint64_t p;
    uint64_t negative_inverse; /* -1/p modulo 2^64 */
    uint64_t one;              /* 2^64 modulo p: the number 1 */
    uint64_t square;           /* 2^128 modulo p */
};

struct modulus modulus_make(uint64_t p);
/* The largest prime below `above`. */
uint64_t prime_below(uint64_t above);

/* a b / 2^64: the product of two numbers in Montgomery's form */
static inline uint64_t modular_multiply(const struct modulus *m, uint64_t a, uint64_t b) {
    modular_wide product = (modular_wide)a * b;
    uint64_t factor = (uint64_t)product * m->negative_inverse;
    uint64_t sum = (uint64_t)((product + (modular_wide)factor * m->p) >> 64);
    return sum >= m->p ? sum - m->p : sum;
}
static inline uint64_t modular_subtract(const struct modulus *m, uint64_t a, uint64_t b) {
    return a >= b ? a - b : a + m->p - b;
}
static inline uint64_t modular_negative(const struct modulus *m, uint64_t a) {
    return a ? m->p - a : 0;
}
static inline uint64_t modular_enter(const struct modulus *m, uint64_t a) { /* a < 2^64 */
    return modular_multiply(m, a % m->p, m->square);
}
static inline uint64_t modular_value(const struct modulus *m, uint64_t a) {
    return modular_multiply(m, a, 1);
}
uint64_t modular_power(const struct modulus *m, uint64_t a, uint64_t exponent);
uint64_t modular_inverse(const struct modulus *m, uint64_t a);

#endif
