/* The first stage of every pipeline, implicit in its spec: the categories of text columns become
   columns of 0 and 1, and missing values what stands for them. Like a map it is learnt from the rows
   that a model is trained on; what it has learnt is the model's schema. */
#ifndef SEPAL_DATA_PREPARE_H
#define SEPAL_DATA_PREPARE_H

#include "data/data.h"

/* A data set as a schema prepares it. */
struct prepared {
    sepal_data rows;             /* shares all but the matrix with the data set it was made of */
    const struct schema *learnt; /* from its own rows; NULL: another schema was given */
    struct matrix made;
    bool *undecided; /* made likewise, where the rule drops rows with missing values */
    size_t unknown;  /* cells whose category the schema does not have: all their columns are 0 */
};
/* The schema of the rows themselves, the categories that occur in them and what is to stand for their
   missing values, and all rows by it. To be cleared in any case. */
sepal_status prepare_fit(struct prepared *out, sepal_ctx *ctx, const sepal_data *data);
/* Rows [first, first + n), in the blocks in which the whole would have them; other blocks stay empty.
   The columns of the data are those of the schema, in their order. To be cleared in any case. The
   rows' schema stays that of the data, whose classes their labels are. */
sepal_status prepare_rows(struct prepared *out, sepal_ctx *ctx, const struct schema *schema,
                          const sepal_data *data, size_t first, size_t n);
void prepared_clear(struct prepared *prepared);

/* Whether rows with so many numbers other than 0 are kept sparse. */
bool prepare_sparse(size_t rows, size_t cols, size_t nonzeros);
/* Set the number of missing cells of a coded data set, and of numbers other than 0 that it has once it
   is prepared. */
sepal_status prepare_count(sepal_data *data, sepal_ctx *ctx);

#endif
