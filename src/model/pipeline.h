/* A spec bound to the tables, and its fit. */
#ifndef SEPAL_MODEL_PIPELINE_H
#define SEPAL_MODEL_PIPELINE_H

#include "learners/learner.h"
#include "model/model.h"
#include "multiclass/reduction.h"

struct pipeline {
    const struct learner *learner;
    void *config;
    const struct reduction *reduction; /* NULL: not given */
};

sepal_status pipeline_parse(struct pipeline *out, sepal_ctx *ctx, struct arena *arena,
                            const char *spec);
/* Whether the spec and the options can be understood. */
sepal_status pipeline_check(sepal_ctx *ctx, const char *spec, const char *options);
/* SEPAL_EMODEL unless the text is the canonical spec of a model of that learner and number of
   classes. Knobs may be absent: they are younger than the file. */
sepal_status pipeline_check_saved(sepal_ctx *ctx, struct arena *arena, const char *spec,
                                  const char *learner, size_t classes);
/* Fit and fill `report` (an object) with the facts of the fit. */
sepal_status pipeline_fit(sepal_model **out, sepal_ctx *ctx, const char *spec,
                          const sepal_data *data, const char *options, struct tree_maker *make,
                          struct tree *report);

#endif
