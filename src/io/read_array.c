/* npy and idx files: tables of numbers without a header. */
#include "io/array.h"
#include "io/reading.h"

static sepal_status refuse_text_options(struct reading *reading) {
    const struct read_options *options = &reading->options;
    const struct reading_option text_only[] = {{"delimiter", options->delimiter != NULL},
                                               {"decimal", options->decimal == DECIMAL_COMMA},
                                               {"skip", options->skip > 0},
                                               {"header", options->header == HEADER_YES},
                                               {0}};
    return reading_refuse_options(reading, text_only, "text", "an array of numbers");
}

static sepal_status read_array_name_columns(struct reading *reading, size_t n) {
    bool named;
    reading->columns.numbers = true;
    TRY(table_file_names(reading, n, 1, &named));
    if (named) return SEPAL_OK;
    TRY(table_name_room(reading, n, 1));
    for (size_t c = 0; c < n; c++) TRY(table_number_column(reading, 1, 1));
    return SEPAL_OK;
}

/* A file that has its labels inside is rare enough for a word. */
static sepal_status look_for_labels(struct reading *reading) {
    const struct read_options *options = &reading->options;
    if (!reading->with_labels || reading->labels.file || options->target) return SEPAL_OK;
    if (reading->surveys && !reading->format->array->labels_inside) {
        reading->with_labels = false;
        return SEPAL_OK;
    }
    if (!reading->format->array->labels_inside)
        return fail_at(reading->ctx, SEPAL_EDATA, reading->source.file.name, 0, 0,
                       "an %s file has no labels in it, and there is none beside it; give " OPTION
                       "labels FILE (or " OPTION "target NUMBER for a column of it)",
                       reading->format->name);
    if (reading->learnt)
        warn(reading->ctx, "labels-last",
             "the last column of %s is taken as the labels; give " OPTION
             "labels FILE if they are apart",
             reading->source.file.name);
    return SEPAL_OK;
}

static sepal_status check_length(struct reading *reading, const struct array_shape *shape) {
    size_t bytes = 0, row_bytes = shape->cols * shape->bytes;
    for (size_t i = 0; i < reading->chunks.count; i++) {
        const struct parsed_chunk *parsed = reading->chunks.items[i];
        bytes += parsed->lines * row_bytes + parsed->tail_bytes;
    }
    return array_check_end(reading->ctx, shape, &reading->source, bytes);
}

/* A name for each column takes more memory than a row of bytes: a header alone does not justify it,
   the first row must be there. */
static sepal_status await_row(struct reading *reading, const struct array_shape *shape) {
    size_t row = shape->cols * shape->bytes, want = DETECT_BYTES, got;
    const char *bytes;
    do {
        want = want < row / 2 ? 2 * want : row;
        TRY(source_peek(&reading->source, reading->ctx, want, &bytes, &got));
        if (got < want) return array_check_end(reading->ctx, shape, &reading->source, 0);
    } while (want < row);
    return SEPAL_OK;
}

/* A description takes one column of numbers for what it is in all likelihood: a file of labels. */
static bool is_label_file(const struct reading *reading, const struct array_shape *shape) {
    bool numbers = shape->kind != ELEMENT_TEXT && shape->kind != ELEMENT_BYTES;
    if (!reading->surveys || shape->dims != 1 || !numbers || shape->rows == 0) return false;
    warn(reading->ctx, "labels-alone",
         "%s has one number a row and no features, as a file for " OPTION "labels has",
         reading->source.file.name);
    return true;
}

static sepal_status read_array_read_shape(struct reading *reading, struct array_shape *shape) {
    const char *file = reading->source.file.name;
    TRY(refuse_text_options(reading));
    TRY(array_header(shape, reading->ctx, &reading->source, reading->format->array));
    if (is_label_file(reading, shape)) return await_row(reading, shape);
    TRY(array_check_table(reading->ctx, shape, file));
    TRY(await_row(reading, shape));
    return look_for_labels(reading);
}

sepal_status read_array(struct reading *reading) {
    struct array_layout layout = {.table = &reading->table};
    const struct array_shape *shape = &layout.shape;
    bool mapped;
    TRY(read_array_read_shape(reading, &layout.shape));
    TRY(read_array_name_columns(reading, shape->cols));
    TRY(table_plan(reading));
    /* what follows the elements is no row, however much it is; it is counted afterwards */
    reading->chunks.bytes = shape->rows * shape->cols * shape->bytes;
    TRY(array_map(&mapped, reading, &layout));
    if (mapped) return SEPAL_OK;
    TRY(table_parse(reading, &array_chunk_format, &layout));
    return check_length(reading, shape);
}
