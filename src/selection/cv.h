/* Cross-validation of one spec. */
#ifndef SEPAL_SELECTION_CV_H
#define SEPAL_SELECTION_CV_H

#include "core/spec.h"
#include "selection/metric_names.h"
#include "selection/split_options.h"
#include "selection/task.h"
#include "selection/trials.h"

struct cv_options {
    struct split_options splits;
    const char *metric, *positive;
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

/* cv_report.c */
sepal_status cv_report(struct cv *cv, struct tree_maker *make, struct tree *report);

#endif
