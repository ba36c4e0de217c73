/* Single facts of least squares: one-hot columns, Fisher's targets, tolerances, warnings, refusals and
   memory that fails. */
#include "contract/least_squares_problem.h"

#include "statistics/whiten.h"

#include "fixture.h"

/* One one-hot feature alone: the outputs are the class frequencies within each category. */
static void test_one_hot(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(7), 1);
    for (size_t number = 0; number < 60; number++) {
        size_t classes = 3 + rng_below(&rng, 4), cols = 2 + rng_below(&rng, 8);
        struct problem p = problem_new(&rng, 20 + rng_below(&rng, 200), cols, classes);
        if (number % 2) problem_weigh(&p, &rng);
        double *share = calloc(cols * classes, sizeof *share), *all = calloc(cols, sizeof *all);
        assert_true(share && all);
        for (size_t i = 0; i < p.rows; i++) {
            size_t category = i < cols ? i : rng_below(&rng, cols);
            for (size_t j = 0; j < cols; j++) p.x[i * cols + j] = j == category;
            all[category] += problem_weight(&p, i);
            share[category * classes + (size_t)p.label[i]] += problem_weight(&p, i);
        }
        struct outcome out = fit_problem(ctx, &p, number % 3 == 0, (struct asked){0});
        assert_true(out.rank == (double)cols - 1);
        for (size_t i = 0; i < cols * classes; i++) {
            double *x = p.x + i / classes * cols; /* row i / classes shows that category */
            double output = (double)score_of(&out.linear, x, i % classes);
            check_small("output less frequency", number, fabs(output - share[i] / all[i / classes]),
                        1e-12);
        }
        for (size_t r = 0; r < classes; r++) { /* least norm: the weights have no common part */
            double sum = 0;
            for (size_t j = 0; j < cols; j++) sum += out.linear.w[r * cols + j];
            check_small("the sum of weights", number, fabs(sum), 1e-12);
        }
        linear_clear(&out.linear);
        free(share);
        free(all);
        problem_free(&p);
    }
}

/* The dependency of one-hot columns is no news; a further one is. */
static void test_warnings(void **state) {
    (void)state;
    static const struct {
        const char *text;
        bool warns;
    } cases[] = {
        {"colour,size,class\nred,1,a\nblue,2,b\nred,3,b\ngreen,5,a\nblue,9,a\n", false},
        {"colour,size,class\nred,1,a\nblue,1,b\nred,1,b\ngreen,1,a\nblue,1,a\n", true},
        {"size,twice,class\n1,2,a\n2,4,b\n3,6,b\n5,10,a\n9,18,a\n", true},
        {"size,class\n1,a\n2,b\n3,b\n", false},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        sepal_data *data;
        FILE *file = fopen("warnings.csv", "w");
        assert_non_null(file);
        fputs(cases[c].text, file);
        fclose(file);
        assert_int_equal(data_read(&data, ctx, "warnings.csv", NULL, NULL, true), SEPAL_OK);
        sepal_ctx_clear_warnings(ctx);
        struct outcome out = fit_data(ctx, data, (struct asked){0});
        assert_int_equal(out.status, SEPAL_OK);
        assert_int_equal(has_warned(ctx, "rank-deficient"), cases[c].warns);
        linear_clear(&out.linear);
        data_free(data);
    }
}

/* Fisher's targets only scale the weights, and put the boundary through the mean. */
static void test_fisher_targets(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(8), 1);
    for (size_t number = 0; number < 60; number++) {
        struct problem p = problem_new(&rng, 5 + rng_below(&rng, 100), 1 + rng_below(&rng, 20), 2);
        if (number % 2) problem_weigh(&p, &rng);
        struct outcome pm1 = fit_problem(ctx, &p, false, (struct asked){0});
        struct outcome fisher = fit_problem(ctx, &p, false, (struct asked){.targets = "fisher"});
        double n[2] = {0};
        for (size_t i = 0; i < p.rows; i++) n[p.label[i]] += problem_weight(&p, i);
        double ratio = (n[0] + n[1]) / n[0] / 2 + (n[0] + n[1]) / n[1] / 2;
        for (size_t j = 0; j < p.cols; j++) pm1.linear.w[j] *= ratio;
        check_small("the angle", number, weights_differ(&p, &pm1.linear, &fisher.linear), 1e-10);
        check_small("the bias at the mean", number, fabs(fisher.linear.b[0]), 1e-13 * ratio);
        linear_clear(&pm1.linear);
        linear_clear(&fisher.linear);
        problem_free(&p);
    }
}

/* The largest singular value of the centred rows over the least. */
static double condition_of(const struct problem *p) {
    size_t n = p->rows, cols = p->cols;
    double *z = malloc(n * cols * sizeof *z);
    assert_non_null(z);
    for (size_t j = 0; j < cols; j++) {
        long double mean = 0;
        for (size_t i = 0; i < n; i++) mean += p->x[i * cols + j] / (long double)n;
        for (size_t i = 0; i < n; i++) z[j * n + i] = (double)(p->x[i * cols + j] - mean);
    }
    jacobi_rows(z, cols, n, ctx->kernels);
    double *last = z + (cols - 1) * n;
    double condition = sqrt(ctx->kernels->dot_f64(z, z, n) / ctx->kernels->dot_f64(last, last, n));
    free(z);
    return condition;
}

/* The iterations of LSQR go on until the tolerance is met: fewer for a larger one, and the residual
   stays about there. They end with |A'r| <= tol |A| |r|, and |r|^2 exceeds its least by the square of
   |pinv(A)'A'r|, which is at most tol |r| times the condition. */
static void test_tolerance(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(10), 1);
    static const char *const options[] = {"solver=lsqr, tol=0.1", "solver=lsqr, tol=1e-4",
                                          "solver=lsqr, tol=1e-8", "solver=lsqr"};
    for (size_t number = 0; number < 5; number++) {
        struct problem p = problem_new(&rng, 300, 40, 2);
        for (size_t i = 0; i < p.rows * p.cols; i++) /* scales that take many iterations */
            p.x[i] *= pow(1.2, (double)(i % p.cols));
        sepal_data *data = problem_data(&p, ctx, number % 2);
        double before = 0, objective[4];
        for (size_t c = 0; c < 4; c++) {
            sepal_model *model = NULL;
            sepal_report *report = NULL;
            assert_int_equal(
                sepal_model_fit(&model, &report, ctx, "least-squares", data, options[c]), SEPAL_OK);
            double iterations = sepal_report_number(report, "iterations");
            assert_true(iterations > before);
            before = iterations;
            objective[c] = sepal_report_number(report, "objective");
            sepal_report_free(report);
            sepal_model_free(model);
        }
        assert_true(objective[0] > objective[1] && objective[1] >= objective[2] * (1 - 1e-14));
        double room = pow(1e-8 * condition_of(&p), 2) + 1e-14;
        assert_true(room < 1e-8 && fabs(objective[2] - objective[3]) <= room * objective[3]);
        data_free(data);
        problem_free(&p);
    }
}

static void test_refusals(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(9), 1);
    struct problem p = problem_new(&rng, 30, 3, 3);
    sepal_data *data = problem_data(&p, ctx, false);
    struct outcome out = fit_data(ctx, data, (struct asked){.targets = "fisher"});
    assert_int_equal(out.status, SEPAL_EDATA);
    assert_non_null(strstr(ctx->error.message, "two classes"));
    sepal_ctx_clear_warnings(ctx);
    out = fit_data(ctx, data, (struct asked){.solver = "lsqr", .max_iter = 1});
    assert_true(out.status == SEPAL_OK && !out.converged && has_warned(ctx, "not-converged"));
    linear_clear(&out.linear);
    data_free(data);
    for (size_t i = 0; i < 90; i++) p.x[i] *= 1e308 / 8;
    data = problem_data(&p, ctx, false);
    out = fit_data(ctx, data, (struct asked){0});
    assert_int_equal(out.status, SEPAL_EDATA);
    data_free(data);
    problem_free(&p);
}

/* Each allocation fails in turn: an error, no leak, no crash. */
static void test_without_memory(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(10), 1);
    static const char *const solvers[] = {"normal", "qr", "lsqr"};
    struct problem p = problem_new(&rng, 50, 7, 3);
    sepal_data *data = problem_data(&p, ctx, false);
    for (size_t s = 0; s < 3; s++) {
        struct outcome out = {.status = SEPAL_EMEMORY};
        for (size_t k = 20; out.status != SEPAL_OK && k < 200; k++) {
            atomic_store(&ctx->faults[FAULT_ALLOC].calls, 0);
            ctx->faults[FAULT_ALLOC].fail_at = k;
            ctx->faults[FAULT_ALLOC].from_then_on = true;
            out = fit_data(ctx, data, (struct asked){.solver = solvers[s]});
            ctx->faults[FAULT_ALLOC].fail_at = 0;
            assert_true(out.status == SEPAL_OK || out.status == SEPAL_EMEMORY);
        }
        assert_int_equal(out.status, SEPAL_OK);
        linear_clear(&out.linear);
    }
    data_free(data);
    problem_free(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_hot),  cmocka_unit_test(test_fisher_targets),
        cmocka_unit_test(test_refusals), cmocka_unit_test(test_tolerance),
        cmocka_unit_test(test_warnings), cmocka_unit_test(test_without_memory),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
