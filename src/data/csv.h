/* Delimited text: how it is cut into cells, what each cell of a row is for, how a chunk is parsed. */
#ifndef SEPAL_DATA_CSV_H
#define SEPAL_DATA_CSV_H

#include "data/chunks.h"
#include "data/read_options.h"
#include "data/schema.h"

/* The marks between cells and lines. A blank as delimiter stands for runs of blanks and tabs. */
struct csv_marks {
    char delimiter, eol;
    bool quotes;
};

struct csv_cell {
    struct slice text; /* without quotes and surrounding blanks */
    const char *start; /* where it begins in the file's bytes */
    const char *fault; /* what is wrong with it, NULL: nothing; then `start` is the place */
};

/* Scan one cell from p: returns the byte after it (a delimiter, an end of line, or `end`). Text with
   doubled quotes is put together in *scratch, whose room is at least end - p. */
const char *csv_cell_next(const char *p, const char *end, struct csv_marks marks, char *scratch,
                          struct csv_cell *out);
/* Step over a delimiter: true when another cell follows, *p moved to it. */
bool csv_cell_more(const char **p, const char *end, struct csv_marks marks);
/* The byte after the record that begins at p, its line end included; NULL when no line end comes. */
const char *csv_record_end(const char *p, const char *end, struct csv_marks marks);
/* The record's cells as many as fit into out[most]; returns their true number, 0 for a blank line. */
size_t csv_split(const char *p, const char *end, struct csv_marks marks, char *scratch,
                 struct csv_cell *out, size_t most);

bool csv_is_missing(struct slice text); /* empty ? NA N/A NaN null, in any case */
bool csv_is_number(struct slice text, double *value);
bool csv_is_blank(const char *p, const char *end, struct csv_marks marks); /* the line at p */
/* Append a cell as CSV, in quotes where it needs them. */
void csv_put(sepal_ctx *ctx, struct text *out, struct slice cell);

enum role { ROLE_IGNORE, ROLE_FEATURE, ROLE_LABEL, ROLE_WEIGHT };
struct csv_role {
    enum role role;
    size_t feature;             /* its number among the features */
    bool as_text;               /* never read as a number */
    const struct column *known; /* reading for a model: what the column was in training */
    bool keep;
    const char *name; /* for messages; "" without a header */
};

struct csv_layout {
    struct csv_marks marks;
    size_t n_cells, n_features;
    struct csv_role *roles; /* one per cell */
    bool labels, weights, keeps, unknown_zero;
    bool drops; /* the model's rule: rows with missing values are not decided */
};

extern const struct chunk_format csv_chunk_format;

#endif
