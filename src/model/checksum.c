/* CRC-64/XZ: the polynomial of ECMA-182, bits reflected, register and result inverted. It finds
   every change of one bit and every burst of up to 64. Eight bytes are taken per step with eight
   tables (Kounavis and Berry, "Novel table lookup-based algorithms for high-performance CRC
   generation", 2008); the tables take a few microseconds to make, so no global state is needed. */
#include "model/checksum.h"

#include <string.h>

enum { STEP = 8, BYTES = 256 };

static void make_tables(uint64_t tables[STEP][BYTES]) {
    const uint64_t polynomial = UINT64_C(0xC96C5795D7870F42); /* 0x42F0E1EBA9EA3693 reflected */
    for (unsigned byte = 0; byte < BYTES; byte++) {
        uint64_t crc = byte;
        for (int bit = 0; bit < 8; bit++) crc = (crc >> 1) ^ (crc & 1 ? polynomial : 0);
        tables[0][byte] = crc;
    }
    for (int k = 1; k < STEP; k++) {
        for (unsigned byte = 0; byte < BYTES; byte++) {
            uint64_t crc = tables[k - 1][byte];
            tables[k][byte] = (crc >> 8) ^ tables[0][crc & 0xFF];
        }
    }
}

static uint64_t add_bytes(uint64_t tables[STEP][BYTES], uint64_t before, const char *bytes,
                          size_t length) {
    const unsigned char *at = (const unsigned char *)bytes;
    uint64_t crc = ~before;
    for (; length >= STEP; length -= STEP, at += STEP) {
        uint64_t next = 0;
        for (int k = 0; k < STEP; k++) {
            next ^= tables[STEP - 1 - k][(crc >> (8 * k) & 0xFF) ^ at[k]];
        }
        crc = next;
    }
    for (; length > 0; length--, at++) crc = (crc >> 8) ^ tables[0][(crc & 0xFF) ^ *at];
    return ~crc;
}

uint64_t checksum_add(uint64_t before, const char *bytes, size_t length) {
    uint64_t tables[STEP][BYTES];
    make_tables(tables);
    return add_bytes(tables, before, bytes, length);
}

uint64_t checksum_file(const char *bytes, size_t size, size_t digits_at) {
    uint64_t tables[STEP][BYTES];
    make_tables(tables);
    char zeros[CHECKSUM_DIGITS];
    memset(zeros, '0', sizeof zeros);
    size_t after = digits_at + CHECKSUM_DIGITS;
    uint64_t crc = add_bytes(tables, 0, bytes, digits_at);
    crc = add_bytes(tables, crc, zeros, sizeof zeros);
    return add_bytes(tables, crc, bytes + after, size - after);
}

void checksum_print(char digits[CHECKSUM_DIGITS], uint64_t checksum) {
    for (int i = CHECKSUM_DIGITS; i-- > 0; checksum >>= 4) {
        digits[i] = "0123456789abcdef"[checksum & 0xF];
    }
}
