/* The rows of the chunks as blocks of the matrix: assemble.c, and assemble_copy.c for sparse rows that
   only have to be copied. */
#ifndef SEPAL_IO_ASSEMBLE_H
#define SEPAL_IO_ASSEMBLE_H

#include "data/data.h"
#include "io/chunks.h"

/* Fill a sparse block from chunks of sparse rows, none of which is dropped. */
sepal_status assemble_copy(sepal_ctx *ctx, struct block *block, const struct chunks *chunks,
                           uint32_t index_base);

/* Move the cells to the matrix, whose rows are counted; the chunks are emptied on the way. */
sepal_status assemble(sepal_data *data, sepal_ctx *ctx, const struct chunks *chunks);

#endif
