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

/* Shrink the variances of class k towards their mean. */
static sepal_status shrink(struct gaussian *g, const struct class_order *order, size_t k,
                           double *squares) {
    struct scatter_rows rows = {.s = &g->s};
    double alpha = g->alpha, mean = 0;
    if (isnan(alpha) && order->first) {
        rows.row = order->row + order->first[k];
        TRY(ledoit_wolf(&alpha, &rows, g->s.class_rows[k], g->s.class_weight[k], squares, true));
    }
    for (size_t j = 0; j < g->cols; j++) mean += squares[j] / (double)g->cols;
    for (size_t j = 0; j < g->cols && alpha > 0; j++)
        squares[j] = (1 - alpha) * squares[j] + alpha * mean;
    g->intensity = fmax(g->intensity, alpha);
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
    double one_less = g->config->estimate == ESTIMATE_UNBIASED ? 1 : 0;
    double least = find_floor(g, before);
    size_t none = 0, cols = g->cols;
    for (size_t k = 0; k < g->classes; k++) {
        double divisor = g->s.class_weight[k] - one_less, all = 0;
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
        warn(g->fit->ctx, "zero-variance",
             "%zu of %zu variances are 0: each was replaced by %.3g, which is 1e-9 of the largest "
             "variance of a column; shrinkage=0.01 would spread them",
             none, spherical ? g->classes : g->classes * cols, least);
}

sepal_status gaussian_variances(struct gaussian *g) {
    sepal_ctx *ctx = g->fit->ctx;
    struct class_order order = {0};
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
    if (isnan(g->alpha)) {
        TRY(scatter_columns(&g->s, SPREAD_NONE));
        TRY(scatter_order(&order, &g->s));
    }
    bool shrunk = !(g->alpha == 0) && g->config->covariance == COVARIANCE_DIAGONAL;
    for (size_t k = 0; k < g->classes && shrunk; k++)
        TRY(shrink(g, &order, k, squares + k * g->cols));
    set_roots(g, before, squares);
    g->fit->solver = "closed form";
    return SEPAL_OK;
}
