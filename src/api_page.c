/* The public function that makes a page of HTML. */
#include "sepal/sepal.h"

#include "core/arguments.h"
#include "model/pipeline.h"
#include "page/page.h"
#include "report/report.h"

/* What else the page tells of: the model, the rows, and what the doctor found in these. */
struct page_reports {
    sepal_report *inside, *about, *findings;
};

/* Findings of rows that cannot be looked at for some reason are left out. */
static sepal_status find_facts(struct page_reports *out, sepal_ctx *ctx,
                               const struct page_facts *facts) {
    TRY(sepal_model_summary(&out->inside, ctx, facts->model));
    TRY(sepal_data_describe(&out->about, ctx, facts->data));
    if (facts->findings) return SEPAL_OK;
    sepal_status status = sepal_data_doctor(&out->findings, ctx, facts->data, facts->model->spec);
    if (status != SEPAL_EUSAGE && status != SEPAL_EDATA) return status;
    forgive(ctx);
    return SEPAL_OK;
}

/* The spec in short. */
static sepal_status find_spec(struct page_facts *facts, sepal_ctx *ctx, struct arena *arena) {
    const sepal_model *model = facts->model;
    struct pipeline pipeline;
    const char *today;
    TRY(pipeline_parse_saved(&pipeline, &today, ctx, arena, model->spec, model->learner,
                             model->linear.classes));
    facts->spec = pipeline_short_spec(ctx, arena, &pipeline);
    return facts->spec ? SEPAL_OK : SEPAL_EMEMORY;
}

sepal_status sepal_page(char **out, sepal_ctx *ctx, const sepal_model *model,
                        const sepal_data *data, const sepal_report *judgement,
                        const sepal_report *fit, const char *options, const char *command) {
    struct page_reports reports = {0};
    if (out) *out = NULL;
    BEGIN(ctx, GIVEN(out), GIVEN(model), GIVEN(data), GIVEN(judgement));
    struct page_facts facts = {.model = model,
                               .data = data,
                               .options = options,
                               .command = command,
                               .judgement = judgement->root,
                               .fit = fit ? fit->root : NULL};
    struct html html = {.ctx = ctx};
    struct arena arena = {0};
    if (fit) facts.findings = tree_find(fit->root, "doctor");
    sepal_status status = find_facts(&reports, ctx, &facts);
    if (status == SEPAL_OK) status = find_spec(&facts, ctx, &arena);
    if (status == SEPAL_OK) {
        facts.inside = reports.inside->root;
        facts.about = reports.about->root;
        if (reports.findings) facts.findings = tree_find(reports.findings->root, "doctor");
        status = page_make(&html, &facts);
    }
    if (status == SEPAL_OK) *out = text_take(ctx, &html.text);
    text_clear(&html.text);
    arena_clear(&arena);
    sepal_report_free(reports.inside);
    sepal_report_free(reports.about);
    sepal_report_free(reports.findings);
    return status == SEPAL_OK && !*out ? SEPAL_EMEMORY : status;
}
