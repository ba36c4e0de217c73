/* What an evaluation tells when it is asked to: costs, and what is under the curves. */
#include "report/report_page.h"

#include "core/decimal.h"

#include <math.h>
#include <stdio.h>

enum { NAME_WIDTH = 12, DIGITS = 4 };

/* " [0.9614, 0.9866]", nothing if there is none. */
void page_interval(struct page *page, const struct tree *root, const char *path) {
    const struct tree *ends = tree_path(root, path);
    if (!ends || ends->kind != TREE_ARRAY || ends->count != 2) return;
    text_printf(page->ctx, &page->text, " [%.*f, %.*f]", DIGITS, ends->first->number, DIGITS,
                ends->last->number);
}

static void page_interval_note(struct page *page, const struct tree *root) {
    double resamples = report_number(root, "intervals.resamples");
    if (!tree_find(root, "intervals")) return;
    page_left(page, "intervals", NAME_WIDTH);
    text_puts(page->ctx, &page->text, "[low, high] of ");
    text_number(page->ctx, &page->text, 100 * report_number(root, "intervals.confidence"));
    text_puts(page->ctx, &page->text, " % confidence");
    if (resamples > 0)
        text_printf(page->ctx, &page->text, ", of some numbers by %.0f resamples", resamples);
    text_puts(page->ctx, &page->text, "\n");
}

/* ---- costs -------------------------------------------------------------------------------- */

static void cost_number(struct page *page, const char *name, double value) {
    page_left(page, name, NAME_WIDTH);
    if (isnan(value))
        text_puts(page->ctx, &page->text, "n/a");
    else
        text_printf(page->ctx, &page->text, "%.6g", value);
}

static void cost_lines(struct page *page, const struct tree *root) {
    double total = report_number(root, "cost.total"), cutoff = report_number(root, "cost.cutoff");
    const struct tree *least = tree_path(root, "cost.least"), *labels = tree_find(root, "labels");
    const char *prefix = page->ctx->option_prefix ? page->ctx->option_prefix : "option ";
    if (!tree_find(root, "cost")) return;
    cost_number(page, "cost", report_number(root, "cost.expected"));
    if (!isnan(total)) text_printf(page->ctx, &page->text, " a row, %.6g in all", total);
    text_puts(page->ctx, &page->text, "\n");
    if (least && least->kind == TREE_OBJECT) {
        char digits[DECIMAL_BYTES + 1];
        cost_number(page, "least cost", report_number(least, "expected"));
        digits[decimal_print(digits, cutoff)] = '\0';
        if (isnan(cutoff))
            text_puts(page->ctx, &page->text,
                      " a row by deciding each for the class that is expected to cost least\n");
        else
            text_printf(page->ctx, &page->text, " a row by deciding for %s from %scutoff %s on\n",
                        labels->first->next->text.bytes, prefix, digits);
    }
    cost_number(page, "constant", report_number(root, "cost.constant.expected"));
    text_printf(page->ctx, &page->text, " a row by always deciding for %s\n",
                report_string(root, "cost.constant.label"));
}

/* ---- curves ------------------------------------------------------------------------------- */

/* A line for each class: the areas, and how far its probabilities are off. */
static void curve_table(struct page *page, const struct tree *curves) {
    enum { SHOWN = 30, MEASURE_WIDTH = 11 };
    size_t width = 8, shown = 0;
    const struct tree *pr = tree_find(curves, "pr")->first,
                      *calibration = tree_find(curves, "calibration");
    const struct tree *bins = calibration->kind == TREE_ARRAY ? calibration->first : NULL;
    for (const struct tree *roc = tree_find(curves, "roc")->first; roc; roc = roc->next)
        if (utf8_width(report_string(roc, "label")) > width)
            width = utf8_width(report_string(roc, "label"));
    text_puts(page->ctx, &page->text, "\n");
    page_left(page, "curves", width);
    text_puts(page->ctx, &page->text, "    roc auc     pr auc        ece     points\n");
    for (const struct tree *roc = tree_find(curves, "roc")->first; roc;
         roc = roc->next, pr = pr->next, bins = bins ? bins->next : NULL) {
        if (shown++ == SHOWN) {
            text_printf(page->ctx, &page->text, "(and %zu more in the JSON report)\n",
                        tree_find(curves, "roc")->count - SHOWN);
            return;
        }
        page_left(page, report_string(roc, "label"), width);
        page_cell(page, report_number(roc, "auc"), DIGITS, MEASURE_WIDTH);
        page_cell(page, report_number(pr, "average_precision"), DIGITS, MEASURE_WIDTH);
        page_cell(page, bins ? report_number(bins, "ece") : NAN, DIGITS, MEASURE_WIDTH);
        page_cell(page, (double)tree_find(roc, "points")->count, 0, MEASURE_WIDTH);
        text_puts(page->ctx, &page->text, "\n");
    }
}

/* Some cutoffs of the reject option: the first from which on so much is decided. */
static void coverage_table(struct page *page, const struct tree *curves) {
    static const double wanted[] = {0.5, 0.8, 0.9, 0.95, 0.99, 1};
    const struct tree *coverage = tree_find(curves, "coverage"), *last = NULL;
    enum { MEASURE_WIDTH = 11, COUNT = sizeof wanted / sizeof *wanted };
    if (!coverage || coverage->kind != TREE_ARRAY || coverage->count == 0) return;
    text_puts(page->ctx, &page->text, "\ncutoff of decide=reject   coverage   accuracy\n");
    const struct tree *row = coverage->first;
    for (size_t i = 0; i < COUNT; i++) {
        while (row->next && row->first->next->number < wanted[i]) row = row->next;
        if (row == last) continue;
        last = row;
        page_cell(page, row->first->number, 6, 23);
        page_cell(page, row->first->next->number, DIGITS, MEASURE_WIDTH);
        page_cell(page, row->last->number, DIGITS, MEASURE_WIDTH);
        text_puts(page->ctx, &page->text, "\n");
    }
}

void judgement_page(struct page *page, const struct tree *root) {
    const struct tree *curves = tree_find(root, "curves");
    cost_lines(page, root);
    page_interval_note(page, root);
    if (!curves) return;
    curve_table(page, curves);
    coverage_table(page, curves);
}
