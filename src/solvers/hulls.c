/* The nearest points of two convex hulls by the method of Wolfe ("Finding the nearest point in a
   polytope", Math. Programming 11, 1976), here for two groups: minimise |w|, w = sum of alpha_i p_i,
   with alpha >= 0 that add up to 1 in each group. That is the dual of the hard-margin problem: half
   of the least |w| is the margin, and a least |w| of 0 says that there is none.

   A corral is a set of points whose affine combination of least norm has positive coefficients. A
   point with a smaller w.p than those of its group in the corral enters; then, as long as the affine
   minimiser has coefficients that are not positive, w moves towards it until one is 0, and that point
   leaves. |w| falls with every change, so no corral comes twice and the method ends, in practice
   after some two changes for each point of the last corral, and with all the digits of the data.

   Not all points are looked at in every step, but those that a pass over all of them found nearest to
   the hyperplane; when none of these can enter, the next pass decides.

   The affine minimiser follows from the triangular factor of the matrix with columns (p_i, s e_g):
   independent even where the p_i alone are not, as when w = 0. A new column is orthogonalised twice
   (Daniel, Gragg, Kaufman and Stewart, Math. Comp. 30, 1976), a column that leaves is rotated out. The
   minimiser is refined, with w in twice the precision where it is short beside the points. */
#include "solvers/hulls.h"

#include "core/alloc.h"
#include "solvers/twofold.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_IN_CORRAL = 3000, FEWEST_MEMBERS = 32, MOST_MEMBERS = 400, MOST_FOR_BASIS = 5000 };

/* ---- the triangular factor ---------------------------------------------------------------- */

/* y = inverse(R') y */
static void solve_transposed(const struct hulls *h, double *y) {
    const struct kernels *kernels = h->ctx->kernels;
    for (size_t i = 0; i < h->k; i++)
        y[i] = (y[i] - kernels->dot_f64(h->column[i], y, i)) / h->column[i][i];
}

/* y = inverse(R) y */
static void solve_upright(const struct hulls *h, double *y) {
    const struct kernels *kernels = h->ctx->kernels;
    for (size_t i = h->k; i-- > 0;) {
        y[i] /= h->column[i][i];
        kernels->axpy_f64(-y[i], h->column[i], y, i);
    }
}

/* One round of orthogonalisation of v = (p, s e_g) against the corral: y = Q'v and v -= Q y, with Q
   itself or, where it would be too large, with Q = A R^-1 for the matrix A of the corral. */
static void orthogonalise(struct hulls *h, double *v, double *y) {
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

static sepal_status keep_direction(struct hulls *h, double length) {
    if (!h->basis) return SEPAL_OK;
    size_t n = h->points->dim + 2;
    double *direction = mem_alloc(h->ctx, n, sizeof *direction);
    if (!direction) return SEPAL_EMEMORY;
    for (size_t j = 0; j < n; j++) direction[j] = h->left[j] / length;
    h->basis[h->k] = direction;
    return SEPAL_OK;
}

/* Put a point at the end of the corral; false when it depends on those that are there. */
static sepal_status enter(struct hulls *h, struct point *point, bool *entered) {
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

static void rotate(double *x, double *y, size_t n, double c, double s) {
    for (size_t j = 0; j < n; j++) {
        double first = x[j], second = y[j];
        x[j] = c * first + s * second;
        y[j] = c * second - s * first;
    }
}

/* Take point `at` out: columns behind it lose their element below the diagonal by rotations. */
static void leave(struct hulls *h, size_t at) {
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
            rotate(&h->column[j][i], &h->column[j][i + 1], 1, a / size, b / size);
        if (h->basis) rotate(h->basis[i], h->basis[i + 1], h->points->dim + 2, a / size, b / size);
    }
    if (h->basis) mem_free(h->basis[h->k]);
}

/* ---- steps -------------------------------------------------------------------------------- */

/* About the length that w would have if nothing cancelled. */
static double size_of(const struct hulls *h, const double *coefficient) {
    double size = 0;
    for (size_t i = 0; i < h->k; i++) size += fabs(coefficient[i]) * sqrt(h->corral[i]->square);
    return size;
}

static void add_finely(struct hulls *h, const struct point *point, double a, double a_low) {
    for (size_t e = 0; e < point->n; e++) {
        size_t j = point->index ? point->index[e] : e;
        struct twofold sum = {h->w[j], h->w_low[j]};
        twofold_add_product(&sum, a, point->value[e]);
        h->w[j] = sum.high;
        h->w_low[j] = sum.low + a_low * point->value[e];
    }
}

/* w = sum of coefficients (and, finely, their rests) times the points of the corral. */
static void take_sum(struct hulls *h, const double *coefficient, const double *rest) {
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
static double slope_of(const struct hulls *h, const struct point *point) {
    if (!h->fine) return point_dot(h->ctx->kernels, point, h->w);
    struct twofold sum = {0, 0};
    for (size_t e = 0; e < point->n; e++) {
        size_t j = point->index ? point->index[e] : e;
        twofold_add_product(&sum, point->value[e], h->w[j]);
        sum.low += point->value[e] * h->w_low[j];
    }
    return twofold_value(sum);
}

/* The inverse of E inverse(R'R) E', where E has a row of ones for each group: with its columns
   R'^-1 E' in y and z. */
struct sums {
    double a, b, c, determinant;
};

static struct sums take_group_sums(struct hulls *h) {
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
static void solve_with_sums(struct hulls *h, const struct sums *s, double *v, const double sum[2]) {
    const struct kernels *kernels = h->ctx->kernels;
    bool two = h->points->groups == 2;
    double first = sum[0] - kernels->dot_f64(h->y, v, h->k);
    double second = two ? sum[1] - kernels->dot_f64(h->z, v, h->k) : 0;
    kernels->axpy_f64((s->c * first - s->b * second) / s->determinant, h->y, v, h->k);
    if (two) kernels->axpy_f64((s->a * second - s->b * first) / s->determinant, h->z, v, h->k);
    solve_upright(h, v);
}

/* How far the slopes are from being equal within each group; they become their deviations. */
static double take_deviations(struct hulls *h) {
    double mean[2] = {0, 0}, count[2] = {0, 0}, most = 0;
    for (size_t i = 0; i < h->k; i++) {
        h->slope[i] = slope_of(h, h->corral[i]);
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
static void take_missing(const struct hulls *h, double missing[2]) {
    struct twofold sum[2] = {{1, 0}, {h->points->groups == 2, 0}};
    for (size_t i = 0; i < h->k; i++) {
        struct twofold *of = &sum[h->corral[i]->group];
        double error;
        two_sum(of->high, -h->beta[i], &of->high, &error);
        of->low += error - h->beta_low[i];
    }
    for (size_t g = 0; g < 2; g++) missing[g] = twofold_value(sum[g]);
}

/* beta and w = the coefficients and the least |w| among affine combinations, refined until the slopes
   are equal; false when there are none. */
static bool affine_minimiser(struct hulls *h) {
    enum { ROUNDS = 40, PATIENCE = 2 };
    struct sums s = take_group_sums(h);
    memset(h->beta, 0, h->k * sizeof *h->beta);
    memset(h->beta_low, 0, h->k * sizeof *h->beta_low);
    double sum[2] = {1, 1};
    solve_with_sums(h, &s, h->beta, sum);
    double least = INFINITY;
    for (int round = 0, vain = 0; round < ROUNDS; round++) {
        take_sum(h, h->beta, h->beta_low);
        double most = take_deviations(h);
        if (!isfinite(most)) return false;
        take_missing(h, sum);
        bool exact = !h->fine || (sum[0] == 0 && sum[1] == 0);
        if (most <= 64 * DBL_EPSILON * h->square && exact) break;
        /* where w shrinks much the next round tells */
        vain = most > least / 2 ? vain + 1 : 0;
        if (vain == PATIENCE) break;
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
static bool settle(struct hulls *h) {
    for (;;) {
        if (!affine_minimiser(h)) return false;
        double most = 1;
        size_t last = SIZE_MAX;
        for (size_t i = 0; i < h->k; i++) {
            if (h->beta[i] > 0) continue;
            double share = h->alpha[i] / (h->alpha[i] - h->beta[i]);
            if (h->alpha[i] == 0) share = 0;
            if (last == SIZE_MAX || share < most) {
                most = share;
                last = i;
            }
        }
        if (last == SIZE_MAX) break;
        for (size_t i = 0; i < h->k; i++) h->alpha[i] += most * (h->beta[i] - h->alpha[i]);
        leave(h, last);
        for (size_t i = 0; i < h->k; i++) h->alpha[i] = fmax(h->alpha[i], 0);
    }
    memcpy(h->alpha, h->beta, h->k * sizeof *h->alpha);
    return true;
}

/* Whether w is no more than rounding; projected points are not exact. */
static bool is_zero(const struct hulls *h) {
    double least = h->points->n_removed ? 0x1p-40 : 0x1p-84;
    return sqrt(h->square) <= least * size_of(h, h->alpha);
}

/* From here on rounding of w in single numbers would show. */
static bool is_short(const struct hulls *h) {
    return !h->points->n_removed && sqrt(h->square) <= 0x1p-20 * size_of(h, h->alpha);
}

static bool in_corral(const struct hulls *h, const struct point *point) {
    for (size_t i = 0; i < h->k; i++)
        if (h->corral[i] == point) return true;
    return false;
}

/* The member that is farthest below the corral of its group; NULL when none is, beyond rounding. */
static struct point *find_entrant(struct hulls *h, double tolerance) {
    double level[2] = {INFINITY, INFINITY};
    for (size_t i = 0; i < h->k; i++) {
        double value = slope_of(h, h->corral[i]);
        level[h->corral[i]->group] = fmin(level[h->corral[i]->group], value);
    }
    double noise =
        8 * DBL_EPSILON * (h->fine ? 0x1p-50 : 1) * h->points->diameter * sqrt(h->square);
    double most = fmax(tolerance * h->square / 4, noise);
    struct point *found = NULL;
    for (size_t i = 0; i < h->n_members; i++) {
        struct point *point = h->members[i];
        double below = level[point->group] - slope_of(h, point);
        if (!(below > most) || in_corral(h, point)) continue;
        most = below;
        found = point;
    }
    return found;
}

static sepal_status walk_members(struct hulls *h, double tolerance) {
    char line[128];
    while (!is_zero(h) && h->k < MOST_IN_CORRAL) {
        struct point *point = find_entrant(h, tolerance);
        if (!point) break;
        bool entered;
        double before = h->square;
        TRY(enter(h, point, &entered));
        if (!entered || !settle(h)) break;
        h->steps++;
        if (!h->fine && is_short(h)) {
            h->fine = true;
            if (!settle(h)) break;
        }
        (void)snprintf(line, sizeof line,
                       "separable: step %zu, %zu rows in the corral, margin at "
                       "most %.3g of the data's size",
                       h->steps, h->k, sqrt(h->square) / 2 / h->points->diameter);
        double work = (double)h->points->dim * (double)(h->n_members + 6 * h->k);
        if (effort_spent(h->effort, h->ctx, work, line)) break;
        if (h->square >= before) break;
    }
    return SEPAL_OK;
}

/* ---- passes over all points --------------------------------------------------------------- */

/* A heap of point numbers with the largest value, of equal ones the largest number, on top. */
static bool above(const double *values, size_t a, size_t b) {
    return values[a] > values[b] || (values[a] == values[b] && a > b);
}

static void sink_down(const double *values, size_t *heap, size_t n) {
    for (size_t at = 0, child; (child = 2 * at + 1) < n; at = child) {
        if (child + 1 < n && above(values, heap[child + 1], heap[child])) child++;
        if (!above(values, heap[child], heap[at])) return;
        size_t keep = heap[at];
        heap[at] = heap[child];
        heap[child] = keep;
    }
}

static void rise(const double *values, size_t *heap, size_t at) {
    for (size_t parent; at > 0; at = parent) {
        parent = (at - 1) / 2;
        if (!above(values, heap[at], heap[parent])) return;
        size_t keep = heap[at];
        heap[at] = heap[parent];
        heap[parent] = keep;
    }
}

/* The `most` points of a group with the least values. */
static size_t choose_least(const struct hulls *h, size_t group, size_t *heap, size_t most) {
    size_t n = 0;
    for (size_t i = 0; i < h->points->n; i++) {
        if (points_group(h->points, i) != group || h->values[i] == INFINITY) continue;
        if (n < most) {
            heap[n] = i;
            rise(h->values, heap, n++);
        } else if (above(h->values, heap[0], i)) {
            heap[0] = i;
            sink_down(h->values, heap, n);
        }
    }
    return n;
}

static sepal_status price(struct hulls *h) {
    TRY(points_price(h->values, h->ctx, h->points, h->w, h->scratch));
    h->least[0] = h->least[1] = INFINITY;
    for (size_t i = 0; i < h->points->n; i++) {
        size_t g = points_group(h->points, i);
        if (h->values[i] < h->least[g]) h->least[g] = h->values[i];
    }
    if (h->points->groups == 1) h->least[1] = 0;
    double size = sqrt(h->ctx->kernels->dot_f64(h->w, h->w, h->points->dim));
    double bound = (h->least[0] + h->least[1]) / size;
    if (size > 0 && bound > h->best_bound) {
        h->best_bound = bound;
        memcpy(h->best, h->w, h->points->dim * sizeof *h->best);
    }
    h->effort->work += (double)h->points->n * (double)h->points->q->x->cols;
    return SEPAL_OK;
}

static int by_number(const void *a, const void *b) {
    size_t x = *(const size_t *)a, y = *(const size_t *)b;
    return (x > y) - (x < y);
}

/* Whether a number is among those chosen, which are sorted. */
static bool is_chosen(const struct hulls *h, size_t n, size_t number) {
    return bsearch(&number, h->chosen, n, sizeof *h->chosen, by_number) != NULL;
}

static void drop_members(struct hulls *h, size_t chosen) {
    size_t kept = 0;
    for (size_t i = 0; i < h->n_members; i++) {
        struct point *point = h->members[i];
        if (in_corral(h, point) || is_chosen(h, chosen, point->number)) {
            h->members[kept++] = point;
        } else {
            point_free(point);
            mem_free(point);
        }
    }
    h->n_members = kept;
}

static bool is_member(const struct hulls *h, size_t n, size_t number) {
    for (size_t i = 0; i < n; i++)
        if (h->members[i]->number == number) return true;
    return false;
}

/* The members for the next steps: the corral, and the points of least value. */
static sepal_status renew_members(struct hulls *h) {
    size_t n = 0;
    for (size_t g = 0; g < h->points->groups; g++) n += choose_least(h, g, h->chosen + n, h->most);
    qsort(h->chosen, n, sizeof *h->chosen, by_number);
    drop_members(h, n);
    size_t before = h->n_members;
    for (size_t i = 0; i < n; i++) {
        if (is_member(h, before, h->chosen[i])) continue;
        struct point *point = mem_alloc(h->ctx, 1, sizeof *point);
        sepal_status status =
            point ? point_fetch(point, h->ctx, h->points, h->chosen[i]) : SEPAL_EMEMORY;
        if (status != SEPAL_OK) {
            mem_free(point);
            return status;
        }
        h->members[h->n_members++] = point;
    }
    return SEPAL_OK;
}

/* ---- the whole ---------------------------------------------------------------------------- */

static sepal_status make(struct hulls *h) {
    size_t dim = h->points->dim, n = h->points->n;
    size_t most = dim < FEWEST_MEMBERS ? FEWEST_MEMBERS : dim;
    h->most = most < MOST_MEMBERS ? most : MOST_MEMBERS;
    size_t corral = dim + 3 < MOST_IN_CORRAL ? dim + 3 : MOST_IN_CORRAL + 1;
    size_t members = corral + 2 * h->most;
    struct arena *arena = &h->arena;
    sepal_ctx *ctx = h->ctx;
    h->corral = arena_zero(ctx, arena, corral, sizeof *h->corral);
    h->column = arena_zero(ctx, arena, corral, sizeof *h->column);
    h->alpha = arena_zero(ctx, arena, corral, sizeof *h->alpha);
    h->beta = arena_zero(ctx, arena, corral, sizeof *h->beta);
    h->beta_low = arena_zero(ctx, arena, corral, sizeof *h->beta_low);
    h->slope = arena_zero(ctx, arena, corral, sizeof *h->slope);
    h->y = arena_zero(ctx, arena, corral, sizeof *h->y);
    h->z = arena_zero(ctx, arena, corral, sizeof *h->z);
    h->members = arena_zero(ctx, arena, members, sizeof *h->members);
    h->chosen = arena_zero(ctx, arena, 2 * h->most, sizeof *h->chosen);
    h->values = arena_zero(ctx, arena, n, sizeof *h->values);
    if (dim <= MOST_FOR_BASIS) {
        h->basis = arena_zero(ctx, arena, corral, sizeof *h->basis);
        if (!h->basis) return SEPAL_EMEMORY;
    }
    double **vectors[] = {&h->w, &h->w_low, &h->best, &h->scratch, &h->left};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
        *vectors[i] = arena_zero(ctx, arena, dim + 2, sizeof(double));
        if (!*vectors[i]) return SEPAL_EMEMORY;
    }
    bool fine = h->corral && h->column && h->alpha && h->beta && h->beta_low && h->slope && h->y &&
                h->z && h->members && h->chosen && h->values;
    return fine ? SEPAL_OK : SEPAL_EMEMORY;
}

/* The first direction: the difference of the means of some points of each group. */
static sepal_status guess(struct hulls *h) {
    enum { SOME = 256 };
    size_t count[2] = {0, 0}, step = h->points->n / (4 * SOME) + 1;
    for (size_t i = 0; i < h->points->n; i += step) {
        size_t g = points_group(h->points, i);
        if (count[g] == SOME) continue;
        struct point point;
        TRY(point_fetch(&point, h->ctx, h->points, i));
        count[g]++;
        point_add(h->ctx->kernels, g ? h->left : h->w, 1, &point);
        point_free(&point);
    }
    for (size_t j = 0; j < h->points->dim; j++)
        h->w[j] =
            h->w[j] / (double)(count[0] + !count[0]) + h->left[j] / (double)(count[1] + !count[1]);
    return SEPAL_OK;
}

/* The point of least value of each group is the first corral. */
static sepal_status begin(struct hulls *h) {
    h->group_square = h->points->diameter * h->points->diameter;
    TRY(guess(h));
    TRY(price(h));
    TRY(renew_members(h));
    for (size_t g = 0; g < h->points->groups; g++) {
        struct point *first = NULL;
        for (size_t i = 0; i < h->n_members; i++) {
            struct point *point = h->members[i];
            if (point->group != g) continue;
            if (!first || h->values[point->number] < h->values[first->number]) first = point;
        }
        bool entered;
        TRY(enter(h, first, &entered));
        h->alpha[h->k - 1] = 1;
    }
    take_sum(h, h->alpha, NULL);
    return SEPAL_OK;
}

static sepal_status run(struct hulls *h, double tolerance) {
    TRY(make(h));
    TRY(begin(h));
    for (size_t idle = 0;;) {
        double before = h->square;
        TRY(walk_members(h, tolerance));
        idle = h->square < before ? 0 : idle + 1;
        if (is_zero(h)) {
            h->end = HULLS_MEET;
            return SEPAL_OK;
        }
        TRY(price(h));
        if (h->square - h->least[0] - h->least[1] <= tolerance * h->square) {
            h->end = HULLS_APART;
            return SEPAL_OK;
        }
        h->end = HULLS_STOPPED;
        /* the second time in a row, the members were those of least value for this very w */
        if (h->effort->stopped || idle == 2 || h->k >= MOST_IN_CORRAL) return SEPAL_OK;
        TRY(renew_members(h));
    }
}

sepal_status hulls_solve(struct hulls *out, sepal_ctx *ctx, const struct points *points,
                         struct effort *effort, double tolerance) {
    *out = (struct hulls){.ctx = ctx, .points = points, .effort = effort, .best_bound = -INFINITY};
    return run(out, tolerance);
}

void hulls_clear(struct hulls *h) {
    for (size_t i = 0; i < h->k; i++) {
        mem_free(h->column[i]);
        if (h->basis) mem_free(h->basis[i]);
    }
    for (size_t i = 0; i < h->n_members; i++) {
        point_free(h->members[i]);
        mem_free(h->members[i]);
    }
    arena_clear(&h->arena);
    *h = (struct hulls){0};
}
