/* The proof of a joint fit: its objective and a bound from below, computed from the data by code that no
   solver uses. */
#ifndef SEPAL_JOINT_JOINT_CERTIFY_H
#define SEPAL_JOINT_JOINT_CERTIFY_H

#include "joint/joint.h"
#include "objective/certify.h"

/* As certify (objective/certify.h). `alpha`: n x lanes as the solver left them, in any state; NULL: those of
   the point. They are brought into the simplex, balanced for a free bias and moved towards their rows' own
   classes for an L1 penalty alone, so D is a bound whatever they are. A loss that is not convex has no bound.
   `inside`: rows whose score is not 1 or more above those of all other classes. `decided`, unless NULL: for
   each row the class of the largest score where it is the largest whatever rounding did to it here or does to it in
   another order, else -1. */
sepal_status joint_certify(struct proof *out, const struct joint *j, const double *u,
                           const double *alpha, int32_t *decided);

#endif
