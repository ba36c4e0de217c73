/* The public functions of reports: those that make them of data and models, and those that read them. */
#include "sepal/sepal.h"

#include "core/alloc.h"
#include "core/arguments.h"
#include "core/decimal.h"
#include "data/data.h"
#include "doctor/doctor.h"
#include "model/model.h"
#include "report/report.h"
#include "split/split.h"

#include <math.h>
#include <string.h>

sepal_status sepal_data_describe(sepal_report **out, sepal_ctx *ctx, const sepal_data *data) {
    if (out) *out = NULL;
    BEGIN(ctx, GIVEN(out), GIVEN(data));
    sepal_report *report = report_new(ctx, REPORT_DATA);
    return report_give(out, report, report ? describe_data(report, data) : SEPAL_EMEMORY);
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
    return report_give(out, report, status);
}

static sepal_status doctor_report(sepal_report **out, sepal_ctx *ctx, const sepal_data *data,
                                  const char *spec) {
    sepal_report *report = report_new(ctx, REPORT_DOCTOR);
    if (!report) return SEPAL_EMEMORY;
    return report_give(out, report, doctor_examine(ctx, data, spec, &report->make, report->root));
}

sepal_status sepal_data_doctor(sepal_report **out, sepal_ctx *ctx, const sepal_data *data,
                               const char *spec) {
    if (out) *out = NULL;
    BEGIN(ctx, GIVEN(out), GIVEN(data));
    return doctor_report(out, ctx, data, spec);
}

sepal_status sepal_file_doctor(sepal_report **out, sepal_ctx *ctx, const char *path,
                               const char *options, const char *spec) {
    sepal_data *data = NULL;
    if (out) *out = NULL;
    BEGIN(ctx, GIVEN(out), GIVEN(path));
    TRY(data_survey(&data, ctx, path, options));
    sepal_status status = doctor_report(out, ctx, data, spec);
    data_free(data);
    return status;
}

sepal_status sepal_file_split(sepal_report **out, sepal_ctx *ctx, const char *path,
                              const char *options, const char *how, const char *train,
                              const char *test) {
    if (out) *out = NULL;
    BEGIN(ctx, GIVEN(path), GIVEN(train), GIVEN(test));
    sepal_report *report = report_new(ctx, REPORT_SPLIT);
    if (!report) return SEPAL_EMEMORY;
    const char *const files[SIDES] = {[SIDE_TRAIN] = train, [SIDE_TEST] = test};
    return report_give(out, report,
                       split_file(ctx, path, options, how, files, &report->make, report->root));
}

sepal_status sepal_model_inspect(sepal_report **out, sepal_ctx *ctx, const sepal_model *model) {
    if (out) *out = NULL;
    BEGIN(ctx, GIVEN(out), GIVEN(model));
    sepal_report *report = report_new(ctx, REPORT_MODEL);
    return report_give(out, report, report ? inspect_model(report, model) : SEPAL_EMEMORY);
}

sepal_status sepal_model_summary(sepal_report **out, sepal_ctx *ctx, const sepal_model *model) {
    if (out) *out = NULL;
    BEGIN(ctx, GIVEN(out), GIVEN(model));
    sepal_report *report = report_new(ctx, REPORT_SUMMARY);
    return report_give(out, report, report ? summarise_model(report, model) : SEPAL_EMEMORY);
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
