#include "solvers/solver.h"

#include <math.h>

#define HINGE_SOLVER(name) CONVEX_SOLVER(name)
const struct convex_solver *const convex_solver_table[] = {
#define CONVEX_SOLVER(name) &convex_solver_##name,
#include "solvers/solvers.def"
#undef CONVEX_SOLVER
    NULL,
};

const struct solver_name *const convex_solver_names[] = {
#define CONVEX_SOLVER(solver) &convex_solver_##solver.name,
#include "solvers/solvers.def"
    NULL,
};

#undef HINGE_SOLVER
#define HINGE_SOLVER(solver)
const struct solver_name *const smooth_solver_names[] = {
#include "solvers/solvers.def"
    NULL,
};

const char *refuse_unless_smooth_loss(const struct objective *o) {
    return o->loss->smooth ? NULL : "the hinge has no slope at its kink";
}

const char *refuse_unless_smooth(const struct objective *o) {
    const char *why = refuse_unless_smooth_loss(o);
    return why || !(o->l1 > 0) ? why : "|w|_1 has no slope at 0";
}

const char *solver_refuses(const struct convex_solver *solver, const struct objective *o) {
    return o->box && !solver->bounds ? "it keeps no bounds on weights" : solver->refuses(o);
}

bool solver_interrupted(struct solver *d, sepal_status status, double objective) {
    if (status != SEPAL_ECANCEL) return false;
    forgive(d->o->ctx);
    (void)d->stops(d->payload, d->iterations, objective, NAN);
    d->stopped = true;
    return true;
}

/* A variable moves the more freely, the further it is from its bounds. */
static double solver_slack(const struct loss *loss, double a) {
    return isinf(loss->least) ? 1 : a * fmax(0, 1 - a / loss->most);
}

void solver_balance(const struct objective *o, double *a) {
    double sum[2] = {0, 0}, slacks = 0;
    for (size_t i = 0; i < o->n; i++) {
        sum[o->label[i] == 1] += o->row_weight[i] * a[i];
        slacks += o->row_weight[i] * solver_slack(o->loss, a[i]);
    }
    double step = (sum[1] - sum[0]) / slacks;
    double factor[2] = {fmin(1, sum[1] / sum[0]), fmin(1, sum[0] / sum[1])};
    bool moves = fabs(step) < 1 || isinf(o->loss->least);
    for (size_t i = 0; i < o->n && sum[0] != sum[1]; i++) {
        if (moves)
            a[i] -= step * objective_side(o, i) * solver_slack(o->loss, a[i]);
        else
            a[i] *= factor[o->label[i] == 1];
        a[i] = fmin(fmax(a[i], o->loss->least), o->loss->most);
    }
}
