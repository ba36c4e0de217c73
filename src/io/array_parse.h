/* The elements of an npy or idx file as a table without a header. */
#ifndef SEPAL_IO_ARRAY_PARSE_H
#define SEPAL_IO_ARRAY_PARSE_H

#include "io/array.h"
#include "io/table.h"

struct array_layout {
    struct array_shape shape;
    const struct table_layout *table;
};

extern const struct chunk_format array_chunk_format;

/* array_map.c: the rows where they are in the file, in reading->rows, and a chunk that knows all but
   their cells. False: they have to be read. */
struct reading;
sepal_status array_map(bool *mapped, struct reading *reading, const struct array_layout *layout);

#endif
