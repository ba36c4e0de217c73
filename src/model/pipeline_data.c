/* What a fit asks of its rows: labels of the kind that the learner takes, and columns. */
#include "model/pipeline.h"

/* A fault of the whole file is shown at its beginning. */
static sepal_status unfit(sepal_ctx *ctx, const sepal_data *data, const char *why) {
    size_t top = *data->file ? 1 : 0;
    return fail_at(ctx, SEPAL_EDATA, data->file, top, top, "%s", why);
}

static sepal_status check_classes(sepal_ctx *ctx, const sepal_data *data) {
    const struct schema *schema = data->schema;
    size_t top = *data->file ? 1 : 0;
    if (schema->n_classes >= 2) return SEPAL_OK;
    return fail_at(ctx, SEPAL_EDATA, data->file, top, top,
                   "every row%s has the label '%s'; a classifier needs at least two classes "
                   "(is " OPTION "target the right column%s?)",
                   data->weight ? " of weight above 0" : "",
                   schema->n_classes ? schema->classes[0] : "",
                   data->weight ? ", and " OPTION "weight" : "");
}

static sepal_status check_sets(sepal_ctx *ctx, const sepal_data *data) {
    if (data->schema->n_classes > 0) return SEPAL_OK;
    return unfit(ctx, data,
                 "no row has a label: all sets of labels are empty, and there is nothing to learn");
}

sepal_status pipeline_check_data(sepal_ctx *ctx, const struct learner *learner,
                                 const sepal_data *data) {
    size_t top = *data->file ? 1 : 0;
    if (data->set_start && !learner->sets)
        return fail_at(ctx, SEPAL_EDATA, data->first_set.file, data->first_set.line,
                       data->first_set.column,
                       "this is a set of labels, and %s learns one label a row; multilabel learns "
                       "sets",
                       learner->name);
    if (!data->label && !data->set_start)
        return unfit(ctx, data, "the data has no labels to learn from");
    if (data->n_unseen)
        return fail_at(ctx, SEPAL_EDATA, data->file, top, top,
                       "the data was read for a model that has not seen the label '%s'; read it "
                       "anew to learn from it",
                       data->unseen[0]);
    TRY(learner->sets ? check_sets(ctx, data) : check_classes(ctx, data));
    if (data->matrix.cols > 0) return SEPAL_OK;
    return unfit(ctx, data,
                 "the data has no feature columns to learn from (are " OPTION
                 "delimiter and " OPTION "drop right?)");
}
