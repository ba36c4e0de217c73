/* The fit of a pipeline: maps, then the learner or its two-class problems, then the report and the model. */
#include "model/pipeline.h"

#include "core/alloc.h"
#include "core/clock.h"
#include "core/parallel.h"
#include "data/prepare.h"
#include "kernels/blas.h"
#include "model/bounds.h"
#include "model/calibrate.h"
#include "model/inference.h"
#include "model/pipeline_report.h"
#include "model/predict.h"
#include "model/warm.h"

#include <math.h>
#include <string.h>

/* ---- what was fitted ----------------------------------------------------------------------- */

static sepal_status pipeline_check_finite(sepal_ctx *ctx, const struct linear *linear) {
    bool finite = true;
    for (size_t i = 0; i < linear->rows * linear->cols; i++)
        finite = finite && isfinite(linear->w[i]);
    for (size_t r = 0; r < linear->rows; r++) finite = finite && isfinite(linear->b[r]);
    if (finite) return SEPAL_OK;
    return fail(
        ctx, SEPAL_EDATA,
        "the weights grew beyond what a double holds; bring the features to a common scale");
}

enum link pipeline_link(const struct pipeline *pipeline, size_t classes) {
    return pipeline->learner->posterior ? pipeline_decoder(pipeline, classes)->link : LINK_NONE;
}

/* ---- the model ---------------------------------------------------------------------------- */

/* The maps anew in the model's own memory, with the numbers they have learnt. */
static sepal_status keep_chain(sepal_model *model, sepal_ctx *ctx, const struct map_chain *chain,
                               size_t in) {
    struct pipeline pipeline = {0};
    if (chain->n) TRY(pipeline_parse(&pipeline, ctx, &model->arena, model->spec));
    model->chain = pipeline.chain;
    TRY(map_chain_plan(&model->chain, ctx, in));
    for (size_t m = 0; m < chain->n; m++) {
        struct fitted_map *map = &model->chain.maps[m];
        size_t cells = map->shape[0] * map->shape[1];
        if (cells == 0) continue;
        map->numbers = arena_alloc(ctx, &model->arena, cells, sizeof *map->numbers);
        if (!map->numbers) return SEPAL_EMEMORY;
        memcpy(map->numbers, chain->maps[m].numbers, cells * sizeof *map->numbers);
    }
    return map_chain_prepare(&model->chain, ctx, &model->arena);
}

static sepal_status keep_model(sepal_model **out, struct fit *fit, const struct pipeline *pipeline,
                               const char *spec, size_t in) {
    sepal_ctx *ctx = fit->ctx;
    const char *learner = pipeline->learner->name;
    sepal_model *model = model_new(ctx);
    if (!model) return SEPAL_EMEMORY;
    model->schema = schema_retain(fit->data->schema);
    model->spec = arena_text(ctx, &model->arena, spec, strlen(spec));
    model->learner = arena_text(ctx, &model->arena, learner, strlen(learner));
    sepal_status status = SEPAL_EMEMORY;
    if (model->spec && model->learner) status = keep_chain(model, ctx, &pipeline->chain, in);
    struct decision_rule rule;
    if (status == SEPAL_OK) status = pipeline_rule(&rule, fit, pipeline, fit->linear);
    if (status == SEPAL_OK)
        status = kept_rule_set(&model->kept_rule, ctx, &model->arena, &rule.options);
    if (status != SEPAL_OK) {
        model_free(model);
        return status;
    }
    model->linear = fit->linear;
    fit->linear = (struct linear){0};
    status = model_finish(model, ctx);
    if (status != SEPAL_OK) {
        model_free(model);
        return status;
    }
    model->facts = (struct model_facts){.rows = fit->data->matrix.rows,
                                        .total_weight = fit->data->total_weight,
                                        .objective = fit->objective,
                                        .gap = fit->gap,
                                        .iterations = fit->iterations,
                                        .converged = fit->converged};
    *out = model;
    return SEPAL_OK;
}

/* ---- the fit ------------------------------------------------------------------------------ */

bool pipeline_shiftable(const struct pipeline *pipeline, const struct fit_options *options) {
    const struct learner *learner = pipeline->learner;
    bool as_given = options->asked && options->asked->as_given;
    return !as_given && learner->shiftable && learner->shiftable(pipeline->config);
}

sepal_status pipeline_without_centre(sepal_data *out, sepal_ctx *ctx, struct arena *arena,
                                     const sepal_data *data) {
    const struct matrix *x = &data->matrix;
    *out = *data;
    out->matrix.blocks = arena_alloc(ctx, arena, x->n_blocks, sizeof *x->blocks);
    if (!out->matrix.blocks) return SEPAL_EMEMORY;
    memcpy(out->matrix.blocks, x->blocks, x->n_blocks * sizeof *x->blocks);
    for (size_t b = 0; b < x->n_blocks; b++) out->matrix.blocks[b].centre = NULL;
    return SEPAL_OK;
}

/* Where to start, for rows that have not lost their centre. */
static sepal_status uncentre(struct linear *out, struct fit *fit, const double *centre) {
    *out = *fit->warm;
    out->centre = arena_alloc(fit->ctx, &fit->arena, out->cols, sizeof *out->centre);
    if (!out->centre) return SEPAL_EMEMORY;
    for (size_t j = 0; j < out->cols; j++)
        out->centre[j] = centre[j] + (fit->warm->centre ? fit->warm->centre[j] : 0);
    return SEPAL_OK;
}

/* The answer of such rows, for those that have lost it: in its own centre, or in the biases. */
static void centre_again(struct fit *fit, const double *centre) {
    struct linear *linear = &fit->linear;
    for (size_t j = 0; linear->centre && j < linear->cols; j++) linear->centre[j] -= centre[j];
    for (size_t r = 0; !linear->centre && r < linear->rows; r++)
        linear->b[r] +=
            fit->ctx->kernels->dot_f64(linear->w + r * linear->cols, centre, linear->cols);
}

/* Fit on phi. A learner that takes a centre off by itself is given sparse rows without theirs. */
static sepal_status fit_mapped(struct fit *fit, const struct pipeline *pipeline) {
    const struct learner *learner = pipeline->learner;
    const struct strategy *strategy = pipeline_strategy(pipeline);
    const double *centre = !fit->left && pipeline_shiftable(pipeline, &fit->options)
                               ? fit->data->matrix.blocks[0].centre
                               : NULL;
    if (!centre) return strategy_fit(fit, learner, strategy);
    const sepal_data *centred = fit->data;
    const struct linear *warm = fit->warm;
    sepal_data stored;
    struct linear uncentred;
    TRY(pipeline_without_centre(&stored, fit->ctx, &fit->arena, fit->data));
    if (warm) TRY(uncentre(&uncentred, fit, centre));
    if (warm) fit->warm = &uncentred;
    fit->data = &stored;
    sepal_status status = strategy_fit(fit, learner, strategy);
    fit->data = centred;
    fit->warm = warm;
    centre_again(fit, centre);
    return status;
}

/* `given`: the rows as they were read; fit->data are those that the maps made of them. */
static sepal_status fit_and_report(sepal_model **out, struct fit *fit, struct pipeline *pipeline,
                                   const sepal_data *given) {
    sepal_ctx *ctx = fit->ctx;
    size_t classes = given->schema->n_classes;
    const char *spec = pipeline_spec(ctx, &fit->arena, pipeline, classes);
    if (!spec) return SEPAL_EMEMORY;
    struct tree *report = fit->report, *own = tree_object(fit->make, NULL, NULL);
    fit->config = pipeline->config;
    fit->report = own;
    TRY(fit_mapped(fit, pipeline));
    if (fit->message_lost) return SEPAL_EMEMORY;
    fit->report = report;
    fit->linear.link = pipeline_fit_link(fit, pipeline);
    fit->linear.calibration = fit->calibration;
    fit->calibration = NULL;
    TRY(pipeline_check_finite(ctx, &fit->linear));
    if (!report) return keep_model(out, fit, pipeline, spec, given->matrix.cols);
    TRY(inference_summarise(fit, pipeline));
    TRY(pipeline_report(fit, given, pipeline, spec, own));
    return keep_model(out, fit, pipeline, spec, given->matrix.cols);
}

/* `start`: a model to start from, or NULL. */
static sepal_status map_and_fit(sepal_model **out, struct fit *fit, struct pipeline *pipeline,
                                const sepal_model *start) {
    const sepal_data *given = fit->data;
    sepal_data seen = *given;
    struct matrix mapped;
    struct linear warm;
    TRY(map_chain_fit(&pipeline->chain, &mapped, fit->ctx, &fit->arena, &given->matrix,
                      given->weight));
    if (mapped.blocks) seen.matrix = mapped;
    sepal_status status = check_cancelled(fit->ctx, "mapping the features");
    fit->data = &seen;
    if (status == SEPAL_OK && start) {
        status = warm_fold(&warm, fit->ctx, &fit->arena, start, &pipeline->chain, &seen.matrix);
        fit->warm = &warm;
    }
    struct resolved_bounds bounds = {0};
    if (status == SEPAL_OK)
        status = bounds_resolve(&bounds, fit->ctx, &fit->arena, pipeline, given->schema,
                                &pipeline->chain, seen.matrix.cols);
    fit->box = bounds.box;
    if (status == SEPAL_OK) status = fit_and_report(out, fit, pipeline, given);
    fit->data = given;
    fit->warm = NULL;
    matrix_clear(&mapped);
    return status;
}

/* From a model that the caller has. */
static sepal_status fit_from(sepal_model **out, struct fit *fit, struct pipeline *pipeline,
                             const sepal_model *start) {
    if (fit->options.warm)
        return fail(
            fit->ctx, SEPAL_EUSAGE,
            "the fit is to start from a model that is given and from one in a file; leave " OPTION
            "warm out");
    TRY(pipeline_check_warm(fit->ctx, pipeline->learner, ""));
    TRY(warm_check(fit->ctx, start, pipeline, fit->data->schema));
    return map_and_fit(out, fit, pipeline, start);
}

static sepal_status start_and_fit(sepal_model **out, struct fit *fit, struct pipeline *pipeline,
                                  const sepal_model *given) {
    if (given) return fit_from(out, fit, pipeline, given);
    sepal_model *start = NULL;
    if (fit->options.warm)
        TRY(warm_load(&start, fit->ctx, fit->options.warm, pipeline, fit->data->schema));
    sepal_status status = map_and_fit(out, fit, pipeline, start);
    if (status == SEPAL_EMODEL && start) fail_place(fit->ctx, fit->options.warm, 0, 0);
    model_free(start);
    return status;
}

/* What is learnt from rows is learnt from these alone, categories and means included. */
static sepal_status prepare_and_fit(sepal_model **out, struct fit *fit, struct pipeline *pipeline,
                                    const sepal_model *start) {
    struct prepared prepared;
    const sepal_data *given = fit->data;
    sepal_status status = prepare_fit(&prepared, fit->ctx, given);
    fit->data = &prepared.rows;
    if (status == SEPAL_OK) status = start_and_fit(out, fit, pipeline, start);
    fit->data = given;
    prepared_clear(&prepared);
    return status;
}

/* A learner of label sets: what is for one label a row is refused. */
static sepal_status fit_sets(sepal_model **out, struct fit *fit, struct pipeline *pipeline,
                             const sepal_model *given) {
    const char *odd = fit->options.calibrate   ? "calibrate"
                      : fit->options.bootstrap ? "bootstrap"
                                               : NULL;
    if (odd)
        return fail(fit->ctx, SEPAL_EUSAGE,
                    "%s learns sets of labels, and " OPTION
                    "%s is for one label a row; leave it out",
                    pipeline->learner->name, odd);
    sepal_data sets, *single = (sepal_data *)(uintptr_t)fit->data;
    TRY(data_as_sets(&sets, fit->ctx, &fit->arena, single));
    fit->data = &sets;
    sepal_status status = prepare_and_fit(out, fit, pipeline, given);
    fit->data = single;
    return status;
}

/* A fit of a resample is asked for the model alone; one to be judged has its calibration, too. */
enum fit_manner { FIT_WHOLE, FIT_AGAIN, FIT_JUDGED };

static sepal_status pipeline_run(sepal_model **out, struct fit *fit, const char *text,
                                 const char *options, const sepal_model *given,
                                 enum fit_manner manner) {
    double max_seconds = fit->options.max_seconds;
    struct pipeline pipeline;
    TRY(pipeline_parse(&pipeline, fit->ctx, &fit->arena, text));
    if (fit->left) pipeline.chain.n = 0;
    struct decision_rule rule;
    TRY(pipeline_parse_options(&fit->options, &pipeline, fit->ctx, &fit->arena, options));
    if (manner != FIT_WHOLE) fit->options.bootstrap = 0, fit->options.warm = NULL;
    if (manner == FIT_AGAIN) fit->options.calibrate = 0;
    if (manner == FIT_JUDGED) fit->options.max_seconds = max_seconds;
    fit->near = manner == FIT_JUDGED && given;
    TRY(pipeline_check_data(fit->ctx, pipeline.learner, fit->data));
    /* a rule that the model cannot have is better refused before the fit */
    TRY(pipeline_rule(&rule, fit, &pipeline, (struct linear){0}));
    if (pipeline.learner->sets) return fit_sets(out, fit, &pipeline, given);
    TRY(data_check_classes(fit->ctx, &fit->arena, fit->data, " to learn from"));
    if (fit->options.calibrate) TRY(calibrate_rows(&fit->calibration, fit, text));
    TRY(prepare_and_fit(out, fit, &pipeline, given));
    sepal_status status = bootstrap_fit(*out, fit, &pipeline, text, options);
    if (status == SEPAL_OK) return status;
    model_free(*out);
    *out = NULL;
    return status;
}

static struct fit fit_blank(sepal_ctx *ctx, const sepal_data *data, struct tree_maker *make) {
    return (struct fit){.ctx = ctx,
                        .data = data,
                        .start_ns = clock_ns(),
                        .make = make,
                        .solver = "",
                        .words = "",
                        .dual = NAN,
                        .gap = NAN,
                        .objective = NAN};
}

static void fit_clear(struct fit *fit) {
    linear_clear(&fit->linear);
    calibration_free(fit->calibration);
    arena_clear(&fit->arena);
}

sepal_status pipeline_fit_part(sepal_model **out, sepal_ctx *ctx, const char *spec,
                               const sepal_data *data, const struct fit_options *options) {
    struct arena unheard = {0};
    struct tree_maker make = {.ctx = ctx, .arena = &unheard};
    struct fit fit = fit_blank(ctx, data, &make);
    struct pipeline pipeline;
    fit.options = *options;
    *out = NULL;
    sepal_status status = pipeline_parse(&pipeline, ctx, &fit.arena, spec);
    if (status == SEPAL_OK) status = prepare_and_fit(out, &fit, &pipeline, NULL);
    fit_clear(&fit);
    arena_clear(&unheard);
    if (status != SEPAL_OK || !make.failed) return status;
    model_free(*out);
    *out = NULL;
    return SEPAL_EMEMORY;
}

/* make and report NULL: the model alone is wanted. */
static sepal_status pipeline_fit_rows(sepal_model **out, sepal_ctx *ctx, const char *spec,
                                      const sepal_data *data, const char *options,
                                      const sepal_model *start, struct tree_maker *make,
                                      struct tree *report, enum fit_manner manner,
                                      double max_seconds, struct scatter_left *left) {
    struct fit fit = fit_blank(ctx, data, make);
    fit.left = left;
    struct tree_maker unheard = {.ctx = ctx, .arena = &fit.arena};
    if (!make) fit.make = &unheard;
    fit.report = report;
    fit.options.max_seconds = max_seconds;
    *out = NULL;
    blas_enter();
    sepal_status status = pipeline_run(out, &fit, spec, options, start, manner);
    blas_leave();
    if (status == SEPAL_OK && unheard.failed) { /* facts that are not read: but it has an error */
        model_free(*out);
        *out = NULL;
        status = SEPAL_EMEMORY;
    }
    fit_clear(&fit);
    if (status != SEPAL_OK || !unheard.failed) return status;
    model_free(*out);
    *out = NULL;
    return SEPAL_EMEMORY;
}

sepal_status pipeline_fit(sepal_model **out, sepal_ctx *ctx, const char *spec,
                          const sepal_data *data, const char *options, const sepal_model *start,
                          struct tree_maker *make, struct tree *report) {
    return pipeline_fit_rows(out, ctx, spec, data, options, start, make, report, FIT_WHOLE, NAN,
                             NULL);
}

sepal_status pipeline_refit(sepal_model **out, sepal_ctx *ctx, const char *spec,
                            const sepal_data *data, const char *options, const sepal_model *start) {
    return pipeline_fit_rows(out, ctx, spec, data, options, start, NULL, NULL, FIT_AGAIN, NAN,
                             NULL);
}

sepal_status pipeline_fit_judged(sepal_model **out, sepal_ctx *ctx, const char *spec,
                                 const sepal_data *data, const char *options,
                                 const sepal_model *start, double max_seconds) {
    return pipeline_fit_rows(out, ctx, spec, data, options, start, NULL, NULL, FIT_JUDGED,
                             max_seconds, NULL);
}

sepal_status pipeline_fit_left(sepal_model **out, sepal_ctx *ctx, const char *spec,
                               const sepal_data *data, const char *options,
                               struct scatter_left *left) {
    return pipeline_fit_rows(out, ctx, spec, data, options, NULL, NULL, NULL, FIT_JUDGED, NAN,
                             left);
}
