/* ARFF, the text format of Weka: attributes are declared (arff_header.c), then come rows, dense or
   sparse (arff_parse.c). */
#ifndef SEPAL_IO_ARFF_H
#define SEPAL_IO_ARFF_H

#include "io/table.h"

enum arff_kind { ARFF_NUMBER, ARFF_NOMINAL, ARFF_TEXT };
struct arff_attribute {
    struct slice name;
    enum arff_kind kind;
    struct spot spot;    /* where it is declared: its line from 0 */
    size_t n_values;     /* nominal: the values */
    const char **values; /* sorted bytewise */
    const char *first;   /* the one declared first, which sparse rows leave out */
};

struct arff_header {
    size_t n;
    struct arff_attribute *attributes;
    size_t lines, bytes; /* of the header, the line @data included */
};

static inline bool arff_is_blank(char c) {
    return c == ' ' || c == '\t';
}

/* Where the line behind @data begins, 0 when these bytes have no such line. */
size_t arff_find_data(const char *bytes, size_t n, char eol);
/* Parse the header, which ends with @data. Errors carry their place: line from `first_line`. */
sepal_status arff_header_parse(struct arff_header *out, sepal_ctx *ctx, struct arena *arena,
                               const char *file, size_t first_line, const char *bytes, size_t n,
                               char eol);

/* Scan a value from p: plain, or in single or double quotes with \ before what is meant literally.
   Text with such marks is put together in *scratch, whose room is at least end - p. `delimiter` is
   a comma, or a blank for runs of blanks; closing braces end a plain value, too, if `braces`. */
const char *arff_value_next(const char *p, const char *end, char delimiter, bool braces,
                            char *scratch, struct table_cell *out);

struct arff_layout {
    char eol, delimiter;
    const struct arff_attribute *attributes;
    size_t *others; /* cells that a sparse row cannot leave out silently: no plain numbers */
    size_t n_others;
    const struct table_layout *table;
};

extern const struct chunk_format arff_chunk_format;

#endif
