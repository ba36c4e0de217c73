/* What the doctor found, for people. */
#include "report/report_page.h"

void doctor_page(struct page *page, const struct tree *root) {
    const struct tree *list = tree_find(root, "doctor");
    double rows = report_number(root, "rows"), looked = report_number(root, "looked_at");
    if (looked < rows && looked > 0)
        page_line(page, "rows", "%.0f, of which %.0f were looked at closely", rows, looked);
    else
        page_line(page, "rows", "%.0f", rows);
    page_target(page, root);
    if (!list->first) page_line(page, "findings", "none");
    for (const struct tree *one = list->first; one; one = one->next) {
        page_line(page, report_string(one, "code"), "%s", report_string(one, "message"));
        page_line(page, "", "%s", report_string(one, "advice"));
    }
}
