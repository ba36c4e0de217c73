/* Laws of the perceptron family for the weights that `perceptron` returns. Most problems have small
   integers for features: every sum is then exact, so the plain rules, which add in any order they
   like, have to agree to the last bit. */
#include "contract/perceptron_plain.h"

static void test_every_variant_takes_the_steps_of_its_definition(void **state) {
    struct rng rng = rng_make(test_seed(1), 0);
    (void)state;
    for (size_t round = 0; round < 400; round++) {
        size_t cols = 1 + rng_below(&rng, MOST_COLS), classes = 2 + rng_below(&rng, 5);
        struct perceptron_config config = kind(round % KINDS);
        config.batch = (size_t)1 << rng_below(&rng, 5);
        config.epochs = 1 + rng_below(&rng, 60);
        config.shuffle = rng_below(&rng, 2);
        config.bias = rng_below(&rng, 4) > 0;
        bool mean = config.variant == DELTA;
        struct problem p = integers(&rng, mean ? 64 : 20 + rng_below(&rng, 60), cols, classes,
                                    rng_below(&rng, 2), !mean && rng_below(&rng, 2));
        struct run run = run_problem(&p, &config);
        struct naive naive;
        naive_run(&naive, &p, &config, 0);
        assert_int_equal(run.status, SEPAL_OK);
        assert_int_equal(run.count, naive.count);
        double tolerance = config.variant == AVERAGED ? 1e-12 : 0;
        for (size_t j = 0; j < naive.count; j++)
            assert_true(fabs(run.w[j] - naive.w[j]) <= tolerance * (1 + fabs(naive.w[j])));
        assert_true(run.updates == (double)naive.updates);
        assert_int_equal(run.iterations, naive.epochs);
        assert_true(fabs(run.objective - naive_objective(&naive)) <= 1e-9 * (1 + run.objective));
        /* which of the two is the business of the tests of separability */
        assert_true(run.converged ? *run.warning == '\0'
                                  : strcmp(run.warning, "not-separable") == 0 ||
                                        strcmp(run.warning, "not-converged") == 0);
        problem_free(&p);
    }
}

static void test_eta_only_scales(void **state) {
    struct rng rng = rng_make(test_seed(2), 0);
    (void)state;
    for (size_t round = 0; round < 10 * KINDS; round++) {
        struct perceptron_config config = kind(round % KINDS);
        config.epochs = 20;
        config.shuffle = round % 3 == 0;
        struct problem p =
            clouds(&rng, 90, 1 + rng_below(&rng, 12), 2 + rng_below(&rng, 5), rng_unit(&rng));
        struct run one = run_problem(&p, &config);
        static const int powers[] = {-30, -1, 4, 100};
        for (size_t k = 0; k < 4; k++) {
            config.eta = ldexp(1, powers[k]);
            struct run scaled = run_problem(&p, &config);
            for (size_t j = 0; j < one.count; j++) one.w[j] *= config.eta;
            one.objective *= config.eta;
            check_same(&one, &scaled);
            for (size_t j = 0; j < one.count; j++) one.w[j] /= config.eta;
            one.objective /= config.eta;
        }
        problem_free(&p);
    }
}

static void check_margin(const struct problem *p, const struct run *run) {
    struct naive at = {.p = p, .config = &USUAL, .rows = p->classes == 2 ? 1 : p->classes};
    double least = INFINITY, squares = 0, radius = 0;
    memcpy(at.w, run->w, sizeof at.w);
    for (size_t j = 0; j < run->count; j++) squares += run->w[j] * run->w[j];
    for (size_t i = 0; i < p->n; i++) {
        int32_t rival;
        double norm = 1;
        least = fmin(least, naive_margin(&at, i, &rival));
        for (size_t j = 0; j < p->cols; j++) norm += p->x[i * p->cols + j] * p->x[i * p->cols + j];
        radius = fmax(radius, sqrt(norm));
    }
    assert_true(least > 0);
    assert_true(fabs(run->margin - least / sqrt(squares)) <= 1e-9 * run->margin + 1e-14);
    assert_true(fabs(run->radius - radius) <= 1e-12 * radius);
}

static void test_separable_data_is_separated_within_the_bound(void **state) {
    struct rng rng = rng_make(test_seed(3), 0);
    (void)state;
    for (size_t round = 0; round < 20 * KINDS; round++) {
        struct perceptron_config config = kind(round % KINDS);
        config.epochs = 100000;
        config.shuffle = round % 3 == 0;
        config.eta = 0.1 + rng_unit(&rng);
        size_t classes = 2 + rng_below(&rng, 3);
        struct problem p = clouds(&rng, 60, 2 + rng_below(&rng, 8), classes, 1.1);
        struct run run = run_problem(&p, &config);
        assert_true(run.converged);
        assert_string_equal(run.warning, "");
        if (config.variant != AVERAGED && config.variant != POCKET) check_margin(&p, &run);
        bool walks =
            config.mode == MODE_ONLINE && config.variant != BATCH && config.variant != MINIBATCH;
        assert_true(walks ? run.updates <= run.bound : isnan(run.bound));
        double factor = classes == 2 ? 1 : 2, ratio = run.radius / run.margin;
        if (walks) assert_true(fabs(run.bound - factor * ratio * ratio) <= 1e-6 * run.bound);
        struct naive at = {.p = &p, .config = &config, .rows = classes == 2 ? 1 : classes};
        memcpy(at.w, run.w, sizeof at.w);
        if (config.variant != AVERAGED) assert_true(naive_errors(&at) == 0);
        problem_free(&p);
    }
    /* one row to a class: the bound is as tight as it gets */
    struct problem p = problem_make(2, 1, 2, false);
    p.x[0] = -1, p.x[1] = 1, p.label[1] = 1;
    struct run run = run_problem(&p, &USUAL);
    assert_true(run.converged && run.updates <= run.bound);
    p.weight = calloc(2, sizeof *p.weight);
    p.weight[0] = 1, p.weight[1] = 2;
    run = run_problem(&p, &USUAL);
    assert_true(run.converged && isnan(run.bound) && run.margin > 0);
    problem_free(&p);
}

static void test_a_zero_batch_is_a_proof(void **state) {
    (void)state;
    static const double corners[] = {0, 0, 0, 1, 1, 0, 1, 1};
    struct problem p = problem_make(4, 2, 2, false);
    memcpy(p.x, corners, sizeof corners);
    p.label[1] = p.label[2] = 1;
    for (size_t k = 0; k < KINDS; k++) {
        struct perceptron_config config = kind(k);
        struct run run = run_problem(&p, &config);
        bool whole = k == 1 || k == 6;
        assert_false(run.converged);
        assert_true(isnan(run.margin) && isnan(run.bound));
        assert_string_equal(run.warning, "not-separable");
        assert_int_equal(run.iterations, whole ? 1 : 100);
        if (whole) assert_true(run.updates == 0);
    }
    problem_free(&p);

    /* some of these partial sums are rounded, the total is 0 all the same */
    static const double tenths[] = {0.2, 0.5, 0.3, 0.2, 0.3, 0.5};
    p = problem_make(6, 1, 2, false);
    memcpy(p.x, tenths, sizeof tenths);
    p.label[0] = p.label[1] = p.label[2] = 1;
    struct perceptron_config config = kind(1);
    struct run run = run_problem(&p, &config);
    assert_string_equal(run.warning, "not-separable");
    /* 0 by rounding only; the second kind is too wide even for two doubles */
    static const double large[][6] = {{0x1p60, 1, -0x1p60}, {0x1p900, 1, 0x1p-900, -1, -0x1p900}};
    config.bias = false;
    for (size_t k = 0; k < 2; k++) {
        memcpy(p.x, large[k], sizeof large[k]);
        for (size_t i = 0; i < 6; i++) p.label[i] = i < 5;
        run = run_problem(&p, &config);
        assert_string_equal(run.warning, "not-converged");
        assert_int_equal(run.iterations, 1);
    }
    problem_free(&p);
}

static void test_theta_stops_batch(void **state) {
    struct rng rng = rng_make(test_seed(8), 0);
    (void)state;
    struct problem p = clouds(&rng, 80, 3, 2, 0.05);
    struct perceptron_config config = kind(1);
    config.theta = 1e9;
    struct run run = run_problem(&p, &config);
    assert_false(run.converged);
    assert_int_equal(run.iterations, 1);
    for (size_t j = 0; j < run.count; j++) assert_true(run.w[j] == 0);
    assert_string_equal(run.warning, "not-converged");
    problem_free(&p);
}

/* What theta is compared with is the update, eta times the sum of the mistakes. */
static void test_theta_is_in_units_of_the_update(void **state) {
    struct rng rng = rng_make(test_seed(15), 0);
    size_t stopped = 0;
    (void)state;
    /* until theta has ended ten of them, as few as one in ten do for some seeds */
    for (size_t round = 0; round < 60 || (stopped < 10 && round < 1000); round++) {
        struct problem p = clouds(&rng, 60, 1 + rng_below(&rng, 5), 2 + round % 2, 0.2);
        struct perceptron_config config = kind(1);
        config.epochs = 40;
        config.theta = ldexp(1, (int)rng_below(&rng, 6)) * (1 + rng_unit(&rng));
        struct run one = run_problem(&p, &config);
        stopped += one.iterations > 1 && one.iterations < 40 && !one.converged;
        for (int power = -9; power <= 9; power += 6) {
            struct perceptron_config other = config;
            other.eta = ldexp(1, power);
            other.theta = ldexp(config.theta, power);
            struct run scaled = run_problem(&p, &other);
            for (size_t j = 0; j < scaled.count; j++) scaled.w[j] = ldexp(scaled.w[j], -power);
            scaled.objective = ldexp(scaled.objective, -power);
            check_same(&one, &scaled);
        }
        problem_free(&p);
    }
    assert_true(stopped >= 10);

    /* from 0 all rows are mistakes: their sum is (bias, w) = (1, 4 + 4 + 1) */
    struct problem p = problem_make(3, 1, 2, false);
    p.x[0] = 4, p.x[1] = 4, p.x[2] = -1;
    p.label[0] = p.label[1] = 1;
    static const double etas[] = {0.3, 1, 7};
    for (size_t k = 0; k < 3; k++) {
        struct perceptron_config config = kind(1);
        config.eta = etas[k];
        config.theta = etas[k] * sqrt(82) * (1 + 1e-12);
        assert_int_equal(run_problem(&p, &config).iterations, 1);
        assert_true(run_problem(&p, &config).updates == 0);
        config.theta = etas[k] * sqrt(82) * (1 - 1e-12);
        assert_true(run_problem(&p, &config).updates > 0);
    }
    problem_free(&p);
}

static void test_batch_weight_is_copies(void **state) {
    struct rng rng = rng_make(test_seed(9), 0);
    (void)state;
    for (size_t round = 0; round < 30; round++) {
        size_t n = 40, at = 0;
        struct problem p =
            integers(&rng, n, 1 + rng_below(&rng, 9), 2 + rng_below(&rng, 4), round % 2, true);
        for (size_t i = 0; i < n; i++) p.weight[i] = (double)(1 + rng_below(&rng, 3));
        struct problem copies = problem_make(3 * n, p.cols, p.classes, false);
        for (size_t i = 0; i < n; i++) {
            for (size_t k = 0; k < (size_t)p.weight[i]; k++, at++) {
                memcpy(copies.x + at * p.cols, p.x + i * p.cols, p.cols * sizeof(double));
                copies.label[at] = p.label[i];
            }
        }
        copies.n = at;
        struct perceptron_config config = kind(1);
        config.epochs = 30;
        struct run weighted = run_problem(&p, &config), copied = run_problem(&copies, &config);
        assert_int_equal(weighted.iterations, copied.iterations);
        for (size_t j = 0; j < weighted.count; j++) assert_true(weighted.w[j] == copied.w[j]);
        assert_true(fabs(weighted.objective - copied.objective) <= 1e-12 * copied.objective);
        problem_free(&p);
        problem_free(&copies);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_variant_takes_the_steps_of_its_definition),
        cmocka_unit_test(test_eta_only_scales),
        cmocka_unit_test(test_separable_data_is_separated_within_the_bound),
        cmocka_unit_test(test_a_zero_batch_is_a_proof),
        cmocka_unit_test(test_theta_stops_batch),
        cmocka_unit_test(test_theta_is_in_units_of_the_update),
        cmocka_unit_test(test_batch_weight_is_copies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
