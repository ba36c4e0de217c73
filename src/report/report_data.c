/* A description of data for people: facts of the file, then a table of its columns. */
#include "core/decimal.h"
#include "report/report_page.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void file_line(struct page *page, const struct tree *root) {
    const char *delimiter = report_string(root, "delimiter");
    const char *mark = strcmp(delimiter, "\t") == 0 ? "tab" : delimiter;
    bool header = report_number(root, "header") == 1;
    if (!tree_find(root, "format")) return;
    if (*delimiter)
        page_line(page, "file", "%s, delimiter '%s', %s", report_string(root, "format"), mark,
                  header ? "with a header" : "without a header");
    else
        page_line(page, "file", "%s", report_string(root, "format"));
}

/* "866 cells: Cabin 687, Age 177 and 1 more column" */
static void missing_line(struct page *page, const struct tree *root) {
    enum { SHOWN = 5, BYTES = 512 };
    char list[BYTES] = "";
    double cells = 0;
    size_t columns = 0, used = 0;
    for (const struct tree *row = tree_find(root, "table")->first; row; row = row->next) {
        double missing = report_number(row, "missing");
        if (!(missing > 0)) continue;
        cells += missing;
        if (columns++ >= SHOWN) continue;
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%.60s %.0f", used ? ", " : "",
                                 report_string(row, "name"), missing);
    }
    if (columns > SHOWN)
        snprintf(list + used, sizeof list - used, " and %zu more columns", columns - SHOWN);
    if (columns) page_line(page, "missing", "%.0f cell%s: %s", cells, cells == 1 ? "" : "s", list);
}

static void odd_lines(struct page *page, const struct tree *root) {
    const struct tree *odd = tree_find(root, "odd");
    if (!odd || !odd->first) return;
    page_line(page, "odd cells", "%.0f in columns of numbers%s", report_number(root, "odd_cells"),
              report_number(root, "odd_cells") > (double)odd->count ? ", the first:" : ":");
    for (const struct tree *cell = odd->first; cell; cell = cell->next)
        page_line(page, "", "line %.0f, column %.0f: '%s' in %s", report_number(cell, "line"),
                  report_number(cell, "column"), report_string(cell, "text"),
                  report_string(cell, "name"));
}

/* ---- the table ---------------------------------------------------------------------------- */

enum { NAME_WIDTH = 28, NUMBER_WIDTH = 12, MOST_ROWS = 100 };

static void number_cell(struct page *page, const struct tree *row, const char *key) {
    char text[DECIMAL_BYTES + 1] = "-";
    double value = report_number(row, key);
    /* as many digits as leave a blank before it: -1.23457e-05 has one too many */
    for (int digits = 6; !isnan(value) && digits > 0; digits--) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (strlen(text) < NUMBER_WIDTH) break;
    }
    page_right(page, text, NUMBER_WIDTH);
}

static void count_cell(struct page *page, const struct tree *row, const char *key) {
    char text[DECIMAL_BYTES + 1] = "-";
    double value = report_number(row, key);
    if (!isnan(value)) snprintf(text, sizeof text, "%.0f", value);
    page_right(page, text, NUMBER_WIDTH - 2);
}

static void table_row(struct page *page, const struct tree *row, size_t width) {
    const char *kind = report_string(row, "kind");
    page_left(page, report_string(row, "name"), width + 2);
    page_left(page, *kind ? kind : "-", 8);
    page_left(page, report_string(row, "role"), 8);
    count_cell(page, row, "missing");
    count_cell(page, row, "distinct");
    number_cell(page, row, "min");
    number_cell(page, row, "mean");
    number_cell(page, row, "max");
    text_puts(page->ctx, &page->text, "\n");
}

static void column_table(struct page *page, const struct tree *root) {
    const struct tree *table = tree_find(root, "table");
    size_t width = strlen("column"), shown = 0;
    if (!table->first) return;
    for (const struct tree *row = table->first; row; row = row->next) {
        size_t own = utf8_width(report_string(row, "name"));
        if (own > width && own <= NAME_WIDTH) width = own;
    }
    text_puts(page->ctx, &page->text, "\n");
    page_left(page, "column", width + 2);
    text_puts(page->ctx, &page->text,
              "kind    role       missing  distinct         min        mean         max\n");
    for (const struct tree *row = table->first; row && shown < MOST_ROWS; row = row->next, shown++)
        table_row(page, row, width);
    if (table->count > shown)
        text_printf(page->ctx, &page->text, "... %zu more, all of them in the JSON report\n",
                    table->count - shown);
}

void data_page(struct page *page, const struct tree *root) {
    char digits[DECIMAL_BYTES + 1];
    file_line(page, root);
    page_shape(page, root);
    page_target(page, root);
    page_classes(page, tree_find(root, "label_sets") ? "label sets" : "classes",
                 tree_find(root, "classes"), tree_find(root, "counts"));
    if (tree_find(root, "label_sets"))
        page_line(page, "cardinality", "%.3f labels a row; %.0f row%s without any",
                  report_number(root, "cardinality"), report_number(root, "empty_sets"),
                  report_number(root, "empty_sets") == 1 ? "" : "s");
    missing_line(page, root);
    odd_lines(page, root);
    digits[decimal_print(digits, report_number(root, "sum"))] = '\0';
    page_line(page, "sum", "%s", digits);
    page_line(page, "storage", "%s, %.1f MB", report_string(root, "storage"),
              report_number(root, "memory") / 1e6);
    column_table(page, root);
}
