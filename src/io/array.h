/* Files that hold one array of elements of one type: npy (NumPy) and idx (the format of MNIST).
   Their headers, which of them can be data, labels or weights, and what an element is worth. */
#ifndef SEPAL_IO_ARRAY_H
#define SEPAL_IO_ARRAY_H

#include "core/text.h"
#include "io/source.h"

enum array_format { ARRAY_NONE, ARRAY_NPY, ARRAY_IDX };

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
    enum array_format format;
    enum element_kind kind;
    size_t bytes; /* of one element, never 0 */
    bool big_endian, column_major;
    size_t dims, dim[ARRAY_MOST_DIMS];
    size_t rows, cols;      /* the first dimension, the product of the others (1 if there are none);
                               rows * cols * bytes fits in PTRDIFF_MAX */
    size_t type_at, dim_at; /* columns of line 1 where the header states them, for messages */
};

/* By magic bytes alone; a file shorter than the magic of npy is npy if all of it is part of it. */
enum array_format array_detect(const char *bytes, size_t n);

/* Check and skip the header at which the source stands; what follows are the elements. */
sepal_status npy_header(struct array_shape *out, sepal_ctx *ctx, struct source *source);
sepal_status idx_header(struct array_shape *out, sepal_ctx *ctx, struct source *source);
sepal_status array_header(struct array_shape *out, sepal_ctx *ctx, struct source *source,
                          enum array_format format);

/* Can it be a table (numbers; npy: exactly 2 dimensions, idx: 2 or more; at least one row and
   column)? One label, or one weight, per row? Refused with what to do about it. */
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

#endif
