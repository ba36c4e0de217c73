/* What the chunks of a file say together: column kinds, categories, labels, missing values. merge.c has
   the order of the steps, the other files merge_*.c have the steps: each goes by reading->chunks, fills
   reading->data and, if the schema is being learnt, reading->learnt. */
#ifndef SEPAL_IO_MERGE_H
#define SEPAL_IO_MERGE_H

#include "io/reading.h"

/* Once all chunks are parsed: everything of the data but the matrix. */
sepal_status merge_chunks(struct reading *reading);

/* Kinds and categories of a table's columns, learnt from all chunks unless a model has them; and whether
   the cells are to be prepared. */
sepal_status merge_columns(struct reading *reading);
/* Add the tokens that are in use, and note the number of each of them (`number` may be NULL). `used` is
   given back; it is NULL where there was no memory for it. */
sepal_status merge_tokens(struct tokens *all, sepal_ctx *ctx, const struct tokens *tokens,
                          bool *used, uint32_t *number);
/* How many features the training file of indexed rows shows, and whether they are counted from 0. */
sepal_status merge_indices(struct reading *reading);
/* Why the text of a cell is no number: "is not ...". */
const char *merge_no_number(struct slice text);
/* Apply the schema's rule for missing values: refuse them, or mark rows to be dropped. */
sepal_status merge_missing(struct reading *reading);
/* Where bad lines are left out: mark the rows that have text in a column of numbers. */
sepal_status merge_odd_texts(struct reading *reading);
/* Likewise the indexed rows without a label, unless rows have sets of labels. */
sepal_status merge_unlabelled(struct reading *reading);
/* Warn of the lines that were left out. */
void merge_bad_lines(struct reading *reading);
/* Labels from another file, one per record. */
sepal_status merge_labels_file(struct reading *reading);
/* Number the rows that stay. */
sepal_status merge_rows(struct reading *reading);
/* Their numbers in the file, where records were left out. */
sepal_status merge_numbers(struct reading *reading);
/* The labels of the rows that stay: learnt, or looked up in the schema. */
sepal_status merge_labels(struct reading *reading);
sepal_status merge_weights(struct reading *reading);
sepal_status merge_kept(struct reading *reading);

#endif
