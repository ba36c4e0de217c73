/* Scores of training and of held-out rows, with a standard error to both sides: over the values of a
   parameter (`sepal tune --over`, `sepal curve --over`), or over the number of rows learnt from (`sepal curve`). */
#include "plot/plot.h"

#include <stdio.h>
#include <string.h>

enum { COMBINATIONS = 8, CATEGORIES = 64 };

/* Points with the same values of all parameters but the first. */
struct combination {
    const char *label;
    double *x, *valid, *train, *error;
    size_t n;
};

struct scores {
    struct plot *plot;
    const char *x_name, *metric;
    const char *category[CATEGORIES]; /* of values that are words */
    size_t n_categories, n, most;
    struct combination of[COMBINATIONS];
    double chosen_x, chosen_y;
    bool log, deviations; /* lines to both sides are standard deviations */
};

/* A number, or the place of a word among those before it. */
static double value_of(struct scores *s, const struct tree *value) {
    if (value && value->kind == TREE_NUMBER) return value->number;
    if (value && value->kind == TREE_BOOL) return value->truth;
    if (!value || value->kind != TREE_TEXT) return NAN;
    for (size_t i = 0; i < s->n_categories; i++)
        if (strcmp(s->category[i], value->text.bytes) == 0) return (double)i;
    if (s->n_categories == CATEGORIES) return NAN;
    s->category[s->n_categories] = value->text.bytes;
    return (double)s->n_categories++;
}

/* "eta 0.1, batch 8": the values of a point but the first. */
static const char *rest_of(struct scores *s, const struct tree *values) {
    sepal_ctx *ctx = s->plot->ctx;
    struct text label = {0};
    char number[TICK_BYTES];
    text_puts(ctx, &label, "held-out rows");
    const char *between = ", ";
    for (const struct tree *v = values && values->first ? values->first->next : NULL; v;
         v = v->next) {
        number_label(number, v->kind == TREE_NUMBER ? v->number : NAN, 3);
        text_printf(ctx, &label, "%s%s %s", between, v->key,
                    v->kind == TREE_TEXT ? v->text.bytes : number);
    }
    const char *copy =
        label.failed ? NULL : arena_text(ctx, &s->plot->arena, label.bytes, label.length);
    text_clear(&label);
    return copy;
}

static sepal_status find_combination(struct combination **out, struct scores *s,
                                     const char *label) {
    *out = NULL;
    if (!label) return SEPAL_EMEMORY;
    for (size_t i = 0; i < s->n; i++)
        if (strcmp(s->of[i].label, label) == 0) *out = &s->of[i];
    if (*out || s->n == COMBINATIONS) return SEPAL_OK;
    *out = &s->of[s->n++];
    (*out)->label = label;
    return ARENA_VECTORS(s->plot->ctx, &s->plot->arena, s->most, &(*out)->x, &(*out)->valid,
                         &(*out)->train, &(*out)->error);
}

static sepal_status take_scores(struct scores *s, const struct tree *points, double chosen) {
    s->chosen_x = s->chosen_y = NAN;
    s->most = points->count;
    size_t at = 0;
    for (const struct tree *point = points->first; point; point = point->next, at++) {
        const struct tree *values = tree_find(point, "values"), *x = tree_find(point, "x");
        const struct tree *train = tree_find(point, "train"), *valid = tree_find(point, "valid");
        if (values && values->first) x = values->first;
        struct combination *c;
        TRY(find_combination(&c, s, rest_of(s, values)));
        if (!c) {
            s->plot->legend_left_out += at + 1 == points->count;
            continue;
        }
        double error = valid ? tree_value(valid, "standard_error") : NAN;
        if (isnan(error) && valid) {
            error = tree_value(valid, "std");
            s->deviations = s->deviations || isfinite(error);
        }
        c->x[c->n] = value_of(s, x);
        c->train[c->n] = train ? tree_value(train, "mean") : NAN;
        c->valid[c->n] = valid ? tree_value(valid, "mean") : NAN;
        c->error[c->n] = error;
        if ((double)at == chosen) {
            s->chosen_x = c->x[c->n];
            s->chosen_y = c->valid[c->n];
        }
        c->n++;
    }
    return SEPAL_OK;
}

/* What the lines are: reports without standard errors have their standard deviations drawn. */
static void tell_lines(const struct scores *s) {
    page_note(s->plot, s->deviations ? "Lines to both sides: a standard deviation over the folds."
                                     : "Lines to both sides: a standard error over the folds.");
}

/* ---- Drawing ----------------------------------------------------------------------------------- */

static void draw_band(struct plot *plot, const struct frame *frame, const struct combination *c,
                      size_t k) {
    if (canvas_is_term(&plot->canvas)) return;
    for (size_t i = 0; i < c->n; i++) {
        double error = isfinite(c->error[i]) ? c->error[i] : 0, x = frame_x(frame, c->x[i]);
        double high = frame_y(frame, c->valid[i] + error),
               low = frame_y(frame, c->valid[i] - error);
        if (!(error > 0) || !isfinite(x + high + low)) continue;
        canvas_move(&plot->canvas, x, low);
        canvas_line(&plot->canvas, x, high);
    }
    canvas_draw(&plot->canvas, &(struct pen){.stroke = series_ink(k), .width = 1.5, .alpha = 0.5});
}

static void draw_dots(struct plot *plot, const struct frame *frame, const double *x,
                      const double *y, size_t n, size_t k) {
    for (size_t i = 0; i < n; i++) {
        struct point at = frame_point(frame, x[i], y[i]);
        if (isfinite(at.x) && isfinite(at.y))
            canvas_marker(&plot->canvas, at, series_shape(k), 4,
                          &(struct pen){.stroke = INK_PAPER, .fill = series_ink(k), .width = 1});
    }
}

static void name_categories(const struct scores *s, const struct frame *frame) {
    struct plot *plot = s->plot;
    double room = (frame->box.right - frame->box.left) / (double)s->n_categories - 4;
    double line = canvas_line_height(&plot->canvas, TEXT_SIZE);
    char fitted[NOTE_BYTES];
    for (size_t i = 0; i < s->n_categories; i++) {
        canvas_fit_text(&plot->canvas, fitted, sizeof fitted, s->category[i], TEXT_SIZE, room);
        plot_text(plot, frame_x(frame, (double)i), frame->box.bottom + line, ANCHOR_MIDDLE,
                  INK_PALE, "%s", fitted);
    }
}

/* Degrees and rows: between two of them there is nothing. */
static bool scores_are_whole(const struct scores *s) {
    for (size_t k = 0; k < s->n; k++)
        for (size_t i = 0; i < s->of[k].n; i++)
            if (isfinite(s->of[k].x[i]) && s->of[k].x[i] != floor(s->of[k].x[i])) return false;
    return true;
}

static struct axis scores_axis(const struct scores *s) {
    double low = INFINITY, high = -INFINITY;
    for (size_t k = 0; k < s->n; k++)
        for (size_t i = 0; i < s->of[k].n; i++) axis_reach(&low, &high, s->of[k].x[i]);
    if (s->n_categories > 0)
        return (struct axis){
            .low = -0.5, .high = (double)s->n_categories - 0.5, .plain = true, .label = s->x_name};
    if (low > 0 && (s->log || high > 30 * low))
        return (struct axis){.low = low / pow(high / low + 1, 0.04),
                             .high = high * pow(high / low + 1, 0.04),
                             .log = true,
                             .label = s->x_name};
    struct axis axis = axis_around(low, high, s->x_name);
    axis.whole = scores_are_whole(s) && high > low;
    return axis;
}

static sepal_status draw_scores(struct scores *s) {
    struct plot *plot = s->plot;
    double low = INFINITY, high = -INFINITY;
    bool train = s->n == 1;
    for (size_t k = 0; k < s->n; k++)
        for (size_t i = 0; i < s->of[k].n; i++) {
            const struct combination *c = &s->of[k];
            double error = isfinite(c->error[i]) ? c->error[i] : 0;
            axis_reach(&low, &high, c->valid[i] - error);
            axis_reach(&low, &high, c->valid[i] + error);
            if (train) axis_reach(&low, &high, c->train[i]);
        }
    if (!(high >= low)) return fail(plot->ctx, SEPAL_EDATA, "the report has no scores to draw");
    for (size_t k = 0; k < s->n; k++) page_legend_series(plot, s->of[k].label, k);
    if (train) page_legend_series(plot, "training rows", 1);
    if (isfinite(s->chosen_x)) page_legend(plot, "chosen", LEGEND_RING, INK_TEXT, SHAPE_CIRCLE);
    struct axis x = scores_axis(s), y = axis_around(low, high, s->metric);
    struct pane room = page_draw(plot);
    if (s->n_categories > 0) room.bottom -= canvas_line_height(&plot->canvas, TEXT_SIZE);
    struct frame frame = frame_in(plot, room, &x, &y);
    frame_grid(plot, &frame);
    for (size_t k = 0; k < s->n; k++) {
        const struct combination *c = &s->of[k];
        draw_band(plot, &frame, c, k);
        frame_curve(plot, &frame, c->x, c->valid, c->n,
                    &(struct pen){.stroke = series_ink(k), .width = 2});
        draw_dots(plot, &frame, c->x, c->valid, c->n, k);
        if (!train) continue;
        frame_curve(plot, &frame, c->x, c->train, c->n,
                    &(struct pen){.stroke = series_ink(1), .width = 2});
        draw_dots(plot, &frame, c->x, c->train, c->n, 1);
    }
    if (isfinite(s->chosen_x))
        canvas_circle(&plot->canvas, frame_point(&frame, s->chosen_x, s->chosen_y), 8,
                      &(struct pen){.stroke = INK_TEXT, .width = 1.6});
    struct frame axes = frame;
    if (s->n_categories > 0) axes.x.label = NULL;
    frame_axes(plot, &axes);
    if (s->n_categories > 0) {
        name_categories(s, &frame);
        plot_text(plot, frame.box.right,
                  frame.box.bottom + 2 * canvas_line_height(&plot->canvas, TEXT_SIZE), ANCHOR_END,
                  INK_TEXT, "%s", s->x_name);
    }
    return SEPAL_OK;
}

static bool has_points(const struct tree *part) {
    const struct tree *points = part ? tree_find(part, "points") : NULL;
    return points && points->kind == TREE_ARRAY && points->count > 0;
}

static sepal_status tuning_draw(struct plot *plot) {
    const struct tree *tuning = tree_find(plot->report, "tuning");
    struct scores s = {.plot = plot};
    if (!has_points(tuning))
        return fail(plot->ctx, SEPAL_EDATA,
                    "the report has no grid; `sepal tune DATA -m SPEC --over NAME=VALUES --json` "
                    "prints one (a path is drawn by `sepal plot path`)");
    const struct tree *chosen = tree_find(tuning, "chosen"), *points = tree_find(tuning, "points");
    const struct tree *values = tree_find(points->first, "values");
    s.metric = tree_word(tuning, "metric", "score");
    s.x_name = values && values->first ? values->first->key : "point";
    const struct tree *first = tree_find(tuning, "parameters");
    if (first && first->first) {
        const struct tree *log = tree_find(first->first, "log");
        s.log = log && log->kind == TREE_BOOL && log->truth;
    }
    page_title(plot, "Tuning");
    const char *spec = tree_word(plot->report, "spec", "");
    page_subtitle(plot, "%s", chosen ? tree_word(chosen, "spec", spec) : spec);
    TRY(take_scores(&s, points, chosen ? tree_value(chosen, "index") : NAN));
    tell_lines(&s);
    return draw_scores(&s);
}

static sepal_status learning_draw(struct plot *plot) {
    const struct tree *curve = tree_find(plot->report, "curve");
    struct scores s = {.plot = plot};
    if (!has_points(curve))
        return fail(plot->ctx, SEPAL_EDATA,
                    "the report has no curve; `sepal curve DATA -m SPEC --json` prints one");
    const struct tree *log = tree_find(curve, "log");
    bool rows = strcmp(tree_word(curve, "kind", "learning"), "learning") == 0;
    s.log = log && log->kind == TREE_BOOL && log->truth;
    s.metric = tree_word(curve, "metric", "score");
    s.x_name = rows ? "rows learnt from" : tree_word(curve, "x_name", "value");
    page_title(plot, rows ? "Learning curve" : "Validation curve");
    page_subtitle(plot, "%s", tree_word(plot->report, "spec", ""));
    TRY(take_scores(&s, tree_find(curve, "points"), NAN));
    tell_lines(&s);
    return draw_scores(&s);
}

const struct plot_kind plot_tuning = {
    .name = "tuning",
    .summary = "the scores of a grid of parameters on training and held-out rows",
    .needs = NEEDS_REPORT,
    .parameters = plot_common_parameters,
    .options_size = sizeof(struct plot_common),
    .draw = tuning_draw,
    .from = "`sepal tune DATA -m SPEC --over NAME=VALUES --json`",
};
const struct plot_kind plot_learning = {
    .name = "learning",
    .summary = "scores on training and held-out rows over the rows learnt from, or a parameter",
    .needs = NEEDS_REPORT,
    .parameters = plot_common_parameters,
    .options_size = sizeof(struct plot_common),
    .draw = learning_draw,
    .from = "`sepal curve DATA -m SPEC --json`",
};
