/* A regularisation path: fits from the strongest penalty to weaker ones, judged by cross-validation. */
#ifndef SEPAL_SELECTION_PATH_H
#define SEPAL_SELECTION_PATH_H

#include "model/pipeline.h"

enum path_choice { CHOOSE_ONE_SE, CHOOSE_MIN, CHOOSE_BEST }; /* the last two are one */

struct path_options {
    size_t length, folds;
    double min_ratio;    /* NaN: by the shape of the data */
    const char *lambdas; /* the values themselves; NULL: by length and min_ratio */
    int choose;          /* enum path_choice */
};
extern const struct parameter path_option_table[];

/* One value of the path. */
struct path_row {
    double lambda;
    double l1, l2, c;
    size_t nonzero, iterations; /* of all two-class problems together */
    double objective, dual, gap;
    bool converged;
    double explained;                            /* the part of the null loss that is explained */
    double loss, loss_error, error, error_error; /* by cross-validation: means, standard errors */
};

struct path {
    /* Given. */
    sepal_ctx *ctx;
    const sepal_data *data;
    struct arena arena;
    struct pipeline pipeline;
    struct fit_options fit_options;
    struct path_options options;
    uint64_t start_ns;

    double ratio;
    size_t n; /* values that all fits came to */
    size_t wanted;
    double *lambda;
    struct path_row *row;
    double null_loss;
    size_t columns;                 /* after the maps */
    double seconds;                 /* of the fits of all rows */
    uint32_t *fold;                 /* of each row */
    double *fold_loss, *fold_error; /* folds x wanted */
    double *fold_weight;
    size_t best, one_se;
    const char *stopped; /* NULL: it came to the end */
};

/* path_grid.c: the values. `slope`: the least l1 for which all weights are 0. */
sepal_status path_grid(struct path *path, double slope);
sepal_status path_read_lambdas(struct path *path);

/* path_rows.c: all fits of one set of rows. */
struct path_run {
    struct path *path;
    const sepal_data *train, *held; /* held NULL: the rows themselves are described, in path->row */
    size_t part, parts;             /* of all runs, for a time limit and in lines of progress */
    double *loss, *error;           /* of the held rows, by value; NULL: they are not wanted */
    size_t done;                    /* values that all its problems came to */
    double slope;                   /* found first: the largest of all problems */
    bool begins;                    /* only that is wanted */
};
sepal_status path_run(struct path_run *run);

/* path_choice.c: means over the folds, standard errors, and the two choices. */
void path_judge(struct path *path);

/* path_report.c */
void path_report(const struct path *path, struct tree_maker *make, struct tree *report,
                 const char *spec);

#endif
