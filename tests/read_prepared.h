/* Data as a model sees it: read, and then prepared by its own rows or by the schema it was read for. */
#ifndef SEPAL_TESTS_READ_PREPARED_H
#define SEPAL_TESTS_READ_PREPARED_H

#include "data/prepare.h"

static inline sepal_status read_prepared(sepal_data **out, sepal_ctx *ctx, const char *path,
                                         const char *options, const struct schema *schema,
                                         bool with_labels) {
    sepal_status status = data_read(out, ctx, path, options, schema, with_labels);
    if (status != SEPAL_OK) return status;
    sepal_data *data = *out;
    struct prepared prepared;
    status = schema ? prepare_rows(&prepared, ctx, schema, data, 0, data->matrix.rows)
                    : prepare_fit(&prepared, ctx, data);
    if (status == SEPAL_OK) {
        data->coded = false;
        if (prepared.made.blocks) {
            matrix_clear(&data->matrix);
            data->matrix = prepared.made;
            prepared.made = (struct matrix){0};
        }
        if (prepared.learnt) {
            schema_release(data->schema);
            data->schema = prepared.learnt;
            prepared.learnt = NULL;
        }
    } else {
        data_free(data);
        *out = NULL;
    }
    prepared_clear(&prepared);
    return status;
}

#endif
