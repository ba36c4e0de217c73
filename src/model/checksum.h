/* The checksum of a model file. */
#ifndef SEPAL_MODEL_CHECKSUM_H
#define SEPAL_MODEL_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

enum { CHECKSUM_DIGITS = 16 };

/* CRC-64/XZ of the bytes; `before` is that of what stands in front of them, 0 if nothing does. */
uint64_t checksum_add(uint64_t before, const char *bytes, size_t length);
/* Of a whole file, with its own digits at `digits_at` read as '0'. */
uint64_t checksum_file(const char *bytes, size_t size, size_t digits_at);
/* Lower-case hexadecimal digits, no terminator. */
void checksum_print(char digits[CHECKSUM_DIGITS], uint64_t checksum);

#endif
