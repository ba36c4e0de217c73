/* Facts that the reports of several tasks of selection have. */
#ifndef SEPAL_SELECTION_SELECTION_REPORT_H
#define SEPAL_SELECTION_SELECTION_REPORT_H

#include "core/tree.h"
#include "selection/trials.h"

/* {mean, std} and, if it is wanted, the standard error. */
void report_spread(struct tree_maker *make, struct tree *parent, const char *key,
                   const struct spread *spread, bool error);
/* The data. */
void report_rows_of(struct tree_maker *make, struct tree *report, const sepal_data *data);
/* Folds, times, threads, seed. */
void report_end_of(sepal_ctx *ctx, struct tree_maker *make, struct tree *report,
                   const sepal_data *data, const struct splits *splits, double seconds);

#endif
