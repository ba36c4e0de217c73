#include "core/alloc.h"
#include "data/classes.h"
#include "io/csv.h"
#include "data/entries.h"
#include "data/limits.h"

#include <string.h>

/* ---- refusals ----------------------------------------------------------------------------- */

sepal_status rows_refuse(const struct table_rows *rows, const char *p, const char *what,
                         struct slice token) {
    struct spot spot = rows_spot(rows, p);
    char shown[TEXT_SHOWN_BYTES];
    return fail_at(rows->ctx, SEPAL_EDATA, "", spot.line, spot.column, "%s%s%s%s", what,
                   token.length ? ": '" : "", text_shown(shown, token.bytes, token.length),
                   token.length ? "'" : "");
}

sepal_status rows_refuse_length(const struct table_rows *rows, const char *p, size_t cells) {
    struct spot spot = rows_spot(rows, p);
    bool more = cells > rows->layout->n_cells;
    size_t shown = more ? cells - 1 : cells;
    return fail_at(rows->ctx, SEPAL_EDATA, "", spot.line, spot.column,
                   "this row has %s%zu cell%s, the first has %zu; mend the row, or say " OPTION
                   "skip N to "
                   "leave out lines at the top",
                   more ? "more than " : "", shown, shown == 1 ? "" : "s", rows->layout->n_cells);
}

static sepal_status refuse_control(const struct table_rows *rows, const struct table_cell *cell) {
    struct spot spot = rows_spot(rows, cell->start);
    return fail_at(rows->ctx, SEPAL_EDATA, "", spot.line, spot.column,
                   "%s 0x%02x; this is not a text table, or it is in another encoding (UTF-8 is "
                   "read)",
                   cell->fault, (unsigned)(unsigned char)*cell->start);
}

static sepal_status refuse_fault(const struct table_rows *rows, const struct table_cell *cell) {
    if (strstr(cell->fault, "control") || strstr(cell->fault, "carriage"))
        return refuse_control(rows, cell);
    return rows_refuse(rows, cell->start, cell->fault, (struct slice){0});
}

static sepal_status table_rows_refuse_label(const struct table_rows *rows,
                                            const struct table_role *role,
                                            const struct table_cell *cell) {
    struct spot spot = rows_spot(rows, cell->start);
    char shown[TEXT_SHOWN_BYTES];
    return fail_at(rows->ctx, SEPAL_EDATA, "", spot.line, spot.column,
                   "the label is missing here: '%s' in column '%s', which is taken as the target; "
                   "name another one with " OPTION "target, or mend the row",
                   text_shown(shown, cell->text.bytes, cell->text.length), role->name);
}

/* ---- cells -------------------------------------------------------------------------------- */

/* Whether a text can be a category, or a label, at all, in training or later. */
static sepal_status table_rows_check_text(const struct table_rows *rows,
                                          const struct table_cell *cell, bool label) {
    const struct slice none = {0};
    if (cell->text.length > LIMIT_TEXT)
        return rows_refuse(rows, cell->start,
                           label ? "this label " LIMIT_TEXT_SAID : "this text " LIMIT_TEXT_SAID,
                           none);
    if (utf8_valid_prefix(cell->text.bytes, cell->text.length) == cell->text.length)
        return SEPAL_OK;
    return rows_refuse(
        rows, cell->start,
        label ? "label is not UTF-8; " UTF8_ADVICE : "text is not UTF-8; " UTF8_ADVICE, none);
}

/* A text that would be a number with a decimal comma, or without marks between thousands. Where a column
   is read for the second time, those of its numbers that have no mark at all are texts, too. */
static void note_marks(struct table_rows *rows, const struct table_role *role,
                       const struct table_cell *cell) {
    struct parsed_column *column = &rows->parsed->columns[role->feature];
    double value;
    if (role->as_text && !role->numbers) return;
    bool thousands = cell_has_thousands(cell->text);
    column->thousands += thousands;
    if (rows->layout->comma || !cell_is_comma_number(cell->text, &value)) return;
    column->commas++;
    if (!memchr(cell->text.bytes, ',', cell->text.length)) return;
    column->plain += !thousands;
    if (!column->first_comma.column) column->first_comma = rows_spot(rows, cell->start);
}

static sepal_status table_rows_take_text(struct table_rows *rows, const struct table_role *role,
                                         const struct table_cell *cell) {
    struct parsed_column *column = &rows->parsed->columns[role->feature];
    struct spot spot = rows_spot(rows, cell->start);
    bool fresh;
    uint32_t number;
    if (!column->tokens) {
        column->tokens = mem_zero(rows->ctx, 1, sizeof *column->tokens);
        if (!column->tokens) return SEPAL_EMEMORY;
    }
    TRY(tokens_add(column->tokens, rows->ctx, cell->text, &number, &fresh));
    if (fresh || rows->layout->skips) TRY(table_rows_check_text(rows, cell, false));
    if (column->texts++ == 0) column->first_text = spot;
    note_marks(rows, role, cell);
    if (rows->layout->skips && !role->as_text)
        TRY(parsed_add_odd(
            rows->parsed, rows->ctx,
            (struct odd_text){.feature = role->feature, .spot = spot, .token = number}));
    rows_store(rows, role->feature, number);
    return SEPAL_OK;
}

/* What a row that is dropped for a missing value holds otherwise does not matter, and whether it is
   dropped shows at its end. */
static sepal_status refuse_unless_dropped(struct table_rows *rows, sepal_status status) {
    if (!rows->layout->drops) return status;
    if (!rows->pending) rows->scratch->pending = rows->ctx->error;
    rows->pending = true;
    rows->ctx->error.status = SEPAL_OK;
    return SEPAL_OK;
}

/* A text of a column whose categories are known. */
static sepal_status take_category(struct table_rows *rows, const struct table_role *role,
                                  const struct table_cell *cell) {
    size_t category = column_category(role->known, cell->text);
    bool seen = category < role->known->n_categories;
    if (!seen) TRY(table_rows_check_text(rows, cell, false));
    rows_store(rows, role->feature, seen ? (double)category : UNKNOWN_CATEGORY);
    if (seen || rows->layout->unknown_zero) return SEPAL_OK;
    return refuse_unless_dropped(rows, rows_refuse(rows, cell->start,
                                                   "category that training has not seen (" OPTION
                                                   "unknown zero takes it as none)",
                                                   cell->text));
}

sepal_status rows_miss(struct table_rows *rows, const struct table_role *role, struct spot spot) {
    struct parsed_column *column = &rows->parsed->columns[role->feature];
    if (rows->layout->skips && rows->layout->refuses && !rows->layout->lenient)
        return fail_at(rows->ctx, SEPAL_EDATA, "", spot.line, spot.column,
                       "missing value in column '%s'", role->name);
    if (column->missing++ == 0) column->first_missing = spot;
    rows->missing = true;
    if (!rows->layout->sparse) rows_store(rows, role->feature, NAN);
    return SEPAL_OK;
}

static bool is_missing(const struct table_role *role, const struct table_cell *cell) {
    if (role->literal && cell->quoted) return false;
    if (!cell_is_missing(cell->text)) return false;
    if (!role->declared || cell->text.length == 0 || slice_is_nocase(cell->text, "?")) return true;
    return column_category(role->known, cell->text) == role->known->n_categories;
}

static sepal_status refuse_number(const struct table_rows *rows, const struct table_cell *cell) {
    double value;
    bool advise = rows->layout->advises && cell_is_comma_number(cell->text, &value);
    return rows_refuse(rows, cell->start,
                       advise ? "this column holds numbers; not a decimal number, unless " OPTION
                                "decimal comma is given"
                              : "this column holds numbers; not a decimal number",
                       cell->text);
}

static sepal_status take_feature(struct table_rows *rows, const struct table_role *role,
                                 const struct table_cell *cell) {
    double value;
    if (!role->as_text && table_number(rows->layout, cell->text, &value)) {
        rows_number(rows, role, value);
        return SEPAL_OK;
    }
    if (is_missing(role, cell)) return rows_miss(rows, role, rows_spot(rows, cell->start));
    if (role->as_number || (role->known && !role->known->text)) return refuse_number(rows, cell);
    return role->known ? take_category(rows, role, cell) : table_rows_take_text(rows, role, cell);
}

/* A label that is a number is kept with a point, as every other reader of labels has it. */
static struct slice label_text(struct table_rows *rows, const struct table_cell *cell) {
    double value;
    const char *mark =
        rows->layout->comma ? memchr(cell->text.bytes, ',', cell->text.length) : NULL;
    if (!mark || !cell_is_comma_number(cell->text, &value)) return cell->text;
    char *copy = rows->scratch->unquoted; /* free: a number has no doubled quotes */
    memcpy(copy, cell->text.bytes, cell->text.length);
    copy[mark - cell->text.bytes] = '.';
    return (struct slice){copy, cell->text.length};
}

/* ---- sets of labels ----------------------------------------------------------------------- */

static void add_to_set(struct table_rows *rows, struct slice label) {
    text_add(rows->ctx, &rows->scratch->set, label.bytes, label.length);
    text_add(rows->ctx, &rows->scratch->set, (char[]){SET_MARK}, 1);
}

/* A column of 0 and 1, or of truths as programs write them. */
static sepal_status take_bit(struct table_rows *rows, const struct table_role *role,
                             const struct table_cell *cell) {
    double value = NAN;
    if (slice_is_nocase(cell->text, "true")) value = 1;
    if (slice_is_nocase(cell->text, "false")) value = 0;
    if (isnan(value)) (void)table_number(rows->layout, cell->text, &value);
    if (value == 1) add_to_set(rows, (struct slice){role->name, strlen(role->name)});
    if (value == 0 || value == 1 || rows->layout->lenient) return SEPAL_OK;
    struct spot spot = rows_spot(rows, cell->start);
    char shown[TEXT_SHOWN_BYTES];
    return fail_at(
        rows->ctx, SEPAL_EDATA, "", spot.line, spot.column,
        "neither 0 nor 1: '%s' in column '%s', one of several target columns, each of "
        "which tells whether a row has that label; mend it, or leave the column out of " OPTION
        "target",
        text_shown(shown, cell->text.bytes, cell->text.length), role->name);
}

/* "sports; politics": no cell is the empty set. */
static sepal_status take_set(struct table_rows *rows, const struct table_role *role,
                             const struct table_cell *cell) {
    const char *p = cell->text.bytes, *end = p + cell->text.length;
    if (cell->text.length == 0) return SEPAL_OK;
    TRY(table_rows_check_text(rows, cell, true));
    for (;;) {
        const char *stop = memchr(p, rows->layout->separator, (size_t)(end - p));
        const char *last = stop ? stop : end;
        struct slice label = {p, (size_t)(last - p)};
        while (label.length && *label.bytes == ' ') label.bytes++, label.length--;
        while (label.length && label.bytes[label.length - 1] == ' ') label.length--;
        if (!label_is_missing(label))
            add_to_set(rows, label);
        else if (!rows->layout->lenient && (label.length || stop || p == cell->text.bytes))
            return table_rows_refuse_label(rows, role, cell);
        if (!stop) return SEPAL_OK;
        p = stop + 1;
    }
}

/* The row's labels as one token, which is split when all rows are known. */
static sepal_status end_set(struct table_rows *rows) {
    struct text *set = &rows->scratch->set;
    struct index_notes *notes = &rows->parsed->notes;
    uint32_t number;
    bool fresh;
    if (set->failed) return SEPAL_EMEMORY;
    if (notes->first_set.column == 0) notes->first_set = rows->set_spot;
    if (set->length == 0) return SEPAL_OK;
    TRY(tokens_add(&rows->parsed->labels, rows->ctx, (struct slice){set->bytes, set->length - 1},
                   &number, &fresh));
    rows->scratch->label[rows->parsed->rows] = number;
    return SEPAL_OK;
}

/* ---- labels ------------------------------------------------------------------------------- */

static sepal_status table_rows_take_label(struct table_rows *rows, const struct table_role *role,
                                          const struct table_cell *cell) {
    bool fresh;
    uint32_t number;
    if (rows->layout->sets) {
        if (rows->set_spot.column == 0) rows->set_spot = rows_spot(rows, cell->start);
        return role->bit ? take_bit(rows, role, cell) : take_set(rows, role, cell);
    }
    TRY(tokens_add(&rows->parsed->labels, rows->ctx, label_text(rows, cell), &number, &fresh));
    rows->scratch->label[rows->parsed->rows] = number;
    if (!fresh && !rows->layout->skips) return SEPAL_OK;
    if (label_is_missing(cell->text) && rows->layout->lenient) {
        rows->scratch->label[rows->parsed->rows] = NO_LABEL;
        return SEPAL_OK;
    }
    if (label_is_missing(cell->text)) return table_rows_refuse_label(rows, role, cell);
    return table_rows_check_text(rows, cell, true);
}

static sepal_status take_weight(struct table_rows *rows, const struct table_cell *cell) {
    double value;
    if (!table_number(rows->layout, cell->text, &value) || value < 0)
        return rows_refuse(rows, cell->start,
                           "a weight must be a finite number of at least 0; mend it, or name "
                           "another column with " OPTION "weight",
                           cell->text);
    rows->scratch->weight[rows->parsed->rows] = value;
    return SEPAL_OK;
}

static void keep_cell(struct table_rows *rows, const struct table_cell *cell) {
    struct text *kept = &rows->scratch->kept;
    if (rows->kept_cells++) text_puts(rows->ctx, kept, ",");
    csv_put(rows->ctx, kept, cell->text);
}

sepal_status rows_take(struct table_rows *rows, const struct table_role *role,
                       const struct table_cell *cell) {
    if (cell->fault) return refuse_fault(rows, cell);
    if (rows->weightless) return SEPAL_OK;
    if (role->keep) keep_cell(rows, cell);
    switch (role->role) { /* never: another role */
    case ROLE_IGNORE: return SEPAL_OK;
    case ROLE_FEATURE: return take_feature(rows, role, cell);
    case ROLE_LABEL:
        return rows->layout->labels ? table_rows_take_label(rows, role, cell) : SEPAL_OK;
    case ROLE_WEIGHT: return rows->layout->weights ? take_weight(rows, cell) : SEPAL_OK;
    }
    return SEPAL_OK;
}

/* ---- scratch ------------------------------------------------------------------------------ */

sepal_status table_scratch_row(struct table_scratch *scratch, sepal_ctx *ctx, size_t row) {
    TRY(mem_reserve(ctx, (void **)&scratch->label, &scratch->label_room, row + 1,
                    sizeof *scratch->label));
    TRY(mem_reserve(ctx, (void **)&scratch->weight, &scratch->weight_room, row + 1,
                    sizeof *scratch->weight));
    return mem_reserve(ctx, (void **)&scratch->start, &scratch->start_room, row + 2,
                       sizeof *scratch->start);
}

static sepal_status table_scratch_cells(struct table_scratch *scratch, sepal_ctx *ctx, size_t n) {
    return mem_reserve(ctx, (void **)&scratch->cells, &scratch->cells_room, n,
                       sizeof *scratch->cells);
}

sepal_status table_scratch_entries(struct table_scratch *scratch, sepal_ctx *ctx, size_t n) {
    TRY(table_scratch_cells(scratch, ctx, n));
    return mem_reserve(ctx, (void **)&scratch->index, &scratch->index_room, n,
                       sizeof *scratch->index);
}

sepal_status table_scratch_keep(struct table_scratch *scratch, sepal_ctx *ctx,
                                struct parsed_chunk *parsed, size_t n) {
    parsed->entries.sparse = true;
    parsed->entries.rows = parsed->rows;
    if (parsed->rows == 0) return SEPAL_OK;
    struct entries entries = {
        .start = scratch->start, .index = scratch->index, .value = scratch->cells, .n = n};
    return entries_to_block(&entries, ctx, &parsed->entries);
}

/* ---- rows --------------------------------------------------------------------------------- */

sepal_status rows_init(struct table_rows *rows, sepal_ctx *ctx, const struct table_layout *layout,
                       struct parsed_chunk *parsed, struct table_scratch *scratch, size_t bytes) {
    *rows = (struct table_rows){
        .ctx = ctx, .layout = layout, .parsed = parsed, .scratch = scratch, .single = true};
    parsed->n_columns = layout->n_features;
    parsed->columns = mem_zero(ctx, parsed->n_columns, sizeof *parsed->columns);
    if (!parsed->columns) return SEPAL_EMEMORY;
    scratch->kept.length = 0;
    return mem_reserve(ctx, (void **)&scratch->unquoted, &scratch->unquoted_room, bytes, 1);
}

static sepal_status table_rows_reserve_row(struct table_rows *rows) {
    struct table_scratch *scratch = rows->scratch;
    size_t row = rows->parsed->rows, n = rows->layout->n_features;
    TRY(table_scratch_row(scratch, rows->ctx, row));
    TRY(mem_reserve(rows->ctx, (void **)&scratch->kept_at, &scratch->kept_room, row + 1,
                    sizeof *scratch->kept_at));
    TRY(rows->layout->sparse ? table_scratch_entries(scratch, rows->ctx, rows->entries + n)
                             : table_scratch_cells(scratch, rows->ctx, (row + 1) * n));
    scratch->start[row] = rows->entries;
    scratch->kept_at[row] = scratch->kept.length;
    scratch->label[row] = NO_LABEL;
    return SEPAL_OK;
}

/* What a row does to the counts of its columns must be undone if it turns out to be bad. Sparse rows
   may be short where columns are many, and have numbers alone, whose count decides nothing. */
static size_t counted_columns(const struct table_rows *rows) {
    return rows->layout->sparse ? 0 : rows->parsed->n_columns;
}

static sepal_status remember_columns(struct table_rows *rows) {
    struct table_scratch *scratch = rows->scratch;
    size_t n = counted_columns(rows);
    rows->odd_before = rows->parsed->n_odd;
    TRY(mem_reserve(rows->ctx, (void **)&scratch->before, &scratch->before_room, n,
                    sizeof *scratch->before));
    if (n) memcpy(scratch->before, rows->parsed->columns, n * sizeof *scratch->before);
    return SEPAL_OK;
}

static void restore_columns(struct table_rows *rows) {
    for (size_t f = 0, n = counted_columns(rows); f < n; f++) {
        struct tokens *tokens = rows->parsed->columns[f].tokens; /* unused ones do no harm */
        rows->parsed->columns[f] = rows->scratch->before[f];
        rows->parsed->columns[f].tokens = tokens;
    }
    rows->parsed->n_odd = rows->odd_before;
    rows->scratch->kept.length = rows->scratch->kept_at[rows->parsed->rows];
    if (rows->layout->sparse) rows->entries = rows->scratch->start[rows->parsed->rows];
}

sepal_status rows_begin(struct table_rows *rows) {
    rows->row_line = rows->line;
    rows->kept_cells = 0;
    rows->scratch->set.length = 0;
    rows->set_spot = (struct spot){0, 0};
    rows->weightless = rows->missing = rows->pending = false;
    TRY(table_rows_reserve_row(rows));
    if (rows->layout->skips) TRY(remember_columns(rows));
    if (!rows->layout->weight) return SEPAL_OK;
    double weight = parsed_next_weight(rows->parsed, rows->layout->weight, rows->layout->n_weights);
    rows->scratch->weight[rows->parsed->rows] = weight;
    rows->weightless = weight == 0;
    return SEPAL_OK;
}

/* Columns stand in another order only where a model has them so. */
static sepal_status sort_entries(struct table_rows *rows) {
    size_t from = rows->scratch->start[rows->parsed->rows];
    uint32_t *index = rows->scratch->index;
    for (size_t i = from + 1; i < rows->entries; i++)
        if (index[i] < index[i - 1])
            return entries_sort(rows->ctx, index + from, rows->scratch->cells + from,
                                rows->entries - from);
    return SEPAL_OK;
}

sepal_status rows_end(struct table_rows *rows) {
    if (rows->weightless) {
        rows->parsed->weightless++;
        return parsed_leave_out(rows->parsed, rows->ctx);
    }
    if (rows->pending && !rows->missing) {
        rows->ctx->error = rows->scratch->pending;
        return rows->ctx->error.status;
    }
    if (rows->layout->sets && rows->layout->labels) TRY(end_set(rows));
    if (rows->layout->keeps) text_add(rows->ctx, &rows->scratch->kept, "", 1);
    if (rows->layout->sparse) {
        TRY(sort_entries(rows));
        rows->scratch->start[rows->parsed->rows + 1] = rows->entries;
    }
    rows->parsed->rows++;
    return SEPAL_OK;
}

bool rows_forgive(struct table_rows *rows, sepal_status *status) {
    if (*status != SEPAL_EDATA || !rows->layout->skips) return false;
    const struct error *error = &rows->ctx->error;
    struct spot spot = {error->line, error->column};
    restore_columns(rows);
    *status = bad_lines_add(&rows->parsed->bad, rows->ctx, spot, error->message);
    if (*status == SEPAL_OK) *status = parsed_leave_out(rows->parsed, rows->ctx);
    if (*status == SEPAL_OK) rows->ctx->error.status = SEPAL_OK;
    return *status == SEPAL_OK;
}

/* ---- the end of a chunk ------------------------------------------------------------------- */

static sepal_status finish_dense(struct table_rows *rows) {
    struct parsed_chunk *parsed = rows->parsed;
    size_t cells = parsed->rows * parsed->n_columns;
    if (!rows->single) {
        parsed->f64_cells =
            parsed_copy(rows->ctx, rows->scratch->cells, cells, sizeof *parsed->f64_cells);
        return parsed->f64_cells ? SEPAL_OK : SEPAL_EMEMORY;
    }
    parsed->f32_cells = mem_alloc(rows->ctx, cells, sizeof *parsed->f32_cells);
    if (!parsed->f32_cells) return SEPAL_EMEMORY;
    for (size_t i = 0; i < cells; i++) parsed->f32_cells[i] = (float)rows->scratch->cells[i];
    return SEPAL_OK;
}

sepal_status rows_finish(struct table_rows *rows) {
    const struct table_layout *layout = rows->layout;
    struct table_scratch *scratch = rows->scratch;
    struct parsed_chunk *parsed = rows->parsed;
    TRY(layout->sparse ? table_scratch_keep(scratch, rows->ctx, parsed, rows->entries)
                       : finish_dense(rows));
    TRY(parsed_keep(parsed, rows->ctx, layout->labels ? scratch->label : NULL,
                    layout->weights || layout->weight ? scratch->weight : NULL));
    if (!layout->keeps) return SEPAL_OK;
    parsed->kept = parsed_copy(rows->ctx, scratch->kept.bytes, scratch->kept.length, 1);
    parsed->kept_at =
        parsed_copy(rows->ctx, scratch->kept_at, parsed->rows, sizeof *parsed->kept_at);
    bool whole = !scratch->kept.failed && parsed->kept && parsed->kept_at;
    return whole ? SEPAL_OK : SEPAL_EMEMORY;
}

void table_scratch_clear(void *memory) {
    struct table_scratch *scratch = memory;
    mem_free(scratch->unquoted);
    mem_free(scratch->cells);
    mem_free(scratch->weight);
    mem_free(scratch->label);
    mem_free(scratch->index);
    mem_free(scratch->kept_at);
    mem_free(scratch->start);
    mem_free(scratch->before);
    text_clear(&scratch->kept);
    text_clear(&scratch->set);
}
