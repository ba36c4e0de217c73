#include "selection/trials.h"

#include "core/alloc.h"
#include "core/clock.h"
#include "kernels/blas.h"
#include "selection/trial_split.h"
#include "selection/trial_start.h"

#include <math.h>
#include <string.h>

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
    struct evaluate_options options = trial_judging(trials, true);
    return trial_judge(&plan->train, trials->ctx, &trials->arena, &options,
                       left_out_whole(plan->left), &(struct judged){.data = trials->data});
}

/* ---- one split ---------------------------------------------------------------------------- */

/* What is left of the time is shared by the fits to come; as many as there are threads run side by side. */
static double time_of_fit(const struct trials *trials, size_t s, size_t c) {
    double left = trials->max_seconds - clock_seconds_since(trials->start_ns);
    size_t to_come = (trials->splits->n - s) * trials->n_candidates - c;
    if (isnan(left)) return NAN;
    return fmax(left, 0) / ceil((double)to_come / (double)trials->width);
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
    TRY(split_select_valid(task));
    sepal_status status =
        left_out_model(&model, &trial->follows, task->ctx, &scratch, plan->left, row);
    trial->seconds = clock_seconds_since(start);
    if (status == SEPAL_OK && trial->follows) status = trial_judge_both(trial, task, &model);
    arena_clear(&scratch);
    return status;
}

/* ---- a fit by the sums of the folds ------------------------------------------------------- */

sepal_status split_select_parts(struct splitting_task *task) {
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
    TRY(split_select_parts(task));
    TRY(fold_sums_fit(model, task->ctx, trials->sums, &trials->splits->of[task->s], candidate->spec,
                      task->train_labels, candidate->fit_options));
    if (!*model) return SEPAL_OK;
    TRY(check_cancelled(task->ctx, "fitting"));
    trial->seconds = clock_seconds_since(start);
    return trial_judge_all(trial, task, *model);
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
    if (trial->valid) return SEPAL_OK; /* it is done */
    if (trials->plans[c].left) TRY(run_left_out(task, c));
    if (trial->follows) return SEPAL_OK;
    if (trials->sums && trials->plans[c].know != PARTS_NOTHING) TRY(run_sums(model, task, c));
    if (*model) return SEPAL_OK;
    TRY(select_train(task));
    TRY(split_select_valid(task));
    uint64_t start = clock_ns();
    TRY(fit_rows(model, task, c, older, before));
    TRY(check_cancelled(task->ctx, "fitting"));
    trial->seconds = clock_seconds_since(start);
    return trial_judge_both(trial, task, *model);
}

static sepal_status run_candidates(struct splitting_task *task, void *payload) {
    sepal_model *before = NULL, *older = NULL;
    sepal_status status = SEPAL_OK;
    (void)payload;
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

sepal_status split_run(sepal_ctx *ctx, struct trials *trials, size_t s, split_fn run,
                       void *payload) {
    struct part part;
    char name[SPLIT_NAME_BYTES];
    split_name(name, trials->splits, s);
    part_begin(&part, ctx, trials->alone, "%s", name);
    struct splitting_task task = {.trials = trials, .ctx = part.ctx, .s = s};
    sepal_status status = check_cancelled(part.ctx, "fitting");
    if (status == SEPAL_OK) status = run(&task, payload);
    give_spent(trials, task.train);
    data_free(task.valid);
    data_free(task.train_labels);
    data_free(task.valid_labels);
    mem_free(task.rows);
    if (status != SEPAL_OK) status = name_error(part.ctx, status, name);
    part_end(&part, &trials->split_warnings[s], s + 1);
    return status;
}

static sepal_status run_split(sepal_ctx *ctx, size_t s, void *payload) {
    return split_run(ctx, payload, s, run_candidates, NULL);
}

sepal_status splits_run(struct trials *trials, task_fn task, void *payload) {
    size_t n = trials->splits->n;
    sepal_status status = SEPAL_OK;
    if (!trials->alone) return parallel_for(trials->ctx, n, task, payload);
    for (size_t s = 0; s < n && status == SEPAL_OK; s++) status = task(trials->ctx, s, payload);
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
    for (size_t c = 0; c < trials->n_candidates; c++) TRY(trials_ahead(trials, c));
    TRY(splits_run(trials, run_split, trials));
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
