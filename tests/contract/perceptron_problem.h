/* Problems for the perceptron's tests, and its fit with all that it reports. */
#ifndef SEPAL_TESTS_PERCEPTRON_PROBLEM_H
#define SEPAL_TESTS_PERCEPTRON_PROBLEM_H

#include "core/alloc.h"
#include "core/parallel.h"
#include "seed.h"
#include "learners/perceptron.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h> /* after core/context.h: it defines a macro fail() */

extern const struct learner learner_perceptron;

enum { MOST_CLASSES = 6, MOST_COLS = 20, MOST_WEIGHTS = MOST_CLASSES * (MOST_COLS + 1) };
static const char *const NAMES[] = {"a", "b", "c", "d", "e", "f"};

/* ---- problems ----------------------------------------------------------------------------- */

struct problem {
    size_t n, cols, classes;
    double *x;      /* n x cols */
    int32_t *label; /* every class has a row */
    double *weight; /* NULL: all 1 */
};

static inline struct problem problem_make(size_t n, size_t cols, size_t classes, bool weighted) {
    struct problem p = {.n = n, .cols = cols, .classes = classes};
    p.x = calloc(n * cols, sizeof *p.x);
    p.label = calloc(n, sizeof *p.label);
    if (weighted) p.weight = calloc(n, sizeof *p.weight);
    assert_true(p.x && p.label && (p.weight || !weighted));
    return p;
}

static inline void problem_free(struct problem *p) {
    free(p->x), free(p->label), free(p->weight);
}

static inline double integer_in(struct rng *rng, uint64_t limit) {
    return (double)rng_below(rng, 2 * limit + 1) - (double)limit;
}

/* Labels by a hidden linear machine of small integers; when the classes are to overlap some of them
   are changed at random. The first rows only see to it that every class has one. */
static inline struct problem integers(struct rng *rng, size_t n, size_t cols, size_t classes,
                                      bool overlap, bool weighted) {
    struct problem p = problem_make(n, cols, classes, weighted);
    double hidden[MOST_CLASSES][MOST_COLS + 1];
    for (size_t k = 0; k < classes; k++)
        for (size_t j = 0; j <= cols; j++) hidden[k][j] = integer_in(rng, 3);
    for (size_t i = 0; i < n; i++) {
        double best = -INFINITY;
        for (size_t j = 0; j < cols; j++) p.x[i * cols + j] = integer_in(rng, 4);
        for (size_t k = 0; k < classes; k++) {
            double s = hidden[k][cols];
            for (size_t j = 0; j < cols; j++) s += hidden[k][j] * p.x[i * cols + j];
            if (s > best) best = s, p.label[i] = (int32_t)k;
        }
        if (overlap && rng_below(rng, 8) == 0) p.label[i] = (int32_t)rng_below(rng, classes);
        if (i < classes) p.label[i] = (int32_t)i;
        if (weighted) p.weight[i] = (double)(1 + rng_below(rng, 4)) / 2;
    }
    return p;
}

/* Clouds of real numbers, `gap` apart. */
static inline struct problem clouds(struct rng *rng, size_t n, size_t cols, size_t classes,
                                    double gap) {
    struct problem p = problem_make(n, cols, classes, false);
    for (size_t i = 0; i < n; i++) {
        p.label[i] = (int32_t)(i < classes ? i : rng_below(rng, classes));
        for (size_t j = 0; j < cols; j++) p.x[i * cols + j] = rng_unit(rng) - 0.5;
        size_t axis = (size_t)p.label[i] / 2 % cols;
        p.x[i * cols + axis] += p.label[i] % 2 ? gap : -gap;
    }
    return p;
}

static inline void context_make(sepal_ctx *ctx, unsigned threads) {
    memset(ctx, 0, sizeof *ctx);
    ctx->root = ctx;
    ctx->kernels = kernels_choose();
    ctx->threads = threads;
    ctx->seed = 7;
}

static inline void context_clear(sepal_ctx *ctx) {
    pool_free(ctx->pool);
    for (size_t i = 0; i < ctx->n_warnings; i++)
        mem_free((void *)(uintptr_t)ctx->warnings[i].message);
    mem_free(ctx->warnings);
}

static inline sepal_data *data_of(const struct problem *p, sepal_ctx *ctx) {
    const char **labels = malloc(p->n * sizeof *labels);
    sepal_data *data;
    assert_non_null(labels);
    for (size_t i = 0; i < p->n; i++) labels[i] = NAMES[p->label[i]];
    assert_int_equal(data_from_dense(&data, ctx, p->x, p->n, p->cols, labels, p->weight), SEPAL_OK);
    free(labels);
    return data;
}

/* ---- runs --------------------------------------------------------------------------------- */

struct run {
    sepal_status status;
    double w[MOST_WEIGHTS]; /* R rows of cols weights, then R biases */
    size_t count;           /* of them */
    double updates, radius, margin, bound;
    double objective;
    size_t iterations;
    bool converged, interrupted;
    char warning[32]; /* code of the first one */
};

static const struct perceptron_config USUAL = {
    .variant = ONLINE, .eta = 1, .epochs = 100, .batch = 32, .bias = true};

static inline double fact(const struct tree *root, const char *path) {
    const struct tree *node = tree_path(root, path);
    assert_non_null(node);
    return node->kind == TREE_NUMBER ? node->number : NAN;
}

/* warm: where to start; NULL: at 0. */
static inline struct run run_from(sepal_ctx *ctx, const sepal_data *data,
                                  const struct perceptron_config *config,
                                  const struct linear *warm) {
    struct run run = {0};
    struct arena arena = {0};
    struct tree_maker make = {.ctx = ctx, .arena = &arena};
    struct fit fit = {.ctx = ctx, .data = data, .config = config, .make = &make, .warm = warm};
    fit.options.max_seconds = fit.options.tol = NAN;
    fit.report = tree_object(&make, NULL, NULL);
    run.status = learner_perceptron.fit(&fit);
    if (fit.message_lost || make.failed) run.status = SEPAL_EMEMORY; /* as pipelines have it */
    if (run.status == SEPAL_OK) {
        size_t cells = fit.linear.rows * fit.linear.cols;
        run.count = cells + fit.linear.rows;
        assert_true(run.count <= MOST_WEIGHTS);
        memcpy(run.w, fit.linear.w, cells * sizeof(double));
        memcpy(run.w + cells, fit.linear.b, fit.linear.rows * sizeof(double));
        run.updates = fact(fit.report, "perceptron.updates");
        run.radius = fact(fit.report, "perceptron.radius");
        run.margin = fact(fit.report, "perceptron.margin");
        run.bound = fact(fit.report, "perceptron.bound");
        run.objective = fit.objective;
        run.iterations = fit.iterations;
        run.converged = fit.converged;
        run.interrupted = fit.stopped != NULL;
        assert_true(isnan(fit.gap));
        assert_true(strlen(fit.solver) > 0 && strlen(fit.words) > 0);
        if (ctx->n_warnings) snprintf(run.warning, sizeof run.warning, "%s", ctx->warnings[0].code);
    }
    linear_clear(&fit.linear);
    arena_clear(&fit.arena);
    arena_clear(&arena);
    return run;
}

static inline struct run run_data(sepal_ctx *ctx, const sepal_data *data,
                                  const struct perceptron_config *config) {
    return run_from(ctx, data, config, NULL);
}

static inline struct run run_problem_from(const struct problem *p,
                                          const struct perceptron_config *config,
                                          const struct linear *warm) {
    sepal_ctx ctx;
    context_make(&ctx, 1);
    sepal_data *data = data_of(p, &ctx);
    struct run run = run_from(&ctx, data, config, warm);
    data_free(data);
    context_clear(&ctx);
    return run;
}

static inline struct run run_problem(const struct problem *p,
                                     const struct perceptron_config *config) {
    return run_problem_from(p, config, NULL);
}

static inline bool same_number(double a, double b) {
    return a == b || (isnan(a) && isnan(b));
}

static inline void check_same(const struct run *a, const struct run *b) {
    assert_int_equal(a->status, b->status);
    assert_int_equal(a->count, b->count);
    for (size_t j = 0; j < a->count; j++) assert_true(a->w[j] == b->w[j]);
    assert_true(a->updates == b->updates && a->iterations == b->iterations);
    assert_true(a->converged == b->converged);
    assert_true(same_number(a->radius, b->radius) && same_number(a->margin, b->margin));
    assert_true(same_number(a->bound, b->bound) && same_number(a->objective, b->objective));
    assert_string_equal(a->warning, b->warning);
}

/* The k-th of all variants and modes. */
enum { KINDS = 8 };
static inline struct perceptron_config kind(size_t k) {
    struct perceptron_config config = USUAL;
    static const int variant[KINDS] = {ONLINE,   BATCH, MINIBATCH, POCKET,
                                       AVERAGED, DELTA, DELTA,     DELTA};
    static const int mode[KINDS] = {[6] = MODE_BATCH, [7] = MODE_MINIBATCH};
    config.variant = variant[k];
    config.mode = mode[k];
    return config;
}

#endif
