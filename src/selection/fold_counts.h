/* How the models of all folds decide the rows that they were fitted to, in one pass over the rows. */
#ifndef SEPAL_SELECTION_FOLD_COUNTS_H
#define SEPAL_SELECTION_FOLD_COUNTS_H

#include "data/data.h"
#include "linear/linear.h"

/* Whether there are few enough counts for that many folds. */
bool fold_counts_pay(const sepal_data *data, size_t folds);
/* Whether the decisions of such models are the largest of scores that are linear or quadratic in few columns. */
bool fold_counts_serve(const struct linear *linear, size_t folds);
/* out: folds x classes x classes, how many rows (their weight) of each class (first) that are not in the fold its
   model decides as which class. fold[i]: of row i; `folds`: it is in none. model[f] NULL: none, and no counts. The
   rows are dense. The decisions are those of linear_predict. `scores`, unless NULL: rows x R, those of each row by
   the model of its own fold, to the bits of linear_scores. */
sepal_status fold_counts(double *out, double *scores, sepal_ctx *ctx, const sepal_data *data,
                         const uint32_t *fold, const struct linear *const *model, size_t folds);

#endif
