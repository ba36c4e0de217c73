/* Parts of the solver for L1 penalties of joint objectives, joint_prox.c. */
#ifndef SEPAL_JOINT_JOINT_PROX_H
#define SEPAL_JOINT_JOINT_PROX_H

#include "joint/joint_solver.h"
#include "solvers/csc.h"

struct joint_prox {
    struct solver *d;
    const struct joint *j;
    struct csc columns;
    struct joint_sweep
        sweep; /* its scores and its state, the probabilities, follow the steps of the classes */
    double *alpha, *v; /* n x lanes; size: for the dual bound */
    double objective, bound, gap;
    uint32_t *set; /* classes x cols: the columns that may move, rising */
    size_t *n_set;
    double *damping; /* of each class: added to the curvature of all its rows, 0 to 1/4 */

    /* Of the class at work. Rows: */
    double *slope; /* c_i (p_ik - [y_i = k]), of the model after the step so far but for `shift` */
    double *curvature;                       /* c_i (p_ik (1 - p_ik) + damping) */
    double *scaled, *once_rows, *twice_rows; /* as the columns want them, see csc.h */
    double *t;                               /* what the step adds to the scores */
    double *odds;                            /* of the class, as logarithms */
    /* Coordinates of the set, in its order: */
    double *step;          /* and of the bias, at the place behind */
    double *once, *second; /* sums of curvature times x - c, and of its square and the penalty's */
    double curvatures;     /* the sum of `curvature` */
    double slopes;         /* the sum of `slope` */
    double shift;          /* every row's score has this more: the centres and the bias */
};

/* joint_prox_support.c: one Newton step of all weights that are not 0; vectors of j->size. */
struct joint_support {
    struct joint_preconditioner precondition;
    bool *moves; /* which numbers of the point may */
    double *slope, *residual, *direction, *step, *point;
    double *z; /* as joint_precondition wants it */
};
sepal_status joint_prox_support(struct joint_prox *p, struct joint_support *s, bool *moved);

/* joint_prox_class.c: one step of class k within its set. The violations that it finds are added up. */
sepal_status joint_prox_class(struct joint_prox *p, size_t k, double *violations, bool *moved);

#endif
