/* Nested cross-validation: what is chosen by looking at held-out rows looks better on these than it is. Here
   the whole choice, cutoff included, is made again on the rows outside of each outer fold, which it never
   sees, and what was chosen is judged by that fold. */
#include "selection/tune.h"

#include "core/alloc.h"

#include <math.h>

/* Fit what was chosen on the rows outside, judge it by the fold. */
static sepal_status judge_choice(struct nested_fold *out, const struct tuning *tuning,
                                 const struct tune_round *round, const struct splits *outer,
                                 size_t f, struct arena *arena) {
    const char *options = tune_fit_options(tuning, arena, &round->cutoff);
    if (!options) return SEPAL_EMEMORY;
    const struct candidate chosen = {tuning->candidates[round->chosen].spec, options};
    const struct splits one = {.n = 1, .of = &outer->of[f], .repeats = 1, .folds = 1};
    struct trials trials = {.ctx = tuning->ctx,
                            .data = tuning->asked->data,
                            .splits = &one,
                            .candidates = &chosen,
                            .n_candidates = 1,
                            .positive = tuning->options.positive};
    sepal_status status = trials_run(&trials);
    if (status == SEPAL_OK) {
        out->point = round->chosen;
        out->cutoff = round->cutoff.value;
        out->value = trials_value(&trials, 0, 0, true, tuning->measure.path);
    }
    trials_clear(&trials);
    return status;
}

static sepal_status nested_fold(struct nested_fold *out, const struct tuning *tuning,
                                const struct splits *outer, size_t f) {
    const sepal_data *data = tuning->asked->data;
    size_t *rows = mem_alloc(tuning->ctx, data->matrix.rows, sizeof *rows);
    if (!rows) return SEPAL_EMEMORY;
    size_t n = split_train_rows(rows, &outer->of[f], data->matrix.rows);
    sepal_data *outside = NULL;
    struct tune_round round = {0};
    struct arena arena = {0};
    sepal_status status = data_select(&outside, tuning->ctx, data, rows, n);
    mem_free(rows);
    out->train_rows = (double)n;
    out->valid_rows = (double)outer->of[f].n_valid;
    if (status == SEPAL_OK) status = tune_round(&round, tuning, outside);
    if (status == SEPAL_OK) status = judge_choice(out, tuning, &round, outer, f, &arena);
    tune_round_clear(&round);
    data_free(outside);
    arena_clear(&arena);
    return status;
}

sepal_status tune_nested(struct nested *out, struct tuning *tuning) {
    struct split_plan plan = tuning->plan;
    struct splits outer = {0};
    sepal_ctx *ctx = tuning->ctx;
    size_t n = tuning->options.nested;
    plan.folds = n;
    plan.repeats = 1;
    if (plan.manner == SPLIT_LEAVE_ONE_OUT) plan.manner = SPLIT_STRATIFIED;
    double *values = arena_alloc(ctx, &tuning->arena, n, sizeof *values);
    out->folds = arena_zero(ctx, &tuning->arena, n, sizeof *out->folds);
    if (!values || !out->folds) return SEPAL_EMEMORY;
    sepal_status status = splits_make(&outer, ctx, tuning->asked->data, &plan);
    for (size_t f = 0; f < n && status == SEPAL_OK; f++) {
        status = nested_fold(&out->folds[f], tuning, &outer, f);
        values[f] = out->folds[f].value;
    }
    splits_clear(&outer);
    TRY(status);
    out->n = n;
    out->spread = spread_of(values, n);
    return SEPAL_OK;
}
