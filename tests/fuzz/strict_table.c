/* Tables: records of cells, a header or not, a target, numbers and texts. */
#include "fuzz/strict_reader.h"

#include "fuzz/exact_decimal.h"
#include "fuzz/fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct cell {
    char *text; /* without quotes and the blanks around */
    size_t n;
    struct strict_place start, place; /* behind the delimiter; where its text begins */
    double value;
    bool number, missing;
    bool comma_number; /* if its decimal mark, if any, were a comma */
};
struct record {
    struct cell *cells;
    size_t count;
    struct strict_place end;   /* where its line ends */
    struct strict_place fault; /* line 0: none; the cell behind the last one has it */
};
struct table {
    struct strict *strict;
    struct strict_cursor in;
    char delimiter; /* ' ': runs of blanks */
    bool quotes;
    struct record *records;
    size_t n_records;
    size_t width, target; /* cells of a record; the target's */
};

/* ---- records ------------------------------------------------------------------------------ */

static bool is_blank(const struct table *t) {
    const struct strict_cursor *in = &t->in;
    return in->at < in->end && (*in->at == ' ' || *in->at == '\t') &&
           (t->delimiter == ' ' || *in->at != t->delimiter);
}

static void skip_blanks(struct table *t) {
    while (is_blank(t)) strict_step(&t->in);
}

static bool cell_ends(const struct table *t) {
    if (strict_at_eol(&t->in)) return true;
    return t->delimiter == ' ' ? is_blank(t) : *t->in.at == t->delimiter;
}

static void add_byte(struct table *t, struct cell *cell) {
    cell->text[cell->n++] = *t->in.at;
    strict_step(&t->in);
}

/* At the opening quote. False: a fault, at *fault. */
static bool read_quoted(struct table *t, struct cell *cell, struct strict_place *fault) {
    struct strict_cursor *in = &t->in;
    *fault = in->place;
    strict_step(in);
    for (;;) {
        if (in->at == in->end) return false; /* never closed: the opening quote is the place */
        if (strict_is_control(*in->at)) {
            *fault = in->place;
            return false;
        }
        if (*in->at == '"') {
            strict_step(in);
            if (in->at == in->end || *in->at != '"') break;
        }
        add_byte(t, cell);
    }
    while (!cell_ends(t) && is_blank(t)) strict_step(in);
    *fault = in->place;
    return cell_ends(t);
}

static bool read_plain(struct table *t, struct cell *cell, struct strict_place *fault) {
    while (!cell_ends(t)) {
        *fault = t->in.place;
        if (strict_is_control(*t->in.at) || *t->in.at == '\r' || *t->in.at == '\n') return false;
        add_byte(t, cell);
    }
    while (cell->n && (cell->text[cell->n - 1] == ' ' || cell->text[cell->n - 1] == '\t'))
        cell->n--;
    return true;
}

static bool is_comma_number(const struct cell *cell) {
    double value;
    char *text = strdup(cell->text), *comma = strchr(text, ',');
    bool point = strchr(text, '.');
    if (comma) *comma = '.';
    bool number = !point && strlen(text) == cell->n && exact_is_number(text, cell->n, &value);
    free(text);
    return number;
}

static bool read_cell(struct table *t, struct record *record) {
    record->cells = strict_grow(record->cells, record->count + 1, sizeof *record->cells);
    struct cell *cell = &record->cells[record->count++];
    *cell = (struct cell){.text = strict_grow(NULL, (size_t)(t->in.end - t->in.at), 1)};
    cell->start = t->in.place;
    skip_blanks(t);
    cell->place = t->in.place;
    bool quoted = t->quotes && t->in.at < t->in.end && *t->in.at == '"';
    struct strict_place fault;
    if (!(quoted ? read_quoted(t, cell, &fault) : read_plain(t, cell, &fault))) {
        record->fault = fault;
        return false;
    }
    cell->text[cell->n] = '\0';
    cell->missing = strict_is_missing(cell->text, cell->n);
    cell->number = exact_is_number(cell->text, cell->n, &cell->value);
    cell->comma_number = is_comma_number(cell);
    return true;
}

/* One record; false after a fault. */
static bool read_record(struct table *t, struct record *record) {
    *record = (struct record){0};
    skip_blanks(t);
    for (;;) {
        if (!read_cell(t, record)) return false;
        if (t->delimiter == ' ') skip_blanks(t);
        if (strict_at_eol(&t->in)) break;
        if (t->delimiter != ' ') strict_step(&t->in);
    }
    record->end = t->in.place;
    strict_next_line(&t->in);
    return true;
}

static bool at_blank_line(const struct table *t) {
    struct table copy = *t;
    while (is_blank(&copy) || (!strict_at_eol(&copy.in) && *copy.in.at == '\r'))
        strict_step(&copy.in);
    return strict_at_eol(&copy.in);
}

/* All records up to the first with a fault, which is kept, too. */
static void read_records(struct table *t) {
    bool well = true;
    while (well && t->in.at < t->in.end) {
        if (at_blank_line(t)) {
            strict_next_line(&t->in);
            continue;
        }
        t->records = strict_grow(t->records, t->n_records + 1, sizeof *t->records);
        well = read_record(t, &t->records[t->n_records++]);
    }
}

static void free_table(struct table *t) {
    for (size_t r = 0; r < t->n_records; r++) {
        for (size_t c = 0; c < t->records[r].count; c++) free(t->records[r].cells[c].text);
        free(t->records[r].cells);
    }
    free(t->records);
}

/* ---- the header --------------------------------------------------------------------------- */

static bool same_text(const struct cell *a, const struct cell *b) {
    return a->n == b->n && memcmp(a->text, b->text, a->n) == 0;
}

/* Among the next 100 rows those with as many cells as line 1. */
static bool names_columns(const struct table *t) {
    size_t last = t->n_records < 101 ? t->n_records : 101;
    bool numeric = false, recurs = false;
    if (t->records[0].fault.line) return false;
    for (size_t c = 0; c < t->width; c++) {
        const struct cell *top = &t->records[0].cells[c];
        size_t numbers = 0, texts = 0;
        for (size_t r = 1; r < last; r++) {
            const struct record *record = &t->records[r];
            if (record->count != t->width || record->fault.line) continue;
            numbers += record->cells[c].number;
            texts += !record->cells[c].number && !record->cells[c].missing;
            recurs = recurs || same_text(top, &record->cells[c]);
        }
        if (!top->number && !top->missing && numbers && !texts) return true;
        numeric = numeric || top->number || (numbers && numbers >= texts + !top->missing);
    }
    return !numeric && !recurs;
}

/* A word that an option has for a column is a cell of line 1. Patterns and ranges are not known here. */
static bool calls_column(const struct table *t, const char *wish) {
    if (!wish || !*wish || wish[strspn(wish, "0123456789")] == '\0') return false;
    for (size_t c = 0; c < t->width; c++)
        if (strcmp(wish, t->records[0].cells[c].text) == 0) return true;
    return false;
}

static bool check_names(struct table *t) {
    const struct record *top = &t->records[0];
    for (size_t c = 0; c < t->width; c++) {
        struct cell *cell = &top->cells[c];
        char number[32];
        if (cell->n == 0) { /* a column without a name is called as if there were no header */
            cell->n = (size_t)snprintf(number, sizeof number, "x%zu", c + 1);
            free(cell->text);
            cell->text = strdup(number);
        }
        bool twice = false;
        for (size_t i = 0; i < c; i++) twice = twice || same_text(&top->cells[i], cell);
        if (!twice && strict_is_utf8(cell->text, cell->n)) continue;
        strict_refuse(t->strict, cell->place.line, cell->place.column);
        return false;
    }
    return true;
}

/* By name, else by number from 1; SIZE_MAX: there is none. */
static size_t find_column(const struct table *t, bool header, const char *wish) {
    for (size_t c = 0; c < t->width; c++) {
        char number[32];
        snprintf(number, sizeof number, "x%zu", c + 1);
        if (strcmp(wish, header ? t->records[0].cells[c].text : number) == 0) return c;
    }
    char *rest;
    unsigned long number = strtoul(wish, &rest, 10);
    return *rest == '\0' && number >= 1 && number <= t->width ? number - 1 : SIZE_MAX;
}

static bool choose_target(struct table *t, bool header, const struct read_options *options) {
    static const char *const usual[] = {"target", "label", "class", "y"};
    t->target = options->target ? find_column(t, header, options->target) : SIZE_MAX;
    for (size_t i = 0; header && !options->target && i < 4 && t->target == SIZE_MAX; i++)
        for (size_t c = t->width; c-- > 0;)
            if (strcasecmp(t->records[0].cells[c].text, usual[i]) == 0) t->target = c;
    if (!options->target && t->target == SIZE_MAX) t->target = t->width - 1;
    if (t->target == SIZE_MAX) strict_refuse(t->strict, t->records[0].cells[0].place.line, 0);
    return t->target != SIZE_MAX;
}

/* ---- rows --------------------------------------------------------------------------------- */

/* What is wrong with a line, whatever the others hold. */
static bool check_row(struct table *t, const struct record *record) {
    for (size_t c = 0; c < record->count; c++) {
        const struct cell *cell = &record->cells[c];
        bool bad = c == t->target ? strict_is_bad_label(cell->text, cell->n) : false;
        struct strict_place place = cell->place;
        if (c < t->width && record->fault.line && c + 1 == record->count)
            place = record->fault;
        else if (c < t->width && !bad &&
                 (cell->number || cell->missing || strict_is_utf8(cell->text, cell->n)))
            continue;
        strict_refuse(t->strict, place.line, place.column);
        if (c >= t->width) strict_refuse(t->strict, cell->start.line, cell->start.column);
        return false;
    }
    if (record->count < t->width) strict_refuse(t->strict, record->end.line, record->end.column);
    return record->count == t->width;
}

static bool has_missing(const struct table *t, const struct record *record,
                        struct strict_place *place) {
    for (size_t c = 0; c < t->width; c++)
        if (c != t->target && record->cells[c].missing) {
            *place = record->cells[c].place;
            return true;
        }
    return false;
}

static bool is_numeric(const struct table *t, size_t c, size_t first) {
    size_t numbers = 0, texts = 0;
    for (size_t r = first; r < t->n_records; r++) {
        numbers += t->records[r].cells[c].number;
        texts += !t->records[r].cells[c].number && !t->records[r].cells[c].missing;
    }
    return numbers && numbers >= texts;
}

/* At least half of a column would be numbers with decimal commas, of which it has some: refused at the
   first, before missing values are looked for. So may be, as far as is known here, a column that is
   refused anyway, for having texts among numbers. */
static void refuse_commas(struct table *t, size_t c, size_t first) {
    const struct cell *comma = NULL;
    size_t numbers = 0, there = 0;
    for (size_t r = first; r < t->n_records; r++) {
        const struct cell *cell = &t->records[r].cells[c];
        there += !cell->missing;
        numbers += cell->comma_number;
        if (!comma && cell->comma_number && strchr(cell->text, ',')) comma = cell;
    }
    if (comma && (is_numeric(t, c, first) || 2 * numbers >= there))
        strict_refuse(t->strict, comma->place.line, comma->place.column);
}

/* A feature column of the records from `first` on: its values go to the matrix behind those before.
   With drop[] rows left out. */
static void add_column(struct table *t, size_t c, size_t first, const bool *drop, bool as_text) {
    struct strict *strict = t->strict;
    bool numeric = !as_text && is_numeric(t, c, first);
    const struct cell **cells = strict_grow(NULL, strict->rows, sizeof *cells);
    size_t n = 0;
    for (size_t r = first; r < t->n_records; r++) {
        const struct cell *cell = &t->records[r].cells[c];
        if (numeric && !cell->number && !cell->missing) {
            strict_refuse(strict, cell->place.line, cell->place.column);
            free(cells);
            return;
        }
        if (!drop[r]) cells[n++] = cell;
    }
    double *column = strict_grow(NULL, strict->rows * (strict->rows + 1), sizeof *column);
    size_t width = numeric ? 1 : 0;
    for (size_t i = 0; numeric && i < n; i++)
        column[i] = cells[i]->value == 0 ? 0 : cells[i]->value;
    for (const struct cell *last = NULL; !numeric; width++) {
        const struct cell *next = NULL; /* the smallest text above the last one */
        for (size_t i = 0; i < n; i++)
            if ((!last || strcmp(cells[i]->text, last->text) > 0) &&
                (!next || strcmp(cells[i]->text, next->text) < 0))
                next = cells[i];
        if (!next) break;
        for (size_t i = 0; i < n; i++)
            column[width * strict->rows + i] = same_text(cells[i], next) ? 1 : 0;
        last = next;
    }
    double *values = strict_grow(NULL, strict->rows * (strict->cols + width), sizeof *values);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < strict->cols; j++)
            values[i * (strict->cols + width) + j] = strict->values[i * strict->cols + j];
        for (size_t j = 0; j < width; j++)
            values[i * (strict->cols + width) + strict->cols + j] = column[j * strict->rows + i];
    }
    free(strict->values);
    free(column);
    free(cells);
    strict->values = values;
    strict->cols += width;
}

static void read_rows(struct table *t, size_t first, const struct read_options *options,
                      bool header) {
    struct strict *strict = t->strict;
    size_t text = options->categorical ? find_column(t, header, options->categorical) : SIZE_MAX;
    if (options->categorical && text == SIZE_MAX)
        strict_refuse(strict, t->records[0].cells[0].place.line, 0);
    bool drops = options->missing == 3, *drop = strict_grow(NULL, t->n_records, sizeof *drop);
    char **labels = strict_grow(NULL, t->n_records, sizeof *labels);
    for (size_t r = first; r < t->n_records && !strict->n_faults; r++) check_row(t, &t->records[r]);
    bool go_on = !strict->n_faults;
    for (size_t c = 0; go_on && c < t->width; c++)
        if (c != t->target && c != text) refuse_commas(t, c, first);
    for (size_t r = first; r < t->n_records && go_on; r++) {
        struct strict_place place;
        drop[r] = has_missing(t, &t->records[r], &place);
        go_on = !drop[r] || drops;
        if (!go_on) strict_refuse(strict, place.line, place.column);
        if (!drop[r]) labels[strict->rows++] = t->records[r].cells[t->target].text;
    }
    if (go_on && strict->rows == 0) strict_refuse(strict, 0, 0);
    for (size_t c = 0; go_on && strict->rows && c < t->width; c++)
        if (c != t->target) add_column(t, c, first, drop, c == text);
    if (!strict->n_faults) strict_label(strict, labels);
    free(labels);
    free(drop);
}

/* The first record is faulty: how many columns there are, and which is what, stays open. So a cell
   before the fault is refused if it is no text, or no label; it may stand on a later line, behind
   quotes that hold a line end. */
static void refuse_first(struct strict *strict, const struct record *first) {
    strict_refuse(strict, first->fault.line, first->fault.column);
    strict_refuse(strict, first->cells[0].place.line, 0);
    for (size_t c = 0; c + 1 < first->count; c++) {
        const struct cell *cell = &first->cells[c];
        if (strict_is_bad_label(cell->text, cell->n) || !strict_is_utf8(cell->text, cell->n))
            strict_refuse(strict, cell->place.line, cell->place.column);
    }
}

/* Whether line 1 is a header depends on lines that cannot be read: refused as with one or without. */
static struct strict *read_either(const char *bytes, size_t n, const struct read_options *options,
                                  char delimiter) {
    struct read_options with = *options, without = *options;
    with.header = HEADER_YES;
    without.header = HEADER_NO;
    struct strict *strict = strict_read_table(bytes, n, &with, delimiter);
    struct strict *other = strict_read_table(bytes, n, &without, delimiter);
    for (size_t i = 0; i < other->n_faults; i++)
        strict_refuse(strict, other->faults[i].line, other->faults[i].column);
    strict_free(other);
    return strict;
}

struct strict *strict_read_table(const char *bytes, size_t n, const struct read_options *options,
                                 char delimiter) {
    struct table t = {.strict = strict_grow(NULL, 1, sizeof *t.strict),
                      .delimiter = delimiter,
                      .quotes = options->quote};
    if (!strict_begin(t.strict, &t.in, bytes, n, options)) return t.strict;
    read_records(&t);
    if (t.n_records == 0) {
        strict_refuse(t.strict, 0, 0);
        return t.strict;
    }
    if (options->header == HEADER_AUTO && t.records[t.n_records - 1].fault.line) {
        free_table(&t);
        strict_free(t.strict);
        return read_either(bytes, n, options, delimiter);
    }
    t.width = t.records[0].count;
    bool header = options->header == HEADER_YES ||
                  (options->header == HEADER_AUTO && !t.records[0].fault.line &&
                   (names_columns(&t) || calls_column(&t, options->target) ||
                    calls_column(&t, options->categorical)));
    if (t.records[0].fault.line) {
        refuse_first(t.strict, &t.records[0]);
    } else if ((!header || check_names(&t)) && choose_target(&t, header, options)) {
        read_rows(&t, header ? 1 : 0, options, header);
    }
    free_table(&t);
    return t.strict;
}

char strict_delimiter(const char *bytes, size_t n, const struct read_options *options) {
    static const char candidates[] = {',', ';', '\t', '|', ' '};
    for (size_t i = 0; i < sizeof candidates; i++) {
        struct table t = {.strict = strict_grow(NULL, 1, sizeof *t.strict),
                          .delimiter = candidates[i],
                          .quotes = options->quote};
        bool all = strict_begin(t.strict, &t.in, bytes, n, options);
        if (all) read_records(&t);
        all = all && t.n_records;
        for (size_t r = 0; all && r < t.n_records; r++)
            all = !t.records[r].fault.line && t.records[r].count == t.records[0].count &&
                  t.records[r].count > 1;
        bool faulty = t.n_records && t.records[t.n_records - 1].fault.line;
        free_table(&t);
        strict_free(t.strict);
        if (all) return candidates[i];
        if (faulty) return 0;
    }
    return 0;
}
