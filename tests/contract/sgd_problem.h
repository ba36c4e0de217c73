/* What the tests of --solver sgd share: a walk's problem and parameters, its rows as data, the order and
   length of its steps, and what is told on the way. */
#ifndef TESTS_SGD_PROBLEM_H
#define TESTS_SGD_PROBLEM_H

#include "core/tree.h"
#include "data/data.h"
#include "model/model.h"
#include "seed.h"
#include "sepal/sepal.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h> /* after core/context.h: it defines a macro fail() */

enum { MOST_ROWS = 40, FEW_COLS = 7, MOST_COLS = 48, WIDE = MOST_COLS + 1, MOST_CLASSES = 18 };
enum way { CONSTANT, INVERSE, ROOT };
static const char *const LABELS[MOST_CLASSES] = {"10", "11", "12", "13", "14", "15",
                                                 "16", "17", "18", "19", "20", "21",
                                                 "22", "23", "24", "25", "26", "27"};
static const char *const BIASES[] = {"true", "false", "penalised"};
static const char *const SCHEDULES[] = {"constant", "inverse", "root"};

struct walk {
    /* the problem */
    size_t n, cols, classes;
    double x[MOST_ROWS][MOST_COLS];
    double weight[MOST_ROWS];
    int own[MOST_ROWS]; /* classes */
    bool weighted;
    /* the objective */
    unsigned loss; /* of those of the test */
    double l1, l2;
    int bias; /* 0: true, 1: false, 2: penalised */
    /* the walk */
    double eta;
    size_t epochs, batch;
    enum way schedule;
    bool shuffle, average;
};

static inline double share(const struct walk *a, size_t i) {
    double total = 0;
    for (size_t k = 0; k < a->n; k++) total += a->weighted ? a->weight[k] : 1;
    return (a->weighted ? a->weight[i] : 1) / total;
}

static inline size_t penalised(const struct walk *a) {
    return a->cols + (a->bias == 2);
}

static inline void draw_steps(struct walk *a, struct rng *rng) {
    static const size_t batches[] = {1, 1, 3, 0, 100};
    a->l2 = rng_below(rng, 2) ? rng_unit(rng) : 0;
    a->l1 = rng_below(rng, 2) ? 0.1 * rng_unit(rng) : 0;
    a->bias = (int)rng_below(rng, 3);
    a->eta = 0.3 * rng_unit(rng) + 0.01;
    a->epochs = 1 + rng_below(rng, 6);
    a->batch = batches[rng_below(rng, sizeof batches / sizeof *batches)];
    a->schedule = (enum way)rng_below(rng, 3);
    a->shuffle = rng_below(rng, 2);
    a->average = rng_below(rng, 2);
}

/* ---- steps ---------------------------------------------------------------------------------- */

static inline size_t batch_of(const struct walk *a) {
    return a->batch && a->batch < a->n ? a->batch : a->n;
}

static inline void order_of_epoch(uint32_t *rows, const struct walk *a, uint64_t seed,
                                  size_t epoch) {
    struct rng rng = rng_make(seed, epoch); /* fixed: the order of the learner */
    for (size_t i = 0; i < a->n; i++) rows[i] = (uint32_t)i;
    if (a->shuffle && a->batch) rng_shuffle(&rng, rows, a->n);
}

/* After so many steps. */
static inline double rate_of(const struct walk *a, size_t steps) {
    size_t in_epoch = (a->n + batch_of(a) - 1) / batch_of(a);
    double e = (double)steps / (double)in_epoch;
    double slower = a->schedule == INVERSE ? 1 + e : a->schedule == ROOT ? sqrt(1 + e) : 1;
    return a->eta / slower;
}

/* ---- rows ----------------------------------------------------------------------------------- */

static inline sepal_data *dense(sepal_ctx *ctx, const struct walk *a) {
    double *x = malloc(a->n * a->cols * sizeof *x);
    const char *labels[MOST_ROWS];
    sepal_data *data;
    assert_non_null(x);
    for (size_t i = 0; i < a->n; i++) {
        labels[i] = LABELS[a->own[i]];
        memcpy(x + i * a->cols, a->x[i], a->cols * sizeof *x);
    }
    assert_int_equal(
        sepal_data_dense(&data, ctx, x, a->n, a->cols, labels, a->weighted ? a->weight : NULL),
        SEPAL_OK);
    free(x);
    return data;
}

static inline sepal_data *sparse(sepal_ctx *ctx, const struct walk *a) {
    sepal_data *data;
    FILE *rows = fopen("rows.svm", "w"), *weights = fopen("weights", "w");
    assert_true(rows && weights);
    for (size_t i = 0; i < a->n; i++) {
        (void)fprintf(rows, "%s", LABELS[a->own[i]]);
        for (size_t j = 0; j < a->cols; j++)
            if (a->x[i][j] != 0) (void)fprintf(rows, " %zu:%.17g", j + 1, a->x[i][j]);
        (void)fprintf(rows, "\n");
        (void)fprintf(weights, "%.17g\n", a->weight[i]);
    }
    assert_true(fclose(rows) == 0 && fclose(weights) == 0);
    assert_int_equal(
        sepal_data_read(&data, ctx, "rows.svm", a->weighted ? "weights=weights" : NULL), SEPAL_OK);
    assert_int_equal(sepal_data_columns(data), a->cols);
    /* few rows can be full by chance */
    assert_true(data->matrix.sparse || data->matrix.rows < 20);
    return data;
}

static inline void standardized(struct walk *a) {
    for (size_t j = 0; j < a->cols; j++) {
        double mean = 0, square = 0;
        for (size_t i = 0; i < a->n; i++) mean += share(a, i) * a->x[i][j];
        for (size_t i = 0; i < a->n; i++)
            square += share(a, i) * (a->x[i][j] - mean) * (a->x[i][j] - mean);
        double scale = square > 0 ? sqrt(square) : 1;
        for (size_t i = 0; i < a->n; i++) a->x[i][j] = (a->x[i][j] - mean) / scale;
    }
}

/* ---- what is told --------------------------------------------------------------------------- */

static inline bool warned(const sepal_ctx *ctx, const char *code, const char *words) {
    for (size_t i = 0; i < sepal_ctx_warning_count(ctx); i++) {
        sepal_warning warning = sepal_ctx_warning(ctx, i);
        if (strcmp(warning.code, code) == 0 && strstr(warning.message, words)) return true;
    }
    return false;
}

static inline double fit_plainly(sepal_ctx *ctx, const sepal_data *data, const char *spec,
                                 const char *options, const char *fact) {
    sepal_model *model;
    sepal_report *report;
    sepal_ctx_clear_warnings(ctx);
    assert_int_equal(sepal_model_fit(&model, &report, ctx, spec, data, options), SEPAL_OK);
    assert_true(isfinite(model->linear.w[0]) && isfinite(model->linear.b[0]));
    double number = sepal_report_number(report, fact);
    sepal_report_free(report);
    sepal_model_free(model);
    return number;
}

struct lines {
    const struct walk *a;
    size_t n;
};

struct line {
    sepal_ctx *ctx;
    struct arena arena;
    struct tree *facts;
};

static inline struct line line_read(const char *json) {
    struct line line = {0};
    assert_int_equal(sepal_ctx_new(&line.ctx), SEPAL_OK);
    assert_int_equal(json_read(&line.facts, line.ctx, &line.arena,
                               (struct slice){json, strlen(json)}, SEPAL_EDATA),
                     SEPAL_OK);
    return line;
}

static inline void line_free(struct line *line) {
    arena_clear(&line->arena);
    sepal_ctx_free(line->ctx);
}

/* What a line says of the epoch `lines->n`, of batches of one row. */
static inline void line_check(const struct line *line, const struct lines *lines,
                              double objective) {
    assert_true(tree_find(line->facts, "epoch")->number == (double)lines->n);
    assert_true(tree_find(line->facts, "steps")->number == (double)(lines->n * lines->a->n));
    assert_true(fabs(tree_find(line->facts, "objective")->number - objective) < 1e-12);
}

/* Every epoch has a line. */
static inline void check_trace(const struct walk *a, const char *spec, sepal_trace_fn check) {
    struct lines lines = {.a = a};
    sepal_ctx *ctx;
    sepal_model *model;
    sepal_report *report;
    assert_int_equal(sepal_ctx_new(&ctx), SEPAL_OK);
    sepal_data *data = dense(ctx, a);
    sepal_ctx_set_trace(ctx, check, &lines);
    assert_int_equal(sepal_model_fit(&model, &report, ctx, spec, data, "solver=sgd, max_iter=7"),
                     SEPAL_OK);
    assert_int_equal(lines.n, 7);
    assert_true(sepal_report_number(report, "iterations") == 7);
    sepal_report_free(report);
    sepal_model_free(model);
    sepal_data_free(data);
    sepal_ctx_free(ctx);
}

#endif
