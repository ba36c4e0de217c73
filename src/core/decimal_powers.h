/* Powers of ten to 128 bits, and the one product that reading and printing decimals both rest on.

   10^n lies in (g - 1, g] * 2^(floor(log2(10^n)) - 127) for the 128-bit integer g of the table.
   The same g serves 5^n, which differs from 10^n by a power of two only. */
#ifndef SEPAL_CORE_DECIMAL_POWERS_H
#define SEPAL_CORE_DECIMAL_POWERS_H

#include <stdint.h>

__extension__ typedef unsigned __int128 uint128;

enum { DECIMAL_POWER_MIN = -342, DECIMAL_POWER_MAX = 324 };

struct decimal_power {
    uint64_t high, low;
};

extern const struct decimal_power decimal_powers[DECIMAL_POWER_MAX - DECIMAL_POWER_MIN + 1];

/* floor(log2(10^n)); the generator of the table checks the constant for every n of it. */
static inline int decimal_power_log2(int n) {
    return (n * 217706) >> 16;
}

/* floor(factor * g / 2^64) with the g of 10^n. */
static inline uint128 decimal_power_times(int n, uint64_t factor) {
    const struct decimal_power *power = &decimal_powers[n - DECIMAL_POWER_MIN];
    uint128 low = (uint128)factor * power->low;
    return (uint128)factor * power->high + (uint64_t)(low >> 64);
}

#endif
