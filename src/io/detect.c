#include "io/detect.h"

#include "core/alloc.h"

#include <string.h>

/* A length of eight bytes, less than a terabyte, then a JSON object. */
static bool is_safetensors(const char *bytes, size_t n) {
    return n > 8 && bytes[8] == '{' && !bytes[5] && !bytes[6] && !bytes[7];
}

sepal_status detect_refuse(sepal_ctx *ctx, const char *file, const char *bytes, size_t n) {
    static const char zip[] = {'P', 'K', 3, 4};
    if (n >= sizeof zip && memcmp(bytes, zip, sizeof zip) == 0)
        return fail_at(ctx, SEPAL_EDATA, file, 1, 1,
                       "this is a zip archive (or an npz file, which is one); unpack it and name "
                       "one of its files");
    if (is_safetensors(bytes, n))
        return fail_at(ctx, SEPAL_EDATA, file, 1, 1,
                       "this is a safetensors file, which holds a model, not data; the model comes "
                       "before the data, as in sepal predict MODEL DATA");
    return SEPAL_OK;
}

char detect_eol(const char *bytes, size_t n) {
    /* a carriage return that ends the bytes may have its line feed behind them */
    return n && !memchr(bytes, '\n', n) && memchr(bytes, '\r', n - 1) ? '\r' : '\n';
}

struct vote {
    size_t lines, agreeing, cells; /* lines that have the commonest number (> 1) of cells */
};

/* How well a delimiter cuts the lines. The commonest number is found by majority vote. */
static struct vote try_delimiter(const char *bytes, const char *end, struct csv_marks marks,
                                 char *scratch) {
    enum { MOST_LINES = 1000 };
    struct vote vote = {0};
    size_t candidate = 0, lead = 0;
    for (int pass = 0; pass < 2; pass++) {
        const char *p = bytes;
        for (size_t line = 0; p < end && line < MOST_LINES; line++) {
            const char *next = csv_record_end(p, end, marks);
            size_t cells = csv_split(p, next ? next : end, marks, scratch, NULL, 0);
            if (cells && pass == 0) {
                if (lead == 0) candidate = cells;
                lead = cells == candidate ? lead + 1 : lead - 1;
            } else if (cells) {
                vote.lines++;
                vote.agreeing += cells == candidate && candidate > 1;
            }
            if (!next) break;
            p = next;
        }
    }
    vote.cells = candidate;
    return vote;
}

sepal_status detect_delimiter(char *out, sepal_ctx *ctx, const char *bytes, size_t n,
                              struct csv_marks marks) {
    static const char candidates[] = {',', ';', '\t', '|', ' '};
    if (n >= DETECT_BYTES) { /* the last line may be cut off */
        const char *last = memrchr(bytes, marks.eol, DETECT_BYTES);
        n = last ? (size_t)(last - bytes) + 1 : DETECT_BYTES;
    }
    char *scratch = mem_alloc(ctx, n + 1, 1);
    if (!scratch) return SEPAL_EMEMORY;
    size_t most = 0;
    *out = marks.comma ? ';' : ',';
    for (size_t i = marks.comma; i < sizeof candidates; i++) {
        marks.delimiter = candidates[i];
        struct vote vote = try_delimiter(bytes, bytes + n, marks, scratch);
        if (vote.agreeing && vote.agreeing == vote.lines) {
            *out = candidates[i];
            break;
        }
        if (vote.agreeing > most) {
            most = vote.agreeing;
            *out = candidates[i];
        }
    }
    mem_free(scratch);
    return SEPAL_OK;
}

/* The length of the longest record. */
static size_t longest_record(const char *p, const char *end, struct csv_marks marks) {
    size_t longest = 0;
    for (const char *next; p < end; p = next) {
        next = csv_record_end(p, end, marks);
        if (!next) next = end;
        if ((size_t)(next - p) > longest) longest = (size_t)(next - p);
    }
    return longest;
}

static bool is_number(const struct csv_sample *sample, struct slice text) {
    double value;
    return sample->comma ? cell_is_comma_number(text, &value) : cell_is_number(text, &value);
}

static void detect_look_at(const struct csv_sample *sample, size_t c, struct slice text) {
    struct csv_evidence *below = &sample->below[c];
    if (is_number(sample, text))
        below->numbers++;
    else if (!cell_is_missing(text))
        below->texts++;
    if (slice_compare(text, sample->cell[c].text) == 0) below->recurs = true;
}

sepal_status csv_sample_take(struct csv_sample *out, sepal_ctx *ctx, struct arena *arena,
                             const char *bytes, size_t n, struct csv_marks marks) {
    *out = (struct csv_sample){.comma = marks.comma};
    const char *p = bytes, *end = bytes + n;
    /* room for the texts of two records, row 0 and the one looked at */
    size_t longest = longest_record(p, end, marks);
    char *scratch = arena_alloc(ctx, arena, longest + 1, 2);
    if (!scratch) return SEPAL_EMEMORY;
    const char *first = csv_record_end(p, end, marks);
    out->cells = csv_split(p, first ? first : end, marks, scratch, NULL, 0);
    out->cell = arena_alloc(ctx, arena, out->cells, 2 * sizeof *out->cell);
    out->below = arena_zero(ctx, arena, out->cells, sizeof *out->below);
    if (!out->cell || !out->below) return SEPAL_EMEMORY;
    for (const char *next; p < end && out->rows <= HEADER_ROWS; p = next) {
        next = csv_record_end(p, end, marks);
        struct table_cell *row = out->rows ? out->cell + out->cells : out->cell;
        if (!next) next = end;
        size_t cells = csv_split(p, next, marks, scratch, row, out->cells);
        for (size_t c = 0; out->rows && cells == out->cells && c < cells; c++)
            detect_look_at(out, c, row[c].text);
        if (cells == out->cells && out->rows++ == 0) scratch += longest + 1;
    }
    return SEPAL_OK;
}

static bool names_a_number_column(const struct csv_sample *sample, size_t c) {
    struct slice top = sample->cell[c].text;
    if (is_number(sample, top) || cell_is_missing(top)) return false;
    return sample->below[c].numbers && !sample->below[c].texts;
}

/* At least half of the column are numbers, row 0 counted as any other. */
static bool is_numeric_or_recurs(const struct csv_sample *sample, size_t c) {
    const struct csv_evidence *below = &sample->below[c];
    struct slice top = sample->cell[c].text;
    size_t texts = below->texts + !cell_is_missing(top);
    bool numeric = below->numbers && below->numbers >= texts;
    return is_number(sample, top) || numeric || below->recurs;
}

bool detect_names(const struct csv_sample *sample) {
    for (size_t c = 0; c < sample->cells; c++)
        if (names_a_number_column(sample, c)) return true;
    return false;
}

bool detect_header(const struct csv_sample *sample) {
    if (detect_names(sample)) return true;
    for (size_t c = 0; c < sample->cells; c++)
        if (is_numeric_or_recurs(sample, c)) return false;
    return sample->rows > 0;
}
