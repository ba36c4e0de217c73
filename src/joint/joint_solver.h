/* The table of solvers of joint objectives. They are given a struct solver (solvers/solver.h) with its `joint`
   set: the point has joint->size numbers, the dual variables are n x lanes. */
#ifndef SEPAL_JOINT_JOINT_SOLVER_H
#define SEPAL_JOINT_JOINT_SOLVER_H

#include "core/solver_name.h"
#include "joint/joint.h"
#include "solvers/solver.h"

/* A row of the table of joint solvers; a new one is one file and one line in joint_solvers.def. */
struct joint_solver_row {
    struct solver_name name;
    const char *suits; /* the data it is chosen for, in the report */
    sepal_status (*solve)(struct solver *d);
    const char *(*refuses)(const struct joint *j); /* why it cannot; NULL: it can */
    /* Foreseen, nanoseconds. NULL: it is chosen where no other can do it, or when it is asked for. */
    double (*cost)(const struct joint *j, const struct convex_shape *shape);
    /* Who takes over, if it can, where this one was chosen and needs more than so many steps; or NULL. */
    const struct joint_solver_row *then;
    size_t limit;
};

#define JOINT_SOLVER(name) extern const struct joint_solver_row joint_solver_##name;
#define CRAMMER_SOLVER(name) JOINT_SOLVER(name)
#include "joint/joint_solvers.def"
#undef JOINT_SOLVER
#undef CRAMMER_SOLVER
extern const struct joint_solver_row *const joint_solver_table[]; /* these end with NULL */
extern const struct solver_name *const joint_solver_names[];      /* of softmax losses */

/* ---- joint_precondition.c: an approximate inverse of the Hessian ---------------------------------- */

/* Of each class's own part of the Hessian, X' diag(c_i p_ik (1 - p_ik)) X + l2: a factor of it where the
   columns are few, else its diagonal. */
struct joint_preconditioner {
    const struct joint *j;
    struct hessian *hessian; /* NULL: diagonals */
    double *curvature;       /* n */
    size_t factors;          /* 1: all classes share it; else K */
    double *factor, *scale;  /* factors x width^2; factors x width. Diagonals: scale is size */
    double *room;            /* K x width */
    const bool *moves;       /* size; NULL: all */
};
sepal_status joint_precondition_init(struct joint_preconditioner *p, const struct joint *j,
                                     struct arena *arena);
/* From the probabilities, n x lanes. */
sepal_status joint_precondition_make(struct joint_preconditioner *p, const double *state);
/* The same of the part of H that is moved: where `moves` (size) is false, z will be 0. */
sepal_status joint_precondition_some(struct joint_preconditioner *p, const double *state,
                                     const bool *moves);
/* z = about H^-1 r */
void joint_precondition(const struct joint_preconditioner *p, const double *r, double *z);
/* What making it costs, in reads of all rows for a product. */
double joint_precondition_price(const struct joint_preconditioner *p);

#endif
