#include "fuzz/agree.h"

#include "fuzz/fuzz.h"
#include "fuzz/strict_reader.h"

#include "core/alloc.h"
#include "io/format.h"
#include "read_prepared.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Shown when the two do not agree. */
static void same_labels(const sepal_data *data, const struct strict *strict) {
    LAW(data->schema->n_classes == strict->n_classes, "%zu classes, not %zu",
        data->schema->n_classes, strict->n_classes);
    for (size_t k = 0; k < strict->n_classes; k++)
        LAW(strcmp(data->schema->classes[k], strict->classes[k]) == 0, "class '%s', not '%s'",
            data->schema->classes[k], strict->classes[k]);
    LAW(!data->set_start == !strict->sets, "sets of labels, or single ones");
    for (size_t row = 0; row < strict->rows; row++) {
        size_t n = 0;
        const bool *has = strict->has + row * strict->n_classes;
        for (size_t k = 0; k < strict->n_classes; k++) n += has[k];
        if (data->label) {
            LAW(n == 1 && has[data->label[row]], "row %zu has class %d", row, data->label[row]);
            continue;
        }
        size_t from = data->set_start[row], to = data->set_start[row + 1];
        LAW(to - from == n, "row %zu has %zu labels, not %zu", row, to - from, n);
        for (size_t i = from; i < to; i++) LAW(has[data->set[i]], "row %zu has another label", row);
    }
}

static uint64_t bits_of(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static void same_values(const sepal_data *data, const struct strict *strict) {
    double *row = strict_grow(NULL, strict->cols, sizeof *row);
    for (size_t i = 0; i < strict->rows; i++) {
        size_t local, at = 0, column;
        double value;
        const struct block *block = matrix_block_of(&data->matrix, i, &local);
        memset(row, 0, strict->cols * sizeof *row);
        while (row_next(block, local, strict->cols, &at, &column, &value)) row[column] = value;
        for (size_t j = 0; j < strict->cols; j++) {
            double wanted = strict->values[i * strict->cols + j];
            LAW(bits_of(row[j]) == bits_of(wanted), "row %zu, column %zu: %a, not %a", i, j, row[j],
                wanted);
        }
    }
    free(row);
}

static void same_data(const sepal_data *data, const struct strict *strict) {
    LAW(data->matrix.rows == strict->rows && data->matrix.cols == strict->cols,
        "%zu x %zu, not %zu x %zu", data->matrix.rows, data->matrix.cols, strict->rows,
        strict->cols);
    same_labels(data, strict);
    if (strict->values) same_values(data, strict);
}

static void same_refusal(const struct error *error, const struct strict *strict) {
    for (size_t i = 0; i < strict->n_faults; i++) {
        struct strict_place place = strict->faults[i];
        if (place.line == 0 ||
            (place.line == error->line && (place.column == 0 || place.column == error->column)))
            return;
    }
    LAW(false, "refused at %zu:%zu (%s), by the strict reader at %zu:%zu", error->line,
        error->column, error->message, strict->n_faults ? strict->faults[0].line : 0,
        strict->n_faults ? strict->faults[0].column : 0);
}

/* Neither a list nor a range nor a pattern. */
static bool is_plain(const char *column) {
    return !column || !column[strcspn(column, ",*?-")];
}

static bool is_known(const struct read_options *o) {
    return is_plain(o->target) && is_plain(o->categorical) && !o->drop && !o->only && !o->keep &&
           !o->weight && !o->bad_lines && !o->decimal && (o->missing == 0 || o->missing == 3) &&
           !(o->target && o->categorical && strcmp(o->target, o->categorical) == 0);
}

/* gz, xz, zst and bz2: unpacking is the business of a library. */
static bool is_packed(const struct fuzz_bytes *file) {
    static const char *const magic[] = {"\x1f\x8b", "\xfd\x37zXZ", "\x28\xb5\x2f\xfd", "BZh"};
    for (size_t i = 0; i < sizeof magic / sizeof *magic; i++)
        if (file->size >= strlen(magic[i]) && memcmp(file->at, magic[i], strlen(magic[i])) == 0)
            return true;
    return false;
}

bool readers_agree(const struct fuzz_reading *reading) {
    struct read_options options;
    struct arena arena = {0};
    char settings[1024];
    const struct fuzz_bytes *file = &reading->data;
    sepal_ctx *ctx = fuzz_ctx(1);
    LAW(read_options_parse(&options, ctx, &arena, reading->options) == SEPAL_OK, "%s",
        reading->options);
    const struct format *format = options.format ? format_table[options.format - 1] : NULL;
    bool libsvm = format && format->family == FAMILY_INDEXED;
    char delimiter = !options.delimiter                      ? '\0'
                     : strcmp(options.delimiter, "tab") == 0 ? '\t'
                     : options.delimiter[1]                  ? ' '
                                                             : options.delimiter[0];
    if (format && !delimiter) delimiter = format->delimiter;
    if (!libsvm && !delimiter) delimiter = strict_delimiter(file->at, file->size, &options);
    bool known = !is_packed(file) && is_known(&options) &&
                 !(libsvm && (options.target || options.delimiter || options.categorical));
    snprintf(settings, sizeof settings, "%s%s%s%s", reading->options,
             !options.format && *reading->options ? ", " : "", options.format ? "" : "format=csv",
             !libsvm && !delimiter ? ", delimiter=\",\"" : "");
    if (!delimiter) delimiter = ',';
    if (known) {
        sepal_data *data;
        struct strict *strict = libsvm
                                    ? strict_read_libsvm(file->at, file->size, &options)
                                    : strict_read_table(file->at, file->size, &options, delimiter);
        const char *path = fuzz_put("in", file->at, file->size);
        sepal_status status = read_prepared(&data, ctx, path, settings, NULL, true);
        LAW(status == SEPAL_OK || status == SEPAL_EDATA, "%s", ctx->error.message);
        LAW((status == SEPAL_OK) == (strict->n_faults == 0),
            "%s, but the strict reader has a fault at %zu:%zu",
            status == SEPAL_OK ? "read" : ctx->error.message,
            strict->n_faults ? strict->faults[0].line : 0,
            strict->n_faults ? strict->faults[0].column : 0);
        if (data)
            same_data(data, strict);
        else
            same_refusal(&ctx->error, strict);
        data_free(data);
        strict_free(strict);
    }
    arena_clear(&arena);
    return known;
}
