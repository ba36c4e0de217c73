/* Products of the centred, weighted data A = diag(root) (X - 1c') with a vector. Dense rows are
   centred as they are read, so that large means cost no digits, and only what rounding the means
   has left is taken off the sums; sparse rows stay sparse, there it is the whole centre. A'u is shared out by columns: a task owns a stripe and adds up its columns
   row after row, so that the bits do not depend on the number of stripes. Stripes are cut to hold
   about the same number of entries. */
#include "leastsq/leastsq.h"

#include "core/parallel.h"

#include <string.h>

struct stripe_product {
    const struct products *products;
    const double *from;
    double *to;
    const double *rest; /* of the centre, to be taken off the sums; NULL: nothing */
    double ovr_dcd_sum; /* its product with v, or the sum of root_i u_i */
};

static sepal_status stripe_sparse(struct products *products, size_t *stripe, size_t stripes) {
    const struct leastsq *p = products->p;
    size_t *count = arena_zero(p->ctx, p->arena, p->x->cols, sizeof *count);
    if (!count) return SEPAL_EMEMORY;
    struct block_iterator blocks = {.matrix = p->x};
    size_t entries = 0, seen = 0, s = 0;
    for (const struct block *block; (block = block_next(&blocks));) {
        entries += block->start[block->rows];
        for (size_t e = 0; e < block->start[block->rows]; e++) count[block->index[e]]++;
    }
    for (size_t j = 0; j < p->x->cols; j++) {
        while (s < stripes && seen >= entries / stripes * s) stripe[s++] = j;
        seen += count[j];
    }
    while (s <= stripes) stripe[s++] = p->x->cols;
    return SEPAL_OK;
}

sepal_status products_init(struct products *products, const struct leastsq *p) {
    size_t stripes = parallel_width(p->ctx), cols = p->x->cols;
    size_t *stripe = arena_alloc(p->ctx, p->arena, stripes + 1, sizeof *stripe);
    if (!stripe) return SEPAL_EMEMORY;
    *products = (struct products){.p = p, .n_stripes = stripes, .stripe = stripe};
    if (p->x->sparse) return stripe_sparse(products, stripe, stripes);
    for (size_t s = 0; s <= stripes; s++) stripe[s] = cols / stripes * s;
    stripe[stripes] = cols;
    return SEPAL_OK;
}

static const double *rest_of_centre(const struct leastsq *p) {
    if (!p->centre) return NULL;
    return p->x->sparse ? p->centre : p->offset;
}

static sepal_status forward_block(sepal_ctx *ctx, size_t b, void *payload) {
    const struct stripe_product *all = payload;
    const struct leastsq *p = all->products->p;
    const struct block *block = &p->x->blocks[b];
    for (size_t i = 0; i < block->rows; i++) {
        size_t row = block->first_row + i, cols = p->x->cols;
        double dot = p->centre && !block->sparse
                         ? row_dot_centred(ctx->kernels, block, i, cols, p->centre, all->from)
                         : row_dot(ctx->kernels, block, i, cols, all->from);
        all->to[row] = leastsq_root_weight(p, row) * (dot - all->ovr_dcd_sum);
    }
    return SEPAL_OK;
}

sepal_status products_forward(double *u, const struct products *products, const double *v) {
    const struct leastsq *p = products->p;
    const double *rest = rest_of_centre(p);
    struct stripe_product all = {.products = products, .from = v, .to = u};
    if (rest) all.ovr_dcd_sum = p->ctx->kernels->dot_f64(rest, v, p->x->cols);
    return parallel_for(p->ctx, p->x->n_blocks, forward_block, &all);
}

/* to += a times the stored entries of a sparse row in columns [from, end) */
static void products_add_sparse(const struct kernels *kernels, const struct block *block, size_t i,
                                size_t from, size_t end, double a, double *to) {
    struct block part = *block;
    part.centre = NULL; /* left to the caller, who takes it off the sum over the rows */
    size_t start = block->start[i];
    size_t range[2] = {start + row_seek(&part, i, from), start + row_seek(&part, i, end)};
    part.start = range;
    if (block->values == VALUES_ROW) part.f64 += i;
    row_axpy(kernels, &part, 0, 0, a, to);
}

static void products_add_dense(const struct block *block, size_t i, size_t cols,
                               const double *centre, size_t from, size_t end, double a,
                               double *to) {
    for (size_t j = from; j < end; j++) {
        double x = block->f32 ? (double)block->f32[i * cols + j] : block->f64[i * cols + j];
        to[j] += a * (centre ? x - centre[j] : x);
    }
}

static sepal_status back_stripe(sepal_ctx *ctx, size_t s, void *payload) {
    const struct stripe_product *all = payload;
    const struct leastsq *p = all->products->p;
    size_t from = all->products->stripe[s], end = all->products->stripe[s + 1];
    memset(all->to + from, 0, (end - from) * sizeof *all->to);
    struct block_iterator blocks = {.matrix = p->x};
    for (const struct block *block; (block = block_next(&blocks));) {
        double sum = 0;
        for (size_t i = 0; i < block->rows; i++) {
            size_t row = block->first_row + i;
            double a = leastsq_root_weight(p, row) * all->from[row];
            sum += a;
            if (block->sparse)
                products_add_sparse(ctx->kernels, block, i, from, end, a, all->to);
            else
                products_add_dense(block, i, p->x->cols, p->centre, from, end, a, all->to);
        }
        for (size_t j = from; block->centre && j < end; j++) all->to[j] -= sum * block->centre[j];
    }
    for (size_t j = from; all->rest && j < end; j++) all->to[j] -= all->ovr_dcd_sum * all->rest[j];
    return SEPAL_OK;
}

sepal_status products_back(double *v, const struct products *products, const double *u) {
    const struct leastsq *p = products->p;
    struct stripe_product all = {
        .products = products, .from = u, .to = v, .rest = rest_of_centre(p)};
    for (size_t i = 0; all.rest && i < p->x->rows; i++)
        all.ovr_dcd_sum += leastsq_root_weight(p, i) * u[i];
    return parallel_for(p->ctx, products->n_stripes, back_stripe, &all);
}
