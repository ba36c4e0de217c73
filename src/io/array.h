/* Files that hold one array of elements of one type, npy (NumPy) and idx (the format of MNIST), which
   can be data, labels or weights. What such formats share is in array.c (checks), array_values.c (what
   an element is worth), array_parse.c (rows of a table) and array_map.c (rows where they are). */
#ifndef SEPAL_IO_ARRAY_H
#define SEPAL_IO_ARRAY_H

#include "core/text.h"
#include "io/source.h"

struct reading;
struct table_layout;
struct writing;

/* Elements as they are written. */
enum array_item { ITEM_U8, ITEM_I32, ITEM_I64, ITEM_F32, ITEM_F64, ITEM_TEXT, N_ITEMS };

/* TEXT is NumPy's U, 4 bytes a character; BYTES is its S. */
enum element_kind {
    ELEMENT_BOOL,
    ELEMENT_INT,
    ELEMENT_UINT,
    ELEMENT_FLOAT,
    ELEMENT_TEXT,
    ELEMENT_BYTES
};

enum { ARRAY_MOST_DIMS = 32, ARRAY_MOST_HEADER = 1 << 16, ARRAY_MOST_TEXT = 1 << 16 };

struct array_shape {
    const struct array_format *format;
    enum element_kind kind;
    size_t bytes; /* of one element, never 0 */
    bool big_endian, column_major;
    size_t dims, dim[ARRAY_MOST_DIMS];
    size_t rows, cols;      /* the first dimension, the product of the others (1 if there are none);
                               rows * cols * bytes fits in PTRDIFF_MAX */
    size_t type_at, dim_at; /* columns of line 1 where the header states them, for messages */
};

/* What one format of arrays has of its own. */
struct array_format {
    /* Check and skip the header at which the source stands; sets all but rows and cols. */
    sepal_status (*header)(struct array_shape *out, sepal_ctx *ctx, struct source *source);
    size_t most_dims;   /* of data */
    bool labels_inside; /* where there is no label file, the last column has the labels */
    /* As it is written: the byte order, and what its header calls each item; NULL: it has no such. */
    bool big_endian;
    const char *type[N_ITEMS];
    /* Texts have that many characters. `cols` 0: one dimension. */
    void (*put_header)(struct writing *w, enum array_item item, size_t characters, size_t cols);
    /* A part of the name that is another in the name of the label file; NULL: none. */
    const char *images, *labels;
};

/* Check and skip the header at which the source stands; what follows are the elements. */
sepal_status array_header(struct array_shape *out, sepal_ctx *ctx, struct source *source,
                          const struct array_format *format);

/* Can it be a table (numbers; at least two dimensions, not more than the format allows; at least one
   row and column)? One label, or one weight, per row? Refused with what to do about it. */
sepal_status array_check_table(sepal_ctx *ctx, const struct array_shape *shape, const char *file);
sepal_status array_check_labels(sepal_ctx *ctx, const struct array_shape *shape, const char *file);
sepal_status array_check_weights(sepal_ctx *ctx, const struct array_shape *shape, const char *file);
/* After `taken` bytes of elements: the stream must be at its end, and have had as many bytes as the
   header says. */
sepal_status array_check_end(sepal_ctx *ctx, const struct array_shape *shape, struct source *source,
                             size_t taken);

/* n elements that lie one after the other, not text. Nothing is lost but by integers above 2^53 and
   16-byte floats, which are rounded to the nearest double. -0 is 0, as in every format. */
void elements_read(const struct array_shape *shape, const char *at, size_t n, double *out);
double element_value(const struct array_shape *shape, const char *at);
/* Append the element as a label: integers to the last digit, floats as their shortest decimal, text
   as UTF-8 without NULs at its end. What is no character becomes a byte 0xFF, which is no UTF-8, so
   that whoever needs the label refuses it. */
void element_text(sepal_ctx *ctx, struct text *out, const struct array_shape *shape,
                  const char *at);

/* ---- Tables without a header -------------------------------------------------------------- */

struct array_layout {
    struct array_shape shape;
    const struct table_layout *table;
};

extern const struct chunk_format array_chunk_format;

/* The rows where they are in the file, in reading->rows, and a chunk that knows all but their cells.
   False: they have to be read. */
sepal_status array_map(bool *mapped, struct reading *reading, const struct array_layout *layout);
/* read_array.c: what formats of arrays have for struct format. */
sepal_status read_array(struct reading *reading);

#endif
