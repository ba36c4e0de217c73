/* Trials are judged: the rows held out by every metric, those learnt from by what is asked for. */
#include "core/alloc.h"
#include "model/match.h"
#include "model/predict.h"
#include "selection/metric_names.h"
#include "selection/trial_split.h"

#include <string.h>

/* What judges. Of the rows learnt from no more is found than is asked for: there are as many times more of them as
   there are folds. */
struct evaluate_options trial_judging(const struct trials *trials, bool train) {
    struct evaluate_options options = {.positive = trials->positive, .bins = BINS};
    if (!train || !trials->metrics) return options;
    options.no_probabilities = options.no_rankings = true;
    for (size_t m = 0; m < trials->n_metrics; m++) {
        if (metric_is_of_probabilities(trials->metrics[m])) options.no_probabilities = false;
        if (metric_ranks(trials->metrics[m])) options.no_rankings = false;
    }
    return options;
}

sepal_status trial_judge(struct tree **out, sepal_ctx *ctx, struct arena *arena,
                         const struct evaluate_options *options, const sepal_model *model,
                         const struct judged *rows) {
    struct arena scratch = {0};
    struct tree_maker make = {.ctx = ctx, .arena = arena};
    struct decision_rule rule;
    struct tree *facts = tree_object(&make, NULL, NULL);
    sepal_status status = decision_rule_set(&rule, ctx, &scratch, model, NULL, 0);
    if (status == SEPAL_OK && rows->counts)
        status =
            evaluate_counted(ctx, model, rows->data, &rule, options, rows->counts, &make, facts);
    else if (status == SEPAL_OK && rows->predictions)
        status = evaluate_predicted(ctx, model, rows->data, &rule, options, rows->predictions,
                                    &make, facts);
    else if (status == SEPAL_OK)
        status = evaluate_data(ctx, &scratch, model, rows->data, &rule, options, &make, facts);
    if (status == SEPAL_OK && make.failed) status = SEPAL_EMEMORY;
    if (status == SEPAL_OK) *out = facts;
    arena_clear(&scratch);
    return status;
}

static sepal_status keep_rows(struct trial *trial, const struct splitting_task *task,
                              const sepal_model *model) {
    struct arena *arena = &task->trials->split_arenas[task->s], scratch = {0};
    size_t n = task->valid->matrix.rows, classes = model->linear.classes;
    struct decision_rule rule;
    struct prepared prepared = {0};
    trial->decided = arena_alloc(task->ctx, arena, n, sizeof *trial->decided);
    if (!trial->decided) return SEPAL_EMEMORY;
    if (model_outputs(model, SEPAL_PROBABILITIES) > 0) {
        trial->proba = arena_alloc(task->ctx, arena, n, classes * sizeof *trial->proba);
        if (!trial->proba) return SEPAL_EMEMORY;
    }
    struct predictions predictions = {
        .n = n, .classes = trial->decided, .probabilities = trial->proba};
    sepal_status status = decision_rule_set(&rule, task->ctx, &scratch, model, NULL, 0);
    if (status == SEPAL_OK) status = match_rows(&prepared, task->ctx, model, task->valid, 0, n);
    if (status == SEPAL_OK)
        status = model_predict(&predictions, task->ctx, model, &prepared.rows, &rule);
    prepared_clear(&prepared);
    arena_clear(&scratch);
    return status;
}

sepal_status trial_judge_valid(struct trial *trial, const struct splitting_task *task,
                               const sepal_model *model) {
    struct trials *trials = task->trials;
    struct evaluate_options options = trial_judging(trials, false);
    TRY(trial_judge(&trial->valid, task->ctx, &trials->split_arenas[task->s], &options, model,
                    &(struct judged){.data = task->valid}));
    if (!trials->keep_rows || model->linear.strategy->sets) return SEPAL_OK;
    return keep_rows(trial, task, model);
}

void trial_note_facts(struct trial *trial, const sepal_model *model) {
    trial->converged = model->facts.converged;
    trial->objective = model->facts.objective;
    trial->gap = model->facts.gap;
    trial->iterations = model->facts.iterations;
    trial->columns = model->linear.cols;
}

sepal_status trial_judge_both(struct trial *trial, const struct splitting_task *task,
                              const sepal_model *model) {
    trial_note_facts(trial, model);
    struct trials *trials = task->trials;
    struct arena *arena = &trials->split_arenas[task->s];
    struct evaluate_options options = trial_judging(trials, true);
    if (trials->judge_train && !trial->train)
        TRY(trial_judge(&trial->train, task->ctx, arena, &options, model,
                        &(struct judged){.data = task->train}));
    return trial_judge_valid(trial, task, model);
}

sepal_status split_select_valid(struct splitting_task *task) {
    const struct split *split = &task->trials->splits->of[task->s];
    if (task->valid) return SEPAL_OK;
    return data_select(&task->valid, task->ctx, task->trials->data, split->valid, split->n_valid);
}

/* Those of some rows. */
static sepal_status take_predictions(struct predictions *out, sepal_ctx *ctx,
                                     const struct predictions *all, const size_t *rows, size_t n,
                                     size_t shown, size_t classes) {
    *out = (struct predictions){.n = n};
    out->classes = mem_alloc(ctx, n, sizeof *out->classes);
    if (all->regions) out->regions = mem_alloc(ctx, n, sizeof *out->regions);
    if (all->shown) out->shown = mem_alloc(ctx, n, shown * sizeof *out->shown);
    if (all->probabilities) out->probabilities = mem_alloc(ctx, n, classes * sizeof(double));
    if (!out->classes || (all->regions && !out->regions) || (all->shown && !out->shown) ||
        (all->probabilities && !out->probabilities))
        return SEPAL_EMEMORY;
    for (size_t i = 0; i < n; i++) {
        out->classes[i] = all->classes[rows[i]];
        if (all->regions) out->regions[i] = all->regions[rows[i]];
        if (all->shown)
            memcpy(out->shown + i * shown, all->shown + rows[i] * shown, shown * sizeof(double));
        if (all->probabilities)
            memcpy(out->probabilities + i * classes, all->probabilities + rows[i] * classes,
                   classes * sizeof(double));
    }
    return SEPAL_OK;
}

/* Where the rows held out are wanted, too. */
static sepal_status keep_predictions(struct trial *trial, const struct splitting_task *task,
                                     const struct predictions *valid, size_t classes) {
    struct arena *arena = &task->trials->split_arenas[task->s];
    if (!task->trials->keep_rows) return SEPAL_OK;
    trial->decided = arena_alloc(task->ctx, arena, valid->n, sizeof *trial->decided);
    if (!trial->decided) return SEPAL_EMEMORY;
    memcpy(trial->decided, valid->classes, valid->n * sizeof *trial->decided);
    if (!valid->probabilities) return SEPAL_OK;
    trial->proba = arena_alloc(task->ctx, arena, valid->n, classes * sizeof *trial->proba);
    if (!trial->proba) return SEPAL_EMEMORY;
    memcpy(trial->proba, valid->probabilities, valid->n * classes * sizeof *trial->proba);
    return SEPAL_OK;
}

sepal_status trial_judge_scored(struct trial *trial, const struct splitting_task *task,
                                const sepal_model *model, const sepal_data *labels,
                                const double *scores) {
    struct trials *trials = task->trials;
    struct evaluate_options options = trial_judging(trials, false);
    struct predictions predictions = {0};
    struct arena scratch = {0};
    struct decision_rule rule;
    sepal_status status = decision_rule_set(&rule, task->ctx, &scratch, model, NULL, 0);
    if (status == SEPAL_OK)
        status = evaluation_predict_scored(&predictions, task->ctx, model, labels, scores, &rule,
                                           &options, trials->keep_rows);
    if (status == SEPAL_OK)
        status = keep_predictions(trial, task, &predictions, model->linear.classes);
    if (status == SEPAL_OK)
        status = trial_judge(&trial->valid, task->ctx, &trials->split_arenas[task->s], &options,
                             model, &(struct judged){.data = labels, .predictions = &predictions});
    evaluation_predictions_free(&predictions);
    arena_clear(&scratch);
    return status;
}

/* Some rows of all that were predicted. */
static sepal_status judge_part(struct tree **out, struct trial *trial,
                               const struct splitting_task *task, const sepal_model *model,
                               const struct predictions *all, bool train) {
    const sepal_data *labels = train ? task->train_labels : task->valid_labels;
    const size_t *rows = task->rows + (train ? 0 : task->train_labels->matrix.rows);
    size_t classes = model->linear.classes;
    struct evaluate_options options = trial_judging(task->trials, train);
    struct predictions part;
    sepal_status status = take_predictions(&part, task->ctx, all, rows, labels->matrix.rows,
                                           linear_shown(&model->linear), classes);
    if (status == SEPAL_OK && !train) status = keep_predictions(trial, task, &part, classes);
    if (status == SEPAL_OK)
        status = trial_judge(out, task->ctx, &task->trials->split_arenas[task->s], &options, model,
                             &(struct judged){.data = labels, .predictions = &part});
    evaluation_predictions_free(&part);
    return status;
}

sepal_status trial_judge_all(struct trial *trial, struct splitting_task *task,
                             const sepal_model *model) {
    struct trials *trials = task->trials;
    struct predictions all = {0};
    struct arena scratch = {0};
    struct decision_rule rule;
    struct evaluate_options options = trial_judging(trials, trials->judge_train);
    bool apart = !trials->judge_train || options.no_probabilities || options.no_rankings;
    trial_note_facts(trial, model);
    sepal_status status = decision_rule_set(&rule, task->ctx, &scratch, model, NULL, 0);
    if (status == SEPAL_OK && trials->judge_train)
        status = evaluation_predict(&all, task->ctx, model, trials->data, &rule, &options,
                                    trials->keep_rows && !apart);
    if (status == SEPAL_OK && trials->judge_train)
        status = judge_part(&trial->train, trial, task, model, &all, true);
    if (status == SEPAL_OK && apart) status = split_select_valid(task);
    if (status == SEPAL_OK && apart)
        status = trial_judge_valid(trial, task, model);
    else if (status == SEPAL_OK)
        status = judge_part(&trial->valid, trial, task, model, &all, false);
    evaluation_predictions_free(&all);
    arena_clear(&scratch);
    return status;
}
