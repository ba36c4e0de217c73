/* Bounds on weights in a CSV file: column,low,high, with an empty cell or inf for none. Quotes are those of
   RFC 4180. */
#include "core/alloc.h"
#include "core/io.h"
#include "core/text.h"
#include "learners/bound_list.h"

#include <math.h>
#include <string.h>

enum { CELLS = 3 };
static const char *const header[CELLS] = {"column", "low", "high"};

struct bound_cell {
    struct slice text;
    size_t column; /* where it begins, from 1 */
};

struct bound_reader {
    sepal_ctx *ctx;
    struct arena *arena;
    const char *path, *at, *end;
    size_t line;
    const char *begin; /* of the line */
};

static size_t column_of(const struct bound_reader *in, const char *at) {
    return (size_t)(at - in->begin) + 1;
}

static bool ends_cell(const struct bound_reader *in) {
    return in->at == in->end || strchr(",\r\n", *in->at);
}

static void skip_blanks(struct bound_reader *in) {
    while (in->at < in->end && (*in->at == ' ' || *in->at == '\t')) in->at++;
}

/* Behind its opening quote. */
static sepal_status read_quoted(struct bound_reader *in, struct bound_cell *cell) {
    size_t left = (size_t)(in->end - in->at);
    const char *newline = memchr(in->at, '\n', left);
    char *out =
        arena_alloc(in->ctx, in->arena, newline ? (size_t)(newline - in->at) + 1 : left + 1, 1);
    if (!out) return SEPAL_EMEMORY;
    cell->text = (struct slice){out, 0};
    for (; in->at < in->end && *in->at != '\n'; in->at++) {
        if (*in->at == '"' && (in->at + 1 == in->end || in->at[1] != '"')) {
            in->at++;
            skip_blanks(in);
            if (ends_cell(in)) return SEPAL_OK;
            return fail_at(in->ctx, SEPAL_EDATA, in->path, in->line, column_of(in, in->at),
                           "there is text behind the closing quote; write \"\" for a quote inside");
        }
        in->at += *in->at == '"';
        out[cell->text.length++] = *in->at;
    }
    return fail_at(in->ctx, SEPAL_EDATA, in->path, in->line, cell->column,
                   "the quote that begins here does not end on this line");
}

static sepal_status read_bound_cell(struct bound_reader *in, struct bound_cell *cell) {
    skip_blanks(in);
    cell->column = column_of(in, in->at);
    if (in->at < in->end && *in->at == '"') {
        in->at++;
        return read_quoted(in, cell);
    }
    cell->text = (struct slice){in->at, 0};
    while (!ends_cell(in)) in->at++;
    cell->text.length = (size_t)(in->at - cell->text.bytes);
    while (cell->text.length && strchr(" \t", cell->text.bytes[cell->text.length - 1]))
        cell->text.length--;
    return SEPAL_OK;
}

/* The cells of a line, and how many there are; *n 0: it is empty. What is above CELLS is counted only. */
static sepal_status read_line(struct bound_reader *in, struct bound_cell cells[CELLS], size_t *n) {
    struct bound_cell more;
    in->line++;
    in->begin = in->at;
    for (*n = 0;;) {
        TRY(read_bound_cell(in, *n < CELLS ? &cells[*n] : &more));
        ++*n;
        if (in->at == in->end || *in->at != ',') break;
        in->at++;
    }
    if (*n == 1 && cells[0].text.length == 0) *n = 0;
    if (in->at < in->end && *in->at == '\r') in->at++;
    if (in->at < in->end && *in->at == '\n') in->at++;
    return SEPAL_OK;
}

static sepal_status read_header(struct bound_reader *in) {
    struct bound_cell cells[CELLS];
    size_t n;
    if (in->end - in->at >= 3 && memcmp(in->at, "\xef\xbb\xbf", 3) == 0) in->at += 3;
    TRY(read_line(in, cells, &n));
    bool right = n == CELLS;
    for (size_t c = 0; right && c < CELLS; c++) right = slice_is_nocase(cells[c].text, header[c]);
    if (right) return SEPAL_OK;
    return fail_at(in->ctx, SEPAL_EDATA, in->path, 1, 1,
                   "a file of bounds begins with the line column,low,high; put it first");
}

/* An empty cell is no bound, and leaves *out as it is. */
static sepal_status read_number(const struct bound_reader *in, const struct bound_cell *cell,
                                double *out) {
    char shown[TEXT_SHOWN_BYTES];
    const char *text = cell->text.bytes;
    if (cell->text.length == 0 || bound_read(text, text + cell->text.length, out)) return SEPAL_OK;
    return fail_at(in->ctx, SEPAL_EDATA, in->path, in->line, cell->column,
                   "'%s' is no bound of a weight; give a number, or nothing for none",
                   text_shown(shown, text, cell->text.length));
}

static sepal_status add_bound(struct bound_list *out, size_t *room, const struct bound_reader *in,
                              const struct bound_cell cells[CELLS]) {
    struct bound bound = {.low = -INFINITY, .high = INFINITY, .line = in->line};
    TRY(read_number(in, &cells[1], &bound.low));
    TRY(read_number(in, &cells[2], &bound.high));
    bound.column = cells[0].column;
    if (cells[0].text.length == 0 || memchr(cells[0].text.bytes, '\0', cells[0].text.length))
        return fail_at(in->ctx, SEPAL_EDATA, in->path, in->line, bound.column,
                       "these bounds are of no column; write its name in the first cell");
    if (!(bound.low <= bound.high) || bound.low == INFINITY || bound.high == -INFINITY)
        return fail_at(in->ctx, SEPAL_EDATA, in->path, in->line, cells[1].column,
                       "the bounds cross: low is %g and high is %g, and no weight is between them; "
                       "give low <= high",
                       bound.low, bound.high);
    bound.name = arena_text(in->ctx, in->arena, cells[0].text.bytes, cells[0].text.length);
    if (!bound.name) return SEPAL_EMEMORY;
    TRY(mem_reserve(in->ctx, (void **)&out->items, room, out->n + 1, sizeof *out->items));
    out->items[out->n++] = bound;
    return SEPAL_OK;
}

static sepal_status read_lines(struct bound_list *out, size_t *room, struct bound_reader *in) {
    struct bound_cell cells[CELLS];
    size_t n;
    TRY(read_header(in));
    while (in->at < in->end) {
        TRY(read_line(in, cells, &n));
        if (n == 0) continue;
        if (n != CELLS)
            return fail_at(in->ctx, SEPAL_EDATA, in->path, in->line, 1,
                           "this line has %zu cell%s, not 3; write column,low,high, with an empty "
                           "cell for no bound",
                           n, n == 1 ? "" : "s");
        TRY(add_bound(out, room, in, cells));
    }
    if (out->n > 0) return SEPAL_OK;
    return fail_at(in->ctx, SEPAL_EDATA, in->path, in->line, 1,
                   "the file has no bounds behind its header; add a line, or leave bounds out");
}

/* The list as it was gathered, into the arena. */
static sepal_status keep_list(struct bound_list *out, const struct bound_reader *in,
                              const struct bound_list *gathered) {
    out->items = arena_alloc(in->ctx, in->arena, gathered->n, sizeof *out->items);
    out->file = arena_text(in->ctx, in->arena, in->path, strlen(in->path));
    if (!out->items || !out->file) return SEPAL_EMEMORY;
    memcpy(out->items, gathered->items, gathered->n * sizeof *out->items);
    out->n = gathered->n;
    return SEPAL_OK;
}

sepal_status bound_file_read(struct bound_list *out, sepal_ctx *ctx, struct arena *arena,
                             const char *path) {
    struct bound_list gathered = {0};
    char *bytes = NULL;
    size_t size, room = 0;
    TRY(input_slurp(&bytes, &size, ctx, path, SEPAL_EDATA));
    struct bound_reader in = {
        .ctx = ctx, .arena = arena, .path = path, .at = bytes, .end = bytes + size};
    sepal_status status = read_lines(&gathered, &room, &in);
    if (status == SEPAL_OK) status = keep_list(out, &in, &gathered);
    mem_free(gathered.items);
    mem_free(bytes);
    return status;
}
