/* Means of the columns, by sums of differences from the first row: the differences have the size of
   the spread, so a mean of 1e8 costs no digits of it, and a constant column has exactly its value
   as mean. In sparse data an entry that is not there differs by minus the first row's value; whether
   there are any is told by two sums of the same weights in the same order.

   Sparse data of many columns and many blocks is left as it is: partial sums for each block would
   cost more than all its entries, and its means are small anyway. */
#include "leastsq/leastsq.h"

#include <math.h>

struct moments {
    const struct leastsq *p;
    size_t cols;         /* 0: leave out the columns */
    const double *shift; /* the first row that has weight; zeros without centring */
};

/* The sums, all weighted: differences, their sizes, weights of the entries, one of each for every
   column; weights of classes; all weights. */
static size_t means_width_of(const struct moments *all) {
    return 3 * all->cols + all->p->classes + 1;
}

static void means_add_dense_row(const struct moments *all, const struct block *block, size_t i,
                                double weight, double *sum) {
    size_t cols = all->cols;
    for (size_t j = 0; j < cols; j++) {
        double x = block->f32 ? (double)block->f32[i * cols + j] : block->f64[i * cols + j];
        double difference = x - all->shift[j];
        sum[j] += weight * difference;
        sum[cols + j] += weight * fabs(difference);
        sum[2 * cols + j] += weight;
    }
}

static void means_add_sparse_row(const struct moments *all, const struct block *block, size_t i,
                                 double weight, double *sum) {
    size_t cols = all->cols;
    double x;
    for (size_t at = 0, j; row_next(block, i, cols, &at, &j, &x);) {
        sum[j] += weight * (x - all->shift[j]);
        sum[cols + j] += weight * fabs(x - all->shift[j]);
        sum[2 * cols + j] += weight;
    }
}

static sepal_status means_add_block(sepal_ctx *ctx, const struct block *block, double *sum,
                                    void *payload) {
    const struct moments *all = payload;
    const struct leastsq *p = all->p;
    (void)ctx;
    for (size_t i = 0; i < block->rows; i++) {
        size_t row = block->first_row + i;
        double weight = p->weight ? p->weight[row] : 1;
        if (weight == 0) continue;
        if (block->sparse && all->cols > 0)
            means_add_sparse_row(all, block, i, weight, sum);
        else if (all->cols > 0)
            means_add_dense_row(all, block, i, weight, sum);
        sum[3 * all->cols + (size_t)p->label[row]] += weight;
        sum[means_width_of(all) - 1] += weight;
    }
    return SEPAL_OK;
}

static sepal_status means_find_means(struct leastsq *p, const double *shift, const double *sum) {
    size_t cols = p->x->cols;
    for (size_t j = 0; j < cols; j++) {
        double absent = p->total - sum[2 * cols + j];
        if (sum[cols + j] + absent * fabs(shift[j]) != 0) p->active[p->n++] = j;
        if (!p->centre) continue;
        double difference = (sum[j] - absent * shift[j]) / p->total;
        p->centre[j] = shift[j] + difference;
        p->offset[j] = shift[j] - p->centre[j] + difference;
        if (!isfinite(p->centre[j]) || !isfinite(sum[cols + j]))
            return fail(p->ctx, SEPAL_EDATA,
                        "the numbers of matrix column %zu are too large to be summed up; scale "
                        "this feature down",
                        j + 1);
    }
    return SEPAL_OK;
}

/* Means of wide sparse data: the products of its columns with the weights. */
static sepal_status find_sparse_means(struct leastsq *p) {
    struct leastsq plain = *p;
    struct products products;
    double *root = arena_alloc(p->ctx, p->arena, p->x->rows, sizeof *root);
    if (!root) return SEPAL_EMEMORY;
    for (size_t i = 0; i < p->x->rows; i++) root[i] = leastsq_root_weight(p, i);
    plain.centre = NULL;
    TRY(products_init(&products, &plain));
    if (p->centre) TRY(products_back(p->centre, &products, root));
    for (p->n = 0; p->n < p->x->cols; p->n++) {
        p->active[p->n] = p->n;
        if (p->centre) p->centre[p->n] /= p->total;
    }
    return SEPAL_OK;
}

/* The first row that has weight. */
static void means_find_shift(double *shift, const struct leastsq *p) {
    size_t first = 0, local;
    while (p->weight && first + 1 < p->x->rows && p->weight[first] == 0) first++;
    const struct block *block = matrix_block_of(p->x, first, &local);
    block_dense(block, local, 1, p->x->cols, NULL, NULL, shift, p->x->cols);
}

sepal_status leastsq_means(struct leastsq *p) {
    enum { WIDE = 4096, MANY_BLOCKS = 16 };
    size_t cols = p->x->cols;
    bool wide = p->x->sparse && cols > WIDE && p->x->n_blocks > MANY_BLOCKS;
    double *shift = arena_zero(p->ctx, p->arena, cols, sizeof *shift);
    struct moments all = {.p = p, .cols = wide ? 0 : cols, .shift = shift};
    size_t width = means_width_of(&all);
    double *sum = arena_alloc(p->ctx, p->arena, width, sizeof *sum);
    p->offset = arena_zero(p->ctx, p->arena, cols, sizeof *p->offset);
    p->active = arena_alloc(p->ctx, p->arena, cols, sizeof *p->active);
    if (!sum || !shift || !p->offset || !p->active) return SEPAL_EMEMORY;

    if (p->centre && !wide) means_find_shift(shift, p);
    TRY(matrix_sum(sum, p->ctx, p->x, width, means_add_block, &all));
    p->class_weight = sum + 3 * all.cols;
    p->total = sum[width - 1];
    return wide ? find_sparse_means(p) : means_find_means(p, shift, sum);
}

void leastsq_rows(const struct leastsq *p, const struct block *block, size_t first, size_t n,
                  double *out, size_t stride) {
    block_dense(block, first, n, p->x->cols, p->centre, p->root, out, stride);
    for (size_t i = 0; i < n; i++) {
        double *row = out + i * stride, root = leastsq_root_weight(p, block->first_row + first + i);
        for (size_t j = 0; j < p->n; j++)
            row[j] = row[p->active[j]] - root * p->offset[p->active[j]];
    }
}

void leastsq_store(struct leastsq *p, const double *w) {
    for (size_t j = 0; j < p->n; j++) {
        for (size_t r = 0; r < p->outputs; r++)
            p->w[r * p->x->cols + p->active[j]] = w[j * p->outputs + r];
    }
}

bool leastsq_stops(struct leastsq *p, const char *doing) {
    if (p->stops(p->payload, doing)) p->stopped = true;
    return p->stopped;
}
