/* Losses of K scores: values against long doubles, slopes and second derivatives by central differences, and
   the dual variables by Fenchel's inequality. */
#include "core/alloc.h"
#include "fixture.h"
#include "joint/joint.h"
#include "seed.h"

#include <math.h>
#include <string.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#undef fail
#include <cmocka.h>

enum { CLASSES_MOST = 9, LANES_MOST = 12, ROWS = 7, TRIALS = 300 };
static const struct joint_loss *const losses[] = {&joint_cross_entropy, &joint_squared_error,
                                                  &joint_crammer_singer};
enum { LOSSES = sizeof losses / sizeof *losses };

struct rows {
    size_t classes, lanes;
    double score[ROWS * LANES_MOST];
    int32_t label[ROWS];
};

static struct rows random_rows(struct rng *rng, double size) {
    struct rows r = {.classes = 2 + rng_below(rng, CLASSES_MOST - 1)};
    r.lanes = (r.classes + 3) / 4 * 4;
    for (size_t i = 0; i < ROWS; i++) {
        r.label[i] = (int32_t)rng_below(rng, r.classes);
        for (size_t k = 0; k < r.classes; k++)
            r.score[i * r.lanes + k] = size * (2 * rng_unit(rng) - 1);
    }
    return r;
}

static long double plain_value(const struct joint_loss *loss, const struct rows *r, size_t i,
                               const long double *s) {
    size_t own = (size_t)r->label[i];
    long double most = s[0], sum = 0, square = 0, other = 0;
    for (size_t k = 0; k < r->classes; k++) {
        most = fmaxl(most, s[k]);
        if (k != own) other = fmaxl(other, 1 + s[k] - s[own]);
    }
    for (size_t k = 0; k < r->classes; k++) sum += expl(s[k] - most);
    if (loss == &joint_cross_entropy) return logl(sum) + most - s[own];
    if (loss == &joint_crammer_singer) return other;
    for (size_t k = 0; k < r->classes; k++) {
        long double e = expl(s[k] - most) / sum - (k == own);
        square += e * e;
    }
    return square;
}

/* The two largest of what Crammer and Singer's loss takes the largest of are too near: there is a kink. */
static bool near_kink(const struct rows *r, size_t i) {
    const double *s = r->score + i * r->lanes;
    double first = -INFINITY, second = -INFINITY;
    for (size_t k = 0; k < r->classes; k++) {
        double x = s[k] + (k != (size_t)r->label[i]);
        second = fmax(second, fmin(first, x));
        first = fmax(first, x);
    }
    return first - second < 1e-3;
}

static void check_slopes(const struct joint_loss *loss, const struct rows *r, size_t i,
                         double value, const double *slope) {
    const long double h = 1e-5L;
    long double s[CLASSES_MOST];
    for (size_t k = 0; k < r->classes; k++) s[k] = r->score[i * r->lanes + k];
    long double here = plain_value(loss, r, i, s);
    assert_true(fabsl(value - here) <= 1e-14L * fmaxl(1, here));
    if (loss == &joint_crammer_singer && near_kink(r, i)) return;
    for (size_t k = 0; k < r->classes; k++) {
        long double at = s[k];
        s[k] = at + h;
        long double high = plain_value(loss, r, i, s);
        s[k] = at - h;
        long double low = plain_value(loss, r, i, s);
        s[k] = at;
        if (fabsl(slope[k] - (high - low) / (2 * h)) > 1e-9L)
            fail_msg("%s: slope %zu is %.12g, not %.12Lg", loss->name, k, slope[k],
                     (high - low) / (2 * h));
    }
}

static void test_slopes_are_differences(void **state) {
    struct rng rng = rng_make(test_seed(41), 0);
    (void)state;
    for (size_t trial = 0; trial < TRIALS; trial++)
        for (size_t l = 0; l < LOSSES; l++) {
            struct rows r = random_rows(&rng, trial % 2 ? 1 : 6);
            double value[ROWS], slope[ROWS * LANES_MOST];
            losses[l]->at(ctx->kernels, ROWS, r.classes, r.lanes, r.score, r.label, value, slope,
                          NULL);
            for (size_t i = 0; i < ROWS; i++) {
                check_slopes(losses[l], &r, i, value[i], slope + i * r.lanes);
                for (size_t k = r.classes; k < r.lanes; k++)
                    assert_true(slope[i * r.lanes + k] == 0);
            }
        }
}

/* (slope(s + h t) - slope(s - h t)) / 2h */
static void test_curvature_is_the_slopes_difference(void **state) {
    struct rng rng = rng_make(test_seed(42), 0);
    const struct joint_loss *loss = &joint_cross_entropy;
    (void)state;
    for (size_t trial = 0; trial < TRIALS; trial++) {
        const double h = 1e-5;
        struct rows r = random_rows(&rng, 3), high = r, low = r;
        double value[ROWS], up[ROWS * LANES_MOST], down[ROWS * LANES_MOST];
        double probability[ROWS * LANES_MOST] = {0}, t[ROWS * LANES_MOST] = {0};
        for (size_t i = 0; i < ROWS; i++)
            for (size_t k = i * r.lanes; k < i * r.lanes + r.classes; k++) {
                t[k] = 2 * rng_unit(&rng) - 1;
                high.score[k] += h * t[k];
                low.score[k] -= h * t[k];
            }
        loss->at(ctx->kernels, ROWS, r.classes, r.lanes, high.score, r.label, value, up, NULL);
        loss->at(ctx->kernels, ROWS, r.classes, r.lanes, low.score, r.label, value, down, NULL);
        loss->at(ctx->kernels, ROWS, r.classes, r.lanes, r.score, r.label, value, low.score,
                 probability);
        loss->curve(ROWS, r.lanes, probability, t);
        for (size_t k = 0; k < ROWS * r.lanes; k++)
            assert_true(fabs(t[k] - (up[k] - down[k]) / (2 * h)) < 1e-9);
    }
}

/* loss >= sum of a_k (s_k - s_y) + neg_conjugate(a) for all a of the simplex, and = for slope + e_y. */
static void test_dual_variables(void **state) {
    struct rng rng = rng_make(test_seed(43), 0);
    (void)state;
    for (size_t trial = 0; trial < TRIALS; trial++)
        for (size_t l = 0; l < LOSSES; l++) {
            struct rows r = random_rows(&rng, 4);
            double value[ROWS], a[ROWS * LANES_MOST] = {0}, conjugate[ROWS];
            bool own = trial % 2;
            if (!losses[l]->convex) continue;
            losses[l]->at(ctx->kernels, ROWS, r.classes, r.lanes, r.score, r.label, value, a, NULL);
            for (size_t i = 0; i < ROWS; i++) {
                double sum = 0;
                a[i * r.lanes + (size_t)r.label[i]] += 1;
                for (size_t k = 0; k < r.classes && !own; k++)
                    sum += a[i * r.lanes + k] = rng_unit(&rng);
                for (size_t k = 0; k < r.classes && !own; k++) a[i * r.lanes + k] /= sum;
            }
            losses[l]->neg_conjugate(ctx->kernels, ROWS, r.classes, r.lanes, a, r.label, conjugate);
            for (size_t i = 0; i < ROWS; i++) {
                const double *s = r.score + i * r.lanes;
                double bound = conjugate[i];
                for (size_t k = 0; k < r.classes; k++)
                    bound += a[i * r.lanes + k] * (s[k] - s[r.label[i]]);
                assert_true(bound <= value[i] + 1e-13);
                if (own) assert_true(fabs(bound - value[i]) < 1e-13);
            }
        }
}

/* Scores so far apart that all probabilities are 0 or 1, and what is no number. */
static void test_far_scores(void **state) {
    const double far[4] = {800, -800, 0, 0}, none[4] = {0, NAN, 0, 0};
    (void)state;
    for (size_t l = 0; l < LOSSES; l++) {
        double value, slope[4];
        int32_t own = 0, other = 1;
        losses[l]->at(ctx->kernels, 1, 2, 4, far, &own, &value, slope, NULL);
        assert_true(value < 1e-300 && fabs(slope[0]) < 1e-300 && slope[0] == -slope[1]);
        losses[l]->at(ctx->kernels, 1, 2, 4, far, &other, &value, slope, NULL);
        assert_true(fabs(value - (l == 0 ? 1600 : l == 1 ? 2 : 1601)) < 1e-12);
        assert_true(fabs(slope[0] + slope[1]) < 1e-15);
        losses[l]->at(ctx->kernels, 1, 2, 4, none, &own, &value, slope, NULL);
        assert_true(isnan(value));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_slopes_are_differences),
        cmocka_unit_test(test_curvature_is_the_slopes_difference),
        cmocka_unit_test(test_dual_variables),
        cmocka_unit_test(test_far_scores),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
