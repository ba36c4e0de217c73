/* Sets of labels, for people: a set is right when all of its labels are, which is much to ask; so it is
   told as well how many single labels are right. */
#include "report/report_page.h"

void labels_training_line(struct page *page, const struct tree *root) {
    page_line(
        page, "training", "subset accuracy %.4f, Hamming loss %.4f, micro F1 %.4f, macro F1 %.4f",
        report_number(root, "train.subset_accuracy"), report_number(root, "train.hamming_loss"),
        report_number(root, "train.micro_f1"), report_number(root, "train.macro_f1"));
}

void labels_test_line(struct page *page, const struct tree *test) {
    page_line(page, "test",
              "subset accuracy %.4f on %.0f rows, Hamming loss %.4f, micro F1 %.4f, macro F1 %.4f",
              report_number(test, "subset_accuracy"), report_number(test, "rows"),
              report_number(test, "hamming_loss"), report_number(test, "micro.f1"),
              report_number(test, "macro.f1"));
}

void labels_page(struct page *page, const struct tree *root) {
    enum { NAME_WIDTH = 12 };
    page_line(page, "rows", "%.0f", report_number(root, "rows"));
    page_target(page, root);
    page_line(page, "labels", "%zu; %.3f a row, %.3f predicted", tree_find(root, "labels")->count,
              report_number(root, "cardinality.actual"),
              report_number(root, "cardinality.predicted"));
    page_left(page, "sets", NAME_WIDTH);
    text_printf(page->ctx, &page->text, "subset accuracy %.4f",
                report_number(root, "subset_accuracy"));
    page_interval(page, root, "intervals.accuracy");
    text_printf(page->ctx, &page->text, " (error %.4f); Hamming loss %.4f\n",
                report_number(root, "error"), report_number(root, "hamming_loss"));
    page_decision(page, root);
    text_puts(page->ctx, &page->text, "\n");
    page_class_table(page, root);
    page_metrics(page, root);
    judgement_page(page, root);
}
