/* Delimited text: which marks it uses, whether line 1 is a header, then as any table. */
#include "io/csv.h"
#include "io/reading.h"
#include "io/write.h"

#include <string.h>

static sepal_status named_delimiter(char *out, sepal_ctx *ctx, const char *wish) {
    static const struct {
        const char *word;
        char delimiter;
    } words[] = {{"tab", '\t'}, {"\\t", '\t'}, {"blank", ' '}, {"space", ' '}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(wish, words[i].word) == 0) {
            *out = words[i].delimiter;
            return SEPAL_OK;
        }
    /* what numbers, names and quotes are made of cannot stand between cells */
    unsigned char c = (unsigned char)wish[0];
    bool mark = c && !wish[1] && (c == ' ' || c == '\t' || (c > ' ' && c < 0x7f)) &&
                !strchr("\"+-._'", c) && !(c >= '0' && c <= '9') &&
                !((c | 32) >= 'a' && (c | 32) <= 'z');
    *out = wish[0];
    if (mark) return SEPAL_OK;
    return fail(ctx, SEPAL_EUSAGE,
                "'%.40s' cannot be the delimiter; it is one of , ; | : tab blank or another mark",
                wish);
}

static sepal_status choose_marks(struct reading *reading, struct csv_marks *marks) {
    const char *bytes, *wish = reading->options.delimiter;
    size_t n;
    /* never: they were looked at before, for the format */
    TRY(source_peek(&reading->source, reading->ctx, DETECT_BYTES, &bytes, &n));
    *marks = (struct csv_marks){.delimiter = reading->format->delimiter,
                                .eol = detect_eol(bytes, n),
                                .quotes = reading->options.quote,
                                .comma = reading->options.decimal == DECIMAL_COMMA};
    if (wish) TRY(named_delimiter(&marks->delimiter, reading->ctx, wish));
    if (marks->delimiter == ',' && marks->comma)
        return fail(reading->ctx, SEPAL_EUSAGE,
                    "a comma cannot be both the " OPTION "delimiter and, by " OPTION
                    "decimal comma, the decimal mark; leave one of them out");
    if (marks->delimiter) return SEPAL_OK;
    return detect_delimiter(&marks->delimiter, reading->ctx, bytes, n, *marks);
}

/* Skip blank lines at the top, so that the first line is the header or the first row. */
static sepal_status skip_blank_lines(struct reading *reading, struct csv_marks marks) {
    for (;;) {
        const char *bytes;
        size_t n;
        TRY(reading_peek_records(reading, marks, 1, &bytes, &n));
        if (n == 0 || !csv_is_blank(bytes, bytes + n, marks)) return SEPAL_OK;
        reading_skip_line(reading, bytes, n, marks.eol);
    }
}

/* A cell of line 1 is what an option calls a column. */
static bool is_called(const struct read_options *options, const struct csv_sample *sample) {
    const char *const lists[] = {options->target, options->weight, options->drop,
                                 options->only,   options->keep,   options->categorical,
                                 options->group};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        for (size_t c = 0; lists[i] && c < sample->cells; c++)
            if (column_list_names(lists[i], sample->cell[c].text)) return true;
    return false;
}

static sepal_status has_header(struct reading *reading, const struct csv_sample *sample,
                               bool *header) {
    *header = reading->options.header == HEADER_YES;
    if (reading->options.header != HEADER_AUTO) return SEPAL_OK;
    /* For a model trained without a header, rows of text alone must not be taken for one. */
    bool named = !reading->known || reading->known->header;
    *header = is_called(&reading->options, sample) ||
              (named ? detect_header(sample) : detect_names(sample));
    if (*header || !reading->known) return SEPAL_OK;
    struct tokens first = {0};
    sepal_status status = SEPAL_OK;
    uint32_t at;
    bool fresh;
    for (size_t c = 0; c < sample->cells && status == SEPAL_OK; c++)
        status = tokens_add(&first, reading->ctx, sample->cell[c].text, &at, &fresh);
    if (status == SEPAL_OK) *header = columns_named(reading->known, &first);
    tokens_clear(&first);
    return status;
}

/* The first record is faulty: let the parser say what and where. */
static bool sample_is_whole(const struct csv_sample *sample) {
    for (size_t c = 0; c < sample->cells; c++)
        if (sample->cell[c].fault) return false;
    return true;
}

/* Count the line ends from one place to the next; *start becomes the start of the line. */
static void read_csv_count_lines(const char *from, const char *to, char eol, size_t *line,
                                 const char **start) {
    while ((from = memchr(from, eol, (size_t)(to - from)))) {
        *start = ++from;
        ++*line;
    }
}

/* Line 1 and a file cannot both name the columns. */
static sepal_status refuse_two_headers(struct reading *reading) {
    if (!reading->columns.header || !reading->options.names) return SEPAL_OK;
    return fail_at(reading->ctx, SEPAL_EDATA, reading->source.file.name, reading->line, 1,
                   "this line names the columns already; leave out " OPTION "names, or say " OPTION
                   "header no if it is a row, or " OPTION "skip %zu to leave it out",
                   reading->line);
}

/* A header may have line ends in quotes. */
static sepal_status read_csv_name_columns(struct reading *reading, const struct csv_sample *sample,
                                          const char *record, char eol) {
    const char *start = record, *seen = record;
    size_t line = reading->line;
    TRY(table_name_room(reading, sample->cells, line));
    for (size_t c = 0; c < sample->cells; c++) {
        struct slice name = sample->cell[c].text;
        const char *p = sample->cell[c].start;
        read_csv_count_lines(seen, p, eol, &line, &start);
        seen = p;
        size_t column = (size_t)(p - start) + 1;
        bool named = reading->columns.header && name.length;
        TRY(named ? table_name_column(reading, name, line, column)
                  : table_number_column(reading, line, column));
    }
    return SEPAL_OK;
}

static void skip_header(struct reading *reading, const char *bytes, size_t n,
                        struct csv_marks marks) {
    const char *end = bytes + n, *next = csv_record_end(bytes, end, marks);
    if (!next) next = end;
    const char *start = bytes;
    read_csv_count_lines(bytes, next, marks.eol, &reading->line, &start);
    reading->line += next[-1] != marks.eol;
    source_skip(&reading->source, (size_t)(next - bytes));
}

/* No other of the sampled lines has as many cells as the first: it belongs to no table. */
static bool stands_alone(const struct csv_sample *sample, const char *bytes, size_t n,
                         struct csv_marks marks) {
    const char *end = bytes + n, *p = bytes;
    size_t records = 0;
    for (; p && p < end && records < 3; records++) p = csv_record_end(p, end, marks);
    return sample->rows == 1 && records == 3;
}

/* A description goes on below such lines, and says so. */
static sepal_status take_sample(struct reading *reading, struct csv_marks marks,
                                struct csv_sample *sample, const char **bytes, size_t *n) {
    for (;;) {
        TRY(skip_blank_lines(reading, marks));
        TRY(reading_peek_records(reading, marks, HEADER_ROWS + 1, bytes, n));
        if (*n == 0) return reading_refuse_empty(reading, "there is nothing in this file");
        TRY(csv_sample_take(sample, reading->ctx, &reading->arena, *bytes, *n, marks));
        if (!reading->lenient || !stands_alone(sample, *bytes, *n, marks)) return SEPAL_OK;
        warn(reading->ctx, "line-alone",
             "line %zu has %zu cell%s, unlike those below it, and is left out; " OPTION
             "skip %zu does that for other commands",
             reading->line, sample->cells, sample->cells == 1 ? "" : "s", reading->line);
        reading->data->facts->bad_lines++;
        reading_skip_line(reading, *bytes, *n, marks.eol);
    }
}

/* Read the header and decide what the columns are; the source is left at the first row. */
static sepal_status read_csv_plan(struct reading *reading, struct csv_marks marks) {
    const char *bytes = NULL;
    size_t n = 0;
    bool named;
    struct csv_sample sample = {0};
    struct columns *columns = &reading->columns;
    TRY(take_sample(reading, marks, &sample, &bytes, &n));
    columns->header_line = reading->line;
    if (sample_is_whole(&sample)) TRY(has_header(reading, &sample, &columns->header));
    TRY(refuse_two_headers(reading));
    TRY(table_file_names(reading, sample.cells, reading->line, &named));
    if (!named) TRY(read_csv_name_columns(reading, &sample, bytes, marks.eol));
    if (columns->header && !named) skip_header(reading, bytes, n, marks);
    return table_plan(reading);
}

static sepal_status read_csv(struct reading *reading) {
    struct csv_layout layout = {.table = &reading->table};
    TRY(choose_marks(reading, &layout.marks));
    reading->delimiter = layout.marks.delimiter;
    TRY(read_csv_plan(reading, layout.marks));
    reading->table.comma = layout.marks.comma;
    reading->table.advises = !layout.marks.comma && layout.marks.delimiter != ',';
    return table_parse(reading, &csv_chunk_format, &layout);
}

const struct format format_csv = {
    .name = "csv",
    .summary = "delimited text with or without a header; , ; | tab or blanks",
    .extensions = {".csv"},
    .read = read_csv,
    .writer = &table_writer,
};

const struct format format_tsv = {
    .name = "tsv",
    .summary = "the same, cells separated by tabs",
    .extensions = {".tsv"},
    .delimiter = '\t',
    .read = read_csv,
    .writer = &table_writer,
};
