/* Regularisation paths: every value's objective is that of a fit by itself; all weights are 0 at the
   beginning and not just below it; the loss explained grows along the path; what cross-validation says is
   what fits on selected rows say, written out; the choice follows from the numbers told; the model is that
   of a plain fit, byte by byte; threads change no number; what cannot be is refused. */
#include "contract/convex_problem.h"
#include "contract/path_facts.h"

#include "objective/loss.h"
#include "selection/folds.h"

#include "seed.h"

#include <stdio.h>

static sepal_report *path_of(const sepal_data *data, const char *spec, const char *options,
                             const char *fit_options, sepal_model **model) {
    sepal_report *report = NULL;
    sepal_model *made = NULL;
    if (sepal_select(&made, &report, ctx, "path", &spec, 1, data, options, fit_options) != SEPAL_OK)
        fail_msg("%s, %s: %s", spec, options, ctx->error.message);
    if (model)
        *model = made;
    else
        sepal_model_free(made);
    return report;
}

/* "head(l1=..., l2=..., rest)": the spec of a value of the path. */
static void spec_at(char out[256], const char *head, const char *rest, const sepal_report *report,
                    size_t k) {
    snprintf(out, 256, "%s(l1=%.17g, l2=%.17g%s%s)", head, path_fact(report, k, "l1"),
             path_fact(report, k, "l2"), *rest ? ", " : "", rest);
}

/* ---- the fits ----------------------------------------------------------------------------------- */

static const struct {
    const char *head, *penalty, *rest;
    double tol;
} cases[] = {
    {"logistic", "penalty=l1", "", 1e-8},
    {"logistic", "penalty=l1", "bias=false", 1e-8},
    {"logistic", "penalty=l1", "bias=penalised", 1e-8},
    {"logistic", "penalty=elasticnet, ratio=0.3", "", 1e-8},
    {"logistic", "penalty=elasticnet, ratio=0.9", "class_weight=balanced", 1e-8},
    {"logistic", "penalty=l2", "", 1e-8},
    {"svm", "penalty=l1", "", 1e-8},
    {"svm", "penalty=l1", "class_weight=balanced, bias=false", 1e-8},
    {"svm", "penalty=elasticnet, ratio=0.5", "", 1e-8},
    {"svm", "penalty=l2", "class_weight=\"c01:3\"", 1e-8},
    {"svm", "penalty=l2", "loss=hinge", 1e-6},
    {"standardize | logistic", "penalty=l1", "", 1e-8},
    {"standardize | svm", "penalty=l1", "", 1e-8},
};
enum { CASES = sizeof cases / sizeof *cases };

/* The loss without the penalty, as a part of that of the bias alone, in units that no map has changed. */
static void check_explained(const sepal_report *report, size_t k, size_t c,
                            const struct answer *one) {
    double loss = one->objective;
    bool bias = strstr(cases[c].rest, "penalised") != NULL;
    for (size_t j = 0; j < one->cols + bias; j++) {
        double w = j < one->cols ? one->w[j] : one->b;
        loss -= path_fact(report, k, "l1") * fabs(w) + path_fact(report, k, "l2") / 2 * w * w;
    }
    double right = fmax(0, 1 - loss / sepal_report_number(report, "null_loss"));
    check_small("explained", c, fabs(path_fact(report, k, "explained") - right), 2e-3);
}

static void check_values(const sepal_data *data, const sepal_report *report, size_t c) {
    char spec[256], options[32];
    double before = -1;
    snprintf(options, sizeof options, "tol=%g", cases[c].tol);
    for (size_t k = 0; k < path_length(report); k++) {
        spec_at(spec, cases[c].head, cases[c].rest, report, k);
        struct answer one = fit_data_by(data, spec, options);
        assert_int_equal(one.status, SEPAL_OK);
        double off = fabs(path_fact(report, k, "objective") - one.objective);
        check_small(spec, c, off, 2 * cases[c].tol * one.objective);
        /* where a fit by itself does not come to its gap, no more is asked of the path */
        check_small("the gap", c, path_fact(report, k, "gap"), fmax(cases[c].tol, one.gap));
        assert_true(path_fact(report, k, "converged") == 1 || !one.converged);
        assert_true(path_fact(report, k, "explained") >= before - 1e-6);
        double by_c =
            path_fact(report, k, "C") * path_fact(report, k, "lambda") * data->total_weight;
        check_small("C", c, fabs(by_c - 1), 1e-12);
        if (!strchr(cases[c].head, '|')) check_explained(report, k, c, &one);
        before = path_fact(report, k, "explained");
        answer_free(&one);
    }
}

static void path_is_fits(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(1), 0);
    for (size_t c = 0; c < CASES; c++)
        for (int sparse = 0; sparse < 2; sparse++) {
            size_t wide = rng_below(&rng, 2);
            struct problem p =
                problem_new(&rng, wide ? 24 : 60 + rng_below(&rng, 60), wide ? 60 : 7, 2);
            char spec[256];
            for (size_t i = 0; i < p.rows * p.cols; i++) /* some zeros, and a large mean */
                p.x[i] = rng_below(&rng, 3) == 0 ? 0 : p.x[i] + (i % p.cols == 3 ? 5 : 0);
            if (rng_below(&rng, 2)) problem_weigh(&p, &rng);
            sepal_data *data = problem_data(&p, ctx, sparse);
            snprintf(spec, sizeof spec, "%s(%s%s%s)", cases[c].head, cases[c].penalty,
                     *cases[c].rest ? ", " : "", cases[c].rest);
            char options[64];
            snprintf(options, sizeof options, "tol=%g", cases[c].tol);
            sepal_report *report =
                path_of(data, spec, "folds=2, path-length=9, lambda-min-ratio=0.01", options, NULL);
            assert_int_equal(path_length(report), 9);
            check_values(data, report, c);
            sepal_report_free(report);
            data_free(data);
            problem_free(&p);
        }
}

/* ---- the beginning ------------------------------------------------------------------------------ */

static void begins_at_zero(void **state) {
    static const char *const specs[] = {"logistic(penalty=l1)",
                                        "logistic(penalty=l1, bias=false)",
                                        "svm(penalty=l1)",
                                        "svm(penalty=l1, bias=penalised)",
                                        "logistic(penalty=elasticnet, ratio=0.5)",
                                        "logistic(penalty=l1, class_weight=balanced)"};
    struct rng rng = rng_make(test_seed(2), 0);
    (void)state;
    for (size_t s = 0; s < sizeof specs / sizeof *specs; s++)
        for (int sparse = 0; sparse < 2; sparse++) {
            struct problem p = problem_new(&rng, 80, 5, 2);
            if (s % 2) problem_weigh(&p, &rng);
            sepal_data *data = problem_data(&p, ctx, sparse);
            sepal_report *report = path_of(data, specs[s], "folds=2", NULL, NULL);
            char options[96];
            assert_int_equal(path_length(report), 100);
            assert_true(path_fact(report, 0, "nonzero") == 0);
            assert_true(path_fact(report, 0, "explained") <= 1e-9);
            assert_true(fabs(path_fact(report, 99, "lambda") / path_fact(report, 0, "lambda") -
                             1e-4) < 1e-9);
            double first = path_fact(report, 0, "lambda");
            sepal_report_free(report);
            snprintf(options, sizeof options, "folds=2, lambdas=\"%.17g, %.17g\"", first,
                     first * (1 - 1e-3));
            report = path_of(data, specs[s], options, "tol=1e-10", NULL);
            assert_true(path_fact(report, 0, "nonzero") == 0);
            assert_true(path_fact(report, 1, "nonzero") > 0);
            sepal_report_free(report);
            data_free(data);
            problem_free(&p);
        }
}

/* ---- cross-validation --------------------------------------------------------------------------- */

struct by_hand {
    double loss[5], error[5], weight[5];
};

/* Which side of function r a row is on: 1, -1, or 0 where it is of neither class. */
static double side_by_hand(const struct linear *linear, size_t r, size_t class) {
    size_t sides[2] = {0, 1};
    if (linear->classes > 2) linear->strategy->sides(r, linear->classes, sides);
    if (class == sides[1]) return 1;
    return sides[0] == ALL_OTHERS || class == sides[0] ? -1 : 0;
}

/* The mean loss of rows by a plain fit on the others, class factors as balanced has them: of the rows that
   the function tells apart, half to each side. */
static void judge_fold(struct by_hand *out, size_t f, const sepal_data *data, const uint32_t *fold,
                       const char *spec, const struct loss *loss, bool balanced) {
    sepal_data *train, *held;
    sepal_model *model = NULL;
    assert_int_equal(folds_select(&train, ctx, data, fold, f, false), SEPAL_OK);
    assert_int_equal(folds_select(&held, ctx, data, fold, f, true), SEPAL_OK);
    if (sepal_model_fit(&model, NULL, ctx, spec, train, "tol=1e-10") != SEPAL_OK)
        fail_msg("%s", ctx->error.message);
    size_t n = held->matrix.rows, rows = model->linear.rows;
    double *scores = scores_of(model, held);
    out->loss[f] = out->error[f] = 0;
    for (size_t r = 0; r < rows; r++) {
        double side[2] = {0, 0};
        for (size_t i = 0; i < train->matrix.rows; i++) {
            double at = side_by_hand(&model->linear, r, (size_t)train->label[i]);
            if (at != 0) side[at > 0] += data_weight(train, i);
        }
        for (size_t i = 0; i < n; i++) {
            double at = side_by_hand(&model->linear, r, (size_t)held->label[i]), value;
            double m = at * scores[i * rows + r];
            if (at == 0) continue;
            loss->at(ctx->kernels, 1, &m, &value, NULL, NULL);
            double factor = balanced ? (side[0] + side[1]) / (2 * side[at > 0]) : 1;
            out->loss[f] += factor * data_weight(held, i) * value / held->total_weight;
        }
    }
    for (size_t i = 0; i < n; i++) {
        if (linear_decide(&model->linear, scores + i * rows) != held->label[i])
            out->error[f] += data_weight(held, i) / held->total_weight;
    }
    out->weight[f] = held->total_weight;
    free(scores);
    sepal_model_free(model);
    data_free(train);
    data_free(held);
}

static void check_judgement(const sepal_report *report, size_t k, const struct by_hand *hand) {
    enum { FOLDS = 5 };
    double loss = 0, error = 0, total = 0, loss_square = 0, error_square = 0;
    for (size_t f = 0; f < FOLDS; f++) {
        loss += hand->weight[f] * hand->loss[f];
        error += hand->weight[f] * hand->error[f];
        total += hand->weight[f];
    }
    loss /= total;
    error /= total;
    for (size_t f = 0; f < FOLDS; f++) {
        loss_square += hand->weight[f] * pow(hand->loss[f] - loss, 2);
        error_square += hand->weight[f] * pow(hand->error[f] - error, 2);
    }
    check_small("the loss", k, fabs(path_fact(report, k, "loss") - loss), 1e-4 * loss);
    check_small("its standard error", k,
                fabs(path_fact(report, k, "loss_standard_error") - sqrt(loss_square / total / 4)),
                1e-3 * loss);
    check_small("the error", k, fabs(path_fact(report, k, "error") - error), 1e-12);
    check_small("its standard error", k,
                fabs(path_fact(report, k, "error_standard_error") - sqrt(error_square / total / 4)),
                1e-12);
}

static void folds_are_fits(void **state) {
    static const struct {
        const char *head, *penalty, *rest;
        const struct loss *loss;
        size_t classes;
        bool weighted;
        const char *strategy;
    } kinds[] = {
        {"logistic", "penalty=l1", "", &loss_logistic, 2, true, ""},
        {"standardize | logistic", "penalty=l1", "class_weight=balanced", &loss_logistic, 2, true,
         ""},
        {"standardize | svm", "penalty=elasticnet, ratio=0.5", "", &loss_squared_hinge, 2, false,
         ""},
        {"minmax | logistic", "penalty=l2", "", &loss_logistic, 3, false, ""},
        {"svm", "penalty=l1", "", &loss_squared_hinge, 3, true, ""},
        {"svm", "penalty=l1", "class_weight=balanced", &loss_squared_hinge, 3, true, ""},
        {"logistic", "penalty=l1", "", &loss_logistic, 3, true, " | ovo"},
        {"logistic", "penalty=l2", "class_weight=balanced", &loss_logistic, 4, false, " | ovo"},
    };
    struct rng rng = rng_make(test_seed(3), 0);
    (void)state;
    for (size_t c = 0; c < sizeof kinds / sizeof *kinds; c++)
        for (int sparse = 0; sparse < 2; sparse++) {
            struct problem p = problem_new(&rng, 90, 6, kinds[c].classes);
            if (kinds[c].weighted) problem_weigh(&p, &rng);
            sepal_data *data = problem_data(&p, ctx, sparse);
            uint32_t fold[90];
            char spec[256];
            assert_int_equal(folds_make(fold, ctx, data, 5, 0), SEPAL_OK);
            snprintf(spec, sizeof spec, "%s(%s%s%s)%s", kinds[c].head, kinds[c].penalty,
                     *kinds[c].rest ? ", " : "", kinds[c].rest, kinds[c].strategy);
            sepal_report *report = path_of(
                data, spec, "folds=5, path-length=4, lambda-min-ratio=0.05", "tol=1e-10", NULL);
            for (size_t k = 0; k < 4; k++) {
                struct by_hand hand;
                spec_at(spec, kinds[c].head, kinds[c].rest, report, k);
                strcat(spec, kinds[c].strategy);
                for (size_t f = 0; f < 5; f++)
                    judge_fold(&hand, f, data, fold, spec, kinds[c].loss, *kinds[c].rest != 0);
                check_judgement(report, k, &hand);
            }
            sepal_report_free(report);
            data_free(data);
            problem_free(&p);
        }
}

static void folds_are_stratified(void **state) {
    struct rng rng = rng_make(test_seed(4), 0);
    (void)state;
    for (size_t t = 0; t < 30; t++) {
        enum { ROWS = 97 };
        size_t classes = 2 + rng_below(&rng, 3), folds = 2 + rng_below(&rng, 9);
        struct problem p = problem_new(&rng, ROWS, 1, classes);
        for (size_t i = 0; i < classes; i++) p.label[ROWS - 1 - i] = (int)i; /* at least two each */
        sepal_data *data = problem_data(&p, ctx, false);
        uint32_t fold[ROWS], other[ROWS];
        size_t of_fold[12] = {0}, of[12][8] = {{0}}, all[8] = {0};
        sepal_ctx_set_seed(ctx, t + 1);
        assert_int_equal(folds_make(fold, ctx, data, folds, 0), SEPAL_OK);
        for (size_t i = 0; i < ROWS; i++) {
            of_fold[fold[i]]++;
            of[fold[i]][data->label[i]]++;
            all[data->label[i]]++;
        }
        for (size_t f = 0; f < folds; f++) {
            assert_in_range(of_fold[f], ROWS / folds, ROWS / folds + 1);
            for (size_t k = 0; k < classes; k++)
                assert_in_range(of[f][k], all[k] / folds, all[k] / folds + 1);
        }
        sepal_data *train, *held; /* which have each row once */
        assert_int_equal(folds_select(&train, ctx, data, fold, 1, false), SEPAL_OK);
        assert_int_equal(folds_select(&held, ctx, data, fold, 1, true), SEPAL_OK);
        assert_int_equal(held->matrix.rows, of_fold[1]);
        assert_int_equal(train->matrix.rows, ROWS - of_fold[1]);
        for (size_t i = 0; i < train->matrix.rows; i++)
            assert_true(fold[matrix_row_number(&train->matrix, i)] != 1);
        data_free(train);
        data_free(held);
        sepal_ctx_set_seed(ctx, t + 2);
        assert_int_equal(folds_make(other, ctx, data, folds, 0), SEPAL_OK);
        assert_true(memcmp(fold, other, sizeof fold) != 0);
        sepal_ctx_set_seed(ctx, 1);
        data_free(data);
        problem_free(&p);
    }
}

/* ---- the choice --------------------------------------------------------------------------------- */

static void check_choice(const sepal_report *report) {
    size_t best = 0, strongest = 0;
    for (size_t k = 1; k < path_length(report); k++)
        if (path_fact(report, k, "loss") < path_fact(report, best, "loss")) best = k;
    double most = path_fact(report, best, "loss") + path_fact(report, best, "loss_standard_error");
    while (path_fact(report, strongest, "loss") > most) strongest++;
    assert_true(sepal_report_number(report, "best.index") == (double)best);
    assert_true(sepal_report_number(report, "one_standard_error.index") == (double)strongest);
    assert_true(sepal_report_number(report, "one_standard_error.l1") ==
                path_fact(report, strongest, "l1"));
}

static void model_is_plain(void **state) {
    static const char *const specs[] = {"standardize | logistic(penalty=l1)", "svm(penalty=l2)",
                                        "logistic(penalty=elasticnet, ratio=0.2) | ovo"};
    struct rng rng = rng_make(test_seed(5), 0);
    (void)state;
    for (size_t s = 0; s < 3; s++)
        for (int least = 0; least < 2; least++) {
            struct problem p = problem_new(&rng, 120, 8, s == 2 ? 3 : 2);
            sepal_data *data = problem_data(&p, ctx, s == 1);
            sepal_model *chosen, *plain = NULL;
            const char *rule = s == 0 ? "cutoff=0.3" : NULL;
            sepal_report *report =
                path_of(data, specs[s], least ? "choose=min, folds=4" : "folds=4", rule, &chosen);
            if (s == 2) sepal_ctx_clear_warnings(ctx);
            check_choice(report);
            const char *spec = sepal_report_string(report, "spec");
            assert_string_equal(spec, sepal_model_spec(chosen));
            assert_int_equal(sepal_model_fit(&plain, NULL, ctx, spec, data, rule), SEPAL_OK);
            void *one, *other;
            size_t n, m;
            assert_int_equal(sepal_model_to_memory(&one, &n, ctx, chosen), SEPAL_OK);
            assert_int_equal(sepal_model_to_memory(&other, &m, ctx, plain), SEPAL_OK);
            assert_int_equal(n, m);
            assert_memory_equal(one, other, n);
            sepal_bytes_free(one);
            sepal_bytes_free(other);
            sepal_model_free(chosen);
            sepal_model_free(plain);
            sepal_report_free(report);
            data_free(data);
            problem_free(&p);
        }
}

/* ---- threads and stops -------------------------------------------------------------------------- */

static void threads_change_nothing(void **state) {
    static const char *const specs[] = {"logistic(penalty=l1)", "svm(penalty=l1, bias=false)",
                                        "standardize | logistic"};
    static const char *const keys[] = {"objective", "gap",     "loss",      "loss_standard_error",
                                       "error",     "nonzero", "iterations"};
    struct rng rng = rng_make(test_seed(6), 0);
    struct problem p = problem_new(&rng, 3000, 40, 2);
    (void)state;
    for (size_t i = 0; i < p.rows * p.cols; i++)
        if (rng_below(&rng, 4)) p.x[i] = 0;
    for (size_t s = 0; s < 3; s++) {
        sepal_data *data = problem_data(&p, ctx, s < 2);
        sepal_report *report[2];
        for (int t = 0; t < 2; t++) {
            sepal_ctx_set_threads(ctx, t ? 4 : 1);
            report[t] = path_of(data, specs[s], "folds=3, path-length=12", NULL, NULL);
        }
        for (size_t k = 0; k < 12; k++)
            for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
                assert_true(path_fact(report[0], k, keys[i]) == path_fact(report[1], k, keys[i]));
        sepal_report_free(report[0]);
        sepal_report_free(report[1]);
        data_free(data);
    }
    sepal_ctx_set_threads(ctx, 1);
    problem_free(&p);
}

static char heard[256];
static int stop_after(const char *line, void *payload) {
    size_t *left = payload;
    if (*line) snprintf(heard, sizeof heard, "%s", line);
    return (*left)-- <= 1;
}

static void stops_when_asked(void **state) {
    struct rng rng = rng_make(test_seed(7), 0);
    struct problem p = problem_new(&rng, 200, 10, 2);
    sepal_data *data = problem_data(&p, ctx, false);
    (void)state;
    bool ended = false;
    for (size_t after = 1; !ended; after += 1 + after / 2) {
        size_t left = after;
        sepal_model *model = NULL;
        sepal_report *report = NULL;
        sepal_ctx_set_progress(ctx, stop_after, &left);
        const char *const specs[] = {"logistic(penalty=l1)"};
        sepal_status status = sepal_select(&model, &report, ctx, "path", specs, 1, data,
                                           "folds=3, path-length=20", NULL);
        ended = status == SEPAL_OK;
        if (!ended) {
            assert_int_equal(status, SEPAL_ECANCEL);
            assert_non_null(strstr(ctx->error.message, "interrupted"));
            assert_null(model);
            assert_null(report);
        }
        sepal_ctx_set_progress(ctx, NULL, NULL);
        sepal_model_free(model);
        sepal_report_free(report);
        assert_true(after < 1000000);
    }
    data_free(data);
    problem_free(&p);
}

/* ---- what cannot be ----------------------------------------------------------------------------- */

static void refused(const sepal_data *data, const char *spec, const char *options,
                    const char *fit_options, sepal_status status, const char *word) {
    sepal_model *model = NULL;
    sepal_report *report = NULL;
    assert_int_equal(
        sepal_select(&model, &report, ctx, "path", &spec, 1, data, options, fit_options), status);
    if (!strstr(ctx->error.message, word)) fail_msg("'%s' lacks %s", ctx->error.message, word);
    assert_null(model);
    assert_null(report);
    bool words = status == SEPAL_EUSAGE && !strstr(word, "rows");
    if (words)
        assert_int_equal(
            sepal_select(NULL, NULL, ctx, "path", &spec, 1, NULL, options, fit_options), status);
}

static void refuses(void **state) {
    struct rng rng = rng_make(test_seed(8), 0);
    struct problem p = problem_new(&rng, 20, 3, 2);
    for (size_t i = 0; i < p.rows; i++) p.label[i] = i > 12;
    sepal_data *data = problem_data(&p, ctx, false);
    const char *l1 = "logistic(penalty=l1)";
    (void)state;
    refused(data, l1, "folds=21", NULL, SEPAL_EUSAGE, "more than the 20 rows");
    refused(data, l1, "folds=1", NULL, SEPAL_EUSAGE, "folds");
    refused(data, l1, "path-length=1", NULL, SEPAL_EUSAGE, "path_length=1");
    refused(data, l1, "lambdas=0.1", NULL, SEPAL_EUSAGE, "path of one value");
    refused(data, l1, "lambdas=\"0.1,0.2\"", NULL, SEPAL_EUSAGE, "must fall");
    refused(data, l1, "lambdas=\"0.1,0.1\"", NULL, SEPAL_EUSAGE, "must fall");
    refused(data, l1, "lambdas=\"0.1,0\"", NULL, SEPAL_EUSAGE, "'0'");
    refused(data, l1, "lambdas=\"0.1,-1\"", NULL, SEPAL_EUSAGE, "'-1'");
    refused(data, l1, "lambdas=\"0.1,,0.01\"", NULL, SEPAL_EUSAGE, "''");
    refused(data, l1, "lambdas=\"0.1,nan\"", NULL, SEPAL_EUSAGE, "'nan'");
    refused(data, l1, "lambdas=\"0.2,0.1\", lambda-min-ratio=0.1", NULL, SEPAL_EUSAGE, "leave one");
    refused(data, l1, "lambda-min-ratio=1", NULL, SEPAL_EUSAGE, "lambda_min_ratio=1");
    refused(data, l1, "banana=1", NULL, SEPAL_EUSAGE, "banana");
    refused(data, "logistic(penalty=none)", NULL, NULL, SEPAL_EUSAGE, "penalty=none");
    refused(data, "logistic(l1=0.1)", NULL, NULL, SEPAL_EUSAGE, "l1 or l2");
    refused(data, "logistic(C=5)", NULL, NULL, SEPAL_EUSAGE, "C says");
    refused(data, "lda", NULL, NULL, SEPAL_EUSAGE, "logistic, svm");
    refused(data, l1, NULL, "solver=sgd", SEPAL_EUSAGE, "sgd");
    refused(data, l1, NULL, "warm=m.sepal", SEPAL_EUSAGE, "warm");
    data_free(data);
    for (size_t i = 0; i < p.rows; i++) p.label[i] = i == 7;
    data = problem_data(&p, ctx, false);
    refused(data, l1, NULL, NULL, SEPAL_EDATA, "a single row");
    data_free(data);
    for (size_t i = 0; i < p.rows; i++) p.label[i] = i > 12;
    for (size_t i = 0; i < p.rows * p.cols; i++) p.x[i] = 2;
    data = problem_data(&p, ctx, false);
    refused(data, l1, NULL, NULL, SEPAL_EDATA, "no feature tells");
    data_free(data);
    problem_free(&p);
}

/* Few rows of a class are judged by some folds only, and separable classes have a path like others. */
static void odd_data(void **state) {
    struct rng rng = rng_make(test_seed(9), 0);
    struct problem p = problem_new(&rng, 40, 3, 2);
    (void)state;
    for (size_t i = 0; i < p.rows; i++) {
        p.label[i] = i % 13 == 0;
        p.x[i * 3] = p.label[i] ? 5 : -5;
    }
    sepal_data *data = problem_data(&p, ctx, false);
    sepal_ctx_clear_warnings(ctx);
    sepal_report *report = path_of(data, "logistic(penalty=l1)", NULL, NULL, NULL);
    assert_true(has_warned(ctx, "few-rows"));
    assert_int_equal(path_length(report), 100);
    for (size_t k = 0; k < 100; k++) assert_true(path_fact(report, k, "converged") == 1);
    assert_true(path_fact(report, 99, "explained") > 0.99);
    assert_true(path_fact(report, 99, "error") == 0);
    sepal_report_free(report);
    data_free(data);
    problem_free(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(path_is_fits),     cmocka_unit_test(begins_at_zero),
        cmocka_unit_test(folds_are_fits),   cmocka_unit_test(folds_are_stratified),
        cmocka_unit_test(model_is_plain),   cmocka_unit_test(threads_change_nothing),
        cmocka_unit_test(stops_when_asked), cmocka_unit_test(refuses),
        cmocka_unit_test(odd_data),
    };
    return cmocka_run_group_tests(tests, set_up_one_thread, tear_down);
}
