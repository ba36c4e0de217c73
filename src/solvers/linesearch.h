/* Searches along a line through the objective, on margins kept: no pass over the data. */
#ifndef SEPAL_SOLVERS_LINESEARCH_H
#define SEPAL_SOLVERS_LINESEARCH_H

#include "objective/objective.h"

struct linesearch {
    const struct objective *o;
    const double *m, *t; /* margins at u, and of the step: n numbers each */
    const double *u, *step;
    double value, slope; /* of the objective at u along the step; below 0 */
    double length;       /* the answer; 0: nothing is gained */
    double reached;      /* the objective there */
};

/* A step length that decreases the objective enough (Armijo), 1 if that does. */
sepal_status linesearch(struct linesearch *line);

/* Newton's method for the bias alone: add to the margins and to *bias what makes the sum of
   c_i y_i alpha_i vanish. Smooth losses. */
sepal_status linesearch_bias(const struct objective *o, double *m, double *bias);

/* Without a penalty a squared hinge may have nothing left to lose but roundings: then rows within
   1e-9 of their margin are brought beyond it. True: u has changed. */
bool linesearch_clear(const struct objective *o, double objective, double *u);

#endif
