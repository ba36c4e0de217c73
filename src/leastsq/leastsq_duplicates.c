/* Columns that are equal, row by row. Least squares of least norm gives them equal weights; a QR of
   them all finds that out to rounding of the largest weights only, which is nothing to go by where
   columns of 1e6 stand beside columns of 1e-6. */
#include "leastsq/leastsq.h"

#include "core/rng.h"

#include <stdlib.h>
#include <string.h>

static uint64_t bits_of(double x) {
    uint64_t bits;
    x += 0.0; /* -0 is 0 */
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

struct hashed_column {
    uint64_t hash;
    size_t at; /* place in active */
};

static int duplicate_columns_by_hash(const void *a, const void *b) {
    const struct hashed_column *x = a, *y = b;
    if (x->hash != y->hash) return x->hash < y->hash ? -1 : 1;
    return x->at < y->at ? -1 : x->at > y->at;
}

/* One number for each column that depends on all of its entries. */
static void hash_columns(uint64_t *hash, const struct matrix *x) {
    struct block_iterator blocks = {.matrix = x};
    memset(hash, 0, x->cols * sizeof *hash);
    for (const struct block *block; (block = block_next(&blocks));)
        for (size_t i = 0; i < block->rows; i++) {
            double value;
            for (size_t at = 0, j; row_next(block, i, x->cols, &at, &j, &value);)
                if (value != 0) hash[j] += rng_at(1, block->first_row + i, bits_of(value));
        }
}

/* What has the same number by chance is told apart. */
static void duplicate_columns_compare(size_t *first, const struct leastsq *p, double *row) {
    struct block_iterator blocks = {.matrix = p->x};
    for (const struct block *block; (block = block_next(&blocks));)
        for (size_t i = 0; i < block->rows; i++) {
            block_dense(block, i, 1, p->x->cols, NULL, NULL, row, p->x->cols);
            for (size_t a = 0; a < p->n; a++)
                if (row[p->active[a]] != row[p->active[first[a]]]) first[a] = a;
        }
}

sepal_status leastsq_duplicates(size_t *first, const struct leastsq *p) {
    size_t cols = p->x->cols;
    uint64_t *hash = arena_alloc(p->ctx, p->arena, cols, sizeof *hash);
    struct hashed_column *order = arena_alloc(p->ctx, p->arena, p->n, sizeof *order);
    double *row = arena_alloc(p->ctx, p->arena, cols, sizeof *row);
    if (!hash || !order || !row) return SEPAL_EMEMORY;
    hash_columns(hash, p->x);
    for (size_t a = 0; a < p->n; a++) order[a] = (struct hashed_column){hash[p->active[a]], a};
    qsort(order, p->n, sizeof *order, duplicate_columns_by_hash);
    bool any = false;
    for (size_t k = 0; k < p->n; k++) {
        bool again = k > 0 && order[k].hash == order[k - 1].hash;
        first[order[k].at] = again ? first[order[k - 1].at] : order[k].at;
        any = any || again;
    }
    if (any) duplicate_columns_compare(first, p, row);
    return SEPAL_OK;
}
