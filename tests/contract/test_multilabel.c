/* Sets of labels: every label is a logistic regression of its own, whichever way all are solved; what is
   predicted follows from the scores of each; labels that never vary are no obstacle; judging sets is
   what plain loops make of them. */
#include "contract/least_squares_problem.h"

#include "data/data.h"
#include "fixture.h"
#include "model/model.h"
#include "report/report.h"

#include <math.h>

enum { LABELS_MOST = 40 };

/* Rows with any number of labels each; those above 8 in number are rare. */
struct sets {
    size_t rows, cols, labels;
    double *x, *weight;
    unsigned char *bits;
};

static struct sets sets_new(struct rng *rng, size_t rows, size_t cols, size_t labels) {
    struct sets s = {.rows = rows, .cols = cols, .labels = labels};
    s.x = malloc(rows * cols * sizeof *s.x);
    s.weight = malloc(rows * sizeof *s.weight);
    s.bits = malloc(rows * labels);
    assert_true(s.x && s.weight && s.bits);
    for (size_t i = 0; i < rows * cols; i++) s.x[i] = normal(rng);
    for (size_t i = 0; i < rows; i++) s.weight[i] = 0.5 + rng_unit(rng);
    for (size_t i = 0; i < rows; i++)
        for (size_t k = 0; k < labels; k++) {
            double score = s.x[i * cols + k % cols] - (k < 8 ? 0.3 * (double)k : 2);
            s.bits[i * labels + k] = score + normal(rng) > 0;
        }
    for (size_t k = 0; k < labels; k++) { /* each occurs, and is absent */
        s.bits[k] = 1;
        s.bits[labels + k] = 0;
    }
    return s;
}

static void sets_free(struct sets *s) {
    free(s->x);
    free(s->weight);
    free(s->bits);
}

static sepal_data *sets_data(const struct sets *s, bool weighted) {
    static const char *const names[LABELS_MOST] = {
        "a0", "a1", "a2", "a3", "a4", "a5", "a6", "a7", "a8", "a9", "b0", "b1", "b2", "b3",
        "b4", "b5", "b6", "b7", "b8", "b9", "c0", "c1", "c2", "c3", "c4", "c5", "c6", "c7",
        "c8", "c9", "d0", "d1", "d2", "d3", "d4", "d5", "d6", "d7", "d8", "d9"};
    sepal_data *data = NULL;
    sepal_input in = {.size = sizeof in,
                      .rows = s->rows,
                      .columns = s->cols,
                      .values = s->x,
                      .weights = weighted ? s->weight : NULL,
                      .label_count = s->labels,
                      .label_bits = s->bits,
                      .label_names = names};
    if (sepal_data_from(&data, ctx, &in) != SEPAL_OK) fail_msg("%s", sepal_ctx_error(ctx));
    return data;
}

/* Label k alone, against its absence. */
static sepal_data *alone(const struct sets *s, size_t k, bool weighted) {
    sepal_data *data = NULL;
    int64_t *label = malloc(s->rows * sizeof *label);
    assert_non_null(label);
    for (size_t i = 0; i < s->rows; i++) label[i] = s->bits[i * s->labels + k];
    sepal_input in = {.size = sizeof in,
                      .rows = s->rows,
                      .columns = s->cols,
                      .values = s->x,
                      .weights = weighted ? s->weight : NULL,
                      .label_numbers = label};
    assert_int_equal(sepal_data_from(&data, ctx, &in), SEPAL_OK);
    free(label);
    return data;
}

static sepal_model *fit_of(sepal_report **report, const char *spec, const sepal_data *data,
                           const char *options) {
    sepal_model *model = NULL;
    if (sepal_model_fit(&model, report, ctx, spec, data, options) != SEPAL_OK)
        fail_msg("%s: %s", spec, sepal_ctx_error(ctx));
    return model;
}

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

/* ---- decisions -------------------------------------------------------------------------------- */

struct answers {
    signed char *labels;
    double *numbers;
};

static struct answers ask(const sepal_model *model, const sepal_data *data, sepal_output what,
                          const char *options) {
    size_t n = sepal_data_rows(data), labels = sepal_model_classes(model);
    struct answers out = {malloc(n * labels), malloc(n * labels * sizeof(double))};
    assert_true(out.labels && out.numbers);
    sepal_predictions all = {
        .size = sizeof all, .labels = out.labels, .numbers = out.numbers, .what = what};
    if (sepal_model_predict_rows(&all, ctx, model, data, 0, n, options) != SEPAL_OK)
        fail_msg("%s", sepal_ctx_error(ctx));
    return out;
}

static void answers_free(struct answers *a) {
    free(a->labels);
    free(a->numbers);
}

static void test_decisions(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(66), 1);
    struct sets s = sets_new(&rng, 400, 3, 5);
    sepal_data *data = sets_data(&s, false);
    sepal_model *model = fit_of(NULL, "multilabel", data, NULL);
    struct answers by_score = ask(model, data, SEPAL_SCORES, NULL);
    struct answers by_p = ask(model, data, SEPAL_PROBABILITIES, "cutoff=0.2");
    struct answers drawn = ask(model, data, SEPAL_PROBABILITIES, "decide=soft");
    double expected[5] = {0}, spread[5] = {0}, met[5] = {0}, sum_of_row = 0;
    for (size_t i = 0; i < s.rows * 5; i++) {
        double p = by_p.numbers[i], score = by_score.numbers[i];
        assert_int_equal(by_score.labels[i], score >= 0);
        assert_int_equal(by_p.labels[i], p >= 0.2);
        assert_true(fabs(p - 1 / (1 + exp(-score))) <= 1e-15);
        expected[i % 5] += p;
        spread[i % 5] += p * (1 - p);
        met[i % 5] += drawn.labels[i];
        if (i < 5) sum_of_row += p;
    }
    assert_true(fabs(sum_of_row - 1) > 1e-6); /* they are not divided by their sum */
    for (size_t k = 0; k < 5; k++)
        assert_true(fabs(met[k] - expected[k]) <= 5 * sqrt(spread[k]) && met[k] > 0);
    int32_t class;
    assert_int_equal(sepal_model_predict(&class, ctx, model, data), SEPAL_EUSAGE);
    assert_int_equal(sepal_model_predict_row(&class, NULL, model, s.x, s.cols), SEPAL_EMODEL);
    double scores[5];
    assert_int_equal(sepal_model_predict_row(NULL, scores, model, s.x, s.cols), SEPAL_OK);
    assert_memory_equal(scores, by_score.numbers, sizeof scores);
    assert_int_equal(sepal_model_predict_check(ctx, model, NULL, "decide=reject"), SEPAL_EUSAGE);
    assert_int_equal(sepal_model_predict_check(ctx, model, NULL, "decide=soft, cutoff=0.5"),
                     SEPAL_EUSAGE);
    answers_free(&by_score);
    answers_free(&by_p);
    answers_free(&drawn);
    sepal_model_free(model);
    data_free(data);
    sets_free(&s);
}

/* ---- labels that never vary --------------------------------------------------------------------- */

static void set_label(struct sets *s, size_t k, unsigned char value) {
    for (size_t i = 0; i < s->rows; i++) s->bits[i * s->labels + k] = value;
}

static size_t warnings_of(const char *code) {
    size_t n = 0;
    for (size_t i = 0; i < sepal_ctx_warning_count(ctx); i++)
        n += strcmp(sepal_ctx_warning(ctx, i).code, code) == 0;
    return n;
}

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

/* ---- judging --------------------------------------------------------------------------------------- */

/* How much of the weight of pairs of a row with label k and one without it is in order. */
static double plain_auc(const struct sets *t, size_t k, const double *p, bool weighted) {
    double right = 0, all = 0;
    for (size_t i = 0; i < t->rows; i++)
        for (size_t h = 0; h < t->rows; h++) {
            size_t one = i * t->labels + k, other = h * t->labels + k;
            if (!t->bits[one] || t->bits[other]) continue;
            double weight = weighted ? t->weight[i] * t->weight[h] : 1;
            all += weight;
            right += weight * (p[one] > p[other] ? 1 : p[one] == p[other] ? 0.5 : 0);
        }
    return all > 0 ? right / all : NAN;
}

/* Rows by what is so (first) and what is said. */
static void check_label_counts(const sepal_report *report, size_t k, double own[2][2]) {
    static const char *const names[2][2] = {{"tn", "fp"}, {"fn", "tp"}};
    for (int is = 0; is < 2; is++)
        for (int said = 0; said < 2; said++) {
            char place[64];
            (void)snprintf(place, sizeof place, "per_class.%zu.%s", k, names[is][said]);
            double found = sepal_report_number(report, place);
            if (!(fabs(found - own[is][said]) <= 1e-9))
                fail_msg("%s: %g, not %g", place, found, own[is][said]);
        }
}

/* The second half judges rows none of which has the first label. */
static void test_measures(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(69), 1);
    for (size_t number = 0; number < 10; number++) {
        size_t labels = 1 + number % 5;
        struct sets s = sets_new(&rng, 70, 3, labels), t = sets_new(&rng, 40, 3, labels);
        if (number / 5 && labels > 1) set_label(&t, 0, 0);
        sepal_data *data = sets_data(&s, false), *test = sets_data(&t, number % 2);
        sepal_model *model = fit_of(NULL, "multilabel", data, NULL);
        sepal_report *report = NULL;
        assert_int_equal(sepal_model_evaluate(&report, ctx, model, test, "cutoff=0.4"), SEPAL_OK);
        struct answers answers = ask(model, test, SEPAL_PROBABILITIES, "cutoff=0.4");
        double exact = 0, wrong = 0, total = 0, loss = 0, brier = 0, macro = 0;
        double tp = 0, fp = 0, fn = 0, by_support = 0, auc = 0, ranked = 0;
        for (size_t i = 0; i < t.rows; i++) {
            double weight = number % 2 ? t.weight[i] : 1, miss = 0;
            total += weight;
            for (size_t k = 0; k < labels; k++) {
                bool has = t.bits[i * labels + k];
                double p = answers.numbers[i * labels + k];
                miss += has != (bool)answers.labels[i * labels + k];
                loss -= weight * log(has ? p : 1 - p);
                brier += weight * (has - p) * (has - p);
            }
            wrong += weight * miss;
            exact += miss == 0 ? weight : 0;
        }
        for (size_t k = 0; k < labels; k++) {
            double own[2][2] = {{0}};
            for (size_t i = 0; i < t.rows; i++)
                own[t.bits[i * labels + k]][answers.labels[i * labels + k]] +=
                    number % 2 ? t.weight[i] : 1;
            tp += own[1][1], fp += own[0][1], fn += own[1][0];
            double below = 2 * own[1][1] + own[0][1] + own[1][0];
            double f1 = below > 0 ? 2 * own[1][1] / below : 0;
            macro += f1 / (double)labels;
            by_support += f1 * (own[1][0] + own[1][1]);
            double area = plain_auc(&t, k, answers.numbers, number % 2);
            ranked += !isnan(area);
            auc += isnan(area) ? 0 : area;
            check_label_counts(report, k, own);
        }
        const struct {
            const char *path;
            double right;
        } facts[] = {{"subset_accuracy", exact / total},
                     {"accuracy", exact / total},
                     {"error", 1 - exact / total},
                     {"hamming_loss", wrong / (total * (double)labels)},
                     {"log_loss", loss / total},
                     {"brier", brier / total},
                     {"roc_auc", auc / ranked},
                     {"macro.f1", macro},
                     {"weighted.f1", by_support / (tp + fn)},
                     {"micro.f1", tp > 0 ? 2 * tp / (2 * tp + fp + fn) : 0},
                     {"micro.precision", tp + fp > 0 ? tp / (tp + fp) : 0},
                     {"cardinality.actual", (tp + fn) / total},
                     {"cardinality.predicted", (tp + fp) / total}};
        for (size_t f = 0; f < sizeof facts / sizeof *facts; f++)
            if (!(fabs(sepal_report_number(report, facts[f].path) - facts[f].right) <= 1e-9))
                fail_msg("%s: %.17g, not %.17g", facts[f].path,
                         sepal_report_number(report, facts[f].path), facts[f].right);
        answers_free(&answers);
        sepal_report_free(report);
        sepal_model_free(model);
        data_free(data);
        data_free(test);
        sets_free(&s);
        sets_free(&t);
    }
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
        cmocka_unit_test(test_lock_step),
        cmocka_unit_test(test_labels_alone),
        cmocka_unit_test(test_sum_of_certificates),
        cmocka_unit_test(test_class_weights),
        cmocka_unit_test(test_correct_priors),
        cmocka_unit_test(test_threads_and_files),
        cmocka_unit_test(test_single_labels),
        cmocka_unit_test(test_decisions),
        cmocka_unit_test(test_constant_labels),
        cmocka_unit_test(test_warm),
        cmocka_unit_test(test_measures),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_refused_input),
    };
    return cmocka_run_group_tests(tests, set_up_one_thread, tear_down);
}
