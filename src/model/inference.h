/* The parts of a model that its table of coefficients is made of. */
#ifndef SEPAL_MODEL_INFERENCE_H
#define SEPAL_MODEL_INFERENCE_H

#include "model/pipeline.h"

/* After a fit, of which fit->data are the mapped rows: fit->linear gets its summary, if it can have one. */
sepal_status inference_summarise(struct fit *fit, const struct pipeline *pipeline);

/* bootstrap.c: whether there can be one, and then `options->bootstrap` fits to resampled rows. */
sepal_status bootstrap_check(sepal_ctx *ctx, const struct pipeline *pipeline,
                             const struct fit_options *options);
struct bootstrap_run {
    sepal_ctx *ctx;
    const char *spec, *options;
    const sepal_data *data; /* all rows, as they were given */
    size_t resamples;
    double max_seconds; /* NaN: no limit */
    uint64_t start_ns;
    bool warm; /* the model is where each fit starts */
};
sepal_status bootstrap_fit(sepal_model *model, const struct bootstrap_run *run);

#endif
