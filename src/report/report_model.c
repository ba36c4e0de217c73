/* The page of `sepal inspect`. */
#include "core/decimal.h"
#include "report/report_page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct weight {
    const char *name;
    double value;
    double effect;  /* of one standard deviation; without one, the weight */
    const char *at; /* a bound: "low", "high" or "fixed"; NULL: none */
    size_t place;   /* among the features */
};

static int report_by_effect(const void *a, const void *b) {
    const struct weight *one = a, *other = b;
    double x = fabs(one->effect), y = fabs(other->effect);
    if (x != y) return (x < y) - (x > y);
    return (one->place > other->place) - (one->place < other->place);
}

/* One score function: what it speaks for, its bias and length, its weights. */
struct score {
    const struct tree *label, *bias, *norm, *far, *weights;
    const struct tree *effects; /* NULL: not known */
    const struct tree *at;      /* which weights are at a bound; NULL: there are none */
};

/* The features of one score function, those that matter most first. */
static struct weight *rank_features(struct page *page, struct arena *arena,
                                    const struct tree *features, const struct score *score) {
    const struct tree *row = score->weights, *effects = score->effects;
    struct weight *weights = arena_alloc(page->ctx, arena, row->count, sizeof *weights);
    if (!weights) {
        page->text.failed = true;
        return NULL;
    }
    size_t n = 0;
    const struct tree *name = features->first, *effect = effects ? effects->first : row->first;
    const struct tree *at = score->at ? score->at->first : NULL;
    for (const struct tree *value = row->first; value;
         value = value->next, name = name->next, effect = effect->next, n++) {
        weights[n] = (struct weight){
            .name = name->text.bytes, .value = value->number, .effect = effect->number, .place = n};
        if (at && at->kind == TREE_TEXT) weights[n].at = at->text.bytes;
        if (at) at = at->next;
    }
    qsort(weights, n, sizeof *weights, report_by_effect);
    return weights;
}

static size_t weight_digits(double value) {
    char digits[DECIMAL_BYTES + 1];
    return decimal_print(digits, value);
}

static void weight_row(struct page *page, const struct weight *weight, size_t width, size_t digits,
                       bool effects) {
    text_puts(page->ctx, &page->text, "\n  ");
    page_left(page, weight->name, width + 2);
    text_number(page->ctx, &page->text, weight->value);
    if (effects) {
        page_pad(page, weight_digits(weight->value), digits + 2);
        text_printf(page->ctx, &page->text, "%.4g", weight->effect);
    }
    if (!weight->at) return;
    bool fixed = strcmp(weight->at, "fixed") == 0;
    text_printf(page->ctx, &page->text, "  (%s)",
                fixed                            ? "fixed by its bounds"
                : strcmp(weight->at, "low") == 0 ? "at its lower bound"
                                                 : "at its upper bound");
}

/* The table of the `top` features of one score function. */
static void weight_rows(struct page *page, const struct tree *root, const struct score *score,
                        size_t top) {
    struct arena arena = {0};
    bool effects = score->effects != NULL;
    size_t n = score->weights->count, shown = top && top < n ? top : n;
    size_t width = strlen("feature"), digits = strlen("weight");
    struct weight *weights = rank_features(page, &arena, tree_find(root, "features"), score);
    if (!weights) return;
    for (size_t i = 0; i < shown; i++) {
        size_t name = utf8_width(weights[i].name), number = weight_digits(weights[i].value);
        if (name > width) width = name;
        if (number > digits) digits = number;
    }
    text_puts(page->ctx, &page->text, "  ");
    page_left(page, "feature", width + 2);
    page_left(page, effects ? "weight" : "weight, largest first", effects ? digits + 2 : 0);
    if (effects)
        text_puts(page->ctx, &page->text, "effect of one standard deviation, largest first");
    for (size_t i = 0; i < shown; i++) weight_row(page, &weights[i], width, digits, effects);
    text_puts(page->ctx, &page->text, "\n");
    if (n > shown) text_printf(page->ctx, &page->text, "  ... %zu more\n", n - shown);
    arena_clear(&arena);
}

static struct score first_score(const struct tree *root) {
    const struct tree *effects = tree_find(root, "effects");
    const struct tree *at = tree_path(root, "bounds.at");
    return (struct score){.label = tree_find(root, "rows")->first,
                          .bias = tree_find(root, "bias")->first,
                          .norm = tree_find(root, "norm")->first,
                          .far = tree_find(root, "distance_to_origin")->first,
                          .weights = tree_find(root, "weights")->first,
                          .effects = effects ? effects->first : NULL,
                          .at = at ? at->first : NULL};
}

static struct score next_score(struct score score) {
    return (struct score){.label = score.label->next,
                          .bias = score.bias->next,
                          .norm = score.norm->next,
                          .far = score.far->next,
                          .weights = score.weights->next,
                          .effects = score.effects ? score.effects->next : NULL,
                          .at = score.at ? score.at->next : NULL};
}

static void score_page(struct page *page, const struct tree *root, const struct score *score,
                       size_t top) {
    const struct tree *label = score->label;
    if (label->kind == TREE_ARRAY)
        text_printf(page->ctx, &page->text, "\nscore of %s against %s: bias ",
                    label->last->text.bytes, label->first->text.bytes);
    else
        text_printf(page->ctx, &page->text, "\nscore of %s: bias ", label->text.bytes);
    text_number(page->ctx, &page->text, score->bias->number);
    text_printf(page->ctx, &page->text, ", |w| %.6g", score->norm->number);
    if (report_number(root, "quadratic") == 1)
        text_puts(page->ctx, &page->text,
                  "; it is quadratic, and this its tangent at the centre\n");
    else if (report_number(root, "bits") == 1)
        text_puts(page->ctx, &page->text, "; a value above 0 counts as 1, any other as 0\n");
    else if (score->far->kind != TREE_NUMBER)
        text_puts(page->ctx, &page->text, ", origin at n/a\n");
    else
        text_printf(page->ctx, &page->text, ", origin at %.6g\n", score->far->number);
    weight_rows(page, root, score, top);
}

static void boundary_rows(struct page *page, const struct tree *root) {
    const struct tree *list = tree_find(root, "boundaries");
    if (!list) return;
    text_puts(page->ctx, &page->text, "\nbetween the classes (origin at: signed distance)\n");
    for (const struct tree *row = list->first; row; row = row->next) {
        const struct tree *pair = tree_find(row, "classes");
        text_printf(page->ctx, &page->text, "  %s | %s: |w| %.6g, origin at ",
                    pair->first->text.bytes, pair->last->text.bytes, report_number(row, "norm"));
        page_cell(page, report_number(row, "distance_to_origin"), 6, 0);
        text_puts(page->ctx, &page->text, "\n");
    }
}

/* Of a model that leaves features out. */
static void nonzero_line(struct page *page, const struct tree *root) {
    double nonzero = 0;
    const struct tree *rows = tree_find(root, "nonzero");
    size_t weights = rows->count * tree_find(root, "features")->count;
    for (const struct tree *row = rows->first; row; row = row->next) nonzero += row->number;
    if (nonzero < (double)weights)
        page_line(page, "weights", "%.0f of %zu weights are not zero", nonzero, weights);
}

/* The functions from scores to probabilities; of many classes those of the first few. */
static void calibration_lines(struct page *page, const struct tree *root) {
    enum { SHOWN = 12 };
    const struct tree *facts = tree_find(root, "calibration");
    const struct tree *class = tree_find(root, "classes")->first;
    if (!facts) return;
    if (tree_find(facts, "temperature")) {
        page_line(page, "calibration", "temperature: probabilities of the scores divided by %.6g",
                  report_number(facts, "temperature"));
        return;
    }
    const struct tree *slope = tree_find(facts, "slope"), *knots = tree_find(facts, "knots");
    const struct tree *each = slope ? slope->first : knots->first;
    const struct tree *intercept = slope ? tree_find(facts, "intercept")->first : NULL;
    bool two = (slope ? slope : knots)->count == 1;
    page_line(page, "calibration", "%s%s", report_string(facts, "method"),
              two ? "" : ", each class against the rest, then divided by their sum");
    if (two) class = class->next;
    for (size_t i = 0; each && i < SHOWN; i++, each = each->next, class = class->next) {
        text_printf(page->ctx, &page->text, "  %s: ", class->text.bytes);
        if (slope)
            text_printf(page->ctx, &page->text, "log-odds %.6g s %+.6g\n", each->number,
                        intercept->number);
        else
            text_printf(page->ctx, &page->text, "%.0f knot%s\n", each->number,
                        each->number == 1 ? "" : "s");
        if (intercept) intercept = intercept->next;
    }
}

/* How many weights have bounds, and how many are at one. */
static void bounds_line(struct page *page, const struct tree *root) {
    const struct tree *low = tree_path(root, "bounds.low"), *at = tree_path(root, "bounds.at");
    size_t bounded = 0, held = 0;
    if (!low) return;
    const struct tree *high = tree_path(root, "bounds.high")->first;
    for (low = low->first; low; low = low->next, high = high->next)
        bounded += low->kind == TREE_NUMBER || high->kind == TREE_NUMBER;
    for (const struct tree *row = at->first; row; row = row->next)
        for (const struct tree *one = row->first; one; one = one->next)
            held += one->kind == TREE_TEXT;
    page_line(page, "bounds", "on the weights of %zu column%s; %zu of %zu weights are at one",
              bounded, bounded == 1 ? "" : "s", held, at->count * bounded);
}

void model_page(struct page *page, const struct tree *root, size_t top) {
    page_line(page, "spec", "%s", report_string(root, "spec"));
    page_classes(page, tree_find(root, "label_sets") ? "labels" : "classes",
                 tree_find(root, "classes"), NULL);
    page_line(page, "activation", "%s", report_string(root, "activation"));
    calibration_lines(page, root);
    page_decision(page, root);
    page_line(page, "trained on", "%.0f rows; %s", report_number(root, "training.rows"),
              report_number(root, "training.converged") == 1 ? "converged" : "not converged");
    nonzero_line(page, root);
    bounds_line(page, root);
    for (struct score score = first_score(root); score.label; score = next_score(score))
        score_page(page, root, &score, top);
    boundary_rows(page, root);
}
