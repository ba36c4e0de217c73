/* The public functions that fit a model, and that carry it to and from files. Those that choose one are in
   api_selection.c. */
#include "sepal/sepal.h"

#include "core/alloc.h"
#include "core/arguments.h"
#include "data/data.h"
#include "model/model.h"
#include "model/pipeline.h"
#include "report/report.h"

static sepal_status fit_and_tell(sepal_model **out, sepal_report **report, sepal_ctx *ctx,
                                 const char *spec, const sepal_data *train, const char *options,
                                 const sepal_model *start) {
    sepal_report *facts = report_new(ctx, REPORT_FIT);
    if (!facts) return SEPAL_EMEMORY;
    return report_give(
        report, facts,
        pipeline_fit(out, ctx, spec, train, options, start, &facts->make, facts->root));
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
