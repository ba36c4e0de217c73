#include "model/match.h"

#include <string.h>

/* Whether the names of the columns say more than their numbers. */
static bool is_named(const struct schema *schema) {
    return schema->header || schema->family == FAMILY_INDEXED || schema->dependent > 0;
}

/* The rows have a number for each column of their file, which the model's schema prepares. */
static bool is_by_feature(const struct schema *known, const sepal_data *data) {
    return data->coded ||
           (known->family == FAMILY_TABLE && data->schema->family == FAMILY_TABLE &&
            known->width != known->n_columns && data->matrix.cols == data->schema->n_columns);
}

static sepal_status refuse_column(sepal_ctx *ctx, size_t j, const char *given, const char *known) {
    return fail(ctx, SEPAL_EDATA,
                "column %zu of the data is '%.60s', of the model '%.60s'; read the data for this "
                "model",
                j + 1, given, known);
}

/* Column by column of the tables. */
static sepal_status match_features(sepal_ctx *ctx, const struct schema *given,
                                   const struct schema *known) {
    static const char *const kinds[] = {"numbers", "text"};
    if (given == known) return SEPAL_OK;
    if (given->n_columns != known->n_columns)
        return fail(ctx, SEPAL_EDATA,
                    "the data has %zu columns, the model %zu; read it for this model",
                    given->n_columns, known->n_columns);
    for (size_t j = 0; j < known->n_columns; j++) {
        const struct column *one = &given->columns[j], *other = &known->columns[j];
        if (given->header && known->header && strcmp(one->name, other->name) != 0)
            return refuse_column(ctx, j, one->name, other->name);
        if (one->text != other->text)
            return fail(ctx, SEPAL_EDATA,
                        "column '%.60s' holds %s in the data and %s in the model; read the data "
                        "for this model",
                        one->name, kinds[one->text], kinds[other->text]);
    }
    return SEPAL_OK;
}

/* Column by column of the matrix. */
static sepal_status match_names(sepal_ctx *ctx, const struct schema *given,
                                const struct schema *known) {
    struct text one = {0}, other = {0};
    sepal_status status = SEPAL_OK;
    for (size_t j = 0; j < known->width && status == SEPAL_OK; j++) {
        one.length = other.length = 0;
        schema_column_name(ctx, &one, given, j);
        schema_column_name(ctx, &other, known, j);
        if (one.failed || other.failed)
            status = SEPAL_EMEMORY;
        else if (strcmp(one.bytes, other.bytes) != 0)
            status = refuse_column(ctx, j, one.bytes, other.bytes);
    }
    text_clear(&one);
    text_clear(&other);
    return status;
}

static sepal_status match_columns(sepal_ctx *ctx, const sepal_model *model,
                                  const sepal_data *data) {
    const struct schema *given = data->schema, *known = model->schema;
    if (known->family == FAMILY_TABLE && is_by_feature(known, data))
        return match_features(ctx, given, known);
    if (data->coded || data->matrix.cols != known->width)
        return fail(ctx, SEPAL_EDATA,
                    "the data has %zu columns, the model %zu; read it for this model",
                    data->matrix.cols, known->width);
    if (given == known || !is_named(given) || !is_named(known)) return SEPAL_OK;
    return match_names(ctx, given, known);
}

sepal_status match_rows(struct prepared *out, sepal_ctx *ctx, const sepal_model *model,
                        const sepal_data *data, size_t first, size_t n) {
    *out = (struct prepared){0};
    TRY(match_columns(ctx, model, data));
    TRY(prepare_rows(out, ctx, model->schema, data, first, n));
    if (out->unknown && data->schema != model->schema)
        warn(ctx, "unknown-categories",
             "%zu cell%s of text %s a category that no training row has; taken as none",
             out->unknown, out->unknown == 1 ? "" : "s", out->unknown == 1 ? "has" : "have");
    return SEPAL_OK;
}

/* The model's number of each label of the data; labels that it has not seen come after its own. */
static sepal_status number_labels(sepal_data *out, sepal_ctx *ctx, struct arena *arena,
                                  const sepal_data *data, int32_t *number) {
    size_t labels = data->schema->n_classes + data->n_unseen;
    out->unseen = arena_alloc(ctx, arena, labels, sizeof *out->unseen);
    if (!out->unseen) return SEPAL_EMEMORY;
    out->n_unseen = 0;
    for (size_t k = 0; k < labels; k++) {
        const char *name = data_label_name(data, k);
        number[k] = schema_class_of(out->schema, (struct slice){name, strlen(name)});
        if (number[k] >= 0) continue;
        number[k] = (int32_t)(out->schema->n_classes + out->n_unseen);
        out->unseen[out->n_unseen++] = name;
    }
    return SEPAL_OK;
}

sepal_status match_labels(sepal_data *out, sepal_ctx *ctx, struct arena *arena,
                          const sepal_model *model, const sepal_data *data) {
    *out = *data;
    if (data->schema == model->schema) return SEPAL_OK;
    size_t labels = data->schema->n_classes + data->n_unseen;
    int32_t *number = arena_alloc(ctx, arena, labels, sizeof *number);
    size_t n = data->set_start ? data->set_start[data->matrix.rows] : data->matrix.rows;
    const int32_t *given = data->set_start ? data->set : data->label;
    int32_t *label = arena_alloc(ctx, arena, n, sizeof *label);
    out->schema = model->schema;
    if (!number || !label) return SEPAL_EMEMORY;
    *(data->set_start ? &out->set : &out->label) = label;
    TRY(number_labels(out, ctx, arena, data, number));
    for (size_t i = 0; i < n; i++) label[i] = number[given[i]];
    return SEPAL_OK;
}
