/* Delimited text: how it is cut into cells (csv_cells.c) and parsed (csv_parse.c). */
#ifndef SEPAL_IO_CSV_H
#define SEPAL_IO_CSV_H

#include "data/cell_value.h"
#include "io/table.h"

/* The marks between cells and lines. A blank as delimiter stands for runs of blanks and tabs. */
struct csv_marks {
    char delimiter, eol;
    bool quotes;
    bool comma; /* the decimal mark is a comma, not a point */
};

/* Scan one cell from p: returns the byte after it (a delimiter, an end of line, or `end`). Text with
   doubled quotes is put together in *scratch, whose room is at least end - p. */
const char *csv_cell_next(const char *p, const char *end, struct csv_marks marks, char *scratch,
                          struct table_cell *out);
/* Step over a delimiter: true when another cell follows, *p moved to it. */
bool csv_cell_more(const char **p, const char *end, struct csv_marks marks);
/* The byte after the record that begins at p, its line end included; NULL when no line end comes. */
const char *csv_record_end(const char *p, const char *end, struct csv_marks marks);
/* The record's cells as many as fit into out[most]; returns their true number, 0 for a blank line. */
size_t csv_split(const char *p, const char *end, struct csv_marks marks, char *scratch,
                 struct table_cell *out, size_t most);

bool csv_is_blank(const char *p, const char *end, struct csv_marks marks); /* the line at p */
/* Append a cell as CSV, in quotes where it needs them. */
void csv_put(sepal_ctx *ctx, struct text *out, struct slice cell);
void csv_put_quoted(sepal_ctx *ctx, struct text *out, struct slice cell);

struct csv_layout {
    struct csv_marks marks;
    const struct table_layout *table;
};

extern const struct chunk_format csv_chunk_format;

#endif
