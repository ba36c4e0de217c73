/* A spec bound to the tables, and its fit. */
#ifndef SEPAL_MODEL_PIPELINE_H
#define SEPAL_MODEL_PIPELINE_H

#include "model/model.h"
#include "multiclass/multiclass.h"

struct pipeline {
    struct map_chain chain; /* maps and their configs, not fitted */
    const struct learner *learner;
    void *config;
    const struct strategy *strategy; /* NULL: not given */
    struct setting *rule;            /* how rows are to be decided, as it was given */
    size_t n_rule;
};

sepal_status pipeline_parse(struct pipeline *out, sepal_ctx *ctx, struct arena *arena,
                            const char *spec);
/* The same before the fit, to see what is wrong: pipes that it names are not read. */
sepal_status pipeline_parse_ahead(struct pipeline *out, sepal_ctx *ctx, struct arena *arena,
                                  const char *spec);
/* A spec of maps alone. */
sepal_status pipeline_parse_maps(struct map_chain *out, sepal_ctx *ctx, struct arena *arena,
                                 const char *spec);
/* SEPAL_EMODEL unless the text is the canonical spec of a model of that learner and number of
   classes. Parameters may be absent: they are younger than the file. *today is the text in words of
   today, where an older version wrote others. */
sepal_status pipeline_parse_saved(struct pipeline *out, const char **today, sepal_ctx *ctx,
                                  struct arena *arena, const char *spec, const char *learner,
                                  size_t classes);
/* The canonical text: every parameter written out, the strategy where there is one to speak of. NULL: no
   memory. */
const char *pipeline_spec(sepal_ctx *ctx, struct arena *arena, const struct pipeline *pipeline,
                          size_t classes);
/* The same without what is at its default, for people. */
const char *pipeline_short_spec(sepal_ctx *ctx, struct arena *arena,
                                const struct pipeline *pipeline);
/* The multi-class strategy given, or the learner's own. */
const struct strategy *pipeline_strategy(const struct pipeline *pipeline);
/* What decides between so many classes: that strategy, or the sign of one function for two. */
const struct strategy *pipeline_decoder(const struct pipeline *pipeline, size_t classes);
/* What makes probabilities of the scores of such a pipeline. */
enum link pipeline_link(const struct pipeline *pipeline, size_t classes);

/* pipeline_options.c: the options of a fit, and how rows are to be decided to `pipeline`. */
sepal_status pipeline_parse_options(struct fit_options *out, struct pipeline *pipeline,
                                    sepal_ctx *ctx, struct arena *arena, const char *options);
/* Whether the learner can start from a model; path NULL: it need not. */
sepal_status pipeline_check_warm(sepal_ctx *ctx, const struct learner *learner, const char *path);
/* Whether the spec and the options can be understood. */
sepal_status pipeline_check(sepal_ctx *ctx, const char *spec, const char *options);
/* Parts of a fit, for whoever fits one after the other. pipeline_data.c: SEPAL_EDATA unless the rows can be
   learnt from. */
sepal_status pipeline_check_data(sepal_ctx *ctx, const struct learner *learner,
                                 const sepal_data *data);
/* The learner takes a centre off by itself, and is given sparse rows without theirs: the rows as they are
   stored, which own nothing. */
bool pipeline_shiftable(const struct pipeline *pipeline, const struct fit_options *options);
sepal_status pipeline_without_centre(sepal_data *out, sepal_ctx *ctx, struct arena *arena,
                                     const sepal_data *data);
/* Fit and fill `report` (an object) with the facts of the fit. `start`: a model to start from, NULL: none,
   or the file that an option names. */
sepal_status pipeline_fit(sepal_model **out, sepal_ctx *ctx, const char *spec,
                          const sepal_data *data, const char *options, const sepal_model *start,
                          struct tree_maker *make, struct tree *report);
/* The same of some of its rows, with options that are known to be right and without a report. */
sepal_status pipeline_fit_part(sepal_model **out, sepal_ctx *ctx, const char *spec,
                               const sepal_data *data, const struct fit_options *options);

/* The same for other rows, as `spec` and `options` said, but without a report and what only the first of
   several fits is asked for. */
sepal_status pipeline_refit(sepal_model **out, sepal_ctx *ctx, const char *spec,
                            const sepal_data *data, const char *options, const sepal_model *start);
/* The same for rows whose model is to be judged on others: calibrated if that is asked for, in a time of
   its own (NaN: any). */
sepal_status pipeline_fit_judged(sepal_model **out, sepal_ctx *ctx, const char *spec,
                                 const sepal_data *data, const char *options,
                                 const sepal_model *start, double max_seconds);
/* The same of parts of the rows: `data` has labels and weights alone. The model has no maps, which must not
   change it. Where left->lacking is set the rows are needed, and the error is of no concern. */
sepal_status pipeline_fit_left(sepal_model **out, sepal_ctx *ctx, const char *spec,
                               const sepal_data *data, const char *options,
                               struct scatter_left *left);

#endif
