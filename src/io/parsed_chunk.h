/* What the parser of a text format makes of one chunk of the file, before it is known what the
   whole file holds: whether a column is numbers or text, which categories and labels there are,
   whether indices begin at 0. */
#ifndef SEPAL_IO_PARSED_CHUNK_H
#define SEPAL_IO_PARSED_CHUNK_H

#include "data/matrix.h"
#include "data/tokens.h"

/* A place in a chunk: lines from 0, columns from 1. Column 0: nowhere. */
struct spot {
    size_t line, column;
};

static inline bool spot_earlier(struct spot a, struct spot b) {
    return a.line < b.line || (a.line == b.line && a.column < b.column);
}

/* Lines that are left out because something is wrong with them: how many, and the first few. */
enum { BAD_LINES_SHOWN = 5 };
struct bad_lines {
    size_t count, shown;
    struct bad_line {
        struct spot spot;
        char *message;
    } line[BAD_LINES_SHOWN]; /* in order of their places */
};

/* What was met in one feature column of a table. */
struct parsed_column {
    size_t numbers, texts, missing;
    size_t commas; /* texts that would be numbers if a comma were the decimal mark */
    struct spot first_text, first_missing, first_comma;
    struct tokens *tokens; /* its texts; NULL while there are none */
    uint32_t *category;    /* of each token; NULL: cells hold categories already */
};

/* A text in a column that may turn out to hold numbers, or a LIBSVM row without a label where others
   may turn out to have one each: then its line is a bad one. */
struct odd_text {
    size_t row, feature;
    struct spot spot;
    uint32_t token;
    uint32_t max_index; /* of the LIBSVM row, not yet among those of the chunk */
    bool index_zero;
};

enum { NO_LABEL = UINT32_MAX };

/* What indexed rows say beside their labels and entries; all of it is undone with a bad line. */
struct index_notes {
    struct spot first_unlabelled, first_set; /* label sets */
    uint32_t max_index;                      /* 0 also when there is none */
    bool index_zero;
    size_t ignored; /* entries whose index the model does not know */
};

struct parsed_chunk {
    size_t rows, lines;
    size_t first_line; /* number of the chunk's first line, from 1; known when all are parsed */
    /* A record is a row, or one that was left out. Files beside the data go by record. */
    size_t first_record; /* number of the chunk's first; known in time where records are in order */
    size_t *left_out;    /* numbers in the chunk of the records left out, rising */
    size_t n_left_out, left_out_room;
    bool notes_places; /* where each record begins in the chunk is wanted: place[0 .. n_places-1] */
    size_t *place, n_places, place_room;
    size_t bytes; /* length of the chunk */
    struct bad_lines bad;
    struct odd_text *odd; /* noted only where bad lines are left out */
    size_t n_odd, odd_room;

    struct tokens labels;
    uint32_t *label;   /* token of each row, or NO_LABEL; NULL when labels are not read */
    double *weight;    /* NULL: none */
    size_t weightless; /* rows of weight 0, which are left out at once */

    /* Table: cells of the feature columns, row-major; text as the number of its token, NaN where
       missing, UNKNOWN_CATEGORY for a text that the model has not seen. */
    size_t n_columns;
    struct parsed_column *columns;
    double *f64_cells;
    float *f32_cells; /* instead, where that is exact */
    char *kept;       /* cells carried along, zero-terminated CSV per row */
    size_t *kept_at;  /* where each row's begin */

    /* Sparse: the rows as one sparse block, indices as written, or the numbers of features. */
    struct block entries;
    struct index_notes notes;

    size_t tail_bytes; /* array: bytes at the end that are no whole row */

    bool *drop;                  /* rows left out after all; NULL: none */
    size_t bad_rows;             /* of these, the ones that are bad lines */
    size_t kept_rows, first_row; /* rows that stay, and the number of the first of them */
    atomic_size_t unread;        /* rows not yet moved to the matrix */
};

sepal_status bad_lines_add(struct bad_lines *bad, sepal_ctx *ctx, struct spot spot,
                           const char *message);
void parsed_clear(struct parsed_chunk *parsed);
/* Note an oddity of the row that is being parsed. */
sepal_status parsed_add_odd(struct parsed_chunk *parsed, sepal_ctx *ctx, struct odd_text odd);
/* Note that the next record is no row. */
sepal_status parsed_leave_out(struct parsed_chunk *parsed, sepal_ctx *ctx);
/* Note where a record begins, if that is wanted. */
sepal_status parsed_note_place(struct parsed_chunk *parsed, sepal_ctx *ctx, size_t place);
static inline size_t parsed_records(const struct parsed_chunk *parsed) {
    return parsed->rows + parsed->n_left_out;
}
/* The record in the chunk that is row r, to be asked for r = 0, 1, ...; *skipped is 0 before. */
static inline size_t parsed_record(const struct parsed_chunk *parsed, size_t r, size_t *skipped) {
    while (*skipped < parsed->n_left_out && parsed->left_out[*skipped] == r + *skipped) ++*skipped;
    return r + *skipped;
}
/* The weight of the next record, which is 1 where the file of weights ends before it. */
static inline double parsed_next_weight(const struct parsed_chunk *parsed, const double *weight,
                                        size_t n_weights) {
    size_t record = parsed->first_record + parsed_records(parsed);
    return record < n_weights ? weight[record] : 1;
}
/* Whether a row is left out after all. */
static inline bool parsed_drops(const struct parsed_chunk *parsed, size_t row) {
    return parsed->drop && parsed->drop[row];
}
/* Labels and weights of all rows (NULL: none), in memory of their true size. */
sepal_status parsed_keep(struct parsed_chunk *parsed, sepal_ctx *ctx, const uint32_t *label,
                         const double *weight);
void *parsed_copy(sepal_ctx *ctx, const void *from, size_t count, size_t size);
/* Give back what the matrix now has. */
void parsed_clear_cells(struct parsed_chunk *parsed);

static inline double parsed_cell(const struct parsed_chunk *parsed, size_t row, size_t column) {
    size_t at = row * parsed->n_columns + column;
    return parsed->f32_cells ? (double)parsed->f32_cells[at] : parsed->f64_cells[at];
}

#endif
