/* A'A of a matrix with many rows. Narrow ones are summed range by range in the fixed tree of
   matrix_sum. Wider ones would need too many partial matrices: there a group of rows is brought
   into one dense array, and each tile of the result adds up the groups in their order. Neither way
   do threads change the bits. */
#include "solvers/tall.h"

#include "core/alloc.h"
#include "core/parallel.h"
#include "data/matrix.h"
#include "kernels/blas.h"

#include <string.h>

/* Up to NARROW columns a range's own matrix is small beside its rows. TILE: large enough for full
   speed of matrix products, small enough for 10 tasks at 1,000 columns. GROUP_CELLS: 64 MiB.
   WORTH_SHARING: about 100 us. FILL_ROWS: what is filled in at a time, little enough for a
   second-level cache. */
enum { NARROW = 128, TILE = 256, GROUP_CELLS = 1 << 23, FILL_ROWS = 256, WORTH_SHARING = 1 << 21 };

struct summing {
    const struct tall *tall;
    double *gram, *rows; /* of the group */
    size_t first, n;     /* its rows */
    size_t across, tile; /* tiles side by side, and their width */
};

static sepal_status add_range(sepal_ctx *ctx, const struct block *range, double *sum,
                              void *payload) {
    const struct tall *tall = ((struct summing *)payload)->tall;
    double *rows = mem_alloc(ctx, FILL_ROWS, tall->stride * sizeof *rows);
    if (!rows) return SEPAL_EMEMORY;
    for (size_t i = 0, n; i < range->rows; i += n) {
        n = range->rows - i < FILL_ROWS ? range->rows - i : FILL_ROWS;
        tall->fill(tall->payload, range->first_row + i, n, rows, tall->stride);
        ctx->blas->syrk_t(tall->cols, n, rows, tall->stride, 1, sum, tall->cols);
    }
    mem_free(rows);
    return SEPAL_OK;
}

static sepal_status add_ranges(struct summing *all, sepal_ctx *ctx) {
    const struct tall *tall = all->tall;
    struct matrix ranges; /* blocks that hold no numbers, only say which rows are theirs */
    TRY(matrix_init(&ranges, ctx, tall->rows, tall->cols, false));
    bool pays = (double)tall->rows * (double)(tall->cols * tall->cols) > WORTH_SHARING;
    sepal_status status =
        matrix_sum_if(pays, all->gram, ctx, &ranges, tall->cols * tall->cols, add_range, all);
    matrix_clear(&ranges);
    return status;
}

static sepal_status fill_rows(sepal_ctx *ctx, size_t task, void *payload) {
    const struct summing *all = payload;
    size_t from = task * FILL_ROWS, n = all->n - from < FILL_ROWS ? all->n - from : FILL_ROWS;
    (void)ctx;
    all->tall->fill(all->tall->payload, all->first + from, n, all->rows + from * all->tall->stride,
                    all->tall->stride);
    return SEPAL_OK;
}

/* Tasks are the tiles on and above the diagonal, row by row. */
static sepal_status add_tile(sepal_ctx *ctx, size_t task, void *payload) {
    const struct summing *all = payload;
    size_t cols = all->tall->cols, stride = all->tall->stride, tile = all->tile, i = 0;
    for (; task >= all->across - i; i++) task -= all->across - i;
    size_t i0 = i * tile, j0 = (i + task) * tile;
    size_t height = i0 + tile < cols ? tile : cols - i0,
           width = j0 + tile < cols ? tile : cols - j0;
    double *out = all->gram + i0 * cols + j0;
    if (i0 == j0)
        ctx->blas->syrk_t(height, all->n, all->rows + i0, stride, 1, out, cols);
    else
        ctx->blas->gemm_tn(height, width, all->n, all->rows + i0, stride, all->rows + j0, stride, 1,
                           out, cols);
    return SEPAL_OK;
}

static sepal_status add_groups(struct summing *all, sepal_ctx *ctx) {
    const struct tall *tall = all->tall;
    size_t group = GROUP_CELLS / tall->stride > FILL_ROWS ? GROUP_CELLS / tall->stride : FILL_ROWS;
    if (group > tall->rows) group = tall->rows;
    all->across = (tall->cols + TILE - 1) / TILE;
    all->tile = (tall->cols + all->across - 1) / all->across;
    memset(all->gram, 0, tall->cols * tall->cols * sizeof *all->gram);
    all->rows = mem_alloc(ctx, group, tall->stride * sizeof *all->rows);
    sepal_status status = all->rows ? SEPAL_OK : SEPAL_EMEMORY;
    for (all->first = 0; all->first < tall->rows && status == SEPAL_OK; all->first += group) {
        all->n = tall->rows - all->first < group ? tall->rows - all->first : group;
        status = check_cancelled(ctx, "adding up products of columns");
        if (status == SEPAL_OK)
            status = parallel_for(ctx, (all->n + FILL_ROWS - 1) / FILL_ROWS, fill_rows, all);
        if (status == SEPAL_OK)
            status = parallel_for(ctx, all->across * (all->across + 1) / 2, add_tile, all);
    }
    mem_free(all->rows);
    return status;
}

sepal_status tall_gram(double *gram, sepal_ctx *ctx, const struct tall *tall) {
    struct summing all = {.tall = tall, .gram = gram};
    return tall->cols > NARROW ? add_groups(&all, ctx) : add_ranges(&all, ctx);
}
