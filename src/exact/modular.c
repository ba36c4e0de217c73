/* Montgomery, "Modular multiplication without trial division", Math. Comp. 44 (1985); primes by the
   test of Miller and Rabin, which is no matter of chance below 2^64 with the first twelve primes as
   bases (Sorenson and Webster 2015). */
#include "exact/modular.h"

struct modulus modulus_make(uint64_t p) {
    struct modulus m = {.p = p};
    uint64_t inverse = p;
    for (int round = 0; round < 6; round++) inverse *= 2 - p * inverse;
    m.negative_inverse = 0 - inverse;
    m.one = (uint64_t)(((modular_wide)1 << 64) % p);
    m.square = (uint64_t)((modular_wide)m.one * m.one % p);
    return m;
}

uint64_t modular_power(const struct modulus *m, uint64_t a, uint64_t exponent) {
    uint64_t result = m->one;
    for (; exponent; exponent >>= 1) {
        if (exponent & 1) result = modular_multiply(m, result, a);
        a = modular_multiply(m, a, a);
    }
    return result;
}

uint64_t modular_inverse(const struct modulus *m, uint64_t a) {
    return modular_power(m, a, m->p - 2);
}

static bool passes(const struct modulus *m, uint64_t base) {
    uint64_t odd = m->p - 1, minus_one = m->p - m->one;
    int twos = 0;
    for (; !(odd & 1); odd >>= 1) twos++;
    uint64_t x = modular_power(m, modular_enter(m, base), odd);
    if (x == m->one || x == minus_one) return true;
    for (int i = 1; i < twos; i++) {
        x = modular_multiply(m, x, x);
        if (x == minus_one) return true;
    }
    return false;
}

static bool is_prime(uint64_t p) {
    static const uint64_t bases[] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37};
    for (size_t i = 0; i < sizeof bases / sizeof *bases; i++)
        if (p % bases[i] == 0) return p == bases[i];
    struct modulus m = modulus_make(p);
    for (size_t i = 0; i < sizeof bases / sizeof *bases; i++)
        if (!passes(&m, bases[i])) return false;
    return true;
}

uint64_t prime_below(uint64_t above) {
    uint64_t p = above - 1 - (above & 1 ? 1 : 0);
    while (!is_prime(p)) p -= 2;
    return p;
}
