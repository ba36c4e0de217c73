/* What the first bytes of a file show: what is no data, the line ends, and of a table its delimiter and
   header. */
#ifndef SEPAL_IO_DETECT_H
#define SEPAL_IO_DETECT_H

#include "io/csv.h"

enum { DETECT_BYTES = 1 << 16, HEADER_ROWS = 100 };

/* Refuse what is known by its magic bytes and no data. */
sepal_status detect_refuse(sepal_ctx *ctx, const char *file, const char *bytes, size_t n);
char detect_eol(const char *bytes, size_t n);
/* The delimiter that cuts all lines into the same number of cells, else the one that does so for
   most lines; with the marks that are known, whatever their delimiter. */
sepal_status detect_delimiter(char *out, sepal_ctx *ctx, const char *bytes, size_t n,
                              struct csv_marks marks);

/* The first record of a table, split into cells, and what the next ones tell about its columns. */
struct csv_sample {
    size_t rows, cells; /* cells of row 0; a row with another number is not sampled */
    bool comma;         /* the decimal mark */
    struct table_cell *cell;
    struct csv_evidence {
        size_t numbers, texts; /* below row 0 */
        bool recurs;           /* the cell of row 0 does, below it */
    } * below;
};
sepal_status csv_sample_take(struct csv_sample *out, sepal_ctx *ctx, struct arena *arena,
                             const char *bytes, size_t n, struct csv_marks marks);
/* Line 1 names a column of numbers. */
bool detect_names(const struct csv_sample *sample);
/* The same, or no column is numeric and no cell of line 1 recurs below. */
bool detect_header(const struct csv_sample *sample);

#endif
