/* The page of a cross-validation: training and validation side by side, and what lies between them. */
#include "report/report_page.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void cv_page(struct page *page, const struct tree *root, bool all);

enum { METRIC_WIDTH = 20, CELL_WIDTH = 10 };

static double value_of(const struct tree *root, const char *of, const char *side,
                       const char *metric) {
    char path[160];
    (void)snprintf(path, sizeof path, "%s.%s.%s", of, side, metric);
    return report_number(root, path);
}

static void cv_cell(struct page *page, double value) {
    page_cell(page, value, 4, CELL_WIDTH);
}

/* "macro.f1" is "f1 (macro)". */
static void metric_label(char *out, size_t size, const char *path) {
    const char *dot = strchr(path, '.');
    if (dot)
        (void)snprintf(out, size, "%s (%.*s)", dot + 1, (int)(dot - path), path);
    else
        (void)snprintf(out, size, "%s", path);
}

static void means_table(struct page *page, const struct tree *root) {
    text_printf(page->ctx, &page->text, "\n%*s%*s%*s\n", METRIC_WIDTH, "", 2 * CELL_WIDTH,
                "training", 2 * CELL_WIDTH, "validation");
    text_printf(page->ctx, &page->text, "%*s%*s%*s%*s%*s%*s\n", METRIC_WIDTH, "", CELL_WIDTH,
                "mean", CELL_WIDTH, "std", CELL_WIDTH, "mean", CELL_WIDTH, "std", CELL_WIDTH,
                "gap");
    for (const struct tree *row = tree_find(root, "metrics")->first; row; row = row->next) {
        const char *metric = row->text.bytes;
        char label[64];
        double train = value_of(root, "mean", "train", metric);
        double valid = value_of(root, "mean", "valid", metric);
        metric_label(label, sizeof label, metric);
        page_left(page, label, METRIC_WIDTH);
        cv_cell(page, train);
        cv_cell(page, value_of(root, "std", "train", metric));
        cv_cell(page, valid);
        cv_cell(page, value_of(root, "std", "valid", metric));
        cv_cell(page, train - valid);
        text_puts(page->ctx, &page->text, "\n");
    }
}

static void folds_table(struct page *page, const struct tree *root) {
    const struct tree *metrics = tree_find(root, "metrics");
    bool repeated = report_number(root, "splits.repeats") > 1;
    text_printf(page->ctx, &page->text, "\n%s%*s%*s", repeated ? "repeat fold" : "       fold",
                CELL_WIDTH, "rows", CELL_WIDTH, "held out");
    for (const struct tree *m = metrics->first; m; m = m->next) {
        const char *dot = strrchr(m->text.bytes, '.');
        text_printf(page->ctx, &page->text, " %18.18s", dot ? dot + 1 : m->text.bytes);
    }
    text_puts(page->ctx, &page->text, "\n");
    for (const struct tree *fold = tree_find(root, "folds")->first; fold; fold = fold->next) {
        char repeat[16] = "";
        if (repeated) (void)snprintf(repeat, sizeof repeat, "%.0f", report_number(fold, "repeat"));
        text_printf(page->ctx, &page->text, "%6s %4.0f%*.0f%*.0f", repeat,
                    report_number(fold, "fold"), CELL_WIDTH, report_number(fold, "rows.train"),
                    CELL_WIDTH, report_number(fold, "rows.valid"));
        for (const struct tree *m = metrics->first; m; m = m->next) {
            char path[160];
            (void)snprintf(path, sizeof path, "train.%s", m->text.bytes);
            page_cell(page, report_number(fold, path), 4, CELL_WIDTH);
            (void)snprintf(path, sizeof path, "valid.%s", m->text.bytes);
            page_cell(page, report_number(fold, path), 4, 9);
        }
        text_puts(page->ctx, &page->text,
                  report_number(fold, "converged") == 1 ? "\n" : "  not converged\n");
    }
}

static bool is_share(const char *metric) {
    return !strstr(metric, "loss") && !strstr(metric, "brier") && !strstr(metric, "mcc");
}

/* What a gap is called, and how large it is; within two standard errors it may be chance. */
static void gap_line(struct page *page, const struct tree *root) {
    const struct tree *gap = tree_find(root, "over_fitting");
    if (!gap) return;
    double by = report_number(gap, "gap"), error = report_number(gap, "standard_error");
    double better = report_number(gap, "better");
    char metric[64], size[64];
    metric_label(metric, sizeof metric, report_string(gap, "metric"));
    if (is_share(metric))
        (void)snprintf(size, sizeof size, "%.1f points", 100 * fabs(by));
    else
        (void)snprintf(size, sizeof size, "%.4f", fabs(by));
    bool sure = isnan(error) || fabs(by) > 2 * error;
    bool above = (by > 0) == (better > 0);
    text_puts(page->ctx, &page->text, "\nover-fitting: ");
    if (fabs(by) <= 0.0005) {
        text_printf(page->ctx, &page->text, "none; training and validation %s are alike\n", metric);
        return;
    }
    const char *doubt = by <= 0 ? "none; " : sure ? "" : "none to be sure of; ";
    text_printf(page->ctx, &page->text, "%straining %s is %s %s validation%s\n", doubt, metric,
                size, above ? "above" : "below",
                by > 0 && !sure ? ", within two standard errors" : "");
}

static void splits_line(struct page *page, const struct tree *root) {
    static const struct {
        const char *manner, *words;
    } table[] = {{"stratified", "with their share of each class"},
                 {"shuffled", "dealt out by chance"},
                 {"leave-one-out", "a row each"},
                 {"grouped", "no group in two of them"},
                 {"ordered", "in the order of the rows, each judged by what comes before it"},
                 {"given", "as given"}};
    const char *manner = report_string(root, "splits.manner"), *words = "";
    double repeats = report_number(root, "splits.repeats");
    double fits = report_number(root, "splits.fits");
    char again[48] = "", exact[80] = "";
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (strcmp(table[i].manner, manner) == 0) words = table[i].words;
    if (repeats > 1) (void)snprintf(again, sizeof again, ", dealt out %.0f times", repeats);
    if (!isnan(fits))
        (void)snprintf(exact, sizeof exact, ", exact from %.0f fit%s; training is of all rows",
                       fits, fits == 1 ? "" : "s");
    page_line(page, "folds", "%.0f, %s%s%s", report_number(root, "splits.folds"), words, again,
              exact);
}

void cv_page(struct page *page, const struct tree *root, bool all) {
    page_line(page, "spec", "%s", report_string(root, "spec_in_short"));
    page_shape(page, root);
    page_target(page, root);
    page_classes(page, "classes", tree_find(root, "classes"), NULL);
    splits_line(page, root);
    if (report_number(root, "not_converged") > 0)
        page_line(page, "converged", "all but %.0f of %zu fits",
                  report_number(root, "not_converged"), tree_find(root, "folds")->count);
    means_table(page, root);
    if (all) folds_table(page, root);
    gap_line(page, root);
    page_line(page, "time", "%.3f s loading, %.3f s folds, %.0f threads",
              report_number(root, "seconds.load"), report_number(root, "seconds.fit"),
              report_number(root, "threads"));
}
