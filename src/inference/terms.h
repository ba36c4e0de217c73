/* The rows of a table of coefficients. Text columns are 0/1 columns for all their categories, which
   together are a column of ones: their coefficients are not identified. In the table they are coded
   against their first category, as R's glm codes factors ("treatment contrasts"): a term is the
   coefficient of a category less that of the first one, and the intercept takes what is left. */
#ifndef SEPAL_INFERENCE_TERMS_H
#define SEPAL_INFERENCE_TERMS_H

#include "data/schema.h"
#include "linear/linear.h"
#include "maps/map_chain.h"

#define NO_COLUMN SIZE_MAX

struct term {
    size_t column;  /* of phi; NO_COLUMN: the intercept */
    size_t against; /* the column of the first category; NO_COLUMN: the term is no category */
    bool rest;      /* what the first categories had is added to it */
};

struct terms {
    struct term *list;
    size_t n;
    bool intercept; /* it is the first term */
    bool
        contrast; /* of a joint model: the functions less that of the first class, which has none */
    size_t *left; /* columns that are left out: first categories */
    size_t n_left;
};

/* In the arena. Columns of phi are those of x unless a map makes others; these have no categories. */
sepal_status terms_make(struct terms *out, sepal_ctx *ctx, struct arena *arena,
                        const struct schema *schema, const struct map_chain *chain, size_t cols,
                        bool intercept);
/* How many functions of the model have them. */
size_t terms_functions(const struct terms *terms, const struct linear *linear);
/* The terms of function f of these in the units of the columns that the maps at the end, which work column
   by column, are given: terms->n numbers. */
void terms_estimates(double *out, const struct terms *terms, const struct map_chain *chain,
                     const struct linear *linear, size_t f);

#endif
