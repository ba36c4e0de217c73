/* k-means: seeds by k-means++ (Arthur, Vassilvitskii, SODA 2007), each a row drawn by its weight times
   its squared distance to the seeds before it; then Lloyd's steps (1982) until the mean squared
   distance falls by less than a part in 1000, 30 at most. Distances and means are taken from
   differences: expanded squares would cancel where the numbers are large. All sums run over blocks
   in a fixed order, so seed and rows alone decide. A centre that loses all its rows stays where it
   is. */
#include "maps/kmeans.h"

#include "core/alloc.h"
#include "core/arena.h"
#include "core/parallel.h"
#include "core/rng.h"

#include <math.h>

static double kmeans_weight_of(const struct kmeans *kmeans, size_t row) {
    return kmeans->rows->weight ? kmeans->rows->weight[row] : 1;
}

static sepal_status refuse_large(const struct kmeans *kmeans) {
    return fail(kmeans->rows->ctx, SEPAL_EDATA,
                "the rows are too far apart for their distances to be squared; put standardize "
                "before this map");
}

/* ---- seeds -------------------------------------------------------------------------------- */

struct seeding {
    const struct kmeans *kmeans;
    const double *newest; /* of the seeds; NULL: there is none yet */
    double *square;       /* of each row: to the nearest seed; before the first: 1 */
    double *potential;    /* of each block: sum of weight times square */
};

static sepal_status look_block(sepal_ctx *ctx, size_t b, void *payload) {
    const struct seeding *all = payload;
    const struct matrix *x = all->kmeans->rows->x;
    const struct block *block = &x->blocks[b];
    double sum = 0, *row = mem_alloc(ctx, x->cols, sizeof *row);
    if (!row) return SEPAL_EMEMORY;
    for (size_t i = 0; i < block->rows; i++) {
        double *square = &all->square[block->first_row + i];
        if (all->newest) {
            block_dense(block, i, 1, x->cols, NULL, NULL, row, x->cols);
            double now = ctx->kernels->distance_f64(row, all->newest, x->cols);
            if (now < *square) *square = now;
        }
        sum += kmeans_weight_of(all->kmeans, block->first_row + i) * *square;
    }
    all->potential[b] = sum;
    mem_free(row);
    return SEPAL_OK;
}

/* The row where the sum of weight times square passes `target`; of those with a potential only. */
static size_t kmeans_find_row(const struct seeding *all, double target) {
    const struct matrix *x = all->kmeans->rows->x;
    size_t b = 0, chosen = 0, last = x->n_blocks - 1;
    while (last > 0 && all->potential[last] == 0) last--;
    for (; b < last && target >= all->potential[b]; b++) target -= all->potential[b];
    const struct block *block = &x->blocks[b];
    for (size_t i = 0; i < block->rows; i++) {
        size_t row = block->first_row + i;
        double potential = kmeans_weight_of(all->kmeans, row) * all->square[row];
        if (potential == 0) continue;
        chosen = row;
        if (target < potential) break;
        target -= potential;
    }
    return chosen;
}

static sepal_status draw_seeds(const struct kmeans *kmeans, size_t *found) {
    enum { STREAM = 0x6b6d6561 };
    const struct map_rows *rows = kmeans->rows;
    const struct matrix *x = rows->x;
    struct rng rng = rng_make(rows->ctx->seed, STREAM);
    struct seeding all = {.kmeans = kmeans};
    all.square = arena_alloc(rows->ctx, rows->arena, x->rows, sizeof *all.square);
    all.potential = arena_alloc(rows->ctx, rows->arena, x->n_blocks, sizeof *all.potential);
    if (!all.square || !all.potential) return SEPAL_EMEMORY;
    for (size_t i = 0; i < x->rows; i++) all.square[i] = 1;
    for (*found = 0; *found < kmeans->k; ++*found) {
        double total = 0, *seed = kmeans->centre + *found * kmeans->stride;
        TRY(parallel_for(rows->ctx, x->n_blocks, look_block, &all));
        TRY(check_cancelled(rows->ctx, "looking for centres"));
        for (size_t b = 0; b < x->n_blocks; b++) total += all.potential[b];
        if (!isfinite(total)) return refuse_large(kmeans);
        if (total == 0) break;
        size_t row = kmeans_find_row(&all, rng_unit(&rng) * total), local;
        const struct block *block = matrix_block_of(x, row, &local);
        block_dense(block, local, 1, x->cols, NULL, NULL, seed, x->cols);
        for (size_t i = 0; *found == 0 && i < x->rows; i++) all.square[i] = INFINITY;
        all.newest = seed;
    }
    return SEPAL_OK;
}

/* ---- steps -------------------------------------------------------------------------------- */

/* Sums for each centre of weight times (row - centre), and of the weights; then one of weight times
   squared distance. */
static size_t kmeans_sums_width(const struct kmeans *kmeans) {
    return kmeans->k * (kmeans->rows->x->cols + 1) + 1;
}

static sepal_status kmeans_add_block(sepal_ctx *ctx, const struct block *block, double *sum,
                                     void *payload) {
    const struct kmeans *kmeans = payload;
    size_t cols = kmeans->rows->x->cols;
    double *row = mem_alloc(ctx, cols, sizeof *row);
    if (!row) return SEPAL_EMEMORY;
    for (size_t i = 0; i < block->rows; i++) {
        double weight = kmeans_weight_of(kmeans, block->first_row + i), least = INFINITY;
        size_t nearest = 0;
        block_dense(block, i, 1, cols, NULL, NULL, row, cols);
        for (size_t k = 0; k < kmeans->k; k++) {
            double square =
                ctx->kernels->distance_f64(row, kmeans->centre + k * kmeans->stride, cols);
            if (square < least) least = square, nearest = k;
        }
        const double *centre = kmeans->centre + nearest * kmeans->stride;
        double *mine = sum + nearest * (cols + 1);
        for (size_t j = 0; j < cols; j++) mine[j] += weight * (row[j] - centre[j]);
        mine[cols] += weight;
        sum[kmeans_sums_width(kmeans) - 1] += weight * least;
    }
    mem_free(row);
    return SEPAL_OK;
}

static sepal_status assign(double *sum, struct kmeans *kmeans) {
    const struct map_rows *rows = kmeans->rows;
    TRY(check_cancelled(rows->ctx, "moving centres"));
    TRY(matrix_sum(sum, rows->ctx, rows->x, kmeans_sums_width(kmeans), kmeans_add_block, kmeans));
    return isfinite(sum[kmeans_sums_width(kmeans) - 1]) ? SEPAL_OK : refuse_large(kmeans);
}

static void kmeans_move(struct kmeans *kmeans, const double *sum) {
    size_t cols = kmeans->rows->x->cols;
    for (size_t k = 0; k < kmeans->k; k++, sum += cols + 1)
        for (size_t j = 0; sum[cols] > 0 && j < cols; j++)
            kmeans->centre[k * kmeans->stride + j] += sum[j] / sum[cols];
}

static double *make_sums(const struct kmeans *kmeans) {
    return mem_alloc(kmeans->rows->ctx, kmeans_sums_width(kmeans), sizeof(double));
}

static sepal_status kmeans_take_steps(struct kmeans *kmeans, double *sum) {
    enum { MOST = 30 };
    const double enough = 1e-3;
    double before = 0;
    for (size_t step = 0; step < MOST; step++) {
        TRY(assign(sum, kmeans));
        double now = sum[kmeans_sums_width(kmeans) - 1];
        if (step > 0 && before - now <= enough * before) break;
        kmeans_move(kmeans, sum);
        before = now;
    }
    return SEPAL_OK;
}

sepal_status kmeans_find(struct kmeans *kmeans, size_t *found) {
    TRY(draw_seeds(kmeans, found));
    if (*found < kmeans->k) return SEPAL_OK;
    double *sum = make_sums(kmeans);
    sepal_status status = sum ? kmeans_take_steps(kmeans, sum) : SEPAL_EMEMORY;
    mem_free(sum);
    return status;
}

sepal_status kmeans_mean_square(double *out, struct kmeans *kmeans) {
    double *sum = make_sums(kmeans);
    sepal_status status = sum ? assign(sum, kmeans) : SEPAL_EMEMORY;
    if (status == SEPAL_OK) *out = sum[kmeans_sums_width(kmeans) - 1] / kmeans->rows->total;
    mem_free(sum);
    return status;
}
