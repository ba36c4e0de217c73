/* A model to start a fit from. */
#ifndef SEPAL_MODEL_WARM_H
#define SEPAL_MODEL_WARM_H

#include "model/pipeline.h"

/* SEPAL_EMODEL unless it has the columns and classes of the schema, the maps and the rule
   of the pipeline, and linear scores. */
sepal_status warm_check(sepal_ctx *ctx, const sepal_model *model, const struct pipeline *pipeline,
                        const struct schema *schema);
/* Load it first. */
sepal_status warm_load(sepal_model **out, sepal_ctx *ctx, const char *path,
                       const struct pipeline *pipeline, const struct schema *schema);
/* Its scores as functions of phi of other rows, to which the chain was fitted and which `x` holds. The
   arrays are those of the model, or in the arena. What the column-by-column maps at the end have
   learnt may differ: the same functions are written in the new units. SEPAL_EMODEL if another map
   has learnt other numbers, or if weights or scores are beyond all numbers. */
sepal_status warm_fold(struct linear *out, sepal_ctx *ctx, struct arena *arena,
                       const sepal_model *model, const struct map_chain *chain,
                       const struct matrix *x);

#endif
