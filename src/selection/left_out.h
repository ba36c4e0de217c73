/* Leave-one-out without a fit for every row: where the spec has a closed form that a row can be taken from. */
#ifndef SEPAL_SELECTION_LEFT_OUT_H
#define SEPAL_SELECTION_LEFT_OUT_H

#include "model/pipeline.h"

struct left_out;

/* *out NULL: the rows or the spec have none. What the fit to all rows warns of is told. */
sepal_status left_out_make(struct left_out **out, sepal_ctx *ctx, const struct pipeline *pipeline,
                           const struct fit_options *options, const char *spec,
                           const char *fit_options, const sepal_data *data);
const sepal_model *left_out_whole(const struct left_out *left); /* the fit to all rows */
/* The model of all rows but one. It owns what is in the arena only, and is not to be freed. Not *exact: the
   rest is to be fitted. */
sepal_status left_out_model(sepal_model *out, bool *exact, sepal_ctx *ctx, struct arena *arena,
                            const struct left_out *left, size_t row);
void left_out_free(struct left_out *left);

#endif
