/* Sets of labels: each label against its absence, for all labels that some rows have and others do not.
   A label that all rows have, or none, says nothing of the features. With a free bias its loss falls
   towards 0 as the bias grows, and there is no best one: such a label is left out of the fit, and gets
   weights of 0 and the log-odds of its rate with half a row added to both sides (Jeffreys' prior). */
#include "multiclass/multiclass.h"

#include <math.h>
#include <string.h>

enum presence { PRESENT_SOMETIMES, PRESENT_NEVER, PRESENT_ALWAYS };

struct varying {
    enum presence *presence; /* of every label */
    size_t n;                /* labels that vary, */
    size_t *label;           /* which these are, */
    int32_t *number;         /* and the number of every label among them; -1: it is none */
    struct schema schema;    /* of these alone; it borrows all but the list of classes */
    sepal_data data;
    struct linear warm;
};

/* ---- which ------------------------------------------------------------------------------- */

static sepal_status find_varying(struct varying *out, struct fit *fit,
                                 const struct learner *learner) {
    const sepal_data *data = fit->data;
    size_t labels = data->schema->n_classes, rows = data->matrix.rows;
    size_t *count = arena_zero(fit->ctx, &fit->arena, labels, sizeof *count);
    out->presence = arena_zero(fit->ctx, &fit->arena, labels, sizeof *out->presence);
    out->label = arena_alloc(fit->ctx, &fit->arena, labels, sizeof *out->label);
    out->number = arena_alloc(fit->ctx, &fit->arena, labels, sizeof *out->number);
    if (!count || !out->presence || !out->label || !out->number) return SEPAL_EMEMORY;
    bool both = learner->needs_both_sides && learner->needs_both_sides(fit->config);
    for (size_t i = 0; i < data->set_start[rows]; i++) count[data->set[i]]++;
    for (size_t k = 0; k < labels; k++) {
        bool constant = both && (count[k] == 0 || count[k] == rows);
        if (constant) out->presence[k] = count[k] ? PRESENT_ALWAYS : PRESENT_NEVER;
        out->number[k] = constant ? -1 : (int32_t)out->n;
        if (!constant) out->label[out->n++] = k;
    }
    return SEPAL_OK;
}

/* The rows with these labels alone. */
static sepal_status keep_varying(struct varying *out, struct fit *fit) {
    const sepal_data *data = fit->data;
    size_t rows = data->matrix.rows, used = 0;
    out->data = *data;
    out->data.set_start = arena_zero(fit->ctx, &fit->arena, rows + 1, sizeof *data->set_start);
    out->data.set =
        arena_alloc(fit->ctx, &fit->arena, data->set_start[rows], sizeof *out->data.set);
    const char **classes = arena_alloc(fit->ctx, &fit->arena, out->n, sizeof *classes);
    if (!out->data.set_start || !out->data.set || !classes) return SEPAL_EMEMORY;
    for (size_t row = 0; row < rows; row++) {
        for (size_t i = data->set_start[row]; i < data->set_start[row + 1]; i++)
            if (out->number[data->set[i]] >= 0) out->data.set[used++] = out->number[data->set[i]];
        out->data.set_start[row + 1] = used;
    }
    for (size_t v = 0; v < out->n; v++) classes[v] = data->schema->classes[out->label[v]];
    memcpy(&out->schema, data->schema, sizeof out->schema);
    out->schema.n_classes = out->n;
    out->schema.classes = classes;
    out->data.schema = &out->schema;
    return SEPAL_OK;
}

/* Their rows of a model to start from. */
static sepal_status warm_varying(struct varying *out, struct fit *fit) {
    const struct linear *warm = fit->warm;
    if (!warm) return SEPAL_OK;
    size_t cols = warm->cols;
    out->warm = *warm;
    out->warm.classes = out->warm.rows = out->n;
    out->warm.w = arena_alloc(fit->ctx, &fit->arena, out->n, cols * sizeof *out->warm.w);
    out->warm.b = arena_alloc(fit->ctx, &fit->arena, out->n, sizeof *out->warm.b);
    if (!out->warm.w || !out->warm.b) return SEPAL_EMEMORY;
    for (size_t v = 0; v < out->n; v++) {
        memcpy(out->warm.w + v * cols, warm->w + out->label[v] * cols, cols * sizeof *warm->w);
        out->warm.b[v] = warm->b[out->label[v]];
    }
    return SEPAL_OK;
}

/* ---- what is said of the others ---------------------------------------------------------- */

static sepal_status warn_of_constants(const struct varying *v, struct fit *fit,
                                      enum presence which) {
    enum { SHOWN = 5 };
    const struct schema *schema = fit->data->schema;
    bool always = which == PRESENT_ALWAYS;
    size_t n = 0;
    struct text names = {0};
    for (size_t k = 0; k < schema->n_classes; k++) {
        if (v->presence[k] != which) continue;
        if (n++ < SHOWN)
            text_printf(fit->ctx, &names, "%s'%.60s'", n > 1 ? ", " : "", schema->classes[k]);
    }
    if (n > SHOWN) text_printf(fit->ctx, &names, " and %zu more", n - SHOWN);
    sepal_status status = names.failed ? SEPAL_EMEMORY : SEPAL_OK;
    if (n && status == SEPAL_OK)
        warn(
            fit->ctx, "constant-label",
            "%s row has the label%s %s, so that nothing tells when a row has %s: weights of 0, and "
            "%s predicted",
            always ? "every" : "no", n > 1 ? "s" : "", names.bytes, n > 1 ? "them" : "it",
            always ? "always" : "never");
    text_clear(&names);
    return status;
}

static void report_constants(const struct varying *v, struct fit *fit) {
    const struct schema *schema = fit->data->schema;
    struct tree *list = tree_array(fit->make, fit->report, "constant_labels");
    for (size_t k = 0; k < schema->n_classes; k++) {
        if (v->presence[k] == PRESENT_SOMETIMES) continue;
        struct tree *row = tree_object(fit->make, list, NULL);
        tree_text(fit->make, row, "label", schema->classes[k]);
        tree_bool(fit->make, row, "present", v->presence[k] == PRESENT_ALWAYS);
    }
}

/* ---- together ---------------------------------------------------------------------------- */

/* A function for every label, of the functions of those that vary. */
static sepal_status spread(struct fit *fit, const struct varying *v,
                           const struct strategy *strategy) {
    struct linear part = fit->linear, *all = &fit->linear;
    size_t cols = fit->data->matrix.cols;
    double odds = log(2 * fit->data->total_weight + 1);
    *all = (struct linear){0};
    sepal_status status = linear_init_rows(all, fit->ctx, fit->data->schema->n_classes, strategy,
                                           cols, part.centre != NULL);
    for (size_t k = 0; status == SEPAL_OK && k < all->rows; k++) {
        if (v->number[k] < 0) {
            all->b[k] = v->presence[k] == PRESENT_ALWAYS ? odds : -odds;
            continue;
        }
        size_t from = (size_t)v->number[k];
        memcpy(all->w + k * cols, part.w + from * cols, cols * sizeof *part.w);
        all->b[k] = part.b[from];
    }
    if (status == SEPAL_OK && part.centre)
        memcpy(all->centre, part.centre, cols * sizeof *part.centre);
    linear_clear(&part);
    return status;
}

static void nothing_to_fit(struct fit *fit) {
    fit->solver = "none (no label varies)";
    fit->words = "nothing: every label is in all rows, or in none";
    fit->objective = 0;
    fit->converged = true;
}

sepal_status label_sets_fit(struct fit *fit, const struct learner *learner,
                            const struct strategy *strategy) {
    const sepal_data *data = fit->data;
    const struct linear *warm = fit->warm;
    struct varying v = {0};
    fit->own_schema = data->schema;
    TRY(find_varying(&v, fit, learner));
    if (v.n == data->schema->n_classes) return problems_fit(fit, learner, strategy);
    TRY(warn_of_constants(&v, fit, PRESENT_NEVER));
    TRY(warn_of_constants(&v, fit, PRESENT_ALWAYS));
    report_constants(&v, fit);
    TRY(keep_varying(&v, fit));
    TRY(warm_varying(&v, fit));
    fit->data = &v.data;
    if (warm) fit->warm = &v.warm;
    sepal_status status = SEPAL_OK;
    if (v.n)
        status = problems_fit(fit, learner, strategy);
    else
        nothing_to_fit(fit);
    fit->data = data;
    fit->warm = warm;
    TRY(status);
    return spread(fit, &v, strategy);
}
