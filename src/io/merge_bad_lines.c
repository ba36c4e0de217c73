/* Lines that are left out, and labels that are joined from another file. */
#include "core/alloc.h"
#include "io/merge.h"

#include <math.h>
#include <stdio.h>

/* ---- text in columns of numbers ----------------------------------------------------------- */

static bool has_numbers(const struct chunks *chunks, size_t feature) {
    for (size_t i = 0; i < chunks->count; i++)
        if (chunks->items[i]->columns[feature].numbers) return true;
    return false;
}

/* As if the row had not been there: its missing cells do not count either. */
static void drop_row(struct parsed_chunk *parsed, size_t r) {
    parsed->drop[r] = true;
    parsed->bad_rows++;
    for (size_t f = 0; f < parsed->n_columns; f++)
        if (isnan(parsed_cell(parsed, r, f))) parsed->columns[f].missing--;
}

static sepal_status drop_odd(sepal_ctx *ctx, struct parsed_chunk *parsed,
                             const struct table_layout *layout, const bool *numbers,
                             const struct odd_text *odd) {
    if (!numbers[odd->feature] || parsed->drop[odd->row]) return SEPAL_OK;
    size_t c = 0;
    while (layout->roles[c].role != ROLE_FEATURE || layout->roles[c].feature != odd->feature) c++;
    struct slice text = parsed->columns[odd->feature].tokens->items[odd->token];
    char message[ERROR_MESSAGE_BYTES], shown[TEXT_SHOWN_BYTES];
    snprintf(message, sizeof message,
             "'%s' is not a decimal number, and column '%s' holds numbers%s",
             text_shown(shown, text.bytes, text.length), layout->roles[c].name,
             parsed->first_line + odd->spot.line == 1 ? "; say " OPTION
                                                        "header yes if line 1 names the columns"
                                                      : "");
    drop_row(parsed, odd->row);
    return bad_lines_add(&parsed->bad, ctx, odd->spot, message);
}

static sepal_status drop_odds(sepal_ctx *ctx, const struct chunks *chunks,
                              const struct table_layout *layout, const bool *numbers) {
    for (size_t i = 0; i < chunks->count; i++) {
        struct parsed_chunk *parsed = chunks->items[i];
        if (!parsed->n_odd) continue;
        parsed->drop = mem_zero(ctx, parsed->rows, sizeof *parsed->drop);
        if (!parsed->drop) return SEPAL_EMEMORY;
        for (size_t k = 0; k < parsed->n_odd; k++)
            TRY(drop_odd(ctx, parsed, layout, numbers, &parsed->odd[k]));
        for (size_t f = 0; f < parsed->n_columns; f++)
            if (numbers[f]) parsed->columns[f].texts = 0;
    }
    return SEPAL_OK;
}

sepal_status merge_odd_texts(sepal_ctx *ctx, const struct chunks *chunks,
                             const struct table_layout *layout) {
    bool *numbers = mem_zero(ctx, layout->n_features, sizeof *numbers);
    if (!numbers) return SEPAL_EMEMORY;
    for (size_t c = 0; c < layout->n_cells; c++) {
        const struct table_role *role = &layout->roles[c];
        if (role->role == ROLE_FEATURE && !role->as_text)
            numbers[role->feature] = has_numbers(chunks, role->feature);
    }
    sepal_status status = drop_odds(ctx, chunks, layout, numbers);
    mem_free(numbers);
    return status;
}

/* ---- indexed rows without a label --------------------------------------------------------- */

/* They are rows after all: their indices count. */
static void count_indices(const struct chunks *chunks) {
    for (size_t i = 0; i < chunks->count; i++) {
        struct parsed_chunk *parsed = chunks->items[i];
        for (size_t k = 0; k < parsed->n_odd; k++) {
            if (parsed->odd[k].max_index > parsed->notes.max_index)
                parsed->notes.max_index = parsed->odd[k].max_index;
            parsed->notes.index_zero = parsed->notes.index_zero || parsed->odd[k].index_zero;
        }
    }
}

sepal_status merge_unlabelled(sepal_ctx *ctx, const struct chunks *chunks) {
    for (size_t i = 0; i < chunks->count; i++)
        if (chunks->items[i]->notes.first_set.column) {
            count_indices(chunks);
            return SEPAL_OK;
        }
    for (size_t i = 0; i < chunks->count; i++) {
        struct parsed_chunk *parsed = chunks->items[i];
        parsed->notes.first_unlabelled.column = 0;
        if (!parsed->n_odd) continue;
        parsed->drop = mem_zero(ctx, parsed->rows, sizeof *parsed->drop);
        if (!parsed->drop) return SEPAL_EMEMORY;
        for (size_t k = 0; k < parsed->n_odd; k++) {
            parsed->drop[parsed->odd[k].row] = true;
            TRY(bad_lines_add(&parsed->bad, ctx, parsed->odd[k].spot, "the label is missing"));
        }
        parsed->bad_rows = parsed->n_odd;
    }
    return SEPAL_OK;
}

/* ---- what is said of them ----------------------------------------------------------------- */

void merge_bad_lines(sepal_ctx *ctx, const struct source *source, const struct chunks *chunks) {
    size_t count = 0, records = 0, shown = 0;
    for (size_t i = 0; i < chunks->count; i++) {
        count += chunks->items[i]->bad.count;
        records += parsed_records(chunks->items[i]);
    }
    if (!count) return;
    warn(ctx, "bad-lines", "%zu of %zu rows cannot be read and are left out%s", count, records,
         count > BAD_LINES_SHOWN ? "; the first five:" : ":");
    for (size_t i = 0; i < chunks->count; i++) {
        const struct parsed_chunk *parsed = chunks->items[i];
        for (size_t k = 0; k < parsed->bad.shown && shown < BAD_LINES_SHOWN; k++, shown++) {
            const struct bad_line *line = &parsed->bad.line[k];
            warn(ctx, "bad-line", "%s:%zu:%zu: %s", source->file.name,
                 parsed->first_line + line->spot.line, line->spot.column, line->message);
        }
    }
}

/* ---- labels from another file ------------------------------------------------------------- */

static sepal_status join_chunk(sepal_ctx *ctx, struct parsed_chunk *parsed,
                               const struct labels_file *labels, size_t first) {
    /* labels are few as a rule: where each went when it was last looked up, by its last bits */
    enum { RECENT = 16 };
    struct {
        uint32_t number, token;
    } recent[RECENT];
    for (size_t k = 0; k < RECENT; k++) recent[k].number = NO_LABEL;
    size_t skipped = 0;
    bool fresh;
    mem_free(parsed->label);
    tokens_clear(&parsed->labels);
    parsed->label = mem_alloc(ctx, parsed->rows, sizeof *parsed->label);
    if (!parsed->label) return SEPAL_EMEMORY;
    for (size_t r = 0; r < parsed->rows; r++) {
        size_t record = first + parsed_record(parsed, r, &skipped);
        parsed->label[r] = NO_LABEL;
        if (parsed_drops(parsed, r)) continue;
        TRY(labels_file_check_label(ctx, labels, record));
        uint32_t number = labels->number[record], k = number % RECENT;
        if (recent[k].number != number) {
            TRY(tokens_add(&parsed->labels, ctx, labels->texts.items[number], &recent[k].token,
                           &fresh));
            recent[k].number = number;
        }
        parsed->label[r] = recent[k].token;
    }
    return SEPAL_OK;
}

sepal_status merge_labels_file(sepal_ctx *ctx, const struct chunks *chunks,
                               const struct labels_file *labels) {
    size_t record = 0;
    for (size_t i = 0; i < chunks->count; i++) {
        struct parsed_chunk *parsed = chunks->items[i];
        TRY(join_chunk(ctx, parsed, labels, record));
        record += parsed_records(parsed);
    }
    return SEPAL_OK;
}
