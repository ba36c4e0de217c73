/* Powers of two, so that no digit changes. */
#include "solvers/column_subset.h"

#include <math.h>
#include <string.h>

enum { FARTHEST = 1000 };

/* The largest magnitude in each column, centred as the solver sees it. */
static void find_sizes(double *size, const struct objective *o) {
    for (size_t b = 0; b < o->rows.n_blocks; b++) {
        const struct block *block = &o->rows.blocks[b];
        for (size_t i = 0; i < block->rows; i++) {
            size_t at = 0, column;
            double x;
            if (block->sparse) {
                while (row_next(block, i, o->cols, &at, &column, &x))
                    size[column] = fmax(size[column], fabs(x));
                continue;
            }
            for (size_t j = 0; j < o->cols; j++) {
                x = block->f32 ? (double)block->f32[i * o->cols + j] : block->f64[i * o->cols + j];
                x = fabs(o->centre ? x - o->centre[j] : x);
                size[j] = x > size[j] ? x : size[j];
            }
        }
    }
}

/* Sizes become factors. True: one is not 1. */
static bool units_find_factors(double *size, size_t n, int far) {
    bool needed = false;
    for (size_t j = 0; j < n; j++) {
        int exponent = 0;
        if (size[j] > 0 && isfinite(size[j])) (void)frexp(size[j], &exponent);
        bool beyond = exponent > far || exponent < -far;
        int by = beyond ? -exponent : 0;
        size[j] = ldexp(1, by > FARTHEST ? FARTHEST : by);
        needed = needed || beyond;
    }
    return needed;
}

static bool units_all_finite(const double *x, size_t n) {
    for (size_t j = 0; j < n; j++)
        if (!isfinite(x[j])) return false;
    return true;
}

static sepal_status solve_scaled(struct solver *d, sepal_status (*solve)(struct solver *d),
                                 double *factor, struct arena *arena) {
    const struct objective *o = d->o;
    struct some_columns some;
    struct solver inner = *d;
    size_t *column = arena_alloc(o->ctx, arena, o->cols, sizeof *column);
    double *u = arena_alloc(o->ctx, arena, o->width, sizeof *u);
    double *back = arena_alloc(o->ctx, arena, o->width, sizeof *back);
    if (!column || !u || !back) return SEPAL_EMEMORY;
    for (size_t j = 0; j < o->cols; j++) column[j] = j;
    TRY(some_columns_init(&some, o, o->cols, column, factor, arena));
    some_columns_enter(&some, d->u, u);
    inner.o = &some.o;
    inner.u = u;
    TRY(solve(&inner));
    some_columns_leave(&some, u, back);
    double *point = d->u;
    *d = inner;
    d->o = o;
    d->u = point;
    if (units_all_finite(back, o->width))
        memcpy(d->u, back, o->width * sizeof *back);
    else
        d->converged = d->paired = false; /* the weights are beyond the range of numbers */
    return SEPAL_OK;
}

sepal_status solve_in_units(struct solver *d, sepal_status (*solve)(struct solver *d), int far) {
    const struct objective *o = d->o;
    struct arena arena = {0};
    if (o->l1 > 0 || o->l2 > 0) return solve(d);
    double *factor = arena_zero(o->ctx, &arena, o->cols, sizeof *factor);
    sepal_status status = factor ? SEPAL_OK : SEPAL_EMEMORY;
    if (status == SEPAL_OK) {
        find_sizes(factor, o);
        bool needed = units_find_factors(factor, o->cols, far);
        status = needed ? solve_scaled(d, solve, factor, &arena) : solve(d);
    }
    arena_clear(&arena);
    return status;
}
