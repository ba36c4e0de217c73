/* Two passes for mean and deviation: differences from the first row give the mean, so that a mean of
   1e8 costs no digits and a constant column is told exactly; differences from the mean give the
   deviation, corrected by their own sum (Chan, Golub, LeVeque 1983). The second pass multiplies by a
   power of two, lest squares of very large or small numbers leave the range of a double.

   Sums of dense rows go through the tree over blocks. For sparse rows, often wide, a tree would cost
   more than all entries: there a task owns columns and takes the rows in order, so that the bits do
   not depend on the number of tasks. */
#include "maps/column_stats.h"

#include "core/arena.h"
#include "core/parallel.h"

#include <math.h>
#include <string.h>

void column_values(const struct matrix *x, size_t first, size_t end, column_value_fn see,
                   void *payload) {
    struct block_iterator blocks = {.matrix = x};
    for (const struct block *block; (block = block_next(&blocks));) {
        struct block stored = *block;
        stored.centre = NULL;
        for (size_t i = 0; i < block->rows; i++) {
            double value;
            size_t at = row_seek(&stored, i, first);
            for (size_t j; row_next(&stored, i, x->cols, &at, &j, &value) && j < end;)
                see(payload, j, block->first_row + i, value);
        }
    }
}

static const double *stats_centre_of(const struct matrix *x) {
    return x->n_blocks ? x->blocks[0].centre : NULL;
}

/* ---- columns in stripes ------------------------------------------------------------------- */

struct stripes {
    const struct matrix *x;
    size_t n;
    column_value_fn see;
    void *payload;
};

static sepal_status one_stripe(sepal_ctx *ctx, size_t s, void *payload) {
    const struct stripes *all = payload;
    size_t width = all->x->cols / all->n + 1, first = s * width, end = first + width;
    if (first < all->x->cols) column_values(all->x, first, end, all->see, all->payload);
    return check_cancelled(ctx, "going through the columns");
}

static sepal_status each_stripe(const struct map_rows *rows, column_value_fn see, void *payload) {
    enum { FOR_EACH_THREAD = 4 }; /* columns are not equally full */
    struct stripes all = {.x = rows->x, .see = see, .payload = payload};
    all.n = (size_t)parallel_width(rows->ctx) * FOR_EACH_THREAD;
    return parallel_for(rows->ctx, all.n, one_stripe, &all);
}

/* ---- ranges ------------------------------------------------------------------------------- */

struct ranges {
    double *low, *high;
    size_t *seen;
};

static void widen(void *payload, size_t j, size_t row, double x) {
    struct ranges *ranges = payload;
    (void)row;
    if (ranges->seen[j] == 0 || x < ranges->low[j]) ranges->low[j] = x;
    if (ranges->seen[j] == 0 || x > ranges->high[j]) ranges->high[j] = x;
    ranges->seen[j]++;
}

sepal_status column_ranges(double *low, double *high, const struct map_rows *rows) {
    size_t cols = rows->x->cols;
    const double *centre = stats_centre_of(rows->x);
    struct ranges ranges = {.low = low, .high = high};
    ranges.seen = arena_zero(rows->ctx, rows->arena, cols, sizeof *ranges.seen);
    if (!ranges.seen) return SEPAL_EMEMORY;
    memset(low, 0, cols * sizeof *low);
    memset(high, 0, cols * sizeof *high);
    TRY(each_stripe(rows, widen, &ranges));
    for (size_t j = 0; j < cols; j++) {
        bool zeros = ranges.seen[j] < rows->x->rows;
        if (zeros && low[j] > 0) low[j] = 0;
        if (zeros && high[j] < 0) high[j] = 0;
        if (!centre) continue;
        low[j] -= centre[j];
        high[j] -= centre[j];
    }
    return SEPAL_OK;
}

/* ---- mean and deviation ------------------------------------------------------------------- */

/* One pass: sums over the rows of e = (x - shift) scale. */
struct stats_pass {
    const struct map_rows *rows;
    const double *shift, *scale; /* of each column; scale NULL: 1 */
    double *first, *second;      /* sums of weight e, and of |e| or, with a scale, of weight e^2 */
    double *weight;              /* of sparse rows: sums of the weights of the entries */
    size_t *seen;                /* and their number */
};

static void stats_add_dense_row(const struct stats_pass *pass, const struct block *block, size_t i,
                                double weight, double *first, double *second) {
    size_t cols = pass->rows->x->cols;
    const float *f32 = block->f32 ? block->f32 + i * cols : NULL;
    const double *f64 = block->f32 ? NULL : block->f64 + i * cols;
    for (size_t j = 0; !pass->scale && j < cols; j++) {
        double e = (f32 ? (double)f32[j] : f64[j]) - pass->shift[j];
        first[j] += weight * e;
        second[j] += fabs(e);
    }
    for (size_t j = 0; pass->scale && j < cols; j++) {
        double e = ((f32 ? (double)f32[j] : f64[j]) - pass->shift[j]) * pass->scale[j];
        first[j] += weight * e;
        second[j] += weight * e * e;
    }
}

static sepal_status stats_add_block(sepal_ctx *ctx, const struct block *block, double *sum,
                                    void *payload) {
    const struct stats_pass *pass = payload;
    const double *weight = pass->rows->weight;
    (void)ctx;
    for (size_t i = 0; i < block->rows; i++)
        stats_add_dense_row(pass, block, i, weight ? weight[block->first_row + i] : 1, sum,
                            sum + pass->rows->x->cols);
    return SEPAL_OK;
}

static void stats_add_number(const struct stats_pass *pass, size_t j, double weight, double x) {
    double e = x - pass->shift[j];
    if (pass->scale) e *= pass->scale[j];
    pass->first[j] += weight * e;
    pass->second[j] += pass->scale ? weight * e * e : fabs(e);
}

static void stats_add_entry(void *payload, size_t j, size_t row, double x) {
    struct stats_pass *pass = payload;
    double weight = pass->rows->weight ? pass->rows->weight[row] : 1;
    stats_add_number(pass, j, weight, x);
    pass->weight[j] += weight;
    pass->seen[j]++;
}

static sepal_status stats_run(struct stats_pass *pass) {
    const struct map_rows *rows = pass->rows;
    size_t cols = rows->x->cols;
    if (!rows->x->sparse)
        return matrix_sum(pass->first, rows->ctx, rows->x, 2 * cols, stats_add_block, pass);
    memset(pass->first, 0, 3 * cols * sizeof *pass->first);
    memset(pass->seen, 0, cols * sizeof *pass->seen);
    TRY(each_stripe(rows, stats_add_entry, pass));
    for (size_t j = 0; j < cols; j++)
        if (pass->seen[j] < rows->x->rows)
            stats_add_number(pass, j, rows->total - pass->weight[j], 0);
    return SEPAL_OK;
}

/* The first row, as it is stored. */
static void stats_find_shift(double *shift, const struct matrix *x) {
    struct block stored = x->blocks[0];
    stored.centre = NULL;
    block_dense(&stored, 0, 1, x->cols, NULL, NULL, shift, x->cols);
}

/* A power of two that brings numbers of this size near 1. */
static double scale_of(double size) {
    enum { MOST = 1000 };
    int exponent = size > 0 && isfinite(size) ? ilogb(size) : 0;
    if (exponent > MOST) exponent = MOST;
    if (exponent < -MOST) exponent = -MOST;
    return ldexp(1, -exponent);
}

sepal_status column_moments(double *mean, double *deviation, const struct map_rows *rows) {
    size_t cols = rows->x->cols;
    double total = rows->total, *scale;
    struct stats_pass pass = {.rows = rows, .shift = mean};
    pass.first = arena_alloc(rows->ctx, rows->arena, cols, 3 * sizeof *pass.first);
    pass.seen = arena_alloc(rows->ctx, rows->arena, cols, sizeof *pass.seen);
    scale = arena_alloc(rows->ctx, rows->arena, cols, sizeof *scale);
    if (!pass.first || !pass.seen || !scale) return SEPAL_EMEMORY;
    pass.second = pass.first + cols;
    pass.weight = pass.second + cols;

    stats_find_shift(mean, rows->x);
    TRY(stats_run(&pass));
    for (size_t j = 0; j < cols; j++) {
        scale[j] = scale_of(pass.second[j] / (double)rows->x->rows);
        deviation[j] = pass.second[j]; /* 0 tells a constant column */
        mean[j] += pass.first[j] / total;
    }
    pass.scale = scale;
    TRY(stats_run(&pass));
    for (size_t j = 0; j < cols; j++) {
        double rest = pass.first[j] / total, square = pass.second[j] / total - rest * rest;
        if (deviation[j] != 0) {
            deviation[j] = sqrt(square) / scale[j];
            mean[j] += rest / scale[j];
        }
        if (stats_centre_of(rows->x)) mean[j] -= stats_centre_of(rows->x)[j];
    }
    return SEPAL_OK;
}
