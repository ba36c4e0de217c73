#include "report/report_page.h"

#include "core/decimal.h"
#include "model/decision.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

double report_number(const struct tree *root, const char *path) {
    const struct tree *node = tree_path(root, path);
    if (node && node->kind == TREE_BOOL) return node->truth;
    return node && node->kind == TREE_NUMBER ? node->number : NAN;
}

const char *report_string(const struct tree *root, const char *path) {
    const struct tree *node = tree_path(root, path);
    return node && node->kind == TREE_TEXT ? node->text.bytes : "";
}

/* How wide a UTF-8 text is on a terminal, near enough: its characters. */
void page_pad(struct page *page, size_t have, size_t want) {
    for (; have < want; have++) text_puts(page->ctx, &page->text, " ");
}

void page_left(struct page *page, const char *text, size_t width) {
    text_puts(page->ctx, &page->text, text);
    page_pad(page, utf8_width(text), width);
}

void page_right(struct page *page, const char *text, size_t width) {
    page_pad(page, utf8_width(text), width);
    text_puts(page->ctx, &page->text, text);
}

/* Counts exactly, measures to `digits` places, "n/a" for what is undefined. */
void page_cell(struct page *page, double value, int digits, size_t width) {
    char text[64] = "n/a";
    if (!isnan(value) && value == floor(value) && fabs(value) < 1e15 && digits == 0)
        text[decimal_print(text, value)] = '\0';
    else if (!isnan(value))
        snprintf(text, sizeof text, "%.*f", digits ? digits : 3, value);
    page_right(page, text, width);
}

void page_line(struct page *page, const char *name, const char *format, ...) {
    enum { NAME_WIDTH = 12, LINE_BYTES = 1024 };
    char text[LINE_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    page_left(page, name, NAME_WIDTH);
    text_printf(page->ctx, &page->text, "%s\n", text);
}

/* "setosa, versicolor, virginica", cut short when there are many. */
void page_classes(struct page *page, const char *name, const struct tree *classes,
                  const struct tree *counts) {
    enum { SHOWN = 12, NAME_WIDTH = 12 };
    page_left(page, name, NAME_WIDTH);
    const struct tree *count = counts ? counts->first : NULL;
    size_t shown = 0;
    for (const struct tree *class = classes->first; class && shown < SHOWN;
         class = class->next, shown++) {
        char label[TEXT_SHOWN_BYTES];
        text_printf(page->ctx, &page->text, "%s%s", shown ? ", " : "",
                    text_shown(label, class->text.bytes, class->text.length));
        if (count) {
            text_puts(page->ctx, &page->text, " (");
            text_number(page->ctx, &page->text, count->number);
            text_puts(page->ctx, &page->text, ")");
            count = count->next;
        }
    }
    if (classes->count > shown)
        text_printf(page->ctx, &page->text, " and %zu more", classes->count - shown);
    text_puts(page->ctx, &page->text, "\n");
}

void page_target(struct page *page, const struct tree *root) {
    const char *name = report_string(root, "target.name"),
               *from = report_string(root, "target.from");
    const char *prefix = page->ctx->option_prefix ? page->ctx->option_prefix : "option ";
    if (report_number(root, "target.guessed") == 1)
        page_line(page, "target", "%s (the last column; name another with %starget)", name, prefix);
    else if (strcmp(from, "first field") == 0)
        page_line(page, "target", "the first field of each line");
    else if (strcmp(from, "file") == 0)
        page_line(page, "target", "the labels of %s", name);
    else if (strcmp(from, "column") == 0)
        page_line(page, "target", "%s", name);
}

void page_decision(struct page *page, const struct tree *root) {
    const char *open = strcmp(report_string(root, "decision.ambiguous"), "undecided") == 0
                           ? "; ambiguous rows stay undecided"
                           : "";
    char cutoff[DECIMAL_BYTES + 1];
    if (!tree_find(root, "decision")) return;
    cutoff[decimal_print(cutoff, report_number(root, "decision.cutoff"))] = '\0';
    const struct decision *rule =
        decision_table[decision_find(report_string(root, "decision.decide"))];
    if (isnan(report_number(root, "decision.cutoff")))
        page_line(page, "decision", "%s%s", rule->words, open);
    else if (tree_find(root, "label_sets"))
        page_line(page, "decision", "each label from a probability of %s on", cutoff);
    else
        page_line(page, "decision", "%s%s%s%s", rule->with_cutoff[0], cutoff, rule->with_cutoff[1],
                  open);
}

void page_shape(struct page *page, const struct tree *root) {
    double features = report_number(root, "features"), columns = report_number(root, "columns");
    char more[64] = "";
    if (columns != features && !isnan(columns))
        snprintf(more, sizeof more, " (%.0f columns)", columns);
    double rows = report_number(root, "rows");
    page_line(page, "data", "%.0f row%s, %.0f feature%s%s, %.0f nonzeros", rows,
              rows == 1 ? "" : "s", features, features == 1 ? "" : "s", more,
              report_number(root, "nonzeros"));
}
