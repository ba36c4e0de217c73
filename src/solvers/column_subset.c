#include "solvers/column_subset.h"

#include "core/parallel.h"

#include <string.h>

struct subset_copying {
    struct some_columns *some;
    uint32_t *place; /* a column's among the chosen, or NOWHERE */
};
static const uint32_t NOWHERE = UINT32_MAX;

static double subset_factor_of(const struct some_columns *some, size_t k) {
    return some->factor ? some->factor[k] : 1;
}

static void copy_dense(struct block *out, const struct block *block,
                       const struct some_columns *some) {
    size_t cols = some->all->cols, n = some->x.cols;
    for (size_t i = 0; i < block->rows; i++)
        for (size_t k = 0; k < n; k++) {
            size_t at = i * cols + some->column[k];
            double x = block->f32 ? (double)block->f32[at] : block->f64[at];
            out->f64[i * n + k] = subset_factor_of(some, k) * x;
        }
}

static void subset_copy_sparse(struct block *out, const struct block *block,
                               const struct subset_copying *copying) {
    const struct some_columns *some = copying->some;
    size_t cols = some->all->cols, entries = 0;
    for (size_t i = 0; i < block->rows; i++) {
        size_t at = 0, column;
        double x;
        out->start[i] = entries;
        while (row_next(block, i, cols, &at, &column, &x)) {
            uint32_t k = copying->place[column];
            if (k == NOWHERE) continue;
            out->index[entries] = k;
            if (out->f64) out->f64[entries] = subset_factor_of(some, k) * x;
            entries++;
        }
    }
    out->start[block->rows] = entries;
}

static sepal_status subset_copy_block(sepal_ctx *ctx, size_t b, void *payload) {
    const struct subset_copying *copying = payload;
    struct some_columns *some = copying->some;
    (void)ctx;
    const struct block *block = &some->all->rows.blocks[b];
    if (block->sparse)
        subset_copy_sparse(&some->x.blocks[b], block, copying);
    else
        copy_dense(&some->x.blocks[b], block, some);
    return SEPAL_OK;
}

static size_t subset_count_entries(const struct block *block, const uint32_t *place) {
    size_t entries = 0;
    for (size_t at = block->start[0]; at < block->start[block->rows]; at++)
        entries += place[block->index[at]] != NOWHERE;
    return entries;
}

/* Blocks like those of all columns, with room for what they will hold. */
static sepal_status subset_lay_out(struct some_columns *some, const uint32_t *place,
                                   struct arena *arena) {
    sepal_ctx *ctx = some->all->ctx;
    struct matrix *x = &some->x;
    x->blocks = arena_zero(ctx, arena, x->n_blocks, sizeof *x->blocks);
    if (!x->blocks) return SEPAL_EMEMORY;
    x->nonzeros = 0;
    for (size_t b = 0; b < x->n_blocks; b++) {
        const struct block *from = &some->all->rows.blocks[b];
        struct block *block = &x->blocks[b];
        size_t cells = from->sparse ? subset_count_entries(from, place) : from->rows * x->cols;
        *block = (struct block){
            .first_row = from->first_row, .rows = from->rows, .sparse = from->sparse};
        x->nonzeros += cells;
        bool ones = from->sparse && from->values == VALUES_ONES && !some->factor;
        block->values = ones ? VALUES_ONES : VALUES_F64;
        if (!ones && !(block->f64 = arena_alloc(ctx, arena, cells + 1, sizeof *block->f64)))
            return SEPAL_EMEMORY;
        if (!from->sparse) continue;
        block->start = arena_alloc(ctx, arena, from->rows + 1, sizeof *block->start);
        block->index = arena_alloc(ctx, arena, cells + 1, sizeof *block->index);
        if (!block->start || !block->index) return SEPAL_EMEMORY;
    }
    return SEPAL_OK;
}

static sepal_status pick_centre(struct some_columns *some, struct arena *arena) {
    const struct objective *all = some->all;
    if (!all->centre) return SEPAL_OK;
    double *centre = arena_alloc(all->ctx, arena, some->x.cols + 1, sizeof *centre);
    if (!centre) return SEPAL_EMEMORY;
    for (size_t k = 0; k < some->x.cols; k++)
        centre[k] = subset_factor_of(some, k) * all->centre[some->column[k]];
    some->o.centre = centre;
    return SEPAL_OK;
}

/* Their bounds, in the units of their factors. */
static sepal_status pick_box(struct some_columns *some, struct arena *arena) {
    const struct box *all = some->all->box;
    size_t n = some->x.cols;
    if (!all) return SEPAL_OK;
    struct box *box = arena_alloc(some->all->ctx, arena, 1, sizeof *box);
    double *low = arena_alloc(some->all->ctx, arena, n + 1, 2 * sizeof *low), *high = low + n;
    if (!box || !low) return SEPAL_EMEMORY;
    for (size_t k = 0; k < n; k++) {
        low[k] = all->low[some->column[k]] / subset_factor_of(some, k);
        high[k] = all->high[some->column[k]] / subset_factor_of(some, k);
    }
    *box = (struct box){low, high};
    some->o.box = box;
    return SEPAL_OK;
}

sepal_status some_columns_init(struct some_columns *some, const struct objective *all, size_t n,
                               size_t *column, double *factor, struct arena *arena) {
    sepal_ctx *ctx = all->ctx;
    *some = (struct some_columns){
        .o = *all, .all = all, .x = all->rows, .column = column, .factor = factor};
    some->x.cols = n;
    uint32_t *place = arena_alloc(ctx, arena, all->cols + 1, sizeof *place);
    if (!place) return SEPAL_EMEMORY;
    for (size_t j = 0; j < all->cols; j++) place[j] = NOWHERE;
    for (size_t k = 0; k < n; k++) place[column[k]] = (uint32_t)k;
    TRY(subset_lay_out(some, place, arena));
    struct subset_copying copying = {some, place};
    TRY(parallel_for(ctx, some->x.n_blocks, subset_copy_block, &copying));
    TRY(pick_centre(some, arena));
    TRY(pick_box(some, arena));
    some->o.arena = arena;
    some->o.x = &some->x;
    return objective_init(&some->o);
}

void some_columns_enter(const struct some_columns *some, const double *all, double *u) {
    for (size_t k = 0; k < some->x.cols; k++)
        u[k] = all[some->column[k]] / subset_factor_of(some, k);
    if (some->o.bias != BIAS_NONE) u[some->x.cols] = all[some->all->cols];
}

void some_columns_leave(const struct some_columns *some, const double *u, double *all) {
    memset(all, 0, some->all->cols * sizeof *all);
    for (size_t k = 0; k < some->x.cols; k++)
        all[some->column[k]] = u[k] * subset_factor_of(some, k);
    if (some->o.bias != BIAS_NONE) all[some->all->cols] = u[some->x.cols];
}
