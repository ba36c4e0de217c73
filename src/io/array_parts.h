/* What the files of io/array.h share among themselves. */
#ifndef SEPAL_IO_ARRAY_PARTS_H
#define SEPAL_IO_ARRAY_PARTS_H

#include "io/array.h"

enum { NPY_MAGIC_BYTES = 6, IDX_MOST_DIMS = 8 };
extern const char npy_magic[NPY_MAGIC_BYTES];

/* Set kind and size by the type byte of idx; false when there is no such type. */
bool idx_type(struct array_shape *shape, char byte);
/* Rows and columns from the dimensions, refused when the bytes could not be counted. */
sepal_status array_measure(struct array_shape *shape, sepal_ctx *ctx, const char *file);

#endif
