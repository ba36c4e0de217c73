/* The simplex of K classes: numbers of at least 0 whose sum is 1. */
#ifndef SEPAL_JOINT_SIMPLEX_H
#define SEPAL_JOINT_SIMPLEX_H

#include "kernels/kernels.h"

/* The nearest point of the simplex to z (`lanes` numbers, the first `classes` count), in place; see
   kernels/kernels.h. The first largest takes all where numbers are infinite. Returns how many are above 0. */
size_t simplex_project(const struct kernels *kernels, double *z, size_t classes, size_t lanes);

#endif
