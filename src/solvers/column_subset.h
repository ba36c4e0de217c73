/* Some columns of an objective's rows, each times a factor, as an objective of their own. */
#ifndef SEPAL_SOLVERS_COLUMN_SUBSET_H
#define SEPAL_SOLVERS_COLUMN_SUBSET_H

#include "solvers/solver.h"

struct some_columns {
    struct objective o;
    const struct objective *all;
    struct matrix x;
    size_t *column; /* of `all`, rising */
    double *factor; /* of each; NULL: 1 */
};

/* Lives in the arena; `column` (n numbers) and `factor` (NULL: all 1) must too. */
sepal_status some_columns_init(struct some_columns *some, const struct objective *all, size_t n,
                               size_t *column, double *factor, struct arena *arena);
/* A point of all columns as one of these, and back: the others get 0. */
void some_columns_enter(const struct some_columns *some, const double *all, double *u);
void some_columns_leave(const struct some_columns *some, const double *u, double *all);

/* column_units.c: without a penalty the unit of a column changes nothing but its weight. Where one is larger
   than 2^far, or smaller than 2^-far, the solver is given it in another unit. */
sepal_status solve_in_units(struct solver *d, sepal_status (*solve)(struct solver *d), int far);

#endif
