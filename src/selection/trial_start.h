/* Where a fit begins that differs from those before it in the strength of the penalty. */
#ifndef SEPAL_SELECTION_TRIAL_START_H
#define SEPAL_SELECTION_TRIAL_START_H

#include "model/pipeline.h"

/* How far beyond the last of three such fits the next one is, by the logarithm of the strength, in steps from the one
   before it; at most 1. 0: weights are not to be followed beyond it. */
double trial_start_beyond(const struct pipeline *older, const struct pipeline *before,
                          const struct pipeline *next);
/* The weights of `before` and as many steps more, as a model to start from. It owns what is in the arena. */
sepal_status trial_start_make(sepal_model *out, sepal_ctx *ctx, struct arena *arena,
                              const sepal_model *older, const sepal_model *before, double beyond);

#endif
