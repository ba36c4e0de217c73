#include "joint/joint_solver.h"

#define CRAMMER_SOLVER(name) JOINT_SOLVER(name)
const struct joint_solver_row *const joint_solver_table[] = {
#define JOINT_SOLVER(name) &joint_solver_##name,
#include "joint/joint_solvers.def"
#undef JOINT_SOLVER
    NULL,
};

#undef CRAMMER_SOLVER
#define CRAMMER_SOLVER(solver)
const struct solver_name *const joint_solver_names[] = {
#define JOINT_SOLVER(solver) &joint_solver_##solver.name,
#include "joint/joint_solvers.def"
#undef JOINT_SOLVER
    NULL,
};
