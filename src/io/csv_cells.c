/* Cells and records by RFC 4180, with the freedoms real files take: blanks around an unquoted cell
   are not part of it, a quote inside an unquoted cell is an ordinary character. */
#include "io/csv.h"

#include <string.h>

#define QUOTE_ADVICE "if quotes are ordinary characters in this file, say " OPTION "quote no"

static bool is_cell_blank(char c, char delimiter) {
    return c == ' ' || (c == '\t' && delimiter != '\t');
}

/* Where tabs stand between cells, a line of tabs is a row of empty cells. */
bool csv_is_blank(const char *p, const char *end, struct csv_marks marks) {
    while (p < end && (is_cell_blank(*p, marks.delimiter) || (*p == '\r' && marks.eol == '\n')))
        p++;
    return p == end || *p == marks.eol;
}

/* A carriage return before the line feed belongs to the line end. */
static bool at_end_of_line(const char *p, const char *end, char eol) {
    if (p == end || *p == eol) return true;
    return *p == '\r' && (p + 1 == end || p[1] == eol);
}

static bool at_cell_end(const char *p, const char *end, struct csv_marks marks) {
    if (at_end_of_line(p, end, marks.eol)) return true;
    return *p == marks.delimiter || (marks.delimiter == ' ' && *p == '\t');
}

static const char *csv_quoted(const char *p, const char *end, struct csv_marks marks, char *scratch,
                              struct table_cell *out) {
    size_t n = 0;
    const char *from = p + 1;
    bool doubled = false;
    out->quoted = true;
    for (p = from;; p++) {
        if (p == end) {
            out->fault = "the quote that opens this cell is never closed; " QUOTE_ADVICE;
            return p;
        }
        if (*p == '"' && p + 1 < end && p[1] == '"') {
            doubled = true;
            scratch[n++] = *p++;
        } else if (*p == '"') {
            break;
        } else if (cell_is_control(*p) && *p != '\n' && *p != '\r') {
            out->fault = "control character";
            out->start = p;
            return p;
        } else {
            scratch[n++] = *p;
        }
    }
    out->text = (struct slice){doubled ? scratch : from, n};
    const char *after = ++p;
    while (p < end && is_cell_blank(*p, marks.delimiter)) p++;
    if (marks.delimiter == ' ' && p > after) return after;
    if (!at_cell_end(p, end, marks)) {
        out->fault = "text after the closing quote; " QUOTE_ADVICE;
        out->start = p;
    }
    return p;
}

static const char *plain(const char *p, const char *end, struct csv_marks marks,
                         struct table_cell *out) {
    const char *from = p;
    for (; !at_cell_end(p, end, marks); p++) {
        if (!cell_is_control(*p)) continue;
        out->fault = *p == '\r' ? "carriage return inside a line" : "control character";
        out->start = p;
        return p;
    }
    const char *to = p;
    while (to > from && is_cell_blank(to[-1], marks.delimiter)) to--;
    out->text = (struct slice){from, (size_t)(to - from)};
    return p;
}

const char *csv_cell_next(const char *p, const char *end, struct csv_marks marks, char *scratch,
                          struct table_cell *out) {
    while (p < end && is_cell_blank(*p, marks.delimiter)) p++;
    *out = (struct table_cell){.start = p};
    if (p < end && *p == '"' && marks.quotes) return csv_quoted(p, end, marks, scratch, out);
    return plain(p, end, marks, out);
}

bool csv_cell_more(const char **p, const char *end, struct csv_marks marks) {
    if (marks.delimiter != ' ') {
        if (*p == end || **p != marks.delimiter) return false;
        ++*p;
        return true;
    }
    while (*p < end && is_cell_blank(**p, ' ')) ++*p;
    return !at_end_of_line(*p, end, marks.eol);
}

const char *csv_record_end(const char *p, const char *end, struct csv_marks marks) {
    const char *eol = memchr(p, marks.eol, (size_t)(end - p));
    if (!eol) return NULL;
    if (!marks.quotes || !memchr(p, '"', (size_t)(eol - p))) return eol + 1;
    enum { BEGIN, PLAIN, INSIDE, CLOSED } state = BEGIN;
    for (; p < end; p++) {
        if (state == INSIDE)
            state = *p == '"' ? CLOSED : INSIDE;
        else if (*p == '"' && (state == BEGIN || state == CLOSED))
            state = INSIDE; /* after CLOSED: a doubled quote, the cell goes on */
        else if (*p == marks.eol)
            return p + 1;
        else if (*p == marks.delimiter || (marks.delimiter == ' ' && *p == '\t'))
            state = BEGIN;
        else if (state == BEGIN && !is_cell_blank(*p, marks.delimiter))
            state = PLAIN;
    }
    return NULL;
}

size_t csv_split(const char *p, const char *end, struct csv_marks marks, char *scratch,
                 struct table_cell *out, size_t most) {
    if (csv_is_blank(p, end, marks)) return 0;
    size_t n = 0;
    do {
        struct table_cell cell;
        p = csv_cell_next(p, end, marks, scratch, &cell);
        /* texts put together in scratch must outlive the next cell */
        if (!cell.fault && cell.text.bytes == scratch) scratch += cell.text.length;
        if (n < most) out[n] = cell;
        n++;
        if (cell.fault) return n;
    } while (csv_cell_more(&p, end, marks));
    return n;
}

void csv_put_quoted(sepal_ctx *ctx, struct text *out, struct slice cell) {
    text_puts(ctx, out, "\"");
    for (size_t i = 0; i < cell.length; i++) {
        if (cell.bytes[i] == '"') text_puts(ctx, out, "\"");
        text_add(ctx, out, cell.bytes + i, 1);
    }
    text_puts(ctx, out, "\"");
}

void csv_put(sepal_ctx *ctx, struct text *out, struct slice cell) {
    for (size_t i = 0; i < cell.length; i++)
        if (strchr(",\"\r\n", cell.bytes[i])) {
            csv_put_quoted(ctx, out, cell);
            return;
        }
    text_add(ctx, out, cell.bytes, cell.length);
}
