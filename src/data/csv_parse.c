/* One chunk of delimited text to raw cells. The common cell, a plain number followed by a delimiter,
   is read without looking for its end first. */
#include "core/alloc.h"
#include "core/decimal.h"
#include "data/classes.h"
#include "data/csv.h"

#include <math.h>
#include <string.h>

struct scratch {
    double *cells, *weight;
    uint32_t *label;
    char *unquoted;
    size_t cells_room, weight_room, label_room, unquoted_room;
    struct text kept;
    size_t *kept_at;
    size_t kept_room;
};

struct parser {
    sepal_ctx *ctx;
    const struct csv_layout *layout;
    struct raw *raw;
    struct scratch *scratch;
    const char *end;
    const char *row_start, *line_start;
    size_t line;
    size_t kept_cells; /* of this row */
    bool single;       /* every number so far is exact in single precision */
};

static struct spot spot_of(const struct parser *parser, const char *p) {
    return (struct spot){parser->line, (size_t)(p - parser->line_start) + 1};
}

static sepal_status refuse(struct parser *parser, const char *p, const char *what,
                           struct slice token) {
    struct spot spot = spot_of(parser, p);
    int shown = token.length > 40 ? 40 : (int)token.length;
    return fail_at(parser->ctx, SEPAL_EDATA, "", spot.line, spot.column, "%s%s%.*s%s%s", what,
                   shown ? ": '" : "", shown, token.bytes, token.length > 40 ? "..." : "",
                   shown ? "'" : "");
}

static sepal_status refuse_control(struct parser *parser, const struct csv_cell *cell) {
    struct spot spot = spot_of(parser, cell->start);
    return fail_at(parser->ctx, SEPAL_EDATA, "", spot.line, spot.column,
                   "%s 0x%02x; this is not a text table, or it is in another encoding (UTF-8 is "
                   "read)",
                   cell->fault, (unsigned)(unsigned char)*cell->start);
}

static sepal_status refuse_cell(struct parser *parser, const struct csv_cell *cell) {
    if (strstr(cell->fault, "control") || strstr(cell->fault, "carriage"))
        return refuse_control(parser, cell);
    struct spot spot = spot_of(parser, cell->start);
    return fail_at(parser->ctx, SEPAL_EDATA, "", spot.line, spot.column,
                   "%s; if quotes are ordinary characters in this file, say --quote no",
                   cell->fault);
}

static sepal_status refuse_length(struct parser *parser, const char *p, size_t cells) {
    struct spot spot = spot_of(parser, p);
    bool more = cells > parser->layout->n_cells;
    size_t shown = more ? cells - 1 : cells;
    return fail_at(parser->ctx, SEPAL_EDATA, "", spot.line, spot.column,
                   "this row has %s%zu cell%s, the first has %zu; mend the row, or say --skip N to "
                   "leave out lines at the top",
                   more ? "more than " : "", shown, shown == 1 ? "" : "s", parser->layout->n_cells);
}

static void store(struct parser *parser, size_t feature, double value) {
    size_t at = parser->raw->rows * parser->layout->n_features + feature;
    parser->scratch->cells[at] = value;
    if (parser->single && !single_holds(value) && !isnan(value)) parser->single = false;
}

static sepal_status store_text(struct parser *parser, struct raw_column *column, size_t feature,
                               const struct csv_cell *cell) {
    bool fresh;
    uint32_t number;
    if (!column->tokens) {
        column->tokens = mem_zero(parser->ctx, 1, sizeof *column->tokens);
        if (!column->tokens) return SEPAL_EMEMORY;
    }
    TRY(tokens_add(column->tokens, parser->ctx, cell->text, &number, &fresh));
    if (fresh && utf8_valid_prefix(cell->text.bytes, cell->text.length) < cell->text.length)
        return refuse(parser, cell->start, "text is not UTF-8; convert the file with iconv",
                      (struct slice){0});
    if (column->texts++ == 0) column->first_text = spot_of(parser, cell->start);
    store(parser, feature, number);
    return SEPAL_OK;
}

/* Whether a cell of the row is such and such: a look ahead, or back. */
static bool has_cell(const struct parser *parser,
                     bool (*is)(const struct csv_role *role, struct slice text)) {
    const struct csv_layout *layout = parser->layout;
    const char *p = parser->row_start;
    struct csv_cell cell;
    for (size_t c = 0; c < layout->n_cells; c++) {
        p = csv_cell_next(p, parser->end, layout->marks, parser->scratch->unquoted, &cell);
        if (cell.fault) return false;
        if (is(&layout->roles[c], cell.text)) return true;
        if (!csv_cell_more(&p, parser->end, layout->marks)) return false;
    }
    return false;
}

static bool is_weight_zero(const struct csv_role *role, struct slice text) {
    double weight;
    return role->role == ROLE_WEIGHT && csv_is_number(text, &weight) && weight == 0;
}

static bool is_missing_feature(const struct csv_role *role, struct slice text) {
    return role->role == ROLE_FEATURE && csv_is_missing(text);
}

/* A text for a model: one of the categories of training. What a row that is dropped for a missing
   value holds otherwise does not matter. */
static sepal_status store_known(struct parser *parser, const struct csv_role *role,
                                const struct csv_cell *cell) {
    size_t category = column_category(role->known, cell->text);
    bool seen = category < role->known->n_categories;
    bool refused = !seen && !parser->layout->unknown_zero;
    if (refused && !(parser->layout->drops && has_cell(parser, is_missing_feature))) {
        struct csv_cell again; /* looking through the row has used the scratch */
        csv_cell_next(cell->start, parser->end, parser->layout->marks, parser->scratch->unquoted,
                      &again);
        return refuse(parser, cell->start,
                      "category that training has not seen (--unknown zero takes it as none)",
                      again.text);
    }
    store(parser, role->feature, seen ? (double)category : UNKNOWN_CATEGORY);
    return SEPAL_OK;
}

static sepal_status take_feature(struct parser *parser, const struct csv_role *role,
                                 const struct csv_cell *cell) {
    struct raw_column *column = &parser->raw->columns[role->feature];
    double value;
    if (!role->as_text && csv_is_number(cell->text, &value)) {
        column->numbers++;
        store(parser, role->feature, value);
        return SEPAL_OK;
    }
    if (csv_is_missing(cell->text)) {
        if (column->missing++ == 0) column->first_missing = spot_of(parser, cell->start);
        store(parser, role->feature, NAN);
        return SEPAL_OK;
    }
    if (!role->known) return store_text(parser, column, role->feature, cell);
    if (role->known->text) return store_known(parser, role, cell);
    return refuse(parser, cell->start, "this column holds numbers; not a decimal number",
                  cell->text);
}

static sepal_status refuse_label(struct parser *parser, const struct csv_cell *cell) {
    struct spot spot = spot_of(parser, cell->start);
    size_t c = 0;
    while (parser->layout->roles[c].role != ROLE_LABEL) c++;
    return fail_at(
        parser->ctx, SEPAL_EDATA, "", spot.line, spot.column,
        "the label is missing here: '%.*s' in column '%s', which is taken as the target; "
        "name another one with --target, or mend the row",
        (int)(cell->text.length < 40 ? cell->text.length : 40), cell->text.bytes,
        parser->layout->roles[c].name);
}

static sepal_status take_label(struct parser *parser, const struct csv_cell *cell) {
    bool fresh;
    uint32_t number;
    TRY(tokens_add(&parser->raw->labels, parser->ctx, cell->text, &number, &fresh));
    if (fresh && label_is_missing(cell->text)) return refuse_label(parser, cell);
    if (fresh && utf8_valid_prefix(cell->text.bytes, cell->text.length) < cell->text.length)
        return refuse(parser, cell->start, "label is not UTF-8; convert the file with iconv",
                      (struct slice){0});
    parser->scratch->label[parser->raw->rows] = number;
    return SEPAL_OK;
}

static sepal_status take_weight(struct parser *parser, const struct csv_cell *cell) {
    double value;
    if (!csv_is_number(cell->text, &value) || value < 0)
        return refuse(parser, cell->start,
                      "a weight must be a finite number of at least 0; mend it, or name another "
                      "column with --weight",
                      cell->text);
    parser->scratch->weight[parser->raw->rows] = value;
    return SEPAL_OK;
}

static void keep_cell(struct parser *parser, const struct csv_cell *cell) {
    struct text *kept = &parser->scratch->kept;
    if (parser->kept_cells++) text_puts(parser->ctx, kept, ",");
    csv_put(parser->ctx, kept, cell->text);
}

static sepal_status take_cell(struct parser *parser, const struct csv_role *role,
                              const struct csv_cell *cell) {
    if (cell->fault) return refuse_cell(parser, cell);
    if (role->keep) keep_cell(parser, cell);
    switch (role->role) {
    case ROLE_IGNORE: return SEPAL_OK;
    case ROLE_FEATURE: return take_feature(parser, role, cell);
    case ROLE_LABEL: return parser->layout->labels ? take_label(parser, cell) : SEPAL_OK;
    case ROLE_WEIGHT: return parser->layout->weights ? take_weight(parser, cell) : SEPAL_OK;
    }
    return SEPAL_OK;
}

static void count_lines(struct parser *parser, const char *from, const char *to) {
    for (char eol = parser->layout->marks.eol; (from = memchr(from, eol, (size_t)(to - from)));) {
        parser->line++;
        parser->line_start = ++from;
    }
}

/* A number that ends at a delimiter, read in one go; NULL when the cell is anything else. */
static const char *quick_number(struct parser *parser, const struct csv_role *role, const char *p) {
    double value;
    if (role->role != ROLE_FEATURE || role->as_text || role->keep) return NULL;
    const char *after = decimal_read(p, parser->end, &value);
    if (!after || after == parser->end) return NULL;
    if (*after != parser->layout->marks.delimiter && *after != parser->layout->marks.eol)
        return NULL;
    parser->raw->columns[role->feature].numbers++;
    store(parser, role->feature, value);
    return after;
}

static sepal_status reserve_row(struct parser *parser) {
    struct scratch *scratch = parser->scratch;
    size_t row = parser->raw->rows, n = parser->layout->n_features;
    TRY(mem_reserve(parser->ctx, (void **)&scratch->cells, &scratch->cells_room, (row + 1) * n,
                    sizeof *scratch->cells));
    TRY(mem_reserve(parser->ctx, (void **)&scratch->label, &scratch->label_room, row + 1,
                    sizeof *scratch->label));
    TRY(mem_reserve(parser->ctx, (void **)&scratch->weight, &scratch->weight_room, row + 1,
                    sizeof *scratch->weight));
    TRY(mem_reserve(parser->ctx, (void **)&scratch->kept_at, &scratch->kept_room, row + 1,
                    sizeof *scratch->kept_at));
    scratch->kept_at[row] = scratch->kept.length;
    scratch->label[row] = NO_LABEL;
    parser->kept_cells = 0;
    return SEPAL_OK;
}

static sepal_status parse_row(struct parser *parser, const char **at) {
    static const struct csv_role ignored = {.role = ROLE_IGNORE};
    const struct csv_layout *layout = parser->layout;
    const char *p = *at;
    size_t c = 0;
    parser->row_start = p;
    /* A row of weight 0 is as good as deleted: all that is asked of it is to be a row. */
    bool weightless = layout->weights && has_cell(parser, is_weight_zero);
    TRY(reserve_row(parser));
    do {
        if (c == layout->n_cells) return refuse_length(parser, p, c + 1);
        const struct csv_role *role = weightless ? &ignored : &layout->roles[c];
        c++;
        const char *after = quick_number(parser, role, p);
        if (!after) {
            struct csv_cell cell;
            after = csv_cell_next(p, parser->end, layout->marks, parser->scratch->unquoted, &cell);
            if (cell.fault) count_lines(parser, p, cell.start);
            TRY(take_cell(parser, role, &cell));
            if (cell.start < parser->end && *cell.start == '"')
                count_lines(parser, cell.start, after);
        }
        p = after;
    } while (csv_cell_more(&p, parser->end, layout->marks));
    if (c < layout->n_cells) return refuse_length(parser, p, c);
    *at = p;
    if (weightless) {
        parser->raw->weightless++;
        return SEPAL_OK;
    }
    if (layout->keeps) text_add(parser->ctx, &parser->scratch->kept, "", 1);
    parser->raw->rows++;
    return SEPAL_OK;
}

static sepal_status parse_lines(struct parser *parser, const char *p) {
    char eol = parser->layout->marks.eol;
    while (p < parser->end) {
        parser->line_start = p;
        if (!csv_is_blank(p, parser->end, parser->layout->marks)) TRY(parse_row(parser, &p));
        while (p < parser->end && *p != eol) p++;
        if (p < parser->end) p++;
        parser->line++;
    }
    parser->raw->lines = parser->line;
    return SEPAL_OK;
}

static void *copy(sepal_ctx *ctx, const void *from, size_t count, size_t size) {
    void *to = mem_alloc(ctx, count, size);
    if (to && count) memcpy(to, from, count * size);
    return to;
}

/* What the scratch holds, in memory of its true size. */
static sepal_status keep_rows(struct parser *parser) {
    struct raw *raw = parser->raw;
    struct scratch *scratch = parser->scratch;
    size_t cells = raw->rows * raw->n_columns;
    if (parser->single) {
        raw->f32_cells = mem_alloc(parser->ctx, cells, sizeof *raw->f32_cells);
        if (!raw->f32_cells) return SEPAL_EMEMORY;
        for (size_t i = 0; i < cells; i++) raw->f32_cells[i] = (float)scratch->cells[i];
    } else {
        raw->f64_cells = copy(parser->ctx, scratch->cells, cells, sizeof *raw->f64_cells);
        if (!raw->f64_cells) return SEPAL_EMEMORY;
    }
    if (parser->layout->labels)
        raw->label = copy(parser->ctx, scratch->label, raw->rows, sizeof *raw->label);
    if (parser->layout->weights)
        raw->weight = copy(parser->ctx, scratch->weight, raw->rows, sizeof *raw->weight);
    if (parser->layout->keeps) {
        raw->kept = copy(parser->ctx, scratch->kept.bytes, scratch->kept.length, 1);
        raw->kept_at = copy(parser->ctx, scratch->kept_at, raw->rows, sizeof *raw->kept_at);
    }
    bool whole = (!parser->layout->labels || raw->label) &&
                 (!parser->layout->weights || raw->weight) && !scratch->kept.failed &&
                 (!parser->layout->keeps || (raw->kept && raw->kept_at));
    return whole ? SEPAL_OK : SEPAL_EMEMORY;
}

static sepal_status parse(struct raw *out, sepal_ctx *ctx, const char *bytes, size_t n,
                          const void *layout, void *scratch) {
    struct parser parser = {.ctx = ctx,
                            .layout = layout,
                            .raw = out,
                            .scratch = scratch,
                            .end = bytes + n,
                            .single = true};
    out->n_columns = parser.layout->n_features;
    out->columns = mem_zero(ctx, out->n_columns, sizeof *out->columns);
    if (!out->columns) return SEPAL_EMEMORY;
    parser.scratch->kept.length = 0;
    TRY(mem_reserve(ctx, (void **)&parser.scratch->unquoted, &parser.scratch->unquoted_room, n, 1));
    TRY(parse_lines(&parser, bytes));
    return keep_rows(&parser);
}

static void scratch_clear(void *memory) {
    struct scratch *scratch = memory;
    mem_free(scratch->cells);
    mem_free(scratch->weight);
    mem_free(scratch->label);
    mem_free(scratch->unquoted);
    mem_free(scratch->kept_at);
    text_clear(&scratch->kept);
}

static size_t whole(const char *bytes, size_t n, const void *memory) {
    const struct csv_layout *layout = memory;
    const char *end = bytes + n;
    if (!layout->marks.quotes || !memchr(bytes, '"', n)) {
        const char *last = memrchr(bytes, layout->marks.eol, n);
        return last ? (size_t)(last - bytes) + 1 : 0;
    }
    const char *done = bytes;
    for (const char *next; (next = csv_record_end(done, end, layout->marks));) done = next;
    return (size_t)(done - bytes);
}

const struct chunk_format csv_chunk_format = {
    .whole = whole,
    .parse = parse,
    .scratch_size = sizeof(struct scratch),
    .scratch_clear = scratch_clear,
};
