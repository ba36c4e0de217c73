/* LIBSVM files: "label index:value ... # comment", the label perhaps a set "1,3" or absent. */
#include "fuzz/strict_reader.h"

#include "fuzz/exact_decimal.h"

#include <stdlib.h>
#include <string.h>

enum { LARGEST = 2147483647 };

struct entry {
    size_t row;
    unsigned long long index;
    double value;
};

struct reading {
    struct strict *strict;
    struct strict_cursor in;
    unsigned long long most;
    struct entry *entries;
    size_t n_entries, row_start;
    char **labels; /* of each row; NULL: none */
    size_t n_labels;
    struct strict_place unlabelled; /* the first row without; line 0: none */
};

static bool refuse(struct reading *r, struct strict_place place) {
    strict_refuse(r->strict, place.line, place.column);
    return false;
}

static bool at_blank(const struct strict_cursor *in) {
    return in->at < in->end && (*in->at == ' ' || *in->at == '\t');
}

/* At the end of a token: a blank, a comment, a line end; CR as well, wherever it stands. */
static bool token_ends(const struct strict_cursor *in) {
    return strict_at_eol(in) || at_blank(in) || *in->at == '#' || *in->at == '\r' ||
           *in->at == '\n';
}

static bool row_ends(const struct strict_cursor *in) {
    return strict_at_eol(in) || *in->at == '#';
}

/* The bytes of the token that begins here. */
static size_t token_length(const struct strict_cursor *in) {
    struct strict_cursor p = *in;
    while (!token_ends(&p)) strict_step(&p);
    return (size_t)(p.at - in->at);
}

static void step_over(struct strict_cursor *in, size_t n) {
    while (n--) strict_step(in);
}

/* "1.#INF", as some systems print an infinity, is not 1 with a comment behind it. */
static bool is_foreign(const struct reading *r, const char *text, size_t n) {
    return n > 0 && text[n - 1] == '.' && text + n < r->in.end && text[n] == '#';
}

static bool check_label(struct reading *r, const char *text, size_t n) {
    struct strict_place place = r->in.place;
    if (is_foreign(r, text, n) || strict_is_bad_label(text, n)) return refuse(r, place);
    for (size_t i = 0; i < n; i++)
        if (strict_is_control(text[i]))
            return refuse(r, (struct strict_place){place.line, place.column + i});
    if (!strict_is_utf8(text, n)) return refuse(r, place);
    if (!memchr(text, ',', n)) return true;
    r->strict->sets = true;
    for (size_t i = 0, from = 0; i <= n; i++) { /* a comma may stand behind the last label */
        if (i < n && text[i] != ',') continue;
        bool last = i == n || i + 1 == n;
        if (!(last && i == from) && strict_is_bad_label(text + from, i - from))
            return refuse(r, (struct strict_place){place.line, place.column + from});
        if (last) break;
        from = i + 1;
    }
    return true;
}

static bool read_label(struct reading *r) {
    size_t n = token_length(&r->in), row = r->strict->rows;
    const char *text = r->in.at;
    r->labels = strict_grow(r->labels, row + 1, sizeof *r->labels);
    r->labels[row] = NULL;
    r->n_labels = row + 1;
    if (n == 0 || memchr(text, ':', n)) {
        if (!r->unlabelled.line) r->unlabelled = r->in.place;
        return true;
    }
    if (!check_label(r, text, n)) return false;
    r->labels[row] = strndup(text, n);
    step_over(&r->in, n);
    return true;
}

static bool read_entry(struct reading *r) {
    size_t n = token_length(&r->in), digits = 0;
    const char *text = r->in.at;
    struct strict_place place = r->in.place;
    unsigned long long index = 0;
    if (n > 4 && memcmp(text, "qid:", 4) == 0) {
        step_over(&r->in, n);
        return true;
    }
    for (; digits < n && text[digits] >= '0' && text[digits] <= '9'; digits++)
        if (index <= LARGEST) index = index * 10 + (unsigned)(text[digits] - '0');
    if (digits == 0 || digits == n || text[digits] != ':' || index > r->most)
        return refuse(r, place);
    double value;
    if (is_foreign(r, text, n) || !exact_is_number(text + digits + 1, n - digits - 1, &value))
        return refuse(r, (struct strict_place){place.line, place.column + digits + 1});
    r->entries = strict_grow(r->entries, r->n_entries + 1, sizeof *r->entries);
    r->entries[r->n_entries++] = (struct entry){r->strict->rows, index, value};
    step_over(&r->in, n);
    return true;
}

/* An index twice: the line is enough to say. */
static bool check_twice(struct reading *r, size_t line) {
    for (size_t i = r->row_start; i < r->n_entries; i++)
        for (size_t k = r->row_start; k < i; k++)
            if (r->entries[i].index == r->entries[k].index)
                return refuse(r, (struct strict_place){line, 0});
    return true;
}

static void skip_blanks(struct reading *r) {
    while (at_blank(&r->in)) strict_step(&r->in);
}

static bool read_row(struct reading *r) {
    size_t line = r->in.place.line;
    r->row_start = r->n_entries;
    if (!read_label(r)) return false;
    for (skip_blanks(r); !row_ends(&r->in); skip_blanks(r))
        if (!read_entry(r)) return false;
    if (!check_twice(r, line)) return false;
    r->strict->rows++;
    return true;
}

static bool read_line(struct reading *r) {
    skip_blanks(r);
    if (!row_ends(&r->in) && !read_row(r)) return false;
    for (; r->in.at < r->in.end && *r->in.at != r->in.eol; strict_step(&r->in))
        if (strict_is_control(*r->in.at)) return refuse(r, r->in.place);
    strict_next_line(&r->in);
    return true;
}

static void finish(struct reading *r, const struct read_options *options) {
    struct strict *strict = r->strict;
    unsigned long long largest = 0, base = 1;
    if (strict->rows == 0) strict_refuse(strict, 0, 0);
    if (!strict->sets && r->unlabelled.line) refuse(r, r->unlabelled);
    for (size_t i = 0; i < r->n_entries; i++) {
        if (r->entries[i].index > largest) largest = r->entries[i].index;
        if (r->entries[i].index == 0) base = 0;
    }
    strict->cols = options->n_features ? options->n_features : largest + 1 - base;
    if (largest + 1 - base > strict->cols) strict_refuse(strict, 0, 0);
    if (strict->n_faults) return;
    strict_label(strict, r->labels);
    if (strict->n_faults || strict->cols > 4096) return; /* too wide to be compared cell by cell */
    strict->values = strict_grow(NULL, strict->rows * strict->cols, sizeof *strict->values);
    for (size_t i = 0; i < r->n_entries; i++)
        strict->values[r->entries[i].row * strict->cols + r->entries[i].index - base] =
            r->entries[i].value == 0 ? 0 : r->entries[i].value;
}

struct strict *strict_read_libsvm(const char *bytes, size_t n, const struct read_options *options) {
    struct reading r = {.strict = strict_grow(NULL, 1, sizeof *r.strict)};
    r.most = options->n_features ? options->n_features : LARGEST;
    bool well = strict_begin(r.strict, &r.in, bytes, n, options);
    while (well && r.in.at < r.in.end) well = read_line(&r);
    if (well) finish(&r, options);
    for (size_t i = 0; i < r.n_labels; i++) free(r.labels[i]);
    free(r.labels);
    free(r.entries);
    return r.strict;
}
