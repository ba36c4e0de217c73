/* The table of pictures, and what comes before and after the drawing of one. */
#include "plot/plot.h"

#include "model/pipeline.h"

#include <string.h>

#define PLOT(name) extern const struct plot_kind plot_##name;
#include "plot/kinds.def"
#undef PLOT

const struct plot_kind *const plot_table[] = {
#define PLOT(name) &plot_##name,
#include "plot/kinds.def"
#undef PLOT
    NULL,
};

const struct parameter plot_common_parameters[] = {PLOT_COMMON, {0}};

const struct plot_kind *plot_find(const char *name) {
    for (const struct plot_kind *const *row = plot_table; *row; row++)
        if (strcmp((*row)->name, name) == 0) return *row;
    return NULL;
}

const char *plot_short_spec(struct plot *plot) {
    const sepal_model *model = plot->model;
    struct pipeline pipeline;
    const char *today, *text = NULL;
    if (pipeline_parse_saved(&pipeline, &today, plot->ctx, &plot->arena, model->spec,
                             model->learner, model->linear.classes) == SEPAL_OK)
        text = pipeline_short_spec(plot->ctx, &plot->arena, &pipeline);
    if (!text && plot->ctx->error.status == SEPAL_EMEMORY)
        plot->canvas.failed = true;
    else if (!text)
        forgive(plot->ctx);
    return text ? text : model->learner;
}

static sepal_status refuse_kind(sepal_ctx *ctx, const char *kind) {
    enum { MOST = 64 };
    const char *names[MOST];
    char shown[TEXT_SHOWN_BYTES];
    size_t n = 0;
    struct text all = {0};
    for (; plot_table[n] && n < MOST; n++) {
        names[n] = plot_table[n]->name;
        text_printf(ctx, &all, "%s%s", n > 0 ? ", " : "", names[n]);
    }
    const char *near = text_suggest(kind, names, n);
    sepal_status status =
        all.failed ? SEPAL_EMEMORY
                   : fail(ctx, SEPAL_EUSAGE, "there is no picture '%s'%s%s%s; there are %s",
                          text_shown(shown, kind, strlen(kind)), near ? " (did you mean '" : "",
                          near ? near : "", near ? "'?)" : "", all.bytes);
    text_clear(&all);
    return status;
}

static sepal_status check_needs(const struct plot *plot, const struct plot_kind *kind) {
    const char *lacks = (kind->needs & NEEDS_MODEL) && !plot->model ? "a model"
                        : (kind->needs & NEEDS_DATA) && !plot->data ? "data"
                        : (kind->needs & (NEEDS_JUDGEMENT | NEEDS_REPORT)) && !plot->report
                            ? "a report"
                            : NULL;
    if (!lacks) return SEPAL_OK;
    return fail(plot->ctx, SEPAL_EUSAGE, "a picture of the kind '%s' needs %s%s%s", kind->name,
                lacks, kind->from && *lacks == 'a' && lacks[2] == 'r' ? ", which comes from " : "",
                kind->from && *lacks == 'a' && lacks[2] == 'r' ? kind->from : "");
}

static sepal_status draw_kind(void **out, size_t *n, struct plot *plot,
                              const struct plot_kind *kind, const char *options) {
    void *values = arena_zero(plot->ctx, &plot->arena, 1, kind->options_size);
    struct text title = {0};
    if (!values) return SEPAL_EMEMORY;
    plot->options = values;
    TRY(parameters_parse(values, plot->ctx, &plot->arena, kind->parameters, kind->name, options));
    TRY(check_needs(plot, kind));
    const struct plot_common *common = values;
    if (common->theme == THEME_AUTO && backend_table[common->to] != &backend_svg)
        return fail(plot->ctx, SEPAL_EUSAGE,
                    "only svg can follow the reader's theme; choose " OPTION
                    "theme light or dark for %s",
                    backend_table[common->to]->name);
    text_printf(plot->ctx, &title, "%s: %s", kind->name, kind->summary);
    sepal_status status =
        title.failed
            ? SEPAL_EMEMORY
            : canvas_begin(&plot->canvas, plot->ctx, backend_table[common->to],
                           (double)common->width, (double)common->height, (enum theme)common->theme,
                           common->title ? common->title : title.bytes);
    if (status == SEPAL_OK) {
        status = kind->draw(plot);
        if (status == SEPAL_OK)
            status = canvas_end(&plot->canvas, out, n);
        else
            canvas_drop(&plot->canvas);
    }
    text_clear(&title);
    return status;
}

sepal_status plot_make(void **out, size_t *n, sepal_ctx *ctx, const char *kind,
                       const sepal_model *model, const sepal_data *data, const struct tree *report,
                       const char *options) {
    const struct plot_kind *found = plot_find(kind);
    if (!found) return refuse_kind(ctx, kind);
    struct plot *plot = NULL;
    struct arena arena = {0};
    plot = arena_zero(ctx, &arena, 1, sizeof *plot);
    if (!plot) return SEPAL_EMEMORY;
    plot->ctx = ctx;
    plot->model = model;
    plot->data = data;
    plot->report = report;
    sepal_status status = draw_kind(out, n, plot, found, options);
    arena_clear(&plot->arena);
    arena_clear(&arena);
    return status;
}
