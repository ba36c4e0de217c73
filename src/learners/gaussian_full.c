/* A covariance matrix for each class: scatter matrices one after the other, all threads at each,
   then their Cholesky factors, a class a task. */
#include "learners/gaussian.h"

#include "core/alloc.h"
#include "core/parallel.h"
#include "kernels/blas.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Pivots of a covariance of unit diagonal that are not above this are rounding. */
static const double PIVOT_LEAST = 1e-12;
/* The same where there are no rows to turn to. */
static const double PIVOT_LEFT = 1e-6;
/* 2 GiB of matrices. */
static const double CELLS_MOST = 1 << 28;

struct full_covariances {
    struct gaussian *g;
    struct class_order order;
    struct shrunk *of; /* each class */
};

sepal_status gaussian_check_size(const struct gaussian *g) {
    double cols = (double)g->cols, classes = (double)g->classes;
    if (g->config->covariance != COVARIANCE_FULL || classes * cols * cols <= CELLS_MOST)
        return SEPAL_OK;
    return fail(
        g->fit->ctx, SEPAL_EDATA,
        "%zu covariance matrices of %zu columns would take %.3g GB, more than the 2 GB this "
        "is made for; use covariance=shared or diagonal",
        g->classes, g->cols, classes * cols * cols * 8e-9);
}

static sepal_status full_refuse(const struct gaussian *g, sepal_ctx *ctx, size_t k,
                                const char *why) {
    return fail(ctx, SEPAL_EDATA,
                "the covariance of class '%s' is singular: %zu rows, %zu columns%s; use "
                "%scovariance=shared or diagonal",
                g->fit->data->schema->classes[k], g->s.class_rows[k], g->cols, why,
                isnan(g->alpha) ? "" : "shrinkage=auto, or ");
}

static sepal_status full_check_classes(struct full_covariances *all) {
    struct gaussian *g = all->g;
    bool ml = g->config->estimate == ESTIMATE_ML;
    for (size_t k = 0; k < g->classes; k++) {
        all->of[k] = (struct shrunk){
            .cols = g->cols,
            .divisor = ml ? g->s.class_weight[k]
                          : freedom_of(g->s.class_weight[k], g->s.class_rows[k], 1)};
        if (!(all->of[k].divisor > 0))
            return fail(g->fit->ctx, SEPAL_EDATA,
                        "class '%s' has a total weight of %g (%zu rows), and a covariance needs "
                        "more than 1; give it more rows, or use covariance=shared",
                        g->fit->data->schema->classes[k], g->s.class_weight[k], g->s.class_rows[k]);
        if (g->alpha == 0 && g->s.class_rows[k] < g->cols + 1)
            return full_refuse(g, g->fit->ctx, k, ", so fewer than columns + 1");
    }
    return SEPAL_OK;
}

static double *matrix_of(const struct gaussian *g, size_t k) {
    return g->fit->linear.density->root + k * g->cols * g->cols;
}

static sepal_status add_scatter(struct full_covariances *all, size_t k) {
    struct gaussian *g = all->g;
    struct shrunk *of = &all->of[k];
    double *matrix = matrix_of(g, k);
    size_t cols = g->cols;
    TRY(check_cancelled(g->fit->ctx, "adding up the covariance of a class"));
    TRY(scatter_of_class(matrix, &g->s, &all->order, k));
    for (size_t j = 0; j < cols; j++) of->trace += matrix[j * cols + j];
    of->alpha = g->alpha;
    of->ridge = of->alpha * of->trace / (double)cols;
    return SEPAL_OK;
}

/* Standard deviations of all classes together, for columns that have none in a class; 1: none. */
static sepal_status full_find_pooled(double **out, const struct full_covariances *all) {
    const struct gaussian *g = all->g;
    double divisor = 0,
           *units = *out = arena_alloc(g->fit->ctx, &g->fit->arena, g->cols, sizeof *units);
    if (!units) return SEPAL_EMEMORY;
    for (size_t k = 0; k < g->classes; k++) divisor += all->of[k].divisor;
    for (size_t j = 0; j < g->cols; j++) {
        double squares = 0;
        for (size_t k = 0; k < g->classes; k++) squares += matrix_of(g, k)[j * (g->cols + 1)];
        units[j] = squares > 0 ? sqrt(squares / divisor) : 1;
    }
    return SEPAL_OK;
}

/* A class's matrix in units of standard deviations, shrunk as Ledoit and Wolf estimate. */
static sepal_status full_standardize(struct full_covariances *all, size_t k, const double *pooled) {
    struct gaussian *g = all->g;
    struct shrunk *of = &all->of[k];
    struct scatter scaled;
    double *matrix = matrix_of(g, k);
    TRY(scatter_standardize(&scaled, &g->s, matrix, g->cols + 1, of->divisor, pooled));
    scatter_scale(matrix, &scaled, of->divisor);
    struct scatter_rows rows = {.s = &scaled, .row = all->order.row + all->order.first[k]};
    TRY(ledoit_wolf(&of->alpha, &rows, g->s.class_rows[k], g->s.class_weight[k], matrix, false));
    of->inverse_unit = scaled.inverse_unit;
    of->ridge = of->alpha * of->divisor;
    of->trace = 0;
    for (size_t j = 0; j < g->cols; j++) of->trace += matrix[j * (g->cols + 1)];
    return SEPAL_OK;
}

static sepal_status factor_class(sepal_ctx *ctx, size_t k, void *payload) {
    struct full_covariances *all = payload;
    struct gaussian *g = all->g;
    const struct shrunk *of = &all->of[k];
    size_t cols = g->cols;
    double *s = matrix_of(g, k);
    double *scale = mem_alloc(ctx, cols, (1 + GAUSSIAN_PANEL) * sizeof *scale);
    if (!scale) return SEPAL_EMEMORY;
    bool usable = true;
    double least = g->s.left ? PIVOT_LEFT : PIVOT_LEAST;
    for (size_t i = 0; i < cols; i++) {
        for (size_t j = i; j < cols && of->alpha > 0; j++) s[i * cols + j] *= 1 - of->alpha;
        s[i * cols + i] += of->ridge;
        usable = usable && s[i * cols + i] > DBL_MIN && isfinite(s[i * cols + i]);
    }
    if (usable) usable = cholesky_scaled(s, cols, scale, least, ctx);
    if (usable) {
        bool plain = of->alpha == 0 || of->alpha == 1;
        g->squares[k] = gaussian_trace(
            of, plain ? 0 : trace_of_inverse(s, cols, scale, scale + cols, ctx->blas));
        for (size_t i = 0; i < cols; i++) {
            memset(s + i * cols, 0, i * sizeof *s);
            for (size_t j = i; j < cols; j++)
                s[i * cols + j] /=
                    scale[j] * sqrt(of->divisor) * (of->inverse_unit ? of->inverse_unit[j] : 1);
        }
    }
    mem_free(scale);
    return usable ? SEPAL_OK : full_refuse(g, ctx, k, ", some constant or a combination of others");
}

sepal_status gaussian_full(struct gaussian *g) {
    sepal_ctx *ctx = g->fit->ctx;
    struct full_covariances all = {.g = g};
    all.of = arena_alloc(ctx, &g->fit->arena, g->classes, sizeof *all.of);
    if (!all.of) return SEPAL_EMEMORY;
    TRY(full_check_classes(&all));
    TRY(scatter_columns(&g->s, SPREAD_NONE));
    TRY(scatter_order(&all.order, &g->s));
    for (size_t k = 0; k < g->classes; k++) TRY(add_scatter(&all, k));
    double *pooled = NULL;
    if (isnan(g->alpha)) TRY(full_find_pooled(&pooled, &all));
    for (size_t k = 0; k < g->classes; k++) {
        if (pooled) TRY(full_standardize(&all, k, pooled));
        g->intensity = fmax(g->intensity, all.of[k].alpha);
    }
    g->fit->solver =
        fit_text(g->fit, "Cholesky of %zu covariances of %zu columns", g->classes, g->cols);
    sepal_status status = parallel_for(ctx, g->classes, factor_class, &all);
    return status == SEPAL_EDATA && g->s.left ? scatter_lacks(&g->s) : status;
}
