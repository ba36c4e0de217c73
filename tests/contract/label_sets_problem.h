/* What the tests of label sets share: random rows with any number of labels each, fits, and answers. */
#ifndef TESTS_LABEL_SETS_PROBLEM_H
#define TESTS_LABEL_SETS_PROBLEM_H

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

static inline struct sets sets_new(struct rng *rng, size_t rows, size_t cols, size_t labels) {
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

static inline void sets_free(struct sets *s) {
    free(s->x);
    free(s->weight);
    free(s->bits);
}

static inline sepal_data *sets_data(const struct sets *s, bool weighted) {
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
static inline sepal_data *alone(const struct sets *s, size_t k, bool weighted) {
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

static inline sepal_model *fit_of(sepal_report **report, const char *spec, const sepal_data *data,
                                  const char *options) {
    sepal_model *model = NULL;
    if (sepal_model_fit(&model, report, ctx, spec, data, options) != SEPAL_OK)
        fail_msg("%s: %s", spec, sepal_ctx_error(ctx));
    return model;
}

/* What a model answers for all rows. */
struct answers {
    signed char *labels;
    double *numbers;
};

static inline struct answers ask(const sepal_model *model, const sepal_data *data,
                                 sepal_output what, const char *options) {
    size_t n = sepal_data_rows(data), labels = sepal_model_classes(model);
    struct answers out = {malloc(n * labels), malloc(n * labels * sizeof(double))};
    assert_true(out.labels && out.numbers);
    sepal_predictions all = {
        .size = sizeof all, .labels = out.labels, .numbers = out.numbers, .what = what};
    if (sepal_model_predict_rows(&all, ctx, model, data, 0, n, options) != SEPAL_OK)
        fail_msg("%s", sepal_ctx_error(ctx));
    return out;
}

static inline void answers_free(struct answers *a) {
    free(a->labels);
    free(a->numbers);
}

static inline void set_label(struct sets *s, size_t k, unsigned char value) {
    for (size_t i = 0; i < s->rows; i++) s->bits[i * s->labels + k] = value;
}

static inline size_t warnings_of(const char *code) {
    size_t n = 0;
    for (size_t i = 0; i < sepal_ctx_warning_count(ctx); i++)
        n += strcmp(sepal_ctx_warning(ctx, i).code, code) == 0;
    return n;
}

#endif
