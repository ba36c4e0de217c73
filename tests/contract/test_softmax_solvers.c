/* softmax by lbfgs and dual: the minimum that Newton's method finds; the bits of any number of threads; logistic
   regression where there are two classes; a gradient of 0, by differences, where the loss is not convex. */
#include "contract/strategy_problem.h"
#include "report/report.h"

enum { CLASSES_MOST = 6, COLS_MOST = 12, WORDS_MOST = 60, FUNCTIONS_MOST = 23 };

struct fitted {
    double objective, gap, iterations, gradient;
    bool converged;
    size_t functions, cols;
    double w[FUNCTIONS_MOST][WORDS_MOST + 1]; /* in the user's units, the bias behind */
};

static struct fitted fit_by(const sepal_data *data, const char *spec, const char *options) {
    sepal_model *model;
    sepal_report *report, *inside;
    struct fitted out = {.cols = data->matrix.cols};
    if (sepal_model_fit(&model, &report, ctx, spec, data, options) != SEPAL_OK)
        fail_msg("%s, %s: %s", spec, options, ctx->error.message);
    out.objective = sepal_report_number(report, "objective");
    out.gap = sepal_report_number(report, "gap");
    out.iterations = sepal_report_number(report, "iterations");
    out.gradient = sepal_report_number(report, "certificate.gradient");
    out.converged = sepal_report_number(report, "converged") == 1;
    assert_int_equal(sepal_model_inspect(&inside, ctx, model), SEPAL_OK);
    const struct tree *row = tree_find(inside->root, "weights")->first;
    const struct tree *bias = tree_find(inside->root, "bias")->first;
    for (; row; row = row->next, bias = bias->next, out.functions++) {
        size_t j = 0;
        for (const struct tree *cell = row->first; cell; cell = cell->next)
            out.w[out.functions][j++] = cell->number;
        out.w[out.functions][j] = bias->number;
    }
    sepal_report_free(inside);
    sepal_report_free(report);
    sepal_model_free(model);
    return out;
}

/* ---- convex ------------------------------------------------------------------------------------- */

/* dual cannot centre sparse rows, as a free bias may want them. */
static const struct {
    const char *options;
    double tol;
    bool centres;
} solvers[] = {{"solver=lbfgs, tol=1e-10", 1e-10, true},
               {"solver=dual, tol=1e-8, max-iter=100000", 1e-8, false}};

static void check_solvers(const sepal_data *data, const char *spec, bool sparse) {
    struct fitted newton = fit_by(data, spec, "solver=newton-cg, tol=1e-10");
    for (size_t s = 0; s < sizeof solvers / sizeof *solvers; s++) {
        if (sparse && !solvers[s].centres) continue;
        struct fitted other = fit_by(data, spec, solvers[s].options);
        if (!other.converged || !(other.gap <= solvers[s].tol))
            fail_msg("%s, %s: gap %g after %g steps", spec, solvers[s].options, other.gap,
                     other.iterations);
        assert_true(fabs(other.objective - newton.objective) <=
                    3 * solvers[s].tol * newton.objective);
    }
}

static void test_finds_the_minimum_of_newton(void **state) {
    static const char *const specs[] = {"softmax",
                                        "softmax(l2=1e-4)",
                                        "softmax(C=0.1, bias=false)",
                                        "softmax(l2=0.01, bias=penalised)",
                                        "softmax(C=10, class_weight=balanced)",
                                        "softmax(l2=3)"};
    struct rng rng = rng_make(test_seed(61), 0);
    (void)state;
    for (size_t round = 0; round < 60; round++) {
        size_t classes = 2 + rng_below(&rng, CLASSES_MOST - 1),
               cols = 1 + rng_below(&rng, COLS_MOST);
        struct problem p = any_problem(&rng, classes, cols);
        sepal_data *data = problem_data(&p, ctx, round % 3 == 0);
        check_solvers(data, specs[round % (sizeof specs / sizeof *specs)], round % 3 == 0);
        data_free(data);
        problem_free(&p);
    }
}

/* Sparse text: rows of few entries, some of them words of their class. */
static sepal_data *words_data(struct rng *rng, size_t classes) {
    enum { ROWS = 400, COLS = WORDS_MOST, WORDS = 6 };
    struct problem p = problem_new(rng, ROWS, COLS, classes);
    for (size_t k = 0; k < ROWS * COLS; k++) p.x[k] = 0;
    for (size_t i = 0; i < ROWS; i++)
        for (size_t word = 0; word < WORDS; word++) {
            size_t own = (size_t)p.label[i] * 7 + rng_below(rng, 20);
            size_t at = word % 2 ? own % COLS : rng_below(rng, COLS);
            p.x[i * COLS + at] += 0.4;
        }
    sepal_data *data = problem_data(&p, ctx, true);
    problem_free(&p);
    return data;
}

/* Next to no penalty is what coordinate descent by itself is not for. */
static void test_sparse_rows_by_dual(void **state) {
    enum { CLASSES = 5 };
    static const char *const specs[] = {"softmax(bias=false)", "softmax", "softmax(C=100)",
                                        "softmax(C=1e5, bias=false)", "softmax(C=0.001)"};
    struct rng rng = rng_make(test_seed(65), 0);
    (void)state;
    for (size_t round = 0; round < sizeof specs / sizeof *specs; round++) {
        sepal_data *data = words_data(&rng, CLASSES);
        struct fitted newton = fit_by(data, specs[round], "solver=newton-cg, tol=1e-9");
        static const char *const ways[] = {"tol=1e-6", "tol=1e-6, solver=dual"};
        for (size_t way = 0; way < (strstr(specs[round], "1e5") ? 1 : 2); way++) {
            struct fitted found = fit_by(data, specs[round], ways[way]);
            if (!found.converged || !(found.gap <= 1e-6))
                fail_msg("%s, %s: gap %g after %g steps", specs[round], ways[way], found.gap,
                         found.iterations);
            assert_true(fabs(found.objective - newton.objective) <= 2e-6 * newton.objective);
        }
        data_free(data);
    }
}

/* With weights in singles, of one chunk of lanes and of more: to a coarse gap in a few epochs, as doubles take. */
static void test_few_epochs_by_singles(void **state) {
    static const char *const specs[] = {"softmax(bias=false)", "softmax(bias=penalised)"};
    static const size_t classes[] = {3, 9, 17, FUNCTIONS_MOST};
    struct rng rng = rng_make(test_seed(66), 0);
    (void)state;
    for (size_t k = 0; k < sizeof classes / sizeof *classes; k++) {
        sepal_data *data = words_data(&rng, classes[k]);
        for (size_t s = 0; s < sizeof specs / sizeof *specs; s++) {
            struct fitted found = fit_by(data, specs[s], "tol=1e-4, solver=dual");
            if (!found.converged || !(found.gap <= 1e-4) || found.iterations > 15)
                fail_msg("%s, %zu classes: gap %g after %g epochs", specs[s], classes[k], found.gap,
                         found.iterations);
        }
        data_free(data);
    }
}

/* Without a penalty the gradient is what tells; rows of all classes everywhere have a minimum. */
static void test_no_penalty(void **state) {
    struct rng rng = rng_make(test_seed(62), 0);
    (void)state;
    for (size_t round = 0; round < 10; round++) {
        struct problem p = any_problem(&rng, 3, 3);
        for (size_t i = 0; i < p.rows; i++) p.label[i] = (int)(i < 3 ? i : rng_below(&rng, 3));
        sepal_data *data = problem_data(&p, ctx, false);
        struct fitted newton = fit_by(data, "softmax(penalty=none)", "solver=newton-cg, tol=1e-9");
        struct fitted lbfgs = fit_by(data, "softmax(penalty=none)", "solver=lbfgs, tol=1e-9");
        assert_true(lbfgs.converged && isnan(lbfgs.gap) && lbfgs.gradient < 1e-8);
        assert_true(fabs(lbfgs.objective - newton.objective) < 1e-9);
        data_free(data);
        problem_free(&p);
    }
}

/* w2 - w1 of softmax(l2) is w of logistic(l2 / 2). */
static void test_two_classes_are_logistic(void **state) {
    struct rng rng = rng_make(test_seed(63), 0);
    (void)state;
    for (size_t round = 0; round < 12; round++) {
        struct problem p = any_problem(&rng, 2, 4);
        sepal_data *data = problem_data(&p, ctx, round % 2);
        struct fitted softmax = fit_by(data, "softmax(l2=0.02)", "solver=lbfgs, tol=1e-12");
        struct fitted logistic = fit_by(data, "logistic(l2=0.01)", "tol=1e-12");
        assert_true(softmax.functions == 1 && logistic.functions == 1);
        for (size_t j = 0; j <= p.cols; j++)
            assert_true(fabs(softmax.w[0][j] - logistic.w[0][j]) < 1e-4);
        assert_true(fabs(softmax.objective - logistic.objective) < 1e-11);
        data_free(data);
        problem_free(&p);
    }
}

static void test_threads_change_no_bit(void **state) {
    static const char *const specs[] = {"softmax", "softmax(loss=mse)"};
    struct rng rng = rng_make(test_seed(64), 0);
    (void)state;
    for (size_t round = 0; round < 4; round++) {
        struct problem p = problem_new(&rng, 6000, 5, 4); /* some blocks */
        sepal_data *data = problem_data(&p, ctx, round / 2);
        struct fitted one = {0};
        for (unsigned threads = 1; threads <= 3; threads++) {
            sepal_ctx_set_threads(ctx, threads);
            struct fitted now = fit_by(data, specs[round % 2], "solver=lbfgs");
            if (threads == 1) one = now;
            assert_memory_equal(one.w, now.w, sizeof one.w);
            assert_true(one.objective == now.objective && one.iterations == now.iterations);
        }
        sepal_ctx_set_threads(ctx, 0);
        data_free(data);
        problem_free(&p);
    }
}

/* ---- not convex ----------------------------------------------------------------------------------- */

/* The mean over rows of the sum over classes of (t - y)^2, and the L2 penalty. */
static double mse_at(const struct problem *p, const struct fitted *f, double l2) {
    double sum = 0, total = 0;
    for (size_t i = 0; i < p->rows; i++) {
        double y[CLASSES_MOST], most = -INFINITY, all = 0;
        for (size_t k = 0; k < f->functions; k++) {
            y[k] = f->w[k][p->cols];
            for (size_t j = 0; j < p->cols; j++) y[k] += f->w[k][j] * p->x[i * p->cols + j];
            most = fmax(most, y[k]);
        }
        for (size_t k = 0; k < f->functions; k++) all += y[k] = exp(y[k] - most);
        for (size_t k = 0; k < f->functions; k++) {
            double e = ((int)k == p->label[i]) - y[k] / all;
            sum += problem_weight(p, i) * e * e;
        }
        total += problem_weight(p, i);
    }
    sum /= total;
    for (size_t k = 0; k < f->functions; k++)
        for (size_t j = 0; j < p->cols; j++) sum += l2 / 2 * f->w[k][j] * f->w[k][j];
    return sum;
}

static double steepest(const struct problem *p, struct fitted f, double l2) {
    const double h = 1e-5;
    double most = 0;
    for (size_t k = 0; k < f.functions; k++)
        for (size_t j = 0; j <= p->cols; j++) {
            double at = f.w[k][j];
            f.w[k][j] = at + h;
            double high = mse_at(p, &f, l2);
            f.w[k][j] = at - h;
            most = fmax(most, fabs(high - mse_at(p, &f, l2)) / (2 * h));
            f.w[k][j] = at;
        }
    return most;
}

static void test_mse_ends_where_its_gradient_is_0(void **state) {
    struct rng rng = rng_make(test_seed(65), 0);
    (void)state;
    for (size_t round = 0; round < 20; round++) {
        struct problem p = any_problem(&rng, 3 + rng_below(&rng, 3), 1 + rng_below(&rng, 5));
        sepal_data *data = problem_data(&p, ctx, false);
        struct fitted f = fit_by(data, "softmax(loss=mse, l2=0.01)", "tol=1e-8");
        struct fitted zero = {.functions = f.functions, .cols = f.cols};
        assert_true(f.converged && isnan(f.gap));
        assert_true(fabs(f.objective - mse_at(&p, &f, 0.01)) < 1e-12);
        assert_true(f.objective < mse_at(&p, &zero, 0.01));
        double slope = steepest(&p, f, 0.01);
        if (!(slope < 1e-7)) fail_msg("a gradient of %g, said to be %g", slope, f.gradient);
        assert_true(f.gradient < 1e-7);
        data_free(data);
        problem_free(&p);
    }
}

/* The gradient that is told is that of the point, wherever a fit ends. */
static void test_mse_tells_its_gradient(void **state) {
    struct rng rng = rng_make(test_seed(66), 0);
    (void)state;
    for (size_t steps = 1; steps < 5; steps++) {
        char options[32];
        struct problem p = any_problem(&rng, 4, 3);
        sepal_data *data = problem_data(&p, ctx, false);
        snprintf(options, sizeof options, "max_iter=%zu", steps);
        struct fitted f = fit_by(data, "softmax(loss=mse, l2=0.05, bias=false)", options);
        assert_true(!f.converged && f.iterations == (double)steps && warnings_of("not-converged"));
        double most = 0;
        /* the biases are not in it */
        struct fitted moved = f;
        for (size_t k = 0; k < f.functions; k++)
            for (size_t j = 0; j < p.cols; j++) {
                const double h = 1e-5;
                moved.w[k][j] = f.w[k][j] + h;
                double high = mse_at(&p, &moved, 0.05);
                moved.w[k][j] = f.w[k][j] - h;
                most = fmax(most, fabs(high - mse_at(&p, &moved, 0.05)) / (2 * h));
                moved.w[k][j] = f.w[k][j];
            }
        assert_true(fabs(most - f.gradient) < 1e-7 + 1e-5 * most);
        sepal_ctx_clear_warnings(ctx);
        data_free(data);
        problem_free(&p);
    }
}

/* From where it ended there is nothing to do; and columns of any unit are alike to it. */
static void test_mse_starts_and_units(void **state) {
    struct rng rng = rng_make(test_seed(67), 0);
    (void)state;
    struct problem p = any_problem(&rng, 3, 4);
    sepal_data *data = problem_data(&p, ctx, false);
    sepal_model *model;
    assert_int_equal(
        sepal_model_fit(&model, NULL, ctx, "softmax(loss=mse, l2=0.01)", data, "tol=1e-7"),
        SEPAL_OK);
    assert_int_equal(sepal_model_save(ctx, model, "mse.sepal"), SEPAL_OK);
    struct fitted again = fit_by(data, "softmax(loss=mse, l2=0.01)", "warm=mse.sepal, tol=1e-6");
    assert_true(again.converged && again.iterations == 0);
    sepal_model_free(model);
    for (size_t i = 0; i < p.rows; i++) p.x[i * p.cols] *= 1e8;
    sepal_data *large = problem_data(&p, ctx, false);
    struct fitted small = fit_by(data, "softmax(loss=mse, penalty=none)", "tol=1e-7");
    struct fitted scaled = fit_by(large, "softmax(loss=mse, penalty=none)", "tol=1e-7");
    assert_true(fabs(small.objective - scaled.objective) < 1e-6);
    data_free(data);
    data_free(large);
    problem_free(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_finds_the_minimum_of_newton),
        cmocka_unit_test(test_sparse_rows_by_dual),
        cmocka_unit_test(test_few_epochs_by_singles),
        cmocka_unit_test(test_no_penalty),
        cmocka_unit_test(test_two_classes_are_logistic),
        cmocka_unit_test(test_threads_change_no_bit),
        cmocka_unit_test(test_mse_ends_where_its_gradient_is_0),
        cmocka_unit_test(test_mse_tells_its_gradient),
        cmocka_unit_test(test_mse_starts_and_units),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
