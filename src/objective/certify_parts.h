/* What the parts of a proof share: certify.c, certify_point.c, certify_sums.c. */
#ifndef SEPAL_OBJECTIVE_CERTIFY_PARTS_H
#define SEPAL_OBJECTIVE_CERTIFY_PARTS_H

#include "core/parallel.h"
#include "objective/rounding.h"
#include "core/compensated_sum.h"

/* The rows go to the sums v in parts, so that threads can share them: few, as each has sums of its own,
   or more where margins are taken on the way. Other sums are taken in stripes. */
enum { PARTS = 2, PARTS_JOINT = 8, STRIPES = 64 };
/* Numbers, and dense rows, that are worked on at a time. */
enum { SOME = 256, PANEL = 32 };

struct proving {
    const struct objective *o;
    const double *u;
    double *m, *off, *a; /* n: margins, how far they may be off, dual variables */
    /* The dual variables are given and the rows dense: one pass is for the margins and the sums. Else
       what is off and the dual variables, which come later, share their place. */
    bool joint;
    /* Rounding errors are bounded by norms of the rows and the weights (Cauchy and Schwarz), not by sums of
       magnitudes: half the work, and where the bounds are too loose all is done again. Sparse rows, an L2
       penalty alone. */
    bool by_norms;
    double *norm;    /* n: of the rows */
    double u_square; /* the squared norm of the weights */
    double reach;    /* no less than the norm of `magnitude`, which then is not there */
    size_t parts;
    const double *alpha; /* what these are made of; NULL: the margins */
    /* parts x width: sums of c_i a_i y_i (x_i - c, 1), and of the terms' magnitudes */
    double *v, *magnitude;
    double *group;     /* parts x width: of some rows, before they go to v; NULL: of all at once */
    size_t group_rows; /* how many */
    double relative;   /* v is off by rounding by no more than this part of magnitude */
    double unbalanced; /* and by this part, and so is the dual: what a free bias takes */
    double shrink;     /* of the dual variables, for an L1 penalty or bounds alone */
};

/* A sum over n rows or columns with its rounding errors; `of` gives that of some of them. */
struct partial {
    struct total sum;
    double error;
};
typedef struct partial (*partial_fn)(const struct proving *all, size_t from, size_t to);
sepal_status sum_stripes(double *out, double *error, const struct proving *all, size_t n,
                         partial_fn of);
/* Small problems are done before another thread wakes up. */
sepal_status run_tasks(const struct objective *o, size_t n, task_fn task, void *payload);

/* certify_point.c: margins, and P. */
/* The next of a dense block's rows from number i on, centred: PANEL, or those that are left. `scratch` has
   PANEL rows. */
size_t proving_panel(const double **x, const struct proving *all, const struct block *block,
                     size_t i, double *scratch);
sepal_status proving_margins(struct proving *all);
/* Of n dense rows from this number on, as proving_panel gives them. */
void proving_dense_margins(const struct proving *all, size_t row, const double *const *x, size_t n);
sepal_status proving_primal(struct estimate *out, const struct proving *all);
/* Half the sum of the squares of x[from] to x[to - 1]. */
struct partial proving_squares(const struct proving *all, const double *x, size_t from, size_t to);

/* Sums over the rows that a free bias is about: of c_i a_i for y = 1, the same less that for y = -1,
   of |c_i a_i|, and of c_i times how far a_i may move. */
struct sides {
    double high, difference, size, slack;
};
sepal_status proving_sides(struct sides *out, const struct proving *all);

/* certify_box.c: of weights that are bounded. */
/* SEPAL_EINTERNAL unless the point is within the bounds. */
sepal_status proving_check_box(const struct proving *all);
/* Shrink the dual variables as an L1 penalty without an L2 penalty wants; false: that will not do. */
bool proving_box_shrink(struct proving *all);
/* What penalty and bounds take off the dual. */
struct partial proving_box_part(const struct proving *all, size_t from, size_t to);
/* The largest entry of the gradient that does not lead out of the box. */
double proving_box_slope(const struct proving *all);

/* certify_sums.c: v of the dual variables a; margins, too, if joint. */
sepal_status proving_room(struct proving *all);
sepal_status proving_sums(struct proving *all);
/* How far v[j] may be off. */
static inline double proving_error(const struct proving *all, size_t j) {
    return ROUNDING_MORE * (all->relative + all->unbalanced) * all->magnitude[j] + DBL_MIN;
}

#endif
