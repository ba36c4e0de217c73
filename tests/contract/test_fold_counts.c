/* One pass over the rows for the models of all folds decides every row as each model by itself does: with ties,
   columns of very different sizes and means far from 0, weights, rows in no fold and folds without a model. */
#include "convex_problem.h"

#include "core/alloc.h"
#include "seed.h"
#include "selection/fold_counts.h"
#include "selection/splits.h"

static const char *const specs[] = {"lda",
                                    "least-squares",
                                    "mean-difference",
                                    "fisher",
                                    "least-squares(bias=false)",
                                    "logistic(l2=0.1)",
                                    "gaussian",
                                    "gaussian(covariance=spherical)",
                                    "naive-bayes(kind=gaussian)",
                                    "gaussian(shrinkage=0.2)"};
enum { SPECS = sizeof specs / sizeof *specs, FOLDS = 4 };

static struct problem some_problem(struct rng *rng, size_t t) {
    size_t classes = t % 3 == 0 ? 2 : 2 + rng_below(rng, 18), cols = 1 + rng_below(rng, 9);
    size_t rows = 40 * classes + rng_below(rng, 200);
    struct problem p = problem_new(rng, rows, cols, classes);
    for (size_t i = 0; i < 6 * FOLDS * classes && i < rows; i++) p.label[i] = (int)(i % classes);
    if (t % 2) problem_weigh(&p, rng);
    for (size_t i = 0; i < rows * cols; i++) {
        if (t % 4 == 1) p.x[i] = rint(p.x[i]);
        if (t % 5 == 2) p.x[i] += 1e6 * (double)(1 + i % cols);
        if (t % 5 == 3) p.x[i] *= pow(10, 3 * (double)(i % cols) - 9);
    }
    return p;
}

/* Scores that are equal whatever the row, and such of the opposite sign. */
static void make_ties(sepal_model *model, size_t t) {
    struct linear *linear = &model->linear;
    if (t % 7 != 4 || linear->rows < 3) return;
    memcpy(linear->w + linear->cols, linear->w, linear->cols * sizeof *linear->w);
    linear->b[1] = linear->b[0];
}

static void check_counts(const double *counts, const sepal_model *model, const sepal_data *data,
                         const uint32_t *fold, size_t f) {
    size_t rows = data->matrix.rows, classes = data->schema->n_classes;
    int32_t *decided = malloc(rows * sizeof *decided);
    double *wanted = calloc(classes * classes, sizeof *wanted);
    assert_true(decided && wanted);
    assert_int_equal(linear_predict(decided, ctx, &model->linear, &data->matrix), SEPAL_OK);
    for (size_t i = 0; i < rows; i++)
        if (fold[i] != f)
            wanted[(size_t)data->label[i] * classes + (size_t)decided[i]] += data_weight(data, i);
    for (size_t c = 0; c < classes * classes; c++)
        if (!(fabs(counts[c] - wanted[c]) <= 1e-13 * (1 + wanted[c])) ||
            (!data->weight && counts[c] != wanted[c]))
            fail_msg("%s: %.17g, not %.17g", model->learner, counts[c], wanted[c]);
    free(decided), free(wanted);
}

/* Room for them. */
static double *held_out_scores(const struct linear *const *linear, const sepal_data *data) {
    double *scores = malloc(data->matrix.rows * linear[0]->rows * sizeof *scores);
    assert_non_null(scores);
    return scores;
}

static void check_scores(const double *scores, const sepal_model *model, const sepal_data *data,
                         const uint32_t *fold, size_t f) {
    size_t width = model->linear.rows;
    double *wanted = scores_of(model, data);
    for (size_t i = 0; i < data->matrix.rows; i++)
        if (fold[i] == f)
            assert_memory_equal(scores + i * width, wanted + i * width, width * sizeof *wanted);
    free(wanted);
}

static void equals_one_by_one(void **state) {
    struct rng rng = rng_make(test_seed(1), 0);
    (void)state;
    for (size_t t = 0; t < 90; t++) {
        struct problem p = some_problem(&rng, t);
        sepal_data *data = problem_data(&p, ctx, false);
        size_t rows = data->matrix.rows, classes = data->schema->n_classes;
        uint32_t *fold = malloc(rows * sizeof *fold);
        double *counts = malloc(FOLDS * classes * classes * sizeof *counts);
        size_t *rest = malloc(rows * sizeof *rest);
        sepal_model *model[FOLDS] = {0};
        const struct linear *linear[FOLDS] = {0};
        assert_true(fold && counts && rest && !data->matrix.sparse);
        for (size_t i = 0; i < rows; i++) fold[i] = (uint32_t)rng_below(&rng, FOLDS + t % 2);
        for (size_t i = 0; i < FOLDS * classes; i++) fold[i] = (uint32_t)(i / classes);
        for (size_t f = 0; f < FOLDS; f++) {
            sepal_data *others;
            size_t n = 0;
            if (t % 6 == 5 && f == 1) continue;
            for (size_t i = 0; i < rows; i++)
                if (fold[i] != f) rest[n++] = i;
            assert_int_equal(data_select(&others, ctx, data, rest, n), SEPAL_OK);
            model[f] = fit_spec(others, specs[t % SPECS]);
            make_ties(model[f], t);
            linear[f] = &model[f]->linear;
            assert_true(fold_counts_serve(linear[f], FOLDS));
            data_free(others);
        }
        sepal_ctx_set_threads(ctx, 1 + (unsigned)t % 3);
        double *scores = held_out_scores(linear, data);
        assert_int_equal(fold_counts(counts, scores, ctx, data, fold, linear, FOLDS), SEPAL_OK);
        for (size_t f = 0; f < FOLDS; f++)
            if (model[f]) check_counts(counts + f * classes * classes, model[f], data, fold, f);
        for (size_t f = 0; f < FOLDS; f++)
            if (model[f]) check_scores(scores, model[f], data, fold, f);
        free(scores);
        for (size_t f = 0; f < FOLDS; f++) sepal_model_free(model[f]);
        free(fold), free(counts), free(rest);
        data_free(data);
        problem_free(&p);
    }
    sepal_ctx_clear_warnings(ctx);
}

/* What a prediction refuses is refused. */
static void refuses_what_has_no_score(void **state) {
    struct rng rng = rng_make(test_seed(2), 0);
    struct problem p = problem_new(&rng, 60, 3, 3);
    (void)state;
    for (size_t i = 0; i < 60; i++) p.label[i] = (int)(i % 3);
    sepal_data *data = problem_data(&p, ctx, false);
    sepal_model *model = fit_spec(data, "lda");
    const struct linear *linear[2] = {&model->linear, &model->linear};
    uint32_t fold[60] = {0};
    double counts[18];
    int32_t decided[60];
    for (size_t j = 0; j < model->linear.cols; j++) model->linear.w[j] = 1e308;
    assert_int_equal(linear_predict(decided, ctx, &model->linear, &data->matrix), SEPAL_EDATA);
    assert_int_equal(fold_counts(counts, NULL, ctx, data, fold, linear, 2), SEPAL_EDATA);
    assert_non_null(strstr(ctx->error.message, "beyond the range of a double"));
    sepal_model_free(model);
    data_free(data);
    problem_free(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equals_one_by_one),
        cmocka_unit_test(refuses_what_has_no_score),
    };
    return cmocka_run_group_tests(tests, set_up_one_thread, tear_down);
}
