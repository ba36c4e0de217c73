/* The entries of the rows of one sparse block, collected before it is known how many there are and
   in what form their values can be kept. */
#ifndef SEPAL_DATA_ENTRIES_H
#define SEPAL_DATA_ENTRIES_H

#include "data/matrix.h"

struct entries {
    size_t *start; /* of each row, to be set by whoever pushes */
    uint32_t *index;
    double *value;
    size_t n, index_room, value_room;
};

sepal_status entries_init(struct entries *entries, sepal_ctx *ctx, size_t rows);
/* Room for n of them. */
sepal_status entries_reserve(struct entries *entries, sepal_ctx *ctx, size_t n);
/* One of column j; zeros are left out. */
static inline sepal_status entries_push(struct entries *entries, sepal_ctx *c, size_t j,
                                        double value) {
    if (value == 0) return SEPAL_OK;
    /* never: room in one of them alone, they grow alike */
    if (entries->n == entries->index_room || entries->n == entries->value_room)
        TRY(entries_reserve(entries, c, entries->n + 1));
    entries->index[entries->n] = (uint32_t)j;
    entries->value[entries->n++] = value;
    return SEPAL_OK;
}

/* Fill the block, its values in the least that keeps them exactly. */
sepal_status entries_to_block(const struct entries *entries, sepal_ctx *ctx, struct block *block);
void entries_clear(struct entries *entries);

/* How the rows of a block are made: sparse ones by way of entries, dense ones by way of one row of
   `cols` numbers. */
struct block_builder {
    sepal_status (*sparse)(struct entries *entries, sepal_ctx *ctx, struct block *block,
                           void *payload);
    sepal_status (*dense)(double *row, sepal_ctx *ctx, struct block *block, void *payload);
};
sepal_status block_build(struct block *block, sepal_ctx *ctx, size_t cols,
                         const struct block_builder *build, void *payload);

/* Sort the n entries of one row by their index. */
sepal_status entries_sort(sepal_ctx *ctx, uint32_t *index, double *value, size_t n);

#endif
