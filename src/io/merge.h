/* What the chunks of a file say together: column kinds, categories, labels, missing values. */
#ifndef SEPAL_IO_MERGE_H
#define SEPAL_IO_MERGE_H

#include "io/labels_file.h"
#include "data/data.h"
#include "io/table.h"

/* Kinds, categories and fill-ins of a table's columns, learnt from all chunks. */
sepal_status merge_columns(struct schema *schema, sepal_ctx *ctx, const struct source *source,
                           const struct chunks *chunks, const struct table_layout *layout);
/* Apply the schema's rule for missing values: refuse them, or mark rows to be dropped. */
sepal_status merge_missing(sepal_ctx *ctx, const struct source *source, const struct chunks *chunks,
                           const struct schema *schema, bool learning);
/* Where bad lines are left out: mark the rows that have text in a column of numbers. */
sepal_status merge_odd_texts(sepal_ctx *ctx, const struct chunks *chunks,
                             const struct table_layout *layout);
/* Warn of the lines that were left out. */
void merge_bad_lines(sepal_ctx *ctx, const struct source *source, const struct chunks *chunks);
/* Labels from another file, one per record. */
sepal_status merge_labels_file(sepal_ctx *ctx, const struct chunks *chunks,
                               const struct labels_file *labels);
/* Number the rows that stay. */
sepal_status merge_rows(size_t *rows, sepal_ctx *ctx, const struct source *source,
                        const struct chunks *chunks);
/* Their numbers in the file, where records were left out. */
sepal_status merge_numbers(sepal_data *data, sepal_ctx *ctx, const struct chunks *chunks);
/* The labels of the rows that stay: learnt, or looked up in the schema. */
sepal_status merge_labels(sepal_data *data, struct schema *learnt, sepal_ctx *ctx,
                          const struct source *source, const struct chunks *chunks);
sepal_status merge_weights(sepal_data *data, sepal_ctx *ctx, const struct chunks *chunks);
sepal_status merge_kept(sepal_data *data, sepal_ctx *ctx, const struct chunks *chunks);

/* The rows of a block, chunk by chunk. */
struct chunk_rows {
    const struct chunks *chunks;
    size_t chunk;
    struct parsed_chunk *parsed;
    size_t first; /* number in the chunk of the first row, dropped rows counted */
    size_t n;     /* rows that stay */
    size_t at;    /* number in the block of the first row */
};
struct chunk_rows chunk_rows_first(const struct chunks *chunks, const struct block *block);
bool chunk_rows_next(struct chunk_rows *part, const struct block *block);

/* Fill a sparse block from chunks of sparse rows, none of which is dropped. */
sepal_status assemble_copy(sepal_ctx *ctx, struct block *block, const struct chunks *chunks,
                           uint32_t index_base);

/* Move the cells to the matrix; the chunks are emptied on the way. */
sepal_status assemble(struct matrix *out, sepal_ctx *ctx, const struct chunks *chunks,
                      const struct schema *schema, size_t rows);

#endif
