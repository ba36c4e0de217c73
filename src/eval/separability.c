/* The questions: for two classes one; for more, every pair, every class against the rest, and a linear
   machine. The last is spared where another answer settles it: hyperplanes of all classes against the
   rest are a machine, and a pair that nothing separates leaves none. */
#include "eval/separability.h"

#include "core/spec.h"
#include "separability/separable.h"

#include <math.h>

enum { MOST_CLASSES = 512 };

struct separable_options {
    double max_seconds;
};
static const struct parameter option_table[] = {
    {"max-seconds", PARAMETER_REAL, offsetof(struct separable_options, max_seconds), NULL,
     "(0, inf)", "stop after this time with what is known"},
    {0},
};

struct separability_run {
    sepal_ctx *ctx;
    const struct mapped_rows *rows;
    struct arena arena;
    struct budget budget;
    int8_t *side;
    struct tree_maker *make;
    size_t classes;
    struct separability *rest;  /* one per class */
    struct certificate *broken; /* of the first pair that nothing separates; NULL: none */
    size_t broken_pair[2];
};

/* ---- one answer ---------------------------------------------------------------------------- */

static void put_outcome(struct tree_maker *make, struct tree *parent, const char *key,
                        enum outcome outcome) {
    if (outcome == OUTCOME_UNKNOWN)
        tree_null(make, parent, key);
    else
        tree_bool(make, parent, key, outcome == OUTCOME_YES);
}

static void put_all(struct separability_run *a, struct tree *parent, const struct question *q,
                    const struct separability *s) {
    struct tree_maker *make = a->make;
    put_outcome(make, parent, "separable", s->separable);
    put_outcome(make, parent, "quasi", s->quasi);
    if (q->side) {
        struct tree *margin = tree_array(make, parent, "margin");
        tree_number(make, margin, NULL, s->margin[0]);
        tree_number(make, margin, NULL, s->margin[1]);
    } else {
        tree_null(make, parent, "margin");
    }
    tree_number(make, parent, "updates", (double)s->updates);
    certificate_put(make, parent, q, &s->certificate, a->rows->data);
}

static struct question question_of_sides(const struct separability_run *a) {
    return (struct question){.x = a->rows->x, .side = a->side, .bias = true};
}

static sepal_status separability_ask(struct separability *out, struct separability_run *a) {
    struct question q = question_of_sides(a);
    struct separable_wish wish = {.margin = true, .quasi = true};
    return separable_decide(out, a->ctx, &a->arena, &q, wish, &a->budget);
}

/* ---- more than two classes ----------------------------------------------------------------- */

static sepal_status ask_rest(struct separability_run *a) {
    a->rest = arena_zero(a->ctx, &a->arena, a->classes, sizeof *a->rest);
    if (!a->rest) return SEPAL_EMEMORY;
    for (size_t k = 0; k < a->classes; k++) {
        sides_of_rest(a->side, a->rows->data, k);
        TRY(separability_ask(&a->rest[k], a));
    }
    return SEPAL_OK;
}

static sepal_status ask_pairs(struct separability_run *a, struct tree *list) {
    const char *const *names = (const char *const *)a->rows->data->schema->classes;
    for (size_t i = 0; i < a->classes; i++)
        for (size_t j = i + 1; j < a->classes; j++) {
            struct separability found;
            sides_of_pair(a->side, a->rows->data, i, j);
            TRY(separability_ask(&found, a));
            struct question q = question_of_sides(a);
            struct tree *one = tree_object(a->make, list, NULL), *pair;
            pair = tree_array(a->make, one, "classes");
            tree_text(a->make, pair, NULL, names[i]);
            tree_text(a->make, pair, NULL, names[j]);
            put_all(a, one, &q, &found);
            if (found.separable != OUTCOME_NO || a->broken) continue;
            a->broken = arena_alloc(a->ctx, &a->arena, 1, sizeof *a->broken);
            if (!a->broken) return SEPAL_EMEMORY;
            *a->broken = found.certificate;
            a->broken_pair[0] = i;
            a->broken_pair[1] = j;
        }
    return SEPAL_OK;
}

/* The hyperplanes of all classes against the rest as a machine; false when one is missing. */
static sepal_status machine_of_rest(bool *made, struct certificate *out,
                                    struct separability_run *a) {
    size_t cols = a->rows->x->cols;
    *made = true;
    for (size_t k = 0; k < a->classes; k++) *made = *made && a->rest[k].separable == OUTCOME_YES;
    if (!*made) return SEPAL_OK;
    *out = (struct certificate){.kind = CERTIFICATE_PLANE};
    out->w = arena_alloc(a->ctx, &a->arena, a->classes, cols * sizeof *out->w);
    out->b = arena_alloc(a->ctx, &a->arena, a->classes, sizeof *out->b);
    if (!out->w || !out->b) return SEPAL_EMEMORY;
    for (size_t k = 0; k < a->classes; k++) {
        for (size_t j = 0; j < cols; j++) out->w[k * cols + j] = a->rest[k].certificate.w[j];
        out->b[k] = a->rest[k].certificate.b[0];
    }
    return SEPAL_OK;
}

/* Multipliers of a pair, each row with the other class as its rival. */
static sepal_status machine_of_pair(struct certificate *out, struct separability_run *a) {
    *out = *a->broken;
    out->rivals = arena_alloc(a->ctx, &a->arena, out->n, sizeof *out->rivals);
    if (!out->rivals) return SEPAL_EMEMORY;
    for (size_t i = 0; i < out->n; i++) {
        size_t own = (size_t)a->rows->data->label[out->rows[i]];
        out->rivals[i] = (int32_t)(a->broken_pair[0] + a->broken_pair[1] - own);
    }
    return SEPAL_OK;
}

static sepal_status ask_machine(struct separability *out, struct separability_run *a,
                                const struct question *q) {
    bool made = false;
    *out = (struct separability){.separable = OUTCOME_UNKNOWN, .quasi = OUTCOME_UNKNOWN};
    struct verdict verdict = {0};
    TRY(machine_of_rest(&made, &out->certificate, a));
    enum outcome known = made ? OUTCOME_YES : OUTCOME_NO;
    if (!made && a->broken) {
        TRY(machine_of_pair(&out->certificate, a));
        made = true;
    }
    if (made) TRY(certificate_judge(&verdict, a->ctx, q, &out->certificate));
    if (!verdict.holds) {
        struct separable_wish wish = {.quasi = true};
        return separable_decide(out, a->ctx, &a->arena, q, wish, &a->budget);
    }
    out->separable = known;
    out->quasi = OUTCOME_NO;
    if (known == OUTCOME_YES) return SEPAL_OK;
    return quasi_decide(&out->quasi, a->ctx, q, &out->certificate, &a->budget);
}

static sepal_status ask_many(struct separability_run *a, struct tree *report) {
    struct question q = {
        .x = a->rows->x, .label = a->rows->data->label, .classes = a->classes, .bias = true};
    struct separability machine;
    struct tree *pairs = tree_array(a->make, NULL, "pairs");
    TRY(ask_pairs(a, pairs));
    TRY(ask_rest(a));
    TRY(ask_machine(&machine, a, &q));
    put_all(a, report, &q, &machine);
    tree_adopt(report, pairs);
    struct tree *rest = tree_array(a->make, report, "rest");
    for (size_t k = 0; k < a->classes; k++) {
        struct tree *one = tree_object(a->make, rest, NULL);
        sides_of_rest(a->side, a->rows->data, k);
        struct question of_sides = question_of_sides(a);
        tree_text(a->make, one, "class", a->rows->data->schema->classes[k]);
        put_all(a, one, &of_sides, &a->rest[k]);
    }
    put_outcome(a->make, report, "machine", machine.separable);
    return SEPAL_OK;
}

/* ---- all ----------------------------------------------------------------------------------- */

static sepal_status ask_two(struct separability_run *a, struct tree *report) {
    struct separability found;
    sides_of_pair(a->side, a->rows->data, 0, 1);
    TRY(separability_ask(&found, a));
    struct question q = question_of_sides(a);
    put_all(a, report, &q, &found);
    return SEPAL_OK;
}

static sepal_status separability_run(struct separability_run *a, struct mapped_rows *rows,
                                     const sepal_data *data, const char *maps, const char *options,
                                     struct tree *report) {
    struct separable_options choice;
    TRY(parameters_parse(&choice, a->ctx, &a->arena, option_table, "separable", options));
    a->budget.max_seconds = choice.max_seconds;
    TRY(mapped_rows_make(rows, a->ctx, data, maps));
    a->side = arena_alloc(a->ctx, &a->arena, data->matrix.rows, sizeof *a->side);
    if (!a->side) return SEPAL_EMEMORY;
    a->classes = data->schema->n_classes;
    if (a->classes > MOST_CLASSES)
        return fail(a->ctx, SEPAL_EDATA,
                    "%zu classes have too many pairs to ask about, at most %d can be; is " OPTION
                    "target the "
                    "right column?",
                    a->classes, MOST_CLASSES);
    TRY(a->classes == 2 ? ask_two(a, report) : ask_many(a, report));
    if (a->make->failed) return SEPAL_EMEMORY;
    const struct tree *answer = tree_find(report, "separable");
    if (answer && answer->kind == TREE_NULL)
        warn(a->ctx, "not-decided",
             "neither a hyperplane nor a proof that there is none was found (%s); the margin lies "
             "between the bounds given",
             a->budget.stopped ? a->budget.stopped
                               : "what is left is smaller than rounding errors");
    return SEPAL_OK;
}

sepal_status separability_report(sepal_ctx *ctx, const sepal_data *data, const char *maps,
                                 const char *options, struct tree_maker *make, struct tree *report,
                                 char **certificate) {
    struct mapped_rows rows = {0};
    struct separability_run a = {
        .ctx = ctx,
        .rows = &rows,
        .make = make,
        .budget = {.start_ns = clock_ns(), .max_seconds = NAN, .max_work = NAN}};
    sepal_status status = separability_run(&a, &rows, data, maps, options, report);
    if (status == SEPAL_OK && certificate)
        status = certificate_text(certificate, ctx, &rows, report);
    mapped_rows_clear(&rows);
    arena_clear(&a.arena);
    return status;
}
