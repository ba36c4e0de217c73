/* The public functions of data: check the arguments, call down, nothing else. */
#include "sepal/sepal.h"

#include "core/arguments.h"
#include "data/data.h"
#include "data/memory.h"
#include "eval/separability.h"
#include "io/labels_file.h"
#include "model/model.h"
#include "report/report.h"

#include <string.h>

/* ---- data --------------------------------------------------------------------------------- */

sepal_status sepal_data_read(sepal_data **out, sepal_ctx *ctx, const char *path,
                             const char *options) {
    if (out) *out = NULL;
    BEGIN(ctx, GIVEN(out), GIVEN(path));
    return data_read(out, ctx, path, options, NULL, true);
}

sepal_status sepal_data_read_for(sepal_data **out, sepal_ctx *ctx, const sepal_model *model,
                                 const char *path, const char *options, int with_labels) {
    if (out) *out = NULL;
    BEGIN(ctx, GIVEN(out), GIVEN(model), GIVEN(path));
    return data_read(out, ctx, path, options, model->schema, with_labels != 0);
}

sepal_status sepal_data_dense(sepal_data **out, sepal_ctx *ctx, const double *x, size_t rows,
                              size_t columns, const char *const *labels, const double *weights) {
    if (out) *out = NULL;
    BEGIN(ctx, GIVEN(out), GIVEN(x));
    return data_from_dense(out, ctx, x, rows, columns, labels, weights);
}

sepal_status sepal_data_from(sepal_data **out, sepal_ctx *ctx, const sepal_input *input) {
    sepal_input in;
    if (out) *out = NULL;
    BEGIN(ctx, GIVEN(out), GIVEN(input));
    TRY(struct_take(&in, sizeof in, ctx, "sepal_input", input, offsetof(sepal_input, label_count)));
    return data_from_memory(out, ctx, &in);
}

sepal_status sepal_data_split(sepal_data **rest, sepal_data **part, sepal_ctx *ctx,
                              const sepal_data *data, double fraction) {
    if (rest) *rest = NULL;
    if (part) *part = NULL;
    BEGIN(ctx, GIVEN(rest), GIVEN(part), GIVEN(data));
    if (!(fraction > 0 && fraction < 1))
        return fail(ctx, SEPAL_EUSAGE, "the fraction to hold out must lie between 0 and 1, not %g",
                    fraction);
    return data_split(rest, part, ctx, data, fraction);
}

sepal_status sepal_data_write(sepal_ctx *ctx, const sepal_data *data, const char *path,
                              const char *format) {
    BEGIN(ctx, GIVEN(data), GIVEN(path));
    return data_write(ctx, data, path, format);
}

sepal_status sepal_data_labels_path(char **out, sepal_ctx *ctx, const sepal_data *data,
                                    const char *path, const char *format) {
    if (out) *out = NULL;
    BEGIN(ctx, GIVEN(out), GIVEN(data), GIVEN(path));
    return data_labels_path(out, ctx, data, path, format);
}

sepal_status sepal_data_sibling(char **out, sepal_ctx *ctx, const char *path) {
    BEGIN(ctx, GIVEN(out), GIVEN(path));
    return labels_file_sibling(out, ctx, path);
}

size_t sepal_data_rows(const sepal_data *data) {
    return data ? data->matrix.rows : 0;
}

size_t sepal_data_columns(const sepal_data *data) {
    return data ? data->matrix.cols : 0;
}

void sepal_data_row(double *out, const sepal_data *data, size_t row) {
    size_t i;
    if (!out || row >= sepal_data_rows(data)) return;
    const struct block *block = matrix_block_of(&data->matrix, row, &i);
    block_dense(block, i, 1, data->matrix.cols, NULL, NULL, out, data->matrix.cols);
}

const char *sepal_data_label(const sepal_data *data, size_t row) {
    if (row >= sepal_data_rows(data) || !data->label) return NULL;
    return data_label_name(data, (size_t)data->label[row]);
}

sepal_status sepal_data_column_name(char **out, sepal_ctx *ctx, const sepal_data *data, size_t j) {
    struct text name = {0};
    if (out) *out = NULL;
    BEGIN(ctx, GIVEN(out), GIVEN(data));
    if (j >= data->matrix.cols)
        return fail(ctx, SEPAL_EUSAGE, "the data has no column %zu, only %zu of them", j,
                    data->matrix.cols);
    if (data->coded)
        text_puts(ctx, &name, data->schema->columns[j].name);
    else
        schema_column_name(ctx, &name, data->schema, j);
    char *text = text_take(ctx, &name);
    if (out) *out = text; /* never NULL: BEGIN has looked */
    return text ? SEPAL_OK : SEPAL_EMEMORY;
}

const char *sepal_data_kept_header(const sepal_data *data) {
    return data && data->kept_header ? data->kept_header : "";
}

const char *sepal_data_kept_row(const sepal_data *data, size_t row) {
    return row < sepal_data_rows(data) && data->kept ? data->kept[row] : "";
}

void sepal_data_free(sepal_data *data) {
    data_free(data);
}

/* ---- separability ------------------------------------------------------------------------- */

sepal_status sepal_data_separable(sepal_report **out, char **certificate, sepal_ctx *ctx,
                                  const sepal_data *data, const char *maps, const char *options) {
    if (out) *out = NULL;
    if (certificate) *certificate = NULL;
    BEGIN(ctx, GIVEN(out), GIVEN(data));
    sepal_report *report = report_new(ctx, REPORT_SEPARABILITY);
    if (!report) return SEPAL_EMEMORY;
    return report_give(
        out, report,
        separability_report(ctx, data, maps, options, &report->make, report->root, certificate));
}

sepal_status sepal_data_separable_check(sepal_ctx *ctx, const sepal_data *data, const char *maps,
                                        const char *path) {
    BEGIN(ctx, GIVEN(data), GIVEN(path));
    return certificate_check(ctx, data, maps, path);
}
