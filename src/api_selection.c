/* The public function that judges specs by rows held out, and chooses among them. */
#include "sepal/sepal.h"

#include "core/arguments.h"
#include "report/report.h"
#include "selection/task.h"

sepal_status sepal_select(sepal_model **model, sepal_report **report, sepal_ctx *ctx,
                          const char *task, const char *const *specs, size_t n_specs,
                          const sepal_data *data, const char *options, const char *fit_options) {
    if (model) *model = NULL;
    if (report) *report = NULL;
    BEGIN(ctx, GIVEN(task), GIVEN(specs));
    const struct selection_task *row = selection_find(ctx, task);
    if (!row) return ctx->error.status;
    sepal_report *facts = report_new(ctx, REPORT_SELECTION);
    if (!facts) return SEPAL_EMEMORY;
    struct selection selection = {.ctx = ctx,
                                  .specs = specs,
                                  .n_specs = n_specs,
                                  .data = data,
                                  .options = options,
                                  .fit_options = fit_options,
                                  .wants_model = model != NULL,
                                  .make = &facts->make,
                                  .report = facts->root};
    facts->task = row->name;
    sepal_status status = selection_do(&selection, row);
    if (model && status == SEPAL_OK)
        *model = selection.model;
    else
        model_free(selection.model);
    return report_give(data ? report : NULL, facts, status);
}
