/* What the tests of mean-difference, fisher, lda and gaussian share: fits by name and settings, and
   class means and scatter in long double by plain loops. */
#ifndef TESTS_DISCRIMINANT_PROBLEM_H
#define TESTS_DISCRIMINANT_PROBLEM_H

#include "core/spec.h"
#include "contract/least_squares_problem.h"
#include "linear/decide.h"

enum { FACTS_MOST = 32 };

struct answer {
    sepal_status status;
    struct linear linear;
    double objective;
    double j, shrinkage, eigenvalue[FACTS_MOST], share[FACTS_MOST]; /* NaN: null or absent */
    size_t n_eigenvalues;
    char solver[256];
};

static inline double fact(const struct tree *node) {
    return node && node->kind == TREE_NUMBER ? node->number : NAN;
}

static inline void read_facts(struct answer *out, const struct tree *report) {
    const struct tree *facts = tree_find(report, "discriminant");
    out->j = out->shrinkage = NAN;
    if (!facts) return;
    const struct tree *value = tree_find(facts, "eigenvalues"), *share = tree_find(facts, "share");
    out->j = fact(tree_find(facts, "J"));
    out->shrinkage = fact(tree_find(facts, "shrinkage"));
    out->n_eigenvalues = value->count;
    assert_int_equal(value->count, share->count);
    value = value->first, share = share->first;
    for (size_t i = 0; i < out->n_eigenvalues && i < FACTS_MOST; i++) {
        out->eigenvalue[i] = fact(value), out->share[i] = fact(share);
        value = value->next, share = share->next;
    }
}

/* learn(ctx, data, "lda", "axes=1"); the link is set as a pipeline sets it. */
static inline struct answer learn(sepal_ctx *ctx, const sepal_data *data, const char *name,
                                  const char *text) {
    const struct learner *learner = learner_find(name);
    struct arena arena = {0};
    struct tree_maker make = {.ctx = ctx, .arena = &arena};
    struct setting *settings = NULL;
    size_t n = 0;
    struct answer out = {.status = SEPAL_EMEMORY};
    struct fit fit = {.ctx = ctx, .data = data, .gap = 7, .make = &make, .solver = ""};
    void *config = calloc(1, learner->config_size);
    fit.config = config;
    fit.options = (struct fit_options){.tol = NAN, .max_seconds = NAN};
    fit.report = tree_object(&make, NULL, NULL);
    if (text) out.status = settings_parse(&settings, &n, ctx, &arena, text);
    if (!text || out.status == SEPAL_OK)
        out.status = parameters_fill(config, ctx, &arena, learner->parameters, name, settings, n);
    blas_enter(); /* as pipeline_fit does */
    if (out.status == SEPAL_OK) out.status = learner->fit(&fit);
    blas_leave();
    if (out.status == SEPAL_OK && (fit.message_lost || make.failed)) out.status = SEPAL_EMEMORY;
    if (out.status == SEPAL_OK) {
        assert_true(isnan(fit.gap) && fit.iterations == 0 && fit.converged);
        assert_true(fit.words && *fit.words && *fit.solver);
        out.linear = fit.linear;
        out.linear.link = learner->posterior ? LINK_POSTERIOR : LINK_NONE;
        out.objective = fit.objective;
        snprintf(out.solver, sizeof out.solver, "%s", fit.solver);
        read_facts(&out, fit.report);
    } else {
        linear_clear(&fit.linear);
    }
    arena_clear(&fit.arena);
    arena_clear(&arena);
    free(config);
    return out;
}

/* One that must succeed. */
static inline struct answer learn_problem(sepal_ctx *ctx, const struct problem *p, bool sparse,
                                          const char *name, const char *text) {
    sepal_data *data = problem_data(p, ctx, sparse);
    struct answer out = learn(ctx, data, name, text);
    if (out.status != SEPAL_OK) fail_msg("%s(%s): %s", name, text ? text : "", ctx->error.message);
    data_free(data);
    return out;
}

/* Rows enough for a nonsingular scatter; columns of mixed scales, weights, sparse rows. */
static inline struct problem scatter_problem(struct rng *rng, size_t classes, bool *sparse) {
    size_t cols = 1 + rng_below(rng, 60);
    size_t rows = classes * 3 + 2 * cols + rng_below(rng, 300);
    struct problem p = problem_new(rng, rows, cols, classes);
    bool scaled = rng_below(rng, 3) == 0;
    *sparse = rng_below(rng, 3) == 0;
    for (size_t i = 0; i < classes * 2; i++) p.label[i] = (int)(i % classes);
    for (size_t j = 0; j < cols; j++) {
        double scale = scaled ? pow(10, 8 * rng_unit(rng) - 4) : 1;
        for (size_t i = 0; i < rows; i++) {
            double *x = &p.x[i * cols + j];
            if (*sparse && rng_below(rng, 3)) *x = 0;
            *x *= scale;
        }
    }
    if (rng_below(rng, 2)) problem_weigh(&p, rng);
    for (size_t i = 0; p.weight && i < rows; i++) p.weight[i] += 1; /* total above the classes */
    return p;
}

/* ---- plain statistics ---------------------------------------------------------------------- */

struct plain {
    size_t cols, classes;
    long double total, *weight; /* of the classes */
    long double *all, *mean;    /* means: of all rows; classes x cols */
    long double *within;        /* cols x cols */
};

static inline long double *long_zeros(size_t n) {
    long double *out = calloc(n ? n : 1, sizeof *out);
    assert_non_null(out);
    return out;
}

static inline struct plain plain_new(const struct problem *p) {
    size_t cols = p->cols, classes = p->classes;
    struct plain s = {.cols = cols, .classes = classes};
    s.weight = long_zeros(classes);
    s.all = long_zeros(cols);
    s.mean = long_zeros(classes * cols);
    s.within = long_zeros(cols * cols);
    for (size_t i = 0; i < p->rows; i++) {
        s.weight[p->label[i]] += problem_weight(p, i);
        s.total += problem_weight(p, i);
    }
    for (size_t i = 0; i < p->rows; i++) {
        long double w = problem_weight(p, i);
        size_t k = (size_t)p->label[i];
        for (size_t j = 0; j < cols; j++) {
            s.all[j] += w * p->x[i * cols + j] / s.total;
            s.mean[k * cols + j] += w * p->x[i * cols + j] / s.weight[k];
        }
    }
    for (size_t i = 0; i < p->rows; i++) {
        const double *x = p->x + i * cols;
        const long double *mean = s.mean + (size_t)p->label[i] * cols;
        for (size_t a = 0; a < cols; a++)
            for (size_t b = 0; b < cols; b++)
                s.within[a * cols + b] +=
                    problem_weight(p, i) * (x[a] - mean[a]) * (x[b] - mean[b]);
    }
    return s;
}

static inline void plain_free(struct plain *s) {
    free(s->weight);
    free(s->all);
    free(s->mean);
    free(s->within);
}

static inline void plain_shrink(struct plain *s, double alpha) {
    long double trace = 0;
    for (size_t j = 0; j < s->cols; j++) trace += s->within[j * s->cols + j];
    for (size_t i = 0; i < s->cols * s->cols; i++) s->within[i] *= 1 - (long double)alpha;
    for (size_t j = 0; j < s->cols; j++)
        s->within[j * s->cols + j] += alpha * trace / (long double)s->cols;
}

/* In units of the standard deviations that the divisor gives, 1 where there is none. */
static inline void plain_shrink_standardized(struct plain *s, double alpha, long double divisor) {
    size_t cols = s->cols;
    for (size_t i = 0; i < cols * cols; i++)
        if (i % (cols + 1) != 0) s->within[i] *= 1 - (long double)alpha;
    for (size_t j = 0; j < cols; j++)
        if (s->within[j * (cols + 1)] == 0) s->within[j * (cols + 1)] = alpha * divisor;
}

/* Ledoit and Wolf's intensity for class-centred rows in units of their standard deviations, by plain
   loops. */
static inline double plain_intensity(const struct problem *p, const struct plain *s) {
    size_t cols = p->cols;
    long double trace = 0, squares = 0, fourth = 0;
    for (size_t i = 0; i < cols * cols; i++) {
        long double a = s->within[i / cols * (cols + 1)], b = s->within[i % cols * (cols + 1)];
        if (a > 0 && b > 0) squares += powl(s->within[i], 2) / (a * b);
    }
    for (size_t j = 0; j < cols; j++) trace += s->within[j * (cols + 1)] > 0;
    for (size_t i = 0; i < p->rows; i++) {
        long double norm = 0;
        for (size_t j = 0; j < cols; j++) {
            long double z = p->x[i * cols + j] - s->mean[(size_t)p->label[i] * cols + j];
            long double square = s->within[j * (cols + 1)] / s->total;
            if (square > 0) norm += z * z / square;
        }
        fourth += problem_weight(p, i) * norm * norm;
    }
    long double uncertain = (fourth / s->total - squares) / s->total;
    long double spread = squares - trace * trace / (long double)cols;
    if (cols == 1) return 0;
    return (double)(uncertain < spread ? uncertain / spread : 1);
}

/* x = inverse(A) b by elimination, A symmetric positive definite; returns ln det A. */
static inline long double plain_solve(long double *x, const long double *a, const long double *b,
                                      size_t n) {
    long double *m = long_zeros(n * n), log_det = 0;
    memcpy(m, a, n * n * sizeof *m);
    memcpy(x, b, n * sizeof *x);
    for (size_t i = 0; i < n; i++) {
        log_det += logl(m[i * n + i]);
        for (size_t r = i + 1; r < n; r++) {
            long double f = m[r * n + i] / m[i * n + i];
            for (size_t c = i; c < n; c++) m[r * n + c] -= f * m[i * n + c];
            x[r] -= f * x[i];
        }
    }
    for (size_t i = n; i-- > 0;) {
        for (size_t c = i + 1; c < n; c++) x[i] -= m[i * n + c] * x[c];
        x[i] /= m[i * n + i];
    }
    free(m);
    return log_det;
}

static inline long double plain_dot(const long double *a, const long double *b, size_t n) {
    long double sum = 0;
    for (size_t j = 0; j < n; j++) sum += a[j] * b[j];
    return sum;
}

/* All scores of the problem's rows by the library. */
static inline double *scores_of(sepal_ctx *ctx, const struct problem *p, bool sparse,
                                const struct linear *linear) {
    sepal_data *data = problem_data(p, ctx, sparse);
    double *out = malloc(p->rows * linear->rows * sizeof *out);
    assert_non_null(out);
    if (linear_scores(out, ctx, linear, &data->matrix) != SEPAL_OK)
        fail_msg("%s", ctx->error.message);
    data_free(data);
    return out;
}

/* The largest difference of probabilities for two models' scores of the same rows. */
static inline double posteriors_differ(const struct linear *linear, const double *a,
                                       const double *b, size_t rows) {
    double worst = 0, p[128], q[128];
    for (size_t i = 0; i < rows; i++) {
        linear_probabilities(linear, a + i * linear->rows, p);
        linear_probabilities(linear, b + i * linear->rows, q);
        for (size_t k = 0; k < linear->classes; k++) worst = fmax(worst, fabs(p[k] - q[k]));
    }
    return worst;
}

#endif
