/* Losses of a margin: slopes and curvatures by differences, duals by brute force, the logistic loss
   against long doubles and the same in every set of kernels. */
#include "unit/objective_fixture.h"

#include <float.h>

/* ---- values, dual variables, curvatures ------------------------------------------------------------------ */

static void test_values(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(1), 1);
    for (size_t k = 0; k < LOSSES; k++) {
        const struct loss *loss = all_losses[k];
        for (int trial = 0; trial < 2000; trial++) {
            double m = 6 * normal(&rng), value, alpha, curvature;
            long double h = 1e-5L;
            loss->at(ctx->kernels, 1, &m, &value, &alpha, &curvature);
            if (loss != &loss_logistic && loss != &loss_squared && fabs(m - 1) < 1e-4) continue;
            long double low = plain_loss(loss, m - h), high = plain_loss(loss, m + h);
            long double here = plain_loss(loss, m);
            assert_true(fabsl(value - here) <= 1e-15L * fmaxl(1, here));
            assert_true(fabsl(alpha + (high - low) / (2 * h)) <= 1e-9L);
            assert_true(fabsl(curvature - (high - 2 * here + low) / (h * h)) <= 1e-6L);
            assert_true(alpha >= loss->least && alpha <= loss->most &&
                        curvature <= loss->smoothness);
        }
    }
}

/* Any of the results may be left out, and then the others are the same bits. */
static void test_parts(void **state) {
    (void)state;
    enum { N = 1000 };
    struct rng rng = rng_make(test_seed(2), 1);
    double m[N], all[3][N], one[N];
    for (int i = 0; i < N; i++) m[i] = 3 * normal(&rng);
    for (size_t k = 0; k < LOSSES; k++) {
        all_losses[k]->at(ctx->kernels, N, m, all[0], all[1], all[2]);
        all_losses[k]->at(ctx->kernels, N, m, one, NULL, NULL);
        assert_memory_equal(one, all[0], sizeof one);
        all_losses[k]->at(ctx->kernels, N, m, NULL, one, NULL);
        assert_memory_equal(one, all[1], sizeof one);
        all_losses[k]->at(ctx->kernels, N, m, NULL, NULL, one);
        assert_memory_equal(one, all[2], sizeof one);
    }
}

static void test_kinks(void **state) {
    (void)state;
    double m = 1, alpha, curvature, value;
    loss_hinge.at(ctx->kernels, 1, &m, &value, &alpha, &curvature);
    assert_true(value == 0 && alpha == 0 && curvature == 0);
    loss_squared_hinge.at(ctx->kernels, 1, &m, &value, &alpha, &curvature);
    assert_true(value == 0 && alpha == 0);
    assert_true(isinf(loss_hinge.smoothness) && !loss_hinge.smooth);
}

/* ---- duals -------------------------------------------------------------------------------------- */

/* The least of loss(m) + a m, which is convex, by a search that cuts to a third. */
static long double least_of(const struct loss *loss, double a) {
    long double low = -3000, high = 3000;
    for (int k = 0; k < 400; k++) {
        long double left = low + (high - low) / 3, right = high - (high - low) / 3;
        if (plain_loss(loss, left) + a * left < plain_loss(loss, right) + a * right)
            high = right;
        else
            low = left;
    }
    return plain_loss(loss, low) + a * low;
}

/* A margin that is no number has no loss: 0 would be the best there is. */
static void test_no_number(void **state) {
    (void)state;
    const double m = NAN;
    for (size_t k = 0; k < LOSSES; k++) {
        double value = 0;
        all_losses[k]->at(ctx->kernels, 1, &m, &value, NULL, NULL);
        assert_true(isnan(value));
    }
}

static double neg_conjugate(const struct loss *loss, double a) {
    double out;
    loss->neg_conjugate(kernels_choose(), 1, &a, &out);
    return out;
}

static void test_duals(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(3), 1);
    for (size_t k = 0; k < LOSSES; k++) {
        const struct loss *loss = all_losses[k];
        for (int trial = 0; trial < 1000; trial++) {
            double a = rng_unit(&rng);
            if (trial < 2) a = trial;
            if (trial >= 2 && trial < 40) a = pow(10, -trial);
            if (trial >= 40 && trial < 60) a = 1 - pow(10, -(trial - 40.0));
            if (isinf(loss->most) && trial % 2) a *= 20;
            if (isinf(loss->least) && trial % 3) a -= 10;
            double earns = neg_conjugate(loss, a);
            if (!(fabsl(earns - least_of(loss, a)) <= 1e-15L * (1 + fabs(a)) * (1 + fabs(a))))
                fail_msg("%s: a = %.17g earns %.17g, not %.17Lg", loss->name, a, earns,
                         least_of(loss, a));
        }
        if (isfinite(loss->least))
            assert_true(neg_conjugate(loss, loss->least - 1e-9) == -INFINITY);
        if (isfinite(loss->most)) assert_true(neg_conjugate(loss, loss->most + 1e-9) == -INFINITY);
        assert_false(isfinite(neg_conjugate(loss, NAN)) && neg_conjugate(loss, NAN) > 0);
    }
}

/* ---- the logistic loss to the last digits ------------------------------------------------------- */

static void within(const char *what, double m, double found, long double right, double ulps) {
    long double most = ulps * DBL_EPSILON / 2 * fabsl(right) + 1e-307L;
    if (!(fabsl(found - right) <= most))
        fail_msg("%s at %.17g is %.17g, not %.17Lg", what, m, found, right);
}

static void test_digits(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(4), 1);
    for (int trial = 0; trial < 200000; trial++) {
        double m, value, alpha, curvature;
        switch (trial % 4) {
        case 0: m = 40 * (rng_unit(&rng) - 0.5); break;
        case 1: m = 1500 * (rng_unit(&rng) - 0.5); break;
        case 2: m = (rng_unit(&rng) - 0.5) * pow(10, 300 * (rng_unit(&rng) - 1)); break;
        default: m = (rng_unit(&rng) - 0.5) * pow(10, 300 * rng_unit(&rng));
        }
        ctx->kernels->logistic(&m, 1, &value, &alpha, &curvature);
        long double e = expl(-fabsl(m));
        within("the loss", m, value, plain_loss(&loss_logistic, m), 6);
        within("the alpha", m, alpha, (m < 0 ? 1 : e) / (1 + e), 5);
        within("the curvature", m, curvature, e / (1 + e) / (1 + e), 9);
    }
}

static void test_sets(void **state) {
    (void)state;
    enum { N = 1027 };
    const struct kernels *sets[KERNEL_SETS];
    size_t count = kernels_usable(sets);
    struct rng rng = rng_make(test_seed(5), 1);
    double m[N], found[3][N], right[3][N];
    for (int i = 0; i < N; i++) m[i] = (rng_unit(&rng) - 0.5) * pow(10, 6 * rng_unit(&rng) - 3);
    m[0] = INFINITY, m[1] = -INFINITY, m[2] = 0, m[3] = -0.0, m[4] = DBL_MAX, m[5] = -DBL_MAX;
    for (size_t n = 0; n <= N; n = n < 40 ? n + 1 : n + 329) {
        memset(right, 0, sizeof right);
        kernels_reference.logistic(m, n, right[0], right[1], right[2]);
        for (size_t s = 0; s < count; s++) {
            memset(found, 0, sizeof found);
            sets[s]->logistic(m, n, found[0], found[1], found[2]);
            assert_memory_equal(found, right, sizeof found);
        }
    }
    double nan = NAN, value, alpha, curvature;
    ctx->kernels->logistic(&nan, 1, &value, &alpha, &curvature);
    assert_true(isnan(value));
    assert_true(right[0][1] == INFINITY && right[1][1] == 1 && right[2][0] < 1e-300);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values), cmocka_unit_test(test_parts),
        cmocka_unit_test(test_kinks),  cmocka_unit_test(test_no_number),
        cmocka_unit_test(test_duals),  cmocka_unit_test(test_digits),
        cmocka_unit_test(test_sets),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
