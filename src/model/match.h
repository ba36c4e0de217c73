/* Data that was not read for a model, before it meets the model: are its columns the model's, and
   which of its labels are classes of the model? */
#ifndef SEPAL_MODEL_MATCH_H
#define SEPAL_MODEL_MATCH_H

#include "data/prepare.h"
#include "model/model.h"

/* Rows [first, first + n) as the model's schema prepares them; SEPAL_EDATA unless there are as many
   columns as the model has, with the same names where both have names of their own: those of an array
   are taken by position. To be cleared in any case. */
sepal_status match_rows(struct prepared *out, sepal_ctx *ctx, const sepal_model *model,
                        const sepal_data *data, size_t first, size_t n);
/* The data as if it had been read for the model: label numbers are those of the model's classes. What
   `out` has beyond `data` lives in the arena; it is not to be freed. */
sepal_status match_labels(sepal_data *out, sepal_ctx *ctx, struct arena *arena,
                          const sepal_model *model, const sepal_data *data);

#endif
