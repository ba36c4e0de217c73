/* Equal rows of different classes: the shortest proof that nothing separates them. Rows are sorted by
   a hash of their entries, and those with the same hash are compared. */
#include "core/alloc.h"
#include "core/parallel.h"
#include "separability/separable.h"

#include <stdlib.h>
#include <string.h>

struct hashed_row {
    uint64_t hash;
    size_t row;
};

struct hashing {
    const struct question *q;
    struct hashed_row *all;
};

static uint64_t mix(uint64_t hash, uint64_t word) {
    hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 29;
}

static sepal_status hash_block(sepal_ctx *ctx, size_t b, void *payload) {
    const struct hashing *h = payload;
    const struct block *block = &h->q->x->blocks[b];
    size_t cols = h->q->x->cols;
    (void)ctx;
    for (size_t i = 0; i < block->rows; i++) {
        if (h->q->side && !h->q->side[block->first_row + i]) continue;
        uint64_t hash = 1, bits;
        double x;
        for (size_t at = 0, j; row_next(block, i, cols, &at, &j, &x);) {
            if (x == 0) continue;
            memcpy(&bits, &x, sizeof bits);
            hash = mix(mix(hash, j), bits);
        }
        h->all[block->first_row + i] = (struct hashed_row){hash, block->first_row + i};
    }
    return SEPAL_OK;
}

static int duplicate_rows_by_hash(const void *a, const void *b) {
    const struct hashed_row *x = a, *y = b;
    if (x->hash != y->hash) return x->hash < y->hash ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

/* The next entry that is not 0. */
static bool next_entry(const struct block *block, size_t i, size_t cols, size_t *at, size_t *j,
                       double *x) {
    while (row_next(block, i, cols, at, j, x))
        if (*x != 0) return true;
    return false;
}

static bool rows_equal(const struct matrix *m, size_t a, size_t b) {
    size_t i, j, at = 0, to = 0, c = 0, d = 0;
    const struct block *one = matrix_block_of(m, a, &i), *two = matrix_block_of(m, b, &j);
    double x = 0, y = 0;
    for (;;) {
        bool more = next_entry(one, i, m->cols, &at, &c, &x);
        if (more != next_entry(two, j, m->cols, &to, &d, &y)) return false;
        if (!more) return true;
        if (c != d || x != y) return false;
    }
}

static bool opposed(const struct question *q, size_t a, size_t b) {
    return q->side ? q->side[a] * q->side[b] < 0 : q->label[a] != q->label[b];
}

sepal_status duplicates_find(bool *found, size_t pair[2], sepal_ctx *ctx,
                             const struct question *q) {
    struct hashing h = {q, mem_alloc(ctx, q->x->rows, sizeof *h.all)};
    *found = false;
    if (!h.all) return SEPAL_EMEMORY;
    sepal_status status = parallel_for(ctx, q->x->n_blocks, hash_block, &h);
    size_t n = 0;
    for (size_t i = 0; i < q->x->rows; i++)
        if (!q->side || q->side[i]) h.all[n++] = h.all[i];
    if (status == SEPAL_OK) qsort(h.all, n, sizeof *h.all, duplicate_rows_by_hash);
    for (size_t i = 0; i + 1 < n && status == SEPAL_OK && !*found; i++) {
        /* of many equal rows neighbours are enough: if all are equal, two neighbours are opposed */
        if (h.all[i].hash != h.all[i + 1].hash) continue;
        pair[0] = h.all[i].row;
        pair[1] = h.all[i + 1].row;
        *found = opposed(q, pair[0], pair[1]) && rows_equal(q->x, pair[0], pair[1]);
    }
    mem_free(h.all);
    return status;
}
