/* Where fits begin that differ in the strength of the penalty: along the line through the last two, where weights
   are smooth; and what they come to is what fits from nowhere come to. */
#include "convex_problem.h"

#include "core/alloc.h"
#include "seed.h"
#include "selection/trial_start.h"
#include "selection/trials.h"

#include <stdio.h>

static void near_to(double found, double wanted) {
    if (!(fabs(found - wanted) <= 1e-12)) fail_msg("%.17g, not %.17g", found, wanted);
}

static double beyond(const char *older, const char *before, const char *next) {
    const char *const specs[] = {older, before, next};
    struct pipeline of[3];
    struct arena arena = {0};
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(pipeline_parse(&of[i], ctx, &arena, specs[i]), SEPAL_OK);
    double out = trial_start_beyond(&of[0], &of[1], &of[2]);
    arena_clear(&arena);
    return out;
}

static void follows_what_is_smooth(void **state) {
    (void)state;
    near_to(beyond("logistic(C=0.1)", "logistic(C=1)", "logistic(C=10)"), 1);
    near_to(beyond("logistic(C=0.01)", "logistic(C=1)", "logistic(C=10)"), 0.5);
    near_to(beyond("svm(l2=1)", "svm(l2=0.1)", "svm(l2=0.01)"), 1);
    /* no further than a step, and not back */
    assert_true(beyond("logistic(C=0.1)", "logistic(C=1)", "logistic(C=1000)") == 1);
    assert_true(beyond("logistic(C=0.1)", "logistic(C=1)", "logistic(C=0.5)") == 0);
    assert_true(beyond("logistic(C=1)", "logistic(C=1)", "logistic(C=10)") == 0);
    assert_true(beyond("logistic(C=1)", "logistic(l2=0.1)", "logistic(C=10)") == 0);
    /* corners */
    assert_true(beyond("logistic(penalty=l1, C=1)", "logistic(penalty=l1, C=2)",
                       "logistic(penalty=l1, C=4)") == 0);
    assert_true(beyond("logistic(l1=1)", "logistic(l1=0.1)", "logistic(l1=0.01)") == 0);
    assert_true(beyond("logistic(C=1, nonneg=all)", "logistic(C=2, nonneg=all)",
                       "logistic(C=4, nonneg=all)") == 0);
    assert_true(beyond("lda", "lda", "lda") == 0);
}

/* Two steps along a line lead to the third point of it. */
static void goes_on_in_line(void **state) {
    struct rng rng = rng_make(test_seed(1), 0);
    struct problem p = problem_new(&rng, 40, 3, 3);
    struct arena arena = {0};
    sepal_model start;
    (void)state;
    sepal_data *data = problem_data(&p, ctx, false);
    sepal_model *older = fit_spec(data, "softmax(C=1)"), *before = fit_spec(data, "softmax(C=2)");
    assert_int_equal(trial_start_make(&start, ctx, &arena, older, before, 0.5), SEPAL_OK);
    size_t n = before->linear.rows * before->linear.cols;
    for (size_t i = 0; i < n; i++)
        near_to(start.linear.w[i],
                before->linear.w[i] + (before->linear.w[i] - older->linear.w[i]) / 2);
    for (size_t r = 0; r < before->linear.rows; r++)
        near_to(start.linear.b[r],
                before->linear.b[r] + (before->linear.b[r] - older->linear.b[r]) / 2);
    sepal_model_free(older);
    sepal_model_free(before);
    arena_clear(&arena);
    data_free(data);
    problem_free(&p);
}

/* Every trial's objective is within its gap of that of a fit from nowhere. */
static void comes_to_the_same(void **state) {
    static const char *const learners[] = {"logistic(C=%g)", "svm(loss=squared_hinge, C=%g)",
                                           "softmax(C=%g)",  "standardize | logistic(C=%g)",
                                           "svm(C=%g)",      "logistic(penalty=l1, C=%g)"};
    enum { POINTS = 8, FOLDS = 3 };
    struct rng rng = rng_make(test_seed(2), 0);
    (void)state;
    for (size_t l = 0; l < sizeof learners / sizeof *learners; l++)
        for (size_t sparse = 0; sparse < 2; sparse++) {
            struct problem p = problem_new(&rng, 90, sparse ? 60 : 6, 2);
            for (size_t i = 0; sparse && i < 90 * 60; i++)
                if (rng_below(&rng, 10)) p.x[i] = 0;
            for (size_t i = 0; i < 90; i++) p.label[i] = (int)(i / 2 % 2);
            sepal_data *data = problem_data(&p, ctx, sparse);
            struct split_plan plan = {.manner = SPLIT_STRATIFIED, .folds = FOLDS};
            struct splits splits;
            char specs[POINTS][80];
            struct candidate candidates[POINTS];
            for (size_t c = 0; c < POINTS; c++) {
                (void)snprintf(specs[c], sizeof specs[c], learners[l], pow(4, (double)c - 4));
                candidates[c] = (struct candidate){specs[c], "tol=1e-9"};
            }
            assert_int_equal(splits_make(&splits, ctx, data, &plan), SEPAL_OK);
            struct trials trials = {.ctx = ctx,
                                    .data = data,
                                    .splits = &splits,
                                    .candidates = candidates,
                                    .n_candidates = POINTS};
            assert_int_equal(trials_run(&trials), SEPAL_OK);
            for (size_t c = 0; c < POINTS; c++)
                for (size_t s = 0; s < FOLDS; s++) {
                    const struct trial *trial = &trials.of[c * FOLDS + s];
                    size_t rows[90], n = split_train_rows(rows, &splits.of[s], 90);
                    sepal_data *rest = NULL;
                    sepal_model *alone = NULL;
                    assert_int_equal(data_select(&rest, ctx, data, rows, n), SEPAL_OK);
                    assert_int_equal(sepal_model_fit(&alone, NULL, ctx, specs[c], rest, "tol=1e-9"),
                                     SEPAL_OK);
                    assert_true(trial->converged);
                    double wanted = alone->facts.objective;
                    if (!(fabs(trial->objective - wanted) <= 2e-9 * wanted))
                        fail_msg("%s: %.17g, alone %.17g", specs[c], trial->objective, wanted);
                    sepal_model_free(alone);
                    data_free(rest);
                }
            trials_clear(&trials);
            splits_clear(&splits);
            data_free(data);
            problem_free(&p);
        }
    sepal_ctx_clear_warnings(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(follows_what_is_smooth),
        cmocka_unit_test(goes_on_in_line),
        cmocka_unit_test(comes_to_the_same),
    };
    return cmocka_run_group_tests(tests, set_up_one_thread, tear_down);
}
