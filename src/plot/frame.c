/* Axes. The label of the y axis lies above it, where it can be read without turning the head. */
#include "plot/plot.h"

#include <stdarg.h>
#include <stdio.h>

void axis_reach(double *low, double *high, double value) {
    if (!isfinite(value)) return;
    if (value < *low) *low = value;
    if (value > *high) *high = value;
}

struct axis axis_around(double low, double high, const char *label) {
    const double share = 0.06;
    if (!(high >= low)) low = high = 0; /* no number at all */
    double room = share * (high - low);
    if (high - low <= 1e-12 * fmax(fabs(low), fabs(high))) room = fmax(0.5, 0.05 * fabs(low));
    return (struct axis){.low = low - room, .high = high + room, .label = label};
}

static void ticks_of(struct ticks *out, const struct axis *axis) {
    *out = (struct ticks){0};
    if (axis->plain) return;
    if (axis->log)
        ticks_log(out, axis->low, axis->high);
    else
        ticks_linear(out, axis->low, axis->high);
    size_t kept = 0;
    for (size_t i = 0; axis->whole && i < out->n; i++) {
        if (fabs(out->at[i] - round(out->at[i])) > 1e-9) continue;
        out->at[kept] = round(out->at[i]);
        number_label(out->label[kept], out->at[kept], 9);
        kept++;
    }
    if (axis->whole) out->n = kept;
}

static double place(const struct axis *axis, double value) {
    if (axis->log) return (log(value) - log(axis->low)) / (log(axis->high) - log(axis->low));
    return (value - axis->low) / (axis->high - axis->low);
}

double frame_x(const struct frame *frame, double x) {
    return frame->box.left + place(&frame->x, x) * (frame->box.right - frame->box.left);
}

double frame_y(const struct frame *frame, double y) {
    return frame->box.bottom - place(&frame->y, y) * (frame->box.bottom - frame->box.top);
}

struct point frame_point(const struct frame *frame, double x, double y) {
    return (struct point){frame_x(frame, x), frame_y(frame, y)};
}

static double widest_label(const struct plot *plot, const struct ticks *ticks) {
    double widest = 0;
    for (size_t i = 0; i < ticks->n; i++)
        widest = fmax(widest, canvas_text_width(&plot->canvas, ticks->label[i], TEXT_SIZE));
    return widest;
}

struct frame frame_in(struct plot *plot, struct pane box, const struct axis *x,
                      const struct axis *y) {
    bool term = canvas_is_term(&plot->canvas);
    double line = canvas_line_height(&plot->canvas, TEXT_SIZE);
    struct ticks ticks;
    struct frame frame = {.box = box, .x = *x, .y = *y};
    ticks_of(&ticks, y);
    double labels = widest_label(plot, &ticks);
    frame.box.left += labels > 0 ? labels + 8 : 2;
    ticks_of(&ticks, x);
    frame.box.right -= fmin(24, widest_label(plot, &ticks) / 2);
    if (y->label) frame.box.top += line + (term ? 0 : 2);
    if (!x->plain) frame.box.bottom -= line + (term ? 0 : 4);
    if (x->label) frame.box.bottom -= line;
    if (term) {
        /* axes lie in the middle of cells */
        frame.box.left = floor(frame.box.left / 8) * 8 + 4;
        frame.box.bottom = floor(frame.box.bottom / 16) * 16 - 4;
    }
    frame.box.bottom = fmax(frame.box.bottom, frame.box.top + 10);
    frame.box.right = fmax(frame.box.right, frame.box.left + 10);
    return frame;
}

void frame_grid(struct plot *plot, const struct frame *frame) {
    const struct pen grid = {.stroke = INK_GRID, .width = 1};
    struct ticks ticks;
    ticks_of(&ticks, &frame->x);
    for (size_t i = 0; i < ticks.n; i++) {
        double x = frame_x(frame, ticks.at[i]);
        canvas_segment(&plot->canvas, (struct point){x, frame->box.top},
                       (struct point){x, frame->box.bottom}, &grid);
    }
    ticks_of(&ticks, &frame->y);
    for (size_t i = 0; i < ticks.n; i++) {
        double y = frame_y(frame, ticks.at[i]);
        canvas_segment(&plot->canvas, (struct point){frame->box.left, y},
                       (struct point){frame->box.right, y}, &grid);
    }
}

/* Of labels that would touch only each second, third, ... is shown. */
static size_t label_every(const struct plot *plot, const struct ticks *ticks,
                          const struct frame *frame) {
    if (ticks->n < 2) return 1;
    double room = (frame->box.right - frame->box.left) / (double)(ticks->n - 1);
    for (size_t i = 0; i + 1 < ticks->n; i++)
        room = fmin(room, frame_x(frame, ticks->at[i + 1]) - frame_x(frame, ticks->at[i]));
    return (size_t)fmax(1, ceil((widest_label(plot, ticks) + 8) / room));
}

static void axis_labels(struct plot *plot, const struct frame *frame) {
    bool term = canvas_is_term(&plot->canvas);
    double line = canvas_line_height(&plot->canvas, TEXT_SIZE);
    double room = frame->box.right - frame->box.left;
    char fitted[NOTE_BYTES];
    if (frame->y.label) {
        canvas_fit_text(&plot->canvas, fitted, sizeof fitted, frame->y.label, TEXT_SIZE, room);
        plot_text(plot, frame->box.left, frame->box.top - (term ? 4 : 7), ANCHOR_START, INK_TEXT,
                  "%s", fitted);
    }
    if (frame->x.label) { /* below the labels of the ticks there is nothing to the left */
        canvas_fit_text(&plot->canvas, fitted, sizeof fitted, frame->x.label, TEXT_SIZE,
                        fmin(room + 40, frame->box.right - 4));
        plot_text(plot, frame->box.right,
                  frame->box.bottom + (frame->x.plain ? 0 : line) + line + (term ? 0 : 2),
                  ANCHOR_END, INK_TEXT, "%s", fitted);
    }
}

void frame_axes(struct plot *plot, const struct frame *frame) {
    const struct pen axis = {.stroke = INK_PALE, .width = 1};
    bool term = canvas_is_term(&plot->canvas);
    double line = canvas_line_height(&plot->canvas, TEXT_SIZE), tick = term ? 0 : 4;
    struct ticks ticks;
    canvas_segment(&plot->canvas, (struct point){frame->box.left, frame->box.bottom},
                   (struct point){frame->box.right, frame->box.bottom}, &axis);
    ticks_of(&ticks, &frame->x);
    size_t every = label_every(plot, &ticks, frame);
    for (size_t i = 0; i < ticks.n; i++) {
        double x = frame_x(frame, ticks.at[i]);
        if (!term)
            canvas_segment(&plot->canvas, (struct point){x, frame->box.bottom},
                           (struct point){x, frame->box.bottom + tick}, &axis);
        if (i % every == 0)
            plot_text(plot, x, frame->box.bottom + tick + line - (term ? 0 : 3), ANCHOR_MIDDLE,
                      INK_PALE, "%s", ticks.label[i]);
    }
    ticks_of(&ticks, &frame->y);
    if (ticks.n > 0)
        canvas_segment(&plot->canvas, (struct point){frame->box.left, frame->box.top},
                       (struct point){frame->box.left, frame->box.bottom}, &axis);
    double last = INFINITY;
    for (size_t i = 0; i < ticks.n; i++) {
        double y = frame_y(frame, ticks.at[i]);
        if (last - y < line * 0.95) continue; /* labels would touch */
        last = y;
        if (!term)
            canvas_segment(&plot->canvas, (struct point){frame->box.left - tick, y},
                           (struct point){frame->box.left, y}, &axis);
        plot_text(plot, frame->box.left - tick - (term ? 4 : 3), y + 4, ANCHOR_END, INK_PALE, "%s",
                  ticks.label[i]);
    }
    axis_labels(plot, frame);
}

void frame_clip(struct plot *plot, const struct frame *frame) {
    canvas_clip(&plot->canvas, frame->box.left, frame->box.top, frame->box.right - frame->box.left,
                frame->box.bottom - frame->box.top);
}

void frame_curve(struct plot *plot, const struct frame *frame, const double *x, const double *y,
                 size_t n, const struct pen *pen) {
    struct pencil pencil = {.canvas = &plot->canvas};
    struct point last = {NAN, NAN};
    for (size_t i = 0; i < n; i++) {
        struct point at = frame_point(frame, x[i], y[i]);
        bool finite = isfinite(at.x) && isfinite(at.y);
        if (finite && isfinite(last.x))
            pencil_go(&pencil, last, at);
        else
            pencil_lift(&pencil);
        last = finite ? at : (struct point){NAN, NAN};
    }
    pencil_lift(&pencil);
    canvas_draw(&plot->canvas, pen);
}

void frame_series(struct plot *plot, const struct frame *frame, const double *x, const double *y,
                  size_t n, size_t k) {
    enum { MARKERS = 7 };
    frame_curve(plot, frame, x, y, n, &(struct pen){.stroke = series_ink(k), .width = 2});
    /* those of the next series in other places, so that curves that coincide are seen as two */
    double from = frame->box.left, width = (frame->box.right - from) / MARKERS;
    double next = from + width * (0.3 + 0.17 * (double)(k % 5));
    for (size_t i = 0; i < n; i++) {
        struct point at = frame_point(frame, x[i], y[i]);
        if (!isfinite(at.x) || !isfinite(at.y) || at.x < next || at.y < frame->box.top - 1)
            continue;
        canvas_marker(&plot->canvas, at, series_shape(k), 4,
                      &(struct pen){.stroke = INK_PAPER, .fill = series_ink(k), .width = 1});
        while (next <= at.x) next += width;
    }
}
