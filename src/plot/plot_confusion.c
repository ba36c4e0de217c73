/* The confusion matrix: rows are what rows are, columns what they are taken for. A cell is as dark as its share
   of its row, right ones in one colour and mistakes in another. */
#include "plot/plot.h"

#include <stdio.h>
#include <string.h>

enum { RIGHT, WRONG = 3, NUMBERS_MOST = 30 };

struct matrix_place {
    struct plot *plot;
    struct pane pane; /* of the cells */
    size_t rows, columns;
    double width, height; /* of a cell */
};

static const char *column_label(const struct tree *labels, size_t j) {
    const struct tree *label = labels->first;
    for (; label && j > 0; j--) label = label->next;
    return label ? label->text.bytes : "undecided";
}

static double widest_of(const struct plot *plot, const struct tree *labels, double most) {
    double widest = 0;
    for (const struct tree *label = labels->first; label; label = label->next)
        widest = fmax(widest, canvas_text_width(&plot->canvas, label->text.bytes, TEXT_SIZE));
    return fmin(widest, most);
}

static void draw_cell(const struct matrix_place *place, size_t i, size_t j, double value,
                      double share) {
    struct canvas *canvas = &place->plot->canvas;
    bool term = canvas_is_term(canvas);
    double x = place->pane.left + (double)j * place->width;
    double y = place->pane.top + (double)i * place->height, gap = place->width > 8 && !term ? 1 : 0;
    char shown[TICK_BYTES];
    const struct pen pen = {.fill = series_ink(i == j ? RIGHT : WRONG),
                            .fill_alpha = 0.08 + 0.62 * share};
    if (value > 0 && !term)
        canvas_rectangle(canvas, x + gap, y + gap, place->width - 2 * gap, place->height - 2 * gap,
                         &pen);
    number_label(shown, value, 6);
    double line = canvas_line_height(canvas, TEXT_SIZE);
    if (canvas_text_width(canvas, shown, TEXT_SIZE) > place->width - 1 || place->height < line - 4)
        return;
    plot_text(place->plot, x + place->width / 2, y + place->height / 2 + 4, ANCHOR_MIDDLE,
              value > 0 ? INK_TEXT : INK_PALE, "%s",
              value > 0 ? shown
              : term    ? "."
                        : "");
}

/* Of many labels each second, third, ... is shown. */
static size_t every_for(double room, double wanted) {
    return (size_t)fmax(1, ceil(wanted / fmax(room, 1e-9)));
}

static void draw_labels(const struct matrix_place *place, const struct tree *labels, double left,
                        bool upright) {
    struct plot *plot = place->plot;
    struct canvas *canvas = &plot->canvas;
    double line = canvas_line_height(canvas, TEXT_SIZE);
    char fitted[NOTE_BYTES];
    size_t every = every_for(place->height, line - 2), at = 0;
    for (const struct tree *label = labels->first; label; label = label->next, at++) {
        if (at % every != 0) continue;
        canvas_fit_text(canvas, fitted, sizeof fitted, label->text.bytes, TEXT_SIZE, left);
        plot_text(plot, place->pane.left - 8,
                  place->pane.top + ((double)at + 0.5) * place->height + 4, ANCHOR_END, INK_TEXT,
                  "%s", fitted);
    }
    every = every_for(place->width, upright ? line - 2 : 1);
    for (size_t j = 0; j < place->columns; j += every) {
        double x = place->pane.left + ((double)j + 0.5) * place->width;
        canvas_fit_text(canvas, fitted, sizeof fitted, column_label(labels, j), TEXT_SIZE,
                        upright ? 90 : place->width - 4);
        canvas_text(canvas, upright ? x + 4 : x, place->pane.top - 6, fitted,
                    &(struct lettering){.size = TEXT_SIZE,
                                        .ink = INK_TEXT,
                                        .anchor = upright ? ANCHOR_START : ANCHOR_MIDDLE,
                                        .upright = upright});
    }
}

static void draw_cells(const struct matrix_place *place, const struct tree *confusion) {
    size_t i = 0;
    double line = canvas_line_height(&place->plot->canvas, TEXT_SIZE);
    for (const struct tree *row = confusion->first; row; row = row->next, i++) {
        double sum = 0, right = NAN;
        size_t j = 0;
        for (const struct tree *cell = row->first; cell; cell = cell->next) sum += cell->number;
        for (const struct tree *cell = row->first; cell; cell = cell->next, j++) {
            draw_cell(place, i, j, cell->number, sum > 0 ? cell->number / sum : 0);
            if (i == j) right = cell->number;
        }
        if (!(sum > 0) || place->height < line - 2) continue;
        plot_text(place->plot, place->pane.right + 8,
                  place->pane.top + ((double)i + 0.5) * place->height + 4, ANCHOR_START, INK_PALE,
                  "%.0f %%", 100 * right / sum);
    }
}

static bool is_table(const struct tree *labels, const struct tree *confusion) {
    if (!labels || !confusion || labels->count == 0 || confusion->count != labels->count)
        return false;
    for (const struct tree *label = labels->first; label; label = label->next)
        if (label->kind != TREE_TEXT) return false;
    for (const struct tree *row = confusion->first; row; row = row->next) {
        if (row->count != confusion->first->count || row->count < labels->count) return false;
        for (const struct tree *cell = row->first; cell; cell = cell->next)
            if (cell->kind != TREE_NUMBER) return false;
    }
    return true;
}

static sepal_status confusion_draw(struct plot *plot) {
    const struct tree *labels = tree_find(plot->report, "labels");
    const struct tree *confusion = tree_find(plot->report, "confusion");
    struct canvas *canvas = &plot->canvas;
    char accuracy[TICK_BYTES];
    if (!is_table(labels, confusion))
        return fail(plot->ctx, SEPAL_EDATA,
                    "the report has no confusion matrix; `sepal evaluate MODEL DATA --json` prints "
                    "one (of models of one label a row)");
    number_label(accuracy, 100 * tree_value(plot->report, "accuracy"), 3);
    page_title(plot, "Confusion matrix");
    page_subtitle(
        plot,
        "%.0f rows, %s %% of them right. Down: what they are; across: what they are taken "
        "for; at the right: how many of the class are found.",
        tree_value(plot->report, "rows"), accuracy);
    struct pane room = page_draw(plot);
    bool term = canvas_is_term(canvas);
    double line = canvas_line_height(canvas, TEXT_SIZE);
    double left = widest_of(plot, labels, 0.3 * (room.right - room.left));
    struct matrix_place place = {
        .plot = plot, .rows = confusion->count, .columns = confusion->first->count};
    double recall = canvas_text_width(canvas, "100 %", TEXT_SIZE) + 8;
    place.pane =
        (struct pane){room.left + left + 10, room.top, room.right - recall, room.bottom - 4};
    place.width = (place.pane.right - place.pane.left) / (double)place.columns;
    double widest = widest_of(plot, labels, INFINITY);
    bool upright = !term && widest > place.width - 4 && place.width < 60;
    place.pane.top += upright ? fmin(90, widest) + 10 : line + 2;
    place.height = (place.pane.bottom - place.pane.top) / (double)place.rows;
    if (term) {
        place.height = fmax(16, floor(fmin(place.height, 32) / 16) * 16);
        place.width = floor(fmin(place.width, 112) / 8) * 8;
        place.pane.top = ceil(place.pane.top / 16) * 16;
    }
    place.height = fmin(place.height, place.rows > 2 ? 90 : 130);
    place.width = fmin(place.width, fmax(120, 2 * place.height));
    place.pane.right = place.pane.left + place.width * (double)place.columns;
    place.pane.bottom = place.pane.top + place.height * (double)place.rows;
    draw_labels(&place, labels, left, upright);
    draw_cells(&place, confusion);
    return SEPAL_OK;
}

const struct plot_kind plot_confusion = {
    .name = "confusion",
    .summary = "the confusion matrix: what rows are, and what they are taken for",
    .needs = NEEDS_JUDGEMENT,
    .parameters = plot_common_parameters,
    .options_size = sizeof(struct plot_common),
    .draw = confusion_draw,
};
