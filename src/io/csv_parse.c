/* One chunk of delimited text to parsed rows. The common cell, a plain number followed by a delimiter,
   is read without looking for its end first. */
#include "core/decimal.h"
#include "io/csv.h"

#include <string.h>

struct csv_parser {
    struct table_rows rows;
    struct csv_marks marks;
    const char *end;
};

/* A row of weight 0 is known by a look ahead. */
static bool csv_is_weightless(const struct csv_parser *parser, const char *p) {
    const struct table_layout *layout = parser->rows.layout;
    struct table_cell cell;
    double weight;
    /* never: past the last cell, the weight is one of them */
    for (size_t c = 0; c < layout->n_cells; c++) {
        p = csv_cell_next(p, parser->end, parser->marks, parser->rows.scratch->unquoted, &cell);
        if (cell.fault) return false;
        if (layout->roles[c].role == ROLE_WEIGHT)
            return table_number(layout, cell.text, &weight) && weight == 0;
        if (!csv_cell_more(&p, parser->end, parser->marks)) return false;
    }
    return false;
}

static void csv_count_lines(struct csv_parser *parser, const char *from, const char *to) {
    for (char eol = parser->marks.eol; (from = memchr(from, eol, (size_t)(to - from)));) {
        parser->rows.line++;
        parser->rows.line_start = ++from;
    }
}

/* A number that ends at a delimiter, read in one go; NULL when the cell is anything else. */
static const char *quick_number(struct csv_parser *parser, const struct table_role *role,
                                const char *p) {
    double value;
    if (role->role != ROLE_FEATURE || role->as_text || role->keep || parser->rows.weightless)
        return NULL;
    const char *after = parser->marks.comma ? decimal_comma_read(p, parser->end, &value)
                                            : decimal_read(p, parser->end, &value);
    if (!after || after == parser->end) return NULL;
    if (*after != parser->marks.delimiter && *after != parser->marks.eol) return NULL;
    rows_number(&parser->rows, role, value);
    return after;
}

static sepal_status csv_parse_row(struct csv_parser *parser, const char **at) {
    struct table_rows *rows = &parser->rows;
    const struct table_layout *layout = rows->layout;
    const char *p = *at;
    size_t c = 0;
    TRY(rows_begin(rows));
    if (layout->weights) rows->weightless = csv_is_weightless(parser, p);
    do {
        if (c == layout->n_cells) return rows_refuse_length(rows, p, c + 1);
        const struct table_role *role = &layout->roles[c];
        c++;
        const char *after = quick_number(parser, role, p);
        if (!after) {
            struct table_cell cell;
            after =
                csv_cell_next(p, parser->end, parser->marks, parser->rows.scratch->unquoted, &cell);
            if (cell.fault) csv_count_lines(parser, p, cell.start);
            TRY(rows_take(rows, role, &cell));
            if (cell.quoted) csv_count_lines(parser, cell.start, after);
        }
        p = after;
    } while (csv_cell_more(&p, parser->end, parser->marks));
    if (c < layout->n_cells) return rows_refuse_length(rows, p, c);
    *at = p;
    return rows_end(rows);
}

/* Whichever cell of the record it was that could not be taken. */
static bool has_bad_quote(const struct csv_parser *parser, const char *p) {
    struct table_cell cell;
    do {
        p = csv_cell_next(p, parser->end, parser->marks, parser->rows.scratch->unquoted, &cell);
        if (cell.fault) return cell.quoted;
    } while (csv_cell_more(&p, parser->end, parser->marks));
    return false;
}

/* Behind a bad record; behind its first line where its quotes are wrong, for who knows what they
   enclose. */
static const char *skip_record(struct csv_parser *parser, const char *row) {
    struct csv_marks marks = parser->marks;
    marks.quotes = marks.quotes && !has_bad_quote(parser, row);
    const char *next = csv_record_end(row, parser->end, marks);
    if (!next) next = parser->end;
    parser->rows.line = parser->rows.row_line;
    csv_count_lines(parser, row, next);
    if (next[-1] != marks.eol) parser->rows.line++;
    return next;
}

static sepal_status csv_parse_lines(struct csv_parser *parser, const char *bytes) {
    struct table_rows *rows = &parser->rows;
    const char *p = bytes;
    while (p < parser->end) {
        rows->line_start = p;
        if (!csv_is_blank(p, parser->end, parser->marks)) {
            TRY(parsed_note_place(rows->parsed, rows->ctx, (size_t)(p - bytes)));
            sepal_status status = csv_parse_row(parser, &p);
            if (rows_forgive(rows, &status)) {
                p = skip_record(parser, p);
                continue;
            }
            TRY(status);
        }
        while (p < parser->end && *p != parser->marks.eol) p++;
        if (p < parser->end) p++;
        rows->line++;
    }
    rows->parsed->lines = rows->line;
    return SEPAL_OK;
}

static sepal_status csv_parse(struct parsed_chunk *out, sepal_ctx *ctx, const char *bytes, size_t n,
                              const void *memory, void *scratch) {
    const struct csv_layout *layout = memory;
    struct csv_parser parser = {.marks = layout->marks, .end = bytes + n};
    TRY(rows_init(&parser.rows, ctx, layout->table, out, scratch, n));
    TRY(csv_parse_lines(&parser, bytes));
    return rows_finish(&parser.rows);
}

static size_t csv_whole(const char *bytes, size_t n, const void *memory) {
    const struct csv_layout *layout = memory;
    const char *end = bytes + n;
    if (!layout->marks.quotes || !memchr(bytes, '"', n))
        return chunk_whole_lines(bytes, n, layout->marks.eol);
    const char *done = bytes;
    for (const char *next; (next = csv_record_end(done, end, layout->marks));) done = next;
    return (size_t)(done - bytes);
}

const struct chunk_format csv_chunk_format = {
    .whole = csv_whole,
    .parse = csv_parse,
    .lines = true,
    .scratch_size = sizeof(struct table_scratch),
    .scratch_clear = table_scratch_clear,
};
