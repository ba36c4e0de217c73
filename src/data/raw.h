/* What the parser of a text format makes of one chunk of the file, before it is known what the
   whole file holds: whether a column is numbers or text, which categories and labels there are,
   whether indices begin at 0. */
#ifndef SEPAL_DATA_RAW_H
#define SEPAL_DATA_RAW_H

#include "data/matrix.h"
#include "data/tokens.h"

/* A place in a chunk: lines from 0, columns from 1. Column 0: nowhere. */
struct spot {
    size_t line, column;
};

/* What was met in one feature column of a table. */
struct raw_column {
    size_t numbers, texts, missing;
    struct spot first_text, first_missing;
    struct tokens *tokens; /* its texts; NULL while there are none */
    uint32_t *category;    /* of each token; NULL: cells hold categories already */
};

enum { NO_LABEL = UINT32_MAX };

struct raw {
    size_t rows, lines;
    size_t first_line; /* number of the chunk's first line, from 1; known when all are parsed */

    struct tokens labels;
    uint32_t *label; /* token of each row, or NO_LABEL; NULL when labels are not read */
    struct spot first_unlabelled, first_set;
    double *weight;    /* NULL: none */
    size_t weightless; /* rows of weight 0, which are left out at once */

    /* Table: cells of the feature columns, row-major; text as the number of its token, NaN where
       missing, UNKNOWN_CATEGORY for a text that the model has not seen. */
    size_t n_columns;
    struct raw_column *columns;
    double *f64_cells;
    float *f32_cells; /* instead, where that is exact */
    char *kept;       /* cells carried along, zero-terminated CSV per row */
    size_t *kept_at;  /* where each row's begin */

    /* Indexed: the rows as one sparse block, indices as written. */
    struct block entries;
    uint32_t max_index; /* 0 also when there is none */
    bool index_zero;
    size_t ignored; /* entries whose index the model does not know */

    bool *drop;                  /* rows left out for a missing value; NULL: none */
    size_t kept_rows, first_row; /* rows that stay, and the number of the first of them */
    atomic_size_t unread;        /* rows not yet moved to the matrix */
};

enum { UNKNOWN_CATEGORY = -1 };

void raw_clear(struct raw *raw);
/* Give back what the matrix now has. */
void raw_clear_cells(struct raw *raw);

static inline double raw_cell(const struct raw *raw, size_t row, size_t column) {
    size_t at = row * raw->n_columns + column;
    return raw->f32_cells ? (double)raw->f32_cells[at] : raw->f64_cells[at];
}

#endif
