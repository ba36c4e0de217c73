/* What the writers of the formats share: the rows, the labels that occur in them, and the bytes on
   their way to the file. All is in the files write*.c. */
#ifndef SEPAL_IO_WRITE_H
#define SEPAL_IO_WRITE_H

#include "core/io.h"
#include "data/data.h"
#include "data/tokens.h"
#include "io/array.h"
#include "io/format.h"

struct writing {
    sepal_ctx *ctx;
    const sepal_data *data;
    const struct format *format;
    const char **labels; /* those that occur, in the order of the classes */
    size_t n_labels;
    enum array_item item; /* of an array, once its header is written */
    struct text text;     /* collected for the file */
    struct staged file;
};

struct writer {
    /* Refuse what the format cannot hold, before anything is written. */
    sepal_status (*check)(struct writing *w);
    /* What stands before the rows, NULL: nothing; and a row. */
    sepal_status (*header)(struct writing *w);
    void (*row)(struct writing *w, const struct block *block, size_t i);
    sepal_status (*labels)(struct writing *w); /* to a second file; NULL: there is none */
};
extern const struct writer table_writer, libsvm_writer, arff_writer, array_writer;

/* Pass the bytes on when there are many of them: to be called after every row. */
sepal_status writing_pass(struct writing *w);

/* Label sets, which only LIBSVM holds, and data without features. */
sepal_status check_single_labels(struct writing *w, const char *what);
/* More cells than anybody means to write. */
sepal_status check_cells(struct writing *w, size_t rows, const char *what);
/* Texts without control characters, tabs and line ends aside. */
sepal_status check_text(struct writing *w, const char *what, const char *text);
/* A control character other than those in `but`. */
bool has_control(const char *text, const char *but);
/* At the top of a file these bytes would be taken for the mark of UTF-8 and left out. */
bool begins_with_mark(const char *text);
void warn_weights(struct writing *w, const char *what);

/* The names of features, weight and target, as a reader finds them again: no two are the same, none
   is taken for a number or a missing cell, and the target is known by its name or its place. */
sepal_status put_column_names(struct writing *w,
                              sepal_status (*put)(struct writing *w, const struct tokens *names));

/* write_array.c */
/* Bytes of an item, in the byte order of the format. */
void array_put_bits(struct writing *w, uint64_t bits, size_t bytes);
/* The file for the labels beside the array at `path`; the caller frees it. */
sepal_status array_labels_path(char **out, struct writing *w, const char *path);

/* The cells of a row one after the other, zeros as well. */
struct cells {
    const struct block *block;
    size_t row, cols, at, column;
    double value;
    bool more;
};
static inline struct cells cells_of(const struct block *block, size_t row, size_t cols) {
    struct cells cells = {.block = block, .row = row, .cols = cols};
    cells.more = row_next(block, row, cols, &cells.at, &cells.column, &cells.value);
    return cells;
}
/* Cell j; to be asked for j = 0, 1, 2, ... */
static inline double cell_value(struct cells *cells, size_t j) {
    if (!cells->more || cells->column != j) return 0;
    double value = cells->value;
    cells->more =
        row_next(cells->block, cells->row, cells->cols, &cells->at, &cells->column, &cells->value);
    return value;
}

static inline const char *label_of_row(const struct writing *w, size_t row) {
    return data_label_name(w->data, (size_t)w->data->label[row]);
}

#endif
