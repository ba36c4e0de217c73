/* Random problems for the tests of least squares, and a way to fit them. */
#ifndef TESTS_LEAST_SQUARES_PROBLEM_H
#define TESTS_LEAST_SQUARES_PROBLEM_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/compensated_sum.h"
#include "core/alloc.h"
#include "seed.h"
#include "data/data.h"
#include "learners/learner.h"
#include "kernels/blas.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#undef fail
#include <cmocka.h>

struct problem {
    size_t rows, cols, classes;
    double *x, *weight; /* weight NULL: all 1 */
    int *label;
};

static inline bool has_warned(const sepal_ctx *ctx, const char *code) {
    for (size_t i = 0; i < ctx->n_warnings; i++)
        if (strcmp(ctx->warnings[i].code, code) == 0) return true;
    return false;
}

static inline void check_small(const char *what, size_t number, double value, double most) {
    if (value <= most) return;
    fail_msg("problem %zu: %s is %g, not below %g", number, what, value, most);
}

static inline double normal(struct rng *rng) {
    return sqrt(-2 * log(1 - rng_unit(rng))) * cos(2 * acos(-1) * rng_unit(rng));
}

/* Normal columns, every class with a row, labels that depend on the columns a little. */
static inline struct problem problem_new(struct rng *rng, size_t rows, size_t cols,
                                         size_t classes) {
    struct problem p = {.rows = rows, .cols = cols, .classes = classes};
    p.x = malloc((rows * cols + 1) * sizeof *p.x);
    p.label = malloc(rows * sizeof *p.label);
    assert_true(p.x && p.label && rows >= classes);
    for (size_t i = 0; i < rows; i++) {
        p.label[i] = (int)(i < classes ? i : rng_below(rng, classes));
        for (size_t j = 0; j < cols; j++)
            p.x[i * cols + j] = normal(rng) + (j % classes == (size_t)p.label[i]);
    }
    return p;
}

static inline void problem_free(struct problem *p) {
    free(p->x);
    free(p->weight);
    free(p->label);
}

static inline void problem_weigh(struct problem *p, struct rng *rng) {
    p->weight = malloc(p->rows * sizeof *p->weight);
    assert_non_null(p->weight);
    for (size_t i = 0; i < p->rows; i++) p->weight[i] = 0.1 + 3 * rng_unit(rng);
}

static inline double problem_weight(const struct problem *p, size_t i) {
    return p->weight ? p->weight[i] : 1;
}

/* The same rows in sparse storage; zeros are left out. */
static inline void make_sparse(sepal_data *data, sepal_ctx *ctx) {
    struct matrix from = data->matrix, to;
    assert_int_equal(matrix_init(&to, ctx, from.rows, from.cols, true), SEPAL_OK);
    for (size_t b = 0; b < to.n_blocks; b++) {
        const struct block *dense = &from.blocks[b];
        struct block *block = &to.blocks[b];
        block->values = VALUES_F64;
        assert_int_equal(block_alloc(ctx, block, to.cols, dense->rows * to.cols), SEPAL_OK);
        size_t entries = 0;
        for (size_t i = 0; i < dense->rows; i++) {
            block->start[i] = entries;
            size_t at = 0, j;
            double x;
            for (; row_next(dense, i, to.cols, &at, &j, &x); entries++) {
                block->index[entries] = (uint32_t)j;
                block->f64[entries] = x;
            }
        }
        block->start[dense->rows] = entries;
        to.nonzeros += entries;
    }
    matrix_clear(&data->matrix);
    data->matrix = to;
}

static inline sepal_data *problem_data(const struct problem *p, sepal_ctx *ctx, bool sparse) {
    char names[100][16];
    const char **labels = malloc(p->rows * sizeof *labels);
    assert_non_null(labels);
    for (int k = 0; k < 100; k++) snprintf(names[k], sizeof names[k], "c%02d", k);
    for (size_t i = 0; i < p->rows; i++) labels[i] = names[p->label[i]];
    sepal_data *data;
    assert_int_equal(data_from_dense(&data, ctx, p->x, p->rows, p->cols, labels, NULL), SEPAL_OK);
    free(labels);
    if (p->weight) {
        data->weight = mem_alloc(ctx, p->rows, sizeof *data->weight);
        assert_non_null(data->weight);
        struct total total = {0};
        for (size_t i = 0; i < p->rows; i++) total_add(&total, data->weight[i] = p->weight[i]);
        data->total_weight = total_of(&total);
    }
    if (sparse) make_sparse(data, ctx);
    return data;
}

/* What a fit is asked for; fields that are 0 are not. */
struct asked {
    const char *l2, *targets, *bias, *solver;
    size_t max_iter;
};

struct outcome {
    sepal_status status;
    struct linear linear;
    double objective, residual, rank;
    bool converged;
    char solver[128];
};

static inline struct outcome fit_data(sepal_ctx *ctx, const sepal_data *data, struct asked asked) {
    const struct learner *learner = learner_find("least-squares");
    struct setting settings[3];
    size_t n = 0;
    if (asked.l2) settings[n++] = (struct setting){"l2", asked.l2};
    if (asked.targets) settings[n++] = (struct setting){"targets", asked.targets};
    if (asked.bias) settings[n++] = (struct setting){"bias", asked.bias};
    struct fit fit = {
        .ctx = ctx,
        .data = data,
        .gap = 7,
        .options = {
            .tol = NAN, .max_seconds = NAN, .solver = asked.solver, .max_iter = asked.max_iter}};
    for (size_t i = 0; asked.solver && learner->solvers[i]; i++)
        if (strcmp(learner->solvers[i]->name, asked.solver) == 0)
            fit.options.asked = learner->solvers[i];
    struct arena arena = {0};
    struct tree_maker make = {.ctx = ctx, .arena = &arena};
    void *config = calloc(1, learner->config_size);
    assert_int_equal(
        parameters_fill(config, ctx, &arena, learner->parameters, learner->name, settings, n),
        SEPAL_OK);
    fit.config = config;
    fit.make = &make;
    fit.report = tree_object(&make, NULL, NULL);
    blas_enter(); /* as pipeline_fit does */
    struct outcome out = {.status = learner->fit(&fit)};
    blas_leave();
    if (fit.message_lost || make.failed) out.status = SEPAL_EMEMORY; /* as pipelines have it */
    if (out.status == SEPAL_OK) {
        assert_true(isnan(fit.gap));
        const struct tree *facts = tree_find(fit.report, "least_squares");
        out.linear = fit.linear;
        out.objective = fit.objective;
        out.converged = fit.converged;
        out.residual = tree_find(facts, "residual")->number;
        out.rank = tree_find(facts, "rank")->number;
        snprintf(out.solver, sizeof out.solver, "%s", fit.solver);
    } else {
        linear_clear(&fit.linear);
    }
    arena_clear(&fit.arena);
    arena_clear(&arena);
    free(config);
    return out;
}

/* A fit that must succeed. */
static inline struct outcome fit_problem(sepal_ctx *ctx, const struct problem *p, bool sparse,
                                         struct asked asked) {
    sepal_data *data = problem_data(p, ctx, sparse);
    struct outcome out = fit_data(ctx, data, asked);
    if (out.status != SEPAL_OK) fail_msg("%s", ctx->error.message);
    assert_true(out.converged);
    data_free(data);
    return out;
}

static inline double target_of(const struct problem *p, size_t i, size_t r) {
    if (p->classes > 2) return (size_t)p->label[i] == r;
    return p->label[i] == 1 ? 1 : -1;
}

static inline long double score_of(const struct linear *linear, const double *x, size_t r) {
    long double sum = linear->b[r];
    for (size_t j = 0; j < linear->cols; j++)
        sum += ((long double)x[j] - (linear->centre ? linear->centre[j] : 0)) *
               linear->w[r * linear->cols + j];
    return sum;
}

/* ||W1 - W2|| / ||W1||, in units that let every column count alike. */
static inline double weights_differ(const struct problem *p, const struct linear *a,
                                    const struct linear *b) {
    double difference = 0, size = 0;
    for (size_t j = 0; j < p->cols; j++) {
        double spread = 0;
        for (size_t i = 0; i < p->rows; i++)
            spread = fmax(spread, fabs(p->x[i * p->cols + j] - p->x[j]));
        for (size_t r = 0; r < a->rows; r++) {
            double x = a->w[r * a->cols + j] * spread, y = b->w[r * a->cols + j] * spread;
            difference += (x - y) * (x - y);
            size += x * x;
        }
    }
    return size > 0 ? sqrt(difference / size) : sqrt(difference);
}

#endif
