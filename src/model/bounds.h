/* Bounds on weights, from the names of columns to the columns that a learner sees. */
#ifndef SEPAL_MODEL_BOUNDS_H
#define SEPAL_MODEL_BOUNDS_H

#include "model/pipeline.h"

/* Names are those of `sepal inspect`: of the columns of phi(x), or where no map makes new columns of those
   of the file, a text column being all that are made of it. Bounds are of weights in the units of these
   columns, with `standardize` and `minmax` folded back. */
struct resolved_bounds {
    const struct box *box; /* of the weights of phi(x); NULL: there are no bounds */
    struct box given;      /* the same in the units of the columns */
};
/* Of a pipeline's learner. `chain`: its maps as they are fitted to rows of that schema; `width`: the columns
   of phi(x). */
sepal_status bounds_resolve(struct resolved_bounds *out, sepal_ctx *ctx, struct arena *arena,
                            const struct pipeline *pipeline, const struct schema *schema,
                            const struct map_chain *chain, size_t width);

#endif
