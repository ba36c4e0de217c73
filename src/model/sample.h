/* New rows, drawn from a model that keeps a density of each class. */
#ifndef SEPAL_MODEL_SAMPLE_H
#define SEPAL_MODEL_SAMPLE_H

#include "core/parameters.h"
#include "data/data.h"
#include "model/model.h"

struct sample_options {
    const char *class; /* NULL: classes are drawn with their priors */
    size_t length;     /* of a row of counts; 0: not given */
};
extern const struct parameter sample_option_table[];

/* Rows 0 .. n-1 of the seed's endless sample, in the units of the training data. */
sepal_status model_sample(sepal_data **out, sepal_ctx *ctx, const sepal_model *model, size_t n,
                          const char *options);

#endif
