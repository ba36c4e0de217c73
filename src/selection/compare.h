/* Specs judged on the same splits, and whether their differences are more than chance. */
#ifndef SEPAL_SELECTION_COMPARE_H
#define SEPAL_SELECTION_COMPARE_H

#include "inference/student.h"
#include "selection/measure.h"
#include "selection/split_options.h"
#include "selection/task.h"

struct compare_options {
    const char *metric, *positive;
    struct split_options splits;
    size_t most_rows; /* to compare on; 0: all */
};

/* Judged, or left out. */
struct compared {
    const char *spec, *in_short;
    const char *left_out; /* why; NULL: it is not */
    double *values;       /* the metric on each split */
    struct spread valid, train, accuracy;
    bool converged;
    double seconds;
};

struct compared_pair {
    size_t a, b;
    struct paired_test test;
    double adjusted;
};

/* The most frequent class of the rows to learn from, and their frequencies. */
struct baseline {
    struct spread accuracy, log_loss;
    size_t class; /* of all rows */
};

struct comparison {
    struct selection *asked;
    sepal_ctx *ctx;
    const sepal_data *data; /* the rows compared on */
    sepal_data *part;       /* the same, where they are not all */
    struct compare_options options;
    struct splits splits;
    struct measure measure;
    bool usual; /* the specs were not given */
    const char
        *lone; /* of these only the first is taken: this class has a single row; NULL: none */
    size_t n, best;
    struct compared *models;
    size_t n_pairs;
    struct compared_pair *pairs;
    struct baseline baseline;
    double seconds;
    struct arena arena;
};

/* compare_usual.c: a small set of learners that suit the data. */
sepal_status compare_usual(struct comparison *all);
/* Where none of the rows can be held out, or too few, the usual learners make do with fewer folds, or the
   first of them is taken unjudged. */
sepal_status compare_usual_folds(struct comparison *all);
/* compare_baseline.c */
sepal_status compare_baseline(struct comparison *all);
/* compare_report.c */
void compare_report(const struct comparison *all);

#endif
