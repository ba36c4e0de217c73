/* Each map against its formula, written here a second time; rbf, sigmoid and fourier are in
   test_maps_smooth.c. */
#include "unit/map_fixture.h"

/* ---- standardize and minmax --------------------------------------------------------------- */

static void test_standardize(void **state) {
    (void)state;
    enum { ROWS = 1000, COLS = 40 };
    struct rng rng = rng_make(test_seed(3), 1);
    double *x = draw(&rng, ROWS, COLS, 0.3), weight[ROWS];
    for (size_t i = 0; i < ROWS; i++) weight[i] = 0.5 + rng_unit(&rng);
    for (int pass = 0; pass < 4; pass++) {
        const double *w = pass & 1 ? weight : NULL;
        struct fitted fitted = fit_rows("standardize", x, ROWS, COLS, pass & 2, w);
        const double *mean = fitted.chain.maps[0].numbers, *sd = mean + COLS;
        for (size_t j = 0; j < COLS; j++) {
            long double total = 0, sum = 0, square = 0;
            for (size_t i = 0; i < ROWS; i++) {
                total += w ? w[i] : 1;
                sum += (long double)(w ? w[i] : 1) * x[i * COLS + j];
            }
            for (size_t i = 0; i < ROWS; i++) {
                long double d = x[i * COLS + j] - sum / total;
                square += (w ? w[i] : 1) * d * d;
            }
            near(mean[j], (double)(sum / total), 1e-14, "mean");
            near(sd[j], (double)sqrtl(square / total), 1e-14, "deviation");
            for (size_t i = 0; i < ROWS; i++)
                near(fitted.numbers[i * COLS + j], (x[i * COLS + j] - mean[j]) / sd[j], 1e-14,
                     "phi");
        }
        assert_true(fitted.phi.sparse == ((pass & 2) != 0));
        fitted_clear(&fitted);
    }
    free(x);
}

/* Columns at 1e8 with deviation 1, of tiny and of huge numbers keep their digits; constant ones
   become 0, whatever their value. */
static void test_standardize_keeps_digits(void **state) {
    (void)state;
    enum { ROWS = 3000, COLS = 8 };
    static double x[ROWS * COLS];
    struct rng rng = rng_make(test_seed(3), 2);
    for (size_t i = 0; i < ROWS; i++) {
        double z = ldexp(floor(normal(&rng) * 1024), -10); /* adds to 1e8 without rounding */
        double coarse = floor(8 * z) / 8;                  /* the same for 1e15 */
        const double row[COLS] = {z,   1e8 + z, z * 0x1p-700, z * 0x1p700,
                                  0.1, -1e300,  coarse,       1e15 + coarse};
        memcpy(x + i * COLS, row, sizeof row);
    }
    for (int sparse = 0; sparse < 2; sparse++) {
        struct fitted fitted = fit_rows("standardize", x, ROWS, COLS, sparse, NULL);
        const double *mean = fitted.chain.maps[0].numbers, *sd = mean + COLS;
        near(mean[1] - 1e8, mean[0], 1.5e-8, "mean at 1e8");
        near(sd[1], sd[0], 1e-13, "deviation at 1e8");
        near(sd[7], sd[6], 1e-13, "deviation at 1e15, whose mean is no double");
        assert_true(sd[2] > 0 && fabs(sd[2] / (sd[0] * 0x1p-700) - 1) < 1e-14);
        assert_true(fabs(sd[3] / (sd[0] * 0x1p700) - 1) < 1e-14);
        assert_true(mean[4] == 0.1 && sd[4] == 1 && mean[5] == -1e300 && sd[5] == 1);
        for (size_t i = 0; i < ROWS; i++) {
            const double *phi = fitted.numbers + i * COLS;
            near(phi[1], phi[0], sparse ? 1e-7 : 3e-8, "phi at 1e8");
            near(phi[2], phi[0], 1e-13, "phi of tiny numbers");
            near(phi[3], phi[0], 1e-13, "phi of huge numbers");
            assert_true(phi[4] == 0 && phi[5] == 0);
        }
        fitted_clear(&fitted);
    }
}

/* A weight of k is k copies. */
static void test_weights_are_copies(void **state) {
    (void)state;
    enum { ROWS = 90, COLS = 3, MOST = 3 };
    static const char *const specs[] = {"standardize", "minmax", "sigmoid(centres=5)",
                                        "rbf(centres=4)", "fourier(features=5)"};
    struct rng rng = rng_make(test_seed(3), 3);
    double *x = draw(&rng, ROWS, COLS, 0.8), weight[ROWS], copies[MOST * ROWS * COLS];
    size_t n = 0;
    for (size_t i = 0; i < ROWS; i++) {
        weight[i] = (double)(1 + rng_below(&rng, MOST));
        for (double k = 0; k < weight[i]; k++, n++)
            memcpy(copies + n * COLS, x + i * COLS, COLS * sizeof *x);
    }
    for (size_t s = 0; s < sizeof specs / sizeof *specs; s++)
        for (int sparse = 0; sparse < 2; sparse++) {
            struct fitted a = fit_rows(specs[s], x, ROWS, COLS, sparse, weight);
            struct fitted b = fit_rows(specs[s], copies, n, COLS, sparse, NULL);
            const struct fitted_map *map = &a.chain.maps[0];
            for (size_t i = 0; i < map->shape[0] * map->shape[1]; i++)
                near(map->numbers[i], b.chain.maps[0].numbers[i], 1e-13, specs[s]);
            fitted_clear(&a);
            fitted_clear(&b);
        }
    free(x);
}

static void test_minmax(void **state) {
    (void)state;
    enum { ROWS = 500, COLS = 33 };
    struct rng rng = rng_make(test_seed(3), 4);
    double *x = draw(&rng, ROWS, COLS, 0.1), low[COLS], high[COLS];
    for (size_t i = 0; i < ROWS; i++) {
        x[i * COLS] = 0.3;                                      /* constant */
        x[i * COLS + 1] = 5 + rng_unit(&rng);                   /* never 0 */
        x[i * COLS + 2] = i % 7 == 0 ? -1 - rng_unit(&rng) : 0; /* never above 0 */
        x[i * COLS + 3] = 0;
    }
    for (size_t j = 0; j < COLS; j++) {
        low[j] = high[j] = x[j];
        for (size_t i = 0; i < ROWS; i++) {
            low[j] = fmin(low[j], x[i * COLS + j]);
            high[j] = fmax(high[j], x[i * COLS + j]);
        }
    }
    for (int sparse = 0; sparse < 2; sparse++) {
        struct fitted fitted = fit_rows("minmax", x, ROWS, COLS, sparse, NULL);
        const double *numbers = fitted.chain.maps[0].numbers;
        for (size_t j = 0; j < COLS; j++) {
            double least = 1, most = 0, range = high[j] - low[j];
            assert_true(numbers[j] == low[j]);
            assert_true(numbers[COLS + j] == (range > 0 ? range : 1));
            for (size_t i = 0; i < ROWS; i++) {
                least = fmin(least, fitted.numbers[i * COLS + j]);
                most = fmax(most, fitted.numbers[i * COLS + j]);
            }
            near(least, 0, sparse ? 1e-14 : 0, "least");
            near(most, range > 0, sparse ? 1e-14 : 0, "most");
        }
        fitted_clear(&fitted);
    }
    free(x);
}

/* ---- poly --------------------------------------------------------------------------------- */

/* The value of a monomial by its name, "x1^2*x3". */
static double value_of(const char *name, const double *x) {
    double product = 1;
    for (const char *at = name; *at; at += *at == '*') {
        char *end;
        assert_true(*at == 'x');
        size_t j = strtoul(at + 1, &end, 10), power = 1;
        if (*end == '^') power = strtoul(end + 1, &end, 10);
        for (; power > 0; power--) product *= x[j - 1];
        at = end;
    }
    return product;
}

static size_t degree_of(const char *name) {
    size_t degree = 0;
    for (const char *at = name; *at; at++)
        degree += *at == 'x' ? 1 : *at == '^' ? strtoul(at + 1, NULL, 10) - 1 : 0;
    return degree;
}

/* Columns have the value that their name says, each name comes once, degrees rise, and there are
   C(D + d, d) - 1 of them; sparse rows have the same bits. */
static void check_poly(size_t cols, size_t degree, bool interactions, double full) {
    enum { ROWS = 9 };
    char spec[64];
    snprintf(spec, sizeof spec, "poly(degree=%zu, interactions=%s)", degree,
             interactions ? "true" : "false");
    struct rng rng = rng_make(test_seed(4), cols * 100 + degree);
    double *x = draw(&rng, ROWS, cols, full), count = 1;
    struct fitted dense = fit_rows(spec, x, ROWS, cols, false, NULL);
    struct fitted sparse = fit_rows(spec, x, ROWS, cols, true, NULL);
    size_t out = dense.phi.cols, before = 1;
    for (size_t g = 1; g <= degree; g++) count = count * (double)(cols + g) / (double)g;
    assert_int_equal(out, interactions ? (size_t)round(count) - 1 : cols * degree);
    assert_true(sparse.phi.sparse && !dense.phi.sparse);
    char **names = malloc(out * sizeof *names);
    for (size_t j = 0; j < out; j++) {
        names[j] = name_of(&dense.chain, j);
        for (size_t k = 0; k < j && out < 600; k++) assert_string_not_equal(names[j], names[k]);
        assert_true(degree_of(names[j]) >= before);
        before = degree_of(names[j]);
        for (size_t i = 0; i < ROWS; i++)
            near(dense.numbers[i * out + j], value_of(names[j], x + i * cols), 1e-14, names[j]);
    }
    assert_int_equal(before, degree);
    for (size_t j = 0; j < out; j++) mem_free(names[j]);
    free(names);
    assert_memory_equal(dense.numbers, sparse.numbers, ROWS * out * sizeof(double));
    assert_int_equal(dense.phi.nonzeros, sparse.phi.nonzeros);
    fitted_clear(&dense);
    fitted_clear(&sparse);
    free(x);
}

static void test_poly(void **state) {
    (void)state;
    for (size_t cols = 1; cols <= 6; cols++)
        for (size_t degree = 1; degree <= 6; degree++)
            for (int interactions = 0; interactions < 2; interactions++)
                check_poly(cols, degree, interactions, cols % 2 ? 0.5 : 1);
    check_poly(1, 10, true, 1);
    check_poly(4, 10, true, 0.7);
    check_poly(60, 2, true, 0.1);
    check_poly(50, 3, true, 0.05);
    check_poly(30, 10, false, 0.3);
}

static void test_poly_refuses_too_many(void **state) {
    (void)state;
    double *x = calloc(100000, sizeof *x);
    assert_non_null(x);
    refuse("poly(degree=2)", x, 1, 89527, SEPAL_EDATA, "4007676155 columns of 89527");
    refuse("poly(degree=10)", x, 1, 100000, SEPAL_EDATA, "lower degree");
    refuse("poly(degree=2) | poly(degree=2) | poly(degree=2)", x, 2, 40, SEPAL_EDATA, "columns");
    free(x);
}

/* ---- hash --------------------------------------------------------------------------------- */

static uint64_t splitmix(uint64_t *seed) {
    uint64_t z = *seed += 0x9E3779B97F4A7C15;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    return z ^ (z >> 31);
}

static void test_hash(void **state) {
    (void)state;
    enum { ROWS = 30, COLS = 300 };
    struct rng rng = rng_make(test_seed(8), 1);
    double *x = draw(&rng, ROWS, COLS, 0.2);
    for (size_t bits = 1; bits <= 14; bits++) {
        char spec[32];
        snprintf(spec, sizeof spec, "hash(bits=%zu)", bits);
        struct fitted dense = fit_rows(spec, x, ROWS, COLS, false, NULL);
        struct fitted sparse = fit_rows(spec, x, ROWS, COLS, true, NULL);
        size_t out = (size_t)1 << bits;
        assert_int_equal(dense.phi.cols, out);
        assert_true(sparse.phi.sparse == (out >= 32) && dense.phi.sparse == (out > 1500));
        double *wanted = calloc(ROWS * out, sizeof *wanted);
        uint64_t seed = 0;
        for (size_t j = 0; j < COLS; j++) {
            uint64_t h = splitmix(&seed);
            for (size_t i = 0; i < ROWS; i++)
                wanted[i * out + h % out] += h >> 63 ? -x[i * COLS + j] : x[i * COLS + j];
        }
        assert_memory_equal(dense.numbers, wanted, ROWS * out * sizeof *wanted);
        assert_memory_equal(sparse.numbers, wanted, ROWS * out * sizeof *wanted);
        free(wanted);
        fitted_clear(&dense);
        fitted_clear(&sparse);
    }
    free(x);
}

/* ---- numbers out of files ----------------------------------------------------------------- */

static void test_sound(void **state) {
    (void)state;
    static const struct {
        const char *spec;
        size_t place; /* of a divisor */
    } cases[] = {{"standardize", 2},
                 {"minmax", 3},
                 {"rbf(centres=\"0,0;1,1\")", 5},
                 {"sigmoid(centres=2)", 4}};
    static const double x[] = {1, 2, 3, 4, 5, 7};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct fitted fitted = fit_rows(cases[c].spec, x, 3, 2, false, NULL);
        struct fitted_map *map = &fitted.chain.maps[0];
        assert_true(map->map->sound(map));
        map->numbers[cases[c].place] = 0;
        assert_false(map->map->sound(map));
        map->numbers[cases[c].place] = -1;
        assert_false(map->map->sound(map));
        map->numbers[cases[c].place] = 1e-300;
        assert_true(map->map->sound(map));
        fitted_clear(&fitted);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_standardize, fresh, clean),
        cmocka_unit_test_setup_teardown(test_standardize_keeps_digits, fresh, clean),
        cmocka_unit_test_setup_teardown(test_weights_are_copies, fresh, clean),
        cmocka_unit_test_setup_teardown(test_minmax, fresh, clean),
        cmocka_unit_test_setup_teardown(test_poly, fresh, clean),
        cmocka_unit_test_setup_teardown(test_poly_refuses_too_many, fresh, clean),
        cmocka_unit_test_setup_teardown(test_hash, fresh, clean),
        cmocka_unit_test_setup_teardown(test_sound, fresh, clean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
