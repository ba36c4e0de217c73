/* The public functions that ask a model about whole data sets. Those about one row are in api_model.c. */
#include "sepal/sepal.h"

#include "core/alloc.h"
#include "core/arguments.h"
#include "core/spec.h"
#include "data/data.h"
#include "eval/evaluate.h"
#include "model/match.h"
#include "model/model.h"
#include "model/predict.h"
#include "model/sample.h"
#include "report/report.h"

#include <string.h>

size_t sepal_model_outputs(const sepal_model *model, sepal_output what) {
    return model ? model_outputs(model, what) : 0;
}

int sepal_model_transforms(const sepal_model *model) {
    return model && (model->linear.axes != NULL || model->chain.n > 0);
}

sepal_status sepal_model_output_name(char **out, sepal_ctx *ctx, const sepal_model *model,
                                     sepal_output what, size_t j) {
    struct text name = {0};
    if (out) *out = NULL;
    BEGIN(ctx, GIVEN(out), GIVEN(model));
    if (j >= model_outputs(model, what))
        return fail(ctx, SEPAL_EUSAGE, "the model has no such number %zu", j);
    model_output_name(ctx, &name, model, what, j);
    *out = text_take(ctx, &name);
    return *out ? SEPAL_OK : SEPAL_EMEMORY;
}

/* `open` (NULL: not asked) becomes whether ambiguous rows stay undecided. */
static sepal_status predict_all(struct predictions *out, sepal_ctx *ctx, const sepal_model *model,
                                const sepal_data *data, const char *options, int *open) {
    struct arena arena = {0};
    struct decision_rule rule;
    struct prepared prepared;
    sepal_status status = match_rows(&prepared, ctx, model, data, out->first, out->n);
    if (status == SEPAL_OK) status = decision_rule_make(&rule, ctx, &arena, model, options);
    if (status == SEPAL_OK && open) *open = rule.options.ambiguous == AMBIGUOUS_UNDECIDED;
    if (status == SEPAL_OK) status = model_predict(out, ctx, model, &prepared.rows, &rule);
    prepared_clear(&prepared);
    arena_clear(&arena);
    return status;
}

/* One class a row, or a set of labels: the model has one of the two. */
static sepal_status check_kind_of_answer(sepal_ctx *ctx, const sepal_model *model, bool classes,
                                         bool labels) {
    bool sets = model->linear.strategy->sets;
    if (classes && sets)
        return fail(ctx, SEPAL_EUSAGE,
                    "this %s model gives sets of labels, not a class a row; ask "
                    "sepal_model_predict_rows for `labels`",
                    model->learner);
    if (labels && !sets)
        return fail(ctx, SEPAL_EUSAGE,
                    "this %s model gives a class a row, not sets of labels; ask for `classes`",
                    model->learner);
    return SEPAL_OK;
}

sepal_status sepal_model_predict(int32_t *out, sepal_ctx *ctx, const sepal_model *model,
                                 const sepal_data *data) {
    BEGIN(ctx, GIVEN(out), GIVEN(model), GIVEN(data));
    TRY(check_kind_of_answer(ctx, model, true, false));
    struct predictions predictions = {.n = data->matrix.rows, .classes = out};
    return predict_all(&predictions, ctx, model, data, NULL, NULL);
}

sepal_status sepal_model_scores(double *out, sepal_ctx *ctx, const sepal_model *model,
                                const sepal_data *data) {
    BEGIN(ctx, GIVEN(out), GIVEN(model), GIVEN(data));
    struct predictions predictions = {.n = data->matrix.rows, .shown = out};
    return predict_all(&predictions, ctx, model, data, NULL, NULL);
}

/* `predictions` has room for the regions. */
static void count_regions(sepal_predictions *out, const struct predictions *predictions) {
    for (size_t i = 0; i < predictions->n; i++) {
        out->several += predictions->regions[i] == REGION_SEVERAL;
        out->none += predictions->regions[i] == REGION_NONE;
        out->tied += predictions->regions[i] == REGION_TIED;
    }
}

sepal_status sepal_model_predict_rows(sepal_predictions *out, sepal_ctx *ctx,
                                      const sepal_model *model, const sepal_data *data,
                                      size_t first, size_t n, const char *options) {
    sepal_predictions all;
    BEGIN(ctx, GIVEN(out), GIVEN(model), GIVEN(data));
    TRY(struct_take(&all, sizeof all, ctx, "sepal_predictions", out,
                    offsetof(sepal_predictions, labels)));
    if (first > data->matrix.rows || n > data->matrix.rows - first)
        return fail(ctx, SEPAL_EUSAGE, "the data has %zu rows, not %zu from row %zu on",
                    data->matrix.rows, n, first);
    if (all.numbers) TRY(model_has(ctx, model, all.what));
    TRY(check_kind_of_answer(ctx, model, all.classes != NULL, all.labels != NULL));
    struct predictions predictions = {
        .first = first, .n = n, .classes = all.classes, .labels = all.labels};
    double **const numbers[] = {&predictions.shown,       &predictions.probabilities,
                                &predictions.distances,   &predictions.likelihoods,
                                &predictions.projections, &predictions.contributions};
    if (all.numbers) *numbers[all.what] = all.numbers; /* one of them, by model_has */
    predictions.regions = mem_alloc(ctx, n, sizeof *predictions.regions);
    sepal_status status = predictions.regions
                              ? predict_all(&predictions, ctx, model, data, options, &all.open)
                              : SEPAL_EMEMORY;
    if (status == SEPAL_OK) count_regions(&all, &predictions);
    struct_give(out, &all, sizeof all);
    mem_free(predictions.regions);
    return status;
}

sepal_status sepal_model_predict_check(sepal_ctx *ctx, const sepal_model *model,
                                       const sepal_output *what, const char *options) {
    struct arena arena = {0};
    struct decision_rule rule;
    BEGIN(ctx, GIVEN(model));
    sepal_status status = what ? model_has(ctx, model, *what) : SEPAL_OK;
    if (status == SEPAL_OK) status = decision_rule_make(&rule, ctx, &arena, model, options);
    arena_clear(&arena);
    return status;
}

sepal_status sepal_model_sample(sepal_data **out, sepal_ctx *ctx, const sepal_model *model,
                                size_t n, const char *options) {
    if (out) *out = NULL;
    BEGIN(ctx, GIVEN(out), GIVEN(model));
    return model_sample(out, ctx, model, n, options);
}

/* The options of a decision, and those of a judgement. */
static sepal_status evaluate_into(sepal_report *report, sepal_ctx *ctx, const sepal_model *model,
                                  const sepal_data *data, const char *options) {
    struct decision_rule rule;
    struct setting *settings;
    size_t n;
    struct evaluate_options asked;
    TRY(settings_parse(&settings, &n, ctx, &report->arena, options));
    TRY(evaluate_options_take(&asked, ctx, &report->arena, settings, &n));
    TRY(decision_rule_set(&rule, ctx, &report->arena, model, settings, n));
    bool sets = model->linear.strategy->sets;
    if (data->set_start && !sets)
        return fail_at(ctx, SEPAL_EDATA, data->first_set.file, data->first_set.line,
                       data->first_set.column,
                       "this is a set of labels, and the model decides for one label a row");
    if (!data->label && !data->set_start)
        return fail(ctx, SEPAL_EDATA, "the data has no labels to judge by");
    sepal_data seen;
    struct prepared prepared;
    target_tell(&report->make, report->root, &data->target);
    sepal_status status = match_rows(&prepared, ctx, model, data, 0, data->matrix.rows);
    if (status == SEPAL_OK)
        status = match_labels(&seen, ctx, &report->arena, model, &prepared.rows);
    if (status == SEPAL_OK && sets) status = data_as_sets(&seen, ctx, &report->arena, &seen);
    if (status == SEPAL_OK)
        status = evaluate_fully(ctx, model, &seen, &rule, &asked, &report->make, report->root);
    prepared_clear(&prepared);
    TRY(status);
    decision_tell(&report->make, report->root, &rule.options);
    return report->make.failed ? SEPAL_EMEMORY : SEPAL_OK;
}

sepal_status sepal_model_evaluate(sepal_report **out, sepal_ctx *ctx, const sepal_model *model,
                                  const sepal_data *data, const char *options) {
    if (out) *out = NULL;
    BEGIN(ctx, GIVEN(out), GIVEN(model), GIVEN(data));
    sepal_report *report = report_new(ctx, REPORT_EVALUATION);
    if (!report) return SEPAL_EMEMORY;
    return report_give(out, report, evaluate_into(report, ctx, model, data, options));
}
