/* A'A of a matrix with many rows. Narrow ones are summed range by range in the fixed tree of
   matrix_sum. Wider ones would need too many partial matrices: there a group of rows is brought
   into one dense array, and each tile of the result adds up the groups in their order. Neither way
   do threads change the bits. */
#include "dense/tall.h"

#include "core/alloc.h"
#include "core/parallel.h"
#include "data/matrix.h"
#include "kernels/blas.h"
#include "kernels/f32_panels.h"

#include <string.h>

/* Up to NARROW columns a range's own matrix is small beside its rows. TILE: large enough for full
   speed of matrix products, small enough for 10 tasks at 1,000 columns. GROUP_CELLS: 64 MiB.
   WORTH_SHARING: about 100 us. FILL_ROWS: what is filled in at a time, little enough for a
   second-level cache. */
enum { NARROW = 128, TILE = 256, GROUP_CELLS = 1 << 23, FILL_ROWS = 256, WORTH_SHARING = 1 << 21 };

struct tall_summing {
    const struct tall *tall;
    double *gram, *rows; /* of the group */
    float *singles;      /* the same where products are in single precision */
    size_t first, n;     /* its rows */
    size_t across, tile; /* tiles side by side, and their width */
};

/* Room for some rows as doubles, then as singles, and for a square of singles. */
static double *panel_room(sepal_ctx *ctx, const struct tall *tall, size_t side) {
    size_t cells = FILL_ROWS * tall->stride, doubles = cells;
    if (tall->single) doubles += (cells + side * side + 1) / 2;
    return mem_alloc(ctx, doubles, sizeof(double));
}

static sepal_status tall_gram_add_range(sepal_ctx *ctx, const struct block *range, double *sum,
                                        void *payload) {
    const struct tall *tall = ((struct tall_summing *)payload)->tall;
    size_t cols = tall->cols, stride = tall->stride;
    double *rows = panel_room(ctx, tall, cols);
    if (!rows) return SEPAL_EMEMORY;
    float *singles = (float *)(rows + FILL_ROWS * stride), *square = singles + FILL_ROWS * stride;
    for (size_t i = 0, n; i < range->rows; i += n) {
        n = range->rows - i < FILL_ROWS ? range->rows - i : FILL_ROWS;
        tall->fill(tall->payload, range->first_row + i, n, rows, stride);
        if (tall->single) {
            f32_panels_round(singles, rows, n * stride);
            ctx->blas->syrk_t_single(cols, n, singles, stride, square, cols);
            f32_panels_add_triangle(sum, square, cols);
        } else {
            ctx->blas->syrk_t(cols, n, rows, stride, 1, sum, cols);
        }
    }
    mem_free(rows);
    return SEPAL_OK;
}

static sepal_status add_ranges(struct tall_summing *all, sepal_ctx *ctx) {
    const struct tall *tall = all->tall;
    struct matrix ranges; /* blocks that hold no numbers, only say which rows are theirs */
    TRY(matrix_init(&ranges, ctx, tall->rows, tall->cols, false));
    bool pays = (double)tall->rows * (double)(tall->cols * tall->cols) > WORTH_SHARING;
    sepal_status status = matrix_sum_if(pays, all->gram, ctx, &ranges, tall->cols * tall->cols,
                                        tall_gram_add_range, all);
    matrix_clear(&ranges);
    return status;
}

static sepal_status tall_gram_fill_rows(sepal_ctx *ctx, size_t task, void *payload) {
    const struct tall_summing *all = payload;
    const struct tall *tall = all->tall;
    size_t from = task * FILL_ROWS, n = all->n - from < FILL_ROWS ? all->n - from : FILL_ROWS;
    double *rows = all->singles ? panel_room(ctx, tall, 0) : all->rows + from * tall->stride;
    if (!rows) return SEPAL_EMEMORY;
    tall->fill(tall->payload, all->first + from, n, rows, tall->stride);
    if (!all->singles) return SEPAL_OK;
    f32_panels_round(all->singles + from * tall->stride, rows, n * tall->stride);
    mem_free(rows);
    return SEPAL_OK;
}

/* A tile by singles, added to the sum in doubles. */
static sepal_status add_single_tile(sepal_ctx *ctx, const struct tall_summing *all, size_t i0,
                                    size_t j0, size_t height, size_t width) {
    size_t cols = all->tall->cols, stride = all->tall->stride;
    const float *left = all->singles + i0, *right = all->singles + j0;
    float *tile = mem_alloc(ctx, height, width * sizeof *tile);
    if (!tile) return SEPAL_EMEMORY;
    if (i0 == j0)
        ctx->blas->syrk_t_single(height, all->n, left, stride, tile, width);
    else
        ctx->blas->gemm_tn_single(height, width, all->n, left, stride, right, stride, tile, width);
    for (size_t i = 0; i < height; i++)
        for (size_t j = i0 == j0 ? i : 0; j < width; j++)
            all->gram[(i0 + i) * cols + j0 + j] += (double)tile[i * width + j];
    mem_free(tile);
    return SEPAL_OK;
}

/* Tasks are the tiles on and above the diagonal, row by row. */
static sepal_status tall_gram_add_tile(sepal_ctx *ctx, size_t task, void *payload) {
    const struct tall_summing *all = payload;
    size_t cols = all->tall->cols, stride = all->tall->stride, tile = all->tile, i = 0;
    for (; task >= all->across - i; i++) task -= all->across - i;
    size_t i0 = i * tile, j0 = (i + task) * tile;
    size_t height = i0 + tile < cols ? tile : cols - i0,
           width = j0 + tile < cols ? tile : cols - j0;
    double *out = all->gram + i0 * cols + j0;
    if (all->singles) return add_single_tile(ctx, all, i0, j0, height, width);
    if (i0 == j0)
        ctx->blas->syrk_t(height, all->n, all->rows + i0, stride, 1, out, cols);
    else
        ctx->blas->gemm_tn(height, width, all->n, all->rows + i0, stride, all->rows + j0, stride, 1,
                           out, cols);
    return SEPAL_OK;
}

static sepal_status add_groups(struct tall_summing *all, sepal_ctx *ctx) {
    const struct tall *tall = all->tall;
    size_t group = GROUP_CELLS / tall->stride > FILL_ROWS ? GROUP_CELLS / tall->stride : FILL_ROWS;
    if (group > tall->rows) group = tall->rows;
    all->across = (tall->cols + TILE - 1) / TILE;
    all->tile = (tall->cols + all->across - 1) / all->across;
    memset(all->gram, 0, tall->cols * tall->cols * sizeof *all->gram);
    size_t size = tall->single ? sizeof *all->singles : sizeof *all->rows;
    void *rows = mem_alloc(ctx, group, tall->stride * size);
    if (tall->single)
        all->singles = rows;
    else
        all->rows = rows;
    sepal_status status = rows ? SEPAL_OK : SEPAL_EMEMORY;
    for (all->first = 0; all->first < tall->rows && status == SEPAL_OK; all->first += group) {
        all->n = tall->rows - all->first < group ? tall->rows - all->first : group;
        status = check_cancelled(ctx, "adding up products of columns");
        if (status == SEPAL_OK)
            status =
                parallel_for(ctx, (all->n + FILL_ROWS - 1) / FILL_ROWS, tall_gram_fill_rows, all);
        if (status == SEPAL_OK)
            status =
                parallel_for(ctx, all->across * (all->across + 1) / 2, tall_gram_add_tile, all);
    }
    mem_free(rows);
    return status;
}

sepal_status tall_gram(double *gram, sepal_ctx *ctx, const struct tall *tall) {
    struct tall_summing all = {.tall = tall, .gram = gram};
    return tall->cols > NARROW ? add_groups(&all, ctx) : add_ranges(&all, ctx);
}
