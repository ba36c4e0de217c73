/* The cutoff on the probability of the second of two classes that serves a goal best on rows held out. */
#ifndef SEPAL_SELECTION_CUTOFF_H
#define SEPAL_SELECTION_CUTOFF_H

#include "eval/metric.h"
#include "selection/trials.h"

struct cutoff_goal {
    const char *name;            /* NULL: no cutoff is wanted */
    const struct metric *metric; /* NULL: the mean cost of a row */
    bool averaged;               /* over both classes; else of the positive one */
    double cost_fp, cost_fn;     /* of a false alarm, of a miss of the positive class */
    size_t positive;
    int better;
};
/* Costs may be NaN: 1. */
sepal_status cutoff_goal_read(struct cutoff_goal *out, sepal_ctx *ctx, const char *name,
                              double cost_fp, double cost_fn);

struct cutoff {
    double value;       /* NaN: none */
    double score, half; /* the goal at it, and at 0.5 */
    size_t rows;        /* judged; each once a repeat */
};
/* Of the rows that a candidate's trials kept. */
sepal_status cutoff_find(struct cutoff *out, const struct trials *trials, size_t candidate,
                         const struct cutoff_goal *goal);

#endif
