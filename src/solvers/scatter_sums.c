/* Sums of squares and products of rows around the means of their classes. */
#include "solvers/scatter.h"

#include "core/alloc.h"
#include "solvers/tall.h"

#include <math.h>

/* ---- scatter matrices --------------------------------------------------------------------- */

void scatter_fill(const void *rows, size_t first, size_t n, double *out, size_t stride) {
    const struct scatter_rows *list = rows;
    const struct scatter *s = list->s;
    size_t cols = s->x->cols;
    for (size_t i = 0; i < n; i++, out += stride) {
        size_t row = list->row ? list->row[first + i] : first + i, local;
        const struct block *block = matrix_block_of(s->x, row, &local);
        const double *mean = s->mean + scatter_class(s, row) * cols;
        double root = s->weight ? sqrt(s->weight[row]) : 1;
        block_dense(block, local, 1, cols, s->centre, NULL, out, cols);
        for (size_t j = 0; j < s->n; j++) out[j] = root * (out[s->active[j]] - mean[s->active[j]]);
    }
}

static sepal_status add_products(double *out, const struct scatter *s, const size_t *row,
                                 size_t n) {
    struct scatter_rows rows = {.s = s, .row = row};
    struct tall tall = {
        .rows = n, .cols = s->n, .stride = s->x->cols, .fill = scatter_fill, .payload = &rows};
    return s->n ? tall_gram(out, s->ctx, &tall) : SEPAL_OK;
}

sepal_status scatter_within(double *out, const struct scatter *s) {
    return add_products(out, s, NULL, s->x->rows);
}

sepal_status scatter_of_class(double *out, const struct scatter *s, const struct class_order *order,
                              size_t k) {
    return add_products(out, s, order->row + order->first[k], s->class_rows[k]);
}

/* ---- squares of single columns ------------------------------------------------------------ */

#define ADD_SQUARES(name, type)                                                                    \
    static void name(double *restrict sum, const type *restrict x, const double *restrict centre,  \
                     const double *restrict mean, double weight, size_t n) {                       \
        for (size_t j = 0; j < n; j++) {                                                           \
            double difference = (double)x[j] - centre[j] - mean[j];                                \
            sum[j] += weight * (difference * difference);                                          \
        }                                                                                          \
    }
ADD_SQUARES(add_singles, float)
ADD_SQUARES(add_doubles, double)

/* Of sparse rows, only the entries. */
static void add_squares(const struct scatter *s, const struct block *block, size_t from, size_t to,
                        double *sums, const void *payload) {
    size_t cols = s->x->cols;
    const double *centre = s->centre + from;
    double x;
    (void)payload;
    for (size_t i = 0; i < block->rows; i++) {
        size_t k = scatter_class(s, block->first_row + i), at = i * cols + from;
        double weight = scatter_weight(s, block->first_row + i), *sum = sums + k * cols;
        const double *mean = s->mean + k * cols;
        if (!block->sparse && block->f32)
            add_singles(sum + from, block->f32 + at, centre, mean + from, weight, to - from);
        else if (!block->sparse)
            add_doubles(sum + from, block->f64 + at, centre, mean + from, weight, to - from);
        if (!block->sparse) continue;
        size_t j;
        at = row_seek(block, i, from);
        while (row_next(block, i, cols, &at, &j, &x) && j < to) {
            double difference = x - s->centre[j] - mean[j];
            sum[j] += weight * (difference * difference);
        }
    }
}

sepal_status scatter_squares(double *out, const struct scatter *s) {
    size_t cols = s->x->cols, width = s->classes * cols;
    TRY(scatter_sum(out, s, width, add_squares, NULL));
    for (size_t i = 0; s->present && i < width; i++) {
        double zero = s->centre[i % cols] + s->mean[i]; /* the mean: what a 0 differs by */
        out[i] += (s->class_weight[i / cols] - s->present[i]) * (zero * zero);
    }
    return SEPAL_OK;
}

/* ---- squares of projections --------------------------------------------------------------- */

struct projecting {
    const struct scatter *s;
    const double *w;
    double *mean; /* of each class's projections, without the centre: of sparse rows with it */
};

static sepal_status add_projections(sepal_ctx *ctx, const struct block *block, double *sums,
                                    void *payload) {
    const struct projecting *all = payload;
    const struct scatter *s = all->s;
    size_t cols = s->x->cols;
    for (size_t i = 0; i < block->rows; i++) {
        size_t k = scatter_class(s, block->first_row + i);
        double y = block->sparse ? row_dot(ctx->kernels, block, i, cols, all->w)
                                 : row_dot_centred(ctx->kernels, block, i, cols, s->centre, all->w);
        y -= all->mean[k];
        sums[k] += scatter_weight(s, block->first_row + i) * (y * y);
    }
    return SEPAL_OK;
}

sepal_status scatter_along(double *out, const struct scatter *s, const double *w) {
    size_t cols = s->x->cols;
    const struct kernels *kernels = s->ctx->kernels;
    struct projecting all = {.s = s, .w = w};
    all.mean = mem_alloc(s->ctx, s->classes, sizeof *all.mean);
    if (!all.mean) return SEPAL_EMEMORY;
    for (size_t k = 0; k < s->classes; k++) {
        all.mean[k] = kernels->dot_f64(s->mean + k * cols, w, cols);
        if (s->x->sparse) all.mean[k] += kernels->dot_f64(s->centre, w, cols);
    }
    sepal_status status = matrix_sum(out, s->ctx, s->x, s->classes, add_projections, &all);
    mem_free(all.mean);
    return status;
}
