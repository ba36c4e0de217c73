/* The public functions that look into a model, carry it to and from memory, and ask it about one row.
   Those that fit it are in api_fit.c, those that give it whole data sets in api_predict.c. */
#include "sepal/sepal.h"

#include "core/alloc.h"
#include "core/arguments.h"
#include "model/model.h"
#include "model/predict_row.h"
#include "model/schema_json.h"

/* ---- to and from memory ------------------------------------------------------------------- */

sepal_status sepal_model_to_memory(void **out, size_t *n, sepal_ctx *ctx,
                                   const sepal_model *model) {
    struct text file;
    if (out) *out = NULL;
    BEGIN(ctx, GIVEN(out), GIVEN(n), GIVEN(model));
    TRY(model_to_memory(&file, ctx, model));
    *n = file.length;
    *out = text_take(ctx, &file);
    return *out ? SEPAL_OK : SEPAL_EMEMORY; /* never: it has bytes */
}

sepal_status sepal_model_from_memory(sepal_model **out, sepal_ctx *ctx, const void *bytes,
                                     size_t n) {
    if (out) *out = NULL;
    BEGIN(ctx, GIVEN(out), GIVEN(bytes));
    return model_from_memory(out, ctx, bytes, n);
}

void sepal_bytes_free(void *bytes) {
    mem_free(bytes);
}

/* ---- what it is --------------------------------------------------------------------------- */

const char *sepal_model_spec(const sepal_model *model) {
    return model ? model->spec : "";
}

const char *sepal_model_learner(const sepal_model *model) {
    return model ? model->learner : "";
}

const char *sepal_model_missing(const sepal_model *model) {
    return model ? missing_name(model->schema->missing) : "";
}

size_t sepal_model_classes(const sepal_model *model) {
    return model ? model->schema->n_classes : 0;
}

const char *sepal_model_class(const sepal_model *model, size_t k) {
    return k < sepal_model_classes(model) ? model->schema->classes[k] : NULL;
}

size_t sepal_model_features(const sepal_model *model) {
    return model ? schema_features(model->schema) : 0;
}

sepal_status sepal_model_feature_name(char **out, sepal_ctx *ctx, const sepal_model *model,
                                      size_t j) {
    struct text name = {0};
    if (out) *out = NULL;
    BEGIN(ctx, GIVEN(out), GIVEN(model));
    if (j >= schema_features(model->schema))
        return fail(ctx, SEPAL_EUSAGE, "the model has no feature %zu, only %zu of them", j,
                    schema_features(model->schema));
    if (model->schema->family == FAMILY_TABLE)
        text_puts(ctx, &name, model->schema->columns[j].name);
    else
        schema_column_name(ctx, &name, model->schema, j);
    *out = text_take(ctx, &name);
    return *out ? SEPAL_OK : SEPAL_EMEMORY;
}

static const struct column *feature_of(const sepal_model *model, size_t j) {
    bool there = model && model->schema->family == FAMILY_TABLE && j < model->schema->n_columns;
    return there ? &model->schema->columns[j] : NULL;
}

size_t sepal_model_categories(const sepal_model *model, size_t j) {
    const struct column *feature = feature_of(model, j);
    return feature ? feature->n_categories : 0;
}

const char *sepal_model_category(const sepal_model *model, size_t j, size_t k) {
    return k < sepal_model_categories(model, j) ? feature_of(model, j)->categories[k] : NULL;
}

/* ---- its numbers -------------------------------------------------------------------------- */

size_t sepal_model_functions(const sepal_model *model) {
    return model ? model->linear.rows : 0;
}

size_t sepal_model_columns(const sepal_model *model) {
    return model ? model->linear.cols : 0;
}

const double *sepal_model_weights(const sepal_model *model) {
    return model ? model->linear.w : NULL;
}

const double *sepal_model_bias(const sepal_model *model) {
    return model ? model->linear.b : NULL;
}

const double *sepal_model_centre(const sepal_model *model) {
    return model ? model->linear.centre : NULL;
}

sepal_status sepal_model_coefficients(double *weights, double *bias, sepal_ctx *ctx,
                                      const sepal_model *model) {
    BEGIN(ctx, GIVEN(weights), GIVEN(bias), GIVEN(model));
    const struct linear *linear = &model->linear;
    if (density_is_quadratic(linear->density) || linear->bits)
        return fail(ctx, SEPAL_EMODEL,
                    "the scores of this %s model are no linear functions of its columns, so they "
                    "have no coefficients",
                    model->learner);
    for (size_t r = 0; r < linear->rows; r++) {
        bias[r] = linear->b[r];
        for (size_t j = 0; j < linear->cols; j++) {
            double shift, divisor, *w = &weights[r * linear->cols + j];
            map_chain_fold(&model->chain, j, &shift, &divisor);
            *w = linear->w[r * linear->cols + j] / divisor;
            bias[r] -= *w * (shift + divisor * (linear->centre ? linear->centre[j] : 0));
        }
    }
    return SEPAL_OK;
}

/* ---- one row ------------------------------------------------------------------------------ */

sepal_status sepal_model_predict_row(int32_t *out, double *scores, const sepal_model *model,
                                     const double *x, size_t n) {
    if (!model || !x) return SEPAL_EUSAGE;
    return model_predict_row(out, scores, model, x, n);
}

sepal_status sepal_model_predict_entries(int32_t *out, double *scores, const sepal_model *model,
                                         const int32_t *index, const double *values, size_t n) {
    if (!model || (n > 0 && (!index || !values))) return SEPAL_EUSAGE;
    return model_predict_sparse_row(out, scores, model, index, values, n);
}
