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
/* Zeros are left out. */
sepal_status entries_push(struct entries *entries, sepal_ctx *ctx, size_t column, double value);
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
