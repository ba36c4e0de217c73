/* The seeds of the tests' random numbers. Each place has a usual one, so that a run is like the run
   before. SEPAL_TEST_SEED=n, n > 0, gives all of them others; a nightly run (SEPAL_NIGHTLY) draws n.
   What is printed repeats the run. */
#ifndef SEPAL_TESTS_SEED_H
#define SEPAL_TESTS_SEED_H

#include "core/rng.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static inline uint64_t seed_of_run(void) {
    static bool known;
    static uint64_t seed;
    if (known) return seed;
    const char *given = getenv("SEPAL_TEST_SEED");
    if (given && *given) {
        seed = strtoull(given, NULL, 10);
    } else if (getenv("SEPAL_NIGHTLY")) {
        struct timespec now;
        timespec_get(&now, TIME_UTC);
        seed = 1 +
               rng_at((uint64_t)now.tv_sec, (uint64_t)now.tv_nsec, (uint64_t)getpid()) % 1000000000;
    }
    known = true;
    printf("SEPAL_TEST_SEED=%" PRIu64 "\n", seed);
    fflush(stdout); /* a test may die, or fork */
    return seed;
}

static inline uint64_t test_seed(uint64_t usual) {
    return seed_of_run() ? rng_at(seed_of_run(), usual, 0) : usual;
}

#endif
