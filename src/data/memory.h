/* Data sets made from arrays in the caller's memory, which are copied or, where their layout is ours,
   lent. */
#ifndef SEPAL_DATA_MEMORY_H
#define SEPAL_DATA_MEMORY_H

#include "data/data.h"

sepal_status data_from_memory(sepal_data **out, sepal_ctx *ctx, const sepal_input *in);

/* The numbers of cells that are category codes, in the order of the schema: rank[j][code], NULL where column j
   holds numbers. */
struct memory_codes {
    bool coded; /* there are such columns, or cells may be NaN */
    uint32_t **rank;
};
sepal_status memory_codes(struct memory_codes *out, struct schema *schema, sepal_ctx *ctx,
                          struct arena *arena, const sepal_input *in);
/* Row i (from 0) of the cells, in place. */
sepal_status memory_encode(const struct memory_codes *codes, sepal_ctx *ctx, const sepal_input *in,
                           double *row, size_t i);

/* Its parts. The layout has been checked by the first before the others are called. */
sepal_status memory_check_dense(sepal_ctx *ctx, const sepal_input *in);
sepal_status memory_check_sparse(sepal_ctx *ctx, const sepal_input *in);
sepal_status memory_dense(struct matrix *out, sepal_ctx *ctx, const sepal_input *in,
                          const struct memory_codes *codes);
sepal_status memory_sparse(struct matrix *out, sepal_ctx *ctx, const sepal_input *in);
/* Weights first: labels of rows that weigh nothing are not looked at. */
sepal_status memory_weights(sepal_data *data, sepal_ctx *ctx, const sepal_input *in);
sepal_status memory_labels(sepal_data *data, struct schema *schema, sepal_ctx *ctx,
                           const sepal_input *in);
sepal_status memory_sets(sepal_data *data, struct schema *schema, sepal_ctx *ctx,
                         const sepal_input *in);

/* Whether elements of so many bytes can be read there. */
static inline bool memory_is_aligned(const void *at, size_t bytes) {
    return (uintptr_t)at % bytes == 0;
}

#endif
