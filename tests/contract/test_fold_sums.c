/* Fits by sums of the folds say of every row what fits to the rows of the other folds say. */
#include "convex_problem.h"

#include "core/alloc.h"
#include "seed.h"
#include "selection/fold_sums.h"

#include <stdio.h>

static const struct {
    const char *spec;
    bool many_classes, linear;
} cases[] = {{"lda", true, true},
             {"lda(estimate=unbiased)", true, true},
             {"lda(shrinkage=0.3)", true, true},
             {"lda(axes=1)", true, true},
             {"standardize | lda", true, true},
             {"least-squares", true, true},
             {"least-squares(l2=0.1)", true, true},
             {"least-squares(targets=fisher)", false, true},
             {"minmax | standardize | least-squares", true, true},
             {"fisher", true, true},
             {"fisher(cut=mean)", true, true},
             {"fisher(shrinkage=0.5)", true, true},
             {"mean-difference", true, true},
             {"mean-difference(cut=mean)", true, true},
             {"gaussian", true, false},
             {"gaussian(estimate=unbiased, shrinkage=0.1)", true, false},
             {"gaussian(covariance=shared)", true, true},
             {"gaussian(covariance=diagonal)", true, false},
             {"gaussian(covariance=spherical)", true, false},
             {"naive-bayes(kind=gaussian)", true, false}};
enum { CASES = sizeof cases / sizeof *cases, FOLDS = 5 };

struct setting_up {
    struct arena arena;
    struct splits splits;
    struct fold_sums *sums;
};

/* sums NULL: there are none. */
static void make_sums(struct setting_up *out, const char *spec, const char *options,
                      const sepal_data *data, size_t repeats) {
    struct split_plan plan = {.manner = SPLIT_STRATIFIED, .folds = FOLDS, .repeats = repeats};
    struct pipeline pipeline;
    struct fit_options parsed;
    *out = (struct setting_up){0};
    assert_int_equal(pipeline_parse(&pipeline, ctx, &out->arena, spec), SEPAL_OK);
    assert_int_equal(pipeline_parse_options(&parsed, &pipeline, ctx, &out->arena, options),
                     SEPAL_OK);
    assert_int_equal(splits_make(&out->splits, ctx, data, &plan), SEPAL_OK);
    assert_int_equal(fold_sums_make(&out->sums, ctx, data, &out->splits,
                                    fold_sums_know(&pipeline, &parsed, data)),
                     SEPAL_OK);
}

static void clear_sums(struct setting_up *all) {
    fold_sums_free(all->sums);
    splits_clear(&all->splits);
    arena_clear(&all->arena);
}

/* NULL: the rows are needed. */
static sepal_model *fit_by_sums(const struct setting_up *all, const char *spec,
                                const sepal_data *data, size_t s, sepal_data **rest) {
    size_t n = data->matrix.rows, *rows = mem_alloc(ctx, n, sizeof *rows);
    sepal_data *labels = NULL;
    sepal_model *model = NULL;
    n = split_train_rows(rows, &all->splits.of[s], n);
    assert_int_equal(data_select(rest, ctx, data, rows, n), SEPAL_OK);
    assert_int_equal(data_select_labels(&labels, ctx, data, rows, n), SEPAL_OK);
    blas_enter();
    if (fold_sums_fit(&model, ctx, all->sums, &all->splits.of[s], spec, labels, NULL) != SEPAL_OK)
        fail_msg("%s: %s", spec, ctx->error.message);
    blas_leave();
    data_free(labels);
    mem_free(rows);
    return model;
}

/* Scores that agree to 1e-9 of the largest, and the same objective. */
static void same_model(const char *spec, const sepal_model *model, const sepal_model *wanted,
                       const sepal_data *data) {
    double *s = scores_of(model, data), *t = scores_of(wanted, data), largest = 1;
    size_t n = data->matrix.rows * wanted->linear.rows;
    assert_int_equal(model->linear.rows, wanted->linear.rows);
    for (size_t i = 0; i < n; i++) largest = fmax(largest, fabs(t[i]));
    for (size_t i = 0; i < n; i++)
        if (!(fabs(s[i] - t[i]) <= 1e-9 * largest))
            fail_msg("%s, %zu rows, %zu columns: %.17g, not %.17g", spec, data->matrix.rows,
                     data->matrix.cols, s[i], t[i]);
    double a = model->facts.objective, b = wanted->facts.objective;
    if (!(fabs(a - b) <= 1e-9 * (1 + fabs(b))) && !(isnan(a) && isnan(b)))
        fail_msg("%s: objective %.17g, not %.17g", spec, a, b);
    for (size_t k = 0; wanted->linear.priors && k < wanted->linear.classes; k++)
        assert_true(fabs(model->linear.priors[k] - wanted->linear.priors[k]) < 1e-14);
    assert_int_equal(model->facts.rows, wanted->facts.rows);
    assert_true(model->facts.converged);
    free(s);
    free(t);
}

static struct problem some_problem(struct rng *rng, size_t c, size_t t) {
    size_t classes = cases[c].many_classes ? 2 + rng_below(rng, 3) : 2;
    size_t cols = 1 + rng_below(rng, t % 3 == 0 ? 12 : 4), rows = 60 + rng_below(rng, 60);
    struct problem p = problem_new(rng, rows, cols, classes);
    for (size_t i = 0; i < 3 * FOLDS * classes && i < rows; i++) p.label[i] = (int)(i % classes);
    if (t % 2) problem_weigh(&p, rng);
    for (size_t i = 0; t % 4 == 1 && i < 5; i++)
        memcpy(p.x + (rows - 1 - i) * cols, p.x + i * cols, cols * sizeof *p.x);
    for (size_t i = 0; t % 5 == 2 && i < rows; i++) p.x[i * cols] += 1000; /* far from 0 */
    for (size_t i = 0; t % 5 == 3 && i < rows; i++) p.x[i * cols] = 7;     /* constant */
    return p;
}

static void equals_fits_to_the_rest(void **state) {
    struct rng rng = rng_make(test_seed(1), 0);
    size_t taken = 0, folds = 0;
    (void)state;
    for (size_t c = 0; c < CASES; c++)
        for (size_t t = 0; t < 10; t++) {
            bool constant = t % 5 == 3;
            if (constant && strncmp(cases[c].spec, "gaussian", 8) == 0) continue;
            struct problem p = some_problem(&rng, c, t);
            sepal_data *data = problem_data(&p, ctx, false);
            struct setting_up all;
            if (data->matrix.sparse || (constant && p.cols == 1)) {
                data_free(data);
                problem_free(&p);
                continue;
            }
            make_sums(&all, cases[c].spec, NULL, data, 2);
            if (!all.sums) fail_msg("%s: no sums for problem %zu", cases[c].spec, t);
            for (size_t s = 0; s < all.splits.n; s++) {
                sepal_data *rest = NULL;
                sepal_model *model = fit_by_sums(&all, cases[c].spec, data, s, &rest);
                folds++;
                if (model) {
                    sepal_model *wanted = fit_spec(rest, cases[c].spec);
                    taken++;
                    same_model(cases[c].spec, model, wanted, data);
                    sepal_model_free(wanted);
                }
                sepal_model_free(model);
                data_free(rest);
            }
            clear_sums(&all);
            data_free(data);
            problem_free(&p);
        }
    if (10 * taken < 9 * folds) fail_msg("%zu of %zu folds", taken, folds);
    sepal_ctx_clear_warnings(ctx);
}

/* Where sums do not say enough there are none. */
static void knows_its_limits(void **state) {
    static const struct {
        const char *spec, *options;
    } none[] = {{"lda(shrinkage=auto)", NULL},
                {"lda | ovr", NULL},
                {"lda", "calibrate=platt"},
                {"rbf(centres=3) | lda", NULL},
                {"standardize | lda(shrinkage=0.1)", NULL},
                {"standardize | mean-difference | ovr", NULL},
                {"standardize | naive-bayes(kind=gaussian)", NULL},
                {"least-squares(bias=false)", NULL},
                {"standardize | least-squares(l2=0.1)", NULL},
                {"least-squares", "solver=lsqr"},
                {"gaussian(shrinkage=auto)", NULL},
                {"logistic", NULL}};
    struct rng rng = rng_make(test_seed(2), 0);
    struct problem p = problem_new(&rng, 60, 4, 3);
    (void)state;
    for (size_t i = 0; i < 60; i++) p.label[i] = (int)(i % 3);
    sepal_data *data = problem_data(&p, ctx, false);
    for (size_t c = 0; c < sizeof none / sizeof *none; c++) {
        struct setting_up all;
        make_sums(&all, none[c].spec, none[c].options, data, 1);
        if (all.sums) fail_msg("%s is fitted by sums", none[c].spec);
        clear_sums(&all);
    }
    data_free(data);
    problem_free(&p);
}

/* What all but the rows of a fold have in common, and dependent columns, are left to the rows. */
static void lacks_what_is_nearly_nothing(void **state) {
    static const char *const specs[] = {"lda", "least-squares", "gaussian",
                                        "naive-bayes(kind=gaussian)"};
    struct rng rng = rng_make(test_seed(3), 0);
    (void)state;
    for (size_t c = 0; c < sizeof specs / sizeof *specs; c++)
        for (size_t dependent = 0; dependent < 2; dependent++) {
            struct problem p = problem_new(&rng, 60, 3, 2);
            if (dependent && c == 3) {
                problem_free(&p);
                continue;
            }
            for (size_t i = 0; i < 60; i++) {
                p.label[i] = (int)(i % 2);
                p.x[i * 3 + 2] = dependent ? p.x[i * 3] - p.x[i * 3 + 1] : i == 0 ? 1.5 : 0.1;
            }
            sepal_data *data = problem_data(&p, ctx, false);
            struct setting_up all;
            size_t lacking = 0;
            make_sums(&all, specs[c], NULL, data, 1);
            assert_non_null(all.sums);
            for (size_t s = 0; s < all.splits.n; s++) {
                sepal_data *rest = NULL;
                size_t warnings = ctx->n_warnings;
                sepal_model *model = fit_by_sums(&all, specs[c], data, s, &rest);
                lacking += !model;
                if (!model) assert_int_equal(ctx->n_warnings, warnings);
                sepal_model_free(model);
                data_free(rest);
            }
            if (lacking < (dependent ? FOLDS : 1)) fail_msg("%s: %zu", specs[c], lacking);
            clear_sums(&all);
            data_free(data);
            problem_free(&p);
        }
    sepal_ctx_clear_warnings(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equals_fits_to_the_rest),
        cmocka_unit_test(knows_its_limits),
        cmocka_unit_test(lacks_what_is_nearly_nothing),
    };
    return cmocka_run_group_tests(tests, set_up_one_thread, tear_down);
}
