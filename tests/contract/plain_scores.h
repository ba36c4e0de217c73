/* A model that gives rows the scores that a test wants. */
#ifndef TESTS_PLAIN_SCORES_H
#define TESTS_PLAIN_SCORES_H

#include "contract/strategy_problem.h"

/* The scores of a row are its columns; of two classes the second one's. */
static inline sepal_model *plain_model(size_t k) {
    size_t cols = k == 2 ? 1 : k;
    struct rng rng = rng_make(test_seed(901), k);
    struct problem p = any_problem(&rng, k, cols);
    sepal_data *data = problem_data(&p, ctx, false);
    sepal_model *model = fit_spec(data, k == 2 ? "logistic" : "softmax");
    struct linear *linear = &model->linear;
    if (linear->centre) linear_uncentre(linear);
    memset(linear->b, 0, linear->rows * sizeof *linear->b);
    memset(linear->w, 0, linear->rows * cols * sizeof *linear->w);
    for (size_t r = 0; r < linear->rows; r++) linear->w[r * cols + r] = 1;
    data_free(data);
    problem_free(&p);
    return model;
}

#endif
