/* One chunk of LIBSVM text to sparse rows. */
#include "core/decimal.h"
#include "core/digits.h"
#include "data/classes.h"
#include "data/entries.h"
#include "io/libsvm.h"
#include "data/limits.h"

#include <string.h>

struct libsvm_parser {
    sepal_ctx *ctx;
    const struct libsvm_layout *layout;
    struct parsed_chunk *parsed;
    struct table_scratch *scratch;
    const char *end, *line_start;
    size_t line, entries;
    /* The value read last, as text: the next is often the same. */
    uint64_t last_text[2], last_mask[2];
    size_t last_length; /* 0: none, or too long to be kept */
    double last_value;
};

static sepal_status libsvm_refuse(struct libsvm_parser *parser, const char *p, const char *what) {
    const char *stop = p;
    while (stop < parser->end && stop - p < 40 && (unsigned char)*stop > ' ') stop++;
    return fail_at(parser->ctx, SEPAL_EDATA, "", parser->line, (size_t)(p - parser->line_start) + 1,
                   "%s: '%.*s'", what, (int)(stop - p), p);
}

static bool ends_token(const struct libsvm_parser *parser, const char *p) {
    return p == parser->end || *p == ' ' || *p == '\t' || *p == '\n' || *p == '\r' || *p == '#';
}

static const char *libsvm_skip_blanks(const struct libsvm_parser *parser, const char *p) {
    while (p < parser->end && (*p == ' ' || *p == '\t')) p++;
    return p;
}

/* At the end of the line's content: its line end, the end of the file, or a comment. */
static bool at_end(const struct libsvm_parser *parser, const char *p) {
    if (p == parser->end || *p == parser->layout->eol || *p == '#') return true;
    return *p == '\r' && (p + 1 == parser->end || p[1] == parser->layout->eol);
}

static const char *token_end(const struct libsvm_parser *parser, const char *p) {
    while (!ends_token(parser, p)) p++;
    return p;
}

/* Whether a row may do without a label shows when all labels are known. */
static sepal_status note_unlabelled(struct libsvm_parser *parser, const char *p) {
    struct parsed_chunk *parsed = parser->parsed;
    struct spot spot = {parser->line, (size_t)(p - parser->line_start) + 1};
    if (parsed->notes.first_unlabelled.column == 0) parsed->notes.first_unlabelled = spot;
    if (!parser->layout->skips) return SEPAL_OK;
    return parsed_add_odd(parsed, parser->ctx, (struct odd_text){.spot = spot});
}

/* "1.#INF" and its kin, as some systems print what is no number: not 1 with a comment behind it. */
static bool is_no_comment(const struct libsvm_parser *parser, const char *after) {
    return after < parser->end && *after == '#' && after[-1] == '.';
}

/* A set of labels "1,3": each must be one. A comma may end the set, or be all of an empty one. */
static sepal_status check_set(struct libsvm_parser *parser, const char *p, const char *stop) {
    for (;;) {
        const char *comma = memchr(p, ',', (size_t)(stop - p));
        struct slice label = {p, (size_t)((comma ? comma : stop) - p)};
        bool last = !comma || comma + 1 == stop;
        bool alone = last && label.length == 0;
        if (!alone && label_is_missing(label))
            return libsvm_refuse(parser, p, "a label of this set is missing");
        if (label.length > LIMIT_TEXT)
            return libsvm_refuse(parser, p, "this label " LIMIT_TEXT_SAID);
        if (last) return SEPAL_OK;
        p = comma + 1;
    }
}

static void note_set(struct libsvm_parser *parser, const char *p) {
    struct spot *first = &parser->parsed->notes.first_set;
    if (first->column == 0)
        *first = (struct spot){parser->line, (size_t)(p - parser->line_start) + 1};
}

static sepal_status libsvm_take_label(struct libsvm_parser *parser, const char **at) {
    const char *p = *at, *stop = token_end(parser, p);
    bool absent = stop == p || memchr(p, ':', (size_t)(stop - p));
    parser->scratch->label[parser->parsed->rows] = NO_LABEL;
    if (parser->layout->sets && parser->layout->labels) note_set(parser, p);
    if (absent) return parser->layout->labels ? note_unlabelled(parser, p) : SEPAL_OK;
    *at = stop;
    if (!parser->layout->labels) return SEPAL_OK;
    struct slice text = {p, (size_t)(stop - p)};
    bool fresh;
    uint32_t number;
    if (is_no_comment(parser, stop)) return libsvm_refuse(parser, p, "not a label");
    TRY(tokens_add(&parser->parsed->labels, parser->ctx, text, &number, &fresh));
    parser->scratch->label[parser->parsed->rows] = number;
    if (!fresh && !parser->layout->skips) return SEPAL_OK;
    if (label_is_missing(text))
        return libsvm_refuse(parser, p, "the label is missing here, where the row begins with it");
    for (const char *c = p; c < stop; c++)
        if ((unsigned char)*c < ' ' || *c == 0x7f)
            return libsvm_refuse(parser, c, "control character");
    if (utf8_valid_prefix(text.bytes, text.length) < text.length)
        return libsvm_refuse(parser, p, "label is not UTF-8; convert the file with iconv");
    if (text.length <= LIMIT_TEXT && !memchr(p, ',', text.length)) return SEPAL_OK;
    TRY(check_set(parser, p, stop));
    note_set(parser, p);
    return SEPAL_OK;
}

/* The digits of an index; NULL when there are none or the number is too large. */
static const char *read_index(const struct libsvm_parser *parser, const char *p, uint32_t *index) {
    if (parser->end - p >= 8) {
        uint64_t word = digits_load(p), others = digits_mark_others(word);
        int bits = others ? __builtin_ctzll(others) & ~7 : 0;
        if (bits) { /* one to seven digits: moved up, zeros stand before them */
            *index = (uint32_t)digits_sum(word << (64 - bits));
            return p + bits / 8;
        }
    }
    const char *from = p;
    uint64_t number = 0;
    for (; p < parser->end && *p >= '0' && *p <= '9'; p++) {
        number = number * 10 + (uint64_t)(*p - '0');
        if (number > UINT32_MAX) return NULL;
    }
    *index = (uint32_t)number;
    return p == from ? NULL : p;
}

static sepal_status refuse_index(struct libsvm_parser *parser, const char *p) {
    uint32_t index;
    if (*p == '+' || *p == '-') return libsvm_refuse(parser, p, "an index has no sign");
    const char *after = read_index(parser, p, &index);
    if (!after && *p >= '0' && *p <= '9')
        return libsvm_refuse(parser, p, "index above 2147483647, the largest there is");
    if (!after) return libsvm_refuse(parser, p, "expected index:value");
    return libsvm_refuse(parser, p, "expected a colon after the index, as in 3:1.5");
}

static sepal_status refuse_value(struct libsvm_parser *parser, const char *p) {
    if (ends_token(parser, p))
        return libsvm_refuse(parser, p, "a value is missing after the colon");
    if (decimal_overflows(p, token_end(parser, p)))
        return libsvm_refuse(parser, p, "the number is too large for a double");
    return libsvm_refuse(parser, p, "not a decimal number, which a value must be");
}

static void remember(struct libsvm_parser *parser, const char *p, size_t length, double value) {
    parser->last_length = length <= sizeof parser->last_text ? length : 0;
    parser->last_value = value;
    memset(parser->last_mask, 0, sizeof parser->last_mask);
    memset(parser->last_mask, 0xff, parser->last_length);
    memset(parser->last_text, 0, sizeof parser->last_text);
    memcpy(parser->last_text, p, parser->last_length);
}

/* As decimal_read, but a value written like the one before is not read again. */
static const char *libsvm_read_value(struct libsvm_parser *parser, const char *p, double *value) {
    uint64_t text[2];
    if (parser->last_length && (size_t)(parser->end - p) > sizeof text) {
        memcpy(text, p, sizeof text);
        uint64_t other = ((text[0] ^ parser->last_text[0]) & parser->last_mask[0]) |
                         ((text[1] ^ parser->last_text[1]) & parser->last_mask[1]);
        if (other == 0 && ends_token(parser, p + parser->last_length)) {
            *value = parser->last_value;
            return p + parser->last_length;
        }
    }
    const char *after = decimal_read(p, parser->end, value);
    if (after) remember(parser, p, (size_t)(after - p), *value);
    return after;
}

static sepal_status take_entry(struct libsvm_parser *parser, const char **at) {
    struct table_scratch *scratch = parser->scratch;
    const char *p = *at, *colon, *after;
    uint32_t index;
    double value = 0;
    colon = read_index(parser, p, &index);
    if (!colon || colon == parser->end || *colon != ':') return refuse_index(parser, p);
    if (index > parser->layout->most)
        return libsvm_refuse(parser, p,
                             parser->layout->most == INT32_MAX
                                 ? "index above 2147483647, the largest there is"
                                 : "index above the number of features that " OPTION
                                   "n-features states");
    after = libsvm_read_value(parser, colon + 1, &value);
    if (!after || !ends_token(parser, after) || is_no_comment(parser, after))
        return refuse_value(parser, colon + 1);
    *at = after;
    if (parser->layout->for_model &&
        (index < parser->layout->first_index || index > parser->layout->last_index)) {
        parser->parsed->notes.ignored++;
        return SEPAL_OK;
    }
    if (index == 0) parser->parsed->notes.index_zero = true;
    if (index > parser->parsed->notes.max_index) parser->parsed->notes.max_index = index;
    size_t n = parser->entries++;
    scratch->index[n] = index;
    scratch->cells[n] = value;
    return SEPAL_OK;
}

/* The second place on the line where this index stands. */
static sepal_status refuse_duplicate(struct libsvm_parser *parser, uint32_t index) {
    const char *p = parser->line_start, *found = p;
    /* never: the end of the line before the index has stood there twice */
    for (int seen = 0; seen < 2 && !at_end(parser, p);) {
        p = libsvm_skip_blanks(parser, p);
        uint32_t here;
        const char *colon = read_index(parser, p, &here);
        /* never: the end of the file behind an index, which would be no entry */
        if (colon && colon < parser->end && *colon == ':' && here == index) {
            seen++;
            found = p;
        }
        p = token_end(parser, p);
    }
    return libsvm_refuse(parser, found, "this index stands twice in the row; keep one of the two");
}

static sepal_status sort_row(struct libsvm_parser *parser, size_t from) {
    uint32_t *index = parser->scratch->index;
    TRY(entries_sort(parser->ctx, index + from, parser->scratch->cells + from,
                     parser->entries - from));
    for (size_t i = from + 1; i < parser->entries; i++)
        if (index[i] == index[i - 1]) return refuse_duplicate(parser, index[i]);
    return SEPAL_OK;
}

/* Zeros say nothing in a sparse row, once it is known that none stands twice. */
static void libsvm_drop_zeros(struct libsvm_parser *parser, size_t from) {
    struct table_scratch *scratch = parser->scratch;
    size_t to = from;
    for (size_t i = from; i < parser->entries; i++) {
        if (scratch->cells[i] == 0) continue;
        scratch->index[to] = scratch->index[i];
        scratch->cells[to++] = scratch->cells[i];
    }
    parser->entries = to;
}

/* qid:NUMBER groups rows for those who rank them; it says nothing here. */
static bool is_query(const struct libsvm_parser *parser, const char *p) {
    return *p == 'q' && parser->end - p > 4 && memcmp(p, "qid:", 4) == 0 &&
           !ends_token(parser, p + 4);
}

static sepal_status parse_entries(struct libsvm_parser *parser, const char **at) {
    size_t from = parser->entries;
    const uint32_t *index = NULL;
    bool sorted = true, zeros = false;
    const char *p = libsvm_skip_blanks(parser, *at);
    while (!at_end(parser, p)) {
        size_t before = parser->entries;
        if (is_query(parser, p))
            p = token_end(parser, p);
        else
            TRY(take_entry(parser, &p));
        index = parser->scratch->index;
        if (parser->entries > before) {
            if (before > from && index[before] <= index[before - 1]) sorted = false;
            if (parser->scratch->cells[before] == 0) zeros = true;
        }
        p = libsvm_skip_blanks(parser, p);
    }
    if (!sorted) TRY(sort_row(parser, from));
    if (zeros) libsvm_drop_zeros(parser, from);
    *at = p;
    return SEPAL_OK;
}

/* Until it is known whether a row without a label is a bad line, its indices do not count. */
static sepal_status parse_unlabelled(struct libsvm_parser *parser, const char **at) {
    struct index_notes *notes = &parser->parsed->notes, before = *notes;
    notes->max_index = 0;
    notes->index_zero = false;
    TRY(parse_entries(parser, at));
    struct odd_text *odd = &parser->parsed->odd[parser->parsed->n_odd - 1];
    odd->max_index = notes->max_index;
    odd->index_zero = notes->index_zero;
    notes->max_index = before.max_index;
    notes->index_zero = before.index_zero;
    return SEPAL_OK;
}

static sepal_status libsvm_parse_row(struct libsvm_parser *parser, const char **at) {
    struct table_scratch *scratch = parser->scratch;
    struct parsed_chunk *parsed = parser->parsed;
    TRY(table_scratch_row(scratch, parser->ctx, parsed->rows));
    scratch->start[parsed->rows] = parser->entries;
    const struct libsvm_layout *layout = parser->layout;
    if (layout->weight) {
        double weight = parsed_next_weight(parsed, layout->weight, layout->n_weights);
        scratch->weight[parsed->rows] = weight;
        parsed->weightless += weight == 0;
        /* skip_line goes over the rest */
        if (weight == 0) return parsed_leave_out(parsed, parser->ctx);
    }
    size_t odd = parsed->n_odd;
    TRY(libsvm_take_label(parser, at));
    TRY(parsed->n_odd > odd ? parse_unlabelled(parser, at) : parse_entries(parser, at));
    scratch->start[parsed->rows + 1] = parser->entries;
    parsed->rows++;
    return SEPAL_OK;
}

/* What a row changes but must not if it is bad. Labels that no row has do no harm. */
struct memory {
    struct libsvm_parser parser;
    struct index_notes notes;
    size_t rows, n_odd;
};

static sepal_status forgive_row(struct libsvm_parser *parser, const struct memory *before) {
    struct parsed_chunk *parsed = parser->parsed;
    const struct error *error = &parser->ctx->error;
    *parser = before->parser;
    parsed->notes = before->notes;
    parsed->rows = before->rows;
    parsed->n_odd = before->n_odd;
    parser->ctx->error.status = SEPAL_OK;
    return bad_lines_add(&parsed->bad, parser->ctx, (struct spot){error->line, error->column},
                         error->message);
}

/* A comment runs to the end of its line and may hold anything but control characters. */
static sepal_status skip_line(struct libsvm_parser *parser, const char **at) {
    const char *p = *at;
    char eol = parser->layout->eol;
    for (; p < parser->end && *p != eol; p++)
        if (((unsigned char)*p < ' ' && *p != '\t' && *p != '\r') || *p == 0x7f)
            return libsvm_refuse(parser, p, "control character");
    *at = p < parser->end ? p + 1 : p;
    parser->line++;
    return SEPAL_OK;
}

static sepal_status parse_line(struct libsvm_parser *parser, const char **at, bool row) {
    if (row) TRY(libsvm_parse_row(parser, at));
    return skip_line(parser, at);
}

/* The same where bad lines are left out. */
static sepal_status try_line(struct libsvm_parser *parser, const char **at, bool row) {
    const struct parsed_chunk *parsed = parser->parsed;
    struct memory before = {*parser, parsed->notes, parsed->rows, parsed->n_odd};
    sepal_status status = parse_line(parser, at, row);
    if (status != SEPAL_EDATA) return status;
    TRY(forgive_row(parser, &before));
    if (row) TRY(parsed_leave_out(parser->parsed, parser->ctx));
    const char *eol =
        memchr(parser->line_start, parser->layout->eol, (size_t)(parser->end - parser->line_start));
    *at = eol ? eol + 1 : parser->end;
    parser->line++;
    return SEPAL_OK;
}

static sepal_status libsvm_parse_lines(struct libsvm_parser *parser, const char *bytes) {
    const char *p = bytes;
    while (p < parser->end) {
        parser->line_start = p;
        p = libsvm_skip_blanks(parser, p);
        bool row = !at_end(parser, p);
        size_t place = (size_t)(parser->line_start - bytes);
        if (row) TRY(parsed_note_place(parser->parsed, parser->ctx, place));
        TRY(parser->layout->skips ? try_line(parser, &p, row) : parse_line(parser, &p, row));
    }
    parser->parsed->lines = parser->line;
    return SEPAL_OK;
}

static sepal_status libsvm_parse(struct parsed_chunk *out, sepal_ctx *ctx, const char *bytes,
                                 size_t n, const void *layout, void *scratch) {
    struct libsvm_parser parser = {
        .ctx = ctx, .layout = layout, .parsed = out, .scratch = scratch, .end = bytes + n};
    /* the shortest entry, " 1:1", has four bytes: what cannot overflow need not be checked */
    TRY(table_scratch_entries(scratch, ctx, n / 4 + 1));
    TRY(libsvm_parse_lines(&parser, bytes));
    TRY(table_scratch_keep(scratch, ctx, out, parser.entries));
    if (out->rows == 0) return SEPAL_OK;
    return parsed_keep(out, ctx, parser.layout->labels ? parser.scratch->label : NULL,
                       parser.layout->weight ? parser.scratch->weight : NULL);
}

static size_t libsvm_whole(const char *bytes, size_t n, const void *memory) {
    const struct libsvm_layout *layout = memory;
    return chunk_whole_lines(bytes, n, layout->eol);
}

const struct chunk_format libsvm_chunk_format = {
    .whole = libsvm_whole,
    .parse = libsvm_parse,
    .lines = true,
    .scratch_size = sizeof(struct table_scratch),
    .scratch_clear = table_scratch_clear,
};
