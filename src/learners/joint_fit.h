/* Fits of joint multi-class objectives: what softmax and the machine of Crammer and Singer share. */
#ifndef SEPAL_LEARNERS_JOINT_FIT_H
#define SEPAL_LEARNERS_JOINT_FIT_H

#include "joint/joint_solver.h"
#include "learners/convex.h"

struct joint_fit {
    struct convex convex; /* parameters, objective, proof and report, as of two classes */
    struct joint joint;
    size_t proofs; /* how many were made */
};

sepal_status joint_fit(struct fit *fit, const struct joint_loss *loss);

#endif
