/* Equal rows as one. Rows of 0 and one value each repeat themselves in data made of categories; a
   solver that sees them once, with the sum of their shares, has less to read. */
#ifndef SEPAL_SOLVERS_DISTINCT_ROWS_H
#define SEPAL_SOLVERS_DISTINCT_ROWS_H

#include "objective/objective.h"

struct distinct {
    /* The same objective. Its rows are sparse, of one value each; where dense rows had a centre, it
       has none, so the bias is another: distinct_enter and distinct_leave. */
    struct objective o;
    struct matrix x; /* its numbers are in the arena */
    const struct objective *all;
    uint32_t *place; /* all->n: where each row is now */
};
/* Lives in the arena. `pays` is false when there is nothing to be made of it. */
sepal_status distinct_init(struct distinct *distinct, bool *pays, const struct objective *o,
                           struct arena *arena);
/* A point of all rows as one of the distinct rows, and back; the losses are the same. */
void distinct_enter(const struct distinct *distinct, double *u);
void distinct_leave(const struct distinct *distinct, double *u);

#endif
