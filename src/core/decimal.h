/* Decimal text to binary64 and back, exactly, whatever the locale. */
#ifndef SEPAL_CORE_DECIMAL_H
#define SEPAL_CORE_DECIMAL_H

#include <stdbool.h>
#include <stddef.h>

/* Read one decimal number from [text, end): an optional sign, digits with at most one point and at
   least one digit, an optional exponent. Returns the byte after it, NULL when there is none there
   or when it is too large for a double. Correctly rounded (ties to even) for any number of digits;
   too small rounds to 0 or a subnormal. nan, inf and hexadecimal are not decimal numbers. Never
   reads at or beyond `end`. The caller decides what may follow the number. */
const char *decimal_read(const char *text, const char *end, double *out);

/* The same with a decimal comma where decimal_read has a point. */
const char *decimal_comma_read(const char *text, const char *end, double *out);

/* Why decimal_read refused: the text is a well-formed number beyond the largest double. */
bool decimal_overflows(const char *text, const char *end);

/* Write the shortest decimal that reads back as `value`, of those the nearest one; returns its
   length. Plain form for 1e-5 <= |value| < 1e17, else with exponent ("1e-7", "1.5e+300"). -0 is
   "-0"; nan and infinities are "nan", "inf", "-inf" (callers decide whether these may occur). */
enum { DECIMAL_BYTES = 32 };
size_t decimal_print(char out[DECIMAL_BYTES], double value);

#endif
