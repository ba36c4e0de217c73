/* Where fisher and mean-difference put the threshold by normal curves: the crossing itself, and what
   there is in its place where a class has no curve, or only one of rounding. */
#include "contract/discriminant_problem.h"

#include "fixture.h"

/* g(y) of METHODS, for the projections on w. */
struct curvatures {
    long double n[2], mean[2], variance[2];
};

static struct curvatures project(const struct problem *p, const double *w) {
    struct curvatures c = {{0}, {0}, {0}};
    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < p->rows; i++) {
            long double y = 0, weight = problem_weight(p, i);
            int k = p->label[i];
            for (size_t j = 0; j < p->cols; j++) y += (long double)w[j] * p->x[i * p->cols + j];
            if (pass == 0) c.n[k] += weight, c.mean[k] += weight * y;
            if (pass == 1) c.variance[k] += weight * powl(y - c.mean[k], 2) / (c.n[k] - 1);
        }
        for (int k = 0; k < 2 && pass == 0; k++) c.mean[k] /= c.n[k];
    }
    return c;
}

static long double ratio(const struct curvatures *c, long double y) {
    return logl(c->n[1]) - logl(c->variance[1]) / 2 - powl(y - c->mean[1], 2) / 2 / c->variance[1] -
           logl(c->n[0]) + logl(c->variance[0]) / 2 + powl(y - c->mean[0], 2) / 2 / c->variance[0];
}

static long double threshold(const struct problem *p, const struct linear *linear) {
    long double y = -linear->b[0];
    for (size_t j = 0; j < p->cols; j++) y += (long double)linear->w[j] * linear->centre[j];
    return y;
}

static void test_gauss_cut(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(18), 1);
    size_t crossed = 0, between = 0;
    for (size_t number = 0; number < 200; number++) {
        bool sparse;
        struct problem p = scatter_problem(&rng, 2, &sparse);
        for (size_t i = 4; i < p.rows && number % 4 == 0; i++) p.label[i] = i % 14 == 0;
        double wider = number % 3 == 0 ? 1 : number % 3 == 1 ? 4 : 0.2;
        for (size_t i = 0; i < p.rows; i++)
            for (size_t j = 0; p.label[i] && j < p.cols; j++) p.x[i * p.cols + j] *= wider;
        sepal_ctx_clear_warnings(ctx);
        const char *name = number % 2 ? "fisher" : "mean-difference";
        struct answer out = learn_problem(ctx, &p, sparse, name, "cut=gauss");
        struct curvatures c = project(&p, out.linear.w);
        long double y = threshold(&p, &out.linear), sd = sqrtl(c.variance[0] + c.variance[1]);
        if (has_warned(ctx, "cut")) {
            long double pooled = ((c.n[0] - 1) * c.variance[0] + (c.n[1] - 1) * c.variance[1]) /
                                 (c.n[0] + c.n[1] - 2);
            long double right = (c.mean[0] + c.mean[1]) / 2 +
                                pooled / (c.mean[1] - c.mean[0]) * logl(c.n[0] / c.n[1]);
            check_small("the fallback", number, (double)(fabsl(y - right) / sd), 1e-9);
            for (int step = -400; step <= 400; step++) /* g has one sign indeed */
                assert_true((ratio(&c, y + step * sd / 10) > 0) == (ratio(&c, y) > 0));
        } else {
            crossed++;
            between += y > c.mean[0] && y < c.mean[1];
            assert_true(ratio(&c, y - 1e-7L * sd) < 0 && ratio(&c, y + 1e-7L * sd) > 0);
        }
        linear_clear(&out.linear);
        problem_free(&p);
    }
    assert_true(crossed > 150 && crossed < 200 && between < crossed);
}

/* Classes without a spread of their own: pooled, then midway. */
static void test_poor_cuts(void **state) {
    (void)state;
    struct problem p = {.rows = 4, .cols = 1, .classes = 2};
    double x[] = {0, 0, 3, 4}, same[] = {1, 1, 3, 3};
    int label[] = {0, 0, 1, 1};
    p.x = x, p.label = label;
    sepal_ctx_clear_warnings(ctx);
    struct answer out = learn_problem(ctx, &p, false, "mean-difference", "cut=gauss");
    assert_true(has_warned(ctx, "cut"));
    check_small("the pooled cut", 0, (double)fabsl(threshold(&p, &out.linear) - 1.75L), 1e-15);
    linear_clear(&out.linear);
    p.x = same;
    sepal_ctx_clear_warnings(ctx);
    out = learn_problem(ctx, &p, false, "mean-difference", "cut=gauss");
    assert_true(has_warned(ctx, "cut"));
    check_small("the middle", 0, (double)fabsl(threshold(&p, &out.linear) - 2), 1e-15);
    linear_clear(&out.linear);
}

/* The threshold as a part of the way from one mean to the other. */
static double place_of_cut(const struct problem *p, const struct linear *linear) {
    struct curvatures c = project(p, linear->w);
    return (double)((threshold(p, linear) - c.mean[0]) / (c.mean[1] - c.mean[0]));
}

/* With more columns than rows Fisher's direction takes each class to a point, up to rounding: no
   normal curve is fitted to that, and the order of the rows does not matter. */
static void test_cut_of_points(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(22), 1);
    for (size_t number = 0; number < 120; number++) {
        size_t rows = 4 + rng_below(&rng, 30), cols = rows + rng_below(&rng, 60);
        struct problem p = problem_new(&rng, rows, cols, 2);
        for (size_t i = 0; i < rows; i++) p.label[i] = i % 3 == 0;
        p.label[1] = 1;
        for (size_t j = 0; j < cols; j++) { /* columns of any scale, or nearly alike */
            double scale = number % 3 == 1 ? pow(10, 12 * rng_unit(&rng) - 6) : 1;
            for (size_t i = 0; i < rows; i++) {
                double *x = &p.x[i * cols + j];
                *x = number % 3 == 2 && j >= cols / 2 ? p.x[i * cols + j % 3] + 0.01 * *x
                                                      : *x * scale;
            }
        }
        if (number % 2) problem_weigh(&p, &rng);
        for (size_t i = 0; p.weight && i < rows; i++) p.weight[i] += 1;
        sepal_ctx_clear_warnings(ctx);
        struct answer out = learn_problem(ctx, &p, number % 4 == 3, "fisher", "cut=gauss");
        assert_true(has_warned(ctx, "singular-scatter") && has_warned(ctx, "cut"));
        check_small("the cut less the midpoint", number, fabs(place_of_cut(&p, &out.linear) - 0.5),
                    1e-9);
        linear_clear(&out.linear);
        problem_free(&p);
    }
}

/* Weights that add up to 1 in each class, but for rounding: no variance can be estimated from them
   by one less than their sum. */
static void test_rounded_totals(void **state) {
    (void)state;
    static const size_t counts[] = {49, 20, 11, 10, 1000};
    static const char *const cases[][2] = {
        {"gaussian", "estimate=unbiased"}, {"gaussian", "estimate=unbiased, covariance=shared"},
        {"lda", "estimate=unbiased"},      {"fisher", "cut=gauss"},
        {"mean-difference", "cut=gauss"},  {"gaussian", "estimate=unbiased, covariance=diagonal"}};
    struct rng rng = rng_make(test_seed(23), 1);
    for (size_t number = 0; number < 30; number++) {
        size_t each = counts[number % 5];
        const char *name = cases[number / 5][0], *text = cases[number / 5][1];
        struct problem p = problem_new(&rng, 2 * each, 2, 2);
        problem_weigh(&p, &rng);
        for (size_t i = 0; i < p.rows; i++) {
            p.weight[i] = 1 / (double)each;
            p.label[i] = (int)(i % 2);
        }
        sepal_data *data = problem_data(&p, ctx, false);
        sepal_ctx_clear_warnings(ctx);
        struct answer out = learn(ctx, data, name, text);
        if (strcmp(name, "mean-difference") == 0) {
            assert_int_equal(out.status, SEPAL_OK);
            assert_true(has_warned(ctx, "cut"));
            check_small("the cut less the midpoint", number,
                        fabs(place_of_cut(&p, &out.linear) - 0.5), 1e-12);
        } else if (strstr(text, "diagonal")) {
            assert_int_equal(out.status, SEPAL_OK);
            assert_true(has_warned(ctx, "zero-variance"));
            assert_non_null(strstr(ctx->warnings[0].message, "total weight is not above 1"));
        } else {
            assert_int_equal(out.status, SEPAL_EDATA);
            assert_non_null(strstr(ctx->error.message, "total weight"));
        }
        linear_clear(&out.linear);
        data_free(data);
        problem_free(&p);
    }
}

/* Classes that are narrow beside the way between them still have their curves. */
static void test_narrow_cuts(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(24), 1);
    for (size_t number = 0; number < 40; number++) {
        struct problem p = problem_new(&rng, 60, 1 + number % 3, 2);
        double width = pow(10, -(double)(number % 8));
        for (size_t i = 0; i < p.rows * p.cols; i++) {
            int k = p.label[i / p.cols];
            p.x[i] = k + width * (1 + 2 * k) * (p.x[i] - (i % p.cols == (size_t)k));
        }
        sepal_ctx_clear_warnings(ctx);
        struct answer out =
            learn_problem(ctx, &p, false, number % 2 ? "fisher" : "mean-difference", "cut=gauss");
        assert_false(has_warned(ctx, "cut"));
        struct curvatures c = project(&p, out.linear.w);
        long double y = threshold(&p, &out.linear), sd = sqrtl(c.variance[0] + c.variance[1]);
        long double near = 1e-6L * sd + 1e-9L * (c.mean[1] - c.mean[0]);
        assert_true(ratio(&c, y - near) < 0 && ratio(&c, y + near) > 0);
        linear_clear(&out.linear);
        problem_free(&p);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gauss_cut),     cmocka_unit_test(test_poor_cuts),
        cmocka_unit_test(test_cut_of_points), cmocka_unit_test(test_rounded_totals),
        cmocka_unit_test(test_narrow_cuts),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
