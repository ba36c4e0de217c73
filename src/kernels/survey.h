/* What kinds of numbers there are, without a branch, so that every kernel set can turn it into vectors. */
#ifndef SEPAL_KERNELS_SURVEY_H
#define SEPAL_KERNELS_SURVEY_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline void survey_numbers(const double *x, size_t n, size_t *zeros, size_t *minus,
                                  size_t *beyond) {
    const int64_t largest = 0x7fefffffffffffff; /* DBL_MAX */
    int64_t zero = 0, below = 0, above = 0;
    for (size_t i = 0; i < n; i++) {
        int64_t bits, size;
        memcpy(&bits, &x[i], sizeof bits);
        size = bits & INT64_MAX;
        zero += size == 0;
        below += bits == INT64_MIN;
        above += size > largest;
    }
    *zeros = (size_t)zero;
    *minus = (size_t)below;
    *beyond = (size_t)above;
}

#endif
