/* Leave-one-out from one fit says of every row what a fit to all others says. */
#include "convex_problem.h"

#include "core/alloc.h"
#include "seed.h"
#include "selection/left_out.h"

#include <stdio.h>

static sepal_data *without(const sepal_data *data, size_t row) {
    size_t n = data->matrix.rows, used = 0;
    size_t *rows = mem_alloc(ctx, n, sizeof *rows);
    sepal_data *rest = NULL;
    for (size_t i = 0; i < n; i++)
        if (i != row) rows[used++] = i;
    assert_int_equal(data_select(&rest, ctx, data, rows, used), SEPAL_OK);
    mem_free(rows);
    return rest;
}

static struct left_out *shortcut(struct arena *arena, const char *spec, const sepal_data *data,
                                 const char *options) {
    struct pipeline pipeline;
    struct fit_options parsed;
    struct left_out *left;
    assert_int_equal(pipeline_parse(&pipeline, ctx, arena, spec), SEPAL_OK);
    assert_int_equal(pipeline_parse_options(&parsed, &pipeline, ctx, arena, options), SEPAL_OK);
    blas_enter();
    assert_int_equal(left_out_make(&left, ctx, &pipeline, &parsed, spec, options, data), SEPAL_OK);
    blas_leave();
    return left;
}

/* The same decision, and scores that agree to 1e-9 of the largest. false: the row is to be fitted. */
static bool check_row(const char *spec, const struct left_out *left, const sepal_data *data,
                      size_t row) {
    struct arena arena = {0};
    sepal_model model;
    bool exact;
    assert_int_equal(left_out_model(&model, &exact, ctx, &arena, left, row), SEPAL_OK);
    sepal_data *rest = without(data, row), *one = NULL;
    assert_int_equal(data_select(&one, ctx, data, &row, 1), SEPAL_OK);
    if (exact) {
        sepal_model *wanted = fit_spec(rest, spec);
        double *s = scores_of(&model, one), *t = scores_of(wanted, one), largest = 1;
        assert_int_equal(model.linear.rows, wanted->linear.rows);
        size_t n = model.linear.rows, best = 0, other = 0;
        for (size_t r = 0; r < n; r++) {
            largest = fmax(largest, fabs(t[r]));
            best = s[r] > s[best] ? r : best;
            other = t[r] > t[other] ? r : other;
        }
        for (size_t r = 0; r < n; r++)
            if (!(fabs(s[r] - t[r]) <= 1e-9 * largest))
                fail_msg("%s, %zu rows, %zu columns, row %zu: %.17g, not %.17g", spec,
                         data->matrix.rows, data->matrix.cols, row, s[r], t[r]);
        assert_int_equal(best, other);
        if (n == 1) assert_int_equal(s[0] >= 0, t[0] >= 0);
        for (size_t k = 0; wanted->linear.priors && k < model.linear.classes; k++)
            assert_true(fabs(model.linear.priors[k] - wanted->linear.priors[k]) < 1e-14);
        free(s);
        free(t);
        sepal_model_free(wanted);
    }
    data_free(one);
    data_free(rest);
    arena_clear(&arena);
    return exact;
}

static const struct {
    const char *spec;
    bool any_weights, any_classes;
} cases[] = {{"lda", true, true},
             {"lda(estimate=unbiased)", true, true},
             {"standardize | lda", true, true},
             {"minmax | standardize | lda", true, true},
             {"least-squares", true, true},
             {"standardize | least-squares", true, true},
             {"least-squares(targets=fisher)", true, false},
             {"least-squares(l2=0.1)", false, true},
             {"least-squares(l2=3, targets=fisher)", false, false}};
enum { CASES = sizeof cases / sizeof *cases };

/* Shapes from few columns to nearly as many as rows, weights, rows that come twice, large means. */
static struct problem some_problem(struct rng *rng, size_t c, size_t t) {
    size_t classes = cases[c].any_classes ? 2 + rng_below(rng, 3) : 2;
    size_t rows = 30 + rng_below(rng, 20);
    size_t cols = t % 3 == 0 ? rows - classes - 6 : 1 + rng_below(rng, 8);
    struct problem p = problem_new(rng, rows, cols, classes);
    for (size_t i = 0; i < 2 * classes; i++) p.label[i] = (int)(i % classes);
    if (cases[c].any_weights && t % 2) problem_weigh(&p, rng);
    if (!cases[c].any_weights && t % 2) {
        problem_weigh(&p, rng);
        for (size_t i = 0; i < rows; i++) p.weight[i] = 2.5;
    }
    for (size_t i = 0; t % 4 == 1 && i < 5; i++)
        memcpy(p.x + (rows - 1 - i) * cols, p.x + i * cols, cols * sizeof *p.x);
    for (size_t i = 0; t % 5 == 2 && i < rows; i++) p.x[i * cols] += 1000;
    return p;
}

static void equals_fits_to_the_rest(void **state) {
    struct rng rng = rng_make(test_seed(1), 0);
    (void)state;
    for (size_t c = 0; c < CASES; c++)
        for (size_t t = 0; t < 12; t++) {
            struct problem p = some_problem(&rng, c, t);
            struct arena arena = {0};
            sepal_data *data = problem_data(&p, ctx, t % 2);
            struct left_out *left = shortcut(&arena, cases[c].spec, data, NULL);
            size_t taken = 0;
            if (!left) fail_msg("%s: no shortcut for problem %zu", cases[c].spec, t);
            for (size_t i = 0; i < p.rows; i++) taken += check_row(cases[c].spec, left, data, i);
            if (2 * taken < p.rows) fail_msg("%s: %zu of %zu rows", cases[c].spec, taken, p.rows);
            left_out_free(left);
            arena_clear(&arena);
            data_free(data);
            problem_free(&p);
        }
    sepal_ctx_clear_warnings(ctx);
}

/* Where it would not be exact there is none. */
static void knows_its_limits(void **state) {
    static const struct {
        const char *spec, *options;
        bool weighted, dependent;
    } none[] = {{"lda(shrinkage=0.1)", NULL, false, false},
                {"lda(shrinkage=auto)", NULL, false, false},
                {"lda(axes=1)", NULL, false, false},
                {"lda | ovr", NULL, false, false},
                {"lda", "calibrate=platt", false, false},
                {"lda", NULL, false, true},
                {"rbf(centres=3) | lda", NULL, false, false},
                {"least-squares(bias=false)", NULL, false, false},
                {"least-squares(l2=0.1)", NULL, true, false},
                {"standardize | least-squares(l2=0.1)", NULL, false, false},
                {"least-squares", "solver=lsqr", false, false},
                {"least-squares", NULL, false, true},
                {"gaussian", NULL, false, false}};
    struct rng rng = rng_make(test_seed(2), 0);
    (void)state;
    for (size_t c = 0; c < sizeof none / sizeof *none; c++) {
        struct problem p = problem_new(&rng, 40, 4, 3);
        struct arena arena = {0};
        if (none[c].weighted) problem_weigh(&p, &rng);
        for (size_t i = 0; none[c].dependent && i < 40; i++) p.x[i * 4 + 3] = 2 * p.x[i * 4 + 1];
        sepal_data *data = problem_data(&p, ctx, false);
        struct left_out *left = shortcut(&arena, none[c].spec, data, none[c].options);
        if (left) fail_msg("%s takes a shortcut", none[c].spec);
        arena_clear(&arena);
        data_free(data);
        problem_free(&p);
    }
}

static sepal_report *leave_one_out(const sepal_data *data, const char *spec) {
    sepal_report *report = NULL;
    if (sepal_select(NULL, &report, ctx, "cv", &spec, 1, data, "loo", NULL) != SEPAL_OK)
        fail_msg("%s: %s", spec, ctx->error.message);
    return report;
}

/* The only row with a number in a column is fitted without, as all rows would be; and the report is the same
   bytes whatever the number of threads. */
static void a_lone_entry_is_fitted(void **state) {
    static const unsigned widths[] = {1, 2, 3, 7};
    static const char *const specs[] = {"lda", "least-squares"};
    struct rng rng = rng_make(test_seed(3), 0);
    (void)state;
    struct problem p = problem_new(&rng, 50, 4, 3);
    for (size_t i = 0; i < 6; i++) p.label[i] = (int)(i % 3);
    for (size_t i = 0; i < 50; i++) p.x[i * 4 + 2] = i == 20 ? 1.5 : 0;
    sepal_data *data = problem_data(&p, ctx, false);
    for (size_t s = 0; s < 2; s++) {
        char *first = NULL;
        for (size_t w = 0; w < 4; w++) {
            char *json = NULL;
            sepal_ctx_set_threads(ctx, widths[w]);
            sepal_report *report = leave_one_out(data, specs[s]);
            assert_int_equal((int)sepal_report_number(report, "splits.fits"), 2);
            assert_int_equal(sepal_report_json(&json, ctx, report, "cv"), SEPAL_OK);
            *strstr(json, "\"seconds\"") = '\0';
            if (first) assert_string_equal(json, first);
            for (size_t i = 0; i < 50 && w == 0; i++) {
                char path[64];
                sepal_data *rest = without(data, i), *one = NULL;
                sepal_model *model = fit_spec(rest, specs[s]);
                sepal_report *hand = NULL;
                assert_int_equal(data_select(&one, ctx, data, &i, 1), SEPAL_OK);
                assert_int_equal(sepal_model_evaluate(&hand, ctx, model, one, NULL), SEPAL_OK);
                snprintf(path, sizeof path, "folds.%zu.valid.accuracy", i);
                assert_true(sepal_report_number(report, path) ==
                            sepal_report_number(hand, "accuracy"));
                snprintf(path, sizeof path, "folds.%zu.valid.log_loss", i);
                double a = sepal_report_number(report, path),
                       b = sepal_report_number(hand, "log_loss");
                assert_true((isnan(a) && isnan(b)) || fabs(a - b) <= 1e-9 * (1 + fabs(b)));
                sepal_report_free(hand);
                sepal_model_free(model);
                data_free(one);
                data_free(rest);
            }
            if (first)
                sepal_text_free(json);
            else
                first = json;
            sepal_report_free(report);
        }
        sepal_text_free(first);
    }
    sepal_ctx_set_threads(ctx, 0);
    sepal_ctx_clear_warnings(ctx);
    data_free(data);
    problem_free(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equals_fits_to_the_rest),
        cmocka_unit_test(knows_its_limits),
        cmocka_unit_test(a_lone_entry_is_fitted),
    };
    return cmocka_run_group_tests(tests, set_up_one_thread, tear_down);
}
