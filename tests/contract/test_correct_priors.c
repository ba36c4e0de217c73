/* After class weights, correct_priors=true: probabilities are those of rows as they are. On rows drawn from
   a known posterior they come near it, by any class weights, solver and strategy; two classes and pairs are
   shifted by the logarithm of the weights' ratio to the last digits; without class weights nothing changes. */
#include "contract/strategy_problem.h"

#include "report/report.h"

enum { ROWS = 4000, CLASSES = 3 };

/* Two columns; class k with probability proportional to exp(b_k + w_k x): what logistic regression assumes of
   two classes. */
static const double slopes[CLASSES][2] = {{0, 0}, {1.5, -0.5}, {-1, 1}}, levels[] = {2, 0, 0.3};

static struct problem drawn(struct rng *rng, size_t classes) {
    struct problem p = problem_new(rng, ROWS, 2, classes);
    for (size_t i = 0; i < ROWS; i++) {
        double odds[CLASSES], sum = 0, u = 0;
        p.x[2 * i] = normal(rng), p.x[2 * i + 1] = normal(rng);
        for (size_t k = 0; k < classes; k++)
            sum += odds[k] =
                exp(levels[k] + slopes[k][0] * p.x[2 * i] + slopes[k][1] * p.x[2 * i + 1]);
        u = rng_unit(rng) * sum;
        for (p.label[i] = 0; p.label[i] + 1 < (int)classes && u >= odds[p.label[i]]; p.label[i]++)
            u -= odds[p.label[i]];
    }
    return p;
}

static double *probabilities(const sepal_data *data, const char *spec, const char *options) {
    sepal_model *model = NULL;
    if (sepal_model_fit(&model, NULL, ctx, spec, data, options) != SEPAL_OK)
        fail_msg("%s: %s", spec, ctx->error.message);
    sepal_predictions all = predict_all(model, data, SEPAL_PROBABILITIES, NULL);
    free(all.classes);
    sepal_model_free(model);
    return all.numbers;
}

/* The largest mean difference of a class's probabilities, and the mean absolute one. */
static void compare(const double *a, const double *b, size_t classes, double *level, double *size) {
    *level = *size = 0;
    for (size_t k = 0; k < classes; k++) {
        double sum = 0;
        for (size_t i = 0; i < ROWS; i++) {
            sum += a[i * classes + k] - b[i * classes + k];
            *size += fabs(a[i * classes + k] - b[i * classes + k]) / ROWS / (double)classes;
        }
        *level = fmax(*level, fabs(sum / ROWS));
    }
}

static void near_those_of_the_rows(void **state) {
    (void)state;
    static const struct {
        const char *spec, *options;
        size_t classes;
        double most; /* the rest may have several weights, which no intercept takes back */
    } cases[] = {
        {"logistic(penalty=none, class_weight=balanced", NULL, 2, 0.01},
        {"logistic(penalty=none, class_weight=\"c01:5\"", NULL, 2, 0.01},
        {"logistic(C=1, class_weight=\"c00:0.2,c01:3\"", "solver=lbfgs", 2, 0.01},
        {"logistic(C=1, class_weight=balanced", "solver=dual", 2, 0.01},
        {"logistic(C=1, class_weight=balanced, bias=penalised", NULL, 2, 0.01},
        {"logistic(C=1, class_weight=balanced", NULL, 3, 0.02},
        {"logistic(C=1, class_weight=balanced", "solver=newton-cg", 3, 0.02},
        {"logistic(C=1, class_weight=\"c02:4\"", NULL, 3, 0.03},
    };
    struct rng rng = rng_make(test_seed(1), 1);
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct problem p = drawn(&rng, cases[c].classes);
        sepal_data *data = problem_data(&p, ctx, c % 2);
        char weighted[128], corrected[128];
        double level, size;
        (void)snprintf(weighted, sizeof weighted, "%s)", cases[c].spec);
        (void)snprintf(corrected, sizeof corrected, "%s, correct_priors=true)", cases[c].spec);
        double *plain = probabilities(data, "logistic(C=1)", NULL);
        double *shifted = probabilities(data, weighted, cases[c].options);
        double *back = probabilities(data, corrected, cases[c].options);
        compare(shifted, plain, cases[c].classes, &level, &size);
        if (!(size > 2 * cases[c].most)) fail_msg("%s: only %g off", weighted, size);
        compare(back, plain, cases[c].classes, &level, &size);
        if (!(size < cases[c].most && level < cases[c].most))
            fail_msg("%s: %g off, in the mean %g", corrected, size, level);
        free(plain);
        free(shifted);
        free(back);
        data_free(data);
        problem_free(&p);
    }
}

static void the_shift_is_the_ratio(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(2), 1);
    static const struct {
        const char *weights, *strategy;
        size_t classes;
        double odds[CLASSES]; /* of each function, 0: N_0 / N_1 of its rows */
    } cases[] = {
        {"balanced", "", 2, {0}},
        {"\"c01:5\"", "", 2, {5}},
        {"\"c00:8,c01:2\"", "", 2, {0.25}},
        {"\"c00:8,c01:2\"", " | ovo", 3, {0.25, 0.125, 0.5}},
        {"balanced", " | ovo", 3, {0, 0, 0}},
        {"balanced", " | ovr", 3, {0, 0, 0}},
        {"balanced", " | ovr-1", 3, {0, 0}},
        {"\"c02:3,c00:3,c01:3\"", " | ovr", 3, {1, 1, 1}},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
        for (int weighted = 0; weighted < 2; weighted++) {
            struct problem p = drawn(&rng, cases[c].classes);
            if (weighted) problem_weigh(&p, &rng);
            sepal_data *data = problem_data(&p, ctx, false);
            char spec[128];
            sepal_model *models[2];
            for (int corrected = 0; corrected < 2; corrected++) {
                (void)snprintf(spec, sizeof spec, "logistic(class_weight=%s%s)%s", cases[c].weights,
                               corrected ? ", correct_priors" : "", cases[c].strategy);
                models[corrected] = fit_spec(data, spec);
            }
            const struct linear *one = &models[0]->linear, *other = &models[1]->linear;
            assert_memory_equal(one->w, other->w, one->rows * one->cols * sizeof *one->w);
            for (size_t r = 0; r < one->rows; r++) {
                size_t sides[2] = {0, 1};
                double n[2] = {0, 0};
                if (cases[c].classes > 2) one->strategy->sides(r, 3, sides);
                for (size_t i = 0; i < ROWS; i++)
                    for (int side = 0; side < 2; side++)
                        if (sides[side] == (size_t)p.label[i] ||
                            (sides[side] == ALL_OTHERS && (size_t)p.label[i] != sides[1]))
                            n[side] += problem_weight(&p, i);
                double odds = cases[c].odds[r] > 0 ? cases[c].odds[r] : n[0] / n[1];
                if (!(fabs(one->b[r] - other->b[r] - log(odds)) < 1e-9))
                    fail_msg("%s, function %zu: %g, not %g", spec, r, one->b[r] - other->b[r],
                             log(odds));
            }
            sepal_model_free(models[0]);
            sepal_model_free(models[1]);
            data_free(data);
            problem_free(&p);
        }
}

/* The intercepts of a joint model, of which only differences count, by the logarithms of the class weights. */
static void the_shift_of_softmax(void **state) {
    (void)state;
    static const struct {
        const char *weights;
        size_t classes;
        double weight[CLASSES]; /* of each class, 0: N / (K N_k) */
    } cases[] = {
        {"balanced", 2, {0}},        {"\"c01:5\"", 2, {1, 5}},          {"balanced", 3, {0}},
        {"\"c02:4\"", 3, {1, 1, 4}}, {"\"c00:8,c01:2\"", 3, {8, 2, 1}},
    };
    struct rng rng = rng_make(test_seed(4), 1);
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
        for (int weighted = 0; weighted < 2; weighted++) {
            size_t classes = cases[c].classes;
            struct problem p = drawn(&rng, classes);
            if (weighted) problem_weigh(&p, &rng);
            sepal_data *data = problem_data(&p, ctx, false);
            double n[CLASSES] = {0}, by[CLASSES] = {0}, factor[CLASSES], total = 0;
            for (size_t i = 0; i < ROWS; i++) n[p.label[i]] += problem_weight(&p, i);
            for (size_t k = 0; k < classes; k++) total += n[k];
            sepal_model *models[2];
            char spec[128];
            for (int corrected = 0; corrected < 2; corrected++) {
                (void)snprintf(spec, sizeof spec, "softmax(class_weight=%s%s)", cases[c].weights,
                               corrected ? ", correct_priors" : "");
                models[corrected] = fit_spec(data, spec);
            }
            const struct linear *one = &models[0]->linear, *other = &models[1]->linear;
            assert_memory_equal(one->w, other->w, one->rows * one->cols * sizeof *one->w);
            for (size_t r = 0; r < one->rows; r++)
                by[one->rows == 1 ? 1 : r] = one->b[r] - other->b[r];
            for (size_t k = 0; k < classes; k++)
                factor[k] =
                    cases[c].weight[k] > 0 ? cases[c].weight[k] : total / ((double)classes * n[k]);
            for (size_t k = 1; k < classes; k++)
                if (!(fabs(by[k] - by[0] - log(factor[k] / factor[0])) < 1e-9))
                    fail_msg("%s, class %zu: %g, not %g", spec, k, by[k] - by[0],
                             log(factor[k] / factor[0]));
            sepal_model_free(models[0]);
            sepal_model_free(models[1]);
            data_free(data);
            problem_free(&p);
        }
}

/* The report says which are in force; without class weights there is nothing to say but that. */
static void is_told(void **state) {
    (void)state;
    static const struct {
        const char *spec, *priors;
        size_t warnings;
    } cases[] = {
        {"logistic", "", 0},
        {"logistic(correct_priors)", "", 1},
        {"logistic(class_weight=balanced)", "weighted", 0},
        {"logistic(class_weight=balanced, correct_priors)", "corrected", 0},
        {"svm(class_weight=balanced)", "", 0},
    };
    struct rng rng = rng_make(test_seed(3), 1);
    for (size_t classes = 2; classes <= 3; classes++) {
        struct problem p = any_problem(&rng, classes, 2);
        sepal_data *data = problem_data(&p, ctx, false);
        sepal_model *plain = fit_spec(data, "logistic");
        for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
            sepal_model *model;
            sepal_report *report;
            char *text;
            sepal_ctx_clear_warnings(ctx);
            assert_int_equal(sepal_model_fit(&model, &report, ctx, cases[c].spec, data, NULL),
                             SEPAL_OK);
            assert_int_equal(warnings_of("correct-priors"), cases[c].warnings);
            const char *told = sepal_report_string(report, "priors_in_force");
            assert_string_equal(told ? told : "", cases[c].priors);
            assert_int_equal(sepal_report_text(&text, ctx, report), SEPAL_OK);
            assert_int_equal(strstr(text, "\npriors ") != NULL, *cases[c].priors != 0);
            if (c == 1)
                assert_memory_equal(model->linear.b, plain->linear.b,
                                    plain->linear.rows * sizeof *plain->linear.b);
            sepal_text_free(text);
            sepal_report_free(report);
            sepal_model_free(model);
        }
        sepal_model_free(plain);
        data_free(data);
        problem_free(&p);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(near_those_of_the_rows),
        cmocka_unit_test(the_shift_is_the_ratio),
        cmocka_unit_test(the_shift_of_softmax),
        cmocka_unit_test(is_told),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
