/* Decimal text to binary64 and back by integer arithmetic alone: slow, short, and independent of
   src/core. What the fast code is compared with. */
#ifndef SEPAL_TESTS_EXACT_DECIMAL_H
#define SEPAL_TESTS_EXACT_DECIMAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The number at the beginning of [text, end): sign, digits with at most one point, exponent. Returns
   the byte after it, NULL when there is none. Too large is infinity. */
const char *exact_read(const char *text, const char *end, double *out);
/* All of the text is a number that a double can hold. */
bool exact_is_number(const char *text, size_t length, double *out);

/* digits * 10^power <= value, and the next number of that many digits is greater. `value` is finite
   and above 0, `count` 1 to 17. *side: the value lies below (-1), in (0) or above (1) the middle. */
uint64_t exact_digits(double value, int count, int *power, int *side);

#endif
