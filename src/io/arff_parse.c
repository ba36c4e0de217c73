/* One chunk of ARFF rows, dense or sparse, to parsed rows. */
#include "data/cell_value.h"
#include "io/arff.h"

#include <string.h>

struct arff_parser {
    struct table_rows rows;
    const struct arff_layout *layout;
    const char *end; /* of the line */
};

static const char *arff_row_skip_blanks(const struct arff_parser *parser, const char *p) {
    while (p < parser->end && arff_is_blank(*p)) p++;
    return p;
}

/* ---- cells -------------------------------------------------------------------------------- */

static bool is_declared(const struct arff_attribute *attribute, struct slice text) {
    const struct column values = {.n_categories = attribute->n_values,
                                  .categories = attribute->values};
    return column_category(&values, text) < attribute->n_values;
}

static bool is_question(const struct table_cell *cell) {
    return !cell->quoted && (cell->text.length == 0 || slice_is_nocase(cell->text, "?"));
}

static sepal_status arff_row_take(struct arff_parser *parser, size_t c,
                                  const struct table_cell *cell) {
    const struct arff_attribute *attribute = &parser->layout->attributes[c];
    const struct table_role *role = &parser->rows.layout->roles[c];
    bool used =
        role->role == ROLE_FEATURE || (role->role == ROLE_LABEL && parser->rows.layout->labels);
    if (used && !cell->fault && !parser->rows.weightless && attribute->kind == ARFF_NOMINAL &&
        !is_question(cell) && !is_declared(attribute, cell->text))
        return rows_refuse(&parser->rows, cell->start,
                           "this is not one of the values that are declared for the attribute",
                           cell->text);
    return rows_take(&parser->rows, role, cell);
}

/* What a sparse row means by leaving a cell out. */
static sepal_status take_default(struct arff_parser *parser, size_t c, const char *at) {
    const struct arff_attribute *attribute = &parser->layout->attributes[c];
    const struct table_role *role = &parser->rows.layout->roles[c];
    bool used = (role->role != ROLE_IGNORE || role->keep) && !parser->rows.weightless;
    if (used && attribute->kind == ARFF_TEXT)
        return rows_refuse(&parser->rows, at, "a sparse row must give the value of this attribute",
                           attribute->name);
    const char *text = attribute->kind == ARFF_NOMINAL ? attribute->first : "0";
    struct table_cell cell = {.text = {text, strlen(text)}, .start = at, .quoted = true};
    return arff_row_take(parser, c, &cell);
}

/* ---- dense rows --------------------------------------------------------------------------- */

/* Behind a value, with the blanks after it skipped. */
static bool next_cell(const struct arff_parser *parser, const char **p) {
    if (*p == parser->end) return false;
    if (parser->layout->delimiter == ',') ++*p;
    return true;
}

static sepal_status refuse_tail(struct arff_parser *parser, const char *p, const char *what) {
    const char *stop = p;
    while (stop < parser->end && !arff_is_blank(*stop)) stop++;
    return rows_refuse(&parser->rows, p, what, (struct slice){p, (size_t)(stop - p)});
}

static bool arff_row_is_weightless(const struct arff_parser *parser, const char *p) {
    const struct table_layout *layout = parser->rows.layout;
    struct table_cell cell;
    double weight;
    /* never: past the last cell, the weight is one of them */
    for (size_t c = 0; c < layout->n_cells; c++) {
        p = arff_value_next(p, parser->end, parser->layout->delimiter, false,
                            parser->rows.scratch->unquoted, &cell);
        if (cell.fault) return false; /* and it has no text */
        if (layout->roles[c].role == ROLE_WEIGHT)
            return cell_is_number(cell.text, &weight) && weight == 0;
        p = arff_row_skip_blanks(parser, p);
        if (!next_cell(parser, &p)) return false;
    }
    return false;
}

/* A value ends at `after`; behind the blanks there, at p, must be what stands between values. */
static sepal_status check_between(struct arff_parser *parser, const struct table_cell *cell,
                                  const char *after, const char *p) {
    bool commas = parser->layout->delimiter == ',';
    if (p == parser->end || (commas ? *p == ',' : p > after && *p != ',')) return SEPAL_OK;
    if (cell->quoted) return refuse_tail(parser, p, "text after the closing quote");
    if (*p == ',')
        return rows_refuse(&parser->rows, p,
                           "a comma, and the first row has none, so that rows are cut at blanks; "
                           "write all rows in one way",
                           (struct slice){0});
    struct table_cell fault = {.start = p, .fault = "carriage return inside a line"};
    return rows_take(&parser->rows, parser->rows.layout->roles, &fault);
}

static sepal_status parse_dense(struct arff_parser *parser, const char *p) {
    struct table_rows *rows = &parser->rows;
    const struct table_layout *layout = rows->layout;
    struct table_cell cell;
    size_t c = 0;
    if (layout->weights) rows->weightless = arff_row_is_weightless(parser, p);
    do {
        p = arff_row_skip_blanks(parser, p);
        if (c == layout->n_cells && p < parser->end && *p == '{')
            return refuse_tail(
                parser, p,
                "weights in braces are not read; put them into a file and say " OPTION
                "weights FILE");
        if (c == layout->n_cells) return rows_refuse_length(rows, p, c + 1);
        p = arff_value_next(p, parser->end, parser->layout->delimiter, false,
                            parser->rows.scratch->unquoted, &cell);
        TRY(arff_row_take(parser, c++, &cell));
        const char *after = p;
        p = arff_row_skip_blanks(parser, p);
        TRY(check_between(parser, &cell, after, p));
    } while (next_cell(parser, &p));
    return c < layout->n_cells ? rows_refuse_length(rows, p, c) : SEPAL_OK;
}

/* ---- sparse rows -------------------------------------------------------------------------- */

struct pair {
    size_t c;
    struct table_cell cell;
};

/* "index value" from p, which is moved behind it. */
static sepal_status next_pair(struct arff_parser *parser, const char **at, struct pair *out) {
    struct table_rows *rows = &parser->rows;
    const char *p = arff_row_skip_blanks(parser, *at), *from = p;
    uint64_t index = 0;
    for (; p < parser->end && *p >= '0' && *p <= '9' && p - from < 10; p++)
        index = index * 10 + (uint64_t)(*p - '0');
    if (p == from || p == parser->end || !arff_is_blank(*p))
        return refuse_tail(parser, from,
                           "expected the number of an attribute, a blank and a value");
    if (index >= rows->layout->n_cells)
        return refuse_tail(parser, from, "there is no attribute of this number; they count from 0");
    out->c = (size_t)index;
    p = arff_value_next(p, parser->end, ',', true, parser->rows.scratch->unquoted, &out->cell);
    *at = arff_row_skip_blanks(parser, p);
    if (out->cell.fault) return SEPAL_OK;
    if (out->cell.text.length == 0 && !out->cell.quoted)
        return refuse_tail(parser, out->cell.start, "a value is missing after the number");
    if (*at == parser->end || (**at != ',' && **at != '}'))
        return refuse_tail(parser, *at, "expected a comma or } after a value");
    return SEPAL_OK;
}

/* The weight is looked for before anything else of the row is looked at; left out, it is 0. What is
   wrong with the row is said when it is parsed. */
static bool is_weightless_sparse(struct arff_parser *parser, const char *p) {
    const struct table_layout *layout = parser->rows.layout;
    struct pair pair;
    double weight = 0;
    if (*arff_row_skip_blanks(parser, p) == '}') return true;
    do {
        if (next_pair(parser, &p, &pair) != SEPAL_OK || pair.cell.fault) return false;
        if (layout->roles[pair.c].role == ROLE_WEIGHT && !cell_is_number(pair.cell.text, &weight))
            return false;
    } while (*p++ == ',');
    return weight == 0;
}

static sepal_status defaults_before(struct arff_parser *parser, size_t *next, size_t c,
                                    const char *at) {
    const struct arff_layout *layout = parser->layout;
    for (; *next < layout->n_others && layout->others[*next] < c; ++*next)
        TRY(take_default(parser, layout->others[*next], at));
    if (*next < layout->n_others && layout->others[*next] == c) ++*next;
    return SEPAL_OK;
}

static sepal_status parse_sparse(struct arff_parser *parser, const char *p) {
    struct table_rows *rows = &parser->rows;
    const struct table_layout *layout = rows->layout;
    struct pair pair = {0};
    size_t least = 0, other = 0;
    p = arff_row_skip_blanks(parser, p);
    if (p == parser->end) return refuse_tail(parser, p, "the row is not closed by }");
    if (layout->weights) rows->weightless = is_weightless_sparse(parser, p);
    if (!layout->sparse && layout->n_features)
        memset(rows->scratch->cells + rows->parsed->rows * layout->n_features, 0,
               layout->n_features * sizeof *rows->scratch->cells);
    for (bool more = *p != '}'; more; more = *p == ',', p += more) {
        const char *at = arff_row_skip_blanks(parser, p);
        TRY(next_pair(parser, &p, &pair));
        if (pair.c < least)
            return refuse_tail(parser, at, "the numbers of attributes must rise in a sparse row");
        TRY(defaults_before(parser, &other, pair.c, at));
        TRY(arff_row_take(parser, pair.c, &pair.cell));
        least = pair.c + 1;
    }
    TRY(defaults_before(parser, &other, layout->n_cells, p));
    p = arff_row_skip_blanks(parser, p + 1);
    return p < parser->end ? refuse_tail(parser, p, "text behind the row") : SEPAL_OK;
}

/* ---- lines -------------------------------------------------------------------------------- */

static sepal_status arff_row_parse_row(struct arff_parser *parser, const char *p) {
    TRY(rows_begin(&parser->rows));
    TRY(*p == '{' ? parse_sparse(parser, p + 1) : parse_dense(parser, p));
    return rows_end(&parser->rows);
}

static sepal_status arff_row_parse_lines(struct arff_parser *parser, const char *bytes,
                                         const char *end) {
    struct table_rows *rows = &parser->rows;
    for (const char *p = bytes; p < end; rows->line++) {
        const char *eol = memchr(p, parser->layout->eol, (size_t)(end - p));
        const char *next = eol ? eol + 1 : end;
        parser->end = eol ? eol : end;
        if (parser->end > p && parser->end[-1] == '\r') parser->end--;
        rows->line_start = p;
        p = arff_row_skip_blanks(parser, p);
        if (p < parser->end && *p != '%') {
            size_t place = (size_t)(rows->line_start - bytes);
            TRY(parsed_note_place(rows->parsed, rows->ctx, place));
            sepal_status status = arff_row_parse_row(parser, p);
            if (!rows_forgive(rows, &status)) TRY(status);
        }
        p = next;
    }
    rows->parsed->lines = rows->line;
    return SEPAL_OK;
}

static sepal_status arff_row_parse(struct parsed_chunk *out, sepal_ctx *ctx, const char *bytes,
                                   size_t n, const void *memory, void *scratch) {
    const struct arff_layout *layout = memory;
    struct arff_parser parser = {.layout = layout};
    TRY(rows_init(&parser.rows, ctx, layout->table, out, scratch, n));
    TRY(arff_row_parse_lines(&parser, bytes, bytes + n));
    return rows_finish(&parser.rows);
}

static size_t arff_row_whole(const char *bytes, size_t n, const void *memory) {
    const struct arff_layout *layout = memory;
    return chunk_whole_lines(bytes, n, layout->eol);
}

const struct chunk_format arff_chunk_format = {
    .whole = arff_row_whole,
    .parse = arff_row_parse,
    .lines = true,
    .scratch_size = sizeof(struct table_scratch),
    .scratch_clear = table_scratch_clear,
};
