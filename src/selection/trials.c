#include "selection/trials.h"

#include "core/alloc.h"
#include "core/clock.h"
#include "core/parallel.h"
#include "eval/evaluate.h"
#include "kernels/blas.h"
#include "model/match.h"
#include "model/predict.h"
#include "selection/left_out.h"

#include <math.h>
#include <string.h>

/* What is known of a candidate before it is fitted. */
struct trial_plan {
    struct pipeline pipeline;
    struct fit_options options;
    bool warms;            /* it goes on from the weights of the candidate before it */
    struct left_out *left; /* NULL: every split is fitted */
    struct tree *train;    /* all rows, judged by the fit to them */
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
    plan->warms = c > 0 && may_go_on(plan, &trials->plans[c - 1]);
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

static sepal_status judge(struct tree **out, sepal_ctx *ctx, struct arena *arena,
                          const char *positive, const sepal_model *model, const sepal_data *data) {
    struct arena scratch = {0};
    struct tree_maker make = {.ctx = ctx, .arena = arena};
    struct decision_rule rule;
    struct evaluate_options options = {.positive = positive, .bins = BINS};
    struct tree *facts = tree_object(&make, NULL, NULL);
    sepal_status status = decision_rule_set(&rule, ctx, &scratch, model, NULL, 0);
    if (status == SEPAL_OK)
        status = evaluate_data(ctx, &scratch, model, data, &rule, &options, &make, facts);
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
    return judge(&plan->train, trials->ctx, &trials->arena, trials->positive,
                 left_out_whole(plan->left), trials->data);
}

/* ---- one split ---------------------------------------------------------------------------- */

struct splitting_task {
    struct trials *trials;
    sepal_ctx *ctx;
    size_t s;
    sepal_data *train, *valid;
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

static sepal_status judge_both(struct trial *trial, const struct splitting_task *task,
                               const sepal_model *model) {
    trial->converged = model->facts.converged;
    trial->objective = model->facts.objective;
    trial->gap = model->facts.gap;
    trial->iterations = model->facts.iterations;
    trial->columns = model->linear.cols;
    struct trials *trials = task->trials;
    struct arena *arena = &trials->split_arenas[task->s];
    if (trials->judge_train && !trial->train)
        TRY(judge(&trial->train, task->ctx, arena, trials->positive, model, task->train));
    TRY(judge(&trial->valid, task->ctx, arena, trials->positive, model, task->valid));
    if (!trials->keep_rows || model->linear.strategy->sets) return SEPAL_OK;
    return keep_rows(trial, task, model);
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
static sepal_status run_left_out(const struct splitting_task *task, size_t c) {
    struct trials *trials = task->trials;
    const struct trial_plan *plan = &trials->plans[c];
    struct trial *trial = &trials->of[c * trials->splits->n + task->s];
    struct arena scratch = {0};
    sepal_model model;
    uint64_t start = clock_ns();
    size_t row = trials->splits->of[task->s].valid[0];
    trial->train = plan->train;
    sepal_status status =
        left_out_model(&model, &trial->follows, task->ctx, &scratch, plan->left, row);
    trial->seconds = clock_seconds_since(start);
    if (status == SEPAL_OK && trial->follows) status = judge_both(trial, task, &model);
    arena_clear(&scratch);
    return status;
}

static sepal_status run_candidate(sepal_model **model, struct splitting_task *task, size_t c,
                                  const sepal_model *before) {
    struct trials *trials = task->trials;
    const struct candidate *candidate = &trials->candidates[c];
    struct trial *trial = &trials->of[c * trials->splits->n + task->s];
    if (trials->plans[c].left) TRY(run_left_out(task, c));
    if (trial->follows) return SEPAL_OK;
    TRY(select_train(task));
    uint64_t start = clock_ns();
    const sepal_model *start_from = trials->plans[c].warms ? before : NULL;
    TRY(pipeline_fit_judged(model, task->ctx, candidate->spec, task->train, candidate->fit_options,
                            start_from, time_of_fit(trials, task->s, c)));
    TRY(check_cancelled(task->ctx, "fitting"));
    trial->seconds = clock_seconds_since(start);
    return judge_both(trial, task, *model);
}

static sepal_status run_candidates(struct splitting_task *task) {
    sepal_model *before = NULL;
    sepal_status status = SEPAL_OK;
    for (size_t c = 0; c < task->trials->n_candidates && status == SEPAL_OK; c++) {
        sepal_model *model = NULL;
        (void)progress(task->ctx, "fit %zu of %zu", c + 1, task->trials->n_candidates);
        status = run_candidate(&model, task, c, before);
        model_free(before);
        before = model;
    }
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
    const struct split *split = &trials->splits->of[s];
    if (status == SEPAL_OK)
        status = data_select(&task.valid, part.ctx, trials->data, split->valid, split->n_valid);
    if (status == SEPAL_OK) status = run_candidates(&task);
    give_spent(trials, task.train);
    data_free(task.valid);
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

static sepal_status run_all(struct trials *trials) {
    TRY(plan_all(trials));
    for (size_t c = 0; leaves_one_out(trials) && c < trials->n_candidates; c++)
        TRY(plan_left_out(trials, c));
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
