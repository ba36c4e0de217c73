/* Data sets as text: what sepal convert writes, and reads back to the same numbers. */
#include "core/alloc.h"
#include "core/io.h"
#include "data/data.h"
#include "data/detect.h"

#include <string.h>

static void put_cell(sepal_ctx *ctx, struct text *out, const char *cell, char delimiter) {
    size_t n = strlen(cell);
    const char special[] = {delimiter, '"', '\n', '\r', ' ', '\t', '\0'};
    if (n && strcspn(cell, special) == n) {
        text_puts(ctx, out, cell);
        return;
    }
    text_puts(ctx, out, "\"");
    for (; *cell; cell++) {
        if (*cell == '"') text_puts(ctx, out, "\"");
        text_add(ctx, out, cell, 1);
    }
    text_puts(ctx, out, "\"");
}

static void put_header(sepal_ctx *ctx, struct text *out, const sepal_data *data, char delimiter) {
    const struct schema *schema = data->schema;
    struct text name = {0};
    for (size_t j = 0; j < schema->width; j++) {
        name.length = 0;
        /* an index alone would not be told from a number */
        if (schema->family == FAMILY_INDEXED) text_puts(ctx, &name, "x");
        schema_column_name(ctx, &name, schema, j);
        put_cell(ctx, out, name.bytes ? name.bytes : "", delimiter);
        text_add(ctx, out, &delimiter, 1);
    }
    out->failed = out->failed || name.failed;
    text_clear(&name);
    if (data->weight) {
        put_cell(ctx, out, schema->weight ? schema->weight : "weight", delimiter);
        text_add(ctx, out, &delimiter, 1);
    }
    put_cell(ctx, out, schema->header && schema->target ? schema->target : "class", delimiter);
    text_puts(ctx, out, "\n");
}

static void put_dense_row(sepal_ctx *ctx, struct text *out, const struct block *block, size_t i,
                          size_t cols, char delimiter) {
    size_t at = 0, column = SIZE_MAX;
    double value = 0;
    bool more = row_next(block, i, cols, &at, &column, &value);
    for (size_t j = 0; j < cols; j++) {
        bool here = more && column == j;
        text_number(ctx, out, here ? value : 0);
        text_add(ctx, out, &delimiter, 1);
        if (here) more = row_next(block, i, cols, &at, &column, &value);
    }
}

static sepal_status write_table(sepal_ctx *ctx, struct text *out, const sepal_data *data,
                                char delimiter) {
    if (data->set_start)
        return fail(ctx, SEPAL_EDATA, "label sets cannot be written as a table; use libsvm");
    put_header(ctx, out, data, delimiter);
    struct block_walk walk = {.matrix = &data->matrix};
    for (const struct block *block; (block = block_next(&walk));)
        for (size_t i = 0; i < block->rows && !out->failed; i++) {
            size_t row = block->first_row + i;
            put_dense_row(ctx, out, block, i, data->matrix.cols, delimiter);
            if (data->weight) {
                text_number(ctx, out, data->weight[row]);
                text_add(ctx, out, &delimiter, 1);
            }
            put_cell(ctx, out, data_label_name(data, (size_t)data->label[row]), delimiter);
            text_puts(ctx, out, "\n");
        }
    return SEPAL_OK;
}

static sepal_status put_label(sepal_ctx *ctx, struct text *out, const char *label) {
    if (!*label || strpbrk(label, " \t,:#\r\n"))
        return fail(ctx, SEPAL_EDATA,
                    "the label '%.60s' cannot stand in a LIBSVM file, whose labels have no blank, "
                    "comma, colon or #; write csv instead",
                    label);
    text_puts(ctx, out, label);
    return SEPAL_OK;
}

static sepal_status put_labels(sepal_ctx *ctx, struct text *out, const sepal_data *data,
                               size_t row) {
    if (!data->set_start)
        return put_label(ctx, out, data_label_name(data, (size_t)data->label[row]));
    for (size_t k = data->set_start[row]; k < data->set_start[row + 1]; k++) {
        if (k > data->set_start[row]) text_puts(ctx, out, ",");
        TRY(put_label(ctx, out, data_label_name(data, (size_t)data->set[k])));
    }
    return SEPAL_OK;
}

static sepal_status write_libsvm(sepal_ctx *ctx, struct text *out, const sepal_data *data) {
    size_t base = data->schema->zero_based ? 0 : 1, column;
    double value;
    if (data->weight)
        warn(ctx, "weights-lost", "LIBSVM files have no place for the weights; they are left out");
    struct block_walk walk = {.matrix = &data->matrix};
    for (const struct block *block; (block = block_next(&walk));)
        for (size_t i = 0; i < block->rows && !out->failed; i++) {
            TRY(put_labels(ctx, out, data, block->first_row + i));
            for (size_t at = 0; row_next(block, i, data->matrix.cols, &at, &column, &value);) {
                text_printf(ctx, out, " %zu:", column + base);
                text_number(ctx, out, value);
            }
            text_puts(ctx, out, "\n");
        }
    return SEPAL_OK;
}

static sepal_status choose_format(enum format *out, sepal_ctx *ctx, const char *path,
                                  const char *name) {
    *out = name ? 0 : format_of_extension(path);
    for (const struct format_row *row = format_table; name && row->name; row++)
        if (strcmp(row->name, name) == 0) *out = row->format;
    if (*out) return SEPAL_OK;
    return fail(ctx, SEPAL_EUSAGE,
                "the format to write is not known from '%.80s'; say --to csv, tsv or libsvm",
                name ? name : path);
}

sepal_status data_write(sepal_ctx *ctx, const sepal_data *data, const char *path,
                        const char *format_name) {
    enum format format;
    struct text out = {0};
    TRY(choose_format(&format, ctx, path, format_name));
    if (!data->label && !data->set_start)
        return fail(ctx, SEPAL_EDATA, "the data has no labels to write");
    sepal_status status = format == FORMAT_LIBSVM
                              ? write_libsvm(ctx, &out, data)
                              : write_table(ctx, &out, data, format == FORMAT_TSV ? '\t' : ',');
    if (status == SEPAL_OK && out.failed) status = SEPAL_EMEMORY;
    if (status == SEPAL_OK) status = output_replace(ctx, path, out.bytes, out.length);
    text_clear(&out);
    return status;
}
