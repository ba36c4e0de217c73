/* Functions from scores to probabilities against their definitions: Platt's line has a gradient of 0, no
   monotone function is nearer than the isotonic one (by the formula of maxima of minima), no temperature has
   a smaller loss; probabilities are such, rise with the score, and weights count as copies do. */
#include "linear/calibration.h"
#include "linear/decide.h"

#include "core/rng.h"
#include "fixture.h"
#include "seed.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#undef fail
#include <cmocka.h>

enum { MOST_ROWS = 60, MOST_CLASSES = 4 };

/* Rows of classes that overlap, some scores the same. */
struct sample {
    size_t classes, width, n;
    double inputs[MOST_ROWS * MOST_CLASSES], weight[MOST_ROWS];
    int32_t label[MOST_ROWS];
};

static struct sample sample_new(struct rng *rng, size_t classes, double scale) {
    struct sample s = {.classes = classes, .width = classes == 2 ? 1 : classes};
    s.n = 8 + rng_below(rng, MOST_ROWS - 8);
    for (size_t i = 0; i < s.n; i++) {
        s.label[i] = (int32_t)(i % classes);
        s.weight[i] = (double)(1 + rng_below(rng, 3));
        for (size_t k = 0; k < s.width; k++) {
            bool own = s.width == 1 ? s.label[i] == 1 : s.label[i] == (int32_t)k;
            double score = rng_unit(rng) * 4 - 2 + own;
            s.inputs[i * s.width + k] = scale * (rng_below(rng, 2) ? score : floor(score * 4) / 4);
        }
    }
    return s;
}

static struct calibration_rows rows_of(const struct sample *s, bool weighted) {
    return (struct calibration_rows){s->inputs, s->label, weighted ? s->weight : NULL, s->n};
}

static struct calibration *fitted(const struct sample *s, enum calibration_kind kind,
                                  bool weighted) {
    struct calibration_rows rows = rows_of(s, weighted);
    struct calibration *made;
    assert_int_equal(calibration_fit(&made, ctx, kind, s->classes, &rows), SEPAL_OK);
    assert_true(calibration_is_sound(made));
    return made;
}

static double weight_of(const struct sample *s, bool weighted, size_t i) {
    return weighted ? s->weight[i] : 1;
}

static void assert_near(double found, double expected, double most) {
    if (!(fabs(found - expected) <= most)) fail_msg("%.17g, not %.17g", found, expected);
}

/* The class that function f speaks for. */
static int32_t class_of(const struct sample *s, size_t f) {
    return s->classes == 2 ? 1 : (int32_t)f;
}

static const double scales[] = {1, 1e-6, 1e6, 1e150};
enum { SCALES = sizeof scales / sizeof *scales, ROUNDS = 40 };

/* Sum of w (p - t) and of w (p - t) s, with Platt's targets; of one function all scores may be the same. */
static void platt_is_stationary(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(1), 1);
    for (int round = 0; round < ROUNDS * SCALES; round++) {
        double scale = scales[round % SCALES];
        struct sample s = sample_new(&rng, 2 + rng_below(&rng, 3), scale);
        bool weighted = round / SCALES % 2;
        for (size_t i = 0; round % 3 == 2 && i < s.n; i++) s.inputs[i * s.width] = scale;
        struct calibration *made = fitted(&s, CALIBRATE_PLATT, weighted);
        assert_int_equal(made->rows, s.width);
        for (size_t f = 0; f < s.width; f++) {
            long double n[2] = {0, 0}, level = 0, slope = 0;
            for (size_t i = 0; i < s.n; i++)
                n[s.label[i] == class_of(&s, f)] += weight_of(&s, weighted, i);
            for (size_t i = 0; i < s.n; i++) {
                bool own = s.label[i] == class_of(&s, f);
                long double u = s.inputs[i * s.width + f];
                long double z = made->numbers[2 * f] * u + made->numbers[2 * f + 1];
                long double t = own ? (n[1] + 1) / (n[1] + 2) : 1 / (n[0] + 2);
                long double miss = weight_of(&s, weighted, i) * (1 / (1 + expl(-z)) - t);
                level += miss;
                slope += miss * u / scale;
            }
            assert_true(fabsl(level) < 1e-9L && fabsl(slope) < 1e-9L);
        }
        calibration_free(made);
    }
}

/* The mean of the rows of the class among those with scores from low to high. */
static double share(const struct sample *s, bool weighted, size_t f, double low, double high) {
    double own = 0, all = 0;
    for (size_t i = 0; i < s->n; i++) {
        double score = s->inputs[i * s->width + f], w = weight_of(s, weighted, i);
        if (score < low || score > high) continue;
        all += w;
        own += s->label[i] == class_of(s, f) ? w : 0;
    }
    return own / all;
}

/* max over a <= s of min over b >= s of the mean from a to b. */
static double max_of_minima(const struct sample *s, bool weighted, size_t f, double score) {
    double largest = -INFINITY;
    for (size_t a = 0; a < s->n; a++) {
        double low = s->inputs[a * s->width + f], least = INFINITY;
        if (low > score) continue;
        for (size_t b = 0; b < s->n; b++) {
            double high = s->inputs[b * s->width + f];
            if (high >= score) least = fmin(least, share(s, weighted, f, low, high));
        }
        largest = fmax(largest, least);
    }
    return largest;
}

/* The value of one function, by a sample of two classes. */
static double value_at(const struct calibration *all, size_t f, double score) {
    double pair[2] = {score, 0};
    struct calibration one = *all;
    size_t start[2] = {0, all->start ? all->start[f + 1] - all->start[f] : 0};
    one.classes = 2;
    one.functions = 1;
    one.numbers = all->numbers + (all->start ? all->start[f] * KNOT_NUMBERS : 2 * f);
    if (all->start) one.start = start;
    calibration_probabilities(&one, NULL, pair);
    assert_true(fabs(pair[0] + pair[1] - 1) < 1e-15);
    return pair[1];
}

static void isotonic_is_nearest(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(2), 1);
    for (int round = 0; round < ROUNDS; round++) {
        struct sample s = sample_new(&rng, 2 + rng_below(&rng, 3), scales[round % SCALES]);
        bool weighted = round / SCALES % 2;
        struct calibration *made = fitted(&s, CALIBRATE_ISOTONIC, weighted);
        for (size_t f = 0; f < s.width; f++)
            for (size_t i = 0; i < s.n; i++) {
                double score = s.inputs[i * s.width + f];
                double expected = max_of_minima(&s, weighted, f, score);
                assert_true(fabs(value_at(made, f, score) - expected) < 1e-12);
            }
        calibration_free(made);
    }
}

/* Between two knots on the line through them, beyond the last as the last. */
static void isotonic_interpolates(void **state) {
    (void)state;
    const double inputs[] = {-1, 0, 0, 2, 3, 5};
    const int32_t label[] = {0, 0, 1, 1, 0, 1};
    const struct calibration_rows rows = {inputs, label, NULL, 6};
    struct calibration *made;
    assert_int_equal(calibration_fit(&made, ctx, CALIBRATE_ISOTONIC, 2, &rows), SEPAL_OK);
    static const struct {
        double score, p;
    } cases[] = {{-9, 0},    {-1, 0},  {-0.5, 0.25}, {0, 0.5}, {1, 0.5},  {2, 0.5},
                 {2.5, 0.5}, {3, 0.5}, {4, 0.75},    {5, 1},   {1e300, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_near(value_at(made, 0, cases[i].score), cases[i].p, 1e-15);
    calibration_free(made);
}

static double mean_log_loss(const struct sample *s, bool weighted,
                            const struct calibration *calibration) {
    double sum = 0, row[MOST_CLASSES];
    for (size_t i = 0; i < s->n; i++) {
        memcpy(row, s->inputs + i * s->width, s->width * sizeof *row);
        calibration_logs(calibration, NULL, row);
        sum -= weight_of(s, weighted, i) * row[s->label[i]];
    }
    return sum;
}

static void temperature_is_least(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(3), 1);
    int judged = 0;
    for (int round = 0; round < ROUNDS * SCALES; round++) {
        struct sample s = sample_new(&rng, 2 + rng_below(&rng, 3), scales[round % SCALES]);
        bool weighted = round / SCALES % 2;
        struct calibration *made = fitted(&s, CALIBRATE_TEMPERATURE, weighted);
        double best = made->numbers[0], least = mean_log_loss(&s, weighted, made);
        if (best > 1e4 * scales[round % SCALES]) { /* scores the wrong way round: the bound */
            calibration_free(made);
            continue;
        }
        judged++;
        for (int step = -72; step <= 72; step++) {
            made->numbers[0] = best * pow(1.1, step);
            assert_true(mean_log_loss(&s, weighted, made) >= least - 1e-12 * fabs(least));
        }
        made->numbers[0] = best * 1.01; /* and it is not flat there */
        assert_true(mean_log_loss(&s, weighted, made) > least);
        calibration_free(made);
    }
    assert_true(judged > ROUNDS * SCALES / 2);
}

/* Scores that tell the classes for certain have no least T, scores the wrong way round no largest. */
static void temperature_has_bounds(void **state) {
    (void)state;
    const double inputs[] = {-3, -2, 2, 3}, none[] = {0, 0, 0, 0};
    const int32_t right[] = {0, 0, 1, 1}, wrong[] = {1, 1, 0, 0};
    const struct calibration_rows cold = {inputs, right, NULL, 4}, hot = {inputs, wrong, NULL, 4},
                                  flat = {none, right, NULL, 4};
    double least = calibration_fit_temperature(&cold, 2),
           most = calibration_fit_temperature(&hot, 2);
    assert_near(least * 2 * exp(10), 1, 1e-9);      /* scikit-learn's bound of -s and s */
    assert_near(most / (3 * exp(10) / 2), 1, 1e-9); /* and further, by the largest score */
    assert_true(calibration_fit_temperature(&flat, 2) == 1);
}

static void are_probabilities(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(4), 1);
    for (int round = 0; round < ROUNDS * CALIBRATIONS; round++) {
        enum calibration_kind kind = (enum calibration_kind)(round % CALIBRATIONS);
        struct sample s = sample_new(&rng, 2 + rng_below(&rng, 3), 1);
        struct calibration *made = fitted(&s, kind, false);
        for (int i = 0; i < 200; i++) {
            double p[MOST_CLASSES] = {0}, logs[MOST_CLASSES] = {0}, sum = 0;
            for (size_t k = 0; k < s.width; k++)
                p[k] = logs[k] = (rng_unit(&rng) - 0.5) * (i % 3 ? 8 : 8e4);
            calibration_probabilities(made, NULL, p);
            calibration_logs(made, NULL, logs);
            for (size_t k = 0; k < s.classes; k++) {
                assert_true(p[k] >= 0 && p[k] <= 1);
                assert_true(fabs(exp(logs[k]) - p[k]) < 1e-12);
                sum += p[k];
            }
            assert_true(fabs(sum - 1) < 1e-12);
        }
        calibration_free(made);
    }
}

/* A row of weight 3 is three rows. */
static void weights_are_copies(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(5), 1);
    for (int round = 0; round < ROUNDS * CALIBRATIONS; round++) {
        enum calibration_kind kind = (enum calibration_kind)(round % CALIBRATIONS);
        struct sample s = sample_new(&rng, 2 + rng_below(&rng, 2), 1), copies = s;
        s.n = s.n > 20 ? 20 : s.n;
        copies.n = 0;
        for (size_t i = 0; i < s.n; i++)
            for (int w = 0; w < (int)s.weight[i]; w++, copies.n++) {
                copies.label[copies.n] = s.label[i];
                memcpy(copies.inputs + copies.n * s.width, s.inputs + i * s.width,
                       s.width * sizeof *s.inputs);
            }
        struct calibration *one = fitted(&s, kind, true), *other = fitted(&copies, kind, false);
        assert_int_equal(one->rows, other->rows);
        for (size_t i = 0; i < one->rows * one->cols; i++)
            assert_true(fabs(one->numbers[i] - other->numbers[i]) <
                        1e-8 * (1 + fabs(one->numbers[i])));
        calibration_free(one);
        calibration_free(other);
    }
}

/* One score: the share of the class, for every score. */
static void one_score(void **state) {
    (void)state;
    const double inputs[] = {7, 7, 7, 7, 7};
    const int32_t label[] = {0, 1, 1, 0, 1};
    const struct calibration_rows rows = {inputs, label, NULL, 5};
    struct calibration *line, *steps;
    assert_int_equal(calibration_fit(&line, ctx, CALIBRATE_PLATT, 2, &rows), SEPAL_OK);
    assert_int_equal(calibration_fit(&steps, ctx, CALIBRATE_ISOTONIC, 2, &rows), SEPAL_OK);
    assert_int_equal(steps->rows, 1);
    assert_true(line->numbers[0] == 0);
    double targets = 3 * (4.0 / 5) + 2 * (1.0 / 4);
    for (int step = -10; step < 10; step++) {
        double score = step * 1e307;
        assert_near(value_at(steps, 0, score), 0.6, 1e-15);
        assert_near(value_at(line, 0, score), targets / 5, 1e-12);
    }
    calibration_free(line);
    calibration_free(steps);
}

/* Where no class has a chance, all have the same; and other priors count in full. */
static void uniform_and_shifted(void **state) {
    (void)state;
    double knots[] = {0, 0, 0, 0, 1, 1, 1, 0, 0, 1, 1, 1, 2, 0, 0.5, 2, 1, 0.5};
    size_t start[] = {0, 2, 4, 6};
    struct calibration made = {.kind = CALIBRATE_ISOTONIC,
                               .classes = 3,
                               .functions = 3,
                               .numbers = knots,
                               .rows = 6,
                               .cols = KNOT_NUMBERS,
                               .start = start};
    assert_true(calibration_is_sound(&made));
    double p[] = {1, 0, 0}, shift[] = {0, 0, log(2)};
    calibration_probabilities(&made, NULL, p);
    assert_near(p[0], 2.0 / 3, 1e-15);
    assert_near(p[2], 1.0 / 3, 1e-15);
    double q[] = {1, 0, 0}, none[] = {0, 0, 0};
    calibration_probabilities(&made, shift, q);
    assert_near(q[0], 0.5, 1e-15);
    knots[14] = knots[17] = 0;
    calibration_probabilities(&made, NULL, none);
    for (int k = 0; k < 3; k++) assert_near(none[k], 1.0 / 3, 1e-15);
}

/* What no fit makes, and no file may hold. */
static void unsound_numbers(void **state) {
    (void)state;
    static const double good[] = {0, -1, 0.25, 0, 2, 0.5, 1, 0, 1, 2, 3, 0, 2, 4, 0};
    static const struct {
        size_t at;
        double value;
    } bad[] = {{0, 1},   {0, -0.0}, {3, 1},    {3, 2},     {6, 0},     {6, 2},    {9, 1},
               {9, 3},   {12, 3},   {12, 2.5}, {1, 2},     {1, 3},     {4, -1},   {2, 0.6},
               {5, 0.2}, {8, 1.5},  {8, -1},   {11, -0.0}, {14, -0.0}, {11, 0.1}, {13, 3}};
    struct calibration *made;
    assert_int_equal(calibration_new(&made, ctx, CALIBRATE_ISOTONIC, 3, 5), SEPAL_OK);
    memcpy(made->numbers, good, sizeof good);
    assert_true(calibration_is_sound(made));
    assert_int_equal(made->start[1], 2);
    assert_int_equal(made->start[2], 3);
    assert_int_equal(made->start[3], 5);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        memcpy(made->numbers, good, sizeof good);
        made->numbers[bad[i].at] = bad[i].value;
        if (calibration_is_sound(made)) fail_msg("case %zu", i);
    }
    memcpy(made->numbers, good, sizeof good);
    made->rows = 3; /* the last class has none */
    assert_false(calibration_is_sound(made));
    made->rows = 0;
    assert_false(calibration_is_sound(made));
    calibration_free(made);
    assert_int_equal(calibration_new(&made, ctx, CALIBRATE_PLATT, 3, 2), SEPAL_OK);
    assert_false(calibration_is_sound(made)); /* a line short */
    calibration_free(made);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(platt_is_stationary),    cmocka_unit_test(isotonic_is_nearest),
        cmocka_unit_test(isotonic_interpolates),  cmocka_unit_test(temperature_is_least),
        cmocka_unit_test(temperature_has_bounds), cmocka_unit_test(are_probabilities),
        cmocka_unit_test(weights_are_copies),     cmocka_unit_test(one_score),
        cmocka_unit_test(uniform_and_shifted),    cmocka_unit_test(unsound_numbers),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
