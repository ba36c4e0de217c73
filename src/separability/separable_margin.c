/* Bounds of the margin that hold in spite of rounding. Sums of products are taken as if in twice the
   precision (Ogita, Rump and Oishi, "Accurate sum and dot product", SIAM J. Sci. Comput. 26, 2005):

       |result - exact|  <=  u |exact| + (n u / (1 - n u))^2  sum of |x_i y_i|,    u = 2^-53.

   The coordinates of points are exact. All is in the points' own scale, so that nothing overflows; what
   underflows has its own term. */
#include "core/alloc.h"
#include "separability/wolfe.h"
#include "separability/separable.h"
#include "exact/double_double.h"

/* Beyond what rounding of a bound can have taken from it. */
static const double UPWARD = 1 + 0x1p-40;
static const double TINY = 0x1p-990; /* more than what a product loses by underflow */

struct margin_sum {
    struct double_double value;
    double size; /* of absolute values */
    size_t n;
};

static void margin_add_product(struct margin_sum *s, double a, double b) {
    double_double_add_product(&s->value, a, b);
    s->size += fabs(a * b);
    s->n++;
}

static double sum_value(const struct margin_sum *s) {
    return double_double_value(s->value);
}

/* Of high + low as two numbers, and of their sum as one. */
static double pair_error(const struct margin_sum *s) {
    double gamma = (double)(2 * s->n + 8) * DBL_EPSILON;
    return UPWARD * (gamma * gamma * s->size + (double)(s->n + 8) * TINY);
}

static double sum_error(const struct margin_sum *s) {
    return UPWARD * (2 * DBL_EPSILON * fabs(sum_value(s)) + pair_error(s));
}

/* w . (x - c) s of a row. */
static struct margin_sum row_sum(const struct hull_points *points, const double *w, size_t row,
                                 double *buffer) {
    const struct matrix *x = points->q->x;
    struct margin_sum s = {0};
    size_t i, cols = x->cols;
    const struct block *block = matrix_block_of(x, row, &i);
    if (points->centre) {
        block_dense(block, i, 1, cols, points->centre, NULL, buffer, cols);
        for (size_t j = 0; j < cols; j++)
            margin_add_product(&s, w[j], buffer[j] * points->scale[j]);
        return s;
    }
    double value;
    for (size_t at = 0, j; row_next(block, i, cols, &at, &j, &value);)
        margin_add_product(&s, w[j], value * points->scale[j]);
    return s;
}

/* What w.p of each group is at least, in the two ways that are needed. */
struct least {
    double sure[2]; /* below all */
    double near[2]; /* about the least */
};

/* Rows whose plain value may be the least are summed again. */
static sepal_status find_least(struct least *out, sepal_ctx *ctx, const struct hull_points *points,
                               const double *w) {
    size_t cols = points->q->x->cols;
    double *values = mem_alloc(ctx, points->n, sizeof *values);
    double *buffer = mem_alloc(ctx, 2 * cols + 1, sizeof *buffer);
    sepal_status status =
        values && buffer ? hull_points_dot(values, ctx, points, w, buffer + cols) : SEPAL_EMEMORY;
    double size = 0, plain[2] = {INFINITY, INFINITY};
    for (size_t j = 0; j < cols; j++) size += fabs(w[j]) * points->radius[j] * points->scale[j];
    double error = UPWARD * ((double)(cols + 16) * DBL_EPSILON * size + (double)(cols + 8) * TINY);
    if (points->q->x->n_blocks && points->q->x->blocks[0].centre) error = INFINITY;
    for (size_t i = 0; i < points->n && status == SEPAL_OK; i++)
        plain[hull_points_group(points, i)] = fmin(plain[hull_points_group(points, i)], values[i]);
    *out = (struct least){{INFINITY, INFINITY}, {INFINITY, INFINITY}};
    for (size_t i = 0; i < points->n && status == SEPAL_OK; i++) {
        size_t g = hull_points_group(points, i), row = hull_points_row(points, i);
        if (values[i] > plain[g] + 3 * error) continue;
        struct margin_sum s = row_sum(points, w, row, buffer);
        double value = points->q->side[row] * sum_value(&s);
        out->sure[g] = fmin(out->sure[g], value - sum_error(&s));
        out->near[g] = fmin(out->near[g], value);
    }
    mem_free(values);
    mem_free(buffer);
    return status;
}

sepal_status margin_below(double *out, sepal_ctx *ctx, const struct hull_points *points,
                          const double *w) {
    struct least least;
    double square = 0, size = 0;
    *out = 0;
    TRY(find_least(&least, ctx, points, w));
    for (size_t j = 0; j < points->dim; j++) size = fmax(size, fabs(w[j]));
    for (size_t j = 0; j < points->dim; j++) square += (w[j] / size) * (w[j] / size);
    double total = least.sure[0] + least.sure[1];
    total -= DBL_EPSILON * (fabs(least.sure[0]) + fabs(least.sure[1]));
    double length = UPWARD * (1 + (double)points->dim * DBL_EPSILON) * sqrt(square);
    double bound = total / 2 / size / length / points->scale[0];
    if (bound > 0) *out = bound * (1 - 8 * DBL_EPSILON);
    return SEPAL_OK;
}

sepal_status margin_bias(double *out, sepal_ctx *ctx, const struct hull_points *points,
                         const double *w) {
    struct least least;
    struct margin_sum s = {0};
    TRY(find_least(&least, ctx, points, w));
    /* the middle between least[1] and -least[0], the values of w (x - c) s next to the gap */
    margin_add_product(&s, least.near[1], -0.5);
    margin_add_product(&s, least.near[0], 0.5);
    for (size_t j = 0; points->centre && j < points->q->x->cols; j++)
        margin_add_product(&s, -w[j], points->centre[j] * points->scale[j]);
    *out = sum_value(&s);
    return SEPAL_OK;
}

/* ---- an upper bound ------------------------------------------------------------------------- */

/* sum of alpha - 1 in a group. */
static double excess_of(const struct wolfe *h, size_t group) {
    struct margin_sum s = {0};
    margin_add_product(&s, -1, 1);
    for (size_t i = 0; i < h->k; i++)
        if (h->corral[i]->group == group) margin_add_product(&s, h->alpha[i], 1);
    return sum_value(&s);
}

/* Per coordinate and group the sum of alpha p. */
static void add_points(struct margin_sum *sums, const struct wolfe *h) {
    for (size_t i = 0; i < h->k; i++) {
        const struct point *point = h->corral[i];
        for (size_t e = 0; e < point->n; e++) {
            size_t j = point->index ? point->index[e] : e;
            margin_add_product(&sums[2 * j + point->group], h->alpha[i], point->value[e]);
        }
    }
}

/* |coordinate of w| at most, where w is what the sums, each divided by its group's sum of alpha,
   add up to: 1 / (1 + e) = 1 - e + e^2 - ... */
static double coordinate_above(const struct margin_sum part[2], const double excess[2]) {
    double high, low, rest = 0, error = 0;
    two_sum(part[0].value.high, part[1].value.high, &high, &low);
    for (size_t g = 0; g < 2; g++) {
        double e = fabs(excess[g]);
        rest += part[g].value.low - excess[g] * part[g].value.high;
        error += pair_error(&part[g]) + UPWARD * part[g].size * e * (2 * e + 4 * DBL_EPSILON) +
                 4 * DBL_EPSILON * fabs(part[g].value.low);
    }
    double value = fabs(high + (low + rest));
    return UPWARD * (value + error + 4 * DBL_EPSILON * (value + fabs(low)));
}

sepal_status margin_above(double *out, sepal_ctx *ctx, const struct hull_points *points,
                          const struct wolfe *h) {
    double excess[2] = {excess_of(h, 0), excess_of(h, 1)}, square = 0;
    struct margin_sum *sums = mem_zero(ctx, points->dim, 2 * sizeof *sums);
    if (!sums) return SEPAL_EMEMORY;
    add_points(sums, h);
    for (size_t j = 0; j < points->dim; j++) {
        double value = coordinate_above(sums + 2 * j, excess);
        square += value * value;
    }
    *out = UPWARD * (1 + (double)points->dim * DBL_EPSILON) * sqrt(square) / 2 / points->scale[0];
    mem_free(sums);
    return SEPAL_OK;
}
