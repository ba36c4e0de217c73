#include "selection/trials.h"

#include "core/alloc.h"
#include "core/clock.h"
#include "core/parallel.h"
#include "eval/evaluate.h"
#include "kernels/blas.h"
#include "model/match.h"
#include "model/predict.h"
#include "selection/fold_sums.h"
#include "selection/left_out.h"
#include "selection/metric_names.h"
#include "selection/trial_start.h"

#include <math.h>
#include <string.h>

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

/* ---- what is asked for -------------------------------------------------------------------- */

static bool is_strength(const char *name) {
    return strcmp(name, "l1") == 0 || strcmp(name, "l2") == 0 || strcmp(name, "C") == 0;
}

static bool same_parameters(const struct parameter *table, const void *one, const void *other) {
    for (const struct parameter *row = table; row && row->name; row++)
        if (!is_strength(row->name) && !parameter_same(row, one, other)) return false;
    return true;
}

/* Whether they differ in the strength of the penalty at most. A method that walks, as the perceptron does,
   would come to other weights from another beginning. */
static bool may_go_on(const struct trial_plan *plan, const struct trial_plan *before) {
    const struct pipeline *p = &plan->pipeline, *q = &before->pipeline;
    const struct learner *learner = p->learner;
    bool as_given = plan->options.asked && plan->options.asked->as_given;
    if (learner != q->learner || !learner->warms || !parameters_find(learner->parameters, "l2"))
        return false;
    if (as_given || p->strategy != q->strategy || p->chain.n != q->chain.n) return false;
    for (size_t m = 0; m < p->chain.n; m++)
        if (p->chain.maps[m].map != q->chain.maps[m].map ||
            !same_parameters(p->chain.maps[m].map->parameters, p->chain.maps[m].config,
                             q->chain.maps[m].config))
            return false;
    return same_parameters(learner->parameters, p->config, q->config);
}

static sepal_status plan_candidate(struct trials *trials, size_t c) {
    sepal_ctx *ctx = trials->ctx;
    struct trial_plan *plan = &trials->plans[c];
    const struct candidate *candidate = &trials->candidates[c];
    TRY(pipeline_parse(&plan->pipeline, ctx, &trials->arena, candidate->spec));
    TRY(pipeline_parse_options(&plan->options, &plan->pipeline, ctx, &trials->arena,
                               candidate->fit_options));
    TRY(pipeline_check_data(ctx, plan->pipeline.learner, trials->data));
    double limit = plan->options.max_seconds;
    if (isnan(trials->max_seconds) || limit < trials->max_seconds) trials->max_seconds = limit;
    plan->warms = c > 0 && may_go_on(plan, plan - 1);
    if (plan->warms && (plan - 1)->warms)
        plan->beyond =
            trial_start_beyond(&(plan - 2)->pipeline, &(plan - 1)->pipeline, &plan->pipeline);
    return SEPAL_OK;
}

static sepal_status plan_all(struct trials *trials) {
    size_t n = trials->n_candidates, splits = trials->splits->n;
    sepal_ctx *ctx = trials->ctx;
    trials->plans = arena_zero(ctx, &trials->arena, n, sizeof *trials->plans);
    trials->of = arena_zero(ctx, &trials->arena, n * splits, sizeof *trials->of);
    trials->spent = arena_alloc(ctx, &trials->arena, splits, sizeof(sepal_data *));
    trials->split_arenas = arena_zero(ctx, &trials->arena, splits, sizeof *trials->split_arenas);
    trials->split_warnings =
        arena_zero(ctx, &trials->arena, splits, sizeof *trials->split_warnings);
    if (!trials->plans || !trials->of || !trials->spent || !trials->split_arenas ||
        !trials->split_warnings)
        return SEPAL_EMEMORY;
    for (size_t c = 0; c < n; c++) TRY(plan_candidate(trials, c));
    return SEPAL_OK;
}

/* ---- leaving one out ---------------------------------------------------------------------- */

/* What judges. Of the rows learnt from no more is found than is asked for: there are as many times more of them as
   there are folds. */
static struct evaluate_options judging(const struct trials *trials, bool train) {
    struct evaluate_options options = {.positive = trials->positive, .bins = BINS};
    if (!train || !trials->metrics) return options;
    options.no_probabilities = options.no_rankings = true;
    for (size_t m = 0; m < trials->n_metrics; m++) {
        if (metric_is_of_probabilities(trials->metrics[m])) options.no_probabilities = false;
        if (metric_ranks(trials->metrics[m])) options.no_rankings = false;
    }
    return options;
}

/* `predictions`: of these rows, of which `data` has the labels alone; they are freed. NULL: it has the rows. */
static sepal_status judge(struct tree **out, sepal_ctx *ctx, struct arena *arena,
                          const struct evaluate_options *options, const sepal_model *model,
                          const sepal_data *data, struct predictions *predictions) {
    struct arena scratch = {0};
    struct tree_maker make = {.ctx = ctx, .arena = arena};
    struct decision_rule rule;
    struct tree *facts = tree_object(&make, NULL, NULL);
    sepal_status status = decision_rule_set(&rule, ctx, &scratch, model, NULL, 0);
    if (status == SEPAL_OK && predictions)
        status = evaluate_predicted(ctx, model, data, &rule, options, predictions, &make, facts);
    else if (status == SEPAL_OK)
        status = evaluate_data(ctx, &scratch, model, data, &rule, options, &make, facts);
    if (status == SEPAL_OK && make.failed) status = SEPAL_EMEMORY;
    if (status == SEPAL_OK) *out = facts;
    arena_clear(&scratch);
    return status;
}

/* The row of split s is row s. */
static bool leaves_one_out(const struct trials *trials) {
    const struct splits *splits = trials->splits;
    if (splits->n != trials->data->matrix.rows) return false;
    for (size_t s = 0; s < splits->n; s++)
        if (splits->of[s].train || splits->of[s].n_valid != 1) return false;
    return true;
}

static sepal_status plan_left_out(struct trials *trials, size_t c) {
    struct trial_plan *plan = &trials->plans[c];
    const struct candidate *candidate = &trials->candidates[c];
    TRY(left_out_make(&plan->left, trials->ctx, &plan->pipeline, &plan->options, candidate->spec,
                      candidate->fit_options, trials->data));
    if (!plan->left || !trials->judge_train) return SEPAL_OK;
    struct evaluate_options options = judging(trials, true);
    return judge(&plan->train, trials->ctx, &trials->arena, &options, left_out_whole(plan->left),
                 trials->data, NULL);
}

/* ---- one split ---------------------------------------------------------------------------- */

struct splitting_task {
    struct trials *trials;
    sepal_ctx *ctx;
    size_t s;
    size_t *rows; /* all, those to learn from first; NULL: not wanted so far */
    sepal_data *train, *valid;
    sepal_data *train_labels, *valid_labels; /* without the rows' numbers */
};

/* What is left of the time is shared by the fits to come; as many as there are threads run side by side. */
static double time_of_fit(const struct trials *trials, size_t s, size_t c) {
    double left = trials->max_seconds - clock_seconds_since(trials->start_ns);
    size_t to_come = (trials->splits->n - s) * trials->n_candidates - c;
    if (isnan(left)) return NAN;
    return fmax(left, 0) / ceil((double)to_come / (double)trials->width);
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

static sepal_status judge_valid(struct trial *trial, const struct splitting_task *task,
                                const sepal_model *model) {
    struct trials *trials = task->trials;
    struct evaluate_options options = judging(trials, false);
    TRY(judge(&trial->valid, task->ctx, &trials->split_arenas[task->s], &options, model,
              task->valid, NULL));
    if (!trials->keep_rows || model->linear.strategy->sets) return SEPAL_OK;
    return keep_rows(trial, task, model);
}

static void note_facts(struct trial *trial, const sepal_model *model) {
    trial->converged = model->facts.converged;
    trial->objective = model->facts.objective;
    trial->gap = model->facts.gap;
    trial->iterations = model->facts.iterations;
    trial->columns = model->linear.cols;
}

static sepal_status judge_both(struct trial *trial, const struct splitting_task *task,
                               const sepal_model *model) {
    note_facts(trial, model);
    struct trials *trials = task->trials;
    struct arena *arena = &trials->split_arenas[task->s];
    struct evaluate_options options = judging(trials, true);
    if (trials->judge_train && !trial->train)
        TRY(judge(&trial->train, task->ctx, arena, &options, model, task->train, NULL));
    return judge_valid(trial, task, model);
}

static sepal_data *take_spent(struct trials *trials) {
    lock_take(&trials->lock);
    sepal_data *spent = trials->n_spent ? trials->spent[--trials->n_spent] : NULL;
    lock_give(&trials->lock);
    return spent;
}

static void give_spent(struct trials *trials, sepal_data *spent) {
    if (!spent) return;
    lock_take(&trials->lock);
    trials->spent[trials->n_spent++] = spent;
    lock_give(&trials->lock);
}

/* Unless they are there already. */
static sepal_status select_train(struct splitting_task *task) {
    const struct split *split = &task->trials->splits->of[task->s];
    const sepal_data *data = task->trials->data;
    size_t all = data->matrix.rows;
    if (task->train) return SEPAL_OK;
    size_t *rows = mem_alloc(task->ctx, all, sizeof *rows);
    if (!rows) return SEPAL_EMEMORY;
    size_t n = split_train_rows(rows, split, all);
    sepal_data *spent = take_spent(task->trials);
    sepal_status status = data_select_anew(&task->train, task->ctx, data, rows, n, spent);
    data_free(spent);
    mem_free(rows);
    return status;
}

static sepal_status select_valid(struct splitting_task *task) {
    const struct split *split = &task->trials->splits->of[task->s];
    if (task->valid) return SEPAL_OK;
    return data_select(&task->valid, task->ctx, task->trials->data, split->valid, split->n_valid);
}

/* The fit to all rows but one, from that to all, and its judgement. */
static sepal_status run_left_out(struct splitting_task *task, size_t c) {
    struct trials *trials = task->trials;
    const struct trial_plan *plan = &trials->plans[c];
    struct trial *trial = &trials->of[c * trials->splits->n + task->s];
    struct arena scratch = {0};
    sepal_model model;
    uint64_t start = clock_ns();
    size_t row = trials->splits->of[task->s].valid[0];
    trial->train = plan->train;
    TRY(select_valid(task));
    sepal_status status =
        left_out_model(&model, &trial->follows, task->ctx, &scratch, plan->left, row);
    trial->seconds = clock_seconds_since(start);
    if (status == SEPAL_OK && trial->follows) status = judge_both(trial, task, &model);
    arena_clear(&scratch);
    return status;
}

/* ---- a fit by the sums of the folds ------------------------------------------------------- */

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

/* Some rows of all that were predicted. */
static sepal_status judge_part(struct tree **out, struct trial *trial,
                               const struct splitting_task *task, const sepal_model *model,
                               const struct predictions *all, bool train) {
    const sepal_data *labels = train ? task->train_labels : task->valid_labels;
    const size_t *rows = task->rows + (train ? 0 : task->train_labels->matrix.rows);
    size_t classes = model->linear.classes;
    struct evaluate_options options = judging(task->trials, train);
    struct predictions part;
    sepal_status status = take_predictions(&part, task->ctx, all, rows, labels->matrix.rows,
                                           linear_shown(&model->linear), classes);
    if (status == SEPAL_OK && !train) status = keep_predictions(trial, task, &part, classes);
    if (status == SEPAL_OK)
        status = judge(out, task->ctx, &task->trials->split_arenas[task->s], &options, model,
                       labels, &part);
    evaluation_predictions_free(&part);
    return status;
}

/* All rows are predicted at once, where they are; those held out again, if more is asked of them. */
static sepal_status judge_all(struct trial *trial, struct splitting_task *task,
                              const sepal_model *model) {
    struct trials *trials = task->trials;
    struct predictions all = {0};
    struct arena scratch = {0};
    struct decision_rule rule;
    struct evaluate_options options = judging(trials, trials->judge_train);
    bool apart = !trials->judge_train || options.no_probabilities || options.no_rankings;
    note_facts(trial, model);
    sepal_status status = decision_rule_set(&rule, task->ctx, &scratch, model, NULL, 0);
    if (status == SEPAL_OK && trials->judge_train)
        status = evaluation_predict(&all, task->ctx, model, trials->data, &rule, &options,
                                    trials->keep_rows && !apart);
    if (status == SEPAL_OK && trials->judge_train)
        status = judge_part(&trial->train, trial, task, model, &all, true);
    if (status == SEPAL_OK && apart) status = select_valid(task);
    if (status == SEPAL_OK && apart)
        status = judge_valid(trial, task, model);
    else if (status == SEPAL_OK)
        status = judge_part(&trial->valid, trial, task, model, &all, false);
    evaluation_predictions_free(&all);
    arena_clear(&scratch);
    return status;
}

static sepal_status select_parts(struct splitting_task *task) {
    const struct split *split = &task->trials->splits->of[task->s];
    const sepal_data *data = task->trials->data;
    if (task->rows) return SEPAL_OK;
    task->rows = mem_alloc(task->ctx, data->matrix.rows, sizeof *task->rows);
    if (!task->rows) return SEPAL_EMEMORY;
    size_t n = split_train_rows(task->rows, split, data->matrix.rows);
    memcpy(task->rows + n, split->valid, split->n_valid * sizeof *task->rows);
    TRY(data_select_labels(&task->train_labels, task->ctx, data, task->rows, n));
    return data_select_labels(&task->valid_labels, task->ctx, data, split->valid, split->n_valid);
}

/* *model NULL: it needs the rows. */
static sepal_status run_sums(sepal_model **model, struct splitting_task *task, size_t c) {
    struct trials *trials = task->trials;
    const struct candidate *candidate = &trials->candidates[c];
    struct trial *trial = &trials->of[c * trials->splits->n + task->s];
    uint64_t start = clock_ns();
    TRY(select_parts(task));
    TRY(fold_sums_fit(model, task->ctx, trials->sums, &trials->splits->of[task->s], candidate->spec,
                      task->train_labels, candidate->fit_options));
    if (!*model) return SEPAL_OK;
    TRY(check_cancelled(task->ctx, "fitting"));
    trial->seconds = clock_seconds_since(start);
    return judge_all(trial, task, *model);
}

/* The fit to the rows; older, before: the fits of the last two candidates. */
static sepal_status fit_rows(sepal_model **model, struct splitting_task *task, size_t c,
                             const sepal_model *older, const sepal_model *before) {
    struct trials *trials = task->trials;
    const struct candidate *candidate = &trials->candidates[c];
    const struct trial_plan *plan = &trials->plans[c];
    struct arena scratch = {0};
    sepal_model beyond;
    sepal_status status = SEPAL_OK;
    const sepal_model *start = plan->warms ? before : NULL;
    if (start && older && plan->beyond > 0) {
        status = trial_start_make(&beyond, task->ctx, &scratch, older, before, plan->beyond);
        start = &beyond;
    }
    if (status == SEPAL_OK)
        status =
            pipeline_fit_judged(model, task->ctx, candidate->spec, task->train,
                                candidate->fit_options, start, time_of_fit(trials, task->s, c));
    arena_clear(&scratch);
    return status;
}

static sepal_status run_candidate(sepal_model **model, struct splitting_task *task, size_t c,
                                  const sepal_model *older, const sepal_model *before) {
    struct trials *trials = task->trials;
    struct trial *trial = &trials->of[c * trials->splits->n + task->s];
    if (trials->plans[c].left) TRY(run_left_out(task, c));
    if (trial->follows) return SEPAL_OK;
    if (trials->sums && trials->plans[c].know != PARTS_NOTHING) TRY(run_sums(model, task, c));
    if (*model) return SEPAL_OK;
    TRY(select_train(task));
    TRY(select_valid(task));
    uint64_t start = clock_ns();
    TRY(fit_rows(model, task, c, older, before));
    TRY(check_cancelled(task->ctx, "fitting"));
    trial->seconds = clock_seconds_since(start);
    return judge_both(trial, task, *model);
}

static sepal_status run_candidates(struct splitting_task *task) {
    sepal_model *before = NULL, *older = NULL;
    sepal_status status = SEPAL_OK;
    for (size_t c = 0; c < task->trials->n_candidates && status == SEPAL_OK; c++) {
        sepal_model *model = NULL;
        (void)progress(task->ctx, "fit %zu of %zu", c + 1, task->trials->n_candidates);
        status = run_candidate(&model, task, c, older, before);
        model_free(older);
        older = before;
        before = model;
    }
    model_free(older);
    model_free(before);
    return status;
}

static sepal_status name_error(sepal_ctx *ctx, sepal_status status, const char *name) {
    struct error why = ctx->error;
    if (status == SEPAL_ECANCEL)
        return fail(ctx, status, "interrupted in %s; a judgement needs all of them", name);
    if (status == SEPAL_EDATA && !*why.file)
        return fail(ctx, status, "%s: %.1800s", name, why.message);
    return status;
}

static sepal_status run_split(sepal_ctx *ctx, size_t s, void *payload) {
    struct trials *trials = payload;
    struct part part;
    char name[SPLIT_NAME_BYTES];
    split_name(name, trials->splits, s);
    part_begin(&part, ctx, trials->alone, "%s", name);
    struct splitting_task task = {.trials = trials, .ctx = part.ctx, .s = s};
    sepal_status status = check_cancelled(part.ctx, "fitting");
    if (status == SEPAL_OK) status = run_candidates(&task);
    give_spent(trials, task.train);
    data_free(task.valid);
    data_free(task.train_labels);
    data_free(task.valid_labels);
    mem_free(task.rows);
    if (status != SEPAL_OK) status = name_error(part.ctx, status, name);
    part_end(&part, &trials->split_warnings[s], s + 1);
    return status;
}

/* ---- all ---------------------------------------------------------------------------------- */

/* Side by side splits share no work and do not wait. Where there are fewer of them than threads, a fit
   of many numbers has more of the threads by itself. */
static bool better_alone(const struct trials *trials) {
    static const double MANY_NUMBERS = 1e6;
    const struct matrix *x = &trials->data->matrix;
    double numbers = x->sparse ? (double)x->nonzeros : (double)x->rows * (double)x->cols;
    return trials->splits->n == 1 ||
           (trials->splits->n < parallel_width(trials->ctx) && numbers >= MANY_NUMBERS);
}

/* Where a candidate goes on from the one before it that start was not asked for. */
static void forget_starts(struct part_warnings *all) {
    size_t kept = 0;
    for (size_t k = 0; k < all->n; k++)
        if (strcmp(all->kinds[k].first.code, "warm-start") == 0)
            mem_free((char *)(uintptr_t)all->kinds[k].first.message);
        else
            all->kinds[kept++] = all->kinds[k];
    all->n = kept;
}

static void tell_warnings(struct trials *trials) {
    struct part_warnings all = {0};
    for (size_t s = 0; s < trials->splits->n; s++)
        part_warnings_add(&all, &trials->split_warnings[s]);
    forget_starts(&all);
    part_warnings_tell(&all, trials->ctx, trials->splits->n,
                       trials->splits->folds > 1 ? "folds" : "splits");
}

/* Candidates that have to know less than others are fitted by what these have to know, if it has theirs. */
static sepal_status plan_sums(struct trials *trials) {
    enum parts_know most = PARTS_NOTHING;
    for (size_t c = 0; c < trials->n_candidates; c++) {
        struct trial_plan *plan = &trials->plans[c];
        if (!plan->left) plan->know = fold_sums_know(&plan->pipeline, &plan->options, trials->data);
        if (plan->know > most) most = plan->know;
    }
    for (size_t c = 0; c < trials->n_candidates; c++) {
        enum parts_know *know = &trials->plans[c].know;
        if (*know != most && *know != PARTS_MEANS) *know = PARTS_NOTHING;
    }
    return fold_sums_make(&trials->sums, trials->ctx, trials->data, trials->splits, most);
}

static sepal_status run_all(struct trials *trials) {
    TRY(plan_all(trials));
    for (size_t c = 0; leaves_one_out(trials) && c < trials->n_candidates; c++)
        TRY(plan_left_out(trials, c));
    TRY(plan_sums(trials));
    trials->alone = better_alone(trials);
    trials->width = trials->alone ? 1 : parallel_width(trials->ctx);
    size_t n = trials->splits->n;
    sepal_status status = SEPAL_OK;
    for (size_t s = 0; trials->alone && s < n && status == SEPAL_OK; s++)
        status = run_split(trials->ctx, s, trials);
    if (!trials->alone) status = parallel_for(trials->ctx, n, run_split, trials);
    TRY(status);
    for (size_t i = 0; i < n * trials->n_candidates; i++)
        trials->unfinished += !trials->of[i].converged;
    tell_warnings(trials);
    return SEPAL_OK;
}

sepal_status trials_run(struct trials *trials) {
    trials->start_ns = clock_ns();
    trials->max_seconds = NAN;
    trials->lock = (struct lock)LOCK_INIT;
    blas_enter();
    sepal_status status = run_all(trials);
    blas_leave();
    while (trials->n_spent) data_free(trials->spent[--trials->n_spent]);
    trials->seconds = clock_seconds_since(trials->start_ns);
    return status;
}

void trials_clear(struct trials *trials) {
    for (size_t c = 0; trials->plans && c < trials->n_candidates; c++)
        left_out_free(trials->plans[c].left);
    fold_sums_free(trials->sums);
    trials->sums = NULL;
    for (size_t s = 0; trials->splits && s < trials->splits->n; s++) {
        if (trials->split_arenas) arena_clear(&trials->split_arenas[s]);
        if (trials->split_warnings) part_warnings_clear(&trials->split_warnings[s]);
    }
    arena_clear(&trials->arena);
    trials->split_arenas = NULL;
    trials->split_warnings = NULL;
    trials->plans = NULL;
    trials->of = NULL;
}
