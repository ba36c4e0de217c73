/* @NAME@: lines of cells with semicolons between them and no header; the last cell is the label. A
   skeleton: say here how the format looks, and where it is written down. */
#include "io/csv.h"
#include "io/reading.h"

static sepal_status @name@_refuse_options(struct reading *reading) {
    const struct read_options *options = &reading->options;
    const struct reading_option tables[] = {{"delimiter", options->delimiter != NULL},
                                            {"header", options->header == HEADER_YES},
                                            {0}};
    return reading_refuse_options(reading, tables, "csv", "@NAME@ has semicolons and no header");
}

/* The columns have no names but their numbers; table_plan then decides what they are for. */
static sepal_status @name@_plan(struct reading *reading, struct csv_marks marks) {
    const char *bytes;
    size_t n;
    struct csv_sample sample;
    TRY(reading_peek_records(reading, marks, 1, &bytes, &n));
    if (n == 0 || csv_is_blank(bytes, bytes + n, marks))
        return reading_refuse_empty(reading, "there is nothing in the first line");
    TRY(csv_sample_take(&sample, reading->ctx, &reading->arena, bytes, n, marks));
    TRY(table_name_room(reading, sample.cells, reading->line));
    for (size_t c = 0; c < sample.cells; c++) {
        size_t place = (size_t)(sample.cell[c].start - bytes) + 1;
        TRY(table_number_column(reading, reading->line, place));
    }
    return table_plan(reading);
}

static sepal_status read_@name@(struct reading *reading) {
    struct csv_layout layout = {.table = &reading->table,
                                .marks = {.delimiter = ';', .eol = '\n'}};
    TRY(@name@_refuse_options(reading));
    TRY(@name@_plan(reading, layout.marks));
    return table_parse(reading, &csv_chunk_format, &layout);
}

const struct format format_@name@ = {
    .name = "@NAME@",
    .summary = "lines of cells with semicolons between them, the label last",
    .extensions = {".@NAME@"},
    .delimiter = ';',
    .read = read_@name@,
};
