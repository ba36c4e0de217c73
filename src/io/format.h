/* Formats of data. A format is a constant struct format, in the file that reads it or its header
   (read_csv.c, npy.c, ...), and one line in formats.def. */
#ifndef SEPAL_IO_FORMAT_H
#define SEPAL_IO_FORMAT_H

#include "data/schema.h"

struct reading;

struct format {
    const char *name, *summary;
    const char *extensions[3]; /* the last is NULL */
    enum family family;
    char delimiter; /* between the cells of a table; 0: the file shows it, and commas are written */
    const struct array_format *array; /* numbers in binary, labels in a second file; NULL: text */
    /* Whether a file that begins with these bytes is one; NULL: that does not show. */
    bool (*detect)(const char *bytes, size_t n);
    /* From the first byte that counts: plan, and parse all rows into chunks. */
    sepal_status (*read)(struct reading *reading);
    const struct writer *writer; /* io/write.h; NULL: it is only read */
};

extern const struct format *const format_table[]; /* ends with NULL */

const struct format *format_find(const char *name);
/* The first of a family, for what does not show what it is. */
const struct format *format_of_family(enum family family);
/* By the extension, before which path[0 .. *stem-1] stands (`stem` may be NULL); NULL: none that is
   known, and *stem is all but the extension of a packing. */
const struct format *format_of_path(const char *path, size_t *stem);
/* By the first bytes, among the formats of arrays or those of text; NULL: none of them. */
const struct format *format_of_bytes(const char *bytes, size_t n, bool array);

static inline bool format_is_array(const struct format *format) {
    return format->array != NULL;
}
static inline bool format_is_written(const struct format *format) {
    return format->writer != NULL;
}
/* "csv, tsv or npy" of those that are wanted (NULL: all), with `last` before the last of them. */
enum { FORMATS_SHOWN_BYTES = 256 };
const char *formats_shown(char out[FORMATS_SHOWN_BYTES], bool (*wanted)(const struct format *),
                          const char *last);

#endif
