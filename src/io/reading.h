/* A file being read: what the readers of the formats share, which is in read.c and, for tables, in
   read_table.c. */
#ifndef SEPAL_IO_READING_H
#define SEPAL_IO_READING_H

#include "data/data.h"
#include "io/columns.h"
#include "io/detect.h"
#include "io/format.h"
#include "io/labels_file.h"

struct reading {
    sepal_ctx *ctx;
    const char *path;
    struct read_options options;
    const struct format *format;
    const struct schema *known; /* of the model, NULL when learning */
    bool with_labels;
    bool surveys;   /* the rows are only described, see data_survey */
    bool places;    /* of the records in the file are to be noted */
    bool lenient;   /* and nothing in a cell is refused, unless bad lines are to be left out */
    char delimiter; /* of a table of text; 0: none */
    struct schema *learnt; /* being made, NULL when reading for a model */
    struct arena arena;
    struct source source;
    size_t line;                        /* number of the line at which the source stands */
    struct labels_file labels, weights; /* from files beside the data; without a file: none */
    struct labels_file names;           /* likewise, of features that are indices */
    char *sibling;                      /* path of a label file that was found, not asked for */
    struct columns columns;             /* of a table, as are */
    struct table_layout table;          /* what they are for; both empty where rows are indexed */
    struct chunks chunks;
    struct matrix rows; /* of an array in a file that is mapped; else without blocks */
    sepal_data *data;
};

/* ---- For files of text -------------------------------------------------------------------- */

sepal_status reading_refuse_empty(struct reading *reading, const char *what);
/* Skip the line that begins with these peeked bytes. */
void reading_skip_line(struct reading *reading, const char *bytes, size_t n, char eol);
/* Refuse the first option that is given and makes no sense here. */
struct reading_option {
    const char *name;
    bool given;
};
sepal_status reading_refuse_options(struct reading *reading, const struct reading_option *options,
                                    const char *are_for, const char *but_this_is);
/* Peek at more and more of the stream until that many records are seen, or it ends; or until it is
   more than the longest record: then fewer are seen, but one at least. */
sepal_status reading_peek_records(struct reading *reading, struct csv_marks marks, size_t records,
                                  const char **bytes, size_t *n);

/* ---- For tables --------------------------------------------------------------------------- */

/* Room for the names of n columns, of which line `line` tells; then each of them in its order. No
   two may have the same name. `column` is where the name stands. */
sepal_status table_name_room(struct reading *reading, size_t n, size_t line);
sepal_status table_name_column(struct reading *reading, struct slice name, size_t line,
                               size_t column);
/* The next one has no name but its number: "x1", "x2", ... */
sepal_status table_number_column(struct reading *reading, size_t line, size_t column);
struct arena *table_arena(struct reading *reading);
/* Decide what the columns are, once they are named: fills reading->table and the schema. */
sepal_status table_plan(struct reading *reading);
/* Parse the rows. `layout` is what the format's parser wants. */
sepal_status table_parse(struct reading *reading, const struct chunk_format *format,
                         const void *layout);

/* ---- Numbers or text, where the file does not say (column_kinds.c) ------------------------ */

/* Whether there is a column whose kind is to be found out. */
bool kinds_open(const struct reading *reading);
/* Once all rows are parsed: mark the columns that are text though they have numbers. *again: there are
   some, and the source stands at the first row again. */
sepal_status kinds_settle(struct reading *reading, bool *again);
/* Once they are parsed again: numbers without any mark count among those with decimal commas. */
sepal_status kinds_check(struct reading *reading);

#endif
