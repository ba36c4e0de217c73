/* What a model says of rows: classes by a rule of decision, and numbers that explain them. */
#ifndef SEPAL_MODEL_PREDICT_H
#define SEPAL_MODEL_PREDICT_H

#include "core/parameters.h"
#include "core/tree.h"
#include "data/data.h"
#include "linear/decide.h"
#include "model/model.h"

struct predict_options {
    int decide;         /* its row in decision_table */
    double cutoff;      /* NaN: not given */
    int ambiguous;      /* enum ambiguous */
    const char *priors; /* NULL: as the model has them */
};
extern const struct parameter predict_option_table[];

/* The options for one model: what they mean there, or why they cannot be. What is not given is as the
   model's own rule has it; `decide` given without a cutoff has none of the model's. */
struct decision_rule {
    struct predict_options options;
    double *shift; /* what new priors add to the K scores; NULL: nothing */
    bool abstains; /* rows may be left undecided by this rule */
};
sepal_status decision_rule_make(struct decision_rule *out, sepal_ctx *ctx, struct arena *arena,
                                const sepal_model *model, const char *options);
sepal_status decision_rule_set(struct decision_rule *out, sepal_ctx *ctx, struct arena *arena,
                               const sepal_model *model, const struct setting *settings, size_t n);

/* Whether such a model can be decided by its own rule, and the rule is one to be kept. */
bool kept_rule_is_sound(const sepal_model *model);
/* The rule as what a model keeps, in its memory. */
sepal_status kept_rule_set(struct kept_rule *out, sepal_ctx *ctx, struct arena *arena,
                           const struct predict_options *options);
/* The rule as `decision` among the facts of a report, unless it is the plain one. */
void decision_tell(struct tree_maker *make, struct tree *parent,
                   const struct predict_options *options);
struct predict_options kept_rule_options(const struct kept_rule *kept_rule);

/* Rows [first, first + n); arrays that are NULL are not filled. */
struct predictions {
    size_t first, n;
    int32_t *classes; /* -1: not decided */
    int8_t *labels;   /* n x K, of label sets: 1 the row has it, 0 not, -1: not decided */
    double *shown;    /* n x linear_shown */
    double *probabilities;
    double *
        logs; /* n x linear_shown: of the probabilities; of two classes of the odds of the second */
    double *decision_values; /* n x linear_shown: what a calibration is fitted to, before ranking */
    double *distances;       /* n x linear_shown; NaN where weights are all 0 */
    double *likelihoods;
    double *projections;   /* n x model_projections */
    double *contributions; /* n x model_outputs, see contributions.h */
    uint8_t *regions;      /* enum region */
};
sepal_status model_predict(struct predictions *out, sepal_ctx *ctx, const sepal_model *model,
                           const sepal_data *data, const struct decision_rule *rule);

/* The same for whom the scores of rows [0, n) are there, n x R and all finite: `data` has no more than the rows'
   number, and nothing is filled that needs their numbers. */
sepal_status model_predict_scored(struct predictions *out, sepal_ctx *ctx, const sepal_model *model,
                                  const sepal_data *data, const double *scores,
                                  const struct decision_rule *rule);

/* SEPAL_EMODEL with the reason unless the model has such numbers. */
sepal_status model_has(sepal_ctx *ctx, const sepal_model *model, sepal_output what);
/* How many there are for a row; 0: none. */
size_t model_outputs(const sepal_model *model, sepal_output what);
void model_output_name(sepal_ctx *ctx, struct text *out, const sepal_model *model,
                       sepal_output what, size_t j);
/* The name of column j of phi, in as far as its maps cannot be folded back. */
void model_column_name(sepal_ctx *ctx, struct text *out, const sepal_model *model, size_t j);

#endif
