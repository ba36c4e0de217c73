/* Laws of softmax regression over random problems: every penalty, bias, weights, class weights, dense and
   sparse rows, two to six classes. The objective and its slopes are computed in long double by plain loops;
   tolerances follow from the gap, as in test_convex.c. */
#include "contract/strategy_problem.h"

#include "report/report.h"

enum { CLASSES_MOST = 6, COLS_MOST = 12 };

struct softmax_answer {
    size_t classes, cols, rows;            /* rows: of weights */
    double w[CLASSES_MOST][COLS_MOST + 1]; /* in the user's units, the bias last */
    double objective, dual, gap, l1, l2;
    bool converged;
};

static struct softmax_answer fit_rows(const sepal_data *data, const char *spec,
                                      const char *options) {
    sepal_model *model = NULL;
    sepal_report *report = NULL, *inspected = NULL;
    struct softmax_answer a = {.classes = data->schema->n_classes, .cols = data->matrix.cols};
    if (sepal_model_fit(&model, &report, ctx, spec, data, options) != SEPAL_OK)
        fail_msg("%s: %s", spec, ctx->error.message);
    a.objective = sepal_report_number(report, "objective");
    a.gap = sepal_report_number(report, "gap");
    a.dual = sepal_report_number(report, "certificate.dual");
    a.l1 = sepal_report_number(report, "certificate.l1");
    a.l2 = sepal_report_number(report, "certificate.l2");
    a.converged = sepal_report_number(report, "converged") != 0;
    assert_int_equal(sepal_model_inspect(&inspected, ctx, model), SEPAL_OK);
    const struct tree *row = tree_find(inspected->root, "weights")->first;
    const struct tree *bias = tree_find(inspected->root, "bias")->first;
    for (; row; row = row->next, bias = bias->next, a.rows++) {
        const struct tree *w = row->first;
        for (size_t j = 0; j < a.cols; j++, w = w->next) a.w[a.rows][j] = w->number;
        a.w[a.rows][a.cols] = bias->number;
    }
    sepal_report_free(inspected);
    sepal_report_free(report);
    sepal_model_free(model);
    return a;
}

static struct problem softmax_problem(struct rng *rng, size_t classes, bool sparse) {
    size_t cols = 1 + rng_below(rng, COLS_MOST);
    struct problem p = problem_new(rng, 4 * classes + rng_below(rng, 80), cols, classes);
    for (size_t i = 0; i < classes; i++) p.label[i] = (int)i;
    for (size_t i = 0; sparse && i < p.rows * cols; i++)
        if (rng_below(rng, 4)) p.x[i] = 0;
    if (rng_below(rng, 2)) problem_weigh(&p, rng);
    return p;
}

static struct softmax_answer solve_problem(const struct problem *p, bool sparse, const char *spec,
                                           const char *options) {
    sepal_data *data = problem_data(p, ctx, sparse);
    struct softmax_answer a = fit_rows(data, spec, options);
    if (!a.converged)
        fail_msg("%s: %zu rows, %zu columns, %zu classes: not converged, gap %g", spec, p->rows,
                 p->cols, a.classes, a.gap);
    data_free(data);
    return a;
}

/* ---- by plain loops ------------------------------------------------------------------------------- */

static long double total_of_weights(const struct problem *p) {
    long double sum = 0;
    for (size_t i = 0; i < p->rows; i++) sum += problem_weight(p, i);
    return sum;
}

/* Probabilities of a row; returns -ln of its own class's. */
static long double plain_row(const struct problem *p, const struct softmax_answer *a, size_t i,
                             long double *out) {
    long double s[CLASSES_MOST], most = -INFINITY, sum = 0;
    for (size_t k = 0; k < a->classes; k++) {
        s[k] = a->w[k][a->cols];
        for (size_t j = 0; j < a->cols; j++)
            s[k] += (long double)p->x[i * p->cols + j] * a->w[k][j];
        most = fmaxl(most, s[k]);
    }
    for (size_t k = 0; k < a->classes; k++) sum += out[k] = expl(s[k] - most);
    for (size_t k = 0; k < a->classes; k++) out[k] /= sum;
    return most + logl(sum) - s[p->label[i]];
}

static long double plain_value(const struct problem *p, const struct softmax_answer *a,
                               const double *factor, bool bias_penalised) {
    long double sum = 0, unused[CLASSES_MOST];
    for (size_t i = 0; i < p->rows; i++)
        sum += problem_weight(p, i) * factor[p->label[i]] * plain_row(p, a, i, unused);
    sum /= total_of_weights(p);
    for (size_t k = 0; k < a->classes; k++)
        for (size_t j = 0; j < a->cols + bias_penalised; j++)
            sum += a->l1 * fabsl(a->w[k][j]) + a->l2 / 2 * (long double)a->w[k][j] * a->w[k][j];
    return sum;
}

/* ---- the optimum ------------------------------------------------------------------------------------ */

static void check_slopes(const struct problem *p, const struct softmax_answer *a,
                         const double *factor, size_t bias) {
    double excess = fmax(a->gap * a->objective, 1e-16);
    for (size_t k = 0; k < a->classes; k++)
        for (size_t j = 0; j < a->cols + (bias != 1); j++) {
            bool penalised = j < a->cols || bias == 2;
            long double slope = 0, square = 0;
            for (size_t i = 0; i < p->rows; i++) {
                long double part[CLASSES_MOST], x = j < a->cols ? p->x[i * p->cols + j] : 1;
                long double weight =
                    problem_weight(p, i) * factor[p->label[i]] / total_of_weights(p);
                (void)plain_row(p, a, i, part);
                slope += weight * (part[k] - (p->label[i] == (int)k)) * x;
                square += weight * x * x;
            }
            if (penalised) slope += a->l2 * a->w[k][j];
            double most = sqrt(2 * (0.25 * (double)square + a->l2) * excess) + 1e-13;
            long double over = fabsl(slope);
            if (penalised && a->l1 > 0)
                over = a->w[k][j] == 0 ? fmaxl(0, fabsl(slope) - a->l1)
                                       : fabsl(slope + copysignl(a->l1, a->w[k][j]));
            if (over > most)
                fail_msg("slope of class %zu along %zu is %Lg, not below %g", k, j, over, most);
        }
}

static void check_problem(struct rng *rng, size_t number) {
    static const char *const biases[] = {"true", "false", "penalised"};
    static const char *const penalties[] = {"l2=%.17g", "l1=%.17g", "l1=%1$.17g, l2=%1$.17g"};
    size_t classes = 3 + rng_below(rng, CLASSES_MOST - 2), penalty = number % 3,
           bias = number / 3 % 3;
    bool sparse = number % 2, factors = number % 5 == 0;
    struct problem p = softmax_problem(rng, classes, sparse);
    char parameters[160], spec[240], words[80];
    snprintf(words, sizeof words, penalties[penalty], pow(10, -3 * rng_unit(rng) - 0.7));
    snprintf(parameters, sizeof parameters, "%s, bias=%s%s", words, biases[bias],
             factors ? ", class_weight=\"c00:0.5,c01:3\"" : "");
    snprintf(spec, sizeof spec, "softmax(%s)", parameters);
    double factor[CLASSES_MOST] = {1, 1, 1, 1, 1, 1};
    if (factors) factor[0] = 0.5, factor[1] = 3;
    struct softmax_answer a = solve_problem(&p, sparse, spec, "tol=1e-9");
    assert_int_equal(a.rows, classes);
    long double right = plain_value(&p, &a, factor, bias == 2);
    if (fabsl(a.objective - right) > 1e-12L * (1 + right))
        fail_msg("%s: objective %.17g, not %.17Lg", spec, a.objective, right);
    assert_true(a.dual <= a.objective && a.gap > 0 && a.gap <= 1e-9);
    check_slopes(&p, &a, factor, bias);
    for (size_t j = 0; j <= a.cols; j++) {
        double sum = 0, size = 1;
        bool sums = j < a.cols ? penalty == 0 : bias == 0 || (bias == 2 && penalty == 0);
        for (size_t k = 0; k < classes; k++) sum += a.w[k][j], size += fabs(a.w[k][j]);
        if (sums && fabs(sum) > 1e-12 * size)
            fail_msg("%s: column %zu adds up to %g", spec, j, sum);
    }
    if (bias == 1)
        for (size_t k = 0; k < classes; k++) assert_true(a.w[k][a.cols] == 0);
    problem_free(&p);
}

static void test_optimum(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(916), 1);
    for (size_t number = 0; number < 180; number++) check_problem(&rng, number);
}

/* ---- two classes ------------------------------------------------------------------------------------ */

/* softmax(l1, l2) is logistic(l1, l2 / 2), whose weights are the difference of the two rows. */
static void test_two_classes(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(916), 2);
    for (int trial = 0; trial < 60; trial++) {
        bool sparse = trial % 2;
        double l1 = trial % 3 ? pow(10, -2 - rng_unit(&rng)) : 0,
               l2 = pow(10, -2 * rng_unit(&rng) - 1);
        struct problem p = softmax_problem(&rng, 2, sparse);
        char joint[120], binary[120];
        snprintf(joint, sizeof joint, "softmax(l1=%.17g, l2=%.17g)", l1, l2);
        snprintf(binary, sizeof binary, "logistic(l1=%.17g, l2=%.17g)", l1, l2 / 2);
        struct softmax_answer a = solve_problem(&p, sparse, joint, "tol=1e-10");
        struct softmax_answer b = solve_problem(&p, sparse, binary, "tol=1e-12");
        assert_int_equal(a.rows, 1);
        assert_true(fabs(a.objective / b.objective - 1) < 2e-10);
        double most = 2 * sqrt(2 * 1e-10 * a.objective / (l2 / 2)) + 1e-10;
        for (size_t j = 0; j < a.cols; j++)
            if (fabs(a.w[0][j] - b.w[0][j]) > most)
                fail_msg("%s: weight %zu is %g, not %g", joint, j, a.w[0][j], b.w[0][j]);
        problem_free(&p);
    }
}

/* Without a penalty both are plainly equal. */
static void test_two_classes_unpenalised(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(916), 3);
    for (int trial = 0; trial < 10; trial++) {
        struct problem p = problem_new(&rng, 120, 3, 2);
        for (size_t i = 0; i < p.rows; i++) p.label[i] = (int)rng_below(&rng, 2);
        struct softmax_answer a = solve_problem(&p, false, "softmax(penalty=none)", "tol=1e-12");
        struct softmax_answer b = solve_problem(&p, false, "logistic(penalty=none)", "tol=1e-12");
        for (size_t j = 0; j <= a.cols; j++)
            assert_true(fabs(a.w[0][j] - b.w[0][j]) < 1e-4 * (1 + fabs(b.w[0][j])));
        problem_free(&p);
    }
}

/* ---- probabilities ------------------------------------------------------------------------------------ */

/* With free biases the weighted mean of each class's probabilities is its weighted frequency, and a row's add
   up to 1, on rows far away too. */
static void test_probabilities(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(916), 4);
    for (int trial = 0; trial < 30; trial++) {
        size_t classes = 2 + rng_below(&rng, CLASSES_MOST - 1);
        struct problem p = softmax_problem(&rng, classes, trial % 2);
        sepal_data *data = problem_data(&p, ctx, trial % 2);
        sepal_model *model = NULL;
        assert_int_equal(sepal_model_fit(&model, NULL, ctx, "softmax(l2=0.01)", data, "tol=1e-13"),
                         SEPAL_OK);
        sepal_predictions out = predict_all(model, data, SEPAL_PROBABILITIES, NULL);
        for (size_t k = 0; k < classes; k++) {
            long double mean = 0, share = 0;
            for (size_t i = 0; i < p.rows; i++) {
                mean += problem_weight(&p, i) * out.numbers[i * classes + k];
                share += problem_weight(&p, i) * (p.label[i] == (int)k);
            }
            assert_true(fabsl(mean - share) < 1e-6L * total_of_weights(&p));
        }
        for (size_t i = 0; i < p.rows; i++) {
            double sum = 0;
            for (size_t k = 0; k < classes; k++) sum += out.numbers[i * classes + k];
            assert_true(fabs(sum - 1) < 1e-14);
        }
        answers_free(&out);
        sepal_model_free(model);
        data_free(data);
        problem_free(&p);
    }
}

/* ---- no finite optimum --------------------------------------------------------------------------------- */

/* Three clusters that a linear machine separates: said, and not called converged. With a penalty nothing is. */
static void test_separable_is_said(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(916), 5);
    struct problem p = problem_new(&rng, 90, 2, 3);
    for (size_t i = 0; i < p.rows; i++) {
        p.label[i] = (int)(i % 3);
        p.x[2 * i] = 10 * cos(2 * (double)(i % 3)) + rng_unit(&rng);
        p.x[2 * i + 1] = 10 * sin(2 * (double)(i % 3)) + rng_unit(&rng);
    }
    sepal_data *data = problem_data(&p, ctx, false);
    sepal_ctx_clear_warnings(ctx);
    struct softmax_answer a = fit_rows(data, "softmax(penalty=none)", NULL);
    assert_false(a.converged);
    assert_int_equal(warnings_of("separable"), 1);
    sepal_ctx_clear_warnings(ctx);
    a = fit_rows(data, "softmax(l2=1e-6)", NULL);
    assert_true(a.converged);
    assert_int_equal(warnings_of("separable"), 0);
    data_free(data);
    problem_free(&p);
}

/* A class weight is copies of the class's rows, but for the divisor. */
static void test_class_weights_are_copies(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(916), 6);
    struct problem p = problem_new(&rng, 60, 4, 3);
    struct problem copies = problem_new(&rng, 80, 4, 3);
    size_t n = 60;
    for (size_t i = 0; i < 60; i++) {
        p.label[i] = (int)(i % 3);
        for (size_t copy = 0; copy < (i % 3 == 1 ? 2 : 1); copy++) {
            size_t to = copy ? n++ : i;
            copies.label[to] = p.label[i];
            memcpy(copies.x + to * 4, p.x + i * 4, 4 * sizeof *p.x);
        }
    }
    assert_int_equal(n, 80);
    struct softmax_answer a =
        solve_problem(&p, false, "softmax(class_weight=\"c01:2\", l2=0.04)", "tol=1e-12");
    struct softmax_answer b = solve_problem(&copies, false, "softmax(l2=0.03)", "tol=1e-12");
    for (size_t k = 0; k < 3; k++)
        for (size_t j = 0; j <= 4; j++) assert_true(fabs(a.w[k][j] - b.w[k][j]) < 1e-5);
    problem_free(&p);
    problem_free(&copies);
}

/* ---- warm starts ---------------------------------------------------------------------------------------- */

static const struct {
    const char *start, *spec;
    size_t classes;
} warms[] = {
    {"softmax(l2=0.02)", "softmax(l2=0.02)", 4},
    {"softmax(l2=0.02)", "softmax(l2=0.02)", 2},
    {"softmax(l2=0.02, bias=penalised)", "softmax(l2=0.02, bias=penalised)", 3},
    {"softmax(l2=0.02, bias=false)", "softmax(l2=0.02, bias=false)", 3},
    {"softmax(l1=0.005, l2=0.01)", "softmax(l1=0.005, l2=0.01)", 3},
    {"logistic(l2=0.01)", "softmax(l2=0.02)", 2}, /* half of its function, and minus that */
    {"svm(loss=crammer_singer, l2=0.02)", "svm(loss=crammer_singer, l2=0.02)", 3},
    {"svm(loss=hinge, l2=0.01)", "svm(loss=crammer_singer, l2=0.02)", 2},
};

/* The objective after one step from a start, or from 0 (NULL). */
static double one_step(const sepal_data *data, const char *spec, const sepal_model *start) {
    sepal_model *model = NULL;
    sepal_report *report = NULL;
    sepal_ctx_clear_warnings(ctx);
    sepal_status status =
        start ? sepal_model_fit_from(&model, &report, ctx, spec, data, "max_iter=1", start)
              : sepal_model_fit(&model, &report, ctx, spec, data, "max_iter=1");
    if (status != SEPAL_OK) fail_msg("%s: %s", spec, ctx->error.message);
    double objective = sepal_report_number(report, "objective");
    sepal_report_free(report);
    sepal_model_free(model);
    return objective;
}

/* From the optimum of the same rows a step stays there, by whichever learner it was found, and wherever the
   centre of the rows lies; of other rows' labels it is worse than 0, and said to be no start. */
static void test_warm_start(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(916), 7);
    for (size_t w = 0; w < sizeof warms / sizeof *warms; w++)
        for (int sparse = 0; sparse < 2; sparse++) {
            size_t classes = warms[w].classes, cols = 6;
            struct problem p = problem_new(&rng, 150, cols, classes);
            for (size_t i = 0; i < p.rows * cols; i++) {
                size_t own = i % cols == (size_t)p.label[i / cols];
                p.x[i] = sparse && rng_below(&rng, 3) ? 0 : p.x[i] + 2 * (double)own + 4 * !sparse;
            }
            sepal_data *data = problem_data(&p, ctx, !sparse); /* its model has another centre */
            sepal_model *start = NULL;
            assert_int_equal(sepal_model_fit(&start, NULL, ctx, warms[w].start, data, "tol=1e-8"),
                             SEPAL_OK);
            data_free(data);
            data = problem_data(&p, ctx, sparse);
            struct softmax_answer best = fit_rows(data, warms[w].spec, "tol=1e-8");
            double warm = one_step(data, warms[w].spec, start);
            assert_int_equal(warnings_of("warm-start"), 0);
            double cold = one_step(data, warms[w].spec, NULL);
            bool soon = best.l1 > 0; /* one step of all classes may do */
            if (!(warm <= best.objective * (1 + 1e-7)) ||
                !(soon || cold > best.objective * (1 + 1e-6)))
                fail_msg("from %s: %.12g after a step, the least is %.12g, from 0 %.12g",
                         warms[w].start, warm, best.objective, cold);
            data_free(data);
            for (size_t i = 0; i < p.rows; i++) p.label[i] = (p.label[i] + 1) % (int)classes;
            data = problem_data(&p, ctx, sparse);
            (void)one_step(data, warms[w].spec, start);
            assert_int_equal(warnings_of("warm-start"), 1);
            data_free(data);
            sepal_model_free(start);
            problem_free(&p);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_optimum),
        cmocka_unit_test(test_two_classes),
        cmocka_unit_test(test_two_classes_unpenalised),
        cmocka_unit_test(test_probabilities),
        cmocka_unit_test(test_separable_is_said),
        cmocka_unit_test(test_class_weights_are_copies),
        cmocka_unit_test(test_warm_start),
    };
    return cmocka_run_group_tests(tests, set_up_one_thread, tear_down);
}
