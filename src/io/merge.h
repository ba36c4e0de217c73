/* What the chunks of a file say together: column kinds, categories, labels, missing values. merge.c has
   the order of the steps, the other files merge_*.c have the steps. */
#ifndef SEPAL_IO_MERGE_H
#define SEPAL_IO_MERGE_H

#include "io/labels_file.h"
#include "data/data.h"
#include "io/table.h"

struct reading;

/* Once all chunks are parsed: everything of reading->data but the matrix, and the schema if it is
   being learnt. */
sepal_status merge_chunks(struct reading *reading);

/* Kinds, categories and fill-ins of a table's columns, learnt from all chunks. */
sepal_status merge_columns(struct schema *schema, sepal_ctx *ctx, const struct source *source,
                           const struct chunks *chunks, const struct table_layout *layout);
/* Add the tokens that are in use, and note the number of each of them (`number` may be NULL). `used` is
   given back; it is NULL where there was no memory for it. */
sepal_status merge_tokens(struct tokens *all, sepal_ctx *ctx, const struct tokens *tokens,
                          bool *used, uint32_t *number);
/* Apply the schema's rule for missing values: refuse them, or mark rows to be dropped. */
sepal_status merge_missing(sepal_ctx *ctx, const struct source *source, const struct chunks *chunks,
                           const struct schema *schema, bool learning);
/* How many features the training file of indexed rows shows, and whether they are counted from 0.
   `n_features` is what the user says, 0: nothing. */
sepal_status merge_indices(struct schema *schema, sepal_ctx *ctx, const struct source *source,
                           const struct chunks *chunks, size_t n_features);
/* Where bad lines are left out: mark the rows that have text in a column of numbers. */
sepal_status merge_odd_texts(sepal_ctx *ctx, const struct chunks *chunks,
                             const struct table_layout *layout);
/* Likewise the indexed rows without a label, unless rows have sets of labels. */
sepal_status merge_unlabelled(sepal_ctx *ctx, const struct chunks *chunks);
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

#endif
