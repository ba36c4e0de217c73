/* The declarations of an ARFF file. */
#include "core/alloc.h"
#include "io/arff.h"
#include "data/limits.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

static bool arff_begins(const char *p, const char *end, const char *word) {
    size_t n = strlen(word);
    return (size_t)(end - p) >= n && strncasecmp(p, word, n) == 0 &&
           ((size_t)(end - p) == n || (unsigned char)p[n] <= ' ');
}

size_t arff_find_data(const char *bytes, size_t n, char eol) {
    const char *end = bytes + n;
    for (const char *p = bytes; p < end;) {
        const char *stop = memchr(p, eol, (size_t)(end - p));
        while (p < end && arff_is_blank(*p)) p++;
        if (arff_begins(p, end, "@data")) return (size_t)((stop ? stop + 1 : end) - bytes);
        if (!stop) break;
        p = stop + 1;
    }
    return 0;
}

/* ---- values ------------------------------------------------------------------------------- */

static char unescaped(char c) {
    return c == 'n' ? '\n' : c == 'r' ? '\r' : c == 't' ? '\t' : c;
}

static const char *arff_quoted(const char *p, const char *end, char *scratch,
                               struct table_cell *out) {
    char quote = *p++;
    size_t n = 0;
    out->quoted = true;
    for (; p < end && *p != quote; p++) {
        if (cell_is_control(*p)) {
            out->fault = *p == '\n' || *p == '\r' ? "the quote that opens this value is not closed "
                                                    "on its line"
                                                  : "control character";
            if (*out->fault == 'c') out->start = p;
            return p;
        }
        bool escaped = *p == '\\' && p + 1 < end && !cell_is_control(p[1]);
        if (escaped) p++;
        scratch[n++] = escaped ? unescaped(*p) : *p;
    }
    out->text = (struct slice){scratch, n};
    if (p == end) {
        out->fault = "the quote that opens this value is not closed on its line";
        return p;
    }
    return p + 1;
}

const char *arff_value_next(const char *p, const char *end, char delimiter, bool braces,
                            char *scratch, struct table_cell *out) {
    while (p < end && arff_is_blank(*p)) p++;
    *out = (struct table_cell){.start = p};
    if (p < end && (*p == '\'' || *p == '"')) return arff_quoted(p, end, scratch, out);
    const char *from = p;
    for (; p < end && *p != '\n' && *p != '\r' && *p != ','; p++) {
        if ((delimiter == ' ' && arff_is_blank(*p)) || (braces && *p == '}')) break;
        if (cell_is_control(*p)) {
            out->fault = "control character";
            out->start = p;
            return p;
        }
    }
    const char *to = p;
    while (to > from && arff_is_blank(to[-1])) to--;
    out->text = (struct slice){from, (size_t)(to - from)};
    return p;
}

/* ---- declarations ------------------------------------------------------------------------- */

struct header_parser {
    sepal_ctx *ctx;
    struct arena *arena;
    const char *file;
    size_t first_line, line;
    const char *p, *end, *line_start;
    char eol;
    char *scratch; /* as long as the header */
    struct arff_header *out;
    size_t room;
};

static sepal_status arff_refuse(struct header_parser *parser, const char *p, const char *what) {
    char shown[TEXT_SHOWN_BYTES];
    const char *stop = p;
    while (stop < parser->end && (unsigned char)*stop > ' ') stop++;
    text_shown(shown, p, (size_t)(stop - p));
    return fail_at(parser->ctx, SEPAL_EDATA, parser->file, parser->first_line + parser->line,
                   (size_t)(p - parser->line_start) + 1, "%s%s%s%s", what, *shown ? ": '" : "",
                   shown, *shown ? "'" : "");
}

static void arff_skip_blanks(struct header_parser *parser) {
    while (parser->p < parser->end && arff_is_blank(*parser->p)) parser->p++;
}

static bool at_line_end(const struct header_parser *parser) {
    return parser->p == parser->end || *parser->p == '\n' || *parser->p == '\r';
}

/* Values of a nominal attribute may go over several lines. */
static void skip_space(struct header_parser *parser) {
    for (; parser->p < parser->end; parser->p++) {
        if (*parser->p == parser->eol) {
            parser->line++;
            parser->line_start = parser->p + 1;
        } else if (!arff_is_blank(*parser->p) && *parser->p != '\r') {
            return;
        }
    }
}

static sepal_status check_value(struct header_parser *parser, const struct table_cell *cell) {
    if (cell->fault) return arff_refuse(parser, cell->start, cell->fault);
    if (utf8_valid_prefix(cell->text.bytes, cell->text.length) < cell->text.length)
        return arff_refuse(parser, cell->start, "text is not UTF-8; " UTF8_ADVICE);
    if (cell->text.length > LIMIT_TEXT)
        return arff_refuse(parser, cell->start, "this text " LIMIT_TEXT_SAID);
    if (cell->text.length == 0 && !cell->quoted)
        return arff_refuse(parser, cell->start, "a value is missing among those declared here");
    return SEPAL_OK;
}

static sepal_status sort_values(struct header_parser *parser, struct arff_attribute *attribute) {
    attribute->first = attribute->values[0];
    qsort(attribute->values, attribute->n_values, sizeof *attribute->values, text_order);
    for (size_t i = 1; i < attribute->n_values; i++)
        if (strcmp(attribute->values[i], attribute->values[i - 1]) == 0)
            return fail_at(parser->ctx, SEPAL_EDATA, parser->file,
                           parser->first_line + attribute->spot.line, attribute->spot.column,
                           "the value '%.60s' is declared twice for this attribute",
                           attribute->values[i]);
    return SEPAL_OK;
}

/* Room for one item more, in an arena: twice as much when it is used up. */
static sepal_status arff_grow(struct header_parser *parser, void **items, size_t n, size_t *room,
                              size_t size) {
    if (n < *room) return SEPAL_OK;
    *room = 2 * n + 16;
    void *more = arena_alloc(parser->ctx, parser->arena, *room, size);
    if (!more) return SEPAL_EMEMORY;
    if (n) memcpy(more, *items, n * size);
    *items = more;
    return SEPAL_OK;
}

/* The values between braces; the cursor stands on the opening one. */
static sepal_status parse_values(struct header_parser *parser, struct arff_attribute *attribute) {
    struct table_cell cell;
    size_t room = 0, n = 0;
    do {
        parser->p++;
        skip_space(parser);
        parser->p = arff_value_next(parser->p, parser->end, ',', true, parser->scratch, &cell);
        TRY(check_value(parser, &cell));
        TRY(arff_grow(parser, (void **)&attribute->values, n, &room, sizeof *attribute->values));
        attribute->values[n] =
            arena_text(parser->ctx, parser->arena, cell.text.bytes, cell.text.length);
        if (!attribute->values[n++]) return SEPAL_EMEMORY;
        skip_space(parser);
    } while (parser->p < parser->end && *parser->p == ',');
    if (parser->p == parser->end || *parser->p != '}')
        return arff_refuse(parser, parser->p, "expected a comma or } after a declared value");
    parser->p++;
    attribute->n_values = n;
    return sort_values(parser, attribute);
}

static sepal_status parse_type(struct header_parser *parser, struct arff_attribute *attribute) {
    static const struct {
        const char *word;
        enum arff_kind kind;
    } types[] = {{"numeric", ARFF_NUMBER},
                 {"real", ARFF_NUMBER},
                 {"integer", ARFF_NUMBER},
                 {"string", ARFF_TEXT},
                 {"date", ARFF_TEXT}};
    arff_skip_blanks(parser);
    /* never: at the end, before which there is a line @data */
    if (parser->p < parser->end && *parser->p == '{') {
        attribute->kind = ARFF_NOMINAL;
        return parse_values(parser, attribute);
    }
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (arff_begins(parser->p, parser->end, types[i].word)) {
            attribute->kind = types[i].kind;
            parser->p += strlen(types[i].word);
            /* a date may be followed by its form, which does not matter here */
            while (strcmp(types[i].word, "date") == 0 && !at_line_end(parser)) parser->p++;
            return SEPAL_OK;
        }
    return arff_refuse(
        parser, parser->p,
        "the type of an attribute is numeric, real, integer, string, date or a list of "
        "values in braces");
}

static sepal_status parse_name(struct header_parser *parser, struct arff_attribute *attribute) {
    struct table_cell cell;
    arff_skip_blanks(parser);
    attribute->spot = (struct spot){parser->line, (size_t)(parser->p - parser->line_start) + 1};
    const char *from = parser->p;
    /* never: at the end, before which there is a line @data */
    if (from < parser->end && *from != '\'' && *from != '"') {
        while (!at_line_end(parser) && !arff_is_blank(*parser->p) && *parser->p != '{') {
            if (cell_is_control(*parser->p))
                return arff_refuse(parser, parser->p, "control character");
            parser->p++;
        }
        cell = (struct table_cell){.text = {from, (size_t)(parser->p - from)}, .start = from};
    } else {
        parser->p = arff_value_next(from, parser->end, ' ', false, parser->scratch, &cell);
    }
    if (!cell.fault && cell.text.length == 0)
        return arff_refuse(parser, from, "the name of the attribute is missing");
    TRY(check_value(parser, &cell));
    const char *copy = arena_text(parser->ctx, parser->arena, cell.text.bytes, cell.text.length);
    attribute->name = (struct slice){copy, cell.text.length};
    return copy ? SEPAL_OK : SEPAL_EMEMORY;
}

static sepal_status parse_attribute(struct header_parser *parser) {
    struct arff_attribute attribute = {0};
    struct arff_header *out = parser->out;
    TRY(parse_name(parser, &attribute));
    TRY(parse_type(parser, &attribute));
    arff_skip_blanks(parser);
    if (!at_line_end(parser) && *parser->p != '%')
        return arff_refuse(parser, parser->p, "text behind the type of an attribute");
    TRY(arff_grow(parser, (void **)&out->attributes, out->n, &parser->room, sizeof attribute));
    out->attributes[out->n++] = attribute;
    return SEPAL_OK;
}

static void next_line(struct header_parser *parser) {
    while (parser->p < parser->end && *parser->p != parser->eol) parser->p++;
    if (parser->p < parser->end) parser->p++;
    parser->line++;
    parser->line_start = parser->p;
}

static sepal_status arff_parse_lines(struct header_parser *parser) {
    for (; parser->p < parser->end; next_line(parser)) {
        arff_skip_blanks(parser);
        if (at_line_end(parser) || *parser->p == '%') continue;
        if (arff_begins(parser->p, parser->end, "@attribute")) {
            parser->p += strlen("@attribute");
            TRY(parse_attribute(parser));
        } else if (!arff_begins(parser->p, parser->end, "@relation") &&
                   !arff_begins(parser->p, parser->end, "@data")) {
            return arff_refuse(parser, parser->p, "expected @relation, @attribute or @data");
        }
    }
    if (parser->out->n == 0)
        return fail_at(parser->ctx, SEPAL_EDATA, parser->file,
                       parser->first_line + parser->line - 1, 1,
                       "there is no @attribute before @data");
    return SEPAL_OK;
}

sepal_status arff_header_parse(struct arff_header *out, sepal_ctx *ctx, struct arena *arena,
                               const char *file, size_t first_line, const char *bytes, size_t n,
                               char eol) {
    *out = (struct arff_header){.bytes = n};
    struct header_parser parser = {.ctx = ctx,
                                   .arena = arena,
                                   .file = file,
                                   .first_line = first_line,
                                   .p = bytes,
                                   .end = bytes + n,
                                   .line_start = bytes,
                                   .eol = eol,
                                   .out = out};
    parser.scratch = mem_alloc(ctx, n, 1);
    if (!parser.scratch) return SEPAL_EMEMORY;
    sepal_status status = arff_parse_lines(&parser);
    mem_free(parser.scratch);
    out->lines = parser.line;
    return status;
}
