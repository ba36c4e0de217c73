/* The simplex of K classes: numbers of at least 0 whose sum is 1. */
#ifndef SEPAL_JOINT_SIMPLEX_H
#define SEPAL_JOINT_SIMPLEX_H

#include <stddef.h>

/* The nearest point of the simplex to z, in place: max(0, z_k - theta) with the one theta for which they
   add up to 1, by Newton's method from below, where it is exact after finitely many steps (Michelot 1986).
   The first largest takes all where numbers are infinite. Returns how many are above 0. */
size_t simplex_project(double *z, size_t classes);

#endif
