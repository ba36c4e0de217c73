/* The page of a comparison: a table, and each difference to the best in words. */
#include "report/report_page.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_WIDTH = 60 };
static const double SIGNIFICANT = 0.05;

static size_t spec_width(const struct tree *models) {
    size_t width = 0;
    for (const struct tree *row = models->first; row; row = row->next) {
        size_t length = utf8_width(report_string(row, "spec_in_short"));
        width = length > width ? length : width;
    }
    return width < MOST_WIDTH ? width : MOST_WIDTH;
}

/* With room for losses beyond all measure. */
static void measure_cell(struct page *page, double value, size_t width) {
    text_puts(page->ctx, &page->text, " ");
    page_cell(page, value, fabs(value) < 100 ? 5 : 1, width);
}

static void compare_row(struct page *page, const struct tree *row, const char *name, size_t width,
                        bool also) {
    text_puts(page->ctx, &page->text, "  ");
    page_left(page, name, width);
    measure_cell(page, report_number(row, "mean"), 11);
    measure_cell(page, report_number(row, "std"), 9);
    if (also) page_cell(page, report_number(row, "accuracy.mean"), 4, 10);
}

static void compare_table(struct page *page, const struct tree *compare) {
    const struct tree *models = tree_find(compare, "models"),
                      *base = tree_find(compare, "baseline");
    const char *metric = report_string(compare, "metric");
    bool also = strcmp(metric, "accuracy") != 0;
    size_t width = spec_width(models), k = 0, best = (size_t)report_number(compare, "best");
    char name[96] = "";
    if (base) (void)snprintf(name, sizeof name, "always '%.40s'", report_string(base, "class"));
    if (utf8_width(name) > width) width = utf8_width(name);
    text_puts(page->ctx, &page->text, "\n  ");
    page_left(page, "", width);
    page_right(page, metric, 12);
    page_right(page, "+-", 10);
    if (also) page_right(page, "accuracy", 10);
    text_puts(page->ctx, &page->text, "\n");
    for (const struct tree *row = models->first; row; row = row->next, k++) {
        if (tree_find(row, "left_out")) continue;
        compare_row(page, row, report_string(row, "spec_in_short"), width, also);
        if (k == best) text_puts(page->ctx, &page->text, "  best");
        if (report_number(row, "converged") == 0)
            text_puts(page->ctx, &page->text, "  not converged");
        text_puts(page->ctx, &page->text, "\n");
    }
    if (base) {
        compare_row(page, base, name, width, also);
        text_puts(page->ctx, &page->text, "\n");
    }
    text_puts(page->ctx, &page->text, "\n");
}

static const char *model_name(const struct tree *compare, double k) {
    char place[64];
    (void)snprintf(place, sizeof place, "models.%.0f.spec_in_short", k);
    return report_string(compare, place);
}

static void left_out_lines(struct page *page, const struct tree *compare) {
    for (const struct tree *row = tree_find(compare, "models")->first; row; row = row->next)
        if (tree_find(row, "left_out"))
            page_line(page, "left out", "%s: %s", report_string(row, "spec_in_short"),
                      report_string(row, "left_out"));
}

/* A pair that the best is in, as a sentence. */
static void difference_line(struct page *page, const struct tree *compare,
                            const struct tree *pair) {
    double a = report_number(pair, "a"), b = report_number(pair, "b");
    double best = report_number(compare, "best"), p = report_number(pair, "p_adjusted");
    double difference = fabs(report_number(pair, "difference"));
    const char *other = model_name(compare, a == best ? b : a);
    const char *metric = report_string(compare, "metric");
    const char *more = strcmp(report_string(compare, "better"), "more") == 0 ? "less" : "more";
    if (a != best && b != best) return;
    if (difference == 0 && report_number(pair, "p") == 1)
        page_line(page, "", "%s: the same %s on every fold", other, metric);
    else if (isnan(p))
        page_line(page, "", "%s: %.5f %s %s, by the same on every fold: no test", other, difference,
                  more, metric);
    else if (p < SIGNIFICANT)
        page_line(page, "", "%s is worse: %.5f %s %s (p = %.2g)", other, difference, more, metric,
                  p);
    else
        page_line(page, "", "no evidence that %s differs: %.5f %s %s (p = %.2g)", other, difference,
                  more, metric, p);
}

void compare_page(struct page *page, const struct tree *root, bool all);
void compare_page(struct page *page, const struct tree *root, bool all) {
    const struct tree *compare = tree_find(root, "compare");
    const struct tree *pairs = tree_find(compare, "pairs");
    double rows = report_number(compare, "rows");
    page_shape(page, root);
    page_target(page, root);
    page_classes(page, "classes", tree_find(root, "classes"), NULL);
    page_line(page, "compared", "by %s, %s is better; %.0f folds%s",
              report_string(compare, "metric"), report_string(compare, "better"),
              report_number(root, "folds"), report_number(root, "repeats") > 1 ? ", repeated" : "");
    if (rows < report_number(root, "rows")) page_line(page, "", "on %.0f of the rows", rows);
    compare_table(page, compare);
    left_out_lines(page, compare);
    page_line(page, "best", "%s", model_name(compare, report_number(compare, "best")));
    for (const struct tree *pair = pairs->first; pair; pair = pair->next)
        difference_line(page, compare, pair);
    if (pairs->count > 0)
        page_line(page, "tests",
                  "paired t of the folds, variance corrected for shared rows (Nadeau "
                  "and Bengio)%s",
                  pairs->count > 1 ? "; p adjusted for all pairs (Holm)" : "");
    (void)all;
    page_line(page, "time", "%.3f s loading, %.3f s folds, %.0f threads",
              report_number(root, "seconds.load"), report_number(root, "seconds.folds"),
              report_number(root, "threads"));
}
