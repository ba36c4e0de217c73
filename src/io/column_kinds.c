/* Which columns of a table are numbers and which are text, where the file does not say: a column is
   numeric when at least half of its cells that are not missing are numbers.

   Rows are parsed before all of them are seen, numbers as numbers. Where a column turns out to be text
   although it has numbers, their texts (`01` is not `1`) are gone: then the rows are parsed once more,
   with these columns as text. Columns of numbers alone, and of texts alone, cost nothing.

   A column of which at least half would be numbers with decimal commas is refused, where the mark is a
   point: as text it would come to a category for every number. */
#include "data/limits.h"
#include "io/reading.h"

#include <math.h>

/* A feature that is neither declared nor asked to be one or the other. */
static bool is_open(const struct table_role *role) {
    return role->role == ROLE_FEATURE && !role->as_text && !role->as_number && !role->known;
}

bool kinds_open(const struct reading *reading) {
    for (size_t c = 0; c < reading->table.n_cells; c++)
        if (is_open(&reading->table.roles[c])) return true;
    return false;
}

struct counts {
    size_t numbers, texts, commas, plain, thousands;
    const struct parsed_chunk *first; /* that has a decimal comma */
};

static struct counts count_cells(const struct chunks *chunks, size_t feature) {
    struct counts counts = {0};
    for (size_t i = 0; i < chunks->count; i++) {
        const struct parsed_column *column = &chunks->items[i]->columns[feature];
        counts.numbers += column->numbers;
        counts.texts += column->texts;
        counts.commas += column->commas;
        counts.plain += column->plain;
        counts.thousands += column->thousands;
        if (!counts.first && column->first_comma.column) counts.first = chunks->items[i];
    }
    return counts;
}

/* Cells that hold whole numbers, the numbers of tokens among them. A whole number is taken as one that
   is written without a mark: the column is in error anyway, this only tells which error to show. */
static size_t count_whole(const struct chunks *chunks, size_t feature) {
    size_t whole = 0;
    for (size_t i = 0; i < chunks->count; i++)
        for (size_t r = 0; r < chunks->items[i]->rows; r++) {
            double cell = parsed_cell(chunks->items[i], r, feature);
            whole += cell == floor(cell);
        }
    return whole;
}

/* At least half of the column would be numbers with decimal commas, and it has some. */
static bool has_commas(const struct counts *counts) {
    return counts->first && counts->commas >= counts->numbers + counts->texts - counts->commas;
}

/* 1,234 can be either, unless another number of the column shows which. */
static const char *advise_commas(const struct reading *reading, const struct counts *counts) {
    bool either = counts->thousands && !counts->plain;
    if (!reading->table.advises)
        return "write them with points, since commas stand between cells here (or without any "
               "mark, if they part thousands)";
    return either ? "if these commas part thousands, write the numbers without them; if not, "
                    "say " OPTION "decimal comma"
                  : "say " OPTION "decimal comma";
}

static void note_thousands(struct reading *reading, const struct table_role *role,
                           const struct counts *counts) {
    size_t cells = counts->numbers + counts->texts;
    bool most = counts->thousands && counts->thousands >= cells - counts->thousands;
    if (!most || has_commas(counts)) return;
    warn(reading->ctx, "thousands-marks",
         "column '%s' is text: %zu of its %zu cells are numbers with marks between thousands, as 1 "
         "234 or 1,234; write them without any mark, or say " OPTION
         "categorical '%s' if they name categories",
         role->name, counts->thousands, cells, role->name);
}

static sepal_status refuse_commas(struct reading *reading, const struct table_role *role,
                                  const struct counts *counts) {
    size_t cells = counts->numbers + counts->texts;
    if (!has_commas(counts)) return SEPAL_OK;
    if (reading->lenient) {
        warn(reading->ctx, "decimal-comma",
             "column '%s': %zu of its %zu cells are numbers with a decimal comma; %s", role->name,
             counts->commas, cells, advise_commas(reading, counts));
        return SEPAL_OK;
    }
    return chunk_fail(
        reading->ctx, &reading->source, counts->first,
        counts->first->columns[role->feature].first_comma,
        "a number with a decimal comma: with these, at least %zu of the %zu cells of column "
        "'%s' are numbers; %s, or say " OPTION "categorical '%s' if they name categories",
        counts->commas, cells, role->name, advise_commas(reading, counts), role->name);
}

static sepal_status refuse_gone(struct reading *reading, const struct table_role *role) {
    return fail_at(reading->ctx, SEPAL_EDATA, reading->source.file.name,
                   reading->columns.header_line, 1,
                   "column '%s' is text, and has numbers; to take these as they are written, input "
                   "of more than %d bytes from a pipe would have to be read twice: say " OPTION
                   "categorical '%s', or read a file",
                   role->name, LIMIT_KEPT, role->name);
}

static void note_numbers(struct reading *reading, const struct table_role *role, size_t texts) {
    warn(reading->ctx, "numbers-in-text",
         "column '%s' is text: %zu of its %zu cells are numbers, and are taken as categories; "
         "say " OPTION "categorical '%s' if that is so",
         role->name, role->numbers, role->numbers + texts, role->name);
}

sepal_status kinds_settle(struct reading *reading, bool *again) {
    const struct table_role *first = NULL;
    bool gone = false;
    for (size_t c = 0; c < reading->table.n_cells; c++) {
        struct table_role *role = &reading->table.roles[c];
        if (!is_open(role)) continue;
        struct counts counts = count_cells(&reading->chunks, role->feature);
        bool numeric = counts.numbers && counts.numbers >= counts.texts;
        bool skips = reading->table.skips && !reading->lenient;
        if (numeric && counts.first && !skips)
            counts.commas += count_whole(&reading->chunks, role->feature) - counts.texts;
        /* a description counts a column that is read for the second time then */
        bool later = reading->lenient && !numeric && counts.numbers;
        if (!later && (!numeric || !skips)) TRY(refuse_commas(reading, role, &counts));
        if (numeric) continue;
        note_thousands(reading, role, &counts);
        if (counts.numbers == 0) continue;
        role->as_text = true;
        role->numbers = counts.numbers;
        if (!has_commas(&counts)) note_numbers(reading, role, counts.texts);
        if (!first) first = role;
    }
    *again = first != NULL;
    if (first) TRY(source_rewind(&reading->source, reading->ctx, &gone));
    return gone ? refuse_gone(reading, first) : SEPAL_OK;
}

sepal_status kinds_check(struct reading *reading) {
    for (size_t c = 0; c < reading->table.n_cells; c++) {
        const struct table_role *role = &reading->table.roles[c];
        if (!role->numbers) continue;
        struct counts counts = count_cells(&reading->chunks, role->feature);
        TRY(refuse_commas(reading, role, &counts));
    }
    return SEPAL_OK;
}
