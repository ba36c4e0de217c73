/* Fits to all rows but those of a fold without reading the rows again: where what a learner has to know of
   them is sums, these are taken of each fold in one pass, and each fit adds up those of the others. */
#ifndef SEPAL_SELECTION_FOLD_SUMS_H
#define SEPAL_SELECTION_FOLD_SUMS_H

#include "model/pipeline.h"
#include "selection/splits.h"

struct fold_sums;

/* What the fits of a spec have to know; PARTS_NOTHING: they need the rows. */
enum parts_know fold_sums_know(const struct pipeline *pipeline, const struct fit_options *options,
                               const sepal_data *data);
/* Which fold each row is in, in that repeat, splits->folds: in none; false: a row is in two, or a split has other
   rows to learn from. */
bool fold_sums_folds(uint32_t *part, const struct splits *splits, size_t repeat, size_t rows);
/* *out NULL: the splits are no folds that each row is in once at most, there are too many of them, or too
   many sums. */
sepal_status fold_sums_make(struct fold_sums **out, sepal_ctx *ctx, const sepal_data *data,
                            const struct splits *splits, enum parts_know know);
/* The fit to all rows but those of split s, of whose other rows `train` has labels and weights. *out NULL: the
   rows are needed for it. */
sepal_status fold_sums_fit(sepal_model **out, sepal_ctx *ctx, const struct fold_sums *sums,
                           const struct split *split, const char *spec, const sepal_data *train,
                           const char *fit_options);
void fold_sums_free(struct fold_sums *sums);

#endif
