/* The page around a picture: title and subtitle, legend, notes. Nothing of it overlaps the picture, as it is
   laid out first and the picture has what is left. */
#include "plot/plot.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { MARGIN = 14, MARK_WIDTH = 18, LEGEND_GAP = 16, WIDEST_LABEL = 170 };

#define PRINT_LAST(out, room, format)                                                              \
    do {                                                                                           \
        va_list arguments;                                                                         \
        va_start(arguments, format);                                                               \
        (void)vsnprintf(out, room, format, arguments);                                             \
        va_end(arguments);                                                                         \
    } while (0)

void page_title(struct plot *plot, const char *format, ...) {
    PRINT_LAST(plot->title, sizeof plot->title, format);
}

void page_subtitle(struct plot *plot, const char *format, ...) {
    PRINT_LAST(plot->subtitle, sizeof plot->subtitle, format);
}

void page_note(struct plot *plot, const char *format, ...) {
    if (plot->n_notes == NOTES_MOST) return;
    PRINT_LAST(plot->notes[plot->n_notes], NOTE_BYTES, format);
    plot->n_notes++;
}

void plot_text(struct plot *plot, double x, double y, enum anchor anchor, int ink,
               const char *format, ...) {
    char text[NOTE_BYTES];
    PRINT_LAST(text, sizeof text, format);
    canvas_text(&plot->canvas, x, y, text,
                &(struct lettering){.size = TEXT_SIZE, .ink = ink, .anchor = anchor});
}

void page_legend(struct plot *plot, const char *label, enum legend_mark mark, int ink,
                 enum shape shape) {
    if (plot->n_legend == LEGEND_MOST) {
        plot->legend_left_out++;
        return;
    }
    plot->legend[plot->n_legend++] = (struct legend_row){label, mark, ink, shape};
}

void page_legend_series(struct plot *plot, const char *label, size_t k) {
    page_legend(plot, label, LEGEND_MARKER, series_ink(k), series_shape(k));
}

static void legend_mark(struct plot *plot, const struct legend_row *row, double x, double y) {
    struct canvas *canvas = &plot->canvas;
    const struct point at = {x + 6, y - 4};
    const struct pen line = {.stroke = row->ink, .width = 2, .dashed = row->mark == LEGEND_DASHED};
    switch (row->mark) {
    case LEGEND_MARKER:
        canvas_marker(canvas, at, row->shape, 4, &(struct pen){.fill = row->ink});
        break;
    case LEGEND_RING:
        canvas_circle(canvas, at, 5.5, &(struct pen){.stroke = row->ink, .width = 1.5});
        if (canvas_is_term(canvas))
            canvas_marker(canvas, at, SHAPE_CIRCLE, 4, &(struct pen){.stroke = row->ink});
        break;
    case LEGEND_AREA:
    case LEGEND_HATCH:
        canvas_rectangle(canvas, x, y - 9, 13, 10,
                         &(struct pen){.stroke = row->mark == LEGEND_HATCH ? row->ink : INK_NONE,
                                       .fill = row->mark == LEGEND_AREA ? row->ink : INK_NONE,
                                       .width = 1,
                                       .hatched = row->mark == LEGEND_HATCH});
        break;
    default: canvas_segment(canvas, (struct point){x, at.y}, (struct point){x + 14, at.y}, &line);
    }
}

/* In lines of text from left to right; what has no place in a few of them is counted. Returns how high. */
static double legend_flow(struct plot *plot, double top) {
    struct canvas *canvas = &plot->canvas;
    double line = canvas_line_height(canvas, TEXT_SIZE), x = MARGIN, y = top + line;
    double right = canvas->width - MARGIN, most = fmin(WIDEST_LABEL, right - MARGIN - MARK_WIDTH);
    char label[128], more[48];
    size_t lines = 1, i = 0, most_lines = (size_t)fmax(3, floor(0.18 * canvas->height / line));
    if (canvas_is_term(canvas)) most_lines = 3;
    if (plot->n_legend == 0) return 0;
    for (; i < plot->n_legend; i++) {
        canvas_fit_text(canvas, label, sizeof label, plot->legend[i].label, TEXT_SIZE, most);
        double width = MARK_WIDTH + canvas_text_width(canvas, label, TEXT_SIZE);
        size_t left = plot->n_legend - i - 1 + plot->legend_left_out;
        (void)snprintf(more, sizeof more, "and %zu more", left + 1);
        double reserve = lines == most_lines && left > 0
                             ? LEGEND_GAP + canvas_text_width(canvas, more, TEXT_SIZE)
                             : 0;
        if (x + width + reserve > right && x > MARGIN) {
            if (lines == most_lines) break;
            lines++;
            x = MARGIN;
            y += line;
        }
        legend_mark(plot, &plot->legend[i], x, y);
        plot_text(plot, x + MARK_WIDTH, y, ANCHOR_START, INK_TEXT, "%s", label);
        x += width + LEGEND_GAP;
    }
    size_t hidden = plot->n_legend - i + plot->legend_left_out;
    if (hidden > 0) plot_text(plot, x, y, ANCHOR_START, INK_PALE, "and %zu more", hidden);
    return (double)lines * line + (canvas_is_term(canvas) ? 0 : 4);
}

/* What a column of all labels takes beside a picture. */
static double legend_width(struct plot *plot) {
    double widest = 0;
    for (size_t i = 0; i < plot->n_legend; i++)
        widest = fmax(widest, canvas_text_width(&plot->canvas, plot->legend[i].label, TEXT_SIZE));
    return LEGEND_GAP + MARK_WIDTH + ceil(widest) + 1;
}

/* In a column beside the picture; what has no place in it is counted. */
static void legend_column(struct plot *plot, double x, double top, double bottom) {
    struct canvas *canvas = &plot->canvas;
    double line = 1.15 * canvas_line_height(canvas, TEXT_SIZE), y = top + line;
    size_t fit = (size_t)fmax(1, floor((bottom - top) / line)), shown = plot->n_legend;
    char label[128];
    if (shown + (plot->legend_left_out > 0) > fit) shown = fit - 1;
    for (size_t i = 0; i < shown; i++) {
        canvas_fit_text(canvas, label, sizeof label, plot->legend[i].label, TEXT_SIZE,
                        canvas->width - MARGIN - MARK_WIDTH - x);
        legend_mark(plot, &plot->legend[i], x, y);
        plot_text(plot, x + MARK_WIDTH, y, ANCHOR_START, INK_TEXT, "%s", label);
        y += line;
    }
    size_t hidden = plot->n_legend - shown + plot->legend_left_out;
    if (hidden > 0) plot_text(plot, x, y, ANCHOR_START, INK_PALE, "and %zu more", hidden);
}

/* Words of a text in lines that fit; returns the line below the last. */
static double wrapped(struct plot *plot, const char *text, double y, size_t most_lines, int ink,
                      bool draw) {
    struct canvas *canvas = &plot->canvas;
    double room = canvas->width - 2 * MARGIN, line = canvas_line_height(canvas, TEXT_SIZE);
    char part[NOTE_BYTES];
    for (size_t n = 0; *text && n < most_lines; n++) {
        size_t kept = 0, length = strlen(text);
        for (size_t i = 1; i <= length; i++) {
            if (i < length && text[i] != ' ') continue;
            (void)snprintf(part, sizeof part, "%.*s", (int)i, text);
            if (canvas_text_width(canvas, part, TEXT_SIZE) > room) break;
            kept = i;
        }
        bool last = n + 1 == most_lines || kept == 0;
        if (last)
            canvas_fit_text(canvas, part, sizeof part, text, TEXT_SIZE, room);
        else
            (void)snprintf(part, sizeof part, "%.*s", (int)kept, text);
        if (draw) plot_text(plot, MARGIN, y, ANCHOR_START, ink, "%s", part);
        y += line;
        if (last) break;
        text += kept + (text[kept] == ' ');
    }
    return y;
}

static struct pane draw_words(struct plot *plot, bool legend_above) {
    struct canvas *canvas = &plot->canvas;
    bool term = canvas_is_term(canvas);
    const struct plot_common *common = plot->options;
    const char *title = common->title ? common->title : plot->title;
    char fitted[NOTE_BYTES];
    double line = canvas_line_height(canvas, TEXT_SIZE), room = canvas->width - 2 * MARGIN;
    double y = term ? 12 : MARGIN + 12;
    canvas_fit_text(canvas, fitted, sizeof fitted, title, TITLE_SIZE * 1.08, room);
    canvas_text(canvas, MARGIN, y, fitted,
                &(struct lettering){.size = TITLE_SIZE, .ink = INK_TEXT, .bold = true});
    y += term ? line : 19;
    y = wrapped(plot, plot->subtitle, y, canvas->width < 500 && !term ? 3 : 2, INK_PALE, true);
    if (legend_above) y += legend_flow(plot, y - line);
    double below = 0;
    for (size_t i = 0; i < plot->n_notes; i++)
        below += wrapped(plot, plot->notes[i], 0, 3, INK_PALE, false);
    double bottom = canvas->height - (term ? 0 : MARGIN - 4) - below, at = bottom + line - 4;
    for (size_t i = 0; i < plot->n_notes; i++)
        at = wrapped(plot, plot->notes[i], at, 3, INK_PALE, true);
    return (struct pane){MARGIN, y - line + (term ? 4 : 10), canvas->width - MARGIN,
                         bottom - (below > 0 && !term ? 6 : 0)};
}

struct pane page_draw(struct plot *plot) {
    return draw_words(plot, true);
}

struct pane page_draw_square(struct plot *plot) {
    const struct canvas *canvas = &plot->canvas;
    const double stretch = 1.25;
    bool beside = !canvas_is_term(canvas) && canvas->width >= stretch * canvas->height;
    struct pane room = draw_words(plot, !beside);
    if (canvas_is_term(canvas)) return room;
    /* at the left, as text is read, and square at least where labels are long */
    double side = room.bottom - room.top, right = room.left + stretch * side;
    if (beside) right = fmin(right, fmax(room.right - legend_width(plot), room.left + side));
    room.right = fmin(room.right, right);
    if (beside) legend_column(plot, room.right + LEGEND_GAP, room.top, room.bottom);
    return room;
}

sepal_status page_choose(bool **shown, struct plot *plot, const double *worth, size_t n,
                         const char *which) {
    *shown = arena_zero(plot->ctx, &plot->arena, n > 0 ? n : 1, sizeof **shown);
    if (!*shown) return SEPAL_EMEMORY;
    for (size_t i = 0; i < n && i < SERIES_MOST; i++) {
        size_t best = n;
        for (size_t k = 0; k < n; k++)
            if (!(*shown)[k] && (best == n || worth[k] > worth[best])) best = k;
        (*shown)[best] = true;
    }
    if (n > SERIES_MOST)
        page_note(plot, "%d of %zu classes are drawn: those %s.", SERIES_MOST, n, which);
    return SEPAL_OK;
}

struct pane pane_column(struct pane box, size_t i, size_t n, double gap) {
    double width = (box.right - box.left - gap * (double)(n - 1)) / (double)n;
    double left = box.left + (double)i * (width + gap);
    return (struct pane){left, box.top, left + width, box.bottom};
}

struct pane pane_row(struct pane box, size_t i, size_t n, double gap) {
    double height = (box.bottom - box.top - gap * (double)(n - 1)) / (double)n;
    double top = box.top + (double)i * (height + gap);
    return (struct pane){box.left, top, box.right, top + height};
}
