/* The options that say how rows are parted, the same for all tasks. */
#ifndef SEPAL_SELECTION_SPLIT_OPTIONS_H
#define SEPAL_SELECTION_SPLIT_OPTIONS_H

#include "core/parameters.h"
#include "learners/learner.h"
#include "selection/splits.h"

struct split_options {
    size_t folds, repeats;
    bool loo, ordered;
    const char *fold_file;
};

/* Rows of a table whose structs have them as `splits`; n_folds: how many, as text. */
#define SPLIT_PARAMETERS(type, n_folds)                                                            \
    {"folds", PARAMETER_COUNT, offsetof(struct type, splits.folds),                                \
     n_folds, "[2, 1e6]",      "folds of the cross-validation"},                                   \
        {"repeats", PARAMETER_COUNT, offsetof(struct type, splits.repeats),                        \
         "1",       "[1, 10000]",    "how often the rows are dealt out to folds anew"},            \
        {"loo",                                                                                    \
         PARAMETER_FLAG,                                                                           \
         offsetof(struct type, splits.loo),                                                        \
         "false",                                                                                  \
         "",                                                                                       \
         "leave one row out at a time"},                                                           \
        {"ordered",                                                                                \
         PARAMETER_FLAG,                                                                           \
         offsetof(struct type, splits.ordered),                                                    \
         "false",                                                                                  \
         "",                                                                                       \
         "blocks of the rows in their order, each judged by what comes before it"},                \
    {                                                                                              \
        "fold-file", PARAMETER_FILE, offsetof(struct type, splits.fold_file), NULL, "",            \
            "file with the fold of each row, a whole number; -1: always learnt from"               \
    }

/* Contradictions; `text` are the options as they were given. */
sepal_status split_options_check(const struct split_options *options, sepal_ctx *ctx,
                                 struct arena *arena, const char *text);
/* Options of a fit that have no place where rows are held out. */
sepal_status split_options_check_fit(sepal_ctx *ctx, const struct fit_options *options);
/* With the file of folds read, and the groups of the data. */
sepal_status split_options_plan(struct split_plan *out, const struct split_options *options,
                                sepal_ctx *ctx, struct arena *arena, const sepal_data *data);
/* fold_file.c: a number for each row, from a file of one a line. */
sepal_status fold_file_read(double **out, sepal_ctx *ctx, struct arena *arena, const char *path,
                            const sepal_data *data);

#endif
