/* Elapsed time, for reports and time limits only: no result may depend on it otherwise. */
#ifndef SEPAL_CORE_CLOCK_H
#define SEPAL_CORE_CLOCK_H

#include <stdint.h>

uint64_t clock_ns(void); /* monotonic */
static inline double clock_seconds_since(uint64_t start_ns) {
    return (double)(clock_ns() - start_ns) * 1e-9;
}

#endif
