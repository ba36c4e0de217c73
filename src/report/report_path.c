/* The page of a regularisation path: some of its values, or all, and the choice. */
#include "core/decimal.h"
#include "report/report_page.h"

#include <stdio.h>
#include <string.h>

enum { SHOWN_ABOUT = 10 };

struct path_table {
    const struct tree *rows;
    size_t best, one_se;
    bool all;
};

static void path_row_cells(struct page *page, const struct tree *row, size_t k) {
    char cells[128];
    (void)snprintf(cells, sizeof cells, "%5zu %11.5g %11.5g %8.0f %10.4f %9.1e %10.5f %9.5f %8.4f",
                   k + 1, report_number(row, "lambda"), report_number(row, "C"),
                   report_number(row, "nonzero"), report_number(row, "explained"),
                   report_number(row, "gap"), report_number(row, "loss"),
                   report_number(row, "loss_standard_error"), report_number(row, "error"));
    text_puts(page->ctx, &page->text, cells);
}

static bool path_row_shown(const struct path_table *table, size_t k) {
    size_t n = table->rows->count, every = (n + SHOWN_ABOUT - 1) / SHOWN_ABOUT;
    if (table->all || n <= 2 * SHOWN_ABOUT || k % every == 0 || k + 1 == n) return true;
    return k == table->best || k == table->one_se;
}

static size_t path_rows_page(struct page *page, const struct path_table *table) {
    size_t k = 0, shown = 0;
    text_puts(page->ctx, &page->text,
              "\n    #      lambda           C  nonzero  explained       gap    cv loss        +-  "
              "cv error\n");
    for (const struct tree *row = table->rows->first; row; row = row->next, k++) {
        if (!path_row_shown(table, k)) continue;
        path_row_cells(page, row, k);
        if (k == table->best) text_puts(page->ctx, &page->text, "  min");
        if (k == table->one_se) text_puts(page->ctx, &page->text, "  1se");
        text_puts(page->ctx, &page->text, "\n");
        shown++;
    }
    return shown;
}

static const char *penalty_in_words(double ratio) {
    return ratio == 1 ? "L1 penalty" : ratio == 0 ? "L2 penalty" : "elastic-net penalty";
}

void path_page(struct page *page, const struct tree *root, bool all);
void path_page(struct page *page, const struct tree *root, bool all) {
    const struct tree *rows = tree_find(root, "path");
    const struct path_table table = {.rows = rows,
                                     .best = (size_t)report_number(root, "best.index"),
                                     .one_se =
                                         (size_t)report_number(root, "one_standard_error.index"),
                                     .all = all};
    const char *chosen = report_string(root, "chosen");
    char ratio[48] = "";
    if (report_number(root, "ratio") > 0 && report_number(root, "ratio") < 1)
        (void)snprintf(ratio, sizeof ratio, " of ratio %g", report_number(root, "ratio"));
    page_line(page, "spec", "%s", report_string(root, "fit.spec_in_short"));
    page_shape(page, root);
    page_target(page, root);
    page_classes(page, "classes", tree_find(root, "classes"), NULL);
    page_line(page, "path", "%zu values of lambda, %s%s; %.0f folds", rows->count,
              penalty_in_words(report_number(root, "ratio")), ratio, report_number(root, "folds"));
    size_t shown = path_rows_page(page, &table);
    if (shown < rows->count)
        text_printf(page->ctx, &page->text, "(%zu of %zu values; -v shows all)\n", shown,
                    rows->count);
    text_puts(page->ctx, &page->text, "\n");
    bool least = strcmp(chosen, "best") == 0;
    page_line(page, "chosen", "%s: %s", least ? "min" : "1se",
              least ? "the least loss on held-out rows"
                    : "the strongest penalty within a standard error of the least loss");
    char digits[DECIMAL_BYTES + 1];
    digits[decimal_print(digits, report_number(root, "fit.objective"))] = '\0';
    page_line(page, "objective", "%s", digits);
    page_line(page, "training", "accuracy %.4f", report_number(root, "fit.train.accuracy"));
    page_line(page, "time", "%.3f s loading, %.3f s path, %.3f s folds, %.0f threads",
              report_number(root, "seconds.load"), report_number(root, "seconds.path"),
              report_number(root, "seconds.folds"), report_number(root, "threads"));
}
