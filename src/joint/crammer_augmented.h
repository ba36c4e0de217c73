/* Inside the method of multipliers for Crammer and Singer's machine: its state, and the parts it is made of.
   See crammer_augmented.c. */
#ifndef SEPAL_JOINT_CRAMMER_AUGMENTED_H
#define SEPAL_JOINT_CRAMMER_AUGMENTED_H

#include "joint/joint_dcd.h"

struct crammer_augmented {
    struct solver *d; /* u and alpha hold the best */
    const struct joint *j;
    const struct objective *o;
    struct joint smooth;   /* the same with the curvature of what is minimised */
    double strength;       /* sigma_i = strength / curvature_i */
    double *curvature;     /* n */
    double *a, *t;         /* n x lanes: multipliers, and what they become */
    double *score, *slope; /* n x lanes: of the point, and of the step */
    double *state;         /* n x lanes: sigma_i where t is above 0 */
    double *scratch;       /* n x lanes */
    double *u, *gradient, *step, *residual, *direction, *product, *diagonal; /* size */
    /* A free bias has the penalty stiff/2 |b - anchor|^2, which grows weak. */
    double stiff, *anchor;
    double primal, dual; /* the best */
    /* Few weights: the Hessian itself, by classes (see crammer_hessian.c); NULL: products with it will do. */
    double *hessian, *scale, *packed;
};

/* crammer_smooth.c. From the scores: t and state. */
sepal_status crammer_smooth_at(struct crammer_augmented *s);
/* The sum of c_i (t_i - e_y) . slope_i at scores + length slope. */
sepal_status crammer_smooth_slope(double *out, struct crammer_augmented *s, double length);
/* state as the diagonal of each row's curvature, times its weight, in scratch */
void crammer_smooth_diagonal(struct crammer_augmented *s);
extern const struct joint_loss crammer_smooth_loss; /* its `curve` only */

/* crammer_newton.c: a step, and how much of it is best; 0: none. */
sepal_status crammer_newton_step(struct crammer_augmented *s, double *length);

/* crammer_hessian.c: with few weights the step is solved for. */
bool crammer_has_hessian(const struct joint *j);
sepal_status crammer_hessian_init(struct crammer_augmented *s, struct arena *arena);
/* step = -H^-1 gradient; false: H has numbers that are none. */
sepal_status crammer_hessian_step(bool *out, struct crammer_augmented *s);
/* The curvature of the penalties, of the number k of a point. */
double crammer_penalty_at(const struct crammer_augmented *s, size_t k);

#endif
