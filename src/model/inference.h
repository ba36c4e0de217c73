/* The parts of a model that its table of coefficients is made of. */
#ifndef SEPAL_MODEL_INFERENCE_H
#define SEPAL_MODEL_INFERENCE_H

#include "model/pipeline.h"

/* After a fit, of which fit->data are the mapped rows: fit->linear gets its summary, if it can have one. */
sepal_status inference_summarise(struct fit *fit, const struct pipeline *pipeline);

/* bootstrap.c: whether there can be one, and then as many fits to resampled rows as the options ask for. */
sepal_status bootstrap_check(sepal_ctx *ctx, const struct pipeline *pipeline,
                             const struct fit_options *options);
/* `spec` and `options` as they were given, fit->data all rows; the report gets what came of it. */
sepal_status bootstrap_fit(sepal_model *model, struct fit *fit, const struct pipeline *pipeline,
                           const char *spec, const char *options);

#endif
