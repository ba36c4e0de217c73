/* Judging decisions: the confusion matrix, and every metric of the table. */
#ifndef SEPAL_EVAL_EVALUATE_H
#define SEPAL_EVAL_EVALUATE_H

#include "core/tree.h"
#include "eval/metric.h"

/* Fill `report` (an object) with confusion, metrics and coverage. `positive` NULL: the second class.
   For whoever judges many models: without intervals. */
sepal_status evaluate(sepal_ctx *ctx, const sepal_model *model, const sepal_data *data,
                      const struct decision_rule *rule, const char *positive,
                      struct tree_maker *make, struct tree *report);
/* The same with all that was asked for. */
sepal_status evaluate_fully(sepal_ctx *ctx, const sepal_model *model, const sepal_data *data,
                            const struct decision_rule *rule,
                            const struct evaluate_options *options, struct tree_maker *make,
                            struct tree *report);

#endif
