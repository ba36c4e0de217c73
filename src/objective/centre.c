/* By what rows are centred: dense ones by the mean of each column; of sparse ones the columns that all
   rows have and that are far from 0. What maps have taken off sparse rows stands beside these. */
#include "objective/objective.h"

#include <math.h>
#include <string.h>

enum { PANEL = 32 };

static sepal_status centre_add_block(sepal_ctx *ctx, const struct block *block, double *sum,
                                     void *payload) {
    const struct objective *o = payload;
    const double *row_weight = o->row_weight + block->first_row;
    size_t cols = o->x->cols;
    bool doubles = !block->sparse && block->f64;
    double weight = 0;
    for (size_t i = 0, n; i < block->rows; i += n) {
        const double *x[PANEL];
        n = block->rows - i < PANEL ? block->rows - i : PANEL;
        for (size_t k = i; k < i + n; k++) {
            weight += row_weight[k];
            if (doubles)
                x[k - i] = block->f64 + k * cols;
            else
                row_axpy(ctx->kernels, block, k, cols, row_weight[k], sum);
        }
        if (doubles) ctx->kernels->add_rows(sum, NULL, row_weight + i, x, n, cols);
    }
    sum[o->x->cols] += weight;
    return SEPAL_OK;
}

/* The mean of a constant column is its value, whatever rounding makes of the sum: what is left would be taken
   for differences of the rows. */
static void snap_to_first(double *mean, const struct objective *o) {
    static const double rounding = 64 * DBL_EPSILON;
    double x;
    for (size_t at = 0, j; row_next(&o->x->blocks[0], 0, o->x->cols, &at, &j, &x);)
        if (fabs(mean[j] - x) <= rounding * fabs(x)) mean[j] = x;
}

static sepal_status centre_dense(double *out, struct objective *o) {
    size_t cols = o->x->cols;
    double *sum = arena_alloc(o->ctx, o->arena, cols + 1, sizeof *sum);
    if (!sum) return SEPAL_EMEMORY;
    TRY(matrix_sum(sum, o->ctx, o->x, cols + 1, centre_add_block, o));
    for (size_t j = 0; j < cols; j++) out[j] = sum[j] / sum[cols];
    snap_to_first(out, o);
    o->centre = out;
    return SEPAL_OK;
}

/* ---- sparse rows -------------------------------------------------------------------------- */

/* Columns that all sparse rows have: these have no zeros to lose when they are centred. */
struct full_columns {
    size_t n;
    size_t *column;
    double *first, *sum, *least, *most; /* the first value; of the others less that */
};

static void meet_row(struct full_columns *full, const struct block *block, size_t i) {
    size_t kept = 0;
    for (size_t k = 0; k < full->n; k++) {
        size_t at = block->start[i] + row_seek(block, i, full->column[k]);
        if (at == block->start[i + 1] || block->index[at] != full->column[k]) continue;
        double by = block_value(block, i, at) - full->first[k];
        full->column[kept] = full->column[k];
        full->first[kept] = full->first[k];
        full->sum[kept] = full->sum[k] + by;
        full->least[kept] = by < full->least[k] ? by : full->least[k];
        full->most[kept] = by > full->most[k] ? by : full->most[k];
        kept++;
    }
    full->n = kept;
}

/* Those of the first row, as long as the next one has them. */
static sepal_status find_full(struct full_columns *out, const struct objective *o) {
    const struct matrix *x = o->x;
    size_t n = x->n_blocks ? x->blocks[0].start[1] : 0;
    *out = (struct full_columns){.n = n,
                                 .column = arena_alloc(o->ctx, o->arena, n, sizeof *out->column)};
    if (!out->column) return SEPAL_EMEMORY;
    TRY(ARENA_VECTORS(o->ctx, o->arena, n, &out->first, &out->sum, &out->least, &out->most));
    for (size_t at = 0; at < n; at++) {
        out->column[at] = x->blocks[0].index[at];
        out->first[at] = block_value(&x->blocks[0], 0, at);
    }
    for (size_t b = 0; b < x->n_blocks && out->n; b++) {
        struct block block = x->blocks[b];
        block.centre = NULL;
        for (size_t i = 0; i < block.rows && out->n; i++) meet_row(out, &block, i);
    }
    return SEPAL_OK;
}

/* Only columns that are far from 0: their squares leave no digits of the differences. */
static sepal_status centre_sparse(double *out, struct objective *o) {
    static const double far = 1000;
    struct full_columns full;
    TRY(find_full(&full, o));
    memset(out, 0, o->x->cols * sizeof *out);
    for (size_t k = 0; k < full.n; k++) {
        double spread = full.most[k] - full.least[k];
        if (!(fabs(full.first[k]) > far * fmax(spread, 1))) continue;
        out[full.column[k]] = full.first[k] + full.sum[k] / (double)o->x->rows;
        o->centre = out;
    }
    return SEPAL_OK;
}

sepal_status objective_centre(double *out, struct objective *o) {
    if (!o->x->sparse) return centre_dense(out, o);
    return o->x->n_blocks && o->x->blocks[0].centre ? SEPAL_OK : centre_sparse(out, o);
}

/* ---- the rows of an objective ------------------------------------------------------------- */

/* The values of a sparse block less `off`. */
static sepal_status take_off(struct block *block, const struct objective *o, const double *off) {
    double *values = arena_alloc(o->ctx, o->arena, block->start[block->rows], sizeof *values);
    if (!values) return SEPAL_EMEMORY;
    for (size_t i = 0; i < block->rows; i++)
        for (size_t at = block->start[i]; at < block->start[i + 1]; at++)
            values[at] = block_value(block, i, at) - off[block->index[at]];
    block->values = VALUES_F64;
    block->f32 = NULL;
    block->f64 = values;
    return SEPAL_OK;
}

/* What is taken off at once, columns that all rows have; the others' centre is left to the sums. */
static sepal_status split_centre(double *off, bool *some, struct objective *o) {
    double *left = arena_alloc(o->ctx, o->arena, o->cols, sizeof *left);
    struct full_columns full;
    if (!left) return SEPAL_EMEMORY;
    TRY(find_full(&full, o));
    memcpy(left, o->centre, o->cols * sizeof *left);
    for (size_t k = 0; k < full.n; k++) {
        size_t j = full.column[k];
        *some = *some || left[j] != 0;
        off[j] = left[j];
        left[j] = 0;
    }
    o->centre = NULL;
    for (size_t j = 0; j < o->cols; j++)
        if (left[j] != 0) o->centre = left;
    return SEPAL_OK;
}

sepal_status objective_rows(struct objective *o) {
    const struct matrix *x = o->x;
    o->rows = *x;
    if (!x->sparse || x->n_blocks == 0) return SEPAL_OK;
    if (x->blocks[0].centre) o->centre = x->blocks[0].centre;
    if (!o->centre) return SEPAL_OK;
    double *off = arena_zero(o->ctx, o->arena, o->cols, sizeof *off);
    struct block *blocks = arena_alloc(o->ctx, o->arena, x->n_blocks, sizeof *blocks);
    bool some = false;
    if (!off || !blocks) return SEPAL_EMEMORY;
    memcpy(blocks, x->blocks, x->n_blocks * sizeof *blocks);
    TRY(split_centre(off, &some, o));
    for (size_t b = 0; b < x->n_blocks; b++) {
        blocks[b].centre = NULL;
        if (some) TRY(take_off(&blocks[b], o, off));
    }
    o->rows.blocks = blocks;
    return SEPAL_OK;
}
