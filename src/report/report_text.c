/* Reports for people. Everything shown is read from the tree that JSON prints. */
#include "core/decimal.h"
#include "report/report.h"
#include "eval/metric.h"
#include "model/decision.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct page {
    sepal_ctx *ctx;
    struct text text;
};

static double report_number(const struct tree *root, const char *path) {
    const struct tree *node = tree_path(root, path);
    if (node && node->kind == TREE_BOOL) return node->truth;
    return node && node->kind == TREE_NUMBER ? node->number : NAN;
}

static const char *string(const struct tree *root, const char *path) {
    const struct tree *node = tree_path(root, path);
    return node && node->kind == TREE_TEXT ? node->text.bytes : "";
}

/* How wide a UTF-8 text is on a terminal, near enough: its characters. */
static void pad(struct page *page, size_t have, size_t want) {
    for (; have < want; have++) text_puts(page->ctx, &page->text, " ");
}

static void left(struct page *page, const char *text, size_t width) {
    text_puts(page->ctx, &page->text, text);
    pad(page, utf8_width(text), width);
}

static void right(struct page *page, const char *text, size_t width) {
    pad(page, utf8_width(text), width);
    text_puts(page->ctx, &page->text, text);
}

/* Counts exactly, measures to `digits` places, "n/a" for what is undefined. */
static void cell(struct page *page, double value, int digits, size_t width) {
    char text[64] = "n/a";
    if (!isnan(value) && value == floor(value) && fabs(value) < 1e15 && digits == 0)
        text[decimal_print(text, value)] = '\0';
    else if (!isnan(value))
        snprintf(text, sizeof text, "%.*f", digits ? digits : 3, value);
    right(page, text, width);
}

static void line(struct page *page, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void line(struct page *page, const char *name, const char *format, ...) {
    enum { NAME_WIDTH = 12, LINE_BYTES = 1024 };
    char text[LINE_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    left(page, name, NAME_WIDTH);
    text_printf(page->ctx, &page->text, "%s\n", text);
}

/* "setosa, versicolor, virginica", cut short when there are many. */
static void class_list(struct page *page, const char *name, const struct tree *classes,
                       const struct tree *counts) {
    enum { SHOWN = 12, NAME_WIDTH = 12 };
    left(page, name, NAME_WIDTH);
    const struct tree *count = counts ? counts->first : NULL;
    size_t shown = 0;
    for (const struct tree *class = classes->first; class && shown < SHOWN;
         class = class->next, shown++) {
        text_printf(page->ctx, &page->text, "%s%s", shown ? ", " : "", class->text.bytes);
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

static void shape(struct page *page, const struct tree *root) {
    double features = report_number(root, "features"), columns = report_number(root, "columns");
    char more[64] = "";
    if (columns != features) snprintf(more, sizeof more, " (%.0f columns)", columns);
    line(page, "data", "%.0f rows, %.0f features%s, %.0f nonzeros", report_number(root, "rows"),
         features, more, report_number(root, "nonzeros"));
}

/* ---- one page per kind -------------------------------------------------------------------- */

/* The axes of a discriminant: eigenvalues and what proportion each has. */
static void discriminant_lines(struct page *page, const struct tree *root) {
    enum { SHOWN = 6, NAME_WIDTH = 12 };
    const struct tree *facts = tree_find(root, "discriminant");
    if (!facts) return;
    const struct tree *values = tree_find(facts, "eigenvalues"),
                      *proportions = tree_find(facts, "share");
    left(page, "J", NAME_WIDTH);
    if (isnan(report_number(facts, "J")))
        text_puts(page->ctx, &page->text, "infinite: the means differ where no class varies");
    else
        text_number(page->ctx, &page->text, report_number(facts, "J"));
    text_puts(page->ctx, &page->text, "\n");
    if (!values || !proportions) return;
    left(page, "eigenvalues", NAME_WIDTH);
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
        line(page, "certificate", "none: the objective or its bound is beyond the largest number");
    else
        line(page, "certificate",
             "none: without a penalty no dual bound is available; largest gradient entry %.2g%s",
             slope, digits);
}

/* How far the objective can be from the least one: proved, or only suggested by the gradient. */
static void proof_line(struct page *page, const struct tree *root) {
    double gap = report_number(root, "gap"), objective = report_number(root, "objective");
    char digits[DECIMAL_BYTES + 1];
    if (!isnan(gap)) {
        double bound = objective - gap * fabs(objective);
        digits[decimal_print(digits, bound > 0 ? bound : 0)] = '\0';
        line(page, "certificate",
             "relative duality gap %.2g: no weights have an objective below %s", gap, digits);
    } else if (tree_find(root, "certificate")) {
        no_proof_line(page, root);
    }
}

static void decision_line(struct page *page, const struct tree *root) {
    const char *open = strcmp(string(root, "decision.ambiguous"), "undecided") == 0
                           ? "; ambiguous rows stay undecided"
                           : "";
    char cutoff[DECIMAL_BYTES + 1];
    if (!tree_find(root, "decision")) return;
    cutoff[decimal_print(cutoff, report_number(root, "decision.cutoff"))] = '\0';
    const struct decision *rule = decision_table[decision_find(string(root, "decision.decide"))];
    if (isnan(report_number(root, "decision.cutoff")))
        line(page, "decision", "%s%s", rule->words, open);
    else
        line(page, "decision", "%s%s%s%s", rule->with_cutoff[0], cutoff, rule->with_cutoff[1],
             open);
}

static void fit_page(struct page *page, const struct tree *root) {
    char digits[DECIMAL_BYTES + 1];
    line(page, "spec", "%s", string(root, "spec_in_short"));
    shape(page, root);
    class_list(page, "classes", tree_find(root, "classes"), NULL);
    if (*string(root, "loss"))
        line(page, "loss", "%s", string(root, "loss"));
    else
        line(page, "minimises", "%s", string(root, "objective_in_words"));
    line(page, "solver", "%s", string(root, "solver"));
    digits[decimal_print(digits, report_number(root, "objective"))] = '\0';
    line(page, "objective", "%s", isnan(report_number(root, "objective")) ? "n/a" : digits);
    proof_line(page, root);
    double iterations = report_number(root, "iterations");
    const char *unit = tree_find(root, "certificate") || !isnan(report_number(root, "gap"))
                           ? (iterations == 1 ? "iteration" : "iterations")
                           : (iterations == 1 ? "pass" : "passes");
    bool converged = report_number(root, "converged") == 1;
    if (*string(root, "stopped"))
        line(page, "converged", "no: stopped early (%s) after %.0f %s", string(root, "stopped"),
             iterations, unit);
    else if (iterations == 0)
        line(page, "converged", "%s", converged ? "yes, in closed form" : "no");
    else
        line(page, "converged", "%s, %.0f %s", converged ? "yes" : "no", iterations, unit);
    const struct tree *svm = tree_find(root, "svm");
    if (svm)
        line(page, "margin", "%.6g (1/|w|); %.0f support vectors", report_number(svm, "margin"),
             report_number(svm, "support_vectors"));
    const struct tree *perceptron = tree_find(root, "perceptron");
    if (perceptron && !isnan(report_number(perceptron, "margin")))
        line(page, "margin", "%.6g; radius %.6g; %.0f updates, at most %.6g by Novikoff's bound",
             report_number(perceptron, "margin"), report_number(perceptron, "radius"),
             report_number(perceptron, "updates"), report_number(perceptron, "bound"));
    discriminant_lines(page, root);
    decision_line(page, root);
    double errors = report_number(root, "train.errors");
    line(page, "training", "accuracy %.4f (%g error%s)", report_number(root, "train.accuracy"),
         errors, errors == 1 ? "" : "s");
    char covered[64] = "";
    if (report_number(root, "test.coverage") < 1)
        snprintf(covered, sizeof covered, "; coverage %.4f", report_number(root, "test.coverage"));
    if (!isnan(report_number(root, "test.accuracy")))
        line(page, "test", "accuracy %.4f on %.0f rows%s", report_number(root, "test.accuracy"),
             report_number(root, "test.rows"), covered);
    line(page, "time", "%.3f s loading, %.3f s fitting, %.0f threads",
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
    pad(page, 0, width);
    for (const struct tree *label = labels->first; label; label = label->next)
        right(page, label->text.bytes, width + 2);
    if (tree_find(root, "confusion")->first->count > labels->count) right(page, "?", width + 2);
    text_puts(page->ctx, &page->text, "\n");
    const struct tree *row = tree_find(root, "confusion")->first;
    for (const struct tree *label = labels->first; label; label = label->next, row = row->next) {
        left(page, label->text.bytes, width);
        for (const struct tree *count = row->first; count; count = count->next)
            cell(page, count->number, 0, width + 2);
        text_puts(page->ctx, &page->text, "\n");
    }
    text_puts(page->ctx, &page->text, "\n");
}

static void measure_row(struct page *page, const char *name, size_t width, const struct tree *row) {
    enum { MEASURE_WIDTH = 11 };
    left(page, name, width);
    cell(page, report_number(row, "precision"), 4, MEASURE_WIDTH);
    cell(page, report_number(row, "recall"), 4, MEASURE_WIDTH);
    cell(page, report_number(row, "f1"), 4, MEASURE_WIDTH);
    if (tree_find(row, "support")) cell(page, report_number(row, "support"), 0, MEASURE_WIDTH);
    text_puts(page->ctx, &page->text, "\n");
}

/* The metrics of all rows but the first two, which head the page; those that the model cannot have are
   left out. "log_loss" reads "log loss". */
static void metric_lines(struct page *page, const struct tree *root) {
    enum { NAME_WIDTH = 12, DIGITS = 4 };
    for (const struct metric *const *row = metric_table; *row; row++) {
        double value = report_number(root, (*row)->name);
        bool shown = *row == &metric_accuracy || *row == &metric_error;
        if (!(*row)->of_rows || shown || ((*row)->probabilities && isnan(value))) continue;
        char name[32];
        (void)snprintf(name, sizeof name, "%s", (*row)->name);
        for (char *at = name; (at = strchr(at, '_')) != NULL;) *at = ' ';
        left(page, name, NAME_WIDTH);
        cell(page, value, DIGITS, 0);
        text_puts(page->ctx, &page->text, "\n");
    }
}

static void evaluation_page(struct page *page, const struct tree *root) {
    enum { NAME_WIDTH = 12 };
    line(page, "rows", "%.0f", report_number(root, "rows"));
    line(page, "accuracy", "%.4f (error %.4f)", report_number(root, "accuracy"),
         report_number(root, "error"));
    decision_line(page, root);
    text_puts(page->ctx, &page->text, "\n");
    confusion_table(page, root);
    const struct tree *classes = tree_find(root, "per_class");
    size_t width = strlen("weighted");
    for (const struct tree *row = classes->first; row; row = row->next)
        if (utf8_width(string(row, "label")) > width) width = utf8_width(string(row, "label"));
    pad(page, 0, width);
    text_puts(page->ctx, &page->text, "  precision     recall         f1    support\n");
    for (const struct tree *row = classes->first; row; row = row->next)
        measure_row(page, string(row, "label"), width, row);
    measure_row(page, "macro", width, tree_find(root, "macro"));
    measure_row(page, "micro", width, tree_find(root, "micro"));
    measure_row(page, "weighted", width, tree_find(root, "weighted"));
    text_puts(page->ctx, &page->text, "\n");
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
    metric_lines(page, root);
    for (size_t i = 0; i < sizeof more / sizeof *more; i++) {
        double value = report_number(root, more[i].key), dull = more[i].dull;
        if (value == dull || (isnan(value) && isnan(dull))) continue;
        left(page, more[i].name, NAME_WIDTH);
        cell(page, value, more[i].digits, 0);
        text_printf(page->ctx, &page->text, "%s\n", more[i].then);
    }
}

static void data_page(struct page *page, const struct tree *root) {
    char digits[DECIMAL_BYTES + 1];
    shape(page, root);
    class_list(page, tree_find(root, "label_sets") ? "label sets" : "classes",
               tree_find(root, "classes"), tree_find(root, "counts"));
    digits[decimal_print(digits, report_number(root, "sum"))] = '\0';
    line(page, "sum", "%s", digits);
    line(page, "storage", "%s, %.1f MB", string(root, "storage"),
         report_number(root, "memory") / 1e6);
}

struct weight {
    const char *name;
    double value;
};

static int report_by_size(const void *a, const void *b) {
    double x = fabs(((const struct weight *)a)->value), y = fabs(((const struct weight *)b)->value);
    return (x < y) - (x > y);
}

/* The heaviest features of one score function. */
static void weight_rows(struct page *page, struct arena *arena, const struct tree *root,
                        const struct tree *row) {
    enum { SHOWN = 12 };
    struct weight *weights = arena_alloc(page->ctx, arena, row->count, sizeof *weights);
    if (!weights) {
        page->text.failed = true;
        return;
    }
    size_t n = 0, width = 0;
    const struct tree *name = tree_find(root, "features")->first;
    for (const struct tree *value = row->first; value; value = value->next, name = name->next)
        weights[n++] = (struct weight){name->text.bytes, value->number};
    qsort(weights, n, sizeof *weights, report_by_size);
    for (size_t i = 0; i < n && i < SHOWN; i++)
        if (utf8_width(weights[i].name) > width) width = utf8_width(weights[i].name);
    for (size_t i = 0; i < n && i < SHOWN; i++) {
        text_puts(page->ctx, &page->text, "  ");
        left(page, weights[i].name, width + 2);
        text_number(page->ctx, &page->text, weights[i].value);
        text_puts(page->ctx, &page->text, "\n");
    }
    if (n > SHOWN)
        text_printf(page->ctx, &page->text, "  ... %zu more, all of them in the JSON report\n",
                    n - SHOWN);
}

/* One score function: what it speaks for, its bias and length, its weights. */
static void score_page(struct page *page, const struct tree *root, const struct tree *label,
                       const struct tree *row, double bias, double norm, double far) {
    struct arena arena = {0};
    bool quadratic = report_number(root, "quadratic") == 1;
    if (label->kind == TREE_ARRAY)
        text_printf(page->ctx, &page->text, "\nscore of %s against %s: bias ",
                    label->last->text.bytes, label->first->text.bytes);
    else
        text_printf(page->ctx, &page->text, "\nscore of %s: bias ", label->text.bytes);
    text_number(page->ctx, &page->text, bias);
    text_printf(page->ctx, &page->text, ", |w| %.6g", norm);
    if (quadratic)
        text_puts(page->ctx, &page->text,
                  "; it is quadratic, and this its tangent at the centre\n");
    else if (report_number(root, "bits") == 1)
        text_puts(page->ctx, &page->text, "; a value above 0 counts as 1, any other as 0\n");
    else if (isnan(far))
        text_puts(page->ctx, &page->text, ", origin at n/a\n");
    else
        text_printf(page->ctx, &page->text, ", origin at %.6g\n", far);
    weight_rows(page, &arena, root, row);
    arena_clear(&arena);
}

static void boundary_rows(struct page *page, const struct tree *root) {
    const struct tree *list = tree_find(root, "boundaries");
    if (!list) return;
    text_puts(page->ctx, &page->text, "\nbetween the classes (origin at: signed distance)\n");
    for (const struct tree *row = list->first; row; row = row->next) {
        const struct tree *pair = tree_find(row, "classes");
        text_printf(page->ctx, &page->text, "  %s | %s: |w| %.6g, origin at ",
                    pair->first->text.bytes, pair->last->text.bytes, report_number(row, "norm"));
        cell(page, report_number(row, "distance_to_origin"), 6, 0);
        text_puts(page->ctx, &page->text, "\n");
    }
}

static void model_page(struct page *page, const struct tree *root) {
    line(page, "spec", "%s", string(root, "spec"));
    class_list(page, "classes", tree_find(root, "classes"), NULL);
    line(page, "activation", "%s", string(root, "activation"));
    decision_line(page, root);
    line(page, "trained on", "%.0f rows; %s", report_number(root, "training.rows"),
         report_number(root, "training.converged") == 1 ? "converged" : "not converged");
    const struct tree *label = tree_find(root, "rows")->first,
                      *row = tree_find(root, "weights")->first;
    const struct tree *bias = tree_find(root, "bias")->first,
                      *norm = tree_find(root, "norm")->first;
    const struct tree *far = tree_find(root, "distance_to_origin")->first;
    for (; label; label = label->next, row = row->next, bias = bias->next, norm = norm->next,
                  far = far->next)
        score_page(page, root, label, row, bias->number, norm->number,
                   far->kind == TREE_NUMBER ? far->number : NAN);
    boundary_rows(page, root);
}

sepal_status report_text(char **out, sepal_ctx *ctx, const sepal_report *report) {
    struct page page = {.ctx = ctx};
    switch (report->kind) {
    case REPORT_FIT: fit_page(&page, report->root); break;
    case REPORT_EVALUATION: evaluation_page(&page, report->root); break;
    case REPORT_DATA: data_page(&page, report->root); break;
    case REPORT_MODEL: model_page(&page, report->root); break;
    case REPORT_SEPARABILITY: separable_page(ctx, &page.text, report->root); break;
    }
    *out = text_take(ctx, &page.text);
    return *out ? SEPAL_OK : SEPAL_EMEMORY;
}
