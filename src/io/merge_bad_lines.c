/* Lines that are left out, and labels that are joined from another file. */
#include "core/alloc.h"
#include "io/merge.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

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

static const struct table_role *role_of(const struct reading *reading, size_t feature) {
    const struct table_role *role = reading->table.roles;
    while (role->role != ROLE_FEATURE || role->feature != feature) role++;
    return role;
}

static sepal_status drop_odd(struct reading *reading, struct parsed_chunk *parsed,
                             const bool *numbers, const struct odd_text *odd) {
    if (!numbers[odd->feature] || parsed->drop[odd->row]) return SEPAL_OK;
    const struct table_role *role = role_of(reading, odd->feature);
    struct slice text = parsed->columns[odd->feature].tokens->items[odd->token];
    char message[ERROR_MESSAGE_BYTES], shown[TEXT_SHOWN_BYTES];
    snprintf(message, sizeof message, "'%s' %s, and column '%s' holds numbers%s",
             text_shown(shown, text.bytes, text.length), merge_no_number(text), role->name,
             parsed->first_line + odd->spot.line == 1 ? "; say " OPTION
                                                        "header yes if line 1 names the columns"
                                                      : "");
    drop_row(parsed, odd->row);
    return bad_lines_add(&parsed->bad, reading->ctx, odd->spot, message);
}

/* Where rows are only described, the cell is missing and counted. */
static sepal_status note_odd(struct reading *reading, struct parsed_chunk *parsed,
                             const struct odd_text *odd) {
    struct file_facts *facts = reading->data->facts;
    const struct table_role *role = role_of(reading, odd->feature);
    struct slice text = parsed->columns[odd->feature].tokens->items[odd->token];
    char shown[TEXT_SHOWN_BYTES];
    size_t at = odd->row * parsed->n_columns + odd->feature;
    if (parsed->f32_cells)
        parsed->f32_cells[at] = NAN;
    else
        parsed->f64_cells[at] = NAN;
    facts->columns[role - reading->table.roles].odd++;
    parsed->columns[odd->feature].missing++;
    if (facts->odd_cells++ >= ODD_SHOWN) return SEPAL_OK;
    text_shown(shown, text.bytes, text.length);
    const char *copy = arena_text(reading->ctx, &reading->data->arena, shown, strlen(shown));
    if (!copy) return SEPAL_EMEMORY;
    facts->odd[facts->odd_shown++] =
        (struct odd_cell){parsed->first_line + odd->spot.line, odd->spot.column, role->name, copy};
    return SEPAL_OK;
}

static sepal_status note_odds(struct reading *reading, const bool *numbers) {
    for (size_t i = 0; i < reading->chunks.count; i++) {
        struct parsed_chunk *parsed = reading->chunks.items[i];
        for (size_t k = 0; k < parsed->n_odd; k++)
            if (numbers[parsed->odd[k].feature]) TRY(note_odd(reading, parsed, &parsed->odd[k]));
        for (size_t f = 0; f < parsed->n_columns; f++)
            if (numbers[f]) parsed->columns[f].texts = 0;
    }
    return SEPAL_OK;
}

static sepal_status drop_odds(struct reading *reading, const bool *numbers) {
    for (size_t i = 0; i < reading->chunks.count; i++) {
        struct parsed_chunk *parsed = reading->chunks.items[i];
        if (!parsed->n_odd) continue;
        parsed->drop = mem_zero(reading->ctx, parsed->rows, sizeof *parsed->drop);
        if (!parsed->drop) return SEPAL_EMEMORY;
        for (size_t k = 0; k < parsed->n_odd; k++)
            TRY(drop_odd(reading, parsed, numbers, &parsed->odd[k]));
        for (size_t f = 0; f < parsed->n_columns; f++)
            if (numbers[f]) parsed->columns[f].texts = 0;
    }
    return SEPAL_OK;
}

sepal_status merge_odd_texts(struct reading *reading) {
    const struct table_layout *layout = &reading->table;
    bool *numbers = mem_zero(reading->ctx, layout->n_features, sizeof *numbers);
    if (!numbers) return SEPAL_EMEMORY;
    for (size_t c = 0; c < layout->n_cells; c++) {
        const struct table_role *role = &layout->roles[c];
        if (role->role == ROLE_FEATURE && !role->as_text)
            numbers[role->feature] = has_numbers(&reading->chunks, role->feature);
    }
    sepal_status status =
        reading->lenient ? note_odds(reading, numbers) : drop_odds(reading, numbers);
    mem_free(numbers);
    return status;
}

/* ---- indexed rows without a label --------------------------------------------------------- */

/* They are rows after all: their indices count. */
static void count_indices(struct parsed_chunk *parsed) {
    struct index_notes *notes = &parsed->notes;
    for (const struct odd_text *odd = parsed->odd; odd < parsed->odd + parsed->n_odd; odd++) {
        if (odd->max_index > notes->max_index) notes->max_index = odd->max_index;
        notes->index_zero = notes->index_zero || odd->index_zero;
    }
}

static sepal_status drop_unlabelled(sepal_ctx *ctx, struct parsed_chunk *parsed) {
    parsed->notes.first_unlabelled.column = 0;
    parsed->bad_rows = parsed->n_odd;
    if (!parsed->n_odd) return SEPAL_OK;
    parsed->drop = mem_zero(ctx, parsed->rows, sizeof *parsed->drop);
    if (!parsed->drop) return SEPAL_EMEMORY;
    for (size_t k = 0; k < parsed->n_odd; k++) {
        parsed->drop[parsed->odd[k].row] = true;
        TRY(bad_lines_add(&parsed->bad, ctx, parsed->odd[k].spot, "the label is missing"));
    }
    return SEPAL_OK;
}

sepal_status merge_unlabelled(struct reading *reading) {
    const struct chunks *chunks = &reading->chunks;
    bool stay = reading->lenient; /* or are rows whose set of labels is empty */
    for (size_t i = 0; i < chunks->count; i++)
        stay = stay || chunks->items[i]->notes.first_set.column;
    for (size_t i = 0; i < chunks->count; i++)
        if (stay)
            count_indices(chunks->items[i]);
        else
            TRY(drop_unlabelled(reading->ctx, chunks->items[i]));
    return SEPAL_OK;
}

/* ---- what is said of them ----------------------------------------------------------------- */

void merge_bad_lines(struct reading *reading) {
    const struct chunks *chunks = &reading->chunks;
    size_t count = 0, shown = 0;
    for (size_t i = 0; i < chunks->count; i++) count += chunks->items[i]->bad.count;
    if (!count) return;
    if (reading->surveys) reading->data->facts->bad_lines += count;
    warn(reading->ctx, "bad-lines", "%zu of %zu rows cannot be read and are left out%s", count,
         chunks_records(chunks), count > BAD_LINES_SHOWN ? "; the first five:" : ":");
    for (size_t i = 0; i < chunks->count; i++) {
        const struct parsed_chunk *parsed = chunks->items[i];
        for (size_t k = 0; k < parsed->bad.shown && shown < BAD_LINES_SHOWN; k++, shown++) {
            const struct bad_line *line = &parsed->bad.line[k];
            warn(reading->ctx, "bad-line", "%s:%zu:%zu: %s", reading->source.file.name,
                 parsed->first_line + line->spot.line, line->spot.column, line->message);
        }
    }
}

/* ---- labels from another file ------------------------------------------------------------- */

static sepal_status join_chunk(sepal_ctx *ctx, struct parsed_chunk *parsed,
                               const struct labels_file *labels, size_t first, bool lenient) {
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
        if (lenient && !labels_file_has_label(labels, record)) continue;
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

sepal_status merge_labels_file(struct reading *reading) {
    size_t record = 0;
    for (size_t i = 0; i < reading->chunks.count; i++) {
        struct parsed_chunk *parsed = reading->chunks.items[i];
        TRY(join_chunk(reading->ctx, parsed, &reading->labels, record, reading->lenient));
        record += parsed_records(parsed);
    }
    return SEPAL_OK;
}
