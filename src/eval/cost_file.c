/* Reading a cost matrix: cut into cells as CSV is, then what the first line and the first column are, by
   how many there are of them. */
#include "core/alloc.h"
#include "core/decimal.h"
#include "core/io.h"
#include "eval/cost.h"
#include "io/csv.h"

#include <math.h>
#include <string.h>

static const double largest_cost = 1e100; /* so that sums and differences stay finite */

struct cost_line {
    struct table_cell *cells;
    size_t n, number; /* cells; of the line in the file, from 1 */
    const char *start;
};
struct cost_reader {
    sepal_ctx *ctx;
    struct arena *arena;
    const char *path;
    const struct schema *schema;
    struct cost_line *lines;
    size_t n_lines;
    bool header, labelled,
        open; /* a line of labels, a column of them; a column of undecided rows */
};

/* ---- cells -------------------------------------------------------------------------------- */

static char delimiter_of(const char *line, const char *end) {
    static const char marks[] = ";\t,|";
    for (size_t m = 0; m < sizeof marks - 1; m++)
        if (memchr(line, marks[m], (size_t)(end - line))) return marks[m];
    return ' ';
}

static sepal_status refuse_cell(const struct cost_reader *in, const struct cost_line *line,
                                const struct table_cell *cell, const char *why) {
    char shown[TEXT_SHOWN_BYTES];
    return fail_at(in->ctx, SEPAL_EDATA, in->path, line->number,
                   (size_t)(cell->start - line->start) + 1, "'%s' %s",
                   text_shown(shown, cell->text.bytes, cell->text.length), why);
}

static sepal_status cut_line(struct cost_reader *in, const char *from, const char *to,
                             struct csv_marks marks, size_t number) {
    struct cost_line line = {.number = number, .start = from};
    char *scratch = arena_alloc(in->ctx, in->arena, (size_t)(to - from) + 1, 1);
    if (!scratch) return SEPAL_EMEMORY;
    line.n = csv_split(from, to, marks, scratch, NULL, 0);
    if (line.n == 0) return SEPAL_OK;
    line.cells = arena_zero(in->ctx, in->arena, line.n, sizeof *line.cells);
    if (!line.cells) return SEPAL_EMEMORY;
    csv_split(from, to, marks, scratch, line.cells, line.n);
    const struct table_cell *last = &line.cells[line.n - 1];
    if (last->fault)
        return fail_at(in->ctx, SEPAL_EDATA, in->path, number, (size_t)(last->start - from) + 1,
                       "%s", last->fault);
    in->lines[in->n_lines++] = line;
    return SEPAL_OK;
}

static sepal_status cut_lines(struct cost_reader *in, const char *at, const char *end) {
    size_t most = 1, number = 0;
    char eol = memchr(at, '\n', (size_t)(end - at)) ? '\n' : '\r';
    struct csv_marks marks = {.eol = eol, .quotes = true};
    if (end - at >= 3 && memcmp(at, "\xef\xbb\xbf", 3) == 0) at += 3;
    for (const char *c = at; c < end; c++) most += *c == eol;
    in->lines = arena_alloc(in->ctx, in->arena, most, sizeof *in->lines);
    if (!in->lines) return SEPAL_EMEMORY;
    while (at < end) {
        const char *next = memchr(at, eol, (size_t)(end - at));
        const char *to = next ? next : end;
        number++;
        if (in->n_lines == 0) marks.delimiter = delimiter_of(at, to);
        TRY(cut_line(in, at, to, marks, number));
        at = next ? next + 1 : end;
    }
    return SEPAL_OK;
}

/* ---- the form ----------------------------------------------------------------------------- */

static sepal_status refuse_form(const struct cost_reader *in, size_t line, size_t rows,
                                size_t cells) {
    const struct schema *schema = in->schema;
    size_t n = schema->n_classes;
    return fail_at(in->ctx, SEPAL_EDATA, in->path, line, 0,
                   "there are %zu line%s of costs and %zu in this one, but %zu classes, "
                   "'%.60s' ... '%.60s'; write %zu x %zu costs, a line for each true class and a "
                   "column for each predicted one, with their labels before and above or without",
                   rows, rows == 1 ? "" : "s", cells, n, schema->classes[0], schema->classes[n - 1],
                   n, n);
}

/* The first line has labels if nothing stands before them, or if it is one too many and says so: by a word, or by a
   class that is a number. */
static void find_header(struct cost_reader *in) {
    const struct cost_line *first = &in->lines[0];
    double number;
    in->header = first->n > 1 && first->cells[0].text.length == 0;
    if (!in->header && in->n_lines == in->schema->n_classes) return;
    in->header = in->header || schema_class_of(in->schema, first->cells[first->n - 1].text) >= 0;
    for (size_t c = 1; c < first->n; c++) /* the first cell may be a label of the line */
        in->header = in->header || !cell_is_number(first->cells[c].text, &number);
    for (size_t c = 0; in->header && c < first->n; c++)
        in->open = in->open || slice_is(first->cells[c].text, "?");
}

/* Whether the lines begin with numbers that are no classes: costs, of which there is one too many. */
static bool begin_with_costs(const struct cost_reader *in) {
    double number;
    for (size_t l = in->header; l < in->n_lines; l++) {
        struct slice first = in->lines[l].cells[0].text;
        if (!cell_is_number(first, &number) || schema_class_of(in->schema, first) >= 0)
            return false;
    }
    return true;
}

static sepal_status find_form(struct cost_reader *in) {
    size_t classes = in->schema->n_classes;
    if (in->n_lines == 0)
        return fail_at(in->ctx, SEPAL_EDATA, in->path, 1, 0,
                       "the file is empty; write a line of costs for each true class, with a "
                       "column for each predicted one");
    find_header(in);
    size_t width = classes + in->open, rows = in->n_lines - in->header;
    if (rows == 0) return refuse_form(in, 1, 0, 0);
    size_t cells = in->lines[in->header].n;
    in->labelled = cells == width + 1;
    if (in->labelled && begin_with_costs(in))
        return refuse_form(in, in->lines[in->header].number, rows, cells);
    for (size_t l = in->header; l < in->n_lines; l++)
        if (rows != classes || in->lines[l].n != width + in->labelled)
            return refuse_form(in, in->lines[l].number, rows, in->lines[l].n - in->labelled);
    const struct cost_line *first = &in->lines[0];
    if (in->header && first->n != width && first->n != width + in->labelled)
        return refuse_form(in, first->number, rows, first->n);
    return SEPAL_OK;
}

/* ---- labels and numbers ------------------------------------------------------------------- */

/* With the classes that there are, or the first of many. */
static sepal_status refuse_label(const struct cost_reader *in, const struct cost_line *line,
                                 const struct table_cell *cell) {
    enum { MOST = 10 };
    const struct schema *schema = in->schema;
    struct text why = {0};
    text_puts(in->ctx, &why, "is not a class of the model; its classes are ");
    for (size_t k = 0; k < schema->n_classes && k < MOST; k++)
        text_printf(in->ctx, &why, "%s'%.60s'", k ? ", " : "", schema->classes[k]);
    if (schema->n_classes > MOST)
        text_printf(in->ctx, &why, ", and %zu more", schema->n_classes - MOST);
    sepal_status status = why.failed ? SEPAL_EMEMORY : refuse_cell(in, line, cell, why.bytes);
    text_clear(&why);
    return status;
}

/* The class of a label, each once. `taken` has a place for every class. */
static sepal_status class_of_cell(size_t *out, const struct cost_reader *in,
                                  const struct cost_line *line, const struct table_cell *cell,
                                  bool *taken) {
    int32_t k = schema_class_of(in->schema, cell->text);
    if (k < 0) return refuse_label(in, line, cell);
    if (taken[k]) return refuse_cell(in, line, cell, "stands twice; each class has one place");
    taken[k] = true;
    *out = (size_t)k;
    return SEPAL_OK;
}

/* Which class each line is of and each column; `classes` itself: undecided rows. */
static sepal_status find_order(const struct cost_reader *in, size_t *row_of, size_t *column_of) {
    size_t classes = in->schema->n_classes, width = classes + in->open, at = 0;
    bool *taken = arena_zero(in->ctx, in->arena, 2 * classes, sizeof *taken);
    if (!taken) return SEPAL_EMEMORY;
    for (size_t i = 0; i < classes; i++) row_of[i] = column_of[i] = i;
    for (size_t i = 0; in->labelled && i < classes; i++) {
        const struct cost_line *line = &in->lines[in->header + i];
        TRY(class_of_cell(&row_of[i], in, line, &line->cells[0], taken));
    }
    if (!in->header) {
        memcpy(column_of, row_of, classes * sizeof *row_of);
        return SEPAL_OK;
    }
    const struct cost_line *first = &in->lines[0];
    bool open = false;
    for (size_t c = 0; c < width; c++) {
        const struct table_cell *cell = &first->cells[first->n - width + c];
        if (slice_is(cell->text, "?")) {
            if (open) return refuse_cell(in, first, cell, "stands twice");
            open = true;
            column_of[c] = classes;
            continue;
        }
        TRY(class_of_cell(&column_of[c], in, first, cell, taken + classes));
        if (!in->labelled) row_of[at++] = column_of[c];
    }
    return SEPAL_OK;
}

static sepal_status read_costs(struct cost *out, const struct cost_reader *in) {
    size_t classes = in->schema->n_classes, width = classes + in->open;
    size_t *row_of = arena_alloc(in->ctx, in->arena, classes, sizeof *row_of);
    size_t *column_of = arena_alloc(in->ctx, in->arena, classes + 1, sizeof *column_of);
    *out = (struct cost){.classes = classes, .width = width};
    out->of = arena_alloc(in->ctx, in->arena, classes * width, sizeof *out->of);
    if (!row_of || !column_of || !out->of) return SEPAL_EMEMORY;
    TRY(find_order(in, row_of, column_of));
    for (size_t i = 0; i < classes; i++) {
        const struct cost_line *line = &in->lines[in->header + i];
        for (size_t c = 0; c < width; c++) {
            const struct table_cell *cell = &line->cells[in->labelled + c];
            double *cost = &out->of[row_of[i] * width + column_of[c]];
            if (!cell_is_number(cell->text, cost) || !(fabs(*cost) <= largest_cost))
                return refuse_cell(in, line, cell,
                                   "is no cost: a cost is a finite number, 0 for what costs "
                                   "nothing");
        }
    }
    return SEPAL_OK;
}

sepal_status cost_read(struct cost *out, sepal_ctx *ctx, struct arena *arena, const char *path,
                       const struct schema *schema) {
    struct cost_reader in = {.ctx = ctx, .arena = arena, .path = path, .schema = schema};
    char *bytes = NULL;
    size_t size;
    TRY(input_slurp(&bytes, &size, ctx, path, SEPAL_EDATA));
    sepal_status status = cut_lines(&in, bytes, bytes + size);
    if (status == SEPAL_OK) status = find_form(&in);
    if (status == SEPAL_OK) status = read_costs(out, &in);
    mem_free(bytes);
    return status;
}
