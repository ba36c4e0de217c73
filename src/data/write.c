/* Data sets as text: what sepal convert writes, and reads back to the same numbers. */
#include "core/alloc.h"
#include "core/io.h"
#include "data/csv.h"
#include "data/data.h"
#include "data/detect.h"
#include "data/tokens.h"

#include <string.h>

/* A table with more cells takes gigabytes. */
enum { MOST_CELLS = 1 << 30 };

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

/* A name that would be taken for a number or a missing cell, and so not for a name. */
static bool needs_letter(struct slice name) {
    double value;
    return csv_is_number(name, &value) || csv_is_missing(name);
}

static bool is_usual_target(const char *name) {
    static const char *const usual[] = {"target", "label", "class", "y"};
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
        if (slice_is_nocase((struct slice){name, strlen(name)}, usual[i])) return true;
    return false;
}

/* The next name of the header; no two may be the same. */
static sepal_status put_name(sepal_ctx *ctx, struct text *out, struct tokens *seen,
                             struct slice name, char delimiter) {
    uint32_t number;
    bool fresh;
    TRY(tokens_add(seen, ctx, name, &number, &fresh));
    if (!fresh)
        return fail(ctx, SEPAL_EDATA,
                    "two columns of the table would have the name '%.60s'; rename one of them, or "
                    "write libsvm",
                    seen->items[number].bytes);
    if (seen->count > 1) text_add(ctx, out, &delimiter, 1);
    put_cell(ctx, out, seen->items[number].bytes, delimiter);
    return SEPAL_OK;
}

/* Reading finds the target by its name: a feature must not have one that is looked for. */
static sepal_status put_features(sepal_ctx *ctx, struct text *out, struct tokens *seen,
                                 const struct schema *schema, struct text *name, char delimiter) {
    for (size_t j = 0; j < schema->width; j++) {
        name->length = 0;
        schema_column_name(ctx, name, schema, j);
        if (name->failed) return SEPAL_EMEMORY;
        if (is_usual_target(name->bytes))
            return fail(ctx, SEPAL_EDATA,
                        "a feature has the name '%s', by which the label column is found; rename "
                        "it, or write libsvm",
                        name->bytes);
        if (needs_letter((struct slice){name->bytes, name->length})) {
            name->length = 0;
            text_puts(ctx, name, "x");
            schema_column_name(ctx, name, schema, j);
        }
        TRY(put_name(ctx, out, seen, (struct slice){name->bytes, name->length}, delimiter));
    }
    return SEPAL_OK;
}

static sepal_status put_names(sepal_ctx *ctx, struct text *out, struct tokens *seen,
                              const sepal_data *data, char delimiter) {
    const struct schema *schema = data->schema;
    struct text name = {0};
    sepal_status status = put_features(ctx, out, seen, schema, &name, delimiter);
    text_clear(&name);
    TRY(status);
    const char *weight = schema->weight ? schema->weight : "weight";
    const char *target = schema->header && schema->target ? schema->target : "class";
    if (needs_letter((struct slice){target, strlen(target)})) target = "class";
    if (data->weight)
        TRY(put_name(ctx, out, seen, (struct slice){weight, strlen(weight)}, delimiter));
    TRY(put_name(ctx, out, seen, (struct slice){target, strlen(target)}, delimiter));
    text_puts(ctx, out, "\n");
    return SEPAL_OK;
}

static sepal_status put_header(sepal_ctx *ctx, struct text *out, const sepal_data *data,
                               char delimiter) {
    struct tokens seen = {0};
    sepal_status status = put_names(ctx, out, &seen, data, delimiter);
    tokens_clear(&seen);
    return status;
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
    if (data->matrix.cols == 0)
        return fail(ctx, SEPAL_EDATA, "there are no feature columns to write");
    if (data->matrix.rows > MOST_CELLS / data->matrix.cols)
        return fail(ctx, SEPAL_EDATA,
                    "a table of %zu x %zu cells, nearly all of them 0, is too large to write; "
                    "write libsvm",
                    data->matrix.rows, data->matrix.cols);
    TRY(put_header(ctx, out, data, delimiter));
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

static bool column_occurs(const struct matrix *matrix, size_t wanted) {
    struct block_walk walk = {.matrix = matrix};
    double value;
    for (const struct block *block; (block = block_next(&walk));)
        for (size_t i = 0; i < block->rows; i++)
            for (size_t at = 0, j; row_next(block, i, matrix->cols, &at, &j, &value);)
                if (j == wanted) return true;
    return false;
}

/* The file shows how many columns there are, and that they are counted from 0, only by the entries
   it has. Where these say too little, the first row has entries of value 0 more. */
static void put_bounds(sepal_ctx *ctx, struct text *out, const struct matrix *matrix, size_t base) {
    if (base == 0 && !column_occurs(matrix, 0)) text_puts(ctx, out, " 0:0");
    if ((base || matrix->cols > 1) && !column_occurs(matrix, matrix->cols - 1))
        text_printf(ctx, out, " %zu:0", matrix->cols - 1 + base);
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
            if (block->first_row + i == 0 && data->matrix.cols)
                put_bounds(ctx, out, &data->matrix, base);
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
