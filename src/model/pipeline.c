#include "model/pipeline.h"

#include "core/alloc.h"
#include "core/clock.h"
#include "core/parallel.h"
#include "core/spec.h"
#include "core/usage.h"
#include "maps/map.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- the spec ----------------------------------------------------------------------------- */

static sepal_status unknown_stage(sepal_ctx *ctx, const char *name) {
    enum { MOST = 64 };
    const char *names[MOST];
    size_t n = 0;
    for (size_t i = 0; learner_table[i] && n < MOST; i++) names[n++] = learner_table[i]->name;
    for (size_t i = 0; map_table[i] && n < MOST; i++) names[n++] = map_table[i]->name;
    for (size_t i = 0; reduction_table[i] && n < MOST; i++) names[n++] = reduction_table[i]->name;
    struct text known = {0};
    for (size_t i = 0; i < n; i++) text_printf(ctx, &known, "%s%s", i ? ", " : "", names[i]);
    const char *near = text_suggest(name, names, n);
    sepal_status status =
        fail(ctx, SEPAL_EUSAGE, "'%.60s' is not a learner, map or reduction%s%s%s; there are: %s",
             name, near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "",
             known.bytes ? known.bytes : "");
    text_clear(&known);
    return status;
}

static sepal_status bind_learner(struct pipeline *out, sepal_ctx *ctx, struct arena *arena,
                                 const struct learner *learner, const struct spec_stage *stage) {
    if (out->learner)
        return fail(ctx, SEPAL_EUSAGE, "a spec has one learner, this one has %s and %s; choose one",
                    out->learner->name, learner->name);
    if (out->reduction)
        return fail(ctx, SEPAL_EUSAGE, "the reduction %s comes after the learner: %s | %s",
                    out->reduction->name, learner->name, out->reduction->name);
    out->learner = learner;
    out->config = arena_zero(ctx, arena, 1, learner->config_size);
    if (!out->config) return SEPAL_EMEMORY;
    return knobs_fill(out->config, ctx, arena, learner->knobs, learner->name, stage->settings,
                      stage->n_settings);
}

static sepal_status bind_other(struct pipeline *out, sepal_ctx *ctx,
                               const struct spec_stage *stage) {
    const struct map *map = map_find(stage->name);
    const struct reduction *reduction = reduction_find(stage->name);
    if (!map && !reduction) return unknown_stage(ctx, stage->name);
    if (stage->n_settings)
        return fail(ctx, SEPAL_EUSAGE, "%s has no knobs, so not '%s'", stage->name,
                    stage->settings[0].name);
    if (map && out->learner)
        return fail(ctx, SEPAL_EUSAGE, "the map %s comes before the learner: %s | %s", map->name,
                    map->name, out->learner->name);
    if (reduction && out->reduction)
        return fail(ctx, SEPAL_EUSAGE, "a spec has one reduction, this one has two");
    if (reduction) out->reduction = reduction;
    return SEPAL_OK;
}

sepal_status pipeline_parse(struct pipeline *out, sepal_ctx *ctx, struct arena *arena,
                            const char *spec) {
    struct spec parsed;
    *out = (struct pipeline){0};
    TRY(spec_parse(&parsed, ctx, arena, spec));
    for (size_t i = 0; i < parsed.n_stages; i++) {
        const struct learner *learner = learner_find(parsed.stages[i].name);
        if (learner)
            TRY(bind_learner(out, ctx, arena, learner, &parsed.stages[i]));
        else
            TRY(bind_other(out, ctx, &parsed.stages[i]));
    }
    if (!out->learner)
        return fail(ctx, SEPAL_EUSAGE,
                    "the spec '%.60s' has no learner; the shell probably took the '|' (quote the "
                    "spec, or write + for |). Learners: sepal list learners",
                    spec);
    return SEPAL_OK;
}

/* Every knob of the table written out; the reduction where there is one to speak of. */
static const char *canonical(sepal_ctx *ctx, struct arena *arena, const struct pipeline *pipeline,
                             const struct knob *knobs, size_t classes) {
    struct text text = {0};
    text_printf(ctx, &text, "%s(", pipeline->learner->name);
    knobs_print(ctx, &text, knobs, pipeline->config);
    text_puts(ctx, &text, ")");
    if (pipeline->reduction || classes > 2)
        text_printf(ctx, &text, " | %s", reduction_machine.name);
    const char *copy = text.failed ? NULL : arena_text(ctx, arena, text.bytes, text.length);
    text_clear(&text);
    return copy;
}

/* The rows of the table that the stage sets. */
static struct knob *knobs_given(sepal_ctx *ctx, struct arena *arena, const struct knob *table,
                                const struct spec_stage *stage) {
    size_t rows = 0, n = 0;
    while (table[rows].name) rows++;
    struct knob *given = arena_zero(ctx, arena, rows + 1, sizeof *given);
    for (size_t i = 0; given && i < rows; i++) {
        size_t k = 0;
        while (k < stage->n_settings && strcmp(stage->settings[k].name, table[i].name) != 0) k++;
        if (k < stage->n_settings) given[n++] = table[i];
    }
    return given;
}

static sepal_status check_canonical(sepal_ctx *ctx, struct arena *arena, const char *spec,
                                    const char *learner, size_t classes) {
    struct pipeline pipeline;
    struct spec parsed;
    TRY(pipeline_parse(&pipeline, ctx, arena, spec));
    TRY(spec_parse(&parsed, ctx, arena, spec));
    size_t i = 0; /* the learner's stage, which pipeline_parse has found */
    while (learner_find(parsed.stages[i].name) != pipeline.learner) i++;
    struct knob *knobs = knobs_given(ctx, arena, pipeline.learner->knobs, &parsed.stages[i]);
    const char *again = knobs ? canonical(ctx, arena, &pipeline, knobs, classes) : NULL;
    if (!again) return SEPAL_EMEMORY;
    if (strcmp(again, spec) != 0) return fail(ctx, SEPAL_EUSAGE, "written out it is '%s'", again);
    if (strcmp(learner, pipeline.learner->name) != 0)
        return fail(ctx, SEPAL_EUSAGE, "its learner is not '%s'", learner);
    return SEPAL_OK;
}

sepal_status pipeline_check_saved(sepal_ctx *ctx, struct arena *arena, const char *spec,
                                  const char *learner, size_t classes) {
    sepal_status status = check_canonical(ctx, arena, spec, learner, classes);
    if (status == SEPAL_OK || status == SEPAL_EMEMORY) return status;
    char shown[TEXT_SHOWN_BYTES], why[ERROR_MESSAGE_BYTES / 4];
    text_shown(shown, spec, strlen(spec));
    (void)snprintf(why, sizeof why, "%.*s", (int)sizeof why - 1, ctx->error.message);
    return fail(ctx, SEPAL_EMODEL,
                "the spec '%s' of this model file cannot be used here: %s; if a newer sepal wrote "
                "it, install that one",
                shown, why);
}

/* ---- the fit ------------------------------------------------------------------------------ */

static sepal_status check_data(sepal_ctx *ctx, const struct learner *learner,
                               const sepal_data *data) {
    const struct schema *schema = data->schema;
    size_t top = *data->file ? 1 : 0; /* a fault of the whole file is shown at its beginning */
    if (data->set_start)
        return fail_at(ctx, SEPAL_EDATA, data->first_set.file, data->first_set.line,
                       data->first_set.column,
                       "this is a set of labels, and %s learns one label a row", learner->name);
    if (!data->label)
        return fail_at(ctx, SEPAL_EDATA, data->file, top, top,
                       "the data has no labels to learn from");
    if (data->n_unseen)
        return fail_at(ctx, SEPAL_EDATA, data->file, top, top,
                       "the data was read for a model that has not seen the label '%s'; read it "
                       "anew to learn from it",
                       data->unseen[0]);
    if (schema->n_classes < 2)
        return fail_at(ctx, SEPAL_EDATA, data->file, top, top,
                       "every row has the label '%s'; a classifier needs at least two classes (is "
                       "--target the right column?)",
                       schema->n_classes ? schema->classes[0] : "");
    if (data->matrix.cols == 0)
        return fail_at(ctx, SEPAL_EDATA, data->file, top, top,
                       "the data has no feature columns to learn from (are --delimiter and --drop "
                       "right?)");
    return SEPAL_OK;
}

static sepal_status check_classes(sepal_ctx *ctx, const sepal_data *data, struct arena *arena) {
    size_t classes = data->schema->n_classes;
    size_t *count = arena_zero(ctx, arena, classes, sizeof *count);
    if (!count) return SEPAL_EMEMORY;
    for (size_t i = 0; i < data->matrix.rows; i++) count[data->label[i]]++;
    for (size_t k = 0; k < classes; k++)
        if (count[k] == 0)
            return fail(ctx, SEPAL_EDATA, "no row of class '%s' is left to learn from",
                        data->schema->classes[k]);
    return SEPAL_OK;
}

/* --solver names one of the learner's ways, if it has several. */
static sepal_status check_solver(sepal_ctx *ctx, const struct learner *learner, const char *name) {
    if (!name) return SEPAL_OK;
    if (!learner->solvers)
        return fail(ctx, SEPAL_EUSAGE, "%s has one way to solve; leave --solver %.40s out",
                    learner->name, name);
    size_t length = strlen(name);
    for (const char *word = learner->solvers; word; word = strchr(word, '|')) {
        word += *word == '|';
        if (strcspn(word, "|") == length && strncmp(word, name, length) == 0) return SEPAL_OK;
    }
    return fail(ctx, SEPAL_EUSAGE, "%s has no solver '%.40s'; choose %s, or leave it to the data",
                learner->name, name, learner->solvers);
}

static sepal_status parse_options(struct fit_options *out, sepal_ctx *ctx, struct arena *arena,
                                  const struct learner *learner, const char *options) {
    struct setting *settings = NULL;
    size_t n = 0;
    if (options) TRY(settings_parse(&settings, &n, ctx, arena, options));
    TRY(knobs_fill(out, ctx, arena, fit_option_table, "the fit", settings, n));
    return check_solver(ctx, learner, out->solver);
}

sepal_status pipeline_check(sepal_ctx *ctx, const char *spec, const char *options) {
    struct arena arena = {0};
    struct pipeline pipeline;
    struct fit_options parsed;
    sepal_status status = pipeline_parse(&pipeline, ctx, &arena, spec);
    if (status == SEPAL_OK) status = parse_options(&parsed, ctx, &arena, pipeline.learner, options);
    arena_clear(&arena);
    return status;
}

static sepal_status check_finite(sepal_ctx *ctx, const struct linear *linear) {
    bool finite = true;
    for (size_t i = 0; i < linear->rows * linear->cols; i++)
        finite = finite && isfinite(linear->w[i]);
    for (size_t r = 0; r < linear->rows; r++) finite = finite && isfinite(linear->b[r]);
    if (finite) return SEPAL_OK;
    return fail(
        ctx, SEPAL_EDATA,
        "the weights grew beyond what a double holds; bring the features to a common scale");
}

static sepal_status report_train(struct tree_maker *make, struct tree *report, sepal_ctx *ctx,
                                 const struct linear *linear, const sepal_data *data) {
    size_t rows = data->matrix.rows;
    int32_t *predicted = mem_alloc(ctx, rows, sizeof *predicted);
    if (!predicted) return SEPAL_EMEMORY;
    sepal_status status = linear_predict(predicted, ctx, linear, &data->matrix);
    double right = 0, errors = 0;
    for (size_t i = 0; i < rows && status == SEPAL_OK; i++)
        *(predicted[i] == data->label[i] ? &right : &errors) += data_weight(data, i);
    struct tree *train = tree_object(make, report, "train");
    tree_number(make, train, "accuracy", right / data->total_weight);
    tree_number(make, train, "errors", errors);
    mem_free(predicted);
    return status;
}

static void report_data(struct tree_maker *make, struct tree *report, const sepal_data *data) {
    tree_number(make, report, "rows", (double)data->matrix.rows);
    tree_number(make, report, "features", (double)schema_features(data->schema));
    tree_number(make, report, "columns", (double)data->matrix.cols);
    tree_number(make, report, "nonzeros", (double)data->matrix.nonzeros);
    if (data->weight) tree_number(make, report, "total_weight", data->total_weight);
    struct tree *classes = tree_array(make, report, "classes");
    for (size_t k = 0; k < data->schema->n_classes; k++)
        tree_text(make, classes, NULL, data->schema->classes[k]);
}

static void report_costs(struct tree_maker *make, struct tree *report, const struct fit *fit) {
    struct tree *seconds = tree_object(make, report, "seconds");
    double fitting = clock_seconds_since(fit->start_ns);
    tree_number(make, seconds, "load", fit->data->seconds);
    tree_number(make, seconds, "fit", fitting);
    tree_number(make, seconds, "total", fit->data->seconds + fitting);
    tree_number(make, report, "peak_memory", usage_peak_memory(fit->ctx));
    tree_number(make, report, "threads", parallel_width(fit->ctx));
    tree_number(make, report, "seed", (double)fit->ctx->seed);
}

static sepal_status report_fit(const struct fit *fit, const struct learner *learner,
                               const char *spec, struct tree *own) {
    struct tree_maker *make = fit->make;
    struct tree *report = fit->report;
    tree_text(make, report, "spec", spec);
    tree_text(make, report, "method", learner->name);
    tree_text(make, report, "solver", fit->solver);
    report_data(make, report, fit->data);
    tree_text(make, report, "objective_in_words", fit->words);
    tree_number(make, report, "objective", fit->objective);
    tree_number(make, report, "gap", fit->gap);
    tree_number(make, report, "iterations", (double)fit->iterations);
    tree_bool(make, report, "converged", fit->converged);
    tree_bool(make, report, "interrupted", fit->stopped != NULL && cancelled(fit->ctx));
    if (fit->stopped) tree_text(make, report, "stopped", fit->stopped);
    TRY(report_train(make, report, fit->ctx, &fit->linear, fit->data));
    tree_null(make, report, "test"); /* whoever has test rows attaches their report */
    for (struct tree *fact = own->first, *next; fact; fact = next) {
        next = fact->next;
        tree_adopt(report, fact);
    }
    report_costs(make, report, fit);
    return make->failed ? SEPAL_EMEMORY : SEPAL_OK;
}

static sepal_status keep_model(sepal_model **out, struct fit *fit, const struct learner *learner,
                               const char *spec) {
    sepal_model *model = model_new(fit->ctx);
    if (!model) return SEPAL_EMEMORY;
    model->spec = arena_text(fit->ctx, &model->arena, spec, strlen(spec));
    model->learner = arena_text(fit->ctx, &model->arena, learner->name, strlen(learner->name));
    if (!model->spec || !model->learner) {
        model_free(model);
        return SEPAL_EMEMORY;
    }
    model->schema = schema_share(fit->data->schema);
    model->linear = fit->linear;
    fit->linear = (struct linear){0};
    model->facts = (struct model_facts){.rows = fit->data->matrix.rows,
                                        .total_weight = fit->data->total_weight,
                                        .objective = fit->objective,
                                        .gap = fit->gap,
                                        .iterations = fit->iterations,
                                        .converged = fit->converged};
    *out = model;
    return SEPAL_OK;
}

static sepal_status run(sepal_model **out, struct fit *fit, const char *text, const char *options) {
    struct pipeline pipeline;
    sepal_ctx *ctx = fit->ctx;
    TRY(pipeline_parse(&pipeline, ctx, &fit->arena, text));
    TRY(parse_options(&fit->options, ctx, &fit->arena, pipeline.learner, options));
    TRY(check_data(ctx, pipeline.learner, fit->data));
    TRY(check_classes(ctx, fit->data, &fit->arena));
    const char *spec = canonical(ctx, &fit->arena, &pipeline, pipeline.learner->knobs,
                                 fit->data->schema->n_classes);
    if (!spec) return SEPAL_EMEMORY;
    struct tree *report = fit->report, *own = tree_object(fit->make, NULL, NULL);
    fit->config = pipeline.config;
    fit->report = own;
    TRY(pipeline.learner->fit(fit));
    if (fit->speechless) return SEPAL_EMEMORY;
    fit->report = report;
    TRY(check_finite(ctx, &fit->linear));
    TRY(report_fit(fit, pipeline.learner, spec, own));
    return keep_model(out, fit, pipeline.learner, spec);
}

sepal_status pipeline_fit(sepal_model **out, sepal_ctx *ctx, const char *spec,
                          const sepal_data *data, const char *options, struct tree_maker *make,
                          struct tree *report) {
    struct fit fit = {.ctx = ctx,
                      .data = data,
                      .start_ns = clock_ns(),
                      .make = make,
                      .report = report,
                      .solver = "",
                      .words = "",
                      .gap = NAN,
                      .objective = NAN};
    *out = NULL;
    sepal_status status = run(out, &fit, spec, options);
    linear_clear(&fit.linear);
    arena_clear(&fit.arena);
    return status;
}
