/* The Gram matrix of the centred, weighted rows, and their sums by class, which give the right-hand
   sides. Narrow matrices are summed block by block in the fixed tree of matrix_sum. Wider ones would
   need too many partial matrices: there a group of rows is brought into one dense array, and each
   tile of the result adds up the groups in their order. Neither way do threads change the bits. */
#include "solvers/squares.h"

#include "core/alloc.h"
#include "core/parallel.h"
#include "kernels/blas.h"

#include <string.h>

/* Up to NARROW columns a block's own Gram matrix is small beside the block. TILE: large enough for
   full speed of matrix products, small enough for 10 tasks at 1,000 columns. GROUP_CELLS: 64 MiB. */
enum { NARROW = 128, TILE = 256, GROUP_CELLS = 1 << 23 };

struct summing {
    struct squares *p;
    double *gram, *sums; /* n x n; classes x n */
    double *rows;        /* of the group, cols apart */
    size_t first_block, blocks, tiles;
};

/* sums of class rows, columns [j0, j1), from dense weighted rows that start at row `first` */
static void add_classes(const struct squares *p, const double *rows, size_t first, size_t n,
                        size_t j0, size_t j1, double *sums) {
    for (size_t i = 0; i < n; i++) {
        double root = squares_root(p, first + i);
        const double *row = rows + i * p->x->cols;
        double *sum = sums + (size_t)p->label[first + i] * p->n;
        for (size_t j = j0; j < j1; j++) sum[j] += root * row[j];
    }
}

/* ---- narrow ------------------------------------------------------------------------------- */

static sepal_status add_block(sepal_ctx *ctx, const struct block *block, double *sum,
                              void *payload) {
    struct summing *all = payload;
    const struct squares *p = all->p;
    size_t cols = p->x->cols;
    double *rows = mem_alloc(ctx, block->rows * cols, sizeof *rows);
    if (!rows) return SEPAL_EMEMORY;
    squares_rows(p, block, 0, block->rows, rows, cols);
    ctx->blas->syrk_t(p->n, block->rows, rows, cols, 1, sum, p->n);
    add_classes(p, rows, block->first_row, block->rows, 0, p->n, sum + p->n * p->n);
    mem_free(rows);
    return SEPAL_OK;
}

/* ---- wide --------------------------------------------------------------------------------- */

static sepal_status fill_block(sepal_ctx *ctx, size_t task, void *payload) {
    const struct summing *all = payload;
    const struct matrix *x = all->p->x;
    const struct block *block = &x->blocks[all->first_block + task];
    (void)ctx;
    squares_rows(all->p, block, 0, block->rows, all->rows + task * x->block_rows * x->cols,
                 x->cols);
    return SEPAL_OK;
}

static size_t group_rows(const struct summing *all) {
    const struct block *last = &all->p->x->blocks[all->first_block + all->blocks - 1];
    return last->first_row + last->rows - all->p->x->blocks[all->first_block].first_row;
}

/* Tasks are the tiles on and above the diagonal, row by row, then the class sums of each stripe. */
static sepal_status add_tile(sepal_ctx *ctx, size_t task, void *payload) {
    const struct summing *all = payload;
    const struct squares *p = all->p;
    size_t rows = group_rows(all), cols = p->x->cols, across = (p->n + TILE - 1) / TILE, i = 0;
    if (task >= all->tiles) {
        size_t from = (task - all->tiles) * TILE, to = from + TILE < p->n ? from + TILE : p->n;
        add_classes(p, all->rows, p->x->blocks[all->first_block].first_row, rows, from, to,
                    all->sums);
        return SEPAL_OK;
    }
    for (; task >= across - i; i++) task -= across - i;
    size_t i0 = i * TILE, j0 = (i + task) * TILE;
    size_t height = i0 + TILE < p->n ? TILE : p->n - i0,
           width = j0 + TILE < p->n ? TILE : p->n - j0;
    double *tile = all->gram + i0 * p->n + j0;
    if (i0 == j0)
        ctx->blas->syrk_t(height, rows, all->rows + i0, cols, 1, tile, p->n);
    else
        ctx->blas->gemm_tn(height, width, rows, all->rows + i0, cols, all->rows + j0, cols, 1, tile,
                           p->n);
    return SEPAL_OK;
}

static sepal_status add_groups(struct summing *all) {
    const struct matrix *x = all->p->x;
    size_t across = (all->p->n + TILE - 1) / TILE, cells = x->block_rows * x->cols;
    size_t group = cells < GROUP_CELLS ? GROUP_CELLS / cells : 1;
    if (group > x->n_blocks) group = x->n_blocks;
    all->tiles = across * (across + 1) / 2;
    all->rows = mem_alloc(all->p->ctx, group, cells * sizeof *all->rows);
    sepal_status status = all->rows ? SEPAL_OK : SEPAL_EMEMORY;
    for (size_t b = 0; b < x->n_blocks && status == SEPAL_OK; b += group) {
        all->first_block = b;
        all->blocks = b + group < x->n_blocks ? group : x->n_blocks - b;
        if (squares_stops(all->p, "adding up the Gram matrix")) break;
        status = parallel_for(all->p->ctx, all->blocks, fill_block, all);
        if (status == SEPAL_OK)
            status = parallel_for(all->p->ctx, all->tiles + across, add_tile, all);
    }
    mem_free(all->rows);
    return status;
}

/* rhs_jr = sum over the classes of their sums of column j times their target of output r */
static void make_rhs(double *rhs, const struct squares *p, const double *sums) {
    for (size_t j = 0; j < p->n; j++) {
        for (size_t r = 0; r < p->outputs; r++) {
            double sum = 0;
            for (size_t k = 0; k < p->classes; k++)
                sum += sums[k * p->n + j] * p->target[k * p->outputs + r];
            rhs[j * p->outputs + r] = sum;
        }
    }
}

sepal_status squares_gram(double *gram, double *rhs, struct squares *p) {
    size_t n = p->n, width = n * (n + p->classes);
    struct summing all = {.p = p, .gram = gram, .sums = gram + n * n};
    if (n > NARROW) {
        memset(gram, 0, width * sizeof *gram);
        TRY(add_groups(&all));
    } else {
        TRY(matrix_sum(gram, p->ctx, p->x, width, add_block, &all));
    }
    make_rhs(rhs, p, all.sums);
    return SEPAL_OK;
}
