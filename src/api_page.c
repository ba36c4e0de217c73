/* The public function that makes a page of HTML. */
#include "sepal/sepal.h"

#include "core/arguments.h"
#include "model/pipeline.h"
#include "page/page.h"
#include "report/report.h"

#include <string.h>

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

static bool has_text(const struct tree *node, const char *text) {
    return node && node->kind == TREE_TEXT && strcmp(node->text.bytes, text) == 0;
}

/* What a report of a training says of its model must be so of this one. */
static sepal_status check_fit(sepal_ctx *ctx, const struct page_facts *facts) {
    const struct schema *schema = facts->model->schema;
    const struct tree *spec = tree_find(facts->fit, "spec"),
                      *features = tree_find(facts->fit, "features"),
                      *classes = tree_find(facts->fit, "classes");
    const char *what = NULL;
    if (spec && !has_text(spec, facts->model->spec)) what = "spec";
    if (!what && features && features->kind == TREE_NUMBER &&
        features->number != (double)schema_features(schema))
        what = "number of features";
    if (!what && classes && classes->kind == TREE_ARRAY) {
        size_t k = 0;
        const struct tree *one = classes->first;
        for (; one && k < schema->n_classes && has_text(one, schema->classes[k]); one = one->next)
            k++;
        if (one || k < schema->n_classes) what = "classes";
    }
    if (!what) return SEPAL_OK;
    return fail(ctx, SEPAL_EDATA,
                "the report of the training is of another model: it has another %s; give what "
                "`sepal train ... --json` printed when it wrote this model",
                what);
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
    sepal_status status = fit ? check_fit(ctx, &facts) : SEPAL_OK;
    if (status == SEPAL_OK) status = find_facts(&reports, ctx, &facts);
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
