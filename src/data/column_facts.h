/* What the numbers of each column are like, for a description. */
#ifndef SEPAL_DATA_COLUMN_FACTS_H
#define SEPAL_DATA_COLUMN_FACTS_H

#include "data/matrix.h"

struct column_facts {
    size_t missing;
    size_t distinct;       /* different values, missing ones left out; of text, categories */
    double min, mean, max; /* NaN where there is no number */
};
/* One for each column of the matrix. */
sepal_status column_facts_find(struct column_facts *out, sepal_ctx *ctx, const struct matrix *x);

#endif
