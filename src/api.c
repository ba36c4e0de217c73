/* The public functions of data, reports and models: check the arguments, call down, nothing else.
   What looks into a model is in api_model.c, what chooses one in api_selection.c, what is of a context in
   api_context.c, the tables in api_tables.c. */
#include "sepal/sepal.h"

#include "core/alloc.h"
#include "core/arguments.h"
#include "core/decimal.h"
#include "core/spec.h"
#include "io/labels_file.h"
#include "data/data.h"
#include "data/memory.h"
#include "eval/evaluate.h"
#include "eval/separability.h"
#include "model/predict.h"
#include "model/match.h"
#include "model/model.h"
#include "model/pipeline.h"
#include "model/sample.h"
#include "report/report.h"

#include <math.h>
#include <string.h>

/* ---- data --------------------------------------------------------------------------------- */

sepal_status sepal_data_read(sepal_data **out, sepal_ctx *ctx, const char *path,
                             const char *options) {
    if (out) *out = NULL;
    BEGIN(ctx, GIVEN(out), GIVEN(path));
    return data_read(out, ctx, path, options, NULL, true);
}

sepal_status sepal_data_read_for(sepal_data **out, sepal_ctx *ctx, const sepal_model *model,
                                 const char *path, const char *options, int with_labels) {
    if (out) *out = NULL;
    BEGIN(ctx, GIVEN(out), GIVEN(model), GIVEN(path));
    return data_read(out, ctx, path, options, model->schema, with_labels != 0);
}

sepal_status sepal_data_dense(sepal_data **out, sepal_ctx *ctx, const double *x, size_t rows,
                              size_t columns, const char *const *labels, const double *weights) {
    if (out) *out = NULL;
    BEGIN(ctx, GIVEN(out), GIVEN(x));
    return data_from_dense(out, ctx, x, rows, columns, labels, weights);
}

sepal_status sepal_data_from(sepal_data **out, sepal_ctx *ctx, const sepal_input *input) {
    sepal_input in;
    if (out) *out = NULL;
    BEGIN(ctx, GIVEN(out), GIVEN(input));
    TRY(struct_take(&in, sizeof in, ctx, "sepal_input", input, offsetof(sepal_input, label_count)));
    return data_from_memory(out, ctx, &in);
}

sepal_status sepal_data_split(sepal_data **rest, sepal_data **part, sepal_ctx *ctx,
                              const sepal_data *data, double fraction) {
    if (rest) *rest = NULL;
    if (part) *part = NULL;
    BEGIN(ctx, GIVEN(rest), GIVEN(part), GIVEN(data));
    if (!(fraction > 0 && fraction < 1))
        return fail(ctx, SEPAL_EUSAGE, "the fraction to hold out must lie between 0 and 1, not %g",
                    fraction);
    return data_split(rest, part, ctx, data, fraction);
}

sepal_status sepal_data_write(sepal_ctx *ctx, const sepal_data *data, const char *path,
                              const char *format) {
    BEGIN(ctx, GIVEN(data), GIVEN(path));
    return data_write(ctx, data, path, format);
}

sepal_status sepal_data_labels_path(char **out, sepal_ctx *ctx, const sepal_data *data,
                                    const char *path, const char *format) {
    if (out) *out = NULL;
    BEGIN(ctx, GIVEN(out), GIVEN(data), GIVEN(path));
    return data_labels_path(out, ctx, data, path, format);
}

sepal_status sepal_data_sibling(char **out, sepal_ctx *ctx, const char *path) {
    BEGIN(ctx, GIVEN(out), GIVEN(path));
    return labels_file_sibling(out, ctx, path);
}

size_t sepal_data_rows(const sepal_data *data) {
    return data ? data->matrix.rows : 0;
}

size_t sepal_data_columns(const sepal_data *data) {
    return data ? data->matrix.cols : 0;
}

void sepal_data_row(double *out, const sepal_data *data, size_t row) {
    size_t i;
    if (!out || row >= sepal_data_rows(data)) return;
    const struct block *block = matrix_block_of(&data->matrix, row, &i);
    block_dense(block, i, 1, data->matrix.cols, NULL, NULL, out, data->matrix.cols);
}

const char *sepal_data_label(const sepal_data *data, size_t row) {
    if (row >= sepal_data_rows(data) || !data->label) return NULL;
    return data_label_name(data, (size_t)data->label[row]);
}

sepal_status sepal_data_column_name(char **out, sepal_ctx *ctx, const sepal_data *data, size_t j) {
    struct text name = {0};
    if (out) *out = NULL;
    BEGIN(ctx, GIVEN(out), GIVEN(data));
    if (j >= data->matrix.cols)
        return fail(ctx, SEPAL_EUSAGE, "the data has no column %zu, only %zu of them", j,
                    data->matrix.cols);
    if (data->coded)
        text_puts(ctx, &name, data->schema->columns[j].name);
    else
        schema_column_name(ctx, &name, data->schema, j);
    char *text = text_take(ctx, &name);
    if (out) *out = text; /* never NULL: BEGIN has looked */
    return text ? SEPAL_OK : SEPAL_EMEMORY;
}

const char *sepal_data_kept_header(const sepal_data *data) {
    return data && data->kept_header ? data->kept_header : "";
}

const char *sepal_data_kept_row(const sepal_data *data, size_t row) {
    return row < sepal_data_rows(data) && data->kept ? data->kept[row] : "";
}

void sepal_data_free(sepal_data *data) {
    data_free(data);
}

/* ---- reports ------------------------------------------------------------------------------ */

/* Hand the report out, or free it after a failure. */
static sepal_status api_give(sepal_report **out, sepal_report *report, sepal_status status) {
    if (status != SEPAL_OK) {
        report_free(report);
        report = NULL;
    }
    if (out) *out = report; /* never NULL: BEGIN has looked */
    return status;
}

sepal_status sepal_data_describe(sepal_report **out, sepal_ctx *ctx, const sepal_data *data) {
    if (out) *out = NULL;
    BEGIN(ctx, GIVEN(out), GIVEN(data));
    sepal_report *report = report_new(ctx, REPORT_DATA);
    return api_give(out, report, report ? describe_data(report, data) : SEPAL_EMEMORY);
}

sepal_status sepal_file_describe(sepal_report **out, sepal_ctx *ctx, const char *path,
                                 const char *options) {
    sepal_data *data = NULL;
    if (out) *out = NULL;
    BEGIN(ctx, GIVEN(out), GIVEN(path));
    TRY(data_survey(&data, ctx, path, options));
    sepal_report *report = report_new(ctx, REPORT_DATA);
    sepal_status status = report ? describe_data(report, data) : SEPAL_EMEMORY;
    data_free(data);
    return api_give(out, report, status);
}

sepal_status sepal_model_inspect(sepal_report **out, sepal_ctx *ctx, const sepal_model *model) {
    if (out) *out = NULL;
    BEGIN(ctx, GIVEN(out), GIVEN(model));
    sepal_report *report = report_new(ctx, REPORT_MODEL);
    return api_give(out, report, report ? inspect_model(report, model) : SEPAL_EMEMORY);
}

sepal_status sepal_model_summary(sepal_report **out, sepal_ctx *ctx, const sepal_model *model) {
    if (out) *out = NULL;
    BEGIN(ctx, GIVEN(out), GIVEN(model));
    sepal_report *report = report_new(ctx, REPORT_SUMMARY);
    return api_give(out, report, report ? summarise_model(report, model) : SEPAL_EMEMORY);
}

static const struct tree *fact_at(const sepal_report *report, const char *path) {
    return report && path ? tree_path(report->root, path) : NULL;
}

double sepal_report_number(const sepal_report *report, const char *path) {
    const struct tree *node = fact_at(report, path);
    if (node && node->kind == TREE_BOOL) return node->truth;
    return node && node->kind == TREE_NUMBER ? node->number : NAN;
}

const char *sepal_report_string(const sepal_report *report, const char *path) {
    const struct tree *node = fact_at(report, path);
    return node && node->kind == TREE_TEXT ? node->text.bytes : NULL;
}

sepal_status sepal_report_attach(sepal_report *report, sepal_ctx *ctx, const char *key,
                                 const sepal_report *part) {
    BEGIN(ctx, GIVEN(report), GIVEN(key), GIVEN(part));
    report->make.ctx = ctx;
    report->make.failed = false;
    report_attach(report, key, part);
    return report->make.failed ? SEPAL_EMEMORY : SEPAL_OK;
}

sepal_status sepal_report_json(char **out, sepal_ctx *ctx, const sepal_report *report,
                               const char *command) {
    if (out) *out = NULL;
    BEGIN(ctx, GIVEN(out), GIVEN(report), GIVEN(command));
    return report_json(out, ctx, report, command);
}

sepal_status sepal_report_text(char **out, sepal_ctx *ctx, const sepal_report *report) {
    if (out) *out = NULL;
    BEGIN(ctx, GIVEN(out), GIVEN(report));
    return report_text(out, ctx, report);
}

sepal_status sepal_ctx_error_json(char **out, sepal_ctx *ctx, const char *command, int exit_code) {
    if (out) *out = NULL;
    if (!ctx || !out || !command) return SEPAL_EUSAGE; /* the error is not to be overwritten */
    return error_json(out, ctx, command, exit_code);
}

void sepal_text_free(char *text) {
    mem_free(text);
}

void sepal_report_free(sepal_report *report) {
    report_free(report);
}

size_t sepal_number_print(char out[SEPAL_NUMBER_BYTES], double value) {
    if (!out) return 0;
    size_t length = decimal_print(out, value);
    out[length] = '\0';
    return length;
}

void sepal_report_set_top(sepal_report *report, size_t top) {
    if (report) report->top = top;
}

/* ---- learning and predicting -------------------------------------------------------------- */

static sepal_status fit_and_tell(sepal_model **out, sepal_report **report, sepal_ctx *ctx,
                                 const char *spec, const sepal_data *train, const char *options,
                                 const sepal_model *start) {
    sepal_report *facts = report_new(ctx, REPORT_FIT);
    if (!facts) return SEPAL_EMEMORY;
    sepal_status status =
        pipeline_fit(out, ctx, spec, train, options, start, &facts->make, facts->root);
    if (status != SEPAL_OK || !report)
        report_free(facts);
    else
        *report = facts;
    return status;
}

sepal_status sepal_model_fit(sepal_model **out, sepal_report **report, sepal_ctx *ctx,
                             const char *spec, const sepal_data *train, const char *options) {
    if (out) *out = NULL;
    if (report) *report = NULL;
    BEGIN(ctx, GIVEN(out), GIVEN(spec), GIVEN(train));
    return fit_and_tell(out, report, ctx, spec, train, options, NULL);
}

sepal_status sepal_model_fit_from(sepal_model **out, sepal_report **report, sepal_ctx *ctx,
                                  const char *spec, const sepal_data *train, const char *options,
                                  const sepal_model *start) {
    if (out) *out = NULL;
    if (report) *report = NULL;
    BEGIN(ctx, GIVEN(out), GIVEN(spec), GIVEN(train), GIVEN(start));
    return fit_and_tell(out, report, ctx, spec, train, options, start);
}

sepal_status sepal_model_fit_check(sepal_ctx *ctx, const char *spec, const char *options) {
    BEGIN(ctx, GIVEN(spec));
    return pipeline_check(ctx, spec, options);
}

sepal_status sepal_data_check_target(sepal_ctx *ctx, const sepal_data *train) {
    BEGIN(ctx, GIVEN(train));
    return target_question(ctx, train);
}

void sepal_model_free(sepal_model *model) {
    model_free(model);
}

sepal_status sepal_model_save(sepal_ctx *ctx, const sepal_model *model, const char *path) {
    BEGIN(ctx, GIVEN(model), GIVEN(path));
    return model_save(ctx, model, path);
}

struct sepal_staged {
    struct staged file;
    bool ended; /* put in place, or given up after a failure to */
};

sepal_status sepal_model_stage(sepal_staged **out, sepal_ctx *ctx, const sepal_model *model,
                               const char *path) {
    if (out) *out = NULL;
    BEGIN(ctx, GIVEN(out), GIVEN(model), GIVEN(path));
    *out = mem_zero(ctx, 1, sizeof **out);
    if (!*out) return SEPAL_EMEMORY;
    sepal_status status = model_stage(&(*out)->file, ctx, model, path);
    if (status != SEPAL_OK) {
        mem_free(*out);
        *out = NULL;
    }
    return status;
}

sepal_status sepal_staged_commit(sepal_ctx *ctx, sepal_staged *staged) {
    BEGIN(ctx, GIVEN(staged));
    if (staged->ended)
        return fail(ctx, SEPAL_EUSAGE, "this file has been committed before; stage it anew");
    staged->ended = true;
    return output_commit(ctx, &staged->file);
}

void sepal_staged_free(sepal_staged *staged) {
    if (!staged) return;
    output_drop(&staged->file);
    mem_free(staged);
}

sepal_status sepal_model_load(sepal_model **out, sepal_ctx *ctx, const char *path) {
    if (out) *out = NULL;
    BEGIN(ctx, GIVEN(out), GIVEN(path));
    return model_load(out, ctx, path);
}

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
    double **const numbers[] = {&predictions.shown, &predictions.probabilities,
                                &predictions.distances, &predictions.likelihoods,
                                &predictions.projections};
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

/* The options of a decision, and one of a judgement. */
static sepal_status evaluate_into(sepal_report *report, sepal_ctx *ctx, const sepal_model *model,
                                  const sepal_data *data, const char *options) {
    struct decision_rule rule;
    struct setting *settings;
    size_t n, kept = 0;
    const char *positive = NULL;
    TRY(settings_parse(&settings, &n, ctx, &report->arena, options));
    for (size_t i = 0; i < n; i++) {
        if (strcmp(settings[i].name, "positive") == 0)
            positive = settings[i].value ? settings[i].value : "";
        else
            settings[kept++] = settings[i];
    }
    TRY(decision_rule_set(&rule, ctx, &report->arena, model, settings, kept));
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
        status = evaluate(ctx, model, &seen, &rule, positive, &report->make, report->root);
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
    return api_give(out, report, evaluate_into(report, ctx, model, data, options));
}

/* ---- separability ------------------------------------------------------------------------- */

sepal_status sepal_data_separable(sepal_report **out, char **certificate, sepal_ctx *ctx,
                                  const sepal_data *data, const char *maps, const char *options) {
    if (out) *out = NULL;
    if (certificate) *certificate = NULL;
    BEGIN(ctx, GIVEN(out), GIVEN(data));
    sepal_report *report = report_new(ctx, REPORT_SEPARABILITY);
    if (!report) return SEPAL_EMEMORY;
    return api_give(
        out, report,
        separability_report(ctx, data, maps, options, &report->make, report->root, certificate));
}

sepal_status sepal_data_separable_check(sepal_ctx *ctx, const sepal_data *data, const char *maps,
                                        const char *path) {
    BEGIN(ctx, GIVEN(data), GIVEN(path));
    return certificate_check(ctx, data, maps, path);
}
