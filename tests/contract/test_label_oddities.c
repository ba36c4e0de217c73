/* Labels that never vary are no obstacle to a fit of label sets; what cannot be is refused; and a lack of
   memory loses nothing. */
#include "contract/label_sets_problem.h"

/* ---- labels that never vary --------------------------------------------------------------------- */

static void test_constant_labels(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(67), 1);
    for (size_t number = 0; number < 12; number++) {
        size_t labels = 1 + number % 4;
        struct sets s = sets_new(&rng, 50, 3, labels);
        sepal_data *before = sets_data(&s, false);
        sepal_model *plain = fit_of(NULL, "multilabel", before, NULL);
        unsigned char value = number / 4 % 2;
        size_t from = number >= 8 ? 0 : labels - 1; /* the last one, or all */
        for (size_t k = from; k < labels; k++) set_label(&s, k, value);
        sepal_data *data = sets_data(&s, false);
        sepal_ctx_clear_warnings(ctx);
        sepal_model *model = fit_of(NULL, "multilabel", data, NULL);
        assert_int_equal(warnings_of("constant-label"), 1);
        struct answers answers = ask(model, data, SEPAL_SCORES, NULL);
        for (size_t k = 0; k < labels; k++)
            for (size_t i = 0; i < s.rows && k >= from; i++) {
                assert_int_equal(answers.labels[i * labels + k], value);
                assert_true(fabs(fabs(answers.numbers[i * labels + k]) - log(101)) <= 1e-12);
            }
        if (labels > 1 && from > 0) /* the others are as they were */
            for (size_t j = 0; j < s.cols; j++)
                assert_true(fabs(model->linear.w[j] - plain->linear.w[j]) <= 1e-3);
        answers_free(&answers);
        sepal_model_free(model);
        /* without a bias, or with one that is penalised, there is an optimum */
        sepal_ctx_clear_warnings(ctx);
        model = fit_of(NULL, "multilabel(bias=penalised, class_weight=balanced)", data, NULL);
        assert_int_equal(warnings_of("constant-label"), 0);
        answers = ask(model, data, SEPAL_SCORES, NULL);
        for (size_t i = 0; i < s.rows; i++)
            assert_int_equal(answers.labels[i * labels + labels - 1], value);
        answers_free(&answers);
        sepal_model_free(model);
        sepal_model_free(plain);
        data_free(before);
        data_free(data);
        sets_free(&s);
    }
}

/* Without a penalty a penalised bias is a free one; and without a bias rows on one side of a hyperplane
   through 0 let the weights grow as those of two classes do. */
static void test_constant_labels_unpenalised(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(70), 1);
    struct sets s = sets_new(&rng, 40, 3, 2);
    for (size_t i = 0; i < s.rows * s.cols; i++) s.x[i] = fabs(s.x[i]) + 0.1;
    for (unsigned char value = 0; value < 2; value++) {
        set_label(&s, 1, value);
        sepal_data *data = sets_data(&s, false);
        sepal_ctx_clear_warnings(ctx);
        sepal_model *model = fit_of(NULL, "multilabel(penalty=none, bias=penalised)", data, NULL);
        assert_int_equal(warnings_of("constant-label"), 1);
        assert_true(model->linear.w[s.cols] == 0);
        sepal_model_free(model);
        sepal_report *report;
        model = fit_of(&report, "multilabel(penalty=none, bias=false)", data, NULL);
        assert_int_equal(warnings_of("weights-grow"), 1);
        assert_true(sepal_report_number(report, "converged") == 0);
        assert_true((model->linear.w[s.cols] > 0) == value);
        sepal_model_free(model);
        sepal_report_free(report);
        data_free(data);
    }
    sets_free(&s);
}

/* A start for all labels, though some of them do not vary. */
static void test_warm(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(68), 1);
    struct sets s = sets_new(&rng, 60, 3, 4);
    set_label(&s, 1, 0);
    sepal_data *data = sets_data(&s, false);
    sepal_model *start = fit_of(NULL, "multilabel", data, "tol=1e-8"), *again = NULL;
    sepal_report *report;
    assert_int_equal(
        sepal_model_fit_from(&again, &report, ctx, "multilabel", data, "tol=1e-6", start),
        SEPAL_OK);
    assert_true(sepal_report_number(report, "iterations") <= 3);
    for (size_t i = 0; i < 4 * s.cols; i++)
        assert_true(fabs(again->linear.w[i] - start->linear.w[i]) <= 1e-3);
    sepal_report_free(report);
    sepal_model_free(start);
    sepal_model_free(again);
    data_free(data);
    sets_free(&s);
}

/* ---- refused ---------------------------------------------------------------------------------------- */

static void test_refused_input(void **state) {
    (void)state;
    static const double x[2] = {1, 2};
    static const unsigned char bits[4] = {0, 1, 1, 0};
    static const char *const texts[2] = {"p", "q"}, *const twice[2] = {"p", "p"},
                             *const alike[2] = {"1", "1.0"}, *const none[2] = {"p", "?"};
    static const int64_t numbers[2] = {0, 1};
    sepal_input good = {.size = sizeof good, .rows = 2, .columns = 1, .values = x};
    good.label_count = 2;
    good.label_bits = bits;
    sepal_input bad[6] = {good, good, good, good, good, good};
    bad[0].labels = texts;
    bad[1].label_numbers = numbers;
    bad[2].label_bits = NULL;
    bad[3].label_names = twice;
    bad[4].label_names = alike;
    bad[5].label_names = none;
    for (size_t i = 0; i < 6; i++) {
        sepal_data *data = NULL;
        assert_int_equal(sepal_data_from(&data, ctx, &bad[i]), i < 3 ? SEPAL_EUSAGE : SEPAL_EDATA);
        assert_null(data);
    }
    sepal_data *data = NULL;
    assert_int_equal(sepal_data_from(&data, ctx, &good), SEPAL_OK);
    assert_int_equal(sepal_data_label_count(data, 0), 1);
    assert_string_equal(sepal_data_label_at(data, 0, 0), "2");
    assert_null(sepal_data_label_at(data, 0, 1));
    assert_null(sepal_data_label(data, 0));
    sepal_model *model = NULL;
    assert_int_equal(sepal_model_fit(&model, NULL, ctx, "logistic", data, NULL), SEPAL_EDATA);
    sepal_data_free(data);
}

/* ---- memory ----------------------------------------------------------------------------------------- */

static void test_memory(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(70), 1);
    struct sets s = sets_new(&rng, 40, 3, 4);
    set_label(&s, 2, 1);
    size_t points = 0;
    for (size_t at = 1, done = 0; !done; at++, points++) {
        sepal_data *data = sets_data(&s, true);
        sepal_model *model = NULL;
        sepal_report *report = NULL, *judged = NULL;
        sepal_predictions all = {.size = sizeof all, .labels = malloc(40 * 4)};
        assert_non_null(all.labels);
        ctx->faults[FAULT_ALLOC] = (struct fault){.fail_at = at};
        sepal_status status = sepal_model_fit(&model, &report, ctx, "multilabel", data, NULL);
        if (status == SEPAL_OK)
            status = sepal_model_predict_rows(&all, ctx, model, data, 0, 40, NULL);
        if (status == SEPAL_OK) status = sepal_model_evaluate(&judged, ctx, model, data, NULL);
        ctx->faults[FAULT_ALLOC].fail_at = 0;
        done = atomic_load(&ctx->faults[FAULT_ALLOC].calls) < at;
        if (status != SEPAL_OK) assert_int_equal(status, SEPAL_EMEMORY);
        if (done) assert_int_equal(status, SEPAL_OK);
        free(all.labels);
        sepal_report_free(report);
        sepal_report_free(judged);
        sepal_model_free(model);
        data_free(data);
    }
    printf("COUNT injection-points %zu 0\n", points);
    assert_true(points > 50);
    sets_free(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_constant_labels),
        cmocka_unit_test(test_constant_labels_unpenalised),
        cmocka_unit_test(test_warm),
        cmocka_unit_test(test_refused_input),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, set_up_one_thread, tear_down);
}
