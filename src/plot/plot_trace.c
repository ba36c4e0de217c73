/* A perceptron or sgd as a film strip: steps, each with the boundary before and after it, the weight vector of both,
   and the example that turned it; and Novikoff's bound on the updates beside their number. */
#include "plot/plane.h"
#include "plot/trace.h"

#include <stdio.h>
#include <string.h>

sepal_status trace_lines(const struct tree **out, struct plot *plot) {
    *out = tree_find(plot->report, "lines");
    if (*out && (*out)->kind == TREE_ARRAY && (*out)->count > 0) return SEPAL_OK;
    return fail(plot->ctx, SEPAL_EDATA,
                "the report is no trace; `sepal train DATA -m perceptron --trace FILE` writes one "
                "(perceptrons do, and --solver sgd)");
}

struct trace_options {
    struct plot_common common;
    const char *x, *y;
    size_t frames;
};

static const struct parameter trace_parameters[] = {
    PLOT_COMMON,
    {"x", PARAMETER_TEXT, offsetof(struct trace_options, x), NULL, "",
     "the column across, by name or number; unless given, of more than two, Fisher's first axis"},
    {"y", PARAMETER_TEXT, offsetof(struct trace_options, y), NULL, "", "likewise, upwards"},
    {"frames", PARAMETER_COUNT, offsetof(struct trace_options, frames), "6", "[1, 12]",
     "steps to show, from the first to the last"},
    {0},
};

enum { ROWS_MOST = 1000000, DRAWN_MOST = 400 };

/* ---- Steps ----------------------------------------------------------------------------------- */

static sepal_status take_steps(struct trace *t) {
    struct plot *plot = t->plot;
    const struct tree *lines;
    TRY(trace_lines(&lines, plot));
    t->steps = arena_alloc(plot->ctx, &plot->arena, lines->count, sizeof *t->steps);
    if (!t->steps) return SEPAL_EMEMORY;
    for (const struct tree *line = lines->first; line; line = line->next) {
        const struct tree *weights = line->kind == TREE_OBJECT ? tree_find(line, "weights") : NULL;
        if (!weights) continue;
        if (weights->kind != TREE_ARRAY || weights->count != 1 ||
            weights->first->kind != TREE_ARRAY || tree_find(lines->first, "problem"))
            return fail(plot->ctx, SEPAL_EDATA,
                        "the trace is of more than two classes, and a film strip has one boundary; "
                        "`sepal plot convergence` draws it");
        if (weights->first->count != t->plane.cols)
            return fail(plot->ctx, SEPAL_EDATA,
                        "the trace has %zu weights and the data %zu columns: it is of other data, "
                        "or of maps, whose weights are of other columns",
                        weights->first->count, t->plane.cols);
        t->steps[t->n++] = line;
    }
    if (t->n > 0) return SEPAL_OK;
    return fail(plot->ctx, SEPAL_EDATA,
                "the trace has no weights: it has them of up to 16 columns; choose some with "
                "`sepal train --only COL,...`");
}

/* The boundary in the plane: a + b u + c v = 0. */
struct boundary {
    double a, b, c;
};

static struct boundary boundary_of(const struct trace *t, const struct tree *step) {
    if (!step) return (struct boundary){0, 0, 0};
    return (struct boundary){trace_product(step, t->plane.centre) + trace_bias(step),
                             trace_product(step, t->plane.lift[0]),
                             trace_product(step, t->plane.lift[1])};
}

/* ---- One frame ------------------------------------------------------------------------------- */

/* False: it passes beside the frame. */
static bool draw_boundary(struct plot *plot, const struct frame *frame, struct boundary at,
                          const struct pen *pen) {
    struct point ends[4];
    size_t n = 0;
    const double xs[2] = {frame->x.low, frame->x.high}, ys[2] = {frame->y.low, frame->y.high};
    for (size_t i = 0; i < 2; i++) {
        double y = -(at.a + at.b * xs[i]) / at.c, x = -(at.a + at.c * ys[i]) / at.b;
        if (y >= ys[0] && y <= ys[1]) ends[n++] = (struct point){xs[i], y};
        if (x > xs[0] && x < xs[1]) ends[n++] = (struct point){x, ys[i]};
    }
    if (n < 2) return false;
    struct point from = frame_point(frame, ends[0].x, ends[0].y);
    struct point to = frame_point(frame, ends[1].x, ends[1].y);
    canvas_segment(&plot->canvas, from, to, pen);
    /* the weight vector: from the middle of the line to the side of high scores */
    struct point middle = {(from.x + to.x) / 2, (from.y + to.y) / 2};
    double across = (frame->box.right - frame->box.left) / (xs[1] - xs[0]);
    double up = (frame->box.bottom - frame->box.top) / (ys[1] - ys[0]);
    double dx = at.b / across, dy = -at.c / up, length = hypot(dx, dy), far = 26;
    if (!(length > 0) || canvas_is_term(&plot->canvas)) return true;
    struct point tip = {middle.x + far * dx / length, middle.y + far * dy / length};
    struct pen arrow = *pen;
    arrow.dashed = false;
    canvas_move(&plot->canvas, middle.x, middle.y);
    canvas_line(&plot->canvas, tip.x, tip.y);
    for (int side = -1; side <= 1; side += 2) {
        double turn = atan2(dy, dx) + side * 2.6;
        canvas_move(&plot->canvas, tip.x, tip.y);
        canvas_line(&plot->canvas, tip.x + 7 * cos(turn), tip.y + 7 * sin(turn));
    }
    canvas_draw(&plot->canvas, &arrow);
    return true;
}

/* The part of the frame where scores have that sign, in the colour of its class. */
static void fill_side(struct plot *plot, const struct frame *frame, struct boundary at, int side) {
    const double xs[4] = {frame->x.low, frame->x.high, frame->x.high, frame->x.low};
    const double ys[4] = {frame->y.low, frame->y.low, frame->y.high, frame->y.high};
    double score[4];
    bool begun = false;
    for (size_t i = 0; i < 4; i++) score[i] = side * (at.a + at.b * xs[i] + at.c * ys[i]);
    for (size_t i = 0; i < 4; i++) {
        size_t next = (i + 1) % 4;
        double part = score[i] / (score[i] - score[next]);
        bool crosses = (score[i] > 0) != (score[next] > 0);
        const struct point corner = frame_point(frame, xs[i], ys[i]);
        const struct point cut = frame_point(frame, xs[i] + part * (xs[next] - xs[i]),
                                             ys[i] + part * (ys[next] - ys[i]));
        const struct point points[2] = {corner, cut};
        for (size_t k = 0; k < 2; k++) {
            if (k == 0 ? !(score[i] > 0) : !crosses) continue;
            (begun ? canvas_line : canvas_move)(&plot->canvas, points[k].x, points[k].y);
            begun = true;
        }
    }
    if (!begun) return;
    canvas_close(&plot->canvas);
    canvas_draw(&plot->canvas, &(struct pen){.fill = series_ink(side > 0), .fill_alpha = 0.13});
}

static void draw_points(const struct trace *t, const struct frame *frame, double example) {
    struct canvas *canvas = &t->plot->canvas;
    size_t step = t->rows.n / DRAWN_MOST + 1;
    for (size_t i = 0; i < t->rows.n; i += step) {
        size_t k = (size_t)t->rows.rows.label[i];
        canvas_marker(canvas, frame_point(frame, t->plane.points[i].x, t->plane.points[i].y),
                      series_shape(k), 2, &(struct pen){.fill = series_ink(k), .fill_alpha = 0.75});
    }
    if (!(example >= 0)) return;
    size_t row = matrix_find_number(&t->rows.prepared.rows.matrix, (size_t)example);
    if (row >= t->rows.n) return;
    size_t k = (size_t)t->rows.rows.label[row];
    struct point at = frame_point(frame, t->plane.points[row].x, t->plane.points[row].y);
    canvas_circle(canvas, at, 7, &(struct pen){.stroke = INK_TEXT, .width = 1.8});
    canvas_marker(canvas, at, series_shape(k), 4,
                  &(struct pen){.fill = canvas_is_term(canvas) ? INK_NONE : series_ink(k)});
}

static void put_vector(char *out, size_t room, const struct tree *step) {
    enum { SHOWN = 2 };
    size_t length = 0, j = 0;
    char number[TICK_BYTES];
    *out = '\0';
    if (!step) {
        (void)snprintf(out, room, "0");
        return;
    }
    for (const struct tree *w = tree_find(step, "weights")->first->first; w && j < SHOWN;
         w = w->next, j++) {
        number_label(number, w->kind == TREE_NUMBER ? w->number : NAN, 3);
        length += (size_t)snprintf(out + length, room - length, "%s%s", j > 0 ? ", " : "", number);
        if (w->next && j + 1 == SHOWN)
            (void)snprintf(out + length, room - length, ", \xE2\x80\xA6");
    }
}

static void tell_step(struct plot *plot, const struct pane *pane, const struct tree *before,
                      const struct tree *step) {
    double line = canvas_line_height(&plot->canvas, TEXT_SIZE), y = pane->top + line - 5;
    double update = tree_value(step, "update"), width = pane->right - pane->left;
    char text[NOTE_BYTES], fitted[NOTE_BYTES], old[96], new[96], a[TICK_BYTES], b[TICK_BYTES];
    bool scored = isfinite(tree_value(step, "score_before"));
    const double numbers[2] = {scored ? tree_value(step, "score_before") : NAN,
                               scored ? tree_value(step, "score_after")
                                      : tree_value(step, "objective")};
    number_label(a, numbers[0], 3);
    number_label(b, numbers[1], 3);
    if (scored)
        (void)snprintf(text, sizeof text, "update %.0f: s %s \xE2\x86\x92 %s", update, a, b);
    else if (isfinite(update))
        (void)snprintf(text, sizeof text, "update %.0f", update);
    else
        (void)snprintf(text, sizeof text, "epoch %.0f: objective %s", tree_value(step, "epoch"), b);
    canvas_fit_text(&plot->canvas, fitted, sizeof fitted, text, TEXT_SIZE, width);
    plot_text(plot, pane->left, y, ANCHOR_START, INK_TEXT, "%s", fitted);
    put_vector(old, sizeof old, before);
    put_vector(new, sizeof new, step);
    (void)snprintf(text, sizeof text, "w %s \xE2\x86\x92 %s", old, new);
    canvas_fit_text(&plot->canvas, fitted, sizeof fitted, text, TEXT_SIZE, width);
    plot_text(plot, pane->left, y + line, ANCHOR_START, INK_PALE, "%s", fitted);
}

/* Then all that is seen is of one class. */
static void tell_out_of_sight(const struct trace *t, const struct frame *frame,
                              struct boundary at) {
    struct plot *plot = t->plot;
    double score = at.a + at.b * frame->x.low + at.c * frame->y.low; /* of a corner as of all */
    char words[NOTE_BYTES], fitted[NOTE_BYTES];
    (void)snprintf(words, sizeof words, "all as %s", sampled_label(&t->rows, score > 0));
    canvas_fit_text(&plot->canvas, fitted, sizeof fitted, words, TEXT_SIZE,
                    frame->box.right - frame->box.left - 10);
    double width = canvas_text_width(&plot->canvas, fitted, TEXT_SIZE) + 6;
    double line = canvas_line_height(&plot->canvas, TEXT_SIZE);
    double right = frame->box.right - 4, y = frame->box.bottom - 4;
    if (!canvas_is_term(&plot->canvas))
        canvas_rectangle(&plot->canvas, right - width, y - line, width, line,
                         &(struct pen){.fill = INK_PAPER, .fill_alpha = 0.85});
    plot_text(plot, right - 3, y - 4, ANCHOR_END, INK_PALE, "%s", fitted);
}

static void draw_step(const struct trace *t, struct pane pane, size_t i) {
    struct plot *plot = t->plot;
    const struct tree *step = t->steps[i], *before = i > 0 ? t->steps[i - 1] : NULL;
    double line = canvas_line_height(&plot->canvas, TEXT_SIZE);
    tell_step(plot, &pane, before, step);
    struct frame frame = {.box = pane, .x = t->x, .y = t->y};
    frame.box.top += 2 * line + 2;
    struct boundary after = boundary_of(t, step);
    frame_clip(plot, &frame);
    for (int side = -1; side <= 1 && !canvas_is_term(&plot->canvas); side += 2)
        fill_side(plot, &frame, after, side);
    draw_points(t, &frame, tree_value(step, "example"));
    if (before)
        (void)draw_boundary(plot, &frame, boundary_of(t, before),
                            &(struct pen){.stroke = INK_PALE, .width = 1.3, .dashed = true});
    bool seen = draw_boundary(plot, &frame, after, &(struct pen){.stroke = INK_TEXT, .width = 1.8});
    canvas_unclip(&plot->canvas);
    if (!seen) tell_out_of_sight(t, &frame, after);
    canvas_rectangle(&plot->canvas, frame.box.left, frame.box.top, frame.box.right - frame.box.left,
                     frame.box.bottom - frame.box.top,
                     &(struct pen){.stroke = INK_GRID, .width = 1});
}

/* ---- All ------------------------------------------------------------------------------------- */

/* Frame f of so many: more of the beginning, where it turns most. */
static size_t step_of(const struct trace *t, size_t f, size_t frames) {
    double share = frames > 1 ? (double)f / (double)(frames - 1) : 1;
    size_t step = (size_t)llround(pow((double)t->n, share)) - 1;
    if (step < f) step = f;
    return step < t->n ? step : t->n - 1;
}

/* Axes around the rows, and farther where a boundary of the strip then comes into sight, but not so far that the
   rows would be small. */
static void set_axes(struct trace *t, size_t frames) {
    enum { FAR = 2 }; /* half widths of the rows */
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    for (size_t i = 0; i < t->rows.n; i++) {
        axis_reach(&low[0], &high[0], t->plane.points[i].x);
        axis_reach(&low[1], &high[1], t->plane.points[i].y);
    }
    struct axis x = axis_around(low[0], high[0], NULL), y = axis_around(low[1], high[1], NULL);
    const double centre[2] = {(x.low + x.high) / 2, (y.low + y.high) / 2};
    const double half[2] = {(x.high - x.low) / 2, (y.high - y.low) / 2};
    for (size_t f = 0; f < frames; f++) {
        struct boundary at = boundary_of(t, t->steps[step_of(t, f, frames)]);
        double a = at.a + at.b * centre[0] + at.c * centre[1], b = at.b * half[0],
               c = at.c * half[1];
        double square = b * b + c * c, away = fabs(a) / sqrt(square);
        if (!(away <= FAR)) continue;
        /* its nearest point to the middle */
        axis_reach(&low[0], &high[0], centre[0] - half[0] * a * b / square);
        axis_reach(&low[1], &high[1], centre[1] - half[1] * a * c / square);
    }
    t->x = axis_around(low[0], high[0], NULL);
    t->y = axis_around(low[1], high[1], NULL);
}

static sepal_status draw_strip(struct trace *t, size_t wanted) {
    struct plot *plot = t->plot;
    size_t frames = t->n < wanted ? t->n : wanted, columns = frames < 3 ? frames : (frames + 1) / 2;
    if (frames == 3) columns = frames;
    if (plot->canvas.width < 500 && columns > 2) columns = 2;
    if (canvas_is_term(&plot->canvas)) columns = frames = frames < 3 ? frames : 3;
    size_t rows = (frames + columns - 1) / columns,
           fit = (size_t)fmax(1, (plot->canvas.height - 160) / 80);
    if (rows > fit) frames = (rows = fit) * columns; /* lower ones would show nothing */
    page_title(plot, "Trace");
    page_subtitle(
        plot, "Dashed: before the step; solid: after it; arrow: the weight vector; ringed: the row "
              "that turned it.");
    for (size_t k = 0; k < 2; k++) page_legend_series(plot, sampled_label(&t->rows, k), k);
    page_note(plot, "Across: %s; upwards: %s.", t->plane.name[0], t->plane.name[1]);
    TRY(trace_check_rows(t));
    TRY(trace_tell_bound(t));
    set_axes(t, frames);
    struct pane room = page_draw(plot);
    for (size_t f = 0; f < frames; f++) {
        struct pane pane = pane_row(room, f / columns, rows, 10);
        draw_step(t, pane_column(pane, f % columns, columns, 14), step_of(t, f, frames));
    }
    return SEPAL_OK;
}

static sepal_status draw_trace(struct trace *t) {
    const struct trace_options *options = t->plot->options;
    if (t->plot->data->schema->n_classes != 2)
        return fail(t->plot->ctx, SEPAL_EDATA,
                    "the data has %zu classes, and a film strip is of two",
                    t->plot->data->schema->n_classes);
    TRY(plane_make(&t->plane, t->plot, &t->rows, options->x, options->y));
    TRY(take_steps(t));
    return draw_strip(t, options->frames);
}

static sepal_status trace_draw(struct plot *plot) {
    struct trace t = {.plot = plot};
    sepal_status status = sample_rows(&t.rows, plot, ROWS_MOST, false);
    if (status == SEPAL_OK) status = draw_trace(&t);
    sampled_clear(&t.rows);
    return status;
}

const struct plot_kind plot_trace = {
    .name = "trace",
    .summary = "a perceptron or sgd as a film strip: the boundary turning, example by example",
    .needs = NEEDS_DATA | NEEDS_REPORT,
    .parameters = trace_parameters,
    .options_size = sizeof(struct trace_options),
    .draw = trace_draw,
    .from = "`sepal train DATA -m SPEC --trace FILE`",
};
