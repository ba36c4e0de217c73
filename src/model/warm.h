/* A model to start a fit from. */
#ifndef SEPAL_MODEL_WARM_H
#define SEPAL_MODEL_WARM_H

#include "model/pipeline.h"

/* Load it. SEPAL_EMODEL unless it has the columns and classes of the schema, the maps and the rule
   of the pipeline, and linear scores. What its maps have learnt may differ: a start is only that. */
sepal_status warm_load(sepal_model **out, sepal_ctx *ctx, const char *path,
                       const struct pipeline *pipeline, const struct schema *schema);

#endif
