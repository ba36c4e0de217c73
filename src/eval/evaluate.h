/* Judging decisions: the confusion matrix, and every metric of the table. */
#ifndef SEPAL_EVAL_EVALUATE_H
#define SEPAL_EVAL_EVALUATE_H

#include "core/tree.h"
#include "eval/metric.h"

/* Fill `report` (an object) with confusion, metrics, coverage, and what else was asked for. */
sepal_status evaluate(sepal_ctx *ctx, const sepal_model *model, const sepal_data *data,
                      const struct decision_rule *rule, const struct evaluate_options *options,
                      struct tree_maker *make, struct tree *report);
/* The same of rows that are predicted already, by evaluation_predict, and of which no more than labels and weights
   is asked. The predictions are freed. */
sepal_status evaluate_predicted(sepal_ctx *ctx, const sepal_model *model, const sepal_data *data,
                                const struct decision_rule *rule,
                                const struct evaluate_options *options,
                                struct predictions *predictions, struct tree_maker *make,
                                struct tree *report);
/* The same of rows of which it is known how many of each class are decided as which, classes x classes weights, by
   a rule that decides plainly: no more is asked for than follows from that. */
sepal_status evaluate_counted(sepal_ctx *ctx, const sepal_model *model, const sepal_data *data,
                              const struct decision_rule *rule,
                              const struct evaluate_options *options, const double *counts,
                              struct tree_maker *make, struct tree *report);
/* The largest score, or the sign of one, decides, and nothing else is asked of it. */
bool evaluation_decides_plainly(const sepal_model *model, const sepal_data *data,
                                const struct decision_rule *rule);
/* What an evaluation with these options asks of a model; `probabilities`: these besides, if it has any. To be freed
   in any case. */
sepal_status evaluation_predict(struct predictions *out, sepal_ctx *ctx, const sepal_model *model,
                                const sepal_data *data, const struct decision_rule *rule,
                                const struct evaluate_options *options, bool probabilities);
/* The same from the scores of the rows, see model_predict_scored. */
sepal_status evaluation_predict_scored(struct predictions *out, sepal_ctx *ctx,
                                       const sepal_model *model, const sepal_data *data,
                                       const double *scores, const struct decision_rule *rule,
                                       const struct evaluate_options *options, bool probabilities);
void evaluation_predictions_free(struct predictions *predictions);
/* The same of data that was not read for the model; the arena is scratch. */
sepal_status evaluate_data(sepal_ctx *ctx, struct arena *arena, const sepal_model *model,
                           const sepal_data *data, const struct decision_rule *rule,
                           const struct evaluate_options *options, struct tree_maker *make,
                           struct tree *report);

#endif
