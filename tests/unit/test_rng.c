/* Random numbers: the published answers, fairness, and draws that depend on their number alone. */
#include "core/rng.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* Known answers of Random123 (Salmon et al. 2011) for philox4x32-10: counter, key, first two words
   of the result. The third takes the digits of pi. */
static void test_known_answers(void **state) {
    (void)state;
    static const struct {
        uint32_t counter[4], key[2], word[2];
    } cases[] = {
        {{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d}},
        {{~0u, ~0u, ~0u, ~0u}, {~0u, ~0u}, {0x408f276d, 0x41c83b0e}},
        {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
         {0xa4093822, 0x299f31d0},
         {0xd16cfe09, 0x94fdcceb}},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const uint32_t *c = cases[k].counter, *key = cases[k].key, *word = cases[k].word;
        uint64_t i = (uint64_t)c[1] << 32 | c[0], stream = (uint64_t)c[3] << 32 | c[2];
        uint64_t seed = (uint64_t)key[1] << 32 | key[0];
        assert_int_equal(rng_at(seed, stream, i), (uint64_t)word[1] << 32 | word[0]);
    }
}

static void test_next_counts(void **state) {
    (void)state;
    struct rng rng = rng_make(7, 9);
    for (uint64_t i = 0; i < 100; i++) assert_int_equal(rng_next(&rng), rng_at(7, 9, i));
    assert_int_not_equal(rng_at(7, 9, 0), rng_at(7, 10, 0));
    assert_int_not_equal(rng_at(7, 9, 0), rng_at(8, 9, 0));
}

/* Counts of k equally likely outcomes lie within five standard deviations. */
static void assert_fair(const size_t *counts, size_t k, size_t draws) {
    double p = 1 / (double)k, deviation = sqrt((double)draws * p * (1 - p));
    for (size_t i = 0; i < k; i++)
        assert_true(fabs((double)counts[i] - (double)draws * p) < 5 * deviation);
}

static void test_below_is_fair(void **state) {
    (void)state;
    enum { DRAWS = 60000, MOST = 24 };
    for (uint64_t n = 2; n <= MOST; n++) {
        size_t counts[MOST] = {0};
        struct rng rng = rng_make(1, n);
        for (int i = 0; i < DRAWS; i++) {
            uint64_t draw = rng_below(&rng, n);
            assert_true(draw < n);
            counts[draw]++;
        }
        assert_fair(counts, n, DRAWS);
    }
    struct rng rng = rng_make(1, 1);
    for (int i = 0; i < 10; i++) assert_int_equal(rng_below(&rng, 1), 0);
}

/* A plain remainder would make the lowest of these three thirds come up half of the time. */
static void test_below_is_fair_for_large_limits(void **state) {
    (void)state;
    enum { DRAWS = 20000 };
    const uint64_t third = (uint64_t)1 << 62;
    size_t counts[3] = {0};
    struct rng rng = rng_make(2, 3);
    for (int i = 0; i < DRAWS; i++) {
        uint64_t draw = rng_below(&rng, 3 * third);
        assert_true(draw < 3 * third);
        counts[draw / third]++;
    }
    assert_fair(counts, 3, DRAWS);
    for (int i = 0; i < DRAWS; i++) assert_true(rng_below(&rng, UINT64_MAX) < UINT64_MAX);
}

static void test_unit(void **state) {
    (void)state;
    enum { DRAWS = 100000, TENTHS = 10 };
    size_t counts[TENTHS] = {0};
    bool odd = false;
    struct rng rng = rng_make(4, 5);
    for (int i = 0; i < DRAWS; i++) {
        double x = rng_unit(&rng);
        assert_true(x >= 0 && x < 1);
        counts[(size_t)(x * TENTHS)]++;
        odd = odd || fmod(x * 0x1p53, 2) == 1; /* all 53 bits are used */
    }
    assert_true(odd);
    assert_fair(counts, TENTHS, DRAWS);
}

/* Phi(z) is uniform, and so are the angles of pairs; the bits decide, in any order. */
static void test_normal(void **state) {
    (void)state;
    enum { DRAWS = 100000, TENTHS = 10, OCTANTS = 8 };
    size_t counts[TENTHS] = {0}, octants[OCTANTS] = {0}, far = 0;
    for (uint64_t i = 0; i < DRAWS; i += 2) {
        double x = rng_normal_at(3, 4, i), y = rng_normal_at(3, 4, i + 1);
        counts[(size_t)(erfc(-x / sqrt(2)) / 2 * TENTHS)]++;
        counts[(size_t)(erfc(-y / sqrt(2)) / 2 * TENTHS)]++;
        octants[(size_t)((atan2(y, x) + acos(-1)) / (2 * acos(-1)) * OCTANTS) % OCTANTS]++;
        far += x * x + y * y > 2 * log(1000);
        double u = 1 - rng_unit_at(3, 4, i);
        assert_true(fabs(x * x + y * y + 2 * log(u)) < 1e-12);
    }
    assert_fair(counts, TENTHS, DRAWS);
    assert_fair(octants, OCTANTS, DRAWS / 2);
    assert_true(far > 20 && far < 85); /* one in a thousand */
    for (uint64_t i = 0; i < DRAWS; i++) assert_true(isfinite(rng_normal_at(5, 6, i)));
    struct rng rng = rng_make(8, 9);
    for (uint64_t i = 0; i < 100; i++) assert_true(rng_unit(&rng) == rng_unit_at(8, 9, i));
}

static void test_shuffle_permutes(void **state) {
    (void)state;
    enum { MOST = 60 };
    for (size_t n = 0; n <= MOST; n++) {
        uint32_t items[MOST];
        bool seen[MOST] = {false};
        struct rng rng = rng_make(n, 1);
        for (size_t i = 0; i < n; i++) items[i] = (uint32_t)i;
        rng_shuffle(&rng, items, n);
        for (size_t i = 0; i < n; i++) {
            assert_true(items[i] < n && !seen[items[i]]);
            seen[items[i]] = true;
        }
    }
}

static void test_shuffle_is_fair(void **state) {
    (void)state;
    enum { DRAWS = 48000, ORDERS = 24 };
    size_t counts[ORDERS] = {0};
    struct rng rng = rng_make(6, 1);
    for (int draw = 0; draw < DRAWS; draw++) {
        uint32_t items[4] = {0, 1, 2, 3};
        rng_shuffle(&rng, items, 4);
        size_t order = 0; /* the Lehmer code of the permutation */
        for (size_t i = 0; i < 4; i++) {
            size_t smaller = 0;
            for (size_t j = i + 1; j < 4; j++) smaller += items[j] < items[i];
            order = order * (4 - i) + smaller;
        }
        counts[order]++;
    }
    assert_fair(counts, ORDERS, DRAWS);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_answers),
        cmocka_unit_test(test_next_counts),
        cmocka_unit_test(test_below_is_fair),
        cmocka_unit_test(test_below_is_fair_for_large_limits),
        cmocka_unit_test(test_unit),
        cmocka_unit_test(test_normal),
        cmocka_unit_test(test_shuffle_permutes),
        cmocka_unit_test(test_shuffle_is_fair),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
