/* Cross-validation of one spec. */
#ifndef SEPAL_SELECTION_CV_H
#define SEPAL_SELECTION_CV_H

#include "core/spec.h"
#include "selection/metric_names.h"
#include "selection/task.h"
#include "selection/trials.h"

struct cv_options {
    size_t folds, repeats;
    bool loo, ordered;
    const char *fold_file, *metric, *positive;
};
extern const struct parameter cv_option_table[];

struct cv {
    sepal_ctx *ctx;
    const sepal_data *data;
    const char *spec, *fit_options;
    struct cv_options options;
    struct metric_names metrics; /* to show; the first one judges */
    struct pipeline pipeline;
    struct fit_options parsed;
    struct split_plan plan;
    struct splits splits;
    struct candidate candidate;
    struct trials trials;
    uint64_t start_ns;
    struct arena arena;
};

/* fold_file.c: a number for each row, from a file of one a line. */
sepal_status fold_file_read(double **out, sepal_ctx *ctx, struct arena *arena, const char *path,
                            const sepal_data *data);

/* cv_report.c */
sepal_status cv_report(struct cv *cv, struct tree_maker *make, struct tree *report);

#endif
