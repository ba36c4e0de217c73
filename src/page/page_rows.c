/* Rows to look at: mistakes that the model is most sure of, and rows that it is least sure of. All rows are
   predicted some at a time, and the few that are shown are kept. */
#include "core/alloc.h"
#include "linear/strategy.h"
#include "model/contributions.h"
#include "model/match.h"
#include "model/predict.h"
#include "page/page.h"

#include <math.h>
#include <string.h>

enum { CHUNK = 1 << 14, KEPT = 10, WHY = 3 };

struct seen {
    size_t row;
    int32_t label, class;
    double sure; /* by how much the class is ahead of the next: of probabilities, else of scores */
    double p;    /* of the class; NaN: there is none */
};
struct kept {
    struct seen rows[KEPT];
    size_t n;
};

/* The first of `kept` are those with the largest key; of equals, the first seen. */
static void keep(struct kept *kept, const struct seen *seen, double sign) {
    size_t at = kept->n;
    while (at > 0 && sign * seen->sure > sign * kept->rows[at - 1].sure) at--;
    if (at == KEPT) return;
    if (kept->n < KEPT) kept->n++;
    memmove(&kept->rows[at + 1], &kept->rows[at], (kept->n - at - 1) * sizeof *kept->rows);
    kept->rows[at] = *seen;
}

struct looking {
    const struct page_facts *facts;
    struct decision_rule rule;
    const sepal_data *seen; /* with labels in the model's order */
    struct kept mistakes, doubts;
    size_t wrong, undecided;
};

/* How far the class is ahead of the best other one. */
static double lead_of(const double *numbers, size_t n, int32_t class) {
    double best = -INFINITY;
    if (n == 1) return fabs(numbers[0]);
    for (size_t k = 0; k < n; k++)
        if ((int32_t)k != class) best = fmax(best, numbers[k]);
    return numbers[class] - best;
}

static void look_at(struct looking *all, const struct predictions *out, size_t i, size_t shown) {
    const struct linear *linear = &all->facts->model->linear;
    struct seen seen = {.row = out->first + i,
                        .label = all->seen->label[out->first + i],
                        .class = out->classes[i],
                        .p = NAN};
    if (seen.class < 0) {
        all->undecided++;
        return;
    }
    if (out->probabilities) {
        const double *p = out->probabilities + i * linear->classes;
        seen.p = p[seen.class];
        seen.sure = lead_of(p, linear->classes, seen.class);
    } else {
        seen.sure = lead_of(out->decision_values + i * shown, shown, seen.class);
    }
    if (isnan(seen.sure)) return;
    keep(&all->doubts, &seen, -1);
    if (seen.class == seen.label) return;
    all->wrong++;
    keep(&all->mistakes, &seen, 1);
}

static sepal_status look_at_all(struct looking *all, sepal_ctx *ctx) {
    const sepal_model *model = all->facts->model;
    const struct linear *linear = &model->linear;
    size_t rows = all->facts->data->matrix.rows, width = linear->classes, n = CHUNK;
    bool probable = linear->link != LINK_NONE;
    while (n > 64 && n * width > 1 << 20) n /= 2;
    double *numbers = mem_alloc(ctx, n, width * sizeof *numbers);
    int32_t *classes = mem_alloc(ctx, n, sizeof *classes);
    sepal_status status = numbers && classes ? SEPAL_OK : SEPAL_EMEMORY;
    for (size_t first = 0; first < rows && status == SEPAL_OK; first += n) {
        struct prepared prepared;
        struct predictions out = {
            .first = first, .n = rows - first < n ? rows - first : n, .classes = classes};
        *(probable ? &out.probabilities : &out.decision_values) = numbers;
        status = match_rows(&prepared, ctx, model, all->facts->data, first, out.n);
        if (status == SEPAL_OK)
            status = model_predict(&out, ctx, model, &prepared.rows, &all->rule);
        prepared_clear(&prepared);
        for (size_t i = 0; i < out.n && status == SEPAL_OK; i++)
            look_at(all, &out, i, linear->classes == 2 ? 1 : linear->classes);
    }
    mem_free(numbers);
    mem_free(classes);
    return status;
}

/* ---- why ------------------------------------------------------------------------------------ */

/* The largest contributions to the score of the class; sign -1 where the score is that of the other. */
static void put_why(struct html *html, const sepal_model *model, const double *terms, size_t n,
                    double sign) {
    size_t told[WHY], count = 0;
    for (; count < WHY && count < n; count++) {
        size_t best = SIZE_MAX;
        for (size_t t = 0; t < n; t++) {
            bool taken = false;
            for (size_t i = 0; i < count; i++) taken = taken || told[i] == t;
            if (!taken && (best == SIZE_MAX || fabs(terms[t]) > fabs(terms[best]))) best = t;
        }
        if (terms[best] == 0) break;
        struct text name = {0};
        contributions_name(html->ctx, &name, model, best + 2);
        if (count > 0) html_put(html, ", ");
        html_name(html, name.bytes ? name.bytes : "");
        html_putf(html, " %+.3g", sign * terms[best]);
        html->text.failed = html->text.failed || name.failed;
        text_clear(&name);
        told[count] = best;
    }
}

static sepal_status put_reasons(struct html *html, struct looking *all, const struct seen *seen) {
    const sepal_model *model = all->facts->model;
    const struct linear *linear = &model->linear;
    sepal_ctx *ctx = html->ctx;
    size_t width = contributions_width(model), function = (size_t)seen->class;
    bool two = linear->rows == 1 && linear->classes == 2;
    if (two) function = 0;
    html_put(html, "<td>");
    if (two || (linear->strategy->functions == strategy_each_class && function < linear->rows)) {
        struct prepared prepared;
        double *numbers = mem_alloc(ctx, linear->rows, width * sizeof *numbers);
        if (!numbers) return SEPAL_EMEMORY;
        struct predictions out = {.first = seen->row, .n = 1, .contributions = numbers};
        sepal_status status = match_rows(&prepared, ctx, model, all->facts->data, seen->row, 1);
        if (status == SEPAL_OK)
            status = model_predict(&out, ctx, model, &prepared.rows, &all->rule);
        prepared_clear(&prepared);
        if (status == SEPAL_OK)
            put_why(html, model, numbers + function * width + 2, width - 3,
                    two && seen->class == 0 ? -1 : 1);
        mem_free(numbers);
        TRY(status);
    }
    html_put(html, "</td>");
    return SEPAL_OK;
}

/* ---- tables --------------------------------------------------------------------------------- */

static sepal_status put_kept(struct html *html, struct looking *all, const struct kept *kept,
                             const char *caption) {
    static const char *const columns[] = {"row#",      "is",
                                          "taken for", "probability#",
                                          "ahead by#", "what speaks most for or against it",
                                          NULL};
    const struct matrix *matrix = &all->facts->data->matrix; /* whose rows know their file */
    if (kept->n == 0) return SEPAL_OK;
    html_table(html, caption, true, columns);
    for (size_t i = 0; i < kept->n; i++) {
        const struct seen *seen = &kept->rows[i];
        html_put(html, "<tr>");
        html_cell_number(html, NULL, (double)matrix_row_number(matrix, seen->row) + 1, 15);
        html_cell_text(html, data_label_name(all->seen, (size_t)seen->label));
        html_cell_text(html, all->facts->model->schema->classes[seen->class]);
        html_cell_number(html, NULL, seen->p, 4);
        html_cell_number(html, NULL, seen->sure, 4);
        TRY(put_reasons(html, all, seen));
        html_put(html, "</tr>\n");
    }
    html_table_end(html);
    return SEPAL_OK;
}

static void put_ambiguous(struct html *html, const struct tree *judgement) {
    static const struct {
        const char *key, *words;
    } regions[] = {{"ambiguous.several", "claimed by several classes"},
                   {"ambiguous.none", "claimed by none"},
                   {"ambiguous.tied", "with a tie of votes"}};
    for (size_t i = 0; i < sizeof regions / sizeof *regions; i++) {
        const struct tree *count = tree_path(judgement, regions[i].key);
        if (!count || count->kind != TREE_NUMBER || count->number == 0) continue;
        html_put(html, "<p>Rows ");
        html_putf(html, "%s: ", regions[i].words);
        html_number(html, regions[i].key, count->number, 15);
        html_put(html, ".</p>\n");
    }
}

static sepal_status put_rows(struct html *html, struct looking *all) {
    if (all->wrong == 0) html_put(html, "<p>Every row that is decided is decided rightly.</p>\n");
    if (all->undecided > 0)
        html_putf(html, "<p>%zu rows are left undecided.</p>\n", all->undecided);
    put_ambiguous(html, all->facts->judgement);
    TRY(put_kept(html, all, &all->mistakes, "The mistakes that the model is most sure of"));
    return put_kept(html, all, &all->doubts, "The rows that the model is least sure of");
}

sepal_status page_rows(struct html *html, const struct page_facts *facts) {
    struct arena arena = {0};
    struct looking all = {.facts = facts};
    sepal_data seen;
    sepal_ctx *ctx = html->ctx;
    html_section(html, "rows", "Rows to look at");
    if (facts->model->linear.strategy->sets || !facts->data->label) {
        html_put(html, "<p>Rows with sets of labels are not listed.</p>\n");
        html_section_end(html);
        return SEPAL_OK;
    }
    sepal_status status = match_labels(&seen, ctx, &arena, facts->model, facts->data);
    if (status == SEPAL_OK)
        status = decision_rule_make(&all.rule, ctx, &arena, facts->model, facts->options);
    all.seen = &seen;
    if (status == SEPAL_OK) status = look_at_all(&all, ctx);
    if (status == SEPAL_OK) status = put_rows(html, &all);
    arena_clear(&arena);
    html_section_end(html);
    return status;
}
