/* What a file is, judged by its name and its first bytes. */
#ifndef SEPAL_IO_DETECT_H
#define SEPAL_IO_DETECT_H

#include "io/csv.h"

enum format {
    FORMAT_CSV = 1,
    FORMAT_TSV,
    FORMAT_LIBSVM,
    FORMAT_ARFF,
    FORMAT_NPY,
    FORMAT_IDX,
    N_FORMATS = FORMAT_IDX
};
struct format_row {
    const char *name, *summary;
    enum format format;
    const char *extensions[3]; /* the last is NULL */
};
extern const struct format_row format_table[]; /* ends with a row without name */

enum { DETECT_BYTES = 1 << 16, HEADER_ROWS = 100 };

/* By magic bytes; 0: none. What is known but no data is refused. */
sepal_status detect_magic(enum format *out, sepal_ctx *ctx, const char *file, const char *bytes,
                          size_t n);
enum format detect_format(const char *path, const char *bytes, size_t n);
enum format format_of_extension(const char *path); /* 0: none that is known */
char detect_eol(const char *bytes, size_t n);
/* The delimiter that cuts all lines into the same number of cells, else the one that does so for
   most lines. */
sepal_status detect_delimiter(char *out, sepal_ctx *ctx, const char *bytes, size_t n, char eol,
                              bool quotes);

/* The first record of a table, split into cells, and what the next ones tell about its columns. */
struct csv_sample {
    size_t rows, cells; /* cells of row 0; a row with another number is not sampled */
    struct table_cell *cell;
    struct csv_evidence {
        bool numbers, texts; /* below row 0 */
        bool recurs;         /* the cell of row 0 does, below it */
    } * below;
};
sepal_status csv_sample_take(struct csv_sample *out, sepal_ctx *ctx, struct arena *arena,
                             const char *bytes, size_t n, struct csv_marks marks);
/* Line 1 names a column of numbers. */
bool detect_names(const struct csv_sample *sample);
/* The same, or no column is numeric and no cell of line 1 recurs below. */
bool detect_header(const struct csv_sample *sample);

#endif
