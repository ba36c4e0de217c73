/* A matrix of what decisions cost. */
#ifndef SEPAL_EVAL_COST_H
#define SEPAL_EVAL_COST_H

#include "data/schema.h"

struct cost {
    size_t classes,
        width;  /* width = classes + 1 where there is a cost of leaving a row undecided */
    double *of; /* of[target * width + decided] */
};

/* From text like CSV: a line for each true class, a cell for each predicted one; with labels above, before,
   both or neither. A column `?` is of undecided rows. SEPAL_EDATA with the place. */
sepal_status cost_read(struct cost *out, sepal_ctx *ctx, struct arena *arena, const char *path,
                       const struct schema *schema);

/* The probability of the second of two classes from which on it is the cheaper decision; NaN: there is
   none. */
double cost_cutoff(const struct cost *cost);

#endif
