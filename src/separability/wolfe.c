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
   the hyperplane; when none of these can enter, the next pass decides. */
#include "separability/wolfe.h"

#include "core/alloc.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_IN_CORRAL = 3000, FEWEST_MEMBERS = 32, MOST_MEMBERS = 400, MOST_FOR_BASIS = 5000 };

/* ---- steps -------------------------------------------------------------------------------- */

/* Whether w is no more than rounding; projected points are not exact. */
static bool wolfe_is_zero(const struct wolfe *h) {
    double least = h->points->n_removed ? 0x1p-40 : 0x1p-84;
    return sqrt(h->square) <= least * corral_size(h, h->alpha);
}

/* From here on rounding of w in single numbers would show. */
static bool is_short(const struct wolfe *h) {
    return !h->points->n_removed && sqrt(h->square) <= 0x1p-20 * corral_size(h, h->alpha);
}

static bool in_corral(const struct wolfe *h, const struct point *point) {
    for (size_t i = 0; i < h->k; i++)
        if (h->corral[i] == point) return true;
    return false;
}

/* The member that is farthest below the corral of its group; NULL when none is, beyond rounding. */
static struct point *find_entrant(struct wolfe *h, double tolerance) {
    double least[2] = {INFINITY, INFINITY};
    for (size_t i = 0; i < h->k; i++) {
        double value = corral_slope(h, h->corral[i]);
        least[h->corral[i]->group] = fmin(least[h->corral[i]->group], value);
    }
    double noise =
        8 * DBL_EPSILON * (h->fine ? 0x1p-50 : 1) * h->points->diameter * sqrt(h->square);
    double most = fmax(tolerance * h->square / 4, noise);
    struct point *found = NULL;
    for (size_t i = 0; i < h->n_members; i++) {
        struct point *point = h->members[i];
        double below = least[point->group] - corral_slope(h, point);
        if (!(below > most) || in_corral(h, point)) continue;
        most = below;
        found = point;
    }
    return found;
}

static sepal_status minor_cycles(struct wolfe *h, double tolerance) {
    char line[128];
    while (!wolfe_is_zero(h) && h->k < MOST_IN_CORRAL) {
        struct point *point = find_entrant(h, tolerance);
        if (!point) break;
        bool entered;
        double before = h->square;
        TRY(corral_enter(h, point, &entered));
        if (!entered || !corral_settle(h)) break;
        h->steps++;
        if (!h->fine && is_short(h)) {
            h->fine = true;
            if (!corral_settle(h)) break;
        }
        (void)snprintf(line, sizeof line,
                       "separable: step %zu, %zu rows in the corral, margin at "
                       "most %.3g of the data's size",
                       h->steps, h->k, sqrt(h->square) / 2 / h->points->diameter);
        double work = h->points->entries * (double)(h->n_members + 6 * h->k) +
                      (double)h->k * (double)h->k + (double)h->points->dim;
        if (budget_spent(h->budget, h->ctx, work, line)) break;
        if (h->square >= before) break;
    }
    return SEPAL_OK;
}

/* ---- passes over all points --------------------------------------------------------------- */

/* A heap of point numbers with the largest value, of equal ones the largest number, on top. */
static bool heap_greater(const double *values, size_t a, size_t b) {
    return values[a] > values[b] || (values[a] == values[b] && a > b);
}

static void heap_sift_down(const double *values, size_t *heap, size_t n) {
    for (size_t at = 0, child; (child = 2 * at + 1) < n; at = child) {
        if (child + 1 < n && heap_greater(values, heap[child + 1], heap[child])) child++;
        if (!heap_greater(values, heap[child], heap[at])) return;
        size_t keep = heap[at];
        heap[at] = heap[child];
        heap[child] = keep;
    }
}

static void heap_sift_up(const double *values, size_t *heap, size_t at) {
    for (size_t parent; at > 0; at = parent) {
        parent = (at - 1) / 2;
        if (!heap_greater(values, heap[at], heap[parent])) return;
        size_t keep = heap[at];
        heap[at] = heap[parent];
        heap[parent] = keep;
    }
}

/* The `most` points of a group with the least values. */
static size_t choose_least(const struct wolfe *h, size_t group, size_t *heap, size_t most) {
    size_t n = 0;
    for (size_t i = 0; i < h->points->n; i++) {
        if (hull_points_group(h->points, i) != group || h->values[i] == INFINITY) continue;
        if (n < most) {
            heap[n] = i;
            heap_sift_up(h->values, heap, n++);
        } else if (heap_greater(h->values, heap[0], i)) {
            heap[0] = i;
            heap_sift_down(h->values, heap, n);
        }
    }
    return n;
}

static sepal_status wolfe_dot_points(struct wolfe *h) {
    TRY(hull_points_dot(h->values, h->ctx, h->points, h->w, h->scratch));
    h->least[0] = h->least[1] = INFINITY;
    for (size_t i = 0; i < h->points->n; i++) {
        size_t g = hull_points_group(h->points, i);
        if (h->values[i] < h->least[g]) h->least[g] = h->values[i];
    }
    if (h->points->groups == 1) h->least[1] = 0;
    double size = sqrt(h->ctx->kernels->dot_f64(h->w, h->w, h->points->dim));
    double bound = (h->least[0] + h->least[1]) / size;
    if (size > 0 && bound > h->best_bound) {
        h->best_bound = bound;
        memcpy(h->best, h->w, h->points->dim * sizeof *h->best);
    }
    h->budget->work += (double)h->points->n * h->points->entries;
    return SEPAL_OK;
}

static int wolfe_by_number(const void *a, const void *b) {
    size_t x = *(const size_t *)a, y = *(const size_t *)b;
    return (x > y) - (x < y);
}

/* Whether a number is among those chosen, which are sorted. */
static bool is_chosen(const struct wolfe *h, size_t n, size_t number) {
    return bsearch(&number, h->chosen, n, sizeof *h->chosen, wolfe_by_number) != NULL;
}

static void drop_members(struct wolfe *h, size_t chosen) {
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

static bool is_member(const struct wolfe *h, size_t n, size_t number) {
    for (size_t i = 0; i < n; i++)
        if (h->members[i]->number == number) return true;
    return false;
}

/* The members for the next steps: the corral, and the points of least value. */
static sepal_status renew_members(struct wolfe *h) {
    size_t n = 0;
    for (size_t g = 0; g < h->points->groups; g++) n += choose_least(h, g, h->chosen + n, h->most);
    qsort(h->chosen, n, sizeof *h->chosen, wolfe_by_number);
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

static sepal_status wolfe_make(struct wolfe *h) {
    size_t dim = h->points->dim;
    size_t most = dim < FEWEST_MEMBERS ? FEWEST_MEMBERS : dim;
    h->most = most < MOST_MEMBERS ? most : MOST_MEMBERS;
    size_t corral = dim + 3 < MOST_IN_CORRAL ? dim + 3 : MOST_IN_CORRAL + 1;
    size_t members = corral + 2 * h->most;
    struct arena *arena = &h->arena;
    sepal_ctx *ctx = h->ctx;
    TRY(ARENA_VECTORS(ctx, arena, h->points->n, &h->values));
    TRY(ARENA_VECTORS(ctx, arena, dim + 2, &h->w, &h->w_low, &h->best, &h->scratch, &h->left));
    TRY(ARENA_VECTORS(ctx, arena, corral, &h->alpha, &h->beta, &h->beta_low, &h->slope, &h->y,
                      &h->z));
    h->corral = arena_zero(ctx, arena, corral, sizeof *h->corral);
    h->column = arena_zero(ctx, arena, corral, sizeof *h->column);
    h->members = arena_zero(ctx, arena, members, sizeof *h->members);
    h->chosen = arena_zero(ctx, arena, 2 * h->most, sizeof *h->chosen);
    if (dim <= MOST_FOR_BASIS) {
        h->basis = arena_zero(ctx, arena, corral, sizeof *h->basis);
        if (!h->basis) return SEPAL_EMEMORY;
    }
    return h->corral && h->column && h->members && h->chosen ? SEPAL_OK : SEPAL_EMEMORY;
}

/* The first direction: the difference of the means of some points of each group. */
static sepal_status initial_direction(struct wolfe *h) {
    enum { SOME = 256 };
    size_t count[2] = {0, 0}, step = h->points->n / (4 * SOME) + 1;
    for (size_t i = 0; i < h->points->n; i += step) {
        size_t g = hull_points_group(h->points, i);
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
static sepal_status wolfe_begin(struct wolfe *h) {
    h->group_square = h->points->diameter * h->points->diameter;
    TRY(initial_direction(h));
    TRY(wolfe_dot_points(h));
    TRY(renew_members(h));
    for (size_t g = 0; g < h->points->groups; g++) {
        struct point *first = NULL;
        for (size_t i = 0; i < h->n_members; i++) {
            struct point *point = h->members[i];
            if (point->group != g) continue;
            if (!first || h->values[point->number] < h->values[first->number]) first = point;
        }
        bool entered;
        if (!first) return fail(h->ctx, SEPAL_EINTERNAL, "a side without rows was asked about");
        TRY(corral_enter(h, first, &entered));
        h->alpha[h->k - 1] = 1;
    }
    corral_sum(h, h->alpha, NULL);
    return SEPAL_OK;
}

static sepal_status wolfe_run(struct wolfe *h, double tolerance) {
    TRY(wolfe_make(h));
    TRY(wolfe_begin(h));
    for (size_t idle = 0;;) {
        double before = h->square;
        TRY(minor_cycles(h, tolerance));
        idle = h->square < before ? 0 : idle + 1;
        if (wolfe_is_zero(h)) {
            h->end = HULLS_MEET;
            return SEPAL_OK;
        }
        TRY(wolfe_dot_points(h));
        if (h->square - h->least[0] - h->least[1] <= tolerance * h->square) {
            h->end = HULLS_APART;
            return SEPAL_OK;
        }
        h->end = HULLS_STOPPED;
        /* the second time in a row, the members were those of least value for this very w */
        if (h->budget->stopped || idle == 2 || h->k >= MOST_IN_CORRAL) return SEPAL_OK;
        TRY(renew_members(h));
    }
}

sepal_status wolfe_solve(struct wolfe *out, sepal_ctx *ctx, const struct hull_points *points,
                         struct budget *budget, double tolerance) {
    *out = (struct wolfe){.ctx = ctx, .points = points, .budget = budget, .best_bound = -INFINITY};
    return wolfe_run(out, tolerance);
}

void wolfe_clear(struct wolfe *h) {
    for (size_t i = 0; i < h->k; i++) {
        mem_free(h->column[i]);
        if (h->basis) mem_free(h->basis[i]);
    }
    for (size_t i = 0; i < h->n_members; i++) {
        point_free(h->members[i]);
        mem_free(h->members[i]);
    }
    arena_clear(&h->arena);
    *h = (struct wolfe){0};
}
