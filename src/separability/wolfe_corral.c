/* The corral of Wolfe's method: its affine combination of least norm, and points that enter and leave.

   The affine minimiser follows from the triangular factor of the matrix with columns (p_i, s e_g):
   independent even where the p_i alone are not, as when w = 0. A new column is orthogonalised twice
   (Daniel, Gragg, Kaufman and Stewart, Math. Comp. 30, 1976), a column that leaves is rotated out. The
   minimiser is refined, with w in twice the precision where it is short beside the points. */
#include "separability/wolfe.h"

#include "core/alloc.h"
#include "exact/double_double.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* ---- the triangular factor ---------------------------------------------------------------- */

/* y = inverse(R') y */
static void solve_transposed(const struct wolfe *h, double *y) {
    const struct kernels *kernels = h->ctx->kernels;
    for (size_t i = 0; i < h->k; i++)
        y[i] = (y[i] - kernels->dot_f64(h->column[i], y, i)) / h->column[i][i];
}

/* y = inverse(R) y */
static void solve_upright(const struct wolfe *h, double *y) {
    const struct kernels *kernels = h->ctx->kernels;
    for (size_t i = h->k; i-- > 0;) {
        y[i] /= h->column[i][i];
        kernels->axpy_f64(-y[i], h->column[i], y, i);
    }
}

/* One round of orthogonalisation of v = (p, s e_g) against the corral: y = Q'v and v -= Q y, with Q
   itself or, where it would be too large, with Q = A R^-1 for the matrix A of the corral. */
static void orthogonalise(struct wolfe *h, double *v, double *y) {
    const struct kernels *kernels = h->ctx->kernels;
    size_t dim = h->points->dim;
    if (h->basis) {
        for (size_t i = 0; i < h->k; i++) {
            y[i] = kernels->dot_f64(h->basis[i], v, dim + 2);
            kernels->axpy_f64(-y[i], h->basis[i], v, dim + 2);
        }
        return;
    }
    double s = sqrt(h->group_square);
    for (size_t i = 0; i < h->k; i++)
        y[i] = point_dot(kernels, h->corral[i], v) + s * v[dim + h->corral[i]->group];
    solve_transposed(h, y);
    memcpy(h->z, y, h->k * sizeof *h->z);
    solve_upright(h, h->z);
    for (size_t i = 0; i < h->k; i++) {
        point_add(kernels, v, -h->z[i], h->corral[i]);
        v[dim + h->corral[i]->group] -= s * h->z[i];
    }
}

static sepal_status keep_direction(struct wolfe *h, double length) {
    if (!h->basis) return SEPAL_OK;
    size_t n = h->points->dim + 2;
    double *direction = mem_alloc(h->ctx, n, sizeof *direction);
    if (!direction) return SEPAL_EMEMORY;
    for (size_t j = 0; j < n; j++) direction[j] = h->left[j] / length;
    h->basis[h->k] = direction;
    return SEPAL_OK;
}

/* Put a point at the end of the corral; false when it depends on those that are there. */
sepal_status corral_enter(struct wolfe *h, struct point *point, bool *entered) {
    const struct kernels *kernels = h->ctx->kernels;
    size_t dim = h->points->dim;
    double size = sqrt(point->square + h->group_square);
    double *column = mem_alloc(h->ctx, h->k + 1, sizeof *column);
    if (!column) return SEPAL_EMEMORY;
    memset(h->left, 0, (dim + 2) * sizeof *h->left);
    point_add(kernels, h->left, 1, point);
    h->left[dim + point->group] = sqrt(h->group_square);
    orthogonalise(h, h->left, column);
    orthogonalise(h, h->left, h->y);
    for (size_t i = 0; i < h->k; i++) column[i] += h->y[i];
    double rest = sqrt(kernels->dot_f64(h->left, h->left, dim + 2));
    column[h->k] = rest;
    *entered =
        h->k < dim + h->points->groups && rest > 4 * DBL_EPSILON * (8 + sqrt((double)h->k)) * size;
    sepal_status status = *entered ? keep_direction(h, rest) : SEPAL_OK;
    if (!*entered || status != SEPAL_OK) {
        mem_free(column);
        return status;
    }
    h->column[h->k] = column;
    h->corral[h->k] = point;
    h->alpha[h->k++] = 0;
    return SEPAL_OK;
}

static void corral_rotate(double *x, double *y, size_t n, double c, double s) {
    for (size_t j = 0; j < n; j++) {
        double first = x[j], second = y[j];
        x[j] = c * first + s * second;
        y[j] = c * second - s * first;
    }
}

/* Take point `at` out: columns behind it lose their element below the diagonal by rotations. */
static void corral_leave(struct wolfe *h, size_t at) {
    mem_free(h->column[at]);
    h->k--;
    for (size_t j = at; j < h->k; j++) {
        h->column[j] = h->column[j + 1];
        h->corral[j] = h->corral[j + 1];
        h->alpha[j] = h->alpha[j + 1];
    }
    for (size_t i = at; i < h->k; i++) {
        double a = h->column[i][i], b = h->column[i][i + 1], size = hypot(a, b);
        for (size_t j = i; j < h->k; j++)
            corral_rotate(&h->column[j][i], &h->column[j][i + 1], 1, a / size, b / size);
        if (h->basis)
            corral_rotate(h->basis[i], h->basis[i + 1], h->points->dim + 2, a / size, b / size);
    }
    if (h->basis) mem_free(h->basis[h->k]);
}

/* ---- steps -------------------------------------------------------------------------------- */

/* About the length that w would have if nothing cancelled. */
double corral_size(const struct wolfe *h, const double *coefficient) {
    double size = 0;
    for (size_t i = 0; i < h->k; i++) size += fabs(coefficient[i]) * sqrt(h->corral[i]->square);
    return size;
}

static void add_finely(struct wolfe *h, const struct point *point, double a, double a_low) {
    for (size_t e = 0; e < point->n; e++) {
        size_t j = point->index ? point->index[e] : e;
        struct double_double sum = {h->w[j], h->w_low[j]};
        double_double_add_product(&sum, a, point->value[e]);
        h->w[j] = sum.high;
        h->w_low[j] = sum.low + a_low * point->value[e];
    }
}

/* w = sum of coefficients (and, finely, their errors) times the points of the corral. */
void corral_sum(struct wolfe *h, const double *coefficient, const double *rest) {
    size_t dim = h->points->dim;
    memset(h->w, 0, dim * sizeof *h->w);
    memset(h->w_low, 0, dim * sizeof *h->w_low);
    for (size_t i = 0; i < h->k; i++) {
        if (h->fine)
            add_finely(h, h->corral[i], coefficient[i], rest ? rest[i] : 0);
        else
            point_add(h->ctx->kernels, h->w, coefficient[i], h->corral[i]);
    }
    for (size_t j = 0; h->fine && j < dim; j++)
        two_sum(h->w[j], h->w_low[j], &h->w[j], &h->w_low[j]);
    h->square = h->ctx->kernels->dot_f64(h->w, h->w, dim);
}

/* p.w */
double corral_slope(const struct wolfe *h, const struct point *point) {
    if (!h->fine) return point_dot(h->ctx->kernels, point, h->w);
    struct double_double sum = {0, 0};
    for (size_t e = 0; e < point->n; e++) {
        size_t j = point->index ? point->index[e] : e;
        double_double_add_product(&sum, point->value[e], h->w[j]);
        sum.low += point->value[e] * h->w_low[j];
    }
    return double_double_value(sum);
}

/* The inverse of E inverse(R'R) E', where E has a row of ones for each group: with its columns
   R'^-1 E' in y and z. */
struct sums {
    double a, b, c, determinant;
};

static struct sums take_group_sums(struct wolfe *h) {
    const struct kernels *kernels = h->ctx->kernels;
    struct sums s = {.c = 1};
    for (size_t i = 0; i < h->k; i++) h->y[i] = h->corral[i]->group == 0;
    solve_transposed(h, h->y);
    s.a = kernels->dot_f64(h->y, h->y, h->k);
    if (h->points->groups == 2) {
        for (size_t i = 0; i < h->k; i++) h->z[i] = h->corral[i]->group == 1;
        solve_transposed(h, h->z);
        s.b = kernels->dot_f64(h->y, h->z, h->k);
        s.c = kernels->dot_f64(h->z, h->z, h->k);
    }
    s.determinant = s.a * s.c - s.b * s.b;
    return s;
}

/* v = inverse(R) (v + f0 y + f1 z) with factors such that the sums of v in the groups are as given. */
static void solve_with_sums(struct wolfe *h, const struct sums *s, double *v, const double sum[2]) {
    const struct kernels *kernels = h->ctx->kernels;
    bool two = h->points->groups == 2;
    double first = sum[0] - kernels->dot_f64(h->y, v, h->k);
    double second = two ? sum[1] - kernels->dot_f64(h->z, v, h->k) : 0;
    kernels->axpy_f64((s->c * first - s->b * second) / s->determinant, h->y, v, h->k);
    if (two) kernels->axpy_f64((s->a * second - s->b * first) / s->determinant, h->z, v, h->k);
    solve_upright(h, v);
}

/* How far the slopes are from being equal within each group; they become their deviations. */
static double take_deviations(struct wolfe *h) {
    double mean[2] = {0, 0}, count[2] = {0, 0}, most = 0;
    for (size_t i = 0; i < h->k; i++) {
        h->slope[i] = corral_slope(h, h->corral[i]);
        mean[h->corral[i]->group] += h->slope[i];
        count[h->corral[i]->group]++;
    }
    for (size_t i = 0; i < h->k; i++) {
        size_t g = h->corral[i]->group;
        h->slope[i] -= mean[g] / count[g];
        most = fmax(most, fabs(h->slope[i]));
    }
    return most;
}

/* What the sums of beta are short of 1. */
static void take_missing(const struct wolfe *h, double missing[2]) {
    struct double_double sum[2] = {{1, 0}, {h->points->groups == 2, 0}};
    for (size_t i = 0; i < h->k; i++) {
        struct double_double *of = &sum[h->corral[i]->group];
        double error;
        two_sum(of->high, -h->beta[i], &of->high, &error);
        of->low += error - h->beta_low[i];
    }
    for (size_t g = 0; g < 2; g++) missing[g] = double_double_value(sum[g]);
}

/* beta and w = the coefficients and the least |w| among affine combinations, refined until the slopes
   are equal; false when there are none. */
static bool affine_minimiser(struct wolfe *h) {
    enum { ROUNDS = 40, STALLED_MOST = 2 };
    struct sums s = take_group_sums(h);
    memset(h->beta, 0, h->k * sizeof *h->beta);
    memset(h->beta_low, 0, h->k * sizeof *h->beta_low);
    double sum[2] = {1, 1};
    solve_with_sums(h, &s, h->beta, sum);
    double least = INFINITY;
    for (int round = 0, stalled = 0; round < ROUNDS; round++) {
        corral_sum(h, h->beta, h->beta_low);
        double most = take_deviations(h);
        if (!isfinite(most)) return false;
        take_missing(h, sum);
        bool exact = !h->fine || (sum[0] == 0 && sum[1] == 0);
        if (most <= 64 * DBL_EPSILON * h->square && exact) break;
        /* where w shrinks much the next round tells */
        stalled = most > least / 2 ? stalled + 1 : 0;
        if (stalled == STALLED_MOST) break;
        least = fmin(least, most);
        for (size_t i = 0; i < h->k; i++) h->slope[i] = -h->slope[i];
        solve_transposed(h, h->slope);
        solve_with_sums(h, &s, h->slope, sum);
        for (size_t i = 0; i < h->k; i++) {
            double low;
            two_sum(h->beta[i], h->slope[i], &h->beta[i], &low);
            h->beta_low[i] += low;
        }
    }
    return true;
}

/* Move to the affine minimiser, losing the points that lie beyond. */
bool corral_settle(struct wolfe *h) {
    for (;;) {
        if (!affine_minimiser(h)) return false;
        double most = 1;
        size_t last = SIZE_MAX;
        for (size_t i = 0; i < h->k; i++) {
            if (h->beta[i] > 0) continue;
            double fraction = h->alpha[i] / (h->alpha[i] - h->beta[i]);
            if (h->alpha[i] == 0) fraction = 0;
            if (last == SIZE_MAX || fraction < most) {
                most = fraction;
                last = i;
            }
        }
        if (last == SIZE_MAX) break;
        for (size_t i = 0; i < h->k; i++) h->alpha[i] += most * (h->beta[i] - h->alpha[i]);
        corral_leave(h, last);
        for (size_t i = 0; i < h->k; i++) h->alpha[i] = fmax(h->alpha[i], 0);
    }
    memcpy(h->alpha, h->beta, h->k * sizeof *h->alpha);
    return true;
}
