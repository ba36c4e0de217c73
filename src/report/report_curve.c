/* The page of a learning or validation curve, and a small picture of it made of characters. */
#include "core/decimal.h"
#include "report/report_page.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { BAR = 32, CELL_BYTES = 64 };

struct bar_scale {
    double low, high;
};

static struct bar_scale curve_scale(const struct tree *points) {
    static const char *const places[] = {"train.mean", "valid.mean"};
    struct bar_scale scale = {INFINITY, -INFINITY};
    for (const struct tree *row = points->first; row; row = row->next)
        for (size_t i = 0; i < 2; i++) {
            scale.low = fmin(scale.low, report_number(row, places[i]));
            scale.high = fmax(scale.high, report_number(row, places[i]));
        }
    return scale;
}

static size_t bar_place(const struct bar_scale *scale, double value) {
    double part = scale->high > scale->low ? (value - scale->low) / (scale->high - scale->low) : 0;
    return (size_t)lround(part * (BAR - 1));
}

/* "t" training, "v" validation, "*" both. */
static void put_bar(struct page *page, const struct bar_scale *scale, const struct tree *row) {
    char bar[BAR + 1];
    double train = report_number(row, "train.mean"), valid = report_number(row, "valid.mean");
    memset(bar, ' ', BAR);
    bar[BAR] = '\0';
    if (!isnan(train)) bar[bar_place(scale, train)] = 't';
    if (!isnan(valid)) {
        char *at = &bar[bar_place(scale, valid)];
        *at = *at == 't' ? '*' : 'v';
    }
    text_printf(page->ctx, &page->text, "  |%s|\n", bar);
}

static void curve_row(struct page *page, const struct bar_scale *scale, const struct tree *row) {
    char cell[CELL_BYTES];
    const struct tree *x = tree_find(row, "x");
    if (x->kind == TREE_NUMBER)
        cell[decimal_print(cell, x->number)] = '\0';
    else
        (void)snprintf(cell, sizeof cell, "%.60s", x->text.bytes);
    page_right(page, cell, 12);
    page_cell(page, report_number(row, "train.mean"), 5, 11);
    page_cell(page, report_number(row, "train.std"), 5, 9);
    page_cell(page, report_number(row, "valid.mean"), 5, 11);
    page_cell(page, report_number(row, "valid.std"), 5, 9);
    put_bar(page, scale, row);
}

/* Whether the last rows to learn from were of use. */
static void more_rows_line(struct page *page, const struct tree *curve) {
    const struct tree *points = tree_find(curve, "points"), *half = NULL, *last = points->last;
    for (const struct tree *row = points->first; row; row = row->next)
        if (report_number(row, "rows") <= report_number(last, "rows") / 2) half = row;
    if (!half || half == last) return;
    double better = strcmp(report_string(curve, "better"), "more") == 0 ? 1 : -1;
    double gain = better * (report_number(last, "valid.mean") - report_number(half, "valid.mean"));
    bool helps = gain > report_number(last, "valid.standard_error");
    page_line(page, "more rows", "%s: from %.0f to %.0f rows %s changed by %.5f for the better%s",
              helps ? "would help" : "may not help", report_number(half, "rows"),
              report_number(last, "rows"), report_string(curve, "metric"), gain,
              helps ? "" : ", no more than its standard error");
}

void curve_page(struct page *page, const struct tree *root, bool all);
void curve_page(struct page *page, const struct tree *root, bool all) {
    const struct tree *curve = tree_find(root, "curve"), *points = tree_find(curve, "points");
    const struct bar_scale scale = curve_scale(points);
    bool learning = strcmp(report_string(curve, "kind"), "learning") == 0;
    char low[32], high[32];
    (void)all;
    page_line(page, "spec", "%s", report_string(root, "spec"));
    page_shape(page, root);
    page_target(page, root);
    page_classes(page, "classes", tree_find(root, "classes"), NULL);
    page_line(page, "curve", "%s by %s, %s is better; %.0f folds%s", report_string(curve, "metric"),
              learning ? "rows learnt from" : report_string(curve, "x_name"),
              report_string(curve, "better"), report_number(root, "folds"),
              report_number(root, "repeats") > 1 ? ", repeated" : "");
    text_puts(page->ctx, &page->text, "\n");
    page_right(page, report_string(curve, "x_name"), 12);
    (void)snprintf(low, sizeof low, "%.4g", scale.low);
    (void)snprintf(high, sizeof high, "%.4g", scale.high);
    text_puts(page->ctx, &page->text, "   training       +- validation       +-   ");
    page_left(page, low, BAR - strlen(high));
    text_printf(page->ctx, &page->text, "%s\n", high);
    for (const struct tree *row = points->first; row; row = row->next) curve_row(page, &scale, row);
    text_puts(page->ctx, &page->text, "\n");
    if (learning) more_rows_line(page, curve);
    page_line(page, "time", "%.3f s loading, %.3f s folds, %.0f threads",
              report_number(root, "seconds.load"), report_number(root, "seconds.folds"),
              report_number(root, "threads"));
}
