#include "core/alloc.h"
#include "core/decimal.h"
#include "io/merge.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct column_totals {
    size_t numbers, texts, missing;
    const struct parsed_chunk *first_text; /* the chunk with the first one */
};

static struct column_totals merge_columns_count(const struct chunks *chunks, size_t feature) {
    struct column_totals totals = {0};
    for (size_t i = 0; i < chunks->count; i++) {
        const struct parsed_column *column = &chunks->items[i]->columns[feature];
        totals.numbers += column->numbers;
        totals.texts += column->texts;
        totals.missing += column->missing;
        if (column->texts && !totals.first_text) totals.first_text = chunks->items[i];
    }
    return totals;
}

const char *merge_no_number(struct slice text) {
    bool large = decimal_overflows(text.bytes, text.bytes + text.length);
    return large ? "is too large for a double" : "is not a decimal number";
}

/* What else may be the matter with the first text of a column of numbers. */
static const char *advise_mixed(const struct reading *reading, const struct parsed_chunk *chunk,
                                struct spot spot, struct slice text) {
    double value;
    if (cell_has_thousands(text))
        return reading->table.advises && text.length && memchr(text.bytes, ',', text.length)
                   ? ", or write the numbers without marks between thousands, or " OPTION
                     "decimal comma if that is its decimal mark"
                   : ", or write the numbers without marks between thousands";
    if (reading->table.advises && cell_is_comma_number(text, &value))
        return ", or " OPTION "decimal comma if that is its decimal mark";
    bool top = chunk->first_line + spot.line == 1;
    return top ? ", or " OPTION "header yes if line 1 names the columns" : "";
}

static sepal_status refuse_mixed(struct reading *reading, const struct column *column,
                                 size_t feature, struct column_totals totals) {
    const struct parsed_column *parsed = &totals.first_text->columns[feature];
    struct slice text = parsed->tokens->items[0];
    bool few = totals.texts <= 3 || totals.texts < totals.numbers / 10;
    return chunk_fail(
        reading->ctx, &reading->source, totals.first_text, parsed->first_text,
        "'%.*s' %s, and column '%s' holds numbers (%zu of them, and %zu other cell%s); %s" OPTION
        "categorical '%s' if they name categories, " OPTION
        "drop '%s' to do without the column%s%s",
        (int)(text.length < 40 ? text.length : 40), text.bytes, merge_no_number(text), column->name,
        totals.numbers, totals.texts, totals.texts == 1 ? "" : "s",
        few ? "mend the cell, or say " : "say ", column->name, column->name,
        few ? ", or " OPTION "bad-lines skip to leave such lines out" : "",
        advise_mixed(reading, totals.first_text, parsed->first_text, text));
}

static int merge_columns_by_bytes(const void *a, const void *b) {
    return slice_compare(*(const struct slice *)a, *(const struct slice *)b);
}

static sepal_status learn_categories(struct reading *reading, struct column *column,
                                     struct tokens *all) {
    sepal_ctx *ctx = reading->ctx;
    struct arena *arena = &reading->learnt->arena;
    if (all->count) qsort(all->items, all->count, sizeof *all->items, merge_columns_by_bytes);
    column->categories = arena_alloc(ctx, arena, all->count, sizeof *column->categories);
    if (!column->categories) return SEPAL_EMEMORY;
    for (size_t k = 0; k < all->count; k++) {
        column->categories[k] = arena_text(ctx, arena, all->items[k].bytes, all->items[k].length);
        if (!column->categories[k]) return SEPAL_EMEMORY;
    }
    column->n_categories = all->count;
    return SEPAL_OK;
}

sepal_status merge_tokens(struct tokens *all, sepal_ctx *ctx, const struct tokens *tokens,
                          bool *used, uint32_t *number) {
    sepal_status status = used ? SEPAL_OK : SEPAL_EMEMORY;
    bool fresh;
    uint32_t unused;
    for (size_t t = 0; t < tokens->count && status == SEPAL_OK; t++)
        if (used[t])
            status = tokens_add(all, ctx, tokens->items[t], number ? &number[t] : &unused, &fresh);
    mem_free(used);
    return status;
}

/* A text that only dropped rows have is not a category: dropping is as good as deleting. */
static bool *tokens_in_use(sepal_ctx *ctx, const struct parsed_chunk *parsed, size_t feature) {
    bool *used = mem_zero(ctx, parsed->columns[feature].tokens->count, sizeof *used);
    for (size_t r = 0; used && r < parsed->rows; r++) {
        double cell = parsed_cell(parsed, r, feature);
        if (!isnan(cell) && !parsed_drops(parsed, r)) used[(size_t)cell] = true;
    }
    return used;
}

static sepal_status merge_columns_collect(struct tokens *all, sepal_ctx *ctx,
                                          const struct chunks *chunks, size_t feature) {
    for (size_t i = 0; i < chunks->count; i++) {
        const struct tokens *tokens = chunks->items[i]->columns[feature].tokens;
        if (!tokens) continue;
        TRY(merge_tokens(all, ctx, tokens, tokens_in_use(ctx, chunks->items[i], feature), NULL));
    }
    return SEPAL_OK;
}

/* What the tokens of each chunk are as categories. */
static sepal_status translate(sepal_ctx *ctx, const struct column *column,
                              const struct chunks *chunks, size_t feature) {
    for (size_t i = 0; i < chunks->count; i++) {
        struct parsed_column *parsed = &chunks->items[i]->columns[feature];
        if (!parsed->tokens) continue;
        parsed->category = mem_alloc(ctx, parsed->tokens->count, sizeof *parsed->category);
        if (!parsed->category) return SEPAL_EMEMORY;
        for (size_t t = 0; t < parsed->tokens->count; t++)
            parsed->category[t] = (uint32_t)column_category(column, parsed->tokens->items[t]);
    }
    return SEPAL_OK;
}

static sepal_status learn_text(struct reading *reading, struct column *column, size_t feature) {
    sepal_ctx *ctx = reading->ctx;
    const struct chunks *chunks = &reading->chunks;
    struct tokens all = {0};
    sepal_status status = merge_columns_collect(&all, ctx, chunks, feature);
    if (status == SEPAL_OK) status = learn_categories(reading, column, &all);
    if (status == SEPAL_OK) status = translate(ctx, column, chunks, feature);
    tokens_clear(&all);
    return status;
}

static sepal_status learn_column(struct reading *reading, const struct table_role *role) {
    size_t feature = role->feature;
    struct column *column = &reading->learnt->columns[feature];
    struct column_totals totals = merge_columns_count(&reading->chunks, feature);
    column->declared = role->declared;
    if (!role->declared) column->text = role->as_text || (!role->as_number && totals.numbers == 0);
    if (!column->text && totals.texts) return refuse_mixed(reading, column, feature, totals);
    return column->text && !role->declared ? learn_text(reading, column, feature) : SEPAL_OK;
}

/* Whether the matrix has cells that are to be prepared. */
static bool is_coded(const struct reading *reading) {
    const struct schema *schema = reading->data->schema;
    if (schema->missing == MISSING_MEAN || schema->missing == MISSING_INDICATOR) return true;
    for (size_t f = 0; f < schema->n_columns; f++)
        if (schema->columns[f].text || merge_columns_count(&reading->chunks, f).missing)
            return true;
    return false;
}

sepal_status merge_columns(struct reading *reading) {
    const struct table_layout *layout = &reading->table;
    for (size_t c = 0; reading->learnt && c < layout->n_cells; c++)
        if (layout->roles[c].role == ROLE_FEATURE) TRY(learn_column(reading, &layout->roles[c]));
    if (reading->learnt) schema_layout(reading->learnt);
    reading->data->coded = !layout->sparse && is_coded(reading);
    return SEPAL_OK;
}

sepal_status merge_indices(struct reading *reading) {
    struct schema *schema = reading->learnt;
    uint32_t most = 0;
    for (size_t i = 0; i < reading->chunks.count; i++) {
        const struct index_notes *notes = &reading->chunks.items[i]->notes;
        if (notes->max_index > most) most = notes->max_index;
        schema->zero_based = schema->zero_based || notes->index_zero;
    }
    size_t seen = schema->zero_based ? (size_t)most + 1 : most;
    schema->width = reading->options.n_features ? reading->options.n_features : seen;
    if (seen > schema->width)
        return fail_at(reading->ctx, SEPAL_EDATA, reading->source.file.name, 1, 1,
                       "the file is 0-based and shows index %u; " OPTION
                       "n-features %zu is too few",
                       most, schema->width);
    if (schema->zero_based)
        warn(reading->ctx, "zero-based",
             "index 0 occurs: indices are taken as counted from 0, and the model keeps that");
    return SEPAL_OK;
}

/* ---- missing values ----------------------------------------------------------------------- */

/* "age 177, cabin 687 and 2 more" */
static void merge_columns_name_columns(char *out, size_t room, const struct chunks *chunks,
                                       const struct schema *schema) {
    enum { SHOWN = 5 };
    size_t used = 0, columns = 0;
    out[0] = '\0';
    for (size_t f = 0; f < schema->n_columns; f++) {
        size_t missing = merge_columns_count(chunks, f).missing;
        if (!missing || columns++ >= SHOWN) continue;
        if (used >= room) break; /* never: there is room for five names of 60 bytes */
        used += (size_t)snprintf(out + used, room - used, "%s%.60s %zu", used ? ", " : "",
                                 schema->columns[f].name, missing);
    }
    if (columns > SHOWN && used < room) /* never: see above */
        snprintf(out + used, room - used, " and %zu more columns", columns - SHOWN);
}

static sepal_status refuse_missing(struct reading *reading, const struct parsed_chunk *parsed) {
    const struct schema *schema = reading->data->schema;
    size_t first = SIZE_MAX;
    for (size_t f = 0; f < parsed->n_columns; f++)
        if (parsed->columns[f].missing &&
            (first == SIZE_MAX ||
             spot_earlier(parsed->columns[f].first_missing, parsed->columns[first].first_missing)))
            first = f;
    char names[512];
    merge_columns_name_columns(names, sizeof names, &reading->chunks, schema);
    return chunk_fail(
        reading->ctx, &reading->source, parsed, parsed->columns[first].first_missing,
        "missing value in column '%s' (missing: %s); %s", schema->columns[first].name, names,
        reading->learnt ? "say " OPTION "missing mean, indicator or drop"
                        : "the model was trained without a rule for them: train it with " OPTION
                          "missing mean, indicator or drop");
}

static sepal_status mark_incomplete(sepal_ctx *ctx, struct parsed_chunk *parsed) {
    if (!parsed->drop) parsed->drop = mem_zero(ctx, parsed->rows, sizeof *parsed->drop);
    if (!parsed->drop) return SEPAL_EMEMORY;
    for (size_t r = 0; r < parsed->rows; r++)
        for (size_t f = 0; f < parsed->n_columns && !parsed->drop[r]; f++)
            parsed->drop[r] = isnan(parsed_cell(parsed, r, f));
    return SEPAL_OK;
}

sepal_status merge_missing(struct reading *reading) {
    enum missing rule = reading->data->schema->missing;
    for (size_t i = 0; i < reading->chunks.count; i++) {
        struct parsed_chunk *parsed = reading->chunks.items[i];
        size_t missing = 0;
        for (size_t f = 0; f < parsed->n_columns; f++) missing += parsed->columns[f].missing;
        if (missing && rule == MISSING_REFUSE && !reading->lenient)
            return refuse_missing(reading, parsed);
        if (missing && rule == MISSING_DROP) TRY(mark_incomplete(reading->ctx, parsed));
    }
    return SEPAL_OK;
}
