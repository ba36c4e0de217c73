#include "page/page.h"

#include "report/report_page.h"

#include <math.h>
#include <string.h>

bool page_is_of_training(const struct page_facts *facts) {
    const struct tree *test = facts->fit ? tree_find(facts->fit, "test") : NULL;
    return test && test->kind == TREE_NULL;
}

static void page_head(struct html *html, const struct page_facts *facts) {
    html_put(html, "<!DOCTYPE html>\n<html lang=en>\n<head>\n<meta charset=utf-8>\n"
                   "<meta name=viewport content=\"width=device-width,initial-scale=1\">\n<title>");
    html_text(html, facts->spec);
    html_put(html, " \xe2\x80\x93 report of Sepal</title>\n<style>\n");
    html_put(html, page_style);
    html_put(html, "</style>\n</head>\n<body>\n<a class=skip href=#main>To the report</a>\n");
}

/* What whoever reads one line should know. */
static void page_lead(struct html *html, const struct page_facts *facts) {
    const struct tree *judgement = facts->judgement;
    const struct tree *low = tree_path(judgement, "intervals.accuracy.0"),
                      *high = tree_path(judgement, "intervals.accuracy.1");
    const char *main_number = tree_find(judgement, "accuracy") ? "accuracy" : "subset_accuracy";
    html_putf(html, "<p class=lead>%s ",
              strcmp(main_number, "accuracy") == 0 ? "Accuracy" : "Subset accuracy");
    html_number(html, NULL, report_number(judgement, main_number), 4);
    if (low && high && low->kind == TREE_NUMBER && high->kind == TREE_NUMBER) {
        html_put(html, " (95 %: ");
        html_number(html, NULL, low->number, 4);
        html_put(html, " to ");
        html_number(html, NULL, high->number, 4);
        html_put(html, ")");
    }
    html_put(html, " on ");
    html_number(html, NULL, report_number(judgement, "rows"), 6);
    html_put(html, page_is_of_training(facts)
                       ? " rows, which the model was fitted to: on others it will do worse.</p>\n"
                       : " rows.</p>\n");
}

static const struct {
    const char *id, *name;
} parts[] = {{"asked", "What was asked"}, {"data", "Data"},          {"fit", "Fit"},
             {"judgement", "Metrics"},    {"pictures", "Pictures"},  {"weights", "Coefficients"},
             {"rows", "Rows to look at"}, {"again", "Make it again"}};

static void page_contents(struct html *html) {
    html_put(html, "<nav aria-label=Contents><ul>\n");
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        html_putf(html, "<li><a href=#%s>%s</a></li>\n", parts[i].id, parts[i].name);
    html_put(html, "</ul></nav>\n");
}

sepal_status page_make(struct html *out, const struct page_facts *facts) {
    page_head(out, facts);
    html_put(out, "<header>\n<h1>");
    html_name(out, facts->spec);
    html_put(out, "</h1>\n");
    page_lead(out, facts);
    page_contents(out);
    html_put(out, "</header>\n<main id=main>\n");
    page_asked(out, facts);
    page_data(out, facts);
    page_fit(out, facts);
    page_judgement(out, facts);
    TRY(page_pictures(out, facts));
    TRY(page_weights(out, facts));
    TRY(page_rows(out, facts));
    page_again(out, facts);
    html_put(out, "</main>\n<script>\n");
    html_put(out, page_script);
    html_put(out, "</script>\n</body>\n</html>\n");
    return out->text.failed ? SEPAL_EMEMORY : SEPAL_OK;
}
