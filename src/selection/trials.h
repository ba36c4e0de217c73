/* Fits of some specs on some splits of the rows, each judged by the rows that it has not seen. What is learnt
   from rows, imputation, categories and maps, is learnt from the rows to learn from alone. */
#ifndef SEPAL_SELECTION_TRIALS_H
#define SEPAL_SELECTION_TRIALS_H

#include "core/lock.h"
#include "core/part.h"
#include "core/tree.h"
#include "model/pipeline.h"
#include "selection/splits.h"

struct candidate {
    const char *spec;
    const char *fit_options; /* as of sepal_model_fit; NULL: none */
};

/* One candidate on one split. */
struct trial {
    struct tree *train, *valid; /* as `evaluate` fills them; train NULL: not wanted */
    bool converged;
    double objective, gap; /* gap NaN: none */
    size_t iterations;
    size_t columns; /* after one-hot encoding and maps */
    double seconds; /* of the fit */
    bool
        follows; /* there was none: it follows from a fit to all rows, and `train` is of all rows, too */
    /* Of the rows split.valid, if they are wanted and rows have one label each. */
    double *proba;    /* n_valid x classes; NULL: the candidate has no probabilities */
    int32_t *decided; /* the class, -1: undecided */
};

struct trials {
    /* Given. */
    sepal_ctx *ctx;
    const sepal_data *data;
    const struct splits *splits;
    const struct candidate *candidates;
    size_t n_candidates;
    const char *positive; /* for metrics of two classes; NULL: the second */
    bool judge_train;     /* trial.train, too */
    /* The metrics that are asked for; others of probabilities or rankings may be missing in trial.train. NULL: all. */
    const char *const *metrics;
    size_t n_metrics;
    bool keep_rows; /* trial.proba and trial.decided */

    /* Made. Candidate c on split s is of[c * splits->n + s]. */
    struct trial *of;
    double seconds;
    struct fold_sums *sums; /* NULL: none of the candidates can be fitted by sums of the folds */
    size_t unfinished;      /* fits that did not converge */
    struct arena arena;
    struct arena *split_arenas;
    struct part_warnings *split_warnings;

    /* While they run. */
    struct trial_plan *plans; /* of each candidate */
    double max_seconds;       /* for all fits together */
    uint64_t start_ns;
    size_t width;       /* fits side by side */
    bool alone;         /* a fit has all threads, and splits come one after the other */
    sepal_data **spent; /* rows learnt from by splits that are done: room for those to come */
    size_t n_spent;
    struct lock lock; /* on these */
};

/* Fit and judge all: splits side by side, the candidates of one in their order, from the weights of the one
   before where only the strength of the penalty differs. What the fits warn of is told together. SEPAL_ECANCEL
   if it is asked to stop. To be cleared in any case. */
sepal_status trials_run(struct trials *trials);
void trials_clear(struct trials *trials);

/* The number at a dotted path of a judgement ("accuracy", "macro.f1"); NaN where there is none. */
double trials_value(const struct trials *trials, size_t candidate, size_t split, bool valid,
                    const char *metric);

/* A metric over the splits that have it. */
struct spread {
    size_t n;     /* of them */
    double mean;  /* NaN: no split has it */
    double std;   /* by n - 1; NaN unless two have it */
    double error; /* of the mean: std / sqrt(n) */
};
struct spread trials_spread(const struct trials *trials, size_t candidate, bool valid,
                            const char *metric);
struct spread spread_of(const double *values, size_t n); /* NaN is left out */

/* 1: more is better, -1: less is. */
int metric_better(const char *metric);

#endif
