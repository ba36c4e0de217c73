/* The bootstrap (Efron and Tibshirani, "An Introduction to the Bootstrap", 1993, chapters 6 and 13): as
   many rows as there are, drawn with replacement and counted as weights, and the whole pipeline fitted
   to them, categories and maps included; then the deviations and percentiles of what the terms came to.
   Resample b is a function of the seed and b alone. */
#include "core/alloc.h"
#include "core/clock.h"
#include "core/rng.h"
#include "model/inference.h"
#include "model/predict.h"
#include "model/summary_json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Fewer say little about the tails. */
enum { BOOTSTRAP_FEW = 100 };

struct bootstrap_run {
    sepal_ctx *ctx;
    const char *spec, *options;
    const sepal_data *data; /* all rows, as they were given */
    size_t resamples;
    double max_seconds; /* NaN: no limit */
    uint64_t start_ns;
    bool warm; /* the model is where each fit starts */
};

struct resampling {
    const struct bootstrap_run *run;
    sepal_model *model;
    struct pipeline pipeline; /* of the model's spec */
    struct terms terms;
    char **names; /* of the terms' columns, and of those that they are against; "": none */
    char **left;  /* of the categories that others are against */
    struct arena arena;
    double *estimates; /* functions x terms x resamples; NaN: that fit had no such term */
    double *scratch;   /* terms */
    size_t *rows, *place, failed;
    double *times; /* how often each row was drawn */
};

/* ---- what may be resampled ---------------------------------------------------------------- */

sepal_status bootstrap_check(sepal_ctx *ctx, const struct pipeline *pipeline,
                             const struct fit_options *options) {
    if (options->bootstrap == 0) return SEPAL_OK;
    if (options->bootstrap == 1)
        return fail(ctx, SEPAL_EUSAGE,
                    "one resample has no standard deviation; give " OPTION "bootstrap 1000");
    for (size_t m = 0; m < pipeline->chain.n; m++) {
        const struct map *map = pipeline->chain.maps[m].map;
        if (!map->affine && map->learn)
            return fail(ctx, SEPAL_EUSAGE,
                        "%s makes its columns from the rows, so in every resample they mean "
                        "something else and have no standard errors; leave " OPTION "bootstrap out",
                        map->name);
    }
    return SEPAL_OK;
}

/* Of the quadratic scores of a density, or of counts of bits, there are no coefficients. */
static sepal_status bootstrap_check_model(const struct resampling *all) {
    const struct linear *linear = &all->model->linear;
    if (!density_is_quadratic(linear->density) && !linear->bits) return SEPAL_OK;
    return fail(all->run->ctx, SEPAL_EUSAGE,
                "the scores of this %s model are no linear functions of its columns, so they have "
                "no coefficients to resample; leave " OPTION "bootstrap out",
                all->model->learner);
}

/* ---- terms by name ------------------------------------------------------------------------ */

static char *column_name(sepal_ctx *ctx, struct arena *arena, const sepal_model *model, size_t j) {
    struct text name = {0};
    if (j != NO_COLUMN) model_column_name(ctx, &name, model, j);
    char *kept =
        name.failed ? NULL : arena_text(ctx, arena, name.bytes ? name.bytes : "", name.length);
    text_clear(&name);
    return kept;
}

/* Two texts a term. */
static sepal_status term_names(char ***out, sepal_ctx *ctx, struct arena *arena,
                               const sepal_model *model, const struct terms *terms) {
    *out = arena_zero(ctx, arena, 2 * terms->n, sizeof **out);
    if (!*out) return SEPAL_EMEMORY;
    for (size_t t = 0; t < terms->n; t++) {
        (*out)[2 * t] = column_name(ctx, arena, model, terms->list[t].column);
        (*out)[2 * t + 1] = column_name(ctx, arena, model, terms->list[t].against);
        if (!(*out)[2 * t] || !(*out)[2 * t + 1]) return SEPAL_EMEMORY;
    }
    return SEPAL_OK;
}

static sepal_status left_names(char ***out, sepal_ctx *ctx, struct arena *arena,
                               const sepal_model *model, const struct terms *terms) {
    *out = arena_zero(ctx, arena, terms->n_left, sizeof **out);
    if (!*out) return SEPAL_EMEMORY;
    for (size_t i = 0; i < terms->n_left; i++) {
        (*out)[i] = column_name(ctx, arena, model, terms->left[i]);
        if (!(*out)[i]) return SEPAL_EMEMORY;
    }
    return SEPAL_OK;
}

/* The intercept is that of rows of the categories left out: where a resample lacks one of these, and leaves out
   the next, it is that of other rows. */
static sepal_status leave_out_rest(struct resampling *all, struct arena *arena,
                                   const sepal_model *part, const struct terms *terms) {
    char **left;
    bool same = terms->n_left == all->terms.n_left;
    TRY(left_names(&left, all->run->ctx, arena, part, terms));
    for (size_t i = 0; same && i < terms->n_left; i++) same = strcmp(left[i], all->left[i]) == 0;
    for (size_t t = 0; !same && t < terms->n; t++)
        if (terms->list[t].rest) all->place[t] = NO_COLUMN;
    return SEPAL_OK;
}

/* The terms of a resample are some of the model's, in their order: without categories that it lacks.
   place[t] is which of the model's term t is, or NO_COLUMN: it is against another category. */
static sepal_status match_terms(struct resampling *all, struct arena *arena,
                                const sepal_model *part, const struct terms *terms) {
    char **names;
    size_t at = 0;
    for (size_t t = 0; t < terms->n; t++) all->place[t] = t;
    if (terms->n == all->terms.n) return leave_out_rest(all, arena, part, terms);
    TRY(term_names(&names, all->run->ctx, arena, part, terms));
    for (size_t t = 0; t < terms->n; t++) {
        size_t found = at;
        while (found < all->terms.n && strcmp(all->names[2 * found], names[2 * t]) != 0) found++;
        bool same =
            found < all->terms.n && strcmp(all->names[2 * found + 1], names[2 * t + 1]) == 0;
        all->place[t] = same ? found : NO_COLUMN;
        if (found < all->terms.n) at = found + 1;
    }
    return leave_out_rest(all, arena, part, terms);
}

static sepal_status keep_estimates(struct resampling *all, const sepal_model *part, size_t b) {
    struct arena arena = {0};
    struct terms terms;
    size_t resamples = all->run->resamples;
    sepal_status status = model_terms(&terms, all->run->ctx, &arena, part, &all->pipeline);
    if (status == SEPAL_OK) status = match_terms(all, &arena, part, &terms);
    size_t functions = status == SEPAL_OK ? terms_functions(&terms, &part->linear) : 0;
    for (size_t r = 0; r < functions; r++) {
        terms_estimates(all->scratch, &terms, &part->chain, &part->linear, r);
        for (size_t t = 0; t < terms.n; t++)
            if (all->place[t] != NO_COLUMN)
                all->estimates[(r * all->terms.n + all->place[t]) * resamples + b] =
                    all->scratch[t];
    }
    arena_clear(&arena);
    return status;
}

/* ---- one resample ------------------------------------------------------------------------- */

/* The rows that were drawn, with how often as their weight. */
static sepal_status draw_rows(sepal_data **out, struct resampling *all, size_t b) {
    static const uint64_t stream = (uint64_t)0x626f6f74 << 32;
    const sepal_data *data = all->run->data;
    sepal_ctx *ctx = all->run->ctx;
    size_t rows = data->matrix.rows, n = 0;
    struct rng rng = rng_make(ctx->seed, stream + b);
    memset(all->times, 0, rows * sizeof *all->times);
    for (size_t i = 0; i < rows; i++) all->times[rng_below(&rng, rows)]++;
    for (size_t i = 0; i < rows; i++)
        if (all->times[i] > 0) all->rows[n++] = i;
    TRY(data_select(out, ctx, data, all->rows, n));
    sepal_data *drawn = *out;
    double total = 0;
    if (!drawn->weight) drawn->weight = mem_alloc(ctx, n, sizeof *drawn->weight);
    if (!drawn->weight) return SEPAL_EMEMORY;
    for (size_t i = 0; i < n; i++) {
        drawn->weight[i] = all->times[all->rows[i]] * data_weight(data, all->rows[i]);
        total += drawn->weight[i];
    }
    return data_set_total_weight(drawn, ctx, total);
}

/* A fault of the rows or of a start that does not fit them is no fault of the bootstrap. */
static bool is_forgiven(sepal_ctx *ctx, sepal_status status) {
    if (status != SEPAL_EDATA && status != SEPAL_EMODEL && status != SEPAL_EUSAGE) return false;
    forgive(ctx);
    return true;
}

static sepal_status refit(sepal_model **out, const struct resampling *all, const sepal_data *rows) {
    const struct bootstrap_run *run = all->run;
    sepal_status status = SEPAL_EMODEL;
    if (run->warm)
        status = pipeline_refit(out, run->ctx, run->spec, rows, run->options, all->model);
    if (run->warm && !is_forgiven(run->ctx, status)) return status;
    return pipeline_refit(out, run->ctx, run->spec, rows, run->options, NULL);
}

static sepal_status resample(struct resampling *all, size_t b) {
    sepal_ctx *ctx = all->run->ctx;
    sepal_data *rows = NULL;
    sepal_model *part = NULL;
    size_t warnings = ctx->n_warnings;
    sepal_status status = draw_rows(&rows, all, b);
    if (status == SEPAL_OK) status = refit(&part, all, rows);
    data_free(rows);
    unwarn(ctx, warnings);
    bool lost =
        is_forgiven(ctx, status) || (part && all->model->facts.converged && !part->facts.converged);
    if (lost) {
        all->failed++;
        status = SEPAL_OK;
    } else if (part) {
        status = keep_estimates(all, part, b);
    }
    model_free(part);
    return status;
}

/* ---- what they came to -------------------------------------------------------------------- */

static int rising(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Between the two nearest of n sorted numbers (R's type 7, numpy's default). */
static double quantile(const double *sorted, size_t n, double q) {
    double at = q * (double)(n - 1), below = floor(at);
    size_t i = (size_t)below;
    if (i + 1 >= n) return sorted[n - 1];
    return sorted[i] + (at - below) * (sorted[i + 1] - sorted[i]);
}

static double deviation(const double *x, size_t n) {
    double mean = 0, sum = 0;
    for (size_t i = 0; i < n; i++) mean += (x[i] - x[0]) / (double)n;
    for (size_t i = 0; i < n; i++) sum += (x[i] - x[0] - mean) * (x[i] - x[0] - mean);
    return sqrt(sum / (double)(n - 1));
}

static void judge_term(struct bootstrap *out, size_t cell, double *x, size_t resamples) {
    static const double tail = 0.025;
    size_t n = 0;
    for (size_t b = 0; b < resamples; b++)
        if (!isnan(x[b])) x[n++] = x[b];
    out->count[cell] = (double)n;
    if (n < 2) return;
    qsort(x, n, sizeof *x, rising);
    out->error[cell] = deviation(x, n);
    out->low[cell] = quantile(x, n, tail);
    out->high[cell] = quantile(x, n, 1 - tail);
    if (!isfinite(out->error[cell]) || !isfinite(out->low[cell]) || !isfinite(out->high[cell]))
        out->count[cell] = out->error[cell] = out->low[cell] = out->high[cell] = 0;
}

static sepal_status judge_terms(struct resampling *all) {
    struct bootstrap *made;
    struct linear *linear = &all->model->linear;
    size_t resamples = all->run->resamples, functions = terms_functions(&all->terms, linear);
    TRY(bootstrap_new(&made, all->run->ctx, functions, all->terms.n));
    made->resamples = resamples;
    made->failed = all->failed;
    for (size_t cell = 0; cell < functions * all->terms.n; cell++)
        judge_term(made, cell, all->estimates + cell * resamples, resamples);
    linear->bootstrap = made;
    return SEPAL_OK;
}

/* ---- all of it ---------------------------------------------------------------------------- */

static sepal_status resampling_open(struct resampling *all) {
    sepal_ctx *ctx = all->run->ctx;
    size_t rows = all->run->data->matrix.rows, cells;
    TRY(bootstrap_check_model(all));
    TRY(pipeline_parse(&all->pipeline, ctx, &all->arena, all->model->spec));
    TRY(model_terms(&all->terms, ctx, &all->arena, all->model, &all->pipeline));
    TRY(term_names(&all->names, ctx, &all->arena, all->model, &all->terms));
    TRY(left_names(&all->left, ctx, &all->arena, all->model, &all->terms));
    size_t functions = terms_functions(&all->terms, &all->model->linear);
    if (__builtin_mul_overflow(functions * all->terms.n, all->run->resamples, &cells))
        return fail(ctx, SEPAL_EMEMORY, "not enough memory for the estimates of %zu resamples",
                    all->run->resamples);
    all->estimates = arena_alloc(ctx, &all->arena, cells, sizeof *all->estimates);
    all->scratch = arena_alloc(ctx, &all->arena, all->terms.n, sizeof *all->scratch);
    all->place = arena_alloc(ctx, &all->arena, all->terms.n, sizeof *all->place);
    all->rows = arena_alloc(ctx, &all->arena, rows, sizeof *all->rows);
    all->times = arena_alloc(ctx, &all->arena, rows, sizeof *all->times);
    if (!all->estimates || !all->scratch || !all->place || !all->rows || !all->times)
        return SEPAL_EMEMORY;
    for (size_t i = 0; i < cells; i++) all->estimates[i] = NAN;
    return SEPAL_OK;
}

/* Time is up, or the user asks to stop: the model stays, and has no bootstrap. */
static bool resampling_ends(const struct bootstrap_run *run, size_t b) {
    bool late = !isnan(run->max_seconds) && clock_seconds_since(run->start_ns) > run->max_seconds;
    bool ends = progress(run->ctx, "resample %zu of %zu", b, run->resamples) || late;
    if (ends)
        warn(run->ctx, "bootstrap-stopped",
             "stopped after %zu of %zu resamples: the model keeps no bootstrap", b, run->resamples);
    return ends;
}

static sepal_status resample_all(struct resampling *all) {
    const struct bootstrap_run *run = all->run;
    TRY(resampling_open(all));
    for (size_t b = 0; b < run->resamples; b++) {
        if (resampling_ends(run, b)) return SEPAL_OK;
        sepal_status status = resample(all, b);
        if (status == SEPAL_ECANCEL)
            forgive(run->ctx); /* the model is done, and the next look ends this */
        else
            TRY(status);
    }
    if (resampling_ends(run, run->resamples)) return SEPAL_OK;
    if (all->failed > 0)
        warn(run->ctx, "bootstrap-failed",
             "%zu of %zu resamples had no estimates (no row of a class, classes that a hyperplane "
             "separates, or no convergence) and are left out of the standard errors",
             all->failed, run->resamples);
    if (run->resamples < BOOTSTRAP_FEW)
        warn(run->ctx, "bootstrap-few",
             "%zu resamples say little about the ends of a 95 %% interval; give " OPTION
             "bootstrap 1000",
             run->resamples);
    return judge_terms(all);
}

static sepal_status resample_model(sepal_model *model, const struct bootstrap_run *run) {
    struct resampling all = {.run = run, .model = model};
    sepal_trace_fn trace = run->ctx->trace; /* of the fit alone */
    run->ctx->trace = NULL;
    sepal_status status = resample_all(&all);
    run->ctx->trace = trace;
    arena_clear(&all.arena);
    return status;
}

/* Whether the answer depends on the rows alone and not on where its fit began. */
static bool starts_anywhere(const struct fit *fit, const struct pipeline *pipeline) {
    bool intercept, walks = fit->options.asked && fit->options.asked->as_given;
    enum likelihood likelihood = pipeline_likelihood(pipeline, &intercept);
    return pipeline->learner->warms && fit->converged && !walks &&
           (isfinite(fit->gap) || likelihood == LIKELIHOOD_MAXIMISED);
}

sepal_status bootstrap_fit(sepal_model *model, struct fit *fit, const struct pipeline *pipeline,
                           const char *spec, const char *options) {
    const struct bootstrap_run run = {.ctx = fit->ctx,
                                      .spec = spec,
                                      .options = options,
                                      .data = fit->data,
                                      .resamples = fit->options.bootstrap,
                                      .max_seconds = fit->options.max_seconds,
                                      .start_ns = fit->start_ns,
                                      .warm = starts_anywhere(fit, pipeline)};
    if (run.resamples == 0 || fit->stopped) return SEPAL_OK;
    TRY(resample_model(model, &run));
    const struct bootstrap *made = model->linear.bootstrap;
    struct tree *facts = tree_object(fit->make, fit->report, "bootstrap");
    tree_number(fit->make, facts, "resamples", made ? (double)made->resamples : 0);
    tree_number(fit->make, facts, "failed", made ? (double)made->failed : 0);
    struct tree *seconds = (struct tree *)tree_path(fit->report, "seconds.total");
    if (seconds) seconds->number = fit->data->seconds + clock_seconds_since(fit->start_ns);
    return fit->make->failed ? SEPAL_EMEMORY : SEPAL_OK;
}
