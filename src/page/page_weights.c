/* Coefficients: the weights of the score functions beside each other, the largest first, and where they are
   known their standard errors. */
#include "core/alloc.h"
#include "page/page.h"
#include "report/report_page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct ranked {
    double size;
    size_t place;
};

static int by_size(const void *a, const void *b) {
    const struct ranked *one = a, *other = b;
    if (one->size != other->size) return one->size < other->size ? 1 : -1;
    return one->place < other->place ? -1 : 1;
}

struct weights {
    size_t functions, shown, cols;
    const struct tree *labels;
    const char **names; /* of the features */
    double *w;          /* functions x cols */
    struct ranked *order;
};

/* Numbers and names of the tree in arrays. */
static sepal_status weights_open(struct weights *out, sepal_ctx *ctx, const struct tree *inside,
                                 struct arena *arena) {
    const struct tree *rows = tree_find(inside, "weights"), *effects = tree_find(inside, "effects");
    const struct tree *name = tree_find(inside, "features")->first;
    out->labels = tree_find(inside, "rows");
    out->functions = rows->count;
    out->shown = rows->count < PAGE_COLUMNS ? rows->count : PAGE_COLUMNS;
    out->cols = tree_find(inside, "features")->count;
    out->names = arena_alloc(ctx, arena, out->cols, sizeof *out->names);
    out->w = arena_alloc(ctx, arena, out->functions, out->cols * sizeof *out->w);
    out->order = arena_zero(ctx, arena, out->cols, sizeof *out->order);
    if (!out->names || !out->w || !out->order) return SEPAL_EMEMORY;
    for (size_t j = 0; j < out->cols; j++, name = name->next) {
        out->names[j] = name->text.bytes;
        out->order[j].place = j;
    }
    const struct tree *ranked = effects ? effects->first : rows->first;
    size_t r = 0;
    for (const struct tree *row = rows->first; row; row = row->next, ranked = ranked->next, r++) {
        size_t j = 0;
        const struct tree *size = ranked->first;
        for (const struct tree *one = row->first; one; one = one->next, size = size->next, j++) {
            out->w[r * out->cols + j] = one->kind == TREE_NUMBER ? one->number : NAN;
            if (size->kind == TREE_NUMBER)
                out->order[j].size = fmax(out->order[j].size, fabs(size->number));
        }
    }
    qsort(out->order, out->cols, sizeof *out->order, by_size);
    return SEPAL_OK;
}

/* A class, or "versicolor | setosa". */
static void function_head(struct html *html, const struct tree *label) {
    struct text name = {0};
    if (label->kind == TREE_TEXT) {
        html_head_cell(html, label->text.bytes, true, true);
        return;
    }
    text_printf(html->ctx, &name, "%s | %s", label->last->text.bytes, label->first->text.bytes);
    if (name.failed)
        html->text.failed = true;
    else
        html_head_cell(html, name.bytes, true, true);
    text_clear(&name);
}

static void weight_table(struct html *html, const struct weights *all, const struct tree *inside) {
    size_t shown = all->cols < PAGE_ROWS ? all->cols : PAGE_ROWS;
    html_put(html,
             "<div class=wide tabindex=0 role=region aria-label=Weights><table class=sortable>\n"
             "<caption>Weights of each score function, in the units of the features");
    html_put(html, tree_find(inside, "effects")
                       ? "; first what one standard deviation changes most</caption>\n"
                       : "; the largest first</caption>\n");
    html_put(html, "<thead><tr>");
    html_head_cell(html, "feature", false, true);
    const struct tree *label = all->labels->first;
    for (size_t r = 0; r < all->shown; r++, label = label->next) function_head(html, label);
    html_put(html, "</tr></thead>\n<tbody>\n");
    for (size_t i = 0; i < shown; i++) {
        size_t j = all->order[i].place;
        html_row(html, all->names[j]);
        for (size_t r = 0; r < all->shown; r++)
            html_cell_number(html, NULL, all->w[r * all->cols + j], 5);
        html_put(html, "</tr>\n");
    }
    html_row(html, "(intercept)");
    const struct tree *bias = tree_find(inside, "bias")->first;
    for (size_t r = 0; r < all->shown; r++, bias = bias->next)
        html_cell_number(html, NULL, bias->kind == TREE_NUMBER ? bias->number : NAN, 5);
    html_put(html, "</tr>\n");
    html_table_end(html);
    if (all->cols > shown)
        html_putf(html, "<p class=soft>%zu more features are left out.</p>\n", all->cols - shown);
    if (all->functions > all->shown)
        html_putf(html, "<p class=soft>%zu more score functions are left out.</p>\n",
                  all->functions - all->shown);
}

/* ---- standard errors ------------------------------------------------------------------------ */

static void error_table(struct html *html, const struct tree *summary) {
    static const char *const columns[] = {"term", "class", "estimate#", "standard error#",
                                          "z#",   "p#",    "95 % low#", "95 % high#",
                                          NULL};
    static const char *const numbers[] = {"estimate", "std_error", "z", "p", "low", "high"};
    const struct tree *terms = tree_find(summary, "terms");
    size_t n = 0;
    if (!terms || terms->count == 0) return;
    html_table(html, "Coefficients with standard errors", true, columns);
    for (const struct tree *row = terms->first; row && n < PAGE_ROWS; row = row->next, n++) {
        html_row(html, report_string(row, "name"));
        html_cell_text(html, report_string(row, "class"));
        for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
            html_cell_number(html, NULL, report_number(row, numbers[i]), 4);
        html_put(html, "</tr>\n");
    }
    html_table_end(html);
}

static void page_errors(struct html *html, const struct tree *inside) {
    const struct tree *summary = tree_find(inside, "summary");
    if (!summary) return;
    if (tree_find(summary, "errors") && tree_find(summary, "errors")->kind == TREE_TEXT) {
        error_table(html, summary);
        return;
    }
    html_put(html, "<p class=soft>There are no standard errors: ");
    html_name(html, report_string(summary, "reason"));
    html_put(html, ".</p>\n");
}

sepal_status page_weights(struct html *html, const struct page_facts *facts) {
    struct arena arena = {0};
    struct weights all = {0};
    html_section(html, "weights", "Coefficients");
    if (report_number(facts->inside, "quadratic") == 1)
        html_put(html, "<p>The scores are quadratic; these are their slopes at the centre.</p>\n");
    sepal_status status = weights_open(&all, html->ctx, facts->inside, &arena);
    if (status == SEPAL_OK) {
        weight_table(html, &all, facts->inside);
        page_errors(html, facts->inside);
    }
    arena_clear(&arena);
    html_section_end(html);
    return status;
}
