/* The page of `sepal separable`. */
#include "report/report.h"

enum { NAME_WIDTH = 12, ANSWER_WIDTH = 11, MOST_SHOWN = 8 };

struct separable_page {
    sepal_ctx *ctx;
    struct text *text;
};

static void put(struct separable_page *page, const char *words, size_t width) {
    text_puts(page->ctx, page->text, words);
    for (size_t have = utf8_width(words); have < width; have++)
        text_puts(page->ctx, page->text, " ");
}

static const char *answer(const struct tree *of, const char *key) {
    const struct tree *node = tree_find(of, key);
    if (!node || node->kind != TREE_BOOL) return "not decided";
    return node->truth ? "yes" : "no";
}

/* "0.25", or "0.25 to 0.26" where the bounds differ visibly. */
static void put_margin(struct separable_page *page, const struct tree *margin) {
    enum { DIGITS = 6 };
    if (!margin || margin->kind != TREE_ARRAY) return;
    double low = margin->first->number;
    if (margin->last->kind != TREE_NUMBER) {
        text_printf(page->ctx, page->text, "at least %.*g", DIGITS, low);
        return;
    }
    double high = margin->last->number;
    text_printf(page->ctx, page->text, "%.*g", DIGITS, low);
    if (high - low > 1e-6 * high) text_printf(page->ctx, page->text, " to %.*g", DIGITS, high);
}

static void put_rows(struct separable_page *page, const struct tree *rows) {
    size_t shown = 0;
    for (const struct tree *row = rows->first; row && shown < MOST_SHOWN; row = row->next, shown++)
        text_printf(page->ctx, page->text, "%s%.0f", shown ? ", " : "", row->number);
    if (rows->count > shown)
        text_printf(page->ctx, page->text, " and %zu more", rows->count - shown);
}

static void put_proof(struct separable_page *page, const struct tree *certificate) {
    const struct tree *kind =
        certificate && certificate->kind == TREE_OBJECT ? tree_find(certificate, "kind") : NULL;
    put(page, "proof", NAME_WIDTH);
    if (!kind) {
        text_puts(page->ctx, page->text, "none\n");
        return;
    }
    if (slice_is(kind->text, "gordan")) {
        text_puts(page->ctx, page->text,
                  "positive multiples of these rows (counted from 0), each with the sign of its "
                  "class, add up to 0: ");
        put_rows(page, tree_find(certificate, "rows"));
        text_puts(page->ctx, page->text, "\n");
    } else {
        text_printf(page->ctx, page->text,
                    "a %.*s with every row on its side (the JSON report has it)\n",
                    (int)kind->text.length, kind->text.bytes);
    }
}

static void put_head(struct separable_page *page, const struct tree *root, bool many) {
    put(page, "separable", NAME_WIDTH);
    text_printf(page->ctx, page->text, "%s%s\n", answer(root, "separable"),
                many ? ", by a linear machine" : "");
    put(page, "quasi", NAME_WIDTH);
    text_printf(page->ctx, page->text, "%s\n", answer(root, "quasi"));
    if (!many) {
        put(page, "margin", NAME_WIDTH);
        put_margin(page, tree_find(root, "margin"));
        text_puts(page->ctx, page->text, "\n");
    }
    put_proof(page, tree_find(root, "certificate"));
    const struct tree *steps = tree_find(root, "updates");
    put(page, "updates", NAME_WIDTH);
    text_printf(page->ctx, page->text, "%.0f\n", steps ? steps->number : 0);
}

/* "a, b" for a pair, "a, all others" for a class against the rest. */
static void separable_report_put_names(struct separable_page *page, const struct tree *one,
                                       struct text *name) {
    const struct tree *pair = tree_find(one, "classes"), *class = tree_find(one, "class");
    name->length = 0;
    text_printf(page->ctx, name, "%s, %s", (pair ? pair->first : class)->text.bytes,
                pair ? pair->last->text.bytes : "all others");
}

static void put_table(struct separable_page *page, const struct tree *list, struct text *name,
                      size_t width) {
    for (const struct tree *one = list->first; one; one = one->next) {
        separable_report_put_names(page, one, name);
        if (name->failed) return;
        put(page, name->bytes, width + 2);
        put(page, answer(one, "separable"), ANSWER_WIDTH + 2);
        put(page, answer(one, "quasi"), ANSWER_WIDTH + 2);
        put_margin(page, tree_find(one, "margin"));
        text_puts(page->ctx, page->text, "\n");
    }
}

void separable_page(sepal_ctx *ctx, struct text *text, const struct tree *root) {
    struct separable_page page = {ctx, text};
    const struct tree *lists[] = {tree_find(root, "pairs"), tree_find(root, "rest")};
    struct text name = {0};
    put_head(&page, root, lists[0] != NULL);
    if (!lists[0]) return;
    size_t width = 0;
    for (size_t i = 0; i < 2; i++)
        for (const struct tree *one = lists[i]->first; one; one = one->next) {
            separable_report_put_names(&page, one, &name);
            if (!name.failed && utf8_width(name.bytes) > width) width = utf8_width(name.bytes);
        }
    text_puts(ctx, text, "\n");
    put(&page, "", width + 2);
    put(&page, "separable", ANSWER_WIDTH + 2);
    put(&page, "quasi", ANSWER_WIDTH + 2);
    text_puts(ctx, text, "margin\n");
    for (size_t i = 0; i < 2; i++) put_table(&page, lists[i], &name, width);
    if (name.failed) text->failed = true;
    text_clear(&name);
}
