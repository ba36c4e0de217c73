/* What a solver of an objective is given, and what it leaves. */
#ifndef SEPAL_SOLVERS_SOLVER_H
#define SEPAL_SOLVERS_SOLVER_H

#include "core/solver_name.h"
#include "objective/objective.h"

/* How sgd runs. After e epochs, fractions included, a step is eta, eta / (1 + e) or
   eta / sqrt(1 + e) long. */
enum schedule { SCHEDULE_CONSTANT, SCHEDULE_INVERSE, SCHEDULE_ROOT };
struct sgd_options {
    double eta;
    size_t epochs, batch; /* batch: rows to a step; 0: all */
    enum schedule schedule;
    bool shuffle, average; /* average: the answer is the mean of the weights after every step */
};

struct joint; /* joint/joint.h */

struct solver {
    /* Given. */
    const struct objective *o;
    const struct joint *joint; /* of solvers of joint objectives: K scores a row; NULL: one */
    double tol;      /* stop when the relative gap (P - D) / |P| is known to be at most this */
    size_t max_iter; /* 0: the solver's own limit */
    uint64_t seed;
    /* Asked once an iteration; true: stop with the best so far. gap NaN: not known. */
    bool (*stops)(void *payload, size_t iteration, double objective, double gap);
    void *payload;
    const struct sgd_options *sgd;
    /* The handover limit of newton, dual and lbfgs: so many steps, or epochs, taken or foreseen, and the rest
       is left to another solver; 0: any */
    size_t limit;

    /* What prox-newton keeps for the next call, which has the same rows and no stronger an L1 penalty;
       NULL: nothing. */
    struct prox_kept *kept;

    /* The point (o->width numbers): where to start, then the best found. */
    double *u;
    bool warm; /* the start is worth something; else it is 0 */
    bool near; /* and likely to be near the optimum */
    /* A dual variable for each row (n numbers, of the loss's range; see certify.h). `paired`: they
       hold the solver's own, which may be a better bound than the slopes at u. */
    double *alpha;
    bool paired;

    size_t iterations;
    bool converged; /* by the solver's own account */
    bool stopped;   /* by `stops` */
    bool slow;      /* left early, see limit */
    bool diverged;  /* the next weights were no numbers; the point is the last that was */
    /* newton: the largest change of a margin in its last step, and sqrt(g' H^-1 g) of the gradient
       at u; other solvers leave 0 and NaN. */
    double drift, decrement;
};

/* For a path of penalties, of which `least` is the least that prox-newton will be given. NULL: no memory. */
struct prox_kept *prox_kept_new(sepal_ctx *ctx, double least);
void prox_kept_free(struct prox_kept *kept);

/* Whether a step ended because the user asked to stop, in the middle of it. That is the end
   of the descent and no failure: the point so far is its answer. */
bool solver_interrupted(struct solver *d, sepal_status status, double objective);
/* A free bias needs dual variables of both sides with the same sum. The imbalance is shared out over
   those between their bounds; if they have not the slack, the larger side is shrunk. */
void solver_balance(const struct objective *o, double *a);

/* What a solver is foreseen to cost, from the shape of the data (solver_costs.c). */
struct convex_shape {
    double rows, width, entries, classes;
    double
        curvature; /* of the dual along one row: how much a row can move its own score, C |x|^2 */
    /* In how many directions rows differ, 0: not looked at; and their squared norm as a multiple of that
       without their mean. */
    double directions, off_centre;
    bool few_rows; /* at most three times as many as columns, and these are looked at */
    double tol;
    bool sparse, logistic, hinge;
    bool near; /* it begins near the optimum */
};
struct convex_cost {
    double step, steps; /* nanoseconds of one; how many */
};
struct convex_cost cost_of_newton(const struct convex_shape *s);
struct convex_cost cost_of_newton_cg(const struct convex_shape *s);
struct convex_cost cost_of_lbfgs(const struct convex_shape *s);
struct convex_cost cost_of_dual(const struct convex_shape *s);
struct convex_cost cost_of_interior(const struct convex_shape *s);
struct convex_cost cost_of_augmented(const struct convex_shape *s);
/* Of all classes in lock-step. */
struct convex_cost cost_of_ovr_newton(const struct convex_shape *s);
struct convex_cost cost_of_ovr_dual(const struct convex_shape *s);

/* What a solver is: a row of a table. A new one is one file and one line in solvers.def. */
struct convex_solver {
    struct solver_name name;
    const char *suits; /* the data it is chosen for, in the report */
    sepal_status (*solve)(struct solver *d);
    /* Why it cannot solve this objective, bounds aside; NULL: it can. See solver_refuses. */
    const char *(*refuses)(const struct objective *o);
    bool bounds; /* it keeps weights within bounds */
    /* NULL: it is chosen where no other can do it, or, if it runs on the rows as given, when it is
       asked for. */
    struct convex_cost (*cost)(const struct convex_shape *s);
    int far; /* without a penalty: columns larger than 2^far or smaller than 2^-far are rescaled */
};
/* Squares, and products of columns, weights and curvatures, stay far from the ends of the range; a
   method that makes the L2 penalty smaller from round to round needs columns of like size. */
enum { SOLVER_FAR = 300, SOLVER_NEAR = 4 };

#define CONVEX_SOLVER(name)                                                                        \
    extern const struct convex_solver convex_solver_##name;                                        \
    sepal_status solve_##name(struct solver *d);
#define HINGE_SOLVER(name) CONVEX_SOLVER(name)
#include "solvers/solvers.def"
#undef CONVEX_SOLVER
#undef HINGE_SOLVER
/* The rows and, in the same order, their names; end with NULL. */
extern const struct convex_solver *const convex_solver_table[];
extern const struct solver_name *const convex_solver_names[];
extern const struct solver_name *const smooth_solver_names[]; /* of losses without a kink */

/* Why a solver cannot solve this objective; NULL: it can. */
const char *solver_refuses(const struct convex_solver *solver, const struct objective *o);
/* Reasons that several have; NULL: there is none. */
const char *refuse_unless_smooth(const struct objective *o); /* in w: no hinge, no L1 penalty */
const char *refuse_unless_smooth_loss(const struct objective *o);

/* newton.c and interior.c have a matrix of so many columns at most. */
enum { NEWTON_WIDTH_MOST = 4096, INTERIOR_WIDTH_MOST = 4096 };

#endif
