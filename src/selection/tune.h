/* Choosing the values of parameters, and a cutoff, by rows held out. */
#ifndef SEPAL_SELECTION_TUNE_H
#define SEPAL_SELECTION_TUNE_H

#include "selection/cutoff.h"
#include "selection/grid.h"
#include "selection/measure.h"
#include "selection/split_options.h"
#include "selection/task.h"

enum tune_choice { TUNE_ONE_SE, TUNE_MIN, TUNE_BEST };

struct tune_options {
    const char *over, *metric, *positive, *cutoff_for;
    int choose; /* enum tune_choice */
    size_t nested;
    struct split_options splits;
    double cost_fp, cost_fn;
};

/* What is asked for. */
struct tuning {
    struct selection *asked;
    sepal_ctx *ctx;
    struct arena arena;
    struct tune_options options;
    struct split_plan plan;
    struct grid grid;
    bool usual; /* the grid was not given */
    struct candidate *candidates;
    struct measure measure;
    struct cutoff_goal goal;
};

/* The grid on some rows: trials, and what is chosen by them. */
struct tune_round {
    struct splits splits;
    struct trials trials;
    struct spread *valid, *train; /* of each point */
    size_t best, one_se, chosen;
    bool all_equal;
    struct cutoff cutoff; /* value NaN: none is wanted */
};
sepal_status tune_round(struct tune_round *out, const struct tuning *tuning,
                        const sepal_data *data);
void tune_round_clear(struct tune_round *round);
/* The options of a fit with the cutoff of a round; NULL: no memory. */
const char *tune_fit_options(const struct tuning *tuning, struct arena *arena,
                             const struct cutoff *cutoff);

/* tune_choice.c */
sepal_status tune_choose(struct tune_round *round, const struct tuning *tuning);
void tune_warn(const struct tune_round *round, const struct tuning *tuning);
/* Why the chosen point was: a sentence in the arena; NULL: no memory. */
const char *tune_why(const struct tune_round *round, const struct tuning *tuning);

/* tune_nested.c: the whole choice again on the rows outside of each of K folds, judged by the fold. */
struct nested_fold {
    size_t point;
    double value, train_rows, valid_rows, cutoff;
};
struct nested {
    size_t n; /* 0: not asked for */
    struct nested_fold *folds;
    struct spread spread;
};
sepal_status tune_nested(struct nested *out, struct tuning *tuning);

/* tune_report.c */
void tune_report(const struct tuning *tuning, const struct tune_round *round,
                 const struct nested *nested, const char *spec);

#endif
