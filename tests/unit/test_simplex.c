/* The projection onto the simplex: against a search for its threshold, and what it does with numbers that are
   none; scores beside a point of it: against plain loops. Every set of kernels gives the same bits. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <float.h>
#include <math.h>
#include <string.h>

#include "joint/simplex.h"
#include "seed.h"

enum { MOST = 132 };

/* By all sets of kernels, with lanes up to the next multiple of 4. */
static size_t project(double *z, size_t n) {
    const struct kernels *sets[KERNEL_SETS];
    double before[MOST], other[MOST];
    size_t lanes = (n + 3) / 4 * 4, count = kernels_usable(sets);
    memcpy(before, z, n * sizeof *z);
    size_t inside = simplex_project(&kernels_reference, z, n, lanes);
    for (size_t s = 0; s < count; s++) {
        memcpy(other, before, n * sizeof *z);
        assert_int_equal(simplex_project(sets[s], other, n, lanes), inside);
        assert_memory_equal(other, z, lanes * sizeof *z);
    }
    return inside;
}

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
        size_t used = project(p, n);
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
    double far[4] = {1e15 + 0.25, 1e15, 1e15 - 8};
    project(far, 3);
    assert_true(far[0] == 0.625 && far[1] == 0.375 && far[2] == 0);
}

static void no_numbers(void **state) {
    (void)state;
    double both[4] = {1, INFINITY, NAN, INFINITY}, none[4] = {NAN, NAN},
           below[4] = {-INFINITY, 3, NAN}, least[4] = {-INFINITY, -INFINITY};
    assert_int_equal(project(both, 4), 1);
    assert_true(both[0] == 0 && both[1] == 1 && both[2] == 0 && both[3] == 0);
    assert_int_equal(project(none, 2), 1);
    assert_true(none[0] == 1 && none[1] == 0);
    assert_int_equal(project(below, 3), 1);
    assert_true(below[0] == 0 && below[1] == 1 && below[2] == 0);
    assert_int_equal(project(least, 2), 1);
    assert_true(least[0] + least[1] == 1);
}

static void survey(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(721), 1);
    const struct kernels *sets[KERNEL_SETS];
    size_t count = kernels_usable(sets);
    for (size_t number = 0; number < 2000; number++) {
        size_t n = 1 + rng_below(&rng, 30), lanes = (n + 3) / 4 * 4, used = 0;
        double a[MOST] = {0}, g[MOST], most = -DBL_MAX, second = -DBL_MAX, least = INFINITY,
               mean = 0;
        for (size_t k = 0; k < lanes; k++)
            g[k] = k < n ? floor(20 * rng_unit(&rng)) / 4 - 2 : -DBL_MAX;
        for (size_t k = 0; k < n; k++) {
            if (rng_below(&rng, 3) == 0) a[k] = rng_unit(&rng);
            used += a[k] > 0;
            mean += a[k] * g[k];
            least = a[k] > 0 ? fmin(least, g[k]) : least;
            second = k > 0 ? fmax(second, fmin(most, g[k])) : -DBL_MAX;
            most = fmax(most, g[k]);
        }
        struct simplex_view view[KERNEL_SETS];
        for (size_t s = 0; s < count; s++) {
            sets[s]->simplex_survey(&view[s], a, g, lanes);
            assert_true(view[s].most == most && view[s].second == second && view[s].least == least);
            assert_int_equal(view[s].used, used);
            assert_true(fabs(view[s].mean - mean) <= 1e-14 * (double)n);
            assert_true(view[s].mean == view[0].mean);
        }
        g[rng_below(&rng, n)] = NAN;
        sets[number % 2]->simplex_survey(&view[0], a, g, lanes);
        assert_true(isnan(view[0].mean));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nearest_point),
        cmocka_unit_test(shift),
        cmocka_unit_test(no_numbers),
        cmocka_unit_test(survey),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
