#include "joint/joint_solver.h"

const struct joint_solver_row *const joint_solver_table[] = {
#define JOINT_SOLVER(name) &joint_solver_##name,
#include "joint/joint_solvers.def"
#undef JOINT_SOLVER
    NULL,
};

const struct solver_name *const joint_solver_names[] = {
#define JOINT_SOLVER(solver) &joint_solver_##solver.name,
#include "joint/joint_solvers.def"
#undef JOINT_SOLVER
    NULL,
};
