/* What can be done with rows held out, as rows of a table: judging a spec, choosing one. A new task is a
   file (its options, its run, its row), a line in tasks.def and a page, NAME_page, in src/report. */
#ifndef SEPAL_SELECTION_TASK_H
#define SEPAL_SELECTION_TASK_H

#include "core/parameters.h"
#include "core/tree.h"
#include "data/data.h"
#include "model/model.h"

struct selection {
    /* Given. */
    sepal_ctx *ctx;
    const char *const *specs;
    size_t n_specs;
    const sepal_data *data; /* NULL to a check */
    const char *options, *fit_options;
    bool wants_model;
    struct tree_maker *make;
    struct tree *report; /* an object, to be filled */
    /* Made by a task that chooses, if it is wanted. */
    sepal_model *model;
};

struct selection_task {
    const char *name, *summary;
    const struct parameter *parameters;
    size_t least_specs, most_specs;
    /* Whether it could be run, before there is data. */
    sepal_status (*check)(const struct selection *selection);
    sepal_status (*run)(struct selection *selection);
};

extern const struct selection_task *const selection_table[]; /* ends with NULL */

/* NULL, and the error, if there is none of that name. */
const struct selection_task *selection_find(sepal_ctx *ctx, const char *name);
/* Do it, or without data only check. */
sepal_status selection_do(struct selection *selection, const struct selection_task *task);

#endif
