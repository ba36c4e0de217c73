/* What the tests of reductions, decisions and distances share: random problems that every learner
   takes, and models with their scores. */
#ifndef TESTS_REDUCTION_PROBLEM_H
#define TESTS_REDUCTION_PROBLEM_H

#include "contract/least_squares_problem.h"

#include "linear/decide.h"
#include "model/predict.h"
#include "model/pipeline.h"

#include "fixture.h"
#include "dense_rows.h"

/* Values of at least 0, which naive Bayes asks for; rows enough for the covariance of a class. */
static inline struct problem any_problem(struct rng *rng, size_t classes, size_t cols) {
    size_t rows = classes * (cols + 10 + rng_below(rng, 4));
    struct problem p = problem_new(rng, rows, cols, classes);
    for (size_t i = 0; i < rows; i++) {
        p.label[i] = (int)(i % classes);
        for (size_t j = 0; j < cols; j++)
            p.x[i * cols + j] = fabs(normal(rng) + 2 * (j % classes == i % classes));
    }
    return p;
}

static inline sepal_model *fit_spec(const sepal_data *data, const char *spec) {
    sepal_model *model = NULL;
    if (sepal_model_fit(&model, NULL, ctx, spec, data, NULL) != SEPAL_OK)
        fail_msg("%s: %s", spec, ctx->error.message);
    return model;
}

/* phi of the rows, to be given to matrix_clear unless the model has no maps. */
static inline struct matrix phi_of(const sepal_model *model, const sepal_data *data) {
    struct matrix phi = data->matrix;
    if (model->chain.n)
        assert_int_equal(map_chain_matrix(&phi, ctx, &model->chain, &data->matrix), SEPAL_OK);
    return phi;
}

/* All R scores of every row. */
static inline double *scores_of(const sepal_model *model, const sepal_data *data) {
    struct matrix phi = phi_of(model, data);
    double *out = malloc((phi.rows * model->linear.rows + 1) * sizeof *out);
    assert_non_null(out);
    assert_int_equal(linear_scores(out, ctx, &model->linear, &phi), SEPAL_OK);
    if (model->chain.n) matrix_clear(&phi);
    return out;
}

/* Classes and numbers of all rows; `out->numbers` is allocated. */
static inline sepal_predictions predict_all(const sepal_model *model, const sepal_data *data,
                                            sepal_output what, const char *options) {
    size_t rows = data->matrix.rows;
    sepal_predictions out = {.size = sizeof out, .what = what};
    out.classes = malloc(rows * sizeof *out.classes);
    out.numbers = malloc((rows * sepal_model_outputs(model, what) + 1) * sizeof *out.numbers);
    assert_true(out.classes && out.numbers);
    if (sepal_model_predict_rows(&out, ctx, model, data, 0, rows, options) != SEPAL_OK)
        fail_msg("%s: %s", model->spec, ctx->error.message);
    return out;
}

static inline void answers_free(sepal_predictions *answers) {
    free(answers->classes);
    free(answers->numbers);
}

static inline size_t warnings_of(const char *code) {
    size_t n = 0;
    for (size_t i = 0; i < ctx->n_warnings; i++) n += strcmp(ctx->warnings[i].code, code) == 0;
    return n;
}

#endif
