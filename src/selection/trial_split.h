/* Inside selection/ only: what trials.c, trials_judge.c and trials_ahead.c share of one candidate and one split. */
#ifndef SEPAL_SELECTION_TRIAL_SPLIT_H
#define SEPAL_SELECTION_TRIAL_SPLIT_H

#include "core/parallel.h"
#include "eval/evaluate.h"
#include "selection/fold_sums.h"
#include "selection/left_out.h"
#include "selection/trials.h"

/* What is known of a candidate before it is fitted. */
struct trial_plan {
    struct pipeline pipeline;
    struct fit_options options;
    bool warms;            /* it goes on from the weights of the candidate before it, */
    double beyond;         /* and so far along the line through those of the last two */
    struct left_out *left; /* NULL: every split is fitted */
    struct tree *train;    /* all rows, judged by the fit to them */
    enum parts_know know;  /* PARTS_NOTHING: fits need the rows */
};

struct splitting_task {
    struct trials *trials;
    sepal_ctx *ctx;
    size_t s;
    size_t *rows; /* all, those to learn from first; NULL: not wanted so far */
    sepal_data *train, *valid;
    sepal_data *train_labels, *valid_labels; /* without the rows' numbers */
};

/* ---- trials.c: a split by itself, told of by its name. What it warns of goes to the split's. */
typedef sepal_status (*split_fn)(struct splitting_task *task, void *payload);
sepal_status split_run(sepal_ctx *ctx, struct trials *trials, size_t s, split_fn run,
                       void *payload);
/* All splits, side by side or one after the other as `trials` has it. */
sepal_status splits_run(struct trials *trials, task_fn task, void *payload);
/* The rows' numbers, labels and weights. */
sepal_status split_select_parts(struct splitting_task *task);

/* ---- trials_judge.c */
sepal_status split_select_valid(struct splitting_task *task);
struct evaluate_options trial_judging(const struct trials *trials, bool train);
/* By labels and counts of them, or NULL; by predictions of these rows, which are freed, or NULL; else `data` has
   the rows. */
struct judged {
    const sepal_data *data;
    struct predictions *predictions;
    const double *counts;
};
sepal_status trial_judge(struct tree **out, sepal_ctx *ctx, struct arena *arena,
                         const struct evaluate_options *options, const sepal_model *model,
                         const struct judged *rows);
void trial_note_facts(struct trial *trial, const sepal_model *model);
/* Rows held out, of which `labels` has labels alone, by their scores, see evaluation_predict_scored. */
sepal_status trial_judge_scored(struct trial *trial, const struct splitting_task *task,
                                const sepal_model *model, const sepal_data *labels,
                                const double *scores);
sepal_status trial_judge_valid(struct trial *trial, const struct splitting_task *task,
                               const sepal_model *model);
sepal_status trial_judge_both(struct trial *trial, const struct splitting_task *task,
                              const sepal_model *model);
/* All rows are predicted at once, where they are; those held out again, if more is asked of them. */
sepal_status trial_judge_all(struct trial *trial, struct splitting_task *task,
                             const sepal_model *model);

/* ---- trials_ahead.c: fits by sums whose rows learnt from are judged by decisions alone, in one pass over the
   rows for all folds. Trials that are done have a judgement. */
sepal_status trials_ahead(struct trials *trials, size_t c);

#endif
