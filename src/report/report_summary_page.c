/* The table of coefficients as text. */
#include "report/report_page.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* One column of the table: its heading, the key of its numbers, and how they are written. */
struct summary_column {
    const char *heading, *key, *format;
};

static const struct summary_column wald_columns[] = {{"estimate", "estimate", "%.6g"},
                                                     {"std. error", "std_error", "%.5g"},
                                                     {"z", "z", "%.3f"},
                                                     {"p", "p", "%.3g"},
                                                     {"odds ratio", "odds_ratio", "%.5g"},
                                                     {"2.5 %", "low", "%.5g"},
                                                     {"97.5 %", "high", "%.5g"}};
static const struct summary_column bootstrap_columns[] = {{"estimate", "estimate", "%.6g"},
                                                          {"std. error", "std_error", "%.5g"},
                                                          {"odds ratio", "odds_ratio", "%.5g"},
                                                          {"2.5 %", "low", "%.5g"},
                                                          {"97.5 %", "high", "%.5g"}};
static const struct summary_column plain_columns[] = {{"estimate", "estimate", "%.6g"},
                                                      {"odds ratio", "odds_ratio", "%.5g"}};
#define COUNT_OF(list) (sizeof(list) / sizeof *(list))

enum { CELL_BYTES = 64 };

static const char *summary_cell(char out[CELL_BYTES], const struct tree *term,
                                const struct summary_column *column) {
    double value = report_number(term, column->key);
    if (isnan(value)) return "NA";
    snprintf(out, CELL_BYTES, column->format, value);
    return out;
}

/* Whether any term has it: the odds ratios of a model without probabilities are left out. */
static bool summary_has(const struct tree *terms, const char *key) {
    for (const struct tree *term = terms->first; term; term = term->next)
        if (!isnan(report_number(term, key))) return true;
    return false;
}

static void summary_table(struct page *page, const struct tree *terms, double function,
                          const struct summary_column *columns, size_t n) {
    char cell[CELL_BYTES];
    size_t names = strlen("term"), width[COUNT_OF(wald_columns)] = {0};
    for (const struct tree *term = terms->first; term; term = term->next) {
        size_t name = utf8_width(report_string(term, "name"));
        if (name > names) names = name;
        for (size_t c = 0; c < n; c++) {
            size_t length = strlen(summary_cell(cell, term, &columns[c]));
            if (strlen(columns[c].heading) > width[c]) width[c] = strlen(columns[c].heading);
            if (length > width[c]) width[c] = length;
        }
    }
    text_puts(page->ctx, &page->text, "  ");
    page_left(page, "term", names);
    for (size_t c = 0; c < n; c++) {
        if (!summary_has(terms, columns[c].key)) continue;
        page_right(page, columns[c].heading, width[c] + 2);
    }
    for (const struct tree *term = terms->first; term; term = term->next) {
        double of = report_number(term, "function");
        if (!isnan(function) && of != function) continue;
        text_puts(page->ctx, &page->text, "\n  ");
        page_left(page, report_string(term, "name"), names);
        for (size_t c = 0; c < n; c++)
            if (summary_has(terms, columns[c].key))
                page_right(page, summary_cell(cell, term, &columns[c]), width[c] + 2);
        if (*report_string(term, "note"))
            text_printf(page->ctx, &page->text, "  (%s)", report_string(term, "note"));
    }
    text_puts(page->ctx, &page->text, "\n");
}

/* "coded against: colour=blue, size=large" */
static void summary_references(struct page *page, const struct tree *terms) {
    const char *last = "";
    bool any = false;
    double function = terms->first ? report_number(terms->first, "function") : NAN;
    for (const struct tree *term = terms->first; term; term = term->next) {
        const char *against = report_string(term, "against");
        if (report_number(term, "function") > function || !*against || strcmp(against, last) == 0)
            continue;
        text_printf(page->ctx, &page->text, "%s%s",
                    any ? ", " : "\ncategories are coded against: ", against);
        any = true;
        last = against;
    }
    if (any) text_puts(page->ctx, &page->text, "\n");
}

static void summary_foot(struct page *page, const struct tree *root) {
    double residual = report_number(root, "summary.residual_deviance");
    if (isnan(residual)) return;
    text_printf(page->ctx, &page->text,
                "\nnull deviance      %.6g on %.0f degrees of freedom\n"
                "residual deviance  %.6g on %.0f degrees of freedom\n"
                "AIC                %.6g\niterations         %.0f\n",
                report_number(root, "summary.null_deviance"),
                report_number(root, "summary.df_null"), residual,
                report_number(root, "summary.df_residual"), report_number(root, "summary.aic"),
                report_number(root, "summary.iterations"));
}

static void summary_reason(struct page *page, const struct tree *root) {
    const struct tree *diverging = tree_path(root, "summary.diverging");
    if (!*report_string(root, "summary.reason")) return;
    text_printf(page->ctx, &page->text, "\nno standard errors by theory: %s\n",
                report_string(root, "summary.reason"));
    if (!diverging) return;
    text_puts(page->ctx, &page->text,
              report_number(root, "summary.diverging_alone") == 1
                  ? "the estimates of these columns diverge, each by itself: "
                  : "no column does it by itself; these have the largest part in it: ");
    for (const struct tree *name = diverging->first; name; name = name->next)
        text_printf(page->ctx, &page->text, "%s%s", name == diverging->first ? "" : ", ",
                    name->text.bytes);
    text_puts(page->ctx, &page->text, "\n");
}

/* What a score speaks for, of row `function` of the model's. */
static void summary_heading(struct page *page, const struct tree *root, const struct tree *term) {
    const struct tree *row = tree_find(root, "rows")->first, *classes = tree_find(root, "classes");
    bool sets = tree_find(root, "label_sets") != NULL;
    const char *activation = report_string(root, "activation");
    double function = report_number(term, "function");
    for (size_t i = 0; !isnan(function) && (double)i < function; i++) row = row->next;
    if (*report_string(term, "reference"))
        text_printf(page->ctx, &page->text, "\nlog-odds of %s against %s\n",
                    report_string(term, "class"), report_string(term, "reference"));
    else if (row->kind == TREE_ARRAY)
        text_printf(page->ctx, &page->text, "\nscore of %s against %s\n", row->last->text.bytes,
                    row->first->text.bytes);
    else if (classes->count == 2 && !sets)
        text_printf(page->ctx, &page->text, "\n%s of %s against %s\n",
                    strcmp(activation, "logistic") == 0 || strcmp(activation, "softmax") == 0
                        ? "log-odds"
                        : "score",
                    classes->last->text.bytes, classes->first->text.bytes);
    else
        text_printf(page->ctx, &page->text, "\n%s of %s\n", sets ? "log-odds" : "score",
                    row->text.bytes);
}

/* A table of each function, under its heading. */
static void summary_tables(struct page *page, const struct tree *root, const struct tree *terms,
                           const struct summary_column *columns, size_t n) {
    /* the one function of two classes has had its heading when there is a second table */
    bool headed = terms == tree_path(root, "summary.terms") ||
                  !isnan(report_number(terms->first, "function"));
    const struct tree *last = NULL;
    for (const struct tree *term = terms->first; term; last = term, term = term->next) {
        double function = report_number(term, "function");
        bool same = last && (isnan(function) || report_number(last, "function") == function);
        if (same) continue;
        if (headed) summary_heading(page, root, term);
        summary_table(page, terms, function, columns, n);
    }
}

/* The bootstrap's numbers in the place of the others', for a table of their own. */
static void resampled_table(struct page *page, const struct tree *root) {
    struct arena arena = {0};
    struct tree_maker make = {.ctx = page->ctx, .arena = &arena};
    struct tree *list = tree_array(&make, NULL, NULL);
    const struct tree *terms = tree_path(root, "summary.terms");
    for (const struct tree *term = terms->first; term; term = term->next) {
        struct tree *row = tree_object(&make, list, NULL);
        tree_text(&make, row, "name", report_string(term, "name"));
        tree_number(&make, row, "function", report_number(term, "function"));
        tree_text(&make, row, "class", report_string(term, "class"));
        tree_text(&make, row, "reference", report_string(term, "reference"));
        tree_number(&make, row, "estimate", report_number(term, "estimate"));
        tree_number(&make, row, "std_error", report_number(term, "bootstrap.std_error"));
        tree_number(&make, row, "odds_ratio", report_number(term, "odds_ratio"));
        tree_number(&make, row, "low", report_number(term, "bootstrap.low"));
        tree_number(&make, row, "high", report_number(term, "bootstrap.high"));
    }
    if (make.failed)
        page->text.failed = true;
    else
        summary_tables(page, root, list, bootstrap_columns, COUNT_OF(bootstrap_columns));
    arena_clear(&arena);
}

static void summary_resampling(struct page *page, const struct tree *root, bool wald) {
    double resamples = report_number(root, "summary.resamples"),
           failed = report_number(root, "summary.failed");
    if (isnan(resamples)) return;
    text_printf(page->ctx, &page->text,
                "\nbootstrap: standard deviations and percentiles of %.0f resamples",
                resamples - failed);
    if (failed > 0) text_printf(page->ctx, &page->text, "; %.0f more had no estimates", failed);
    text_puts(page->ctx, &page->text, "\n");
    if (wald) resampled_table(page, root);
}

void summary_page(struct page *page, const struct tree *root) {
    const struct tree *terms = tree_path(root, "summary.terms");
    bool wald = strcmp(report_string(root, "summary.errors"), "wald") == 0,
         resampled = strcmp(report_string(root, "summary.errors"), "bootstrap") == 0;
    page_line(page, "spec", "%s", report_string(root, "spec"));
    page_classes(page, tree_find(root, "label_sets") ? "labels" : "classes",
                 tree_find(root, "classes"), NULL);
    page_line(page, "trained on", "%.0f rows; %s", report_number(root, "training.rows"),
              report_number(root, "training.converged") == 1 ? "converged" : "not converged");
    summary_reason(page, root);
    if (wald)
        summary_tables(page, root, terms, wald_columns, COUNT_OF(wald_columns));
    else if (resampled)
        summary_tables(page, root, terms, bootstrap_columns, COUNT_OF(bootstrap_columns));
    else
        summary_tables(page, root, terms, plain_columns, COUNT_OF(plain_columns));
    summary_references(page, terms);
    if (*report_string(root, "summary.note"))
        text_printf(page->ctx, &page->text, "\n%s\n", report_string(root, "summary.note"));
    summary_resampling(page, root, wald);
    summary_foot(page, root);
}
