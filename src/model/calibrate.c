#include "model/calibrate.h"

#include "core/alloc.h"
#include "core/clock.h"
#include "data/class_counts.h"
#include "model/match.h"
#include "model/pipeline.h"
#include "model/predict.h"

#include <math.h>

struct cross_fit {
    struct fit *fit; /* the whole task */
    const char *spec;
    enum calibration_kind kind;
    size_t folds, width; /* numbers of a row: K, or 1 of two classes */
    uint32_t *fold;      /* of each row */
    size_t *rows;        /* room for the numbers of the rows of a part */
    double *values;      /* inputs of all rows, each by the model that has not seen it */
    double *row;         /* room for K */
    bool has_logs;       /* the learner has probabilities of its own */
    double *logs;        /* of these, for all rows; room for them unless has_logs */
    size_t unfinished;   /* folds whose fit did not converge */
};

/* ---- what cannot be cut into folds -------------------------------------------------------- */

static sepal_status check_folds(const struct cross_fit *all, struct arena *arena) {
    sepal_ctx *ctx = all->fit->ctx;
    const sepal_data *data = all->fit->data;
    size_t classes = data->schema->n_classes, fewest = 0;
    size_t *count = arena_alloc(ctx, arena, classes, sizeof *count);
    if (!count) return SEPAL_EMEMORY;
    class_counts(count, data->label, data->matrix.rows, classes);
    for (size_t k = 1; k < classes; k++)
        if (count[k] < count[fewest]) fewest = k;
    if (count[fewest] >= all->folds) return SEPAL_OK;
    const char *label = data->schema->classes[fewest];
    size_t top = *data->file ? 1 : 0;
    if (count[fewest] < 2)
        return fail_at(
            ctx, SEPAL_EDATA, data->file, top, top,
            "class '%.60s' has one row, and calibration learns it from some rows and looks "
            "at others; leave " OPTION "calibrate out, or give the class more rows",
            label);
    return fail_at(ctx, SEPAL_EDATA, data->file, top, top,
                   "class '%.60s' has %zu rows, fewer than the %zu folds of " OPTION
                   "calibrate, and each needs one of every class; type " OPTION
                   "calibrate-folds %zu",
                   label, count[fewest], all->folds, count[fewest]);
}

/* ---- a fold ------------------------------------------------------------------------------- */

/* The rows of a fold, or those of all others. */
static sepal_status take_part(sepal_data **out, const struct cross_fit *all, size_t fold,
                              bool held) {
    size_t n = 0;
    for (size_t i = 0; i < all->fit->data->matrix.rows; i++)
        if ((all->fold[i] == fold) == held) all->rows[n++] = i;
    return data_select(out, all->fit->ctx, all->fit->data, all->rows, n);
}

/* Decision values and logarithms of the rows held out, to the places of these among all. */
static sepal_status score_held(struct cross_fit *all, const sepal_model *model,
                               const sepal_data *held) {
    sepal_ctx *ctx = all->fit->ctx;
    size_t n = held->matrix.rows, width = all->width;
    struct decision_rule rule = {.options = kept_rule_options(&model->kept_rule)};
    struct predictions predictions = {.n = n};
    struct prepared prepared = {0};
    double *room = mem_alloc(ctx, n, 2 * width * sizeof *room);
    if (!room) return SEPAL_EMEMORY;
    predictions.decision_values = room;
    if (all->has_logs) predictions.logs = room + n * width;
    sepal_status status = match_rows(&prepared, ctx, model, held, 0, n);
    if (status == SEPAL_OK) status = model_predict(&predictions, ctx, model, &prepared.rows, &rule);
    /* all->rows still has the numbers of these rows */
    for (size_t i = 0; i < n && status == SEPAL_OK; i++) {
        calibration_rank(&model->linear, all->kind, room + i * width);
        for (size_t k = 0; k < width; k++) {
            all->values[all->rows[i] * width + k] = room[i * width + k];
            if (all->has_logs) all->logs[all->rows[i] * width + k] = room[(n + i) * width + k];
        }
    }
    prepared_clear(&prepared);
    mem_free(room);
    return status;
}

/* The limit of time is for all fits, that of all rows included. */
static struct fit_options fold_options(const struct cross_fit *all, size_t fold) {
    struct fit_options options = all->fit->options;
    double left = options.max_seconds - clock_seconds_since(all->fit->start_ns);
    options.max_seconds = fmax(left, 0) / (double)(all->folds - fold + 1);
    if (isnan(left)) options.max_seconds = NAN;
    options.calibrate = 0;
    options.warm = NULL; /* a model that may have seen the rows held out */
    return options;
}

static sepal_status run_fold(struct cross_fit *all, size_t fold) {
    sepal_ctx *ctx = all->fit->ctx;
    sepal_data *train = NULL, *held = NULL;
    sepal_model *model = NULL;
    struct fit_options options = fold_options(all, fold);
    sepal_status status = take_part(&train, all, fold, false);
    if (status == SEPAL_OK) status = pipeline_fit_part(&model, ctx, all->spec, train, &options);
    data_free(train);
    if (status == SEPAL_OK && cancelled(ctx))
        status = fail(ctx, SEPAL_ECANCEL,
                      "interrupted in fold %zu of %zu of the calibration, before the fit of all "
                      "rows; there is nothing to save",
                      fold + 1, all->folds);
    if (status == SEPAL_OK) status = take_part(&held, all, fold, true);
    if (status == SEPAL_OK) {
        all->unfinished += !model->facts.converged;
        status = score_held(all, model, held);
    }
    data_free(held);
    model_free(model);
    return status;
}

/* In the fit of all rows most warnings come again; steps are traced there alone. */
static sepal_status run_folds(struct cross_fit *all) {
    sepal_ctx *ctx = all->fit->ctx;
    sepal_trace_fn trace = ctx->trace;
    size_t warnings = ctx->n_warnings;
    sepal_status status = SEPAL_OK;
    ctx->trace = NULL;
    for (size_t fold = 0; fold < all->folds && status == SEPAL_OK; fold++) {
        if (progress(ctx, "calibration: fold %zu of %zu", fold + 1, all->folds))
            status = fail(ctx, SEPAL_ECANCEL,
                          "interrupted before fold %zu of %zu of the calibration; there is nothing "
                          "to save",
                          fold + 1, all->folds);
        else
            status = run_fold(all, fold);
        while (ctx->n_warnings > warnings)
            mem_free((char *)(uintptr_t)ctx->warnings[--ctx->n_warnings].message);
        if (status == SEPAL_EDATA && !*ctx->error.file) {
            struct error why = ctx->error;
            (void)fail(ctx, status, "calibration, without the rows of fold %zu of %zu: %.1500s",
                       fold + 1, all->folds, why.message);
        }
    }
    ctx->trace = trace;
    return status;
}

/* ---- the functions ------------------------------------------------------------------------ */

static double mean_loss(const struct cross_fit *all, const struct calibration *calibration) {
    const sepal_data *data = all->fit->data;
    double sum = 0;
    for (size_t i = 0; i < data->matrix.rows; i++) {
        const double *from = (calibration ? all->values : all->logs) + i * all->width;
        size_t target = (size_t)data->label[i];
        double *row = all->row, log_p;
        for (size_t k = 0; k < all->width; k++) row[k] = from[k];
        if (calibration) {
            calibration_logs(calibration, NULL, row);
            log_p = row[target];
        } else {
            log_p = all->width > 1 ? row[target] : log_logistic(target == 1 ? row[0] : -row[0]);
        }
        sum -= data_weight(data, i) * log_p;
    }
    return sum / data->total_weight;
}

static void warn_of(const struct cross_fit *all, const struct calibration *calibration) {
    enum { MANY_ROWS = 1000 };
    sepal_ctx *ctx = all->fit->ctx;
    const struct schema *schema = all->fit->data->schema;
    size_t rows = all->fit->data->matrix.rows;
    if (all->unfinished)
        warn(
            ctx, "calibration-not-converged",
            "%zu of the %zu fits that calibration made without a fold of the rows did not converge",
            all->unfinished, all->folds);
    if (all->kind == CALIBRATE_ISOTONIC && rows < MANY_ROWS)
        warn(ctx, "calibration-few-rows",
             "isotonic regression follows every one of %zu rows; below %d or so " OPTION
             "calibrate platt is the safer choice",
             rows, MANY_ROWS);
    for (size_t f = 0; all->kind == CALIBRATE_PLATT && f < calibration->functions; f++) {
        if (calibration->numbers[2 * f] > 0) continue;
        warn(ctx, "calibration-slope",
             "rows with higher scores of '%.60s' are not more often of that class, so its "
             "calibrated "
             "probability does not rise with the score; the features hardly tell it",
             schema->classes[calibration->functions == 1 ? 1 : f]);
        break;
    }
}

/* Numbers that differ by the rounding of fits alone are the same: a function that told them apart would say
   anything of the model of all rows. */
static void level_out(struct cross_fit *all) {
    static const double ALIKE = 1e-9;
    size_t n = all->fit->data->matrix.rows, width = all->width;
    for (size_t k = 0; k < width; k++) {
        double least = INFINITY, most = -INFINITY;
        for (size_t i = 0; i < n; i++) {
            least = fmin(least, all->values[i * width + k]);
            most = fmax(most, all->values[i * width + k]);
        }
        if (0.5 * most - 0.5 * least > ALIKE * fmax(fabs(least), fabs(most))) continue;
        for (size_t i = 0; i < n; i++) all->values[i * width + k] = 0.5 * least + 0.5 * most;
    }
}

static sepal_status fit_functions(struct calibration **out, struct cross_fit *all) {
    const sepal_data *data = all->fit->data;
    size_t classes = data->schema->n_classes;
    struct calibration_rows rows = {all->values, data->label, data->weight, data->matrix.rows};
    for (size_t i = 0; i < rows.n * all->width; i++)
        if (!isfinite(all->values[i]))
            return fail(all->fit->ctx, SEPAL_EDATA,
                        "a score is beyond the range of a double, and cannot be calibrated; bring "
                        "the features to a common scale");
    level_out(all);
    TRY(calibration_fit(out, all->fit->ctx, all->kind, classes, &rows));
    (*out)->folds = all->folds;
    (*out)->loss_before = all->has_logs ? mean_loss(all, NULL) : NAN;
    (*out)->loss_after = mean_loss(all, *out);
    warn_of(all, *out);
    return SEPAL_OK;
}

sepal_status calibrate_rows(struct calibration **out, struct fit *fit, const char *spec) {
    const sepal_data *data = fit->data;
    size_t rows = data->matrix.rows, classes = data->schema->n_classes;
    struct arena arena = {0};
    struct pipeline pipeline;
    struct cross_fit all = {.fit = fit,
                            .spec = spec,
                            .kind = (enum calibration_kind)(fit->options.calibrate - 1),
                            .folds = fit->options.calibrate_folds,
                            .width = classes == 2 ? 1 : classes};
    *out = NULL;
    sepal_status status = pipeline_parse(&pipeline, fit->ctx, &arena, spec);
    if (status == SEPAL_OK) status = check_folds(&all, &arena);
    all.has_logs = status == SEPAL_OK && pipeline_link(&pipeline, classes) != LINK_NONE;
    all.fold = arena_alloc(fit->ctx, &arena, rows, sizeof *all.fold);
    all.rows = arena_alloc(fit->ctx, &arena, rows, sizeof *all.rows);
    all.values = arena_alloc(fit->ctx, &arena, rows, all.width * sizeof *all.values);
    all.logs = arena_alloc(fit->ctx, &arena, all.has_logs ? rows : 0, all.width * sizeof *all.logs);
    all.row = arena_alloc(fit->ctx, &arena, classes, sizeof *all.row);
    if (status == SEPAL_OK && !(all.fold && all.rows && all.values && all.logs && all.row))
        status = SEPAL_EMEMORY;
    if (status == SEPAL_OK) status = data_folds(all.fold, fit->ctx, data, all.folds);
    if (status == SEPAL_OK) status = run_folds(&all);
    if (status == SEPAL_OK) status = fit_functions(out, &all);
    arena_clear(&arena);
    return status;
}

/* ---- what is told ------------------------------------------------------------------------- */

void calibration_tell(struct tree_maker *make, struct tree *parent,
                      const struct calibration *calibration) {
    if (!calibration) return;
    struct tree *facts = tree_object(make, parent, "calibration");
    tree_text(make, facts, "method", calibration_names[calibration->kind]);
    if (calibration->folds) {
        tree_number(make, facts, "folds", (double)calibration->folds);
        tree_number(make, facts, "log_loss_before", calibration->loss_before);
        tree_number(make, facts, "log_loss_after", calibration->loss_after);
    }
    if (calibration->kind == CALIBRATE_TEMPERATURE)
        tree_number(make, facts, "temperature", calibration->numbers[0]);
    bool lines = calibration->kind == CALIBRATE_PLATT, steps = calibration->start != NULL;
    struct tree *slope = lines ? tree_array(make, facts, "slope") : NULL;
    struct tree *intercept = lines ? tree_array(make, facts, "intercept") : NULL;
    struct tree *knots = steps ? tree_array(make, facts, "knots") : NULL;
    for (size_t f = 0; f < calibration->functions; f++) {
        if (lines) tree_number(make, slope, NULL, calibration->numbers[2 * f]);
        if (lines) tree_number(make, intercept, NULL, calibration->numbers[2 * f + 1]);
        if (steps)
            tree_number(make, knots, NULL,
                        (double)(calibration->start[f + 1] - calibration->start[f]));
    }
}
