/* The projection onto the simplex: against a search for its threshold, and what it does with numbers that are
   none. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "joint/simplex.h"
#include "seed.h"

enum { MOST = 130 };

/* The threshold by bisection: the sum of what is above it falls as it rises. */
static double threshold_by_search(const double *z, size_t n) {
    double low = -1e9, high = 1e9;
    for (int step = 0; step < 200; step++) {
        double middle = 0.5 * (low + high), sum = 0;
        for (size_t k = 0; k < n; k++) sum += fmax(0, z[k] - middle);
        *(sum > 1 ? &low : &high) = middle;
    }
    return low;
}

static void nearest_point(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(720), 1);
    for (size_t number = 0; number < 4000; number++) {
        size_t n = 1 + rng_below(&rng, number % 10 ? 12 : MOST), inside = 0;
        double z[MOST], p[MOST], sum = 0, scale = pow(10, (double)rng_below(&rng, 7) - 4);
        for (size_t k = 0; k < n; k++) {
            z[k] = scale * (rng_unit(&rng) - 0.5);
            if (number % 3 == 0) z[k] = floor(4 * z[k]) / 4; /* ties */
        }
        memcpy(p, z, n * sizeof *z);
        size_t used = simplex_project(p, n);
        double theta = threshold_by_search(z, n);
        for (size_t k = 0; k < n; k++) {
            assert_true(fabs(p[k] - fmax(0, z[k] - theta)) <= 1e-11 * (1 + scale));
            sum += p[k];
            inside += p[k] > 0;
        }
        assert_true(fabs(sum - 1) < 1e-13 * (double)n);
        assert_int_equal(used, inside);
    }
}

/* Far from 0 only the distances count. */
static void shift(void **state) {
    (void)state;
    double far[3] = {1e15 + 0.25, 1e15, 1e15 - 8};
    simplex_project(far, 3);
    assert_true(far[0] == 0.625 && far[1] == 0.375 && far[2] == 0);
}

static void no_numbers(void **state) {
    (void)state;
    double both[4] = {1, INFINITY, NAN, INFINITY}, none[2] = {NAN, NAN},
           below[3] = {-INFINITY, 3, NAN}, least[2] = {-INFINITY, -INFINITY};
    assert_int_equal(simplex_project(both, 4), 1);
    assert_true(both[0] == 0 && both[1] == 1 && both[2] == 0 && both[3] == 0);
    assert_int_equal(simplex_project(none, 2), 1);
    assert_true(none[0] == 1 && none[1] == 0);
    assert_int_equal(simplex_project(below, 3), 1);
    assert_true(below[0] == 0 && below[1] == 1 && below[2] == 0);
    assert_int_equal(simplex_project(least, 2), 1);
    assert_true(least[0] + least[1] == 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nearest_point),
        cmocka_unit_test(shift),
        cmocka_unit_test(no_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
