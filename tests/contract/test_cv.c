/* Laws of splits and of cross-validation: who is judged by whom, and that a judgement is the one that training and
   evaluating by hand come to. */
#include "convex_problem.h"

#include "core/alloc.h"
#include "seed.h"
#include "selection/trials.h"

#include <stdio.h>

static sepal_report *cv_of(const sepal_data *data, const char *spec, const char *options,
                           const char *fit_options) {
    sepal_report *report = NULL;
    if (sepal_select(NULL, &report, ctx, "cv", &spec, 1, data, options, fit_options) != SEPAL_OK)
        fail_msg("%s, %s: %s", spec, options, ctx->error.message);
    return report;
}

static double fact(const sepal_report *report, size_t fold, const char *key) {
    char path[96];
    snprintf(path, sizeof path, "folds.%zu.%s", fold, key);
    return sepal_report_number(report, path);
}

static void near(double found, double wanted, double most) {
    if (!(fabs(found - wanted) <= most)) fail_msg("%.17g is not %.17g", found, wanted);
}

/* ---- splits ------------------------------------------------------------------------------------- */

/* Each row in one fold of a repeat at most, its others to learn from, all numbers rising. */
static void check_parts(const struct splits *splits, size_t rows, bool each_once) {
    size_t *train = mem_alloc(NULL, rows, sizeof *train);
    for (size_t r = 0; r < splits->repeats; r++) {
        size_t *seen = mem_zero(NULL, rows, sizeof *seen);
        for (size_t f = 0; f < splits->folds; f++) {
            const struct split *split = &splits->of[r * splits->folds + f];
            assert_int_equal(split->repeat, r);
            assert_int_equal(split->fold, f);
            for (size_t i = 0; i < split->n_valid; i++) {
                if (i > 0) assert_true(split->valid[i] > split->valid[i - 1]);
                seen[split->valid[i]]++;
            }
            assert_int_equal(split_train_rows(train, split, rows), split->n_train);
            for (size_t i = 0; i < split->n_train; i++) {
                if (i > 0) assert_true(train[i] > train[i - 1]);
                for (size_t v = 0; v < split->n_valid; v++)
                    assert_true(train[i] != split->valid[v]);
            }
        }
        for (size_t i = 0; i < rows; i++) assert_true(each_once ? seen[i] == 1 : seen[i] <= 1);
        mem_free(seen);
    }
    mem_free(train);
}

static void every_row_is_judged_once(void **state) {
    struct rng rng = rng_make(test_seed(1), 0);
    (void)state;
    for (size_t t = 0; t < 40; t++) {
        enum { ROWS = 61 };
        size_t classes = 2 + rng_below(&rng, 3), folds = 2 + rng_below(&rng, 7);
        struct problem p = problem_new(&rng, ROWS, 1, classes);
        for (size_t i = 0; i < classes; i++) p.label[ROWS - 1 - i] = (int)i;
        sepal_data *data = problem_data(&p, ctx, false);
        double given[ROWS];
        data->group = mem_alloc(ctx, ROWS, sizeof *data->group);
        data->n_groups = 12;
        for (size_t i = 0; i < ROWS; i++) {
            data->group[i] = (uint32_t)(i < 12 ? i : rng_below(&rng, 12));
            given[i] = 3.0 * (double)(i % folds); /* any numbers do */
        }
        for (int m = SPLIT_STRATIFIED; m <= SPLIT_GIVEN; m++) {
            struct splits splits;
            struct split_plan plan = {.manner = (enum split_manner)m,
                                      .folds = folds,
                                      .repeats =
                                          m == SPLIT_STRATIFIED || m == SPLIT_GROUPED ? 3 : 1,
                                      .given = given,
                                      .given_from = "folds"};
            sepal_status status = splits_make(&splits, ctx, data, &plan);
            if (status == SEPAL_OK) check_parts(&splits, ROWS, m != SPLIT_ORDERED);
            if (status != SEPAL_OK) assert_non_null(strstr(ctx->error.message, "to learn from"));
            splits_clear(&splits);
        }
        data_free(data);
        problem_free(&p);
    }
}

static void shares_of_classes_are_even(void **state) {
    struct rng rng = rng_make(test_seed(2), 0);
    (void)state;
    for (size_t t = 0; t < 30; t++) {
        enum { ROWS = 97 };
        size_t folds = 2 + rng_below(&rng, 9), count[4];
        struct problem p = problem_new(&rng, ROWS, 1, 4);
        for (size_t i = 0; i < 8; i++) p.label[ROWS - 1 - i] = (int)(i % 4);
        sepal_data *data = problem_data(&p, ctx, false);
        struct split_plan plan = {.manner = SPLIT_STRATIFIED, .folds = folds, .repeats = 2};
        struct splits splits;
        assert_int_equal(splits_make(&splits, ctx, data, &plan), SEPAL_OK);
        for (size_t k = 0; k < 4; k++)
            for (size_t r = 0; r < 2; r++) {
                size_t least = ROWS, most = 0;
                for (size_t f = 0; f < folds; f++) {
                    const struct split *split = &splits.of[r * folds + f];
                    count[k] = 0;
                    for (size_t i = 0; i < split->n_valid; i++)
                        count[k] += (size_t)data->label[split->valid[i]] == k;
                    least = count[k] < least ? count[k] : least;
                    most = count[k] > most ? count[k] : most;
                }
                assert_in_range(most - least, 0, 1);
            }
        /* another repeat is another deal */
        assert_true(memcmp(splits.of[0].valid, splits.of[folds].valid,
                           splits.of[0].n_valid * sizeof(size_t)) != 0);
        splits_clear(&splits);
        data_free(data);
        problem_free(&p);
    }
}

static void groups_are_never_parted(void **state) {
    struct rng rng = rng_make(test_seed(3), 0);
    (void)state;
    for (size_t t = 0; t < 30; t++) {
        enum { ROWS = 200 };
        size_t groups = 5 + rng_below(&rng, 30);
        struct problem p = problem_new(&rng, ROWS, 1, 2);
        sepal_data *data = problem_data(&p, ctx, false);
        data->group = mem_alloc(ctx, ROWS, sizeof *data->group);
        data->n_groups = groups;
        for (size_t i = 0; i < ROWS; i++) data->group[i] = (uint32_t)rng_below(&rng, groups);
        struct split_plan plan = {.manner = SPLIT_GROUPED, .folds = 4, .repeats = 2};
        struct splits splits;
        assert_int_equal(splits_make(&splits, ctx, data, &plan), SEPAL_OK);
        for (size_t r = 0; r < 2; r++) {
            size_t fold_of[40], most = 0, least = ROWS;
            for (size_t g = 0; g < groups; g++) fold_of[g] = SIZE_MAX;
            for (size_t f = 0; f < 4; f++) {
                const struct split *split = &splits.of[r * 4 + f];
                most = split->n_valid > most ? split->n_valid : most;
                least = split->n_valid < least ? split->n_valid : least;
                for (size_t i = 0; i < split->n_valid; i++) {
                    size_t g = data->group[split->valid[i]];
                    if (fold_of[g] == SIZE_MAX) fold_of[g] = f;
                    assert_int_equal(fold_of[g], f);
                }
            }
            if (groups > 20) assert_in_range(most - least, 0, ROWS / 8);
        }
        splits_clear(&splits);
        data_free(data);
        problem_free(&p);
    }
}

static void the_future_teaches_nobody(void **state) {
    struct rng rng = rng_make(test_seed(4), 0);
    (void)state;
    for (size_t rows = 20; rows < 60; rows++) {
        struct problem p = problem_new(&rng, rows, 1, 2);
        for (size_t i = 0; i < rows; i++) p.label[i] = (int)(i % 2);
        sepal_data *data = problem_data(&p, ctx, false);
        struct split_plan plan = {.manner = SPLIT_ORDERED, .folds = 4};
        struct splits splits;
        assert_int_equal(splits_make(&splits, ctx, data, &plan), SEPAL_OK);
        for (size_t f = 0; f < 4; f++) {
            const struct split *split = &splits.of[f];
            assert_int_equal(split->valid[0], split->n_train); /* the block right after it */
            assert_int_equal(split->n_valid, rows / 5);
            assert_int_equal(split->train[split->n_train - 1], split->n_train - 1);
        }
        assert_int_equal(splits.of[3].valid[splits.of[3].n_valid - 1], rows - 1);
        splits_clear(&splits);
        data_free(data);
        problem_free(&p);
    }
}

/* ---- by hand ------------------------------------------------------------------------------------ */

static const char *const specs[] = {"least-squares",
                                    "least-squares(l2=0.1)",
                                    "lda",
                                    "lda(shrinkage=0.2)",
                                    "fisher | ovr",
                                    "mean-difference",
                                    "gaussian(covariance=diagonal)",
                                    "naive-bayes(kind=gaussian)",
                                    "standardize | logistic",
                                    "standardize | softmax",
                                    "perceptron(variant=averaged, epochs=5)",
                                    "fourier(features=8) | svm | ovo"};
enum { SPECS = sizeof specs / sizeof *specs };

static sepal_data *some_rows(const sepal_data *data, const size_t *rows, size_t n) {
    sepal_data *part = NULL;
    assert_int_equal(data_select(&part, ctx, data, rows, n), SEPAL_OK);
    return part;
}

/* `all`: those of probabilities and rankings, too. */
static void check_side(const sepal_report *report, size_t fold, const char *side,
                       const sepal_model *model, const sepal_data *data, bool all) {
    static const char *const metrics[] = {
        "accuracy", "balanced_accuracy", "macro.f1", "log_loss", "brier", "roc_auc"};
    sepal_report *hand = NULL;
    assert_int_equal(sepal_model_evaluate(&hand, ctx, model, data, NULL), SEPAL_OK);
    for (size_t m = 0; m < sizeof metrics / sizeof *metrics; m++) {
        char key[64];
        snprintf(key, sizeof key, "%s.%s", side, metrics[m]);
        double found = fact(report, fold, key), wanted = sepal_report_number(hand, metrics[m]);
        if (m >= 3 && !all) wanted = NAN; /* they were not asked for */
        if (isnan(found) != isnan(wanted) || fabs(found - wanted) > 1e-10)
            fail_msg("fold %zu, %s: %.17g, by hand %.17g", fold, key, found, wanted);
    }
    sepal_report_free(hand);
}

static void judged_as_by_hand(void **state) {
    struct rng rng = rng_make(test_seed(5), 0);
    (void)state;
    for (size_t s = 0; s < SPECS; s++)
        for (size_t kind = 0; kind < 3; kind++) {
            enum { ROWS = 90, FOLDS = 4 };
            struct problem p = problem_new(&rng, ROWS, 5, kind == 1 ? 3 : 2);
            if (kind == 2) problem_weigh(&p, &rng);
            sepal_data *data = problem_data(&p, ctx, kind == 0);
            sepal_report *report =
                cv_of(data, specs[s], kind == 1 ? "folds=4, metric=accuracy" : "folds=4", NULL);
            struct split_plan plan = {.manner = SPLIT_STRATIFIED, .folds = FOLDS};
            struct splits splits;
            size_t rows[ROWS];
            double sum = 0;
            assert_int_equal(splits_make(&splits, ctx, data, &plan), SEPAL_OK);
            for (size_t f = 0; f < FOLDS; f++) {
                const struct split *split = &splits.of[f];
                sepal_data *train = some_rows(data, rows, split_train_rows(rows, split, ROWS));
                sepal_data *valid = some_rows(data, split->valid, split->n_valid);
                sepal_model *model = NULL;
                assert_int_equal(sepal_model_fit(&model, NULL, ctx, specs[s], train, NULL),
                                 SEPAL_OK);
                check_side(report, f, "train", model, train, kind != 1);
                check_side(report, f, "valid", model, valid, true);
                sum += fact(report, f, "valid.accuracy");
                sepal_model_free(model);
                data_free(train);
                data_free(valid);
            }
            near(sepal_report_number(report, "mean.valid.accuracy"), sum / FOLDS, 1e-14);
            splits_clear(&splits);
            sepal_report_free(report);
            data_free(data);
            problem_free(&p);
        }
}

/* ---- the same bytes ----------------------------------------------------------------------------- */

/* All of a report but what it cost. */
static char *stripped(const sepal_report *report) {
    char *json = NULL;
    assert_int_equal(sepal_report_json(&json, ctx, report, "cv"), SEPAL_OK);
    for (char *at; (at = strstr(json, "\"seconds\""));) {
        char *end = strstr(at, "\"seed\"");
        assert_non_null(end);
        memmove(at, end, strlen(end) + 1);
    }
    return json;
}

static void threads_change_nothing(void **state) {
    static const unsigned widths[] = {1, 2, 3, 7};
    struct rng rng = rng_make(test_seed(6), 0);
    (void)state;
    for (size_t s = 0; s < SPECS; s++) {
        struct problem p = problem_new(&rng, 120, 6, 3);
        sepal_data *data = problem_data(&p, ctx, s % 2);
        char *first = NULL;
        for (size_t w = 0; w < sizeof widths / sizeof *widths; w++) {
            sepal_ctx_clear_warnings(ctx);
            sepal_ctx_set_threads(ctx, widths[w]);
            sepal_report *report = cv_of(data, specs[s], "folds=5, repeats=2", "max-iter=30");
            char *json = stripped(report);
            if (first) assert_string_equal(json, first);
            if (!first)
                first = json;
            else
                sepal_text_free(json);
            sepal_report_free(report);
        }
        sepal_text_free(first);
        sepal_ctx_set_threads(ctx, 0);
        data_free(data);
        problem_free(&p);
    }
    sepal_ctx_clear_warnings(ctx);
}

/* A warning that every fit gives is told once. */
static void warnings_are_told_together(void **state) {
    struct rng rng = rng_make(test_seed(7), 0);
    (void)state;
    struct problem p = problem_new(&rng, 80, 4, 2);
    sepal_data *data = problem_data(&p, ctx, false);
    sepal_ctx_clear_warnings(ctx);
    sepal_report *report = cv_of(data, "logistic", "folds=8", "max-iter=1, tol=1e-14");
    size_t told = 0;
    for (size_t i = 0; i < sepal_ctx_warning_count(ctx); i++)
        if (strcmp(sepal_ctx_warning(ctx, i).code, "not-converged") == 0) {
            assert_non_null(strstr(sepal_ctx_warning(ctx, i).message, "in 8 of the 8 folds: "));
            told++;
        }
    assert_int_equal(told, 1);
    near(sepal_report_number(report, "not_converged"), 8, 0);
    sepal_report_free(report);
    sepal_ctx_clear_warnings(ctx);
    data_free(data);
    problem_free(&p);
}

/* ---- one after the other ------------------------------------------------------------------------ */

/* Candidates that differ in the strength of the penalty go on from each other, and come to what each comes to
   by itself. */
static void candidates_go_on(void **state) {
    static const char *const strengths[] = {"standardize | logistic(l2=1)",
                                            "standardize | logistic(l2=0.1)",
                                            "standardize | logistic(l2=0.01)", "lda"};
    struct rng rng = rng_make(test_seed(8), 0);
    (void)state;
    struct problem p = problem_new(&rng, 150, 6, 2);
    sepal_data *data = problem_data(&p, ctx, false);
    struct split_plan plan = {.manner = SPLIT_STRATIFIED, .folds = 3};
    struct splits splits;
    assert_int_equal(splits_make(&splits, ctx, data, &plan), SEPAL_OK);
    struct candidate together[4];
    for (size_t c = 0; c < 4; c++) together[c] = (struct candidate){strengths[c], "tol=1e-11"};
    struct trials all = {.ctx = ctx,
                         .data = data,
                         .splits = &splits,
                         .candidates = together,
                         .n_candidates = 4,
                         .keep_rows = true};
    assert_int_equal(trials_run(&all), SEPAL_OK);
    for (size_t c = 0; c < 4; c++) {
        struct trials one = {.ctx = ctx,
                             .data = data,
                             .splits = &splits,
                             .candidates = &together[c],
                             .n_candidates = 1,
                             .judge_train = true};
        assert_int_equal(trials_run(&one), SEPAL_OK);
        for (size_t s = 0; s < 3; s++) {
            double loss = trials_value(&all, c, s, true, "log_loss"), sum = 0;
            const struct trial *trial = &all.of[c * 3 + s];
            near(loss, trials_value(&one, 0, s, true, "log_loss"), 1e-5);
            assert_true(isnan(trials_value(&all, c, s, false, "log_loss")));
            assert_true(trials_value(&one, 0, s, false, "log_loss") > 0);
            for (size_t i = 0; i < splits.of[s].n_valid; i++) {
                int32_t label = data->label[splits.of[s].valid[i]];
                sum -= log(trial->proba[2 * i + (size_t)label]);
                assert_int_equal(trial->decided[i], trial->proba[2 * i + 1] > 0.5);
            }
            near(loss, sum / (double)splits.of[s].n_valid, 1e-12);
        }
        trials_clear(&one);
    }
    assert_true(metric_better("accuracy") == 1 && metric_better("macro.f1") == 1);
    assert_true(metric_better("log_loss") == -1 && metric_better("error") == -1);
    trials_clear(&all);
    splits_clear(&splits);
    data_free(data);
    problem_free(&p);
}

static void spreads(void **state) {
    (void)state;
    const double values[] = {1, NAN, 3, 5};
    struct spread spread = spread_of(values, 4);
    assert_int_equal(spread.n, 3);
    near(spread.mean, 3, 0);
    near(spread.std, 2, 1e-15);
    near(spread.error, 2 / sqrt(3), 1e-15);
    spread = spread_of(values + 1, 1);
    assert_int_equal(spread.n, 0);
    assert_true(isnan(spread.mean));
    spread = spread_of(values, 1);
    assert_true(spread.mean == 1 && isnan(spread.std));
}

/* ---- stopped ------------------------------------------------------------------------------------ */

static int stop_after(const char *line, void *payload) {
    size_t *left = payload;
    (void)line;
    return *left == 0 || --*left == 0;
}

static void stops_at_any_moment(void **state) {
    struct rng rng = rng_make(test_seed(9), 0);
    (void)state;
    struct problem p = problem_new(&rng, 60, 3, 2);
    sepal_data *data = problem_data(&p, ctx, false);
    const char *const spec[] = {"standardize | logistic"};
    for (unsigned threads = 1; threads < 3; threads++) {
        bool ended = false;
        sepal_ctx_set_threads(ctx, threads);
        for (size_t after = 1; !ended; after += 1 + after / 2) {
            size_t left = after;
            sepal_report *report = NULL;
            sepal_ctx_set_progress(ctx, stop_after, &left);
            sepal_status status =
                sepal_select(NULL, &report, ctx, "cv", spec, 1, data, "folds=5", NULL);
            ended = status == SEPAL_OK;
            if (!ended) {
                assert_int_equal(status, SEPAL_ECANCEL);
                assert_non_null(strstr(ctx->error.message, "interrupted"));
                assert_null(report);
            }
            sepal_ctx_set_progress(ctx, NULL, NULL);
            sepal_report_free(report);
            assert_true(after < 1000000);
        }
    }
    sepal_ctx_set_threads(ctx, 0);
    data_free(data);
    problem_free(&p);
}

/* ---- what cannot be ----------------------------------------------------------------------------- */

static void refused(const sepal_data *data, const char *options, const char *fit_options,
                    sepal_status status, const char *word) {
    const char *const spec[] = {"logistic"};
    sepal_report *report = NULL;
    assert_int_equal(sepal_select(NULL, &report, ctx, "cv", spec, 1, data, options, fit_options),
                     status);
    if (!strstr(ctx->error.message, word)) fail_msg("'%s' lacks %s", ctx->error.message, word);
    assert_null(report);
}

static void refuses(void **state) {
    struct rng rng = rng_make(test_seed(10), 0);
    (void)state;
    struct problem p = problem_new(&rng, 30, 2, 3);
    for (size_t i = 0; i < 30; i++) p.label[i] = (int)(i / 10);
    sepal_data *data = problem_data(&p, ctx, false);
    refused(NULL, "folds=1", NULL, SEPAL_EUSAGE, "folds");
    refused(NULL, "loo, ordered", NULL, SEPAL_EUSAGE, "contradict");
    refused(NULL, "loo, folds=3", NULL, SEPAL_EUSAGE, "contradict");
    refused(NULL, "ordered, repeats=2", NULL, SEPAL_EUSAGE, "same again");
    refused(NULL, "metric=\"accuracy,fq\"", NULL, SEPAL_EUSAGE, "no metric 'fq'");
    refused(NULL, NULL, "bootstrap=9", SEPAL_EUSAGE, "bootstrap");
    refused(NULL, NULL, "warm=some.sepal", SEPAL_EUSAGE, "warm");
    refused(data, "folds=31", NULL, SEPAL_EUSAGE, "31 folds are more than the 30 rows");
    refused(data, "ordered, folds=2", NULL, SEPAL_EDATA, "none comes before its block");
    refused(data, "ordered, folds=40", NULL, SEPAL_EUSAGE, "too few");
    refused(data, "fold-file=/nowhere/folds", NULL, SEPAL_EDATA, "open");
    data->group = mem_zero(ctx, 30, sizeof *data->group);
    data->n_groups = 1;
    refused(data, NULL, NULL, SEPAL_EDATA, "all rows are of one group");
    for (uint32_t i = 0; i < 30; i++) data->group[i] = i / 10;
    data->n_groups = 3;
    refused(data, NULL, NULL, SEPAL_EUSAGE, "3 groups are fewer than the 10 folds");
    refused(data, "folds=3", NULL, SEPAL_EDATA, "all of them are held out");
    refused(data, "loo", NULL, SEPAL_EUSAGE, "contradict");
    data_free(data);
    p.label[29] = 0;
    for (size_t i = 20; i < 29; i++) p.label[i] = 1;
    p.label[0] = 2;
    data = problem_data(&p, ctx, false);
    refused(data, "folds=3", NULL, SEPAL_EDATA, "has a single row");
    refused(data, "loo", NULL, SEPAL_EDATA, "the class has a single row, and it is held out");
    data_free(data);
    problem_free(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_is_judged_once),
        cmocka_unit_test(shares_of_classes_are_even),
        cmocka_unit_test(groups_are_never_parted),
        cmocka_unit_test(the_future_teaches_nobody),
        cmocka_unit_test(judged_as_by_hand),
        cmocka_unit_test(threads_change_nothing),
        cmocka_unit_test(warnings_are_told_together),
        cmocka_unit_test(candidates_go_on),
        cmocka_unit_test(spreads),
        cmocka_unit_test(stops_at_any_moment),
        cmocka_unit_test(refuses),
    };
    return cmocka_run_group_tests(tests, set_up_one_thread, tear_down);
}
