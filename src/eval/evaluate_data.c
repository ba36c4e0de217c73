/* Judging rows that were not read for the model: its preparation first, and its numbers of their labels. */
#include "eval/evaluate.h"

#include "model/match.h"

sepal_status evaluate_data(sepal_ctx *ctx, struct arena *arena, const sepal_model *model,
                           const sepal_data *data, const struct decision_rule *rule,
                           const struct evaluate_options *options, struct tree_maker *make,
                           struct tree *report) {
    bool sets = model->linear.strategy->sets;
    if (data->set_start && !sets)
        return fail_at(ctx, SEPAL_EDATA, data->first_set.file, data->first_set.line,
                       data->first_set.column,
                       "this is a set of labels, and the model decides for one label a row");
    if (!data->label && !data->set_start)
        return fail(ctx, SEPAL_EDATA, "the data has no labels to judge by");
    sepal_data seen;
    struct prepared prepared;
    sepal_status status = match_rows(&prepared, ctx, model, data, 0, data->matrix.rows);
    if (status == SEPAL_OK) status = match_labels(&seen, ctx, arena, model, &prepared.rows);
    if (status == SEPAL_OK && sets) status = data_as_sets(&seen, ctx, arena, &seen);
    if (status == SEPAL_OK) status = evaluate(ctx, model, &seen, rule, options, make, report);
    prepared_clear(&prepared);
    return status;
}
