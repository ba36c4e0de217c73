/* From scores to classes, regions and probabilities, against the rules written out over all scores of
   a small grid, so that ties and zeros are the common case; probabilities far out in the tails. */
#include "seed.h"
#include "linear/decide.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#undef fail
#include <cmocka.h>

enum { MOST = 7, MOST_ROWS = 21, DRAWS = 3000 };

static struct linear rule(const struct strategy *decode, size_t classes) {
    return (struct linear){
        .classes = classes, .rows = decode->functions(classes), .strategy = decode};
}

/* ---- brute force ---------------------------------------------------------------------------- */

/* What speaks for each class: one score a class; for pairs the votes, then the sums of scores. */
struct case_for {
    double value[MOST], sum[MOST];
    size_t claims;
};

static struct case_for make_case(const struct linear *linear, const double *scores) {
    struct case_for all = {0};
    size_t K = linear->classes, pair = 0;
    for (size_t r = 0; linear->strategy != &strategy_ovo && r < linear->rows; r++) {
        all.value[r] = scores[r];
        all.claims += scores[r] >= 0;
    }
    for (size_t i = 0; linear->strategy == &strategy_ovo && i < K; i++)
        for (size_t j = i + 1; j < K; j++, pair++) {
            all.value[scores[pair] >= 0 ? j : i]++;
            all.sum[i] -= scores[pair];
            all.sum[j] += scores[pair];
        }
    return all;
}

static bool beats(const struct case_for *all, size_t a, size_t b) {
    if (all->value[a] != all->value[b]) return all->value[a] > all->value[b];
    return all->sum[a] > all->sum[b];
}

/* The first class that no other one beats. */
static size_t winner(const struct linear *linear, const struct case_for *all) {
    for (size_t a = 0;; a++) {
        bool beaten = false;
        for (size_t b = 0; b < linear->classes; b++) beaten = beaten || beats(all, b, a);
        if (!beaten) return a;
    }
}

static enum region region_of(const struct linear *linear, const struct case_for *all) {
    size_t best = winner(linear, all);
    if (linear->strategy == &strategy_ovr || linear->strategy == &strategy_ovr_1) {
        if (all->claims > 1) return REGION_SEVERAL;
        if (all->claims == 0 && linear->strategy == &strategy_ovr) return REGION_NONE;
    }
    for (size_t k = 0; linear->strategy == &strategy_ovo && k < linear->classes; k++)
        if (k != best && all->value[k] == all->value[best]) return REGION_TIED;
    return REGION_CLEAR;
}

static void test_decisions(void **state) {
    (void)state;
    static const struct strategy *const rules[] = {&strategy_machine, &strategy_ovr,
                                                   &strategy_ovr_1, &strategy_ovo};
    struct rng rng = rng_make(test_seed(1), 1);
    size_t regions[REGIONS] = {0};
    for (size_t K = 2; K <= MOST; K++)
        for (size_t draw = 0; draw < 4 * DRAWS; draw++) {
            struct linear linear = rule(rules[draw % 4], K);
            double scores[MOST_ROWS], shown[MOST], votes = 0;
            uint64_t grid = 1 + rng_below(&rng, 4);
            for (size_t r = 0; r < linear.rows; r++)
                scores[r] = (double)rng_below(&rng, 2 * grid + 1) - (double)grid;
            struct case_for all = make_case(&linear, scores);
            enum region region = linear_region(&linear, scores);
            assert_int_equal(linear_decide(&linear, scores), winner(&linear, &all));
            assert_int_equal(region, region_of(&linear, &all));
            assert_int_equal(linear_shown(&linear), K);
            linear_show(&linear, scores, shown);
            assert_memory_equal(shown, all.value, K * sizeof *shown);
            regions[region]++;
            for (size_t k = 0; k < K; k++) votes += shown[k];
            if (linear.strategy == &strategy_ovo) assert_true(2 * votes == (double)(K * (K - 1)));
        }
    for (enum region region = 0; region < REGIONS; region++) assert_true(regions[region] > 100);
}

/* "nobody claims it: the last class; several: the highest score", METHODS in words. */
static void test_last_class(void **state) {
    (void)state;
    static const struct {
        double scores[3];
        int32_t class;
        enum region region;
    } rows[] = {{{-1, -2, -0.5}, 3, REGION_CLEAR}, {{-1, 0, -2}, 1, REGION_CLEAR},
                {{-1, -0.0, -2}, 1, REGION_CLEAR}, {{3, 5, -1}, 1, REGION_SEVERAL},
                {{0, 0, 0}, 0, REGION_SEVERAL},    {{-5e-324, -1, -1}, 3, REGION_CLEAR},
                {{-1, -1, 1e308}, 2, REGION_CLEAR}};
    struct linear linear = rule(&strategy_ovr_1, 4);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double shown[4];
        assert_int_equal(linear_decide(&linear, rows[i].scores), rows[i].class);
        assert_int_equal(linear_region(&linear, rows[i].scores), rows[i].region);
        linear_show(&linear, rows[i].scores, shown);
        assert_true(shown[3] == 0);
    }
}

static void test_two_classes(void **state) {
    (void)state;
    struct linear linear = rule(&strategy_sign, 2);
    static const double scores[] = {-3, -5e-324, -0.0, 0, 5e-324, 2};
    for (size_t i = 0; i < sizeof scores / sizeof *scores; i++) {
        double shown;
        assert_int_equal(linear_decide(&linear, &scores[i]), i >= 2);
        assert_int_equal(linear_region(&linear, &scores[i]), REGION_CLEAR);
        assert_int_equal(linear_shown(&linear), 1);
        linear_show(&linear, &scores[i], &shown);
        assert_true(shown == scores[i]);
    }
}

static void test_pairs(void **state) {
    (void)state;
    for (size_t K = 2; K <= 40; K++) {
        size_t r = 0, pair[2];
        for (size_t i = 0; i < K; i++)
            for (size_t j = i + 1; j < K; j++, r++) {
                pair_classes(r, K, pair);
                assert_true(pair[0] == i && pair[1] == j);
            }
        assert_int_equal(r, strategy_ovo.functions(K));
    }
    assert_true(strategy_ovo.functions(SIZE_MAX / 2) == SIZE_MAX);
    assert_int_equal(strategy_sign.functions(2), 1);
    assert_int_equal(strategy_machine.functions(5), 5);
    assert_int_equal(strategy_ovr.functions(5), 5);
    assert_int_equal(strategy_ovr_1.functions(5), 4);
}

/* ---- probabilities -------------------------------------------------------------------------- */

static long double log_rate(long double s) {
    return (s < 0 ? s : 0) - log1pl(expl(-fabsl(s)));
}

static void check_probabilities(enum link link, const double *scores, size_t K) {
    struct linear linear = rule(&strategy_machine, K);
    double p[MOST], logs[MOST], total = 0;
    long double log_p[MOST] = {0}, largest = -INFINITY, sum = 0;
    linear.link = link;
    linear_probabilities(&linear, scores, p);
    for (size_t k = 0; k < K; k++) {
        log_p[k] = link == LINK_RATES ? log_rate(scores[k]) : (long double)scores[k];
        largest = fmaxl(largest, log_p[k]);
    }
    for (size_t k = 0; k < K; k++) sum += expl(log_p[k] - largest);
    size_t best = 0;
    long double others = 0;
    for (size_t k = 1; k < K; k++)
        if (log_p[k] > log_p[best]) best = k;
    for (size_t k = 0; k < K; k++) others += k == best ? 0 : expl(log_p[k] - largest);
    linear_log_probabilities(&linear, scores, logs);
    for (size_t k = 0; k < K; k++) {
        long double should = expl(log_p[k] - largest) / sum;
        assert_true(p[k] >= 0 && p[k] <= 1);
        long double log_should = log_p[k] - largest - logl(sum);
        if (k == best) log_should = -log1pl(others);
        bool past = log_should < -1.7976931348623157e308L; /* beyond a double */
        if (past ? !isinf(logs[k])
                 : fabsl(logs[k] - log_should) >
                       1e-13L * fabsl(log_should) + 1e-16L * fabsl(log_p[k]) + 5e-324L)
            fail_msg("ln of a probability is %.17g, not %.17Lg", logs[k], log_should);
        if (fabsl(p[k] - should) > 1e-12L * should + 5e-324L)
            fail_msg("a probability is %.17g, not %.17Lg", p[k], should);
        total += p[k];
    }
    assert_true(fabs(total - 1) < 1e-14);
}

static void test_tails(void **state) {
    (void)state;
    static const double grid[] = {-1e308,  -1e5, -800, -745.2, -744, -710, -700, -650, -40, -1,
                                  -1e-300, 0,    1e-9, 1,      30,   37,   700,  746,  1e9, 1e308};
    enum { POINTS = sizeof grid / sizeof *grid };
    for (size_t a = 0; a < POINTS; a++)
        for (size_t b = 0; b < POINTS; b++)
            for (size_t c = 0; c < POINTS; c++) {
                double scores[] = {grid[a], grid[b], grid[c]};
                check_probabilities(LINK_POSTERIOR, scores, 3);
                check_probabilities(LINK_RATES, scores, 3);
            }
    struct rng rng = rng_make(test_seed(2), 1);
    for (size_t draw = 0; draw < 20000; draw++) {
        double scores[MOST], centre = 2000 * rng_unit(&rng) - 1000, spread = 20 * rng_unit(&rng);
        size_t K = 2 + rng_below(&rng, MOST - 1);
        for (size_t k = 0; k < K; k++) scores[k] = centre + spread * (2 * rng_unit(&rng) - 1);
        check_probabilities(draw % 2 ? LINK_POSTERIOR : LINK_RATES, scores, K);
    }
}

/* Equal scores share; adding a constant to all logits changes nothing. */
static void test_ties_and_shifts(void **state) {
    (void)state;
    static const double shifts[] = {0, 8, -1024, 4096, 1e300};
    struct linear linear = rule(&strategy_machine, 4);
    linear.link = LINK_POSTERIOR;
    for (size_t s = 0; s < 5; s++) {
        double p[4], same[4] = {shifts[s], shifts[s], shifts[s], shifts[s]};
        linear_probabilities(&linear, same, p);
        for (size_t k = 0; k < 4; k++) assert_true(p[k] == 0.25);
    }
    double scores[4] = {0.5, -2, 3, 0}, p[4], moved[4];
    linear_probabilities(&linear, scores, p);
    for (size_t s = 1; s < 4; s++) {
        double other[4];
        for (size_t k = 0; k < 4; k++) other[k] = scores[k] + shifts[s];
        linear_probabilities(&linear, other, moved);
        assert_memory_equal(p, moved, sizeof p);
    }
}

static void test_logistic(void **state) {
    (void)state;
    struct linear linear = rule(&strategy_sign, 2);
    static const double scores[] = {0, 1e-20, 1, 36, 40, 700, 744, 746, 1e5, 1e308};
    for (size_t i = 0; i < sizeof scores / sizeof *scores; i++)
        for (int sign = -1; sign <= 1; sign += 2) {
            double s = sign * scores[i], p[2];
            linear_probabilities(&linear, &s, p);
            double logs[2];
            linear_log_probabilities(&linear, &s, logs);
            for (int k = 0; k < 2; k++) {
                long double log_should = log_rate(k ? s : -s);
                assert_true(fabsl(logs[k] - log_should) <= 1e-15L * fabsl(log_should) + 5e-324L);
                long double should = expl(log_rate(k ? s : -s));
                assert_true(fabsl(p[k] - should) <= 1e-15L * should + 5e-324L);
            }
            assert_true((p[1] >= 0.5) == (linear_decide(&linear, &s) == 1) || s > -1e-15);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_decisions),   cmocka_unit_test(test_last_class),
        cmocka_unit_test(test_two_classes), cmocka_unit_test(test_pairs),
        cmocka_unit_test(test_tails),       cmocka_unit_test(test_ties_and_shifts),
        cmocka_unit_test(test_logistic),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
