/* The metrics with their intervals, the confusion matrix, and the pictures. */
#include "core/alloc.h"
#include "page/page.h"
#include "plot/plot.h"
#include "report/report_page.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- metrics ------------------------------------------------------------------------------ */

/* Facts of an evaluation that are no metrics. */
static bool is_metric(const struct tree *fact) {
    return fact->kind == TREE_NUMBER && strcmp(fact->key, "rows") != 0;
}

static void put_interval(struct html *html, const struct tree *pair) {
    html_put(html, "<td class=n>");
    if (pair && pair->kind == TREE_ARRAY && pair->count == 2 && pair->first->kind == TREE_NUMBER) {
        html_number(html, NULL, pair->first->number, 4);
        html_put(html, " to ");
        html_number(html, NULL, pair->last->number, 4);
    }
    html_put(html, "</td>");
}

static const char *metric_words(const char *key, char room[64]) {
    snprintf(room, 64, "%s", key);
    for (char *c = room; *c; c++)
        if (*c == '_') *c = ' ';
    return room;
}

/* Numbers that are asked for: an object of the tree each. */
static void asked_metrics(struct html *html, const struct tree *root) {
    static const struct {
        const char *key, *words, *interval;
    } asked[] = {{"top_k.accuracy", "top-k accuracy", "intervals.top_k"},
                 {"top_k.k", "k of top-k accuracy", NULL},
                 {"cost.expected", "expected cost of a row", NULL},
                 {"cost.least.expected", "least expected cost of a row", NULL},
                 {"cost.constant.expected", "expected cost of always the same class", NULL}};
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        const struct tree *fact = tree_path(root, asked[i].key);
        if (!fact || fact->kind != TREE_NUMBER) continue;
        html_row(html, asked[i].words);
        html_cell_number(html, asked[i].key, fact->number, 4);
        put_interval(html, asked[i].interval ? tree_path(root, asked[i].interval) : NULL);
        html_put(html, "</tr>\n");
    }
}

static void all_metrics(struct html *html, const struct tree *root) {
    static const char *const columns[] = {"metric", "value#", "95 % interval#", NULL};
    const struct tree *intervals = tree_find(root, "intervals");
    char words[64];
    html_table(html, "Metrics of all rows", false, columns);
    for (const struct tree *fact = root->first; fact; fact = fact->next) {
        if (!is_metric(fact)) continue;
        html_row(html, metric_words(fact->key, words));
        html_cell_number(html, fact->key, fact->number, 4);
        put_interval(html, intervals ? tree_find(intervals, fact->key) : NULL);
        html_put(html, "</tr>\n");
    }
    asked_metrics(html, root);
    html_table_end(html);
}

static void metric_cells(struct html *html, const struct tree *row, const char *key, size_t at) {
    static const char *const numbers[] = {"precision", "recall", "f1", "support"};
    char name[80];
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        if (at == SIZE_MAX)
            snprintf(name, sizeof name, "%s.%s", key, numbers[i]);
        else
            snprintf(name, sizeof name, "%s.%zu.%s", key, at, numbers[i]);
        const struct tree *number = tree_find(row, numbers[i]);
        if (number)
            html_cell_number(html, name, tree_value(row, numbers[i]), 4);
        else
            html_put(html, "<td></td>");
    }
    html_put(html, "</tr>\n");
}

static void class_metrics(struct html *html, const struct tree *root) {
    static const char *const columns[] = {"class", "precision#", "recall#", "F1#", "rows#", NULL};
    static const char *const means[] = {"macro", "micro", "weighted"};
    const struct tree *list = tree_find(root, "per_class");
    size_t n = 0;
    if (!list) list = tree_find(root, "per_label");
    if (!list) return;
    const char *key = list->key;
    html_table(html, "Metrics of each class, and their means", false, columns);
    for (const struct tree *row = list->first; row && n < PAGE_ROWS; row = row->next, n++) {
        html_row(html, report_string(row, "label"));
        metric_cells(html, row, key, n);
    }
    for (size_t i = 0; i < sizeof means / sizeof *means; i++) {
        const struct tree *row = tree_find(root, means[i]);
        if (!row) continue;
        html_putf(html, "<tr><th scope=row><em>%s mean</em></th>", means[i]);
        metric_cells(html, row, means[i], SIZE_MAX);
    }
    html_table_end(html);
}

static void confusion_row(struct html *html, const struct tree *row, const char *label, size_t i) {
    size_t j = 0;
    char key[64];
    html_row(html, label);
    for (const struct tree *cell = row->first; cell; cell = cell->next, j++) {
        snprintf(key, sizeof key, "confusion.%zu.%zu", i, j);
        html_put(html, cell->number == 0 ? "<td class=n>"
                       : i == j          ? "<td class=\"n right\">"
                                         : "<td class=\"n wrong\">");
        html_number(html, key, cell->number, 15);
        html_put(html, "</td>");
    }
    html_put(html, "</tr>\n");
}

static void confusion_table(struct html *html, const struct tree *root) {
    const struct tree *labels = tree_find(root, "labels"), *rows = tree_find(root, "confusion");
    size_t i = 0;
    if (!labels || !rows || rows->count == 0 || rows->count > PAGE_CLASSES) return;
    html_put(html,
             "<div class=wide tabindex=0 role=region aria-label=\"Confusion matrix\"><table>\n"
             "<caption>Confusion: a row for what rows are, a column for what they are taken "
             "for</caption>\n<thead><tr><th scope=col>is</th>");
    for (const struct tree *label = labels->first; label; label = label->next)
        html_head_cell(html, label->text.bytes, true, false);
    if (rows->first->count > labels->count) html_head_cell(html, "undecided", true, false);
    html_put(html, "</tr></thead>\n<tbody>\n");
    const struct tree *label = labels->first;
    for (const struct tree *row = rows->first; row && label; row = row->next, i++) {
        confusion_row(html, row, label->text.bytes, i);
        label = label->next;
    }
    html_table_end(html);
}

void page_judgement(struct html *html, const struct page_facts *facts) {
    html_section(html, "judgement", "Metrics");
    html_put(html, "<p>Undefined metrics are n/a. Each number has all its digits in the page, as "
                   "<code>sepal evaluate --json</code> prints it.</p>\n");
    all_metrics(html, facts->judgement);
    class_metrics(html, facts->judgement);
    confusion_table(html, facts->judgement);
    html_section_end(html);
}

/* ---- pictures ----------------------------------------------------------------------------- */

/* Of the model and its rows, or of the report of its fit alone; the others tell of something else. */
static bool is_of_model(const struct plot_kind *kind, const struct page_facts *facts) {
    if (kind->needs == NEEDS_REPORT) return facts->fit != NULL;
    return (kind->needs & (NEEDS_MODEL | NEEDS_JUDGEMENT)) && !(kind->needs & NEEDS_REPORT);
}

/* Two renditions of each picture: one for a phone, of which the letters are as large there as the page's own. The
   style shows one of them. */
enum { BROAD, NARROW, RENDITIONS };

struct rendition {
    void *bytes;
    size_t n;
};

/* A picture that does not apply to the model is left out, as told by n = 0; anything else is a failure. */
static sepal_status make_picture(struct rendition *out, struct html *html,
                                 const struct page_facts *facts, const struct plot_kind *kind,
                                 int rendition) {
    sepal_ctx *ctx = html->ctx;
    char options[64] = "theme=auto";
    if (rendition == NARROW)
        (void)snprintf(options, sizeof options, "theme=auto, width=360, %s",
                       kind->narrow ? kind->narrow : "height=380");
    if (html->text.failed)
        return SEPAL_EMEMORY; /* before a picture that is left out takes its message along */
    const struct tree *report = kind->needs == NEEDS_REPORT ? facts->fit : facts->judgement;
    sepal_status status = plot_make(&out->bytes, &out->n, ctx, kind->name, facts->model,
                                    facts->data, report, options);
    if (status != SEPAL_EUSAGE && status != SEPAL_EDATA && status != SEPAL_EMODEL) return status;
    forgive(ctx);
    return SEPAL_OK;
}

/* Without room for both only the broad one, which is then shown everywhere. */
static void show_picture(struct html *html, const struct plot_kind *kind,
                         const struct rendition *made, size_t number) {
    size_t used = html->text.length + made[0].n;
    if (used >= PAGE_BYTES) return;
    bool both = made[1].n > 0 && used + made[1].n < PAGE_BYTES / 8 * 7; /* the rest is for others */
    html_put(html, both ? "<figure class=two>\n" : "<figure>\n");
    for (size_t i = 0; i < (both ? RENDITIONS : 1); i++) {
        char name[32];
        snprintf(name, sizeof name, "p%zu%c", number, "bn"[i]);
        html_put(html, i == BROAD ? "<div class=broad>\n" : "<div class=narrow>\n");
        html_svg(html, name, made[i].bytes, made[i].n);
        html_put(html, "</div>\n");
    }
    html_put(html, "<figcaption class=soft>");
    html_text(html, kind->summary);
    html_put(html, "</figcaption>\n</figure>\n");
}

static sepal_status put_picture(struct html *html, const struct page_facts *facts,
                                const struct plot_kind *kind, size_t *shown) {
    struct rendition made[RENDITIONS] = {0};
    sepal_status status;
    status = make_picture(&made[BROAD], html, facts, kind, BROAD);
    size_t warnings = html->ctx->n_warnings;
    if (status == SEPAL_OK && made[BROAD].n > 0) {
        status = make_picture(&made[NARROW], html, facts, kind, NARROW);
        unwarn(html->ctx, warnings); /* which are said already */
    }
    if (status == SEPAL_OK && made[BROAD].n > 0) show_picture(html, kind, made, ++*shown);
    for (size_t i = 0; i < RENDITIONS; i++) mem_free(made[i].bytes);
    return status;
}

sepal_status page_pictures(struct html *html, const struct page_facts *facts) {
    size_t shown = 0;
    html_section(html, "pictures", "Pictures");
    for (const struct plot_kind *const *kind = plot_table; *kind; kind++)
        if (is_of_model(*kind, facts)) TRY(put_picture(html, facts, *kind, &shown));
    if (shown == 0) html_put(html, "<p>None applies to this model.</p>\n");
    html_section_end(html);
    return SEPAL_OK;
}
