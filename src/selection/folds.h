/* The rows in folds, for cross-validation. */
#ifndef SEPAL_SELECTION_FOLDS_H
#define SEPAL_SELECTION_FOLDS_H

#include "data/data.h"

/* fold[i], 0 .. folds-1, of each row: classes are dealt out one after the other, shuffled by the context's
   seed, so that a fold has its share of each class and folds differ by one row at most. Refused where
   a class would have no row left to learn it from. Each repeat, from 0 on, shuffles anew. Rows with label sets
   are dealt out as if they were of one class. */
sepal_status folds_make(uint32_t *fold, sepal_ctx *ctx, const sepal_data *data, size_t folds,
                        size_t repeat);
/* The rows of a fold, or all but these. */
sepal_status folds_select(sepal_data **out, sepal_ctx *ctx, const sepal_data *data,
                          const uint32_t *fold, size_t which, bool inside);

#endif
