/* The public functions that choose a model among several. */
#include "sepal/sepal.h"

#include "core/arguments.h"
#include "report/report.h"
#include "selection/path.h"

sepal_status sepal_model_path(sepal_model **out, sepal_report **report, sepal_ctx *ctx,
                              const char *spec, const sepal_data *train, const char *options,
                              const char *fit_options) {
    if (out) *out = NULL;
    if (report) *report = NULL;
    BEGIN(ctx, GIVEN(out), GIVEN(spec), GIVEN(train));
    sepal_report *facts = report_new(ctx, REPORT_PATH);
    if (!facts) return SEPAL_EMEMORY;
    return report_give(
        report, facts,
        path_fit(out, ctx, spec, train, options, fit_options, &facts->make, facts->root));
}

sepal_status sepal_model_path_check(sepal_ctx *ctx, const char *spec, const char *options,
                                    const char *fit_options) {
    BEGIN(ctx, GIVEN(spec));
    return path_check(ctx, spec, options, fit_options);
}
