/* What the parts of a proof share: certify.c, certify_point.c, certify_sums.c. */
#ifndef SEPAL_OBJECTIVE_PROVING_H
#define SEPAL_OBJECTIVE_PROVING_H

#include "core/parallel.h"
#include "objective/rounding.h"
#include "objective/total.h"

/* The rows go to the sums v in two parts, so that two threads can share them, if they are worth it; other
   sums are taken in stripes. */
enum { PARTS_MOST = 2, STRIPES = 64 };
/* Numbers, and dense rows, that are worked on at a time. */
enum { SOME = 256, PANEL = 32 };

struct proving {
    const struct objective *o;
    const double *u;
    double *m, *a;      /* n: margins; how far they may be off, then dual variables */
    const double *pull; /* what these are made of; NULL: the margins */
    size_t parts;
    /* parts x width: sums of share_i a_i y_i (x_i - c, 1), and of the terms' magnitudes */
    double *v, *reach;
    double *group;     /* parts x width: of some rows, before they go to v; NULL: of all at once */
    size_t group_rows; /* how many */
    double side[2];    /* sums of share_i a_i, of either class */
    double relative;   /* v is off by rounding by no more than this part of reach */
    double unbalanced; /* and by this part, and so is the dual: what a free bias takes */
    double shrink;     /* of the dual variables, for an L1 penalty alone */
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
/* The next of a dense block's rows from number i on, centred: PANEL, or those that are left. `room` has
   PANEL rows. */
size_t proving_panel(const double **x, const struct proving *all, const struct block *block,
                     size_t i, double *room);
sepal_status proving_margins(struct proving *all);
sepal_status proving_primal(struct estimate *out, const struct proving *all);

/* certify_sums.c: v of the dual variables a. */
sepal_status proving_room(struct proving *all);
sepal_status proving_sums(struct proving *all);
/* How far v[j] may be off. */
static inline double proving_error(const struct proving *all, size_t j) {
    return ROUNDING_MORE * (all->relative + all->unbalanced) * all->reach[j] + DBL_MIN;
}

#endif
