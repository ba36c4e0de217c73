/* How the rows of a file were cut in two, for people. */
#include "report/report_page.h"

static void split_side(struct page *page, const struct tree *root, const char *name) {
    const struct tree *side = tree_find(root, name), *classes = tree_find(root, "classes");
    double rows = report_number(side, "rows");
    page_line(page, name, "%.0f row%s to %s", rows, rows == 1 ? "" : "s",
              report_string(side, "output"));
    if (*report_string(side, "labels_output"))
        page_line(page, "", "their labels to %s", report_string(side, "labels_output"));
    if (*report_string(side, "weights_output"))
        page_line(page, "", "their weights to %s", report_string(side, "weights_output"));
    if (classes) page_classes(page, "", classes, tree_find(side, "counts"));
}

void split_page(struct page *page, const struct tree *root) {
    double left_out = report_number(root, "left_out");
    page_line(page, "split", "%s%s%s, %.4g of %.0f rows for the test", report_string(root, "split"),
              *report_string(root, "group") ? " by " : "", report_string(root, "group"),
              report_number(root, "share"), report_number(root, "rows"));
    page_target(page, root);
    split_side(page, root, "train");
    split_side(page, root, "test");
    if (left_out > 0)
        page_line(page, "left out", "%.0f record%s that %s no row to learn from", left_out,
                  left_out == 1 ? "" : "s", left_out == 1 ? "is" : "are");
}
