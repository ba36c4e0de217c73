/* Variances instead of covariance matrices: one for each class and column, or one for each class. */
#include "learners/gaussian.h"

#include <math.h>
#include <string.h>

/* A variance of 0 would give a density without bound: it is replaced by this part of the largest
   variance that a column has over all rows. */
static const double VARIANCE_LEAST = 1e-9;

static double find_floor(const struct gaussian *g, const double *squares) {
    const struct scatter *s = &g->s;
    double largest = 0;
    for (size_t j = 0; j < g->cols; j++) {
        double sum = 0;
        for (size_t k = 0; k < g->classes; k++) {
            double mean = s->mean[k * g->cols + j] - s->offset[j];
            sum += squares[k * g->cols + j] + s->class_weight[k] * (mean * mean);
        }
        largest = fmax(largest, sum / s->total);
    }
    return largest > 0 ? VARIANCE_LEAST * largest : 1;
}

/* Shrink the variances of a class towards their mean. */
static void variances_shrink(const struct gaussian *g, double *squares) {
    double mean = 0;
    for (size_t j = 0; j < g->cols; j++) mean += squares[j] / (double)g->cols;
    for (size_t j = 0; j < g->cols; j++) squares[j] = (1 - g->alpha) * squares[j] + g->alpha * mean;
}

static double divisor_of(const struct gaussian *g, size_t k) {
    double weight = g->s.class_weight[k];
    return g->config->estimate == ESTIMATE_ML ? weight : freedom_of(weight, g->s.class_rows[k], 1);
}

/* Standard deviations of all classes together; 1: none. */
static void variances_find_pooled(double *units, const struct gaussian *g, const double *squares) {
    double divisor = 0;
    for (size_t k = 0; k < g->classes; k++) divisor += divisor_of(g, k);
    for (size_t j = 0; j < g->cols; j++) {
        double sum = 0;
        for (size_t k = 0; k < g->classes; k++) sum += squares[k * g->cols + j];
        units[j] = sum > 0 && divisor > 0 ? sqrt(sum / divisor) : 1;
    }
}

/* In units of standard deviations variances are 1, wherever they are shrunk to: only those of 0
   become what Ledoit and Wolf estimate. */
static sepal_status shrink_zeros(struct gaussian *g, const struct class_order *order, size_t k,
                                 double *squares, const double *pooled) {
    struct scatter scaled;
    struct scatter_rows rows = {.s = &scaled, .row = order->row + order->first[k]};
    double divisor = divisor_of(g, k), alpha;
    size_t zeros = 0;
    double *ones = arena_alloc(g->fit->ctx, &g->fit->arena, g->cols, sizeof *ones);
    if (!ones) return SEPAL_EMEMORY;
    for (size_t j = 0; j < g->cols; j++) zeros += squares[j] == 0;
    for (size_t j = 0; j < g->cols; j++) ones[j] = squares[j] == 0 ? 0 : divisor;
    if (zeros == 0 || !(divisor > 0)) return SEPAL_OK;
    TRY(scatter_standardize(&scaled, &g->s, squares, 1, divisor, pooled));
    TRY(ledoit_wolf(&alpha, &rows, g->s.class_rows[k], g->s.class_weight[k], ones, true));
    for (size_t j = 0; j < g->cols; j++)
        if (squares[j] == 0) squares[j] = alpha * divisor * (pooled[j] * pooled[j]);
    g->intensity = fmax(g->intensity, alpha);
    return SEPAL_OK;
}

static sepal_status shrink_all(struct gaussian *g, double *squares) {
    struct class_order order;
    if (!isnan(g->alpha)) {
        for (size_t k = 0; k < g->classes; k++) variances_shrink(g, squares + k * g->cols);
        g->intensity = g->alpha;
        return SEPAL_OK;
    }
    double *pooled = arena_alloc(g->fit->ctx, &g->fit->arena, g->cols, sizeof *pooled);
    if (!pooled) return SEPAL_EMEMORY;
    TRY(scatter_columns(&g->s, SPREAD_NONE));
    TRY(scatter_order(&order, &g->s));
    variances_find_pooled(pooled, g, squares);
    for (size_t k = 0; k < g->classes; k++)
        TRY(shrink_zeros(g, &order, k, squares + k * g->cols, pooled));
    return SEPAL_OK;
}

/* The standard deviation of a sum of squares; *none counts those that have none. */
static double deviation(double squares, double divisor, double least, size_t *none) {
    if (divisor > 0 && squares > 0 && sqrt(squares / divisor) > 0) return sqrt(squares / divisor);
    ++*none;
    return sqrt(least);
}

static void set_roots(struct gaussian *g, const double *before, const double *squares) {
    struct density *density = g->fit->linear.density;
    bool spherical = density->kind == DENSITY_SPHERICAL;
    double least = find_floor(g, before);
    size_t none = 0, cols = g->cols;
    for (size_t k = 0; k < g->classes; k++) {
        double divisor = divisor_of(g, k), all = 0;
        for (size_t j = 0; j < cols; j++) {
            size_t at = k * cols + j;
            all += before[at];
            if (spherical) continue;
            double sd = density->root[at] = deviation(squares[at], divisor, least, &none);
            g->squares[k] += before[at] / (sd * sd);
        }
        if (!spherical) continue;
        double sd = density->root[k] = deviation(all, divisor * (double)cols, least, &none);
        g->squares[k] = all / (sd * sd);
    }
    if (none > 0)
        warn(
            g->fit->ctx, "zero-variance",
            "%zu of %zu variances are 0%s: each was replaced by %.3g, which is 1e-9 of the largest "
            "variance of a column; %s would %s",
            none, spherical ? g->classes : g->classes * cols,
            g->config->estimate == ESTIMATE_ML
                ? ""
                : ", or of a class whose total weight is not above 1",
            least,
            spherical ? "gaussian(covariance=shared)"
                      : "gaussian(covariance=diagonal, shrinkage=0.01)",
            spherical ? "have one covariance for all classes" : "spread them");
}

sepal_status gaussian_variances(struct gaussian *g) {
    sepal_ctx *ctx = g->fit->ctx;
    size_t cells = g->classes * g->cols;
    double *squares = arena_alloc(ctx, &g->fit->arena, 2, cells * sizeof *squares);
    if (!squares) return SEPAL_EMEMORY;
    double *before = squares + cells;
    TRY(scatter_squares(squares, &g->s));
    memcpy(before, squares, cells * sizeof *squares);
    for (size_t i = 0; i < cells; i++)
        if (!isfinite(squares[i]))
            return fail(ctx, SEPAL_EDATA,
                        "the squares of matrix column %zu are beyond the range of a double; scale "
                        "this feature down",
                        i % g->cols + 1);
    if (!(g->alpha == 0) && g->config->covariance == COVARIANCE_DIAGONAL)
        TRY(shrink_all(g, squares));
    set_roots(g, before, squares);
    g->fit->solver = "closed form";
    return SEPAL_OK;
}
