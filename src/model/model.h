/* A fitted pipeline: what a model file holds. */
#ifndef SEPAL_MODEL_MODEL_H
#define SEPAL_MODEL_MODEL_H

#include "core/io.h"
#include "data/schema.h"
#include "linear/linear.h"
#include "maps/map_chain.h"

/* Facts of the training that are functions of the rows, the spec and the seed alone. */
struct model_facts {
    size_t rows;
    double total_weight;
    double objective;
    double gap; /* NaN: none */
    size_t iterations;
    bool converged;
};

enum ambiguous { AMBIGUOUS_CONFIDENCE, AMBIGUOUS_UNDECIDED, AMBIGUITIES };
extern const char *const ambiguous_names[];

/* How rows are decided unless whoever asks says otherwise. All zero: by the scores alone. */
struct kept_rule {
    int decide; /* its row in decision_table */
    enum ambiguous ambiguous;
    double *cutoff; /* NULL: none */
};
bool kept_rule_is_default(const struct kept_rule *kept_rule);

struct sepal_model {
    struct arena arena;
    const char *spec;    /* canonical */
    const char *learner; /* its name */
    const struct schema *schema;
    struct map_chain chain; /* x to phi(x) */
    struct linear linear;   /* of phi(x) */
    struct kept_rule kept_rule;
    struct model_facts facts;
    /* Not in the file: what single rows are predicted with, see predict_row.c. */
    const struct kernels *kernels;
    const struct blas *blas;
    double *row_bias; /* of sparse rows, whose centre and offset are taken off beforehand */
};

sepal_model *model_new(sepal_ctx *ctx);
/* The last step of making one, when all that is kept in a file is there. */
sepal_status model_finish(sepal_model *model, sepal_ctx *ctx);
void model_free(sepal_model *model);
/* Written beside its place, to be put there by output_commit. */
sepal_status model_stage(struct staged *out, sepal_ctx *ctx, const sepal_model *model,
                         const char *path);
sepal_status model_save(sepal_ctx *ctx, const sepal_model *model, const char *path);
sepal_status model_load(sepal_model **out, sepal_ctx *ctx, const char *path);
/* The bytes of the file, and a model from such bytes. */
sepal_status model_to_memory(struct text *out, sepal_ctx *ctx, const sepal_model *model);
sepal_status model_from_memory(sepal_model **out, sepal_ctx *ctx, const void *bytes, size_t n);

#endif
