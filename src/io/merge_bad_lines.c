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
static void drop_row(struct parsed_chunk *raw, size_t r) {
    raw->drop[r] = true;
    raw->bad_rows++;
    for (size_t f = 0; f < raw->n_columns; f++)
        if (isnan(parsed_cell(raw, r, f))) raw->columns[f].missing--;
}

static sepal_status drop_odd(sepal_ctx *ctx, struct parsed_chunk *raw,
                             const struct table_layout *layout, const bool *numbers,
                             const struct odd_text *odd) {
    if (!numbers[odd->feature] || raw->drop[odd->row]) return SEPAL_OK;
    size_t c = 0;
    while (layout->roles[c].role != ROLE_FEATURE || layout->roles[c].feature != odd->feature) c++;
    struct slice text = raw->columns[odd->feature].tokens->items[odd->token];
    char message[ERROR_MESSAGE_BYTES], shown[TEXT_SHOWN_BYTES];
    snprintf(
        message, sizeof message, "'%s' is not a decimal number, and column '%s' holds numbers%s",
        text_shown(shown, text.bytes, text.length), layout->roles[c].name,
        raw->first_line + odd->spot.line == 1 ? "; say --header yes if line 1 names the columns"
                                              : "");
    drop_row(raw, odd->row);
    return bad_lines_add(&raw->bad, ctx, odd->spot, message);
}

static sepal_status drop_odds(sepal_ctx *ctx, const struct chunks *chunks,
                              const struct table_layout *layout, const bool *numbers) {
    for (size_t i = 0; i < chunks->count; i++) {
        struct parsed_chunk *raw = chunks->items[i];
        if (!raw->n_odd) continue;
        raw->drop = mem_zero(ctx, raw->rows, sizeof *raw->drop);
        if (!raw->drop) return SEPAL_EMEMORY;
        for (size_t k = 0; k < raw->n_odd; k++)
            TRY(drop_odd(ctx, raw, layout, numbers, &raw->odd[k]));
        for (size_t f = 0; f < raw->n_columns; f++)
            if (numbers[f]) raw->columns[f].texts = 0;
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
        const struct parsed_chunk *raw = chunks->items[i];
        for (size_t k = 0; k < raw->bad.shown && shown < BAD_LINES_SHOWN; k++, shown++) {
            const struct bad_line *line = &raw->bad.line[k];
            warn(ctx, "bad-line", "%s:%zu:%zu: %s", source->file.name,
                 raw->first_line + line->spot.line, line->spot.column, line->message);
        }
    }
}

/* ---- labels from another file ------------------------------------------------------------- */

static sepal_status join_chunk(sepal_ctx *ctx, struct parsed_chunk *raw,
                               const struct labels_file *labels, size_t record) {
    /* labels are few as a rule: where each went when it was last looked up, by its last bits */
    enum { RECENT = 16 };
    struct {
        uint32_t number, token;
    } recent[RECENT];
    for (size_t k = 0; k < RECENT; k++) recent[k].number = NO_LABEL;
    size_t skipped = 0, first = record;
    bool fresh;
    mem_free(raw->label);
    tokens_clear(&raw->labels);
    raw->label = mem_alloc(ctx, raw->rows, sizeof *raw->label);
    if (!raw->label) return SEPAL_EMEMORY;
    for (size_t r = 0; r < raw->rows; r++, record++) {
        while (skipped < raw->n_left_out && raw->left_out[skipped] == record - first) {
            skipped++;
            record++;
        }
        raw->label[r] = NO_LABEL;
        if (raw->drop && raw->drop[r]) continue;
        TRY(labels_file_check_label(ctx, labels, record));
        uint32_t number = labels->number[record], k = number % RECENT;
        if (recent[k].number != number) {
            TRY(tokens_add(&raw->labels, ctx, labels->texts.items[number], &recent[k].token,
                           &fresh));
            recent[k].number = number;
        }
        raw->label[r] = recent[k].token;
    }
    return SEPAL_OK;
}

sepal_status merge_aside_labels(sepal_ctx *ctx, const struct chunks *chunks,
                                const struct labels_file *labels) {
    size_t record = 0;
    for (size_t i = 0; i < chunks->count; i++) {
        struct parsed_chunk *raw = chunks->items[i];
        TRY(join_chunk(ctx, raw, labels, record));
        record += parsed_records(raw);
    }
    return SEPAL_OK;
}
