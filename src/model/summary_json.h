/* The facts of a summary and of a bootstrap in the metadata of a model file; their numbers are tensors. */
#ifndef SEPAL_MODEL_SUMMARY_JSON_H
#define SEPAL_MODEL_SUMMARY_JSON_H

#include "inference/terms.h"
#include "model/pipeline.h"

/* Nothing of a NULL. */
sepal_status summary_print(sepal_ctx *ctx, struct text *out, const struct summary *summary);
sepal_status bootstrap_print(sepal_ctx *ctx, struct text *out, const struct bootstrap *bootstrap);

struct summary_reading {
    sepal_ctx *ctx;
    struct arena *arena; /* of the JSON */
    const sepal_model *model;
    const struct pipeline *pipeline;
    const struct terms *terms;
};
/* SEPAL_EMODEL unless the text is what printing writes and this model can have it. The arrays have room
   for the numbers, which summary_check then looks at. */
sepal_status summary_read(struct summary **out, const struct summary_reading *from,
                          const char *json);
sepal_status bootstrap_read(struct bootstrap **out, const struct summary_reading *from,
                            const char *json);
sepal_status summary_check(sepal_ctx *ctx, const struct linear *linear);

/* The terms of the model's table. `pipeline`: of its spec. */
sepal_status model_terms(struct terms *out, sepal_ctx *ctx, struct arena *arena,
                         const sepal_model *model, const struct pipeline *pipeline);
/* Whether score functions are told by their differences to that of the first class: of a joint model of more
   than two classes whose probabilities these alone make. */
bool pipeline_contrasts(const struct pipeline *pipeline, const struct linear *linear);
/* What its learner maximises. */
enum likelihood pipeline_likelihood(const struct pipeline *pipeline, bool *intercept);

#endif
