/* Class means, by sums of differences from the first row of each class: the differences have the
   size of the spread, so a mean of 1e8 costs no digits of it, and a column that is constant within
   a class has exactly its value as mean. In sparse data an entry that is not there differs by minus
   the first row's value; how much weight is not there is told by the weight that is. */
#include "statistics/scatter.h"

#include "core/parallel.h"
#include "statistics/scatter_parts.h"

#include <math.h>
#include <string.h>

/* ---- sums over rows ----------------------------------------------------------------------- */

/* Up to SUMS_MOST sums are taken block by block and added in a tree; more of them by tasks that own
   STRIPE columns or more, at most STRIPES tasks, and add the rows in order. */
enum { SUMS_MOST = 1 << 16, STRIPE = 64, STRIPES = 256 };

struct scatter_summing {
    const struct scatter *s;
    scatter_add_fn add;
    const void *payload;
    double *sums;
    size_t stripe;
};

static sepal_status scatter_add_block(sepal_ctx *ctx, const struct block *block, double *sums,
                                      void *payload) {
    const struct scatter_summing *all = payload;
    (void)ctx;
    all->add(all->s, block, 0, all->s->x->cols, sums, all->payload);
    return SEPAL_OK;
}

static sepal_status scatter_add_stripe(sepal_ctx *ctx, size_t task, void *payload) {
    const struct scatter_summing *all = payload;
    size_t from = task * all->stripe, to = from + all->stripe, cols = all->s->x->cols;
    struct block_iterator blocks = {.matrix = all->s->x};
    (void)ctx;
    for (const struct block *block; (block = block_next(&blocks));)
        all->add(all->s, block, from, to < cols ? to : cols, all->sums, all->payload);
    return SEPAL_OK;
}

sepal_status scatter_sum(double *out, const struct scatter *s, size_t width, scatter_add_fn add,
                         const void *payload) {
    struct scatter_summing all = {.s = s, .add = add, .payload = payload, .sums = out};
    size_t cols = s->x->cols;
    if (width <= SUMS_MOST) return matrix_sum(out, s->ctx, s->x, width, scatter_add_block, &all);
    memset(out, 0, width * sizeof *out);
    all.stripe = (cols + STRIPES - 1) / STRIPES;
    if (all.stripe < STRIPE) all.stripe = STRIPE;
    return parallel_for(s->ctx, (cols + all.stripe - 1) / all.stripe, scatter_add_stripe, &all);
}

/* ---- means -------------------------------------------------------------------------------- */

/* The sums: weighted differences, classes x cols; sizes of differences, cols; of sparse rows also
   the weights of their entries, classes x cols. */
static size_t scatter_sums_width(const struct scatter *s) {
    return ((s->x->sparse ? 2 : 1) * s->classes + 1) * s->x->cols;
}

#define ADD_DENSE(name, type)                                                                      \
    static void name(double *restrict sum, double *restrict size, const type *restrict x,          \
                     const double *restrict shift, double weight, size_t n) {                      \
        for (size_t j = 0; j < n; j++) {                                                           \
            double difference = (double)x[j] - shift[j];                                           \
            sum[j] += weight * difference;                                                         \
            size[j] += weight * fabs(difference);                                                  \
        }                                                                                          \
    }
ADD_DENSE(add_singles, float)
ADD_DENSE(add_doubles, double)

void scatter_add_row(double *sum, double *size, const struct block *block, size_t i, size_t cols,
                     size_t from, size_t to, const double *shift, double weight) {
    size_t at = i * cols + from;
    if (block->f32)
        add_singles(sum + from, size + from, block->f32 + at, shift + from, weight, to - from);
    else
        add_doubles(sum + from, size + from, block->f64 + at, shift + from, weight, to - from);
}

static void add_differences(const struct scatter *s, const struct block *block, size_t from,
                            size_t to, double *sums, const void *payload) {
    const double *shifts = payload; /* classes x cols: the first row of each class */
    size_t cols = s->x->cols;
    double *size = sums + s->classes * cols, *present = size + cols, x;
    for (size_t i = 0; i < block->rows; i++) {
        size_t k = scatter_class(s, block->first_row + i);
        double weight = scatter_weight(s, block->first_row + i), *sum = sums + k * cols;
        const double *shift = shifts + k * cols;
        if (!block->sparse) {
            scatter_add_row(sum, size, block, i, cols, from, to, shift, weight);
            continue;
        }
        size_t j, at = row_seek(block, i, from);
        while (row_next(block, i, cols, &at, &j, &x) && j < to) {
            sum[j] += weight * (x - shift[j]);
            size[j] += weight * fabs(x - shift[j]);
            present[k * cols + j] += weight;
        }
    }
}

/* Weights and row counts of the classes, and the first row of each. */
static void count_classes(struct scatter *s, double *shift) {
    size_t cols = s->x->cols;
    for (size_t row = 0; row < s->x->rows; row++) {
        size_t k = scatter_class(s, row), local;
        if (s->class_rows[k]++ == 0) {
            const struct block *block = matrix_block_of(s->x, row, &local);
            block_dense(block, local, 1, cols, NULL, NULL, shift + k * cols, cols);
        }
        s->class_weight[k] += scatter_weight(s, row);
    }
    for (size_t k = 0; k < s->classes; k++) s->total += s->class_weight[k];
}

/* Weights that were added up in another order may differ so much and be the same. */
static const double ABSENT_LEAST = 1e-12;

/* Column j of the means: first the differences from the first rows, then from the centre. */
static sepal_status scatter_find_means(struct scatter *s, size_t j, const double *shift) {
    size_t cols = s->x->cols;
    double mean = 0, *size = &s->size[j];
    bool differ = false;
    for (size_t k = 0; k < s->classes; k++) {
        double *difference = &s->mean[k * cols + j];
        if (s->present) {
            double *present = &s->present[k * cols + j];
            double absent = s->class_weight[k] - *present;
            if (absent < ABSENT_LEAST * s->class_weight[k])
                absent = 0, *present = s->class_weight[k];
            *difference -= absent * shift[k * cols + j];
            *size += fabs(absent * shift[k * cols + j]);
        }
        *difference /= s->class_weight[k];
        mean += s->class_weight[k] * (shift[k * cols + j] - shift[j] + *difference) / s->total;
        differ = differ || shift[k * cols + j] != shift[j];
    }
    s->centre[j] = shift[j] + mean;
    s->offset[j] = shift[j] - s->centre[j] + mean;
    for (size_t k = 0; k < s->classes; k++)
        s->mean[k * cols + j] += shift[k * cols + j] - s->centre[j];
    s->spread[j] = *size > 0 ? SPREAD_WITHIN : differ ? SPREAD_BETWEEN : SPREAD_NONE;
    *size /= s->total;
    if (isfinite(s->centre[j]) && isfinite(*size) && isfinite(s->mean[j])) return SEPAL_OK;
    return fail(
        s->ctx, SEPAL_EDATA,
        "the numbers of matrix column %zu are too large to be summed up; scale this feature "
        "down",
        j + 1);
}

sepal_status scatter_means(struct scatter *s) {
    size_t cols = s->x->cols, width = scatter_sums_width(s);
    double *shift = arena_alloc(s->ctx, s->arena, s->classes, cols * sizeof *shift);
    double *sums = arena_alloc(s->ctx, s->arena, width, sizeof *sums);
    s->class_weight = arena_zero(s->ctx, s->arena, s->classes, sizeof *s->class_weight);
    s->class_rows = arena_zero(s->ctx, s->arena, s->classes, sizeof *s->class_rows);
    s->offset = arena_alloc(s->ctx, s->arena, cols, sizeof *s->offset);
    s->spread = arena_alloc(s->ctx, s->arena, cols, sizeof *s->spread);
    if (!shift || !sums || !s->class_weight || !s->class_rows || !s->offset || !s->spread)
        return SEPAL_EMEMORY;
    if (s->left && scatter_left_classes(s->left) != s->classes) return scatter_lacks(s);
    if (s->left) {
        scatter_left_count(s);
        scatter_left_sum(sums, shift, s);
    } else {
        count_classes(s, shift);
        TRY(scatter_sum(sums, s, width, add_differences, shift));
    }
    s->mean = sums;
    s->size = sums + s->classes * cols;
    s->present = s->x->sparse ? sums + (s->classes + 1) * cols : NULL;
    for (size_t j = 0; j < cols; j++) TRY(scatter_find_means(s, j, shift));
    return SEPAL_OK;
}

sepal_status scatter_columns(struct scatter *s, enum spread least) {
    s->active = arena_alloc(s->ctx, s->arena, s->x->cols, sizeof *s->active);
    if (!s->active) return SEPAL_EMEMORY;
    s->n = 0;
    for (size_t j = 0; j < s->x->cols; j++)
        if (s->spread[j] >= (unsigned char)least) s->active[s->n++] = j;
    return SEPAL_OK;
}

sepal_status scatter_join(struct scatter *out, const struct scatter *s) {
    size_t cols = s->x->cols;
    *out = *s;
    out->label = NULL;
    out->classes = 1;
    out->class_weight = &out->total;
    out->mean = s->offset;
    out->present = NULL;
    out->spread = arena_alloc(s->ctx, s->arena, cols, sizeof *out->spread);
    if (!out->spread) return SEPAL_EMEMORY;
    for (size_t j = 0; j < cols; j++)
        out->spread[j] = s->spread[j] == SPREAD_NONE ? SPREAD_NONE : SPREAD_WITHIN;
    return scatter_columns(out, SPREAD_WITHIN);
}

sepal_status scatter_standardize(struct scatter *out, const struct scatter *s,
                                 const double *squares, size_t step, double divisor,
                                 const double *otherwise) {
    size_t cols = s->x->cols;
    double *inverse = arena_alloc(s->ctx, s->arena, cols, sizeof *inverse);
    if (!inverse) return SEPAL_EMEMORY;
    for (size_t j = 0; j < cols; j++) inverse[j] = otherwise ? 1 / otherwise[j] : 1;
    for (size_t j = 0; j < s->n; j++)
        if (squares[j * step] > 0) inverse[s->active[j]] = 1 / sqrt(squares[j * step] / divisor);
    *out = *s;
    out->inverse_unit = inverse;
    return SEPAL_OK;
}

sepal_status scatter_order(struct class_order *out, const struct scatter *s) {
    out->row = arena_alloc(s->ctx, s->arena, s->x->rows, sizeof *out->row);
    out->first = arena_zero(s->ctx, s->arena, s->classes + 1, sizeof *out->first);
    if (!out->row || !out->first) return SEPAL_EMEMORY;
    if (s->left) return SEPAL_OK; /* who asks for the rows then is told that there are none */
    out->first[0] = 0;
    for (size_t k = 0; k < s->classes; k++) out->first[k + 1] = out->first[k] + s->class_rows[k];
    for (size_t row = s->x->rows; row-- > 0;) {
        size_t k = scatter_class(s, row) + 1;
        out->row[--out->first[k]] = row;
    }
    /* each end has moved to its class's beginning: one place on, the beginnings are in order */
    for (size_t k = 0; k < s->classes; k++) out->first[k] = out->first[k + 1];
    out->first[s->classes] = s->x->rows;
    return SEPAL_OK;
}
