/* Judging decisions: confusion matrix, the measures made of it, and rankings by score. */
#ifndef SEPAL_EVAL_EVALUATE_H
#define SEPAL_EVAL_EVALUATE_H

#include "core/tree.h"
#include "data/data.h"
#include "model/predict.h"

/* count[target * width + predicted], weighted; the last column of `width` = labels + 1 has what is
   not decided. */
struct confusion {
    size_t labels, width;
    double *count;
    double *target, *predicted; /* row and column sums */
    double total, right, undecided;
};
sepal_status confusion_count(struct confusion *out, sepal_ctx *ctx, struct arena *arena,
                             const sepal_data *data, const int32_t *decided, bool abstains);

/* Area under the ROC curve and average precision of a ranking; NaN when one side is empty. */
struct ranking {
    double roc_auc, average_precision;
};
sepal_status rank_scores(struct ranking *out, sepal_ctx *ctx, const double *score, size_t stride,
                         const bool *positive, const double *weight, size_t n);

struct metric {
    const char *name, *summary;
};
extern const struct metric metric_table[]; /* ends with a row without name */

/* Fill `report` (an object) with confusion, measures and rankings. `positive` NULL: the second class. */
sepal_status evaluate(sepal_ctx *ctx, const sepal_model *model, const sepal_data *data,
                      const struct decision_rule *rule, const char *positive,
                      struct tree_maker *make, struct tree *report);

#endif
