/* A candidate that is fitted by the sums of the folds, for all folds before the others: where rows learnt from are
   judged by what they are decided as alone, one pass over the rows decides them by the models of all folds. */
#include "core/alloc.h"
#include "core/clock.h"
#include "model/predict.h"
#include "selection/fold_counts.h"
#include "selection/trial_split.h"

#include <string.h>

struct ahead {
    struct trials *trials;
    size_t c;
    sepal_model **model; /* of each split; NULL: it needs the rows */
    double *rows_weight; /* of each split: what the rows learnt from weigh */
    double *counts;      /* of each split classes x classes, see fold_counts.h */
    double **scores;     /* of each repeat: of all rows held out; NULL: it has no model */
};

/* The models are kept until all are there. */
static bool are_small(const struct trials *trials, enum parts_know know) {
    static const double NUMBERS_MOST = 1 << 24; /* 128 MB */
    double classes = (double)trials->data->schema->n_classes;
    double cols = (double)trials->data->matrix.cols;
    double each = know == PARTS_CLASSES ? classes * cols : know == PARTS_WITHIN ? cols : 3;
    return cols * (each + 2 * classes) * (double)trials->splits->n <= NUMBERS_MOST;
}

/* Whether no more is asked of the rows learnt from than what they are decided as. */
static bool is_ahead(const struct trials *trials, size_t c) {
    const struct trial_plan *plan = &trials->plans[c];
    struct evaluate_options options = trial_judging(trials, true);
    if (!trials->sums || !trials->judge_train || plan->left || plan->pipeline.learner->warms)
        return false;
    if (!options.no_probabilities || !options.no_rankings || trials->data->undecided) return false;
    return plan->know != PARTS_NOTHING && are_small(trials, plan->know) &&
           fold_counts_pay(trials->data, trials->splits->folds);
}

static sepal_status fit_one(struct splitting_task *task, void *payload) {
    struct ahead *all = payload;
    struct trials *trials = all->trials;
    const struct candidate *candidate = &trials->candidates[all->c];
    struct trial *trial = &trials->of[all->c * trials->splits->n + task->s];
    uint64_t start = clock_ns();
    TRY(split_select_parts(task));
    TRY(fold_sums_fit(&all->model[task->s], task->ctx, trials->sums, &trials->splits->of[task->s],
                      candidate->spec, task->train_labels, candidate->fit_options));
    all->rows_weight[task->s] = task->train_labels->total_weight;
    trial->seconds = clock_seconds_since(start);
    return SEPAL_OK;
}

static sepal_status fit_task(sepal_ctx *ctx, size_t s, void *payload) {
    const struct ahead *all = payload;
    return split_run(ctx, all->trials, s, fit_one, payload);
}

/* By the plain rule; else the model is to be judged by itself. */
static sepal_status drop_others(struct ahead *all) {
    const struct trials *trials = all->trials;
    for (size_t s = 0; s < trials->splits->n; s++) {
        struct arena scratch = {0};
        struct decision_rule rule;
        if (!all->model[s]) continue;
        sepal_status status =
            decision_rule_set(&rule, trials->ctx, &scratch, all->model[s], NULL, 0);
        bool serves = status == SEPAL_OK &&
                      evaluation_decides_plainly(all->model[s], trials->data, &rule) &&
                      fold_counts_serve(&all->model[s]->linear, trials->splits->folds);
        arena_clear(&scratch);
        TRY(status);
        if (serves) continue;
        model_free(all->model[s]);
        all->model[s] = NULL;
    }
    return SEPAL_OK;
}

/* Room for the scores of the rows of one repeat. */
static sepal_status make_scores(double **out, const struct ahead *all,
                                const struct linear *const *of) {
    const struct trials *trials = all->trials;
    for (size_t f = 0; f < trials->splits->folds; f++) {
        if (!of[f]) continue;
        if (!*out)
            *out = mem_alloc(trials->ctx, trials->data->matrix.rows, of[f]->rows * sizeof **out);
        if (!*out) return SEPAL_EMEMORY;
    }
    return SEPAL_OK;
}

static sepal_status count_all(struct ahead *all) {
    const struct trials *trials = all->trials;
    const struct splits *splits = trials->splits;
    size_t rows = trials->data->matrix.rows, classes = trials->data->schema->n_classes;
    uint32_t *fold = mem_alloc(trials->ctx, rows, sizeof *fold);
    const struct linear **of = mem_zero(trials->ctx, splits->folds, sizeof(struct linear *));
    sepal_status status = fold && of ? SEPAL_OK : SEPAL_EMEMORY;
    for (size_t r = 0; r < splits->repeats && status == SEPAL_OK; r++) {
        (void)fold_sums_folds(fold, splits, r, rows);
        for (size_t s = 0; s < splits->n; s++)
            if (splits->of[s].repeat == r)
                of[splits->of[s].fold] = all->model[s] ? &all->model[s]->linear : NULL;
        double *counts = all->counts + r * splits->folds * classes * classes;
        status = make_scores(&all->scores[r], all, of);
        if (status == SEPAL_OK)
            status = fold_counts(counts, all->scores[r], trials->ctx, trials->data, fold, of,
                                 splits->folds);
    }
    mem_free(fold);
    mem_free((void *)of);
    return status;
}

static sepal_status judge_scored(struct splitting_task *task, struct trial *trial,
                                 const sepal_model *model, const double *all) {
    const struct split *split = &task->trials->splits->of[task->s];
    size_t width = model->linear.rows;
    TRY(data_select_labels(&task->valid_labels, task->ctx, task->trials->data, split->valid,
                           split->n_valid));
    double *scores = mem_alloc(task->ctx, split->n_valid, width * sizeof *scores);
    if (!scores) return SEPAL_EMEMORY;
    for (size_t i = 0; i < split->n_valid; i++)
        memcpy(scores + i * width, all + split->valid[i] * width, width * sizeof *scores);
    sepal_status status = trial_judge_scored(trial, task, model, task->valid_labels, scores);
    mem_free(scores);
    return status;
}

static sepal_status judge_one(struct splitting_task *task, void *payload) {
    struct ahead *all = payload;
    struct trials *trials = all->trials;
    const struct split *split = &trials->splits->of[task->s];
    size_t classes = trials->data->schema->n_classes;
    struct trial *trial = &trials->of[all->c * trials->splits->n + task->s];
    const sepal_model *model = all->model[task->s];
    struct evaluate_options options = trial_judging(trials, true);
    sepal_data labels = *trials->data;
    size_t at = split->repeat * trials->splits->folds + split->fold;
    if (!model) return SEPAL_OK;
    labels.matrix.rows = split->n_train;
    labels.total_weight = all->rows_weight[task->s];
    trial_note_facts(trial, model);
    TRY(trial_judge(
        &trial->train, task->ctx, &trials->split_arenas[task->s], &options, model,
        &(struct judged){.data = &labels, .counts = all->counts + at * classes * classes}));
    return judge_scored(task, trial, model, all->scores[split->repeat]);
}

static sepal_status judge_task(sepal_ctx *ctx, size_t s, void *payload) {
    const struct ahead *all = payload;
    return split_run(ctx, all->trials, s, judge_one, payload);
}

sepal_status trials_ahead(struct trials *trials, size_t c) {
    size_t n = trials->splits->n, classes = trials->data->schema->n_classes;
    struct ahead all = {.trials = trials, .c = c};
    if (!is_ahead(trials, c)) return SEPAL_OK;
    all.model = mem_zero(trials->ctx, n, sizeof(sepal_model *));
    all.rows_weight = mem_zero(trials->ctx, n, sizeof *all.rows_weight);
    all.counts = mem_alloc(trials->ctx, n, classes * classes * sizeof *all.counts);
    all.scores = mem_zero(trials->ctx, trials->splits->repeats, sizeof(double *));
    sepal_status status =
        all.model && all.rows_weight && all.counts && all.scores ? SEPAL_OK : SEPAL_EMEMORY;
    if (status == SEPAL_OK) status = splits_run(trials, fit_task, &all);
    if (status == SEPAL_OK) status = drop_others(&all);
    if (status == SEPAL_OK) status = count_all(&all);
    if (status == SEPAL_OK) status = splits_run(trials, judge_task, &all);
    for (size_t s = 0; all.model && s < n; s++) model_free(all.model[s]);
    for (size_t r = 0; all.scores && r < trials->splits->repeats; r++) mem_free(all.scores[r]);
    mem_free(all.scores);
    mem_free(all.model);
    mem_free(all.rows_weight);
    mem_free(all.counts);
    return status;
}
