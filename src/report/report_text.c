/* Reports for people. Everything shown is read from the tree that JSON prints. */
#include "core/decimal.h"
#include "eval/metric.h"
#include "report/report_page.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- one page per kind -------------------------------------------------------------------- */

/* The axes of a discriminant: eigenvalues and what proportion each has. */
static void discriminant_lines(struct page *page, const struct tree *root) {
    enum { SHOWN = 6, NAME_WIDTH = 12 };
    const struct tree *facts = tree_find(root, "discriminant");
    if (!facts) return;
    const struct tree *values = tree_find(facts, "eigenvalues"),
                      *proportions = tree_find(facts, "share");
    page_left(page, "J", NAME_WIDTH);
    if (isnan(report_number(facts, "J")))
        text_puts(page->ctx, &page->text, "infinite: the means differ where no class varies");
    else
        text_number(page->ctx, &page->text, report_number(facts, "J"));
    text_puts(page->ctx, &page->text, "\n");
    if (!values || !proportions) return;
    page_left(page, "eigenvalues", NAME_WIDTH);
    size_t shown = 0;
    const struct tree *proportion = proportions->first;
    for (const struct tree *value = values->first; value && proportion && shown < SHOWN;
         value = value->next, proportion = proportion->next, shown++) {
        text_printf(page->ctx, &page->text, "%s%.6g", shown ? ", " : "", value->number);
        if (proportion->kind == TREE_NUMBER)
            text_printf(page->ctx, &page->text, " (%.2f %%)", 100 * proportion->number);
    }
    if (values->count > shown)
        text_printf(page->ctx, &page->text, " and %zu more", values->count - shown);
    text_puts(page->ctx, &page->text, "\n");
}

/* Nothing is proved; a small gradient and decrement suggest something. */
static void no_proof_line(struct page *page, const struct tree *root) {
    double slope = report_number(root, "certificate.gradient"),
           decrement = report_number(root, "certificate.decrement");
    char digits[48] = "";
    if (!isnan(decrement))
        (void)snprintf(digits, sizeof digits, ", Newton decrement %.2g", decrement);
    if (isnan(slope))
        page_line(page, "certificate",
                  "none: the objective or its bound is beyond the largest number");
    else
        page_line(page, "certificate", "none: %s; largest gradient entry %.2g%s",
                  tree_find(tree_find(root, "certificate"), "convex")
                      ? "the loss is not convex, and there may be a lower minimum"
                      : "without a penalty no dual bound is available",
                  slope, digits);
}

/* How far the objective can be from the least one: proved, or only suggested by the gradient. */
static void proof_line(struct page *page, const struct tree *root) {
    double gap = report_number(root, "gap"), objective = report_number(root, "objective");
    char digits[DECIMAL_BYTES + 1];
    if (!isnan(gap)) {
        double bound = objective - gap * fabs(objective);
        digits[decimal_print(digits, bound > 0 ? bound : 0)] = '\0';
        page_line(page, "certificate",
                  "relative duality gap %.2g: no weights have an objective below %s", gap, digits);
    } else if (tree_find(root, "certificate")) {
        no_proof_line(page, root);
    }
}

/* How the model does on test rows, and how who knows nothing but the classes would. */
static void test_lines(struct page *page, const struct tree *root) {
    const struct tree *test = tree_find(root, "test");
    enum { NAME_WIDTH = 12 };
    bool two = tree_find(root, "classes")->count == 2;
    char covered[64] = "";
    if (test->kind != TREE_OBJECT) return;
    if (tree_find(test, "label_sets")) {
        labels_test_line(page, test);
        return;
    }
    if (report_number(test, "coverage") < 1)
        snprintf(covered, sizeof covered, "; coverage %.4f", report_number(test, "coverage"));
    page_left(page, "test", NAME_WIDTH);
    double rows = report_number(test, "rows");
    text_printf(page->ctx, &page->text, "accuracy %.4f on %.0f row%s%s; balanced accuracy ",
                report_number(test, "accuracy"), rows, rows == 1 ? "" : "s", covered);
    page_cell(page, report_number(test, "balanced_accuracy"), 4, 0);
    text_puts(page->ctx, &page->text, two ? ", ROC AUC " : ", macro F1 ");
    page_cell(page, report_number(test, two ? "roc_auc" : "macro.f1"), 4, 0);
    text_puts(page->ctx, &page->text, "\n");
    if (tree_find(test, "baseline"))
        page_line(page, "baseline",
                  "accuracy %.4f by always predicting %s, the most frequent class in training",
                  report_number(test, "baseline.accuracy"), report_string(test, "baseline.label"));
}

/* Probabilities fitted to the scores of held-out rows, and what they gained. */
static void calibration_line(struct page *page, const struct tree *root) {
    const struct tree *facts = tree_find(root, "calibration");
    double before = facts ? report_number(facts, "log_loss_before") : NAN;
    char from[64] = "";
    if (!facts) return;
    if (!isnan(before)) (void)snprintf(from, sizeof from, " (%.4f before)", before);
    page_line(page, "calibration", "%s, %.0f folds; out-of-fold log loss %.4f%s",
              report_string(facts, "method"), report_number(facts, "folds"),
              report_number(facts, "log_loss_after"), from);
}

/* After class weights: whose frequencies the probabilities are about. */
static void priors_line(struct page *page, const struct tree *root) {
    const char *priors = report_string(root, "priors_in_force");
    if (!*priors) return;
    page_line(
        page, "priors", "%s",
        strcmp(priors, "corrected") == 0
            ? "of the rows: the intercepts are shifted back by the class weights"
            : "of the class weights, and so are the probabilities (correct_priors=true shifts "
              "them back)");
}

static void margin_lines(struct page *page, const struct tree *root) {
    const struct tree *svm = tree_find(root, "svm");
    if (svm && isnan(report_number(svm, "margin"))) /* weights of 0 */
        page_line(page, "margin", "none; %.0f support vectors",
                  report_number(svm, "support_vectors"));
    else if (svm)
        page_line(page, "margin", "%.6g (1/|w|); %.0f support vectors",
                  report_number(svm, "margin"), report_number(svm, "support_vectors"));
    const struct tree *perceptron = tree_find(root, "perceptron");
    char bound[64] = "";
    if (perceptron && !isnan(report_number(perceptron, "bound")))
        snprintf(bound, sizeof bound, ", at most %.6g by Novikoff's bound",
                 report_number(perceptron, "bound"));
    if (perceptron && !isnan(report_number(perceptron, "margin")))
        page_line(page, "margin", "%.6g; radius %.6g; %.0f updates%s",
                  report_number(perceptron, "margin"), report_number(perceptron, "radius"),
                  report_number(perceptron, "updates"), bound);
}

static void fit_page(struct page *page, const struct tree *root) {
    char digits[DECIMAL_BYTES + 1];
    page_line(page, "spec", "%s", report_string(root, "spec_in_short"));
    page_shape(page, root);
    page_target(page, root);
    bool sets = tree_find(root, "label_sets") != NULL;
    page_classes(page, sets ? "labels" : "classes", tree_find(root, "classes"), NULL);
    if (*report_string(root, "loss"))
        page_line(page, "loss", "%s", report_string(root, "loss"));
    else
        page_line(page, "minimises", "%s", report_string(root, "objective_in_words"));
    page_line(page, "solver", "%s", report_string(root, "solver"));
    if (*report_string(root, "joint_alternative"))
        page_line(page, "strategy", "%s, by two-class problems; %s fits all classes jointly",
                  report_string(root, "strategy"), report_string(root, "joint_alternative"));
    digits[decimal_print(digits, report_number(root, "objective"))] = '\0';
    page_line(page, "objective", "%s", isnan(report_number(root, "objective")) ? "n/a" : digits);
    proof_line(page, root);
    double iterations = report_number(root, "iterations");
    const char *unit = tree_find(root, "certificate") || !isnan(report_number(root, "gap"))
                           ? (iterations == 1 ? "iteration" : "iterations")
                           : (iterations == 1 ? "pass" : "passes");
    bool converged = report_number(root, "converged") == 1;
    if (*report_string(root, "stopped"))
        page_line(page, "converged", "no: stopped early (%s) after %.0f %s",
                  report_string(root, "stopped"), iterations, unit);
    else if (iterations == 0)
        page_line(page, "converged", "%s", converged ? "yes, in closed form" : "no");
    else
        page_line(page, "converged", "%s, %.0f %s", converged ? "yes" : "no", iterations, unit);
    margin_lines(page, root);
    discriminant_lines(page, root);
    calibration_line(page, root);
    priors_line(page, root);
    page_decision(page, root);
    double errors = report_number(root, "train.errors");
    if (sets)
        labels_training_line(page, root);
    else
        page_line(page, "training", "accuracy %.4f (%g error%s)",
                  report_number(root, "train.accuracy"), errors, errors == 1 ? "" : "s");
    test_lines(page, root);
    page_line(page, "time", "%.3f s loading, %.3f s fitting, %.0f threads",
              report_number(root, "seconds.load"), report_number(root, "seconds.fit"),
              report_number(root, "threads"));
}

static void confusion_table(struct page *page, const struct tree *root) {
    enum { SHOWN = 30, NARROWEST = 6 };
    const struct tree *labels = tree_find(root, "labels");
    if (labels->count > SHOWN) {
        text_printf(page->ctx, &page->text,
                    "(the confusion matrix of %zu classes is in the JSON report)\n\n",
                    labels->count);
        return;
    }
    size_t width = NARROWEST;
    for (const struct tree *label = labels->first; label; label = label->next)
        if (utf8_width(label->text.bytes) > width) width = utf8_width(label->text.bytes);
    text_puts(page->ctx, &page->text, "confusion (rows: target, columns: predicted)\n");
    page_pad(page, 0, width);
    for (const struct tree *label = labels->first; label; label = label->next)
        page_right(page, label->text.bytes, width + 2);
    if (tree_find(root, "confusion")->first->count > labels->count)
        page_right(page, "?", width + 2);
    text_puts(page->ctx, &page->text, "\n");
    const struct tree *row = tree_find(root, "confusion")->first;
    for (const struct tree *label = labels->first; label; label = label->next, row = row->next) {
        page_left(page, label->text.bytes, width);
        for (const struct tree *count = row->first; count; count = count->next)
            page_cell(page, count->number, 0, width + 2);
        text_puts(page->ctx, &page->text, "\n");
    }
    text_puts(page->ctx, &page->text, "\n");
}

static void measure_row(struct page *page, const char *name, size_t width, const struct tree *row) {
    enum { MEASURE_WIDTH = 11 };
    page_left(page, name, width);
    page_cell(page, report_number(row, "precision"), 4, MEASURE_WIDTH);
    page_cell(page, report_number(row, "recall"), 4, MEASURE_WIDTH);
    page_cell(page, report_number(row, "f1"), 4, MEASURE_WIDTH);
    if (tree_find(row, "support")) page_cell(page, report_number(row, "support"), 0, MEASURE_WIDTH);
    text_puts(page->ctx, &page->text, "\n");
}

/* The metrics of all rows but the first three, which head the page; those that the model cannot have are
   left out. "log_loss" reads "log loss". */
void page_metrics(struct page *page, const struct tree *root) {
    enum { NAME_WIDTH = 12, DIGITS = 4 };
    for (const struct metric *const *row = metric_table; *row; row++) {
        double value = report_number(root, (*row)->name);
        bool shown =
            *row == &metric_accuracy || *row == &metric_error || *row == &metric_balanced_accuracy;
        if (!(*row)->of_rows || shown || (isnan(value) && tree_find(root, "label_sets")) ||
            ((*row)->probabilities && isnan(value)))
            continue;
        char name[32], path[64];
        (void)snprintf(name, sizeof name, "%s", (*row)->name);
        (void)snprintf(path, sizeof path, "intervals.%s", (*row)->name);
        for (char *at = name; (at = strchr(at, '_')) != NULL;) *at = ' ';
        page_left(page, name, NAME_WIDTH);
        page_cell(page, value, DIGITS, 0);
        page_interval(page, root, path);
        text_puts(page->ctx, &page->text, "\n");
    }
}

/* Precision, recall and F1 of each class, then their averages. */
void page_class_table(struct page *page, const struct tree *root) {
    const struct tree *classes = tree_find(root, "per_class");
    size_t width = strlen("weighted");
    for (const struct tree *row = classes->first; row; row = row->next)
        if (utf8_width(report_string(row, "label")) > width)
            width = utf8_width(report_string(row, "label"));
    page_pad(page, 0, width);
    text_puts(page->ctx, &page->text, "  precision     recall         f1    support\n");
    for (const struct tree *row = classes->first; row; row = row->next)
        measure_row(page, report_string(row, "label"), width, row);
    measure_row(page, "macro", width, tree_find(root, "macro"));
    measure_row(page, "micro", width, tree_find(root, "micro"));
    measure_row(page, "weighted", width, tree_find(root, "weighted"));
    text_puts(page->ctx, &page->text, "\n");
}

static void page_top_k(struct page *page, const struct tree *root) {
    enum { NAME_WIDTH = 12 };
    if (!tree_find(root, "top_k")) return;
    page_left(page, "top k", NAME_WIDTH);
    text_printf(page->ctx, &page->text, "%.4f", report_number(root, "top_k.accuracy"));
    page_interval(page, root, "intervals.top_k");
    text_printf(page->ctx, &page->text, " of the rows have their class among the first %.0f\n",
                report_number(root, "top_k.k"));
}

static void evaluation_page(struct page *page, const struct tree *root) {
    enum { NAME_WIDTH = 12, DIGITS = 4 };
    if (tree_find(root, "label_sets")) {
        labels_page(page, root);
        return;
    }
    page_line(page, "rows", "%.0f", report_number(root, "rows"));
    page_target(page, root);
    page_left(page, "accuracy", NAME_WIDTH);
    page_cell(page, report_number(root, "accuracy"), DIGITS, 0);
    page_interval(page, root, "intervals.accuracy");
    text_printf(page->ctx, &page->text, " (error %.4f); balanced accuracy %.4f",
                report_number(root, "error"), report_number(root, "balanced_accuracy"));
    page_interval(page, root, "intervals.balanced_accuracy");
    text_puts(page->ctx, &page->text, "\n");
    page_top_k(page, root);
    page_decision(page, root);
    text_puts(page->ctx, &page->text, "\n");
    confusion_table(page, root);
    page_class_table(page, root);
    const struct {
        const char *name, *key;
        int digits;
        double dull; /* not worth a line */
        const char *then;
    } more[] = {
        {"coverage", "coverage", 4, 1, " of the rows are decided"},
        {"several", "ambiguous.several", 0, 0, " of the rows are claimed by several classes"},
        {"none", "ambiguous.none", 0, 0, " of the rows are claimed by no class"},
        {"tied", "ambiguous.tied", 0, 0, " of the rows have a tie of votes"}};
    page_metrics(page, root);
    for (size_t i = 0; i < sizeof more / sizeof *more; i++) {
        double value = report_number(root, more[i].key), dull = more[i].dull;
        if (value == dull || (isnan(value) && isnan(dull))) continue;
        page_left(page, more[i].name, NAME_WIDTH);
        page_cell(page, value, more[i].digits, 0);
        text_printf(page->ctx, &page->text, "%s\n", more[i].then);
    }
    judgement_page(page, root);
}

sepal_status report_text(char **out, sepal_ctx *ctx, const sepal_report *report) {
    struct page page = {.ctx = ctx};
    switch (report->kind) {
    case REPORT_FIT: fit_page(&page, report->root); break;
    case REPORT_EVALUATION: evaluation_page(&page, report->root); break;
    case REPORT_DATA: data_page(&page, report->root); break;
    case REPORT_MODEL: model_page(&page, report->root, report->top); break;
    case REPORT_SUMMARY: summary_page(&page, report->root); break;
    case REPORT_SELECTION: selection_page(&page, report); break;
    case REPORT_DOCTOR: doctor_page(&page, report->root); break;
    case REPORT_SPLIT: split_page(&page, report->root); break;
    case REPORT_READ: break;
    case REPORT_SEPARABILITY: separable_page(ctx, &page.text, report->root); break;
    }
    *out = text_take(ctx, &page.text);
    return *out ? SEPAL_OK : SEPAL_EMEMORY;
}
