/* The elements of an npy or idx file as a table without a header. */
#ifndef SEPAL_DATA_ARRAY_PARSE_H
#define SEPAL_DATA_ARRAY_PARSE_H

#include "data/array.h"
#include "data/table.h"

struct array_layout {
    struct array_shape shape;
    struct table_layout table;
};

extern const struct chunk_format array_chunk_format;

#endif
