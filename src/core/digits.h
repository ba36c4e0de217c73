/* Eight digits at a time within a 64-bit word. */
#ifndef SEPAL_CORE_DIGITS_H
#define SEPAL_CORE_DIGITS_H

#include <stdint.h>
#include <string.h>

/* Eight characters less '0' each, the first in the lowest byte. */
static inline uint64_t digits_load(const char *p) {
    uint64_t word;
    memcpy(&word, p, sizeof word);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word ^ 0x3030303030303030u;
}

/* The top bit of each byte that is no digit. Carries run only upwards out of such a byte, hence
   the lowest marked byte is right and all that callers look at. */
static inline uint64_t digits_mark_others(uint64_t word) {
    return ((word + 0x7676767676767676u) | word) & 0x8080808080808080u;
}

/* The number that eight digits make. Of the four pairs, the first and third share one product and
   the second and fourth another: its upper half adds up both with their weights. */
static inline uint64_t digits_sum(uint64_t word) {
    const uint64_t weights_13 = 100 + ((uint64_t)1000000 << 32);
    const uint64_t weights_24 = 1 + ((uint64_t)10000 << 32);
    uint64_t pairs = word * 10 + (word >> 8);
    uint64_t pairs_13 = pairs & 0x000000ff000000ffu;
    uint64_t pairs_24 = (pairs >> 16) & 0x000000ff000000ffu;
    return (pairs_13 * weights_13 + pairs_24 * weights_24) >> 32;
}

#endif
