/* Sets of labels: every label is a logistic regression of its own, whichever way all are solved. */
#include "contract/label_sets_problem.h"

/* ---- each label is a regression of its own -------------------------------------------------- */

/* By a bound of the gap: of a strongly convex objective nearly the same weights. */
static void check_alone(const struct sets *s, const sepal_model *all, const sepal_report *report,
                        size_t k, const char *parameters, const char *options, bool weighted) {
    char spec[160];
    snprintf(spec, sizeof spec, "logistic(%s)", parameters);
    sepal_data *data = alone(s, k, weighted);
    sepal_report *own_report;
    sepal_model *own = fit_of(&own_report, spec, data, options);
    const struct tree *problem = tree_find(report->root, "problems")->first;
    for (size_t r = 0; r < k; r++) problem = problem->next;
    double objective = tree_find(problem, "objective")->number,
           gap = tree_find(problem, "gap")->number;
    double other = sepal_report_number(own_report, "objective");
    double bar = 2e-9 * fabs(other) + gap * fabs(objective);
    if (!(fabs(objective - other) <= bar))
        fail_msg("%s, label %zu: objective %.17g and %.17g", spec, k, objective, other);
    assert_true(sepal_report_number(own_report, "gap") <= 1e-9 && gap <= 1e-9);
    const double *w = all->linear.w + k * s->cols, *v = own->linear.w;
    for (size_t j = 0; j < s->cols; j++)
        if (!(fabs(w[j] - v[j]) <= 2e-3 * (1 + fabs(v[j]))))
            fail_msg("%s, label %zu, column %zu: %.17g and %.17g", spec, k, j, w[j], v[j]);
    sepal_model_free(own);
    sepal_report_free(own_report);
    data_free(data);
}

static void test_labels_alone(void **state) {
    (void)state;
    static const struct {
        const char *parameters, *options;
        size_t rows, cols, labels;
    } cases[] = {{"C=1", "tol=1e-9", 120, 4, 3},
                 {"C=1", "tol=1e-9", 300, 6, 40}, /* in lock-step, three groups */
                 {"C=0.3, bias=penalised", "tol=1e-9", 200, 5, 17},
                 {"C=2, bias=false", "tol=1e-9", 200, 5, 9},
                 {"C=1, class_weight=balanced", "tol=1e-9", 200, 5, 12},
                 {"C=1, class_weight=balanced", "tol=1e-9, solver=lbfgs", 100, 3, 2},
                 {"C=1, penalty=l1", "tol=1e-9", 150, 4, 3},
                 {"C=1, ratio=0.5", "tol=1e-9", 150, 4, 2},
                 {"C=0.5", "tol=1e-9, solver=newton", 150, 30, 20},
                 {"C=0.5", "tol=1e-9, solver=lbfgs", 150, 4, 2}};
    struct rng rng = rng_make(test_seed(61), 1);
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
        for (int weighted = 0; weighted < 2; weighted++) {
            char spec[160];
            struct sets s = sets_new(&rng, cases[c].rows, cases[c].cols, cases[c].labels);
            sepal_data *data = sets_data(&s, weighted);
            sepal_report *report;
            snprintf(spec, sizeof spec, "multilabel(%s)", cases[c].parameters);
            sepal_model *model = fit_of(&report, spec, data, cases[c].options);
            assert_int_equal(model->linear.rows, s.labels);
            for (size_t k = 0; k < s.labels; k++)
                check_alone(&s, model, report, k, cases[c].parameters, cases[c].options, weighted);
            sepal_model_free(model);
            sepal_report_free(report);
            data_free(data);
            sets_free(&s);
        }
}

static int count_problems(const char *json, void *payload) {
    *(size_t *)payload += strstr(json, "\"problem\"") != NULL;
    return 0;
}

/* In lock-step labels reach their gap by themselves: what a wrong step had left would be fitted once more, one
   label after the other, each with a line in the trace. Newton's method leaves those that are a little short. */
static void test_lock_step(void **state) {
    (void)state;
    static const char *const options[] = {"solver=dual, max-iter=2000",
                                          "solver=newton, max-iter=60"};
    struct rng rng = rng_make(test_seed(71), 1);
    size_t problems = 0, wrong = 0;
    sepal_ctx_set_trace(ctx, count_problems, &problems);
    for (size_t number = 0; number < 4; number++) {
        struct sets s = sets_new(&rng, 300, 5, number < 2 ? 7 : 35);
        sepal_data *data = sets_data(&s, false);
        sepal_report *report;
        sepal_model *model = fit_of(&report, "multilabel(C=0.1)", data, options[number % 2]);
        assert_non_null(strstr(sepal_report_string(report, "solver"), "at once"));
        assert_true(sepal_report_number(report, "converged") == 1);
        size_t few = number % 2 ? s.labels * 4 / 5 : 0;
        bool most_together = problems <= few;
        if (!most_together)
            print_error("%s: %zu labels fitted alone\n", options[number % 2], problems);
        problems = 0;
        wrong += !most_together;
        sepal_model_free(model);
        sepal_report_free(report);
        data_free(data);
        sets_free(&s);
    }
    sepal_ctx_set_trace(ctx, NULL, NULL);
    assert_int_equal(wrong, 0);
}

/* The objective is the sum of those of the labels, and so is its bound. */
static void test_sum_of_certificates(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(62), 1);
    for (size_t number = 0; number < 6; number++) {
        struct sets s = sets_new(&rng, 80, 3, number % 2 ? 20 : 3);
        sepal_data *data = sets_data(&s, number % 3 == 0);
        sepal_report *report;
        sepal_model *model = fit_of(&report, "multilabel", data, NULL);
        double sum = 0, bound = 0, objective = sepal_report_number(report, "objective");
        size_t n = 0;
        for (const struct tree *one = tree_find(report->root, "problems")->first; one;
             one = one->next, n++) {
            double own = tree_find(one, "objective")->number;
            assert_true(tree_find(one, "gap")->number <= 1e-6);
            sum += own;
            bound += own * (1 - tree_find(one, "gap")->number);
        }
        assert_int_equal(n, s.labels);
        assert_true(fabs(objective - sum) <= 1e-13 * sum);
        double below = objective * (1 - sepal_report_number(report, "gap"));
        assert_true(fabs(below - bound) <= 1e-12 * sum);
        sepal_model_free(model);
        sepal_report_free(report);
        data_free(data);
        sets_free(&s);
    }
}

/* class_weight="a1:3" multiplies the losses of the rows that have a1, and of no other label. */
static void test_class_weights(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(63), 1);
    for (size_t labels = 3; labels <= 20; labels += 17) {
        struct sets s = sets_new(&rng, 90, 3, labels);
        sepal_data *data = sets_data(&s, false), *one = alone(&s, 1, false);
        sepal_model *plain = fit_of(NULL, "multilabel", data, "tol=1e-9");
        sepal_model *heavy = fit_of(NULL, "multilabel(class_weight=\"a1:3\")", data, "tol=1e-9");
        sepal_model *own = fit_of(NULL, "logistic(class_weight=\"1:3\")", one, "tol=1e-9");
        for (size_t k = 0; k < labels; k++)
            for (size_t j = 0; j < s.cols; j++) {
                double w = heavy->linear.w[k * s.cols + j];
                double right = k == 1 ? own->linear.w[j] : plain->linear.w[k * s.cols + j];
                assert_true(fabs(w - right) <= 1e-4 * (1 + fabs(right)));
            }
        assert_true(fabs(heavy->linear.b[1] - plain->linear.b[1]) > 0.1);
        sepal_model_free(plain);
        sepal_model_free(heavy);
        sepal_model_free(own);
        data_free(data);
        data_free(one);
        sets_free(&s);
    }
}

/* correct_priors takes the logarithm of the weights' ratio off each label's own intercept, in lock-step (L2) and
   one after the other (L1). */
static void check_correction(const struct sets *s, bool weighted, const char *penalty,
                             const char *weights) {
    char spec[128];
    sepal_data *data = sets_data(s, weighted);
    sepal_model *models[2];
    for (int corrected = 0; corrected < 2; corrected++) {
        (void)snprintf(spec, sizeof spec, "multilabel(%s, class_weight=%s%s)", penalty, weights,
                       corrected ? ", correct_priors" : "");
        models[corrected] = fit_of(NULL, spec, data, "tol=1e-10");
    }
    for (size_t k = 0; k < s->labels; k++) {
        double n[2] = {0, 0}, ratio = k == 1 ? 3 : 1;
        for (size_t i = 0; i < s->rows; i++)
            n[s->bits[i * s->labels + k]] += weighted ? s->weight[i] : 1;
        if (strcmp(weights, "balanced") == 0) ratio = n[0] / n[1];
        double by = models[0]->linear.b[k] - models[1]->linear.b[k];
        if (!(fabs(by - log(ratio)) < 1e-6))
            fail_msg("%s, label %zu: %g, not %g", spec, k, by, log(ratio));
    }
    sepal_model_free(models[0]);
    sepal_model_free(models[1]);
    data_free(data);
}

static void test_correct_priors(void **state) {
    (void)state;
    static const char *const penalties[] = {"C=1", "penalty=l1, C=0.5"};
    struct rng rng = rng_make(test_seed(71), 1);
    for (size_t number = 0; number < 16; number++) {
        struct sets s = sets_new(&rng, 90, 3, number % 4 == 3 ? 20 : 2 + number % 4);
        check_correction(&s, number / 4 % 2, penalties[number / 8], "balanced");
        check_correction(&s, number / 4 % 2, penalties[number / 8], "\"a1:3\"");
        sets_free(&s);
    }
}

/* ---- bits ------------------------------------------------------------------------------------ */

static void test_threads_and_files(void **state) {
    (void)state;
    static const char *const specs[] = {"standardize | multilabel",
                                        "multilabel(penalty=l1, C=0.2)"};
    struct rng rng = rng_make(test_seed(64), 1);
    struct sets s = sets_new(&rng, 5000, 5, 20);
    sepal_data *data = sets_data(&s, true);
    for (size_t c = 0; c < 2; c++) {
        void *first = NULL, *again = NULL;
        size_t size = 0, n = 0;
        for (unsigned threads = 1; threads <= 5; threads += 2) {
            sepal_ctx_set_threads(ctx, threads);
            sepal_model *model = fit_of(NULL, specs[c], data, NULL), *loaded = NULL;
            assert_int_equal(sepal_model_to_memory(&again, &n, ctx, model), SEPAL_OK);
            assert_int_equal(sepal_model_from_memory(&loaded, ctx, again, n), SEPAL_OK);
            assert_int_equal(sepal_model_label_sets(loaded), 1);
            assert_memory_equal(loaded->linear.w, model->linear.w,
                                20 * s.cols * sizeof *model->linear.w);
            sepal_model_free(loaded);
            sepal_model_free(model);
            if (!first) {
                first = again;
                size = n;
                continue;
            }
            assert_int_equal(n, size);
            assert_memory_equal(first, again, n);
            sepal_bytes_free(again);
        }
        sepal_bytes_free(first);
    }
    sepal_ctx_set_threads(ctx, 1);
    data_free(data);
    sets_free(&s);
}

/* Classes that exclude each other are sets of one label each. */
static void test_single_labels(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(65), 1);
    for (size_t labels = 2; labels <= 5; labels++) {
        struct sets s = sets_new(&rng, 60, 3, labels);
        int64_t *label = malloc(s.rows * sizeof *label);
        assert_non_null(label);
        for (size_t i = 0; i < s.rows; i++) {
            label[i] = (int64_t)(i % labels) + 1;
            for (size_t k = 0; k < labels; k++) s.bits[i * labels + k] = k == i % labels;
        }
        sepal_data *sets = NULL, *single = NULL;
        sepal_input in = {.size = sizeof in, .rows = s.rows, .columns = s.cols, .values = s.x};
        in.label_numbers = label;
        assert_int_equal(sepal_data_from(&single, ctx, &in), SEPAL_OK);
        in.label_numbers = NULL;
        in.label_count = labels;
        in.label_bits = s.bits;
        assert_int_equal(sepal_data_from(&sets, ctx, &in), SEPAL_OK);
        sepal_model *a = fit_of(NULL, "multilabel", sets, NULL);
        sepal_model *b = fit_of(NULL, "multilabel", single, NULL);
        assert_int_equal(a->linear.rows, labels);
        assert_memory_equal(a->linear.w, b->linear.w, labels * s.cols * sizeof *a->linear.w);
        assert_memory_equal(a->linear.b, b->linear.b, labels * sizeof *a->linear.b);
        for (size_t k = 0; k < labels; k++)
            assert_string_equal(sepal_model_class(a, k), sepal_model_class(b, k));
        sepal_model_free(a);
        sepal_model_free(b);
        data_free(sets);
        data_free(single);
        free(label);
        sets_free(&s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_labels_alone),        cmocka_unit_test(test_lock_step),
        cmocka_unit_test(test_sum_of_certificates), cmocka_unit_test(test_class_weights),
        cmocka_unit_test(test_correct_priors),      cmocka_unit_test(test_threads_and_files),
        cmocka_unit_test(test_single_labels),
    };
    return cmocka_run_group_tests(tests, set_up_one_thread, tear_down);
}
