/* Each class against the rest, or each label against its absence, in lock-step: what K two-class
   objectives over the same rows share, and a group of their points whose numbers lie side by side, a lane for each class. So one pass
   over the rows serves the whole group. */
#ifndef SEPAL_OBJECTIVE_CERTIFY_OVR_H
#define SEPAL_OBJECTIVE_CERTIFY_OVR_H

#include "data/data.h"
#include "objective/certify.h"

struct ovr_objective {
    const struct objective *o; /* of every class, but for its labels */
    struct row_labels labels;  /* of each row: 1 for their own problems, -1 for the others */
    size_t classes;            /* how many labels there are */
    const double *factor[2];   /* of a class: of the rest's losses, of its own; NULL: 1 */
};

static inline double ovr_factor_of_class(const struct ovr_objective *rest, size_t k, bool own) {
    return rest->factor[own] ? rest->factor[own][k] : 1;
}

struct ovr_point {
    size_t n, lanes; /* classes; OVR_LANES_HALF or OVR_LANES, those behind n idle and 0 */
    size_t class[OVR_LANES];
    float *w;              /* cols x lanes: weights as singles, and proofs take them as they are */
    float *alpha;          /* rows x lanes: dual variables */
    double *w64, *alpha64; /* instead of these, doubles; NULL: singles */
    double bias[OVR_LANES];
};

/* certify_ovr.c: the proof of each class of some points (out[p] + l of class l of point p), as
   certify gives it. For L2 alone, and sparse rows without a centre. */
sepal_status certify_ovr(struct proof (*out)[OVR_LANES], const struct ovr_objective *rest,
                         const struct ovr_point *const *points, size_t n);

#endif
