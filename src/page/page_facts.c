/* What was asked for, of which data, how the fit went, and how it is made again. */
#include "learners/learner.h"
#include "linear/strategy.h"
#include "model/decision.h"
#include "page/page.h"
#include "report/report_page.h"

#include <math.h>
#include <string.h>

/* ---- asked -------------------------------------------------------------------------------- */

static void list_texts(struct html *html, const char *name, const struct tree *texts) {
    enum { MOST = 50 };
    size_t n = 0;
    if (!texts || texts->kind != TREE_ARRAY) return;
    html_putf(html, "<dt>%s</dt><dd>", name);
    for (const struct tree *one = texts->first; one && n < MOST; one = one->next, n++) {
        if (n > 0) html_put(html, ", ");
        if (one->kind == TREE_TEXT) html_name(html, one->text.bytes);
    }
    if (texts->count > n) html_putf(html, ", and %zu more", texts->count - n);
    html_put(html, "</dd>\n");
}

/* The line of the page in text, behind its name. */
static void put_decision(struct html *html, const struct tree *judgement) {
    static const char name[] = "decision    ";
    struct page line = {.ctx = html->ctx};
    page_decision(&line, judgement);
    if (line.text.failed) html->text.failed = true;
    if (line.text.length > strlen(name)) {
        line.text.bytes[line.text.length - 1] = '\0';
        html_fact(html, "Decision", line.text.bytes + strlen(name));
    }
    text_clear(&line.text);
}

void page_asked(struct html *html, const struct page_facts *facts) {
    const sepal_model *model = facts->model;
    const struct tree *fit = facts->fit;
    html_section(html, "asked", "What was asked");
    html_put(html, "<dl>\n");
    const struct learner *learner = learner_find(model->learner);
    html_fact(html, "Method", learner->summary);
    html_fact(html, "Spec", facts->spec);
    html_fact(html, "Every parameter", model->spec);
    if (fit) html_fact(html, "Loss", report_string(fit, "loss"));
    if (fit || learner->objective) /* with its numbers, or in general */
        html_fact(html, "Minimised",
                  fit ? report_string(fit, "objective_in_words") : learner->objective);
    if (model->linear.classes > 2) html_fact(html, "Strategy", model->linear.strategy->summary);
    list_texts(html, model->linear.strategy->sets ? "Labels" : "Classes",
               tree_find(facts->inside, "classes"));
    put_decision(html, facts->judgement);
    html_put(html, "</dl>\n");
    html_section_end(html);
}

/* ---- data --------------------------------------------------------------------------------- */

static void class_counts(struct html *html, const struct tree *about) {
    static const char *const columns[] = {"class", "rows#", NULL};
    const struct tree *class = tree_find(about, "classes"), *count = tree_find(about, "counts");
    size_t n = 0;
    if (!class || !count) return;
    html_table(html, "Rows of each class", true, columns);
    for (class = class->first, count = count->first; class && count && n < PAGE_ROWS;
         class = class->next, count = count->next, n++) {
        html_row(html, class->text.bytes);
        html_cell_number(html, NULL, count->number, 15);
        html_put(html, "</tr>\n");
    }
    html_table_end(html);
    if (class) html_put(html, "<p class=soft>Further classes are left out.</p>\n");
}

static double number_in(const struct tree *row, const char *key) {
    const struct tree *node = tree_find(row, key);
    return node && node->kind == TREE_NUMBER ? node->number : NAN;
}

static void column_table(struct html *html, const struct tree *about) {
    static const char *const columns[] = {"column", "kind",  "missing#", "distinct#",
                                          "min#",   "mean#", "max#",     NULL};
    static const char *const numbers[] = {"missing", "distinct", "min", "mean", "max"};
    const struct tree *table = tree_find(about, "table");
    size_t n = 0;
    if (!table || table->count == 0) return;
    html_table(html, "Columns of the data", true, columns);
    for (const struct tree *row = table->first; row && n < PAGE_ROWS; row = row->next, n++) {
        html_row(html, report_string(row, "name"));
        html_cell_text(html, report_string(row, "kind"));
        for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
            html_cell_number(html, NULL, number_in(row, numbers[i]), 4);
        html_put(html, "</tr>\n");
    }
    html_table_end(html);
    if (table->count > n)
        html_putf(html, "<p class=soft>%zu more columns are left out.</p>\n", table->count - n);
}

static void page_findings(struct html *html, const struct tree *findings) {
    if (!findings || findings->kind != TREE_ARRAY) return;
    html_put(html, "<h3>Findings</h3>\n");
    if (findings->count == 0) html_put(html, "<p>Nothing was found that may harm a fit.</p>\n");
    for (const struct tree *one = findings->first; one; one = one->next) {
        html_put(html, "<p class=finding><strong>");
        html_text(html, report_string(one, "code"));
        html_put(html, "</strong>: ");
        html_name(html, report_string(one, "message"));
        html_put(html, "<br><span class=soft>What to do: ");
        html_name(html, report_string(one, "advice"));
        html_put(html, "</span></p>\n");
    }
}

void page_data(struct html *html, const struct page_facts *facts) {
    const struct tree *about = facts->about;
    html_section(html, "data", "Data");
    html_put(html, "<p>The rows that the metrics are of");
    html_put(html, page_is_of_training(facts) ? "; the model was fitted to the same.</p>\n<dl>\n"
                                              : ".</p>\n<dl>\n");
    html_fact_number(html, "Rows", "data.rows", report_number(about, "rows"));
    html_fact_number(html, "Features", "data.features", report_number(about, "features"));
    html_fact_number(html, "Columns", "data.columns", report_number(about, "columns"));
    html_fact_number(html, "Numbers other than 0", "data.nonzeros",
                     report_number(about, "nonzeros"));
    html_fact(html, "Target", report_string(about, "target.name"));
    html_put(html, "</dl>\n");
    page_findings(html, facts->findings);
    class_counts(html, about);
    column_table(html, about);
    html_section_end(html);
}

/* ---- fit ---------------------------------------------------------------------------------- */

/* What the gap proves, in words. */
static void page_certificate(struct html *html, double gap) {
    if (!isfinite(gap)) {
        html_put(html, "<p>No lower bound of the objective is known, so nothing is proved of how "
                       "far from its least value it is.</p>\n");
        return;
    }
    html_put(html, "<p>Certificate: a dual solution proves that no other weights have an objective "
                   "lower than this one by more than a part of ");
    html_number(html, NULL, gap, 2);
    html_put(html, ".</p>\n");
}

void page_fit(struct html *html, const struct page_facts *facts) {
    const struct model_facts *own = &facts->model->facts;
    const struct tree *fit = facts->fit;
    html_section(html, "fit", "Fit");
    html_put(html, "<dl>\n");
    html_fact(html, "Converged", own->converged ? "yes" : "no");
    if (fit) html_fact(html, "Stopped", report_string(fit, "stopped"));
    html_fact_number(html, "Iterations", "fit.iterations", (double)own->iterations);
    if (fit) html_fact(html, "Solver", report_string(fit, "solver"));
    html_fact_number(html, "Objective", "fit.objective", own->objective);
    html_fact_number(html, "Relative duality gap", "fit.gap", own->gap);
    html_fact_number(html, "Training rows", "fit.rows", (double)own->rows);
    if (fit) {
        html_fact_number(html, "Accuracy in training", "fit.train.accuracy",
                         report_number(fit, "train.accuracy"));
        html_fact_number(html, "Always the commonest class", "fit.test.baseline.accuracy",
                         report_number(fit, "test.baseline.accuracy"));
    }
    html_put(html, "</dl>\n");
    if (own->iterations > 0 || isfinite(own->gap)) page_certificate(html, own->gap);
    html_section_end(html);
}

/* ---- again -------------------------------------------------------------------------------- */

void page_again(struct html *html, const struct page_facts *facts) {
    html_section(html, "again", "Make it again");
    if (facts->command && *facts->command) {
        html_put(html, "<p>The same files and this command give the same page, byte for byte.</p>\n"
                       "<pre><code>");
        html_name(html, facts->command);
        html_put(html, "</code></pre>\n");
    }
    html_put(html, "<p>The model is the fit of this spec to its training rows:</p>\n<pre><code>");
    html_name(html, facts->model->spec);
    html_put(html, "</code></pre>\n<p class=soft>Sepal " SEPAL_VERSION "</p>\n");
    html_section_end(html);
}
