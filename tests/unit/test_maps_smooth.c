/* The maps with centres, widths or random numbers, against their formulas. */
#include "unit/map_fixture.h"

/* ---- rbf ---------------------------------------------------------------------------------- */

static void test_rbf_given(void **state) {
    (void)state;
    enum { ROWS = 50 };
    struct rng rng = rng_make(test_seed(5), 1);
    double *x = draw(&rng, ROWS, 2, 0.7);
    static const double centres[3][2] = {{0, 0}, {1, -1}, {0.5, 1e3}};
    for (int sparse = 0; sparse < 2; sparse++) {
        struct fitted fitted =
            fit_rows("rbf(centres=\"0,0; 1, -1;0.5,1e3;\", width=0.5)", x, ROWS, 2, sparse, NULL);
        assert_int_equal(fitted.phi.cols, 3);
        for (size_t i = 0; i < ROWS; i++)
            for (size_t k = 0; k < 3; k++) {
                double u = x[2 * i] - centres[k][0], v = x[2 * i + 1] - centres[k][1];
                near(fitted.numbers[i * 3 + k], exp(-(u * u + v * v) / 0.5), 1e-15, "rbf");
            }
        fitted_clear(&fitted);
    }
    /* the rule of the width: mean square distance to the nearest centre, else between centres */
    struct fitted fitted = fit_rows("rbf(centres=\"0,0;1,-1\")", x, ROWS, 2, false, NULL);
    double sum = 0;
    for (size_t i = 0; i < ROWS; i++) {
        double a = hypot(x[2 * i], x[2 * i + 1]), b = hypot(x[2 * i] - 1, x[2 * i + 1] + 1);
        sum += fmin(a, b) * fmin(a, b);
    }
    near(fitted.chain.maps[0].numbers[2], sqrt(sum / ROWS), 1e-14, "width");
    fitted_clear(&fitted);
    static const double corners[] = {0, 0, 3, 4, 0, 0};
    fitted = fit_rows("rbf(centres=\"0,0;3,4;3,4\")", corners, 3, 2, false, NULL);
    near(fitted.chain.maps[0].numbers[2], 5, 1e-15, "width of centres");
    fitted_clear(&fitted);
    fitted = fit_rows("rbf(centres=\"0,0;3,4;30,40\")", corners, 3, 2, false, NULL);
    near(fitted.chain.maps[0].numbers[2], 5, 1e-15, "width of the nearest two");
    fitted_clear(&fitted);
    fitted = fit_rows("rbf(centres=\"0,0;\")", corners, 1, 2, false, NULL);
    near(fitted.chain.maps[0].numbers[2], 1, 0, "width of nothing");
    fitted_clear(&fitted);
    /* 1e8 away and a very small width */
    static const double far[] = {1e8, 1e8 + 1};
    fitted = fit_rows("rbf(centres=\"100000000;100000001;\", width=1)", far, 2, 1, false, NULL);
    near(fitted.numbers[1], exp(-0.5), 1e-15, "rbf at 1e8");
    fitted_clear(&fitted);
    fitted = fit_rows("rbf(centres=\"100000000;\", width=1e-300)", far, 2, 1, false, NULL);
    assert_true(fitted.numbers[0] == 1 && fitted.numbers[1] == 0);
    fitted_clear(&fitted);
    free(x);
}

/* Four clouds far apart, at 1e6: each gets the mean of its rows as a centre. */
static void test_rbf_finds_clouds(void **state) {
    (void)state;
    enum { ROWS = 3000, COLS = 3, CLOUDS = 4 };
    static double x[ROWS * COLS];
    for (uint64_t seed = 1; seed <= 8; seed++) {
        struct rng rng = rng_make(test_seed(seed), 2);
        double mean[CLOUDS][COLS] = {{0}}, n[CLOUDS] = {0};
        for (size_t i = 0; i < ROWS; i++) {
            size_t cloud = (size_t)rng_below(&rng, CLOUDS);
            n[cloud]++;
            for (size_t j = 0; j < COLS; j++) {
                x[i * COLS + j] = 1e6 + (cloud == j ? 100 : 0) + normal(&rng);
                mean[cloud][j] += x[i * COLS + j] - 1e6;
            }
        }
        ctx.seed = seed;
        struct fitted fitted = fit_rows("rbf(centres=4)", x, ROWS, COLS, false, NULL);
        const double *numbers = fitted.chain.maps[0].numbers;
        for (size_t cloud = 0; cloud < CLOUDS; cloud++) {
            double least = INFINITY;
            for (size_t k = 0; k < CLOUDS; k++) {
                double far = 0;
                for (size_t j = 0; j < COLS; j++)
                    far += fabs(numbers[k * (COLS + 1) + j] - 1e6 - mean[cloud][j] / n[cloud]);
                least = fmin(least, far);
            }
            near(least, 0, 1e-8, "centre of a cloud");
        }
        near(numbers[COLS], sqrt(3), 0.05, "width of clouds");
        fitted_clear(&fitted);
    }
}

static void test_rbf_refuses(void **state) {
    (void)state;
    static const double x[] = {1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 0, 0};
    refuse("rbf(centres=4)", x, 6, 2, SEPAL_EDATA,
           "only 3 of the rows are different; write centres=3");
    refuse("rbf(centres=0)", x, 6, 2, SEPAL_EUSAGE, "centres=0 is neither");
    refuse("rbf(centres=-1)", x, 6, 2, SEPAL_EUSAGE, "centres=-1 is neither");
    refuse("rbf(centres=1.5)", x, 6, 2, SEPAL_EUSAGE, "centres=1.5 is neither");
    refuse("rbf(centres=1e99)", x, 6, 2, SEPAL_EUSAGE, "neither");
    refuse("rbf(centres=many)", x, 6, 2, SEPAL_EUSAGE, "centres=many is neither");
    refuse("rbf(centres=\"\")", x, 6, 2, SEPAL_EUSAGE, "neither");
    refuse("rbf(centres=\";\")", x, 6, 2, SEPAL_EUSAGE, "neither");
    refuse("rbf(centres=\"0,0;;1,1\")", x, 6, 2, SEPAL_EUSAGE, "neither");
    refuse("rbf(centres=\"0,x\")", x, 6, 2, SEPAL_EUSAGE, "neither");
    refuse("rbf(centres=\"0 0;1 1\")", x, 6, 2, SEPAL_EUSAGE, "neither");
    refuse("rbf(centres=\"0,nan\")", x, 6, 2, SEPAL_EUSAGE, "neither");
    refuse("rbf(centres=\"0,1e999\")", x, 6, 2, SEPAL_EUSAGE, "neither");
    refuse("rbf(centres=\"0,0;1\")", x, 6, 2, SEPAL_EDATA, "point 2 of centres has 1 coordinates");
    refuse("rbf(centres=\"0,0,1\")", x, 6, 2, SEPAL_EDATA, "point 1 of centres has 3 coordinates");
    static const double wide[] = {1e200, 0, -1e200, 0, 3, 4};
    refuse("rbf(centres=3)", wide, 3, 2, SEPAL_EDATA, "too far apart");
    refuse("rbf(centres=\"0,0;\")", wide, 3, 2, SEPAL_EDATA, "too far apart");
}

/* ---- sigmoid ------------------------------------------------------------------------------ */

static void test_sigmoid(void **state) {
    (void)state;
    enum { ROWS = 201, COLS = 20 };
    static const double centres[] = {-1, 0, 0.5};
    struct rng rng = rng_make(test_seed(6), 1);
    double *x = draw(&rng, ROWS, COLS, 0.6);
    for (int sparse = 0; sparse < 2; sparse++) {
        struct fitted fitted =
            fit_rows("sigmoid(centres=\"-1,0,.5\", width=0.25)", x, ROWS, COLS, sparse, NULL);
        assert_int_equal(fitted.phi.cols, 3 * COLS);
        for (size_t i = 0; i < ROWS; i++)
            for (size_t j = 0; j < 3 * COLS; j++)
                near(fitted.numbers[i * 3 * COLS + j],
                     1 / (1 + exp(-(x[i * COLS + j / 3] - centres[j % 3]) / 0.25)), 1e-15,
                     "sigmoid");
        char *name = name_of(&fitted.chain, 3 * COLS - 1);
        assert_string_equal(name, "sigmoid(x20,0.5)");
        mem_free(name);
        fitted_clear(&fitted);
    }
    free(x);
}

static double deviation_of(const double *x, const double *weight, size_t rows, size_t step) {
    long double total = 0, mean = 0, squares = 0;
    for (size_t i = 0; i < rows; i++) total += weight ? weight[i] : 1;
    for (size_t i = 0; i < rows; i++) mean += (weight ? weight[i] : 1) * x[i * step] / total;
    for (size_t i = 0; i < rows; i++)
        squares += (weight ? weight[i] : 1) * (x[i * step] - mean) * (x[i * step] - mean) / total;
    return (double)sqrtl(squares);
}

/* Quantiles cut the weight into equal parts. */
static void test_sigmoid_quantiles(void **state) {
    (void)state;
    enum { ROWS = 1500, COLS = 37 };
    struct rng rng = rng_make(test_seed(6), 2);
    double *x = draw(&rng, ROWS, COLS, 0.5), weight[ROWS];
    for (size_t i = 0; i < ROWS; i++) weight[i] = rng_unit(&rng) + 0.1;
    for (int pass = 0; pass < 4; pass++)
        for (size_t n = 1; n <= 5; n += 2) {
            const double *w = pass & 1 ? weight : NULL;
            char spec[32];
            snprintf(spec, sizeof spec, "sigmoid(centres=%zu)", n);
            struct fitted fitted = fit_rows(spec, x, ROWS, COLS, pass & 2, w);
            const double *numbers = fitted.chain.maps[0].numbers;
            for (size_t c = 0; c < n; c++)
                for (size_t j = 0; j < COLS; j++) {
                    double below = 0, upto = 0, total = 0;
                    for (size_t i = 0; i < ROWS; i++) {
                        double mass = w ? w[i] : 1, v = x[i * COLS + j],
                               cut = numbers[c * COLS + j];
                        total += mass;
                        below += v < cut ? mass : 0;
                        upto += v <= cut ? mass : 0;
                    }
                    double level = (double)(c + 1) / (double)(n + 1) * total;
                    assert_true(below <= level * (1 + 1e-12) && upto >= level * (1 - 1e-12));
                }
            for (size_t j = 0; j < COLS; j++) /* a step is the n-th part of a standard deviation */
                near(numbers[n * COLS + j], deviation_of(x + j, w, ROWS, COLS) / (double)n, 1e-12,
                     "width of a step");
            fitted_clear(&fitted);
        }
    static const double four[] = {0, 0, 1, 1, 7, 7, 7, 7};
    struct fitted fitted = fit_rows("sigmoid(centres=1)", four, 4, 1, false, NULL);
    assert_true(fitted.chain.maps[0].numbers[0] == 0.5 && fitted.chain.maps[0].numbers[1] == 0.5);
    fitted_clear(&fitted);
    fitted = fit_rows("sigmoid(centres=1)", four + 4, 4, 1, false, NULL); /* constant */
    assert_true(fitted.chain.maps[0].numbers[0] == 7 && fitted.chain.maps[0].numbers[1] == 1);
    fitted_clear(&fitted);
    refuse("sigmoid(centres=\"1,a\")", four, 4, 1, SEPAL_EUSAGE, "numbers like \"-1,0,1\"");
    refuse("sigmoid(centres=2000000000)", four, 4, 1, SEPAL_EUSAGE, "neither");
    refuse("sigmoid(centres=1000000000)", four, 1, 8, SEPAL_EDATA, "8000000000 columns of 8");
    free(x);
}

/* ---- fourier ------------------------------------------------------------------------------ */

static void test_fourier(void **state) {
    (void)state;
    enum { ROWS = 12, COLS = 5, FEATURES = 4000 };
    struct rng rng = rng_make(test_seed(7), 1);
    double *x = draw(&rng, ROWS, COLS, 0.7), sum = 0, square = 0;
    struct fitted fitted = fit_rows("fourier(features=4000, width=2)", x, ROWS, COLS, false, NULL);
    const double *numbers = fitted.chain.maps[0].numbers;
    for (size_t i = 0; i < COLS * FEATURES; i++) {
        sum += 2 * numbers[i];
        square += 4 * numbers[i] * numbers[i];
    }
    double n = COLS * FEATURES;
    assert_true(fabs(sum / n) < 5 / sqrt(n) && fabs(square / n - 1) < 5 * sqrt(2 / n));
    for (size_t i = 0; i < ROWS; i++) {
        for (size_t f = 0; f < FEATURES; f++) {
            double angle = numbers[COLS * FEATURES + f];
            assert_true(angle >= 0 && angle < 2 * acos(-1));
            for (size_t j = 0; j < COLS; j++) angle += x[i * COLS + j] * numbers[j * FEATURES + f];
            near(fitted.numbers[i * FEATURES + f], sqrt(2.0 / FEATURES) * cos(angle), 1e-14, "phi");
        }
        for (size_t k = 0; k <= i; k++) { /* products approach the kernel */
            double dot = 0, far = 0;
            for (size_t f = 0; f < FEATURES; f++)
                dot += fitted.numbers[i * FEATURES + f] * fitted.numbers[k * FEATURES + f];
            for (size_t j = 0; j < COLS; j++) far += pow(x[i * COLS + j] - x[k * COLS + j], 2);
            assert_true(fabs(dot - exp(-far / 8)) < 5 / sqrt(FEATURES));
        }
    }
    ctx.seed = 2;
    struct fitted other = fit_rows("fourier(features=4000, width=2)", x, ROWS, COLS, false, NULL);
    size_t same = 0;
    for (size_t i = 0; i < COLS * FEATURES; i++)
        same += other.chain.maps[0].numbers[i] == numbers[i];
    assert_int_equal(same, 0);
    fitted_clear(&fitted);
    fitted_clear(&other);
    free(x);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_rbf_given, fresh, clean),
        cmocka_unit_test_setup_teardown(test_rbf_finds_clouds, fresh, clean),
        cmocka_unit_test_setup_teardown(test_rbf_refuses, fresh, clean),
        cmocka_unit_test_setup_teardown(test_sigmoid, fresh, clean),
        cmocka_unit_test_setup_teardown(test_sigmoid_quantiles, fresh, clean),
        cmocka_unit_test_setup_teardown(test_fourier, fresh, clean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
