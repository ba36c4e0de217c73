/* The page of a choice among the points of a grid. */
#include "core/decimal.h"
#include "report/report_page.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SHOWN_MOST = 40, SHOWN_ABOUT = 12, CELL_BYTES = 64 };

struct tune_table {
    const struct tree *tuning, *points;
    size_t best, one_se;
    bool all;
};

/* A value of a parameter: a number in its shortest form, or a word. */
static const char *value_text(char out[CELL_BYTES], const struct tree *value) {
    if (value->kind == TREE_NUMBER) {
        out[decimal_print(out, value->number)] = '\0';
        return out;
    }
    (void)snprintf(out, CELL_BYTES, "%.60s", value->kind == TREE_TEXT ? value->text.bytes : "");
    return out;
}

/* How wide the column of parameter a is. */
static size_t value_width(const struct tune_table *table, const char *name) {
    char text[CELL_BYTES];
    size_t width = utf8_width(name);
    for (const struct tree *row = table->points->first; row; row = row->next) {
        const struct tree *values = tree_find(row, "values");
        const struct tree *value = tree_find(values, name);
        size_t length = value ? utf8_width(value_text(text, value)) : 0;
        width = length > width ? length : width;
    }
    return width;
}

static bool point_shown(const struct tune_table *table, size_t k) {
    size_t n = table->points->count, every = (n + SHOWN_ABOUT - 1) / SHOWN_ABOUT;
    if (table->all || n <= SHOWN_MOST || k % every == 0 || k + 1 == n) return true;
    return k == table->best || k == table->one_se;
}

static void tune_head(struct page *page, const struct tune_table *table) {
    text_puts(page->ctx, &page->text, "\n");
    for (const struct tree *p = tree_find(table->tuning, "parameters")->first; p; p = p->next) {
        const char *name = report_string(p, "name");
        text_puts(page->ctx, &page->text, "  ");
        page_right(page, name, value_width(table, name));
    }
    text_puts(page->ctx, &page->text, "     train       +-     valid       +-       se\n");
}

static void tune_row(struct page *page, const struct tune_table *table, const struct tree *row,
                     size_t k) {
    char text[CELL_BYTES];
    const struct tree *values = tree_find(row, "values");
    for (const struct tree *value = values->first; value; value = value->next) {
        text_puts(page->ctx, &page->text, "  ");
        page_right(page, value_text(text, value), value_width(table, value->key));
    }
    page_cell(page, report_number(row, "train.mean"), 5, 10);
    page_cell(page, report_number(row, "train.std"), 5, 9);
    page_cell(page, report_number(row, "valid.mean"), 5, 10);
    page_cell(page, report_number(row, "valid.std"), 5, 9);
    page_cell(page, report_number(row, "valid.standard_error"), 5, 9);
    if (k == table->best) text_puts(page->ctx, &page->text, "  best");
    if (k == table->one_se) text_puts(page->ctx, &page->text, "  1se");
    if (report_number(row, "converged") == 0) text_puts(page->ctx, &page->text, "  not converged");
    text_puts(page->ctx, &page->text, "\n");
}

static void tune_rows(struct page *page, const struct tune_table *table) {
    size_t k = 0, shown = 0;
    tune_head(page, table);
    for (const struct tree *row = table->points->first; row; row = row->next, k++) {
        if (!point_shown(table, k)) continue;
        tune_row(page, table, row, k);
        shown++;
    }
    if (shown < table->points->count)
        text_printf(page->ctx, &page->text, "(%zu of %zu points; -v shows all)\n", shown,
                    table->points->count);
    text_puts(page->ctx, &page->text, "\n");
}

static void cutoff_line(struct page *page, const struct tree *root) {
    const char *goal = report_string(root, "cutoff.for");
    char digits[DECIMAL_BYTES + 1], costs[96] = "";
    if (!tree_find(root, "cutoff")) return;
    digits[decimal_print(digits, report_number(root, "cutoff.value"))] = '\0';
    if (tree_path(root, "cutoff.cost_fp"))
        (void)snprintf(costs, sizeof costs, " (false alarm %g, miss %g)",
                       report_number(root, "cutoff.cost_fp"),
                       report_number(root, "cutoff.cost_fn"));
    page_line(page, "cutoff", "%s, for %s%s: %.4f on held-out rows, %.4f at 0.5", digits, goal,
              costs, report_number(root, "cutoff.score"),
              report_number(root, "cutoff.score_at_half"));
}

static void nested_line(struct page *page, const struct tree *root) {
    const struct tree *nested = tree_find(root, "nested");
    if (!nested) return;
    page_line(page, "nested", "%s %.5f +- %.5f over %zu folds that no choice has seen",
              report_string(root, "tuning.metric"), report_number(nested, "mean"),
              report_number(nested, "std"), tree_find(nested, "folds")->count);
    for (const struct tree *fold = tree_find(nested, "folds")->first; fold; fold = fold->next) {
        char text[CELL_BYTES];
        text_puts(page->ctx, &page->text, "            ");
        page_cell(page, report_number(fold, "value"), 5, 0);
        for (const struct tree *value = tree_find(fold, "values")->first; value;
             value = value->next)
            text_printf(page->ctx, &page->text, "  %s=%s", value->key, value_text(text, value));
        if (tree_find(fold, "cutoff"))
            text_printf(page->ctx, &page->text, "  cutoff %g", report_number(fold, "cutoff"));
        text_puts(page->ctx, &page->text, "\n");
    }
}

void tune_page(struct page *page, const struct tree *root, bool all);
void tune_page(struct page *page, const struct tree *root, bool all) {
    const struct tree *tuning = tree_find(root, "tuning");
    const struct tune_table table = {.tuning = tuning,
                                     .points = tree_find(tuning, "points"),
                                     .best = (size_t)report_number(tuning, "best.index"),
                                     .one_se =
                                         (size_t)report_number(tuning, "one_standard_error.index"),
                                     .all = all};
    page_line(page, "spec", "%s", report_string(root, "fit.spec_in_short"));
    page_shape(page, root);
    page_target(page, root);
    page_classes(page, "classes", tree_find(root, "classes"), NULL);
    page_line(page, "grid", "%zu point%s%s; %.0f folds%s", table.points->count,
              table.points->count == 1 ? "" : "s",
              report_number(tuning, "usual_grid") == 1 ? ", the usual ones of this learner" : "",
              report_number(root, "folds"), report_number(root, "repeats") > 1 ? ", repeated" : "");
    page_line(page, "metric", "%s, %s is better", report_string(tuning, "metric"),
              report_string(tuning, "better"));
    tune_rows(page, &table);
    page_line(page, "chosen", "%s: %s", report_string(tuning, "chosen.spec"),
              report_string(tuning, "chosen.why"));
    cutoff_line(page, root);
    nested_line(page, root);
    page_line(page, "training", "accuracy %.4f", report_number(root, "fit.train.accuracy"));
    page_line(page, "time", "%.3f s loading, %.3f s folds, %.0f threads",
              report_number(root, "seconds.load"), report_number(root, "seconds.folds"),
              report_number(root, "threads"));
}
