/* Two-class problems made of more classes, and what is told of them. */
#include "multiclass/problem.h"

#include "core/alloc.h"

#include <stdio.h>
#include <string.h>

/* ---- the rows ----------------------------------------------------------------------------- */

static sepal_status select_pair(struct problem *problem, sepal_ctx *ctx, const sepal_data *all,
                                const size_t sides[2]) {
    size_t n = 0;
    size_t *rows = mem_alloc(ctx, all->matrix.rows, sizeof *rows);
    if (!rows) return SEPAL_EMEMORY;
    for (size_t row = 0; row < all->matrix.rows; row++)
        if (all->label[row] == (int32_t)sides[0] || all->label[row] == (int32_t)sides[1])
            rows[n++] = row;
    sepal_status status = data_select(&problem->selected, ctx, all, rows, n);
    mem_free(rows);
    return status;
}

void problem_name(struct problem *out, const sepal_data *data, const struct strategy *strategy,
                  size_t r) {
    const struct schema *schema = data->schema;
    *out = (struct problem){.r = r, .of = strategy->functions(schema->n_classes)};
    strategy->sides(r, schema->n_classes, out->sides);
    out->names[0] = strategy->sets                ? "its absence"
                    : out->sides[0] == ALL_OTHERS ? "the rest"
                                                  : schema->classes[out->sides[0]];
    out->names[1] = schema->classes[out->sides[1]];
}

sepal_status problem_pose(struct problem *out, sepal_ctx *ctx, const sepal_data *data,
                          const struct strategy *strategy, size_t r) {
    problem_name(out, data, strategy, r);
    if (out->sides[0] != ALL_OTHERS) {
        TRY(select_pair(out, ctx, data, out->sides));
        data = out->selected;
    }
    out->own_label = data->label;
    out->own_schema = data->schema;
    out->label = mem_alloc(ctx, data->matrix.rows, sizeof *out->label);
    if (!out->label) return SEPAL_EMEMORY;
    const struct row_labels labels = data_labels(data);
    int32_t own = (int32_t)out->sides[1];
    for (size_t row = 0; row < data->matrix.rows; row++)
        out->label[row] =
            data->label ? data->label[row] == own : row_has_label(&labels, row, out->sides[1]);
    out->data = *data;
    out->data.set_start = NULL;
    out->data.set = NULL;
    out->data.label = out->label;
    memcpy(&out->schema, data->schema, sizeof out->schema);
    out->schema.n_classes = 2;
    out->schema.classes = out->names;
    out->data.schema = &out->schema;
    return SEPAL_OK;
}

void problem_clear(struct problem *problem) {
    mem_free(problem->label);
    data_free(problem->selected);
}

/* ---- what is told ------------------------------------------------------------------------- */

enum { NAMES_BYTES = sizeof((struct tally *)0)->kinds[0].names };

/* "'setosa' against the rest" */
static void say_names(char out[NAMES_BYTES], const struct problem *problem) {
    const char *quote = problem->selected ? "'" : "";
    (void)snprintf(out, NAMES_BYTES, "'%.50s' against %s%.50s%s", problem->names[1], quote,
                   problem->names[0], quote);
}

void problem_report(struct tree_maker *make, struct tree *parent, const struct problem *problem) {
    struct tree *pair = problem->selected ? tree_array(make, parent, "row") : NULL;
    for (int side = pair ? 0 : 1; side < 2; side++)
        tree_text(make, pair ? pair : parent, pair ? NULL : "row", problem->names[side]);
}

sepal_status problem_trace(sepal_ctx *ctx, const struct problem *problem) {
    struct arena arena = {0};
    struct tree_maker make = {.ctx = ctx, .arena = &arena};
    if (!ctx->trace) return SEPAL_OK;
    struct tree *line = tree_object(&make, NULL, NULL);
    tree_number(&make, line, "problem", (double)problem->r + 1);
    problem_report(&make, line, problem);
    tree_number(&make, line, "rows", (double)problem->data.matrix.rows);
    sepal_status status = json_trace(&make, line);
    arena_clear(&arena);
    return status;
}

void problem_prefix_error(sepal_ctx *ctx, const struct problem *problem) {
    struct error why = ctx->error;
    char names[NAMES_BYTES];
    if (why.status != SEPAL_EDATA) return;
    say_names(names, problem);
    (void)fail_at(ctx, why.status, why.file, why.line, why.column, "%s: %.1500s", names,
                  why.message);
}

/* The first of those that have weights, by name. */
static void list_finished(sepal_ctx *ctx, struct text *out, const sepal_data *data,
                          const struct strategy *strategy, const bool *has, size_t finished) {
    enum { SHOWN = 10 };
    struct problem problem;
    size_t shown = 0;
    for (size_t r = 0; shown < finished && shown < SHOWN; r++) {
        if (!has[r]) continue;
        problem_name(&problem, data, strategy, r);
        text_printf(ctx, out, "%s'%.50s'", shown++ ? ", " : "", problem.names[1]);
        if (problem.sides[0] != ALL_OTHERS)
            text_printf(ctx, out, " against '%.50s'", problem.names[0]);
    }
    if (finished > SHOWN) text_printf(ctx, out, " and %zu more", finished - SHOWN);
}

sepal_status problems_unfinished(sepal_ctx *ctx, const sepal_data *data,
                                 const struct strategy *strategy, const bool *has) {
    size_t sides[2], of = strategy->functions(data->schema->n_classes), finished = 0;
    strategy->sides(0, data->schema->n_classes, sides);
    const char *what = sides[0] == ALL_OTHERS ? strategy_members(strategy) : "pairs of classes";
    if (strategy == &strategy_sign)
        return fail(ctx, SEPAL_ECANCEL,
                    "interrupted before there were any weights; there is nothing to save");
    for (size_t r = 0; r < of; r++) finished += has[r];
    struct text names = {0};
    list_finished(ctx, &names, data, strategy, has, finished);
    sepal_status status =
        names.failed ? SEPAL_EMEMORY
                     : fail(ctx, SEPAL_ECANCEL,
                            "interrupted when %zu of %zu %s had weights of their own%s%s; a model "
                            "needs all of them, so there is nothing to save",
                            finished, of, what, finished ? ": " : "", finished ? names.bytes : "");
    text_clear(&names);
    return status;
}

/* ---- warnings ----------------------------------------------------------------------------- */

void tally_take(struct tally *tally, sepal_ctx *ctx, size_t from, const struct problem *problem) {
    size_t kept = from;
    for (size_t i = from; i < ctx->n_warnings; i++) {
        sepal_warning warning = ctx->warnings[i];
        size_t k = 0;
        while (k < tally->n && strcmp(tally->kinds[k].first.code, warning.code) != 0) k++;
        if (k == TALLY_KINDS) {
            ctx->warnings[kept++] = warning;
            continue;
        }
        if (k == tally->n) {
            tally->n++;
            tally->kinds[k].first = warning;
            tally->kinds[k].problems = 0;
            say_names(tally->kinds[k].names, problem);
        } else {
            mem_free((char *)(uintptr_t)warning.message);
        }
        if (tally->kinds[k].problems == 0 || tally->kinds[k].last != problem->r)
            tally->kinds[k].problems++;
        tally->kinds[k].last = problem->r;
    }
    ctx->n_warnings = kept;
}

void tally_warn(const struct tally *tally, sepal_ctx *ctx, size_t problems) {
    for (size_t k = 0; k < tally->n; k++)
        warn(ctx, tally->kinds[k].first.code, "in %zu of the %zu two-class problems (%s%s): %s",
             tally->kinds[k].problems, problems, tally->kinds[k].problems > 1 ? "first " : "",
             tally->kinds[k].names, tally->kinds[k].first.message);
}

void tally_clear(struct tally *tally) {
    for (size_t k = 0; k < tally->n; k++)
        mem_free((char *)(uintptr_t)tally->kinds[k].first.message);
    tally->n = 0;
}
