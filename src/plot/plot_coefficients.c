/* The weights of a model, the largest first: what one standard deviation of a feature changes where that is
   known, else the weights themselves; with the intervals of an inference, where there was one. */
#include "plot/plot.h"

#include "report/report.h"

#include <stdlib.h>
#include <string.h>

struct coefficients_options {
    struct plot_common common;
    size_t top;
};

static const struct parameter coefficients_parameters[] = {
    PLOT_COMMON,
    {"top", PARAMETER_COUNT, offsetof(struct coefficients_options, top), "20", "[1, 200]",
     "features to show, those with the largest weights"},
    {0},
};

enum { FUNCTIONS_MOST = 8 };

struct feature_row {
    const char *name;
    double value[FUNCTIONS_MOST], low, high; /* NaN: no interval */
    double size;
    size_t place;
};

struct coefficients {
    struct plot *plot;
    const struct tree *root;
    struct feature_row *rows;
    size_t n, functions, of_functions, shown;
    double names; /* room for those of the features */
    bool intervals, effects;
};

static int by_size(const void *a, const void *b) {
    const struct feature_row *one = a, *other = b;
    if (one->size != other->size) return (one->size < other->size) - (one->size > other->size);
    return (one->place > other->place) - (one->place < other->place);
}

static sepal_status take_weights(struct coefficients *c) {
    const struct tree *features = tree_find(c->root, "features");
    const struct tree *effects = tree_find(c->root, "effects");
    const struct tree *weights = effects ? effects : tree_find(c->root, "weights");
    c->effects = effects != NULL;
    c->of_functions = weights->count;
    c->functions = weights->count < FUNCTIONS_MOST ? weights->count : FUNCTIONS_MOST;
    c->n = features->count;
    c->rows = arena_zero(c->plot->ctx, &c->plot->arena, c->n, sizeof *c->rows);
    if (!c->rows) return SEPAL_EMEMORY;
    size_t j = 0;
    for (const struct tree *name = features->first; name; name = name->next, j++)
        c->rows[j] = (struct feature_row){name->text.bytes, {0}, NAN, NAN, 0, j};
    const struct tree *row = weights->first;
    for (size_t r = 0; r < c->functions; r++, row = row->next) {
        const struct tree *value = row->first;
        for (j = 0; j < c->n && value; j++, value = value->next) {
            c->rows[j].value[r] = value->number;
            c->rows[j].size = fmax(c->rows[j].size, fabs(value->number));
        }
    }
    return SEPAL_OK;
}

/* What one standard deviation of a feature is in its own unit; 1 where it is not known. */
static double unit_of(const struct coefficients *c, const char *feature) {
    const struct tree *effects = tree_find(c->root, "effects");
    const struct tree *name = tree_find(c->root, "features")->first;
    const struct tree *weight = tree_find(c->root, "weights")->first->first;
    const struct tree *effect = effects ? effects->first->first : NULL;
    for (; effect && weight && name;
         effect = effect->next, weight = weight->next, name = name->next)
        if (strcmp(name->text.bytes, feature) == 0)
            return weight->number != 0 ? effect->number / weight->number : 1;
    return 1;
}

/* Of a model of two classes with standard errors: its terms instead, without the intercept. */
static void take_terms(struct coefficients *c) {
    const struct tree *terms = tree_path(c->root, "summary.terms");
    size_t n = 0, with = 0;
    for (const struct tree *term = terms ? terms->first : NULL; term; term = term->next)
        with += isfinite(tree_value(term, "low")) ? 1 : 0;
    if (with == 0 || c->of_functions > 1) return;
    for (const struct tree *term = terms->first; term && n < c->n; term = term->next) {
        const char *name = tree_word(term, "name", "");
        double unit = unit_of(c, name), value = unit * tree_value(term, "estimate");
        if (isnan(value) || strcmp(name, "(intercept)") == 0) continue;
        c->rows[n] = (struct feature_row){.name = name,
                                          .value = {value},
                                          .low = unit * tree_value(term, "low"),
                                          .high = unit * tree_value(term, "high"),
                                          .size = fabs(value),
                                          .place = n};
        n++;
    }
    c->n = n;
    c->intervals = true;
}

static void name_functions(struct coefficients *c) {
    const struct tree *label = tree_find(c->root, "rows")->first;
    for (size_t r = 0; label && r < c->functions; r++, label = label->next) {
        struct text name = {0};
        sepal_ctx *ctx = c->plot->ctx;
        if (label->kind == TREE_ARRAY)
            text_printf(ctx, &name, "%s against %s", label->last->text.bytes,
                        label->first->text.bytes);
        else
            text_printf(ctx, &name, "for %s", label->text.bytes);
        const char *copy =
            name.failed ? NULL : arena_text(ctx, &c->plot->arena, name.bytes, name.length);
        text_clear(&name);
        c->plot->canvas.failed = c->plot->canvas.failed || !copy;
        if (copy) page_legend_series(c->plot, copy, r);
    }
    if (c->of_functions > c->functions) c->plot->legend_left_out += c->of_functions - c->functions;
}

static void tell(struct coefficients *c) {
    struct plot *plot = c->plot;
    page_title(plot, "Coefficients of %s", plot->model->learner);
    page_subtitle(plot, "%s", plot_short_spec(plot));
    name_functions(c);
    if (c->n > c->shown) page_note(plot, "The %zu largest of %zu.", c->shown, c->n);
    if (c->intervals) page_note(plot, "Lines: 95 %% intervals.");
    if (!c->effects && c->n > 1)
        page_note(plot, "Weights in the features' own units: what matters more cannot be read from "
                        "them unless the model was trained with standardize.");
}

static void draw_row(const struct coefficients *c, const struct frame *frame, size_t i,
                     double height) {
    struct canvas *canvas = &c->plot->canvas;
    const struct feature_row *row = &c->rows[i];
    double y = frame->box.top + ((double)i + 0.5) * height;
    char fitted[NOTE_BYTES];
    canvas_fit_text(canvas, fitted, sizeof fitted, row->name, TEXT_SIZE, c->names + 1);
    plot_text(c->plot, frame->box.left - 8, y + 4, ANCHOR_END, INK_TEXT, "%s", fitted);
    canvas_segment(canvas, (struct point){frame->box.left, y}, (struct point){frame->box.right, y},
                   &(struct pen){.stroke = INK_GRID, .width = 1});
    if (isfinite(row->low) && isfinite(row->high))
        canvas_segment(canvas, (struct point){frame_x(frame, row->low), y},
                       (struct point){frame_x(frame, row->high), y},
                       &(struct pen){.stroke = INK_SERIES, .width = 2});
    for (size_t r = 0; r < c->functions; r++) {
        double x = frame_x(frame, row->value[r]);
        if (c->functions == 1 && !c->intervals)
            canvas_segment(canvas, (struct point){frame_x(frame, 0), y}, (struct point){x, y},
                           &(struct pen){.stroke = INK_SERIES, .width = 2});
        canvas_marker(canvas, (struct point){x, y}, series_shape(r), 4,
                      &(struct pen){.fill = series_ink(r)});
    }
}

static sepal_status draw_coefficients(struct coefficients *c) {
    struct plot *plot = c->plot;
    double low = 0, high = 0, names = 0;
    for (size_t i = 0; i < c->shown; i++) {
        for (size_t r = 0; r < c->functions; r++) axis_reach(&low, &high, c->rows[i].value[r]);
        axis_reach(&low, &high, c->rows[i].low);
        axis_reach(&low, &high, c->rows[i].high);
        names = fmax(names, canvas_text_width(&plot->canvas, c->rows[i].name, TEXT_SIZE));
    }
    tell(c);
    struct pane pane = page_draw(plot);
    c->names = fmin(names, fmin(220, 0.4 * (pane.right - pane.left)));
    pane.left += c->names + 8;
    struct axis x =
        axis_around(low, high, c->effects ? "effect of one standard deviation" : "weight");
    struct frame frame = frame_in(plot, pane, &x, &(struct axis){.high = 1, .plain = true});
    if (canvas_is_term(&plot->canvas)) /* rows in the middle of lines of characters */
        frame.box.top = fmax(pane.top, frame.box.bottom - 4 - 16 * (double)c->shown);
    double height = (frame.box.bottom - frame.box.top) / (double)c->shown;
    if (canvas_is_term(&plot->canvas)) height = 16;
    frame_axes(plot, &frame);
    canvas_segment(&plot->canvas, (struct point){frame_x(&frame, 0), frame.box.top},
                   (struct point){frame_x(&frame, 0), frame.box.bottom},
                   &(struct pen){.stroke = INK_PALE, .width = 1});
    for (size_t i = 0; i < c->shown; i++) draw_row(c, &frame, i, height);
    return SEPAL_OK;
}

static sepal_status coefficients_draw(struct plot *plot) {
    const struct coefficients_options *options = plot->options;
    sepal_report *report = report_new(plot->ctx, REPORT_SUMMARY);
    if (!report) return SEPAL_EMEMORY;
    struct coefficients c = {.plot = plot, .root = report->root};
    sepal_status status = summarise_model(report, plot->model);
    if (status == SEPAL_OK) status = take_weights(&c);
    if (status == SEPAL_OK) {
        take_terms(&c);
        qsort(c.rows, c.n, sizeof *c.rows, by_size);
        /* as many as have a line of their own */
        double line = canvas_line_height(&plot->canvas, TEXT_SIZE);
        size_t room = (size_t)fmax(1, (plot->canvas.height - 150) / (0.85 * line));
        if (canvas_is_term(&plot->canvas)) room = (size_t)fmax(1, plot->canvas.height / line - 9);
        c.shown = c.n < options->top ? c.n : options->top;
        if (c.shown > room) c.shown = room;
        status = c.n > 0 ? draw_coefficients(&c)
                         : fail(plot->ctx, SEPAL_EMODEL, "this model has no weights to draw");
    }
    report_free(report);
    return status;
}

const struct plot_kind plot_coefficients = {
    .name = "coefficients",
    .summary = "the weights of a model, the largest first, with intervals where it has them",
    .needs = NEEDS_MODEL,
    .parameters = coefficients_parameters,
    .options_size = sizeof(struct coefficients_options),
    .draw = coefficients_draw,
};
