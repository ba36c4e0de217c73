/* Labels and weights in a file of their own: reading them, and holding them against the data. */
#include "io/labels_file.h"

#include "core/alloc.h"
#include "core/decimal.h"
#include "io/array.h"
#include "data/classes.h"
#include "io/detect.h"
#include "io/format.h"
#include "data/limits.h"

#include <math.h>
#include <string.h>

enum { BUFFER_BYTES = 2 * LIMIT_TEXT }; /* a label and blanks around it */

/* An element of an array, and the number of its text among the labels. */
struct seen {
    uint64_t key;
    uint32_t number;
    bool used;
};
enum { SEEN = 1 << 8 };

struct intake {
    sepal_ctx *ctx;
    struct seen seen[SEEN];
    struct labels_file *labels;
    struct source source;
    size_t room;   /* rows for which there is memory */
    size_t blanks; /* lines without anything, which count if another line follows */
    char *buffer;
    struct text text; /* an element as text */
};

static const char *what(const struct labels_file *labels) {
    return labels->weights ? "weights" : labels->names ? "names" : "labels";
}

static struct slice labels_trimmed(struct slice text) {
    while (text.length && (text.bytes[0] == ' ' || text.bytes[0] == '\t'))
        text.bytes++, text.length--;
    while (text.length &&
           (text.bytes[text.length - 1] == ' ' || text.bytes[text.length - 1] == '\t'))
        text.length--;
    return text;
}

/* ---- one row ------------------------------------------------------------------------------ */

static sepal_status add_label(struct intake *in, struct slice text) {
    struct labels_file *labels = in->labels;
    uint32_t number;
    bool fresh;
    if (text.length > LIMIT_TEXT)
        return fail_at(in->ctx, SEPAL_EDATA, labels->file, labels->rows + 1, 1,
                       labels->names ? "this name " LIMIT_TEXT_SAID
                                     : "this label " LIMIT_TEXT_SAID);
    TRY(mem_reserve(in->ctx, (void **)&labels->number, &in->room, labels->rows + 1,
                    sizeof *labels->number));
    TRY(tokens_add(&labels->texts, in->ctx, text, &number, &fresh));
    labels->number[labels->rows++] = number;
    return SEPAL_OK;
}

static sepal_status refuse_weight(struct intake *in, size_t row, struct slice text) {
    char shown[TEXT_SHOWN_BYTES];
    return fail_at(in->ctx, SEPAL_EDATA, in->labels->file, row + 1, 1,
                   "'%s' is no weight: a weight is a finite number of at least 0%s",
                   text_shown(shown, text.bytes, text.length),
                   row == 0 && in->labels->lines ? "; remove this line if it is a header"
                                                 : "; mend it, or give the row weight 0");
}

static bool is_weight(double value) {
    return isfinite(value) && value >= 0;
}

static sepal_status add_weight(struct intake *in, struct slice text) {
    struct labels_file *labels = in->labels;
    double value;
    if (!cell_is_number(text, &value) || !is_weight(value))
        return refuse_weight(in, labels->rows, text);
    TRY(mem_reserve(in->ctx, (void **)&labels->weight, &in->room, labels->rows + 1,
                    sizeof *labels->weight));
    labels->weight[labels->rows++] = value + 0.0; /* not -0 */
    return SEPAL_OK;
}

static sepal_status labels_add_row(struct intake *in, struct slice text) {
    return in->labels->weights ? add_weight(in, text) : add_label(in, text);
}

/* ---- text --------------------------------------------------------------------------------- */

static sepal_status add_line(struct intake *in, const char *from, const char *to, char eol) {
    if (eol == '\n' && to > from && to[-1] == '\r') to--;
    struct slice text = labels_trimmed((struct slice){from, (size_t)(to - from)});
    if (text.length == 0) {
        in->blanks++;
        return SEPAL_OK;
    }
    for (; in->blanks; in->blanks--) TRY(labels_add_row(in, (struct slice){"", 0}));
    return labels_add_row(in, text);
}

static sepal_status labels_refuse_binary(struct intake *in, const char *bytes, size_t n) {
    bool zip = n >= 4 && memcmp(bytes, "PK\3\4", 4) == 0;
    if (!zip && !memchr(bytes, '\0', n)) return SEPAL_OK;
    if (zip)
        return fail_at(in->ctx, SEPAL_EDATA, in->labels->file, 1, 1,
                       "this is a zip or npz archive, which is not read; unpack it and name one of "
                       "its files");
    char arrays[FORMATS_SHOWN_BYTES];
    return fail_at(in->ctx, SEPAL_EDATA, in->labels->file, 1, 1,
                   "this is no text: there is a byte 0x00 in it; %s are read one per line, or from "
                   "an %s file of one dimension",
                   what(in->labels), formats_shown(arrays, format_is_array, " or "));
}

/* Whole lines are used up as they come; what is left of the buffer is the beginning of a line. */
static sepal_status take_lines(struct intake *in) {
    const char *bytes;
    size_t n, used = 0, got;
    TRY(source_peek(&in->source, in->ctx, BUFFER_BYTES, &bytes, &n));
    TRY(labels_refuse_binary(in, bytes, n));
    char eol = detect_eol(bytes, n);
    if (n >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0) source_skip(&in->source, 3);
    in->labels->lines = true;
    do {
        TRY(source_take(&in->source, in->ctx, in->buffer + used, BUFFER_BYTES - used, &got));
        const char *p = in->buffer, *end = p + used + got;
        for (const char *stop; (stop = memchr(p, eol, (size_t)(end - p))); p = stop + 1)
            TRY(add_line(in, p, stop, eol));
        used = (size_t)(end - p);
        if (used == BUFFER_BYTES)
            return fail_at(in->ctx, SEPAL_EDATA, in->labels->file,
                           in->labels->rows + in->blanks + 1, 1,
                           "a line of %d bytes or more; %s are read one per line",
                           (int)BUFFER_BYTES, what(in->labels));
        memmove(in->buffer, p, used);
    } while (got);
    return used ? add_line(in, in->buffer, in->buffer + used, eol) : SEPAL_OK;
}

/* ---- arrays ------------------------------------------------------------------------------- */

/* Where an element of that many bytes may have been seen before; NULL: it is too long to tell. */
static struct seen *labels_place_of(struct intake *in, const char *element, size_t bytes,
                                    uint64_t *key) {
    enum { SHIFT = 64 - 8 }; /* of SEEN places */
    if (bytes > sizeof *key) return NULL;
    *key = 0;
    memcpy(key, element, bytes);
    return &in->seen[*key * 0x9e3779b97f4a7c15 >> SHIFT]; /* Fibonacci hashing */
}

static sepal_status add_label_elements(struct intake *in, const struct array_shape *shape,
                                       size_t n) {
    struct labels_file *labels = in->labels;
    uint64_t key = 0;
    for (size_t i = 0; i < n; i++) {
        const char *element = in->buffer + i * shape->bytes;
        struct seen *seen = labels_place_of(in, element, shape->bytes, &key);
        if (seen && seen->used && seen->key == key && labels->rows < in->room) {
            labels->number[labels->rows++] = seen->number;
            continue;
        }
        in->text.length = 0;
        element_text(in->ctx, &in->text, shape, element);
        if (in->text.failed) return SEPAL_EMEMORY;
        TRY(add_label(in, labels_trimmed((struct slice){in->text.bytes, in->text.length})));
        if (seen) *seen = (struct seen){key, labels->number[labels->rows - 1], true};
    }
    return SEPAL_OK;
}

static sepal_status add_weight_elements(struct intake *in, const struct array_shape *shape,
                                        size_t n) {
    struct labels_file *labels = in->labels;
    if (n == 0) return SEPAL_OK; /* there may be no memory to step into yet */
    TRY(mem_reserve(in->ctx, (void **)&labels->weight, &in->room, labels->rows + n,
                    sizeof *labels->weight));
    elements_read(shape, in->buffer, n, labels->weight + labels->rows);
    for (size_t i = 0; i < n; i++, labels->rows++) {
        char digits[DECIMAL_BYTES];
        double value = labels->weight[labels->rows];
        if (is_weight(value)) continue;
        struct slice text = {digits, decimal_print(digits, value)};
        return refuse_weight(in, labels->rows, text);
    }
    return SEPAL_OK;
}

static sepal_status take_elements(struct intake *in, const struct array_format *format) {
    struct array_shape shape;
    TRY(array_header(&shape, in->ctx, &in->source, format));
    TRY(in->labels->weights ? array_check_weights(in->ctx, &shape, in->labels->file)
                            : array_check_labels(in->ctx, &shape, in->labels->file));
    size_t most = BUFFER_BYTES / shape.bytes, left = shape.rows, taken = 0, want, got;
    do {
        size_t n = left < most ? left : most;
        want = n * shape.bytes;
        TRY(source_take(&in->source, in->ctx, in->buffer, want, &got));
        taken += got;
        n = got / shape.bytes;
        left -= n;
        TRY(in->labels->weights ? add_weight_elements(in, &shape, n)
                                : add_label_elements(in, &shape, n));
    } while (left && got == want);
    return array_check_end(in->ctx, &shape, &in->source, taken);
}

/* ---- the whole file ----------------------------------------------------------------------- */

static sepal_status check_some_weight(const struct intake *in) {
    for (size_t i = 0; i < in->labels->rows; i++)
        if (in->labels->weight[i] > 0) return SEPAL_OK;
    if (in->labels->rows == 0) return SEPAL_OK; /* the data says how many there should be */
    return fail_at(in->ctx, SEPAL_EDATA, in->labels->file, 0, 0,
                   "all %zu weights are 0, so that no row is left; give some row a weight above 0",
                   in->labels->rows);
}

struct label_fault {
    const char *what, *advice;
};

/* Why a text cannot be a label, NULL when it can. */
static const struct label_fault *fault_of(struct slice text) {
    static const struct label_fault missing = {"the label is missing here",
                                               "mend it, or give the row weight 0"};
    static const struct label_fault coding = {"the label is not UTF-8", UTF8_ADVICE};
    static const struct label_fault control = {"control character in the label", "remove it"};
    if (label_is_missing(text)) return &missing;
    if (utf8_valid_prefix(text.bytes, text.length) < text.length) return &coding;
    for (size_t i = 0; i < text.length; i++)
        if ((unsigned char)text.bytes[i] < ' ' || text.bytes[i] == 0x7f) return &control;
    return NULL;
}

static sepal_status read_file(struct intake *in, const char *path) {
    const char *bytes;
    size_t n;
    TRY(source_open(&in->source, in->ctx, path));
    in->labels->file = in->source.file.name;
    in->buffer = mem_alloc(in->ctx, BUFFER_BYTES, 1);
    if (!in->buffer) return SEPAL_EMEMORY;
    TRY(source_peek(&in->source, in->ctx, 8, &bytes, &n));
    const struct format *format = format_of_bytes(bytes, n, true);
    TRY(format ? take_elements(in, format->array) : take_lines(in));
    for (size_t i = 0; i < in->labels->texts.count; i++)
        if (fault_of(in->labels->texts.items[i])) in->labels->faulty = true;
    return in->labels->weights ? check_some_weight(in) : SEPAL_OK;
}

static sepal_status read_labels_file(struct labels_file *out, sepal_ctx *ctx, const char *path) {
    struct intake in = {.ctx = ctx, .labels = out, .source = {.file = {.fd = -1}}};
    sepal_status status = read_file(&in, path);
    source_close(&in.source);
    text_clear(&in.text);
    mem_free(in.buffer);
    if (status != SEPAL_OK) labels_file_clear(out);
    return status;
}

sepal_status labels_file_labels(struct labels_file *out, sepal_ctx *ctx, const char *path) {
    *out = (struct labels_file){0};
    return read_labels_file(out, ctx, path);
}

sepal_status labels_file_weights(struct labels_file *out, sepal_ctx *ctx, const char *path) {
    *out = (struct labels_file){.weights = true};
    return read_labels_file(out, ctx, path);
}

/* The first name that is none, or stands twice. */
static sepal_status check_names(sepal_ctx *ctx, const struct labels_file *names) {
    char shown[TEXT_SHOWN_BYTES];
    for (size_t i = 0; i < names->rows; i++) {
        struct slice text = names->texts.items[names->number[i]];
        const struct label_fault *fault = text.length ? fault_of(text) : NULL;
        /* the words for missing values are names as good as any */
        bool sound = text.length && (!fault || label_is_missing(text));
        if (sound && names->number[i] == i) continue; /* new: the earlier ones were all distinct */
        return fail_at(ctx, SEPAL_EDATA, names->file, i + 1, 1,
                       sound
                           ? "the name '%s' is that of another feature, too; names must differ"
                           : "'%s' is no name of a feature: it must be UTF-8 text without control "
                             "characters, one name per line",
                       text_shown(shown, text.bytes, text.length));
    }
    return SEPAL_OK;
}

sepal_status labels_file_names(struct labels_file *out, sepal_ctx *ctx, const char *path) {
    *out = (struct labels_file){.names = true};
    TRY(read_labels_file(out, ctx, path));
    sepal_status status = check_names(ctx, out);
    if (status != SEPAL_OK) labels_file_clear(out);
    return status;
}

void labels_file_clear(struct labels_file *labels) {
    tokens_clear(&labels->texts);
    mem_free(labels->number);
    mem_free(labels->weight);
    *labels = (struct labels_file){0};
}

/* ---- against the data --------------------------------------------------------------------- */

bool labels_file_has_label(const struct labels_file *labels, size_t row) {
    return !labels->faulty || !fault_of(labels->texts.items[labels->number[row]]);
}

sepal_status labels_file_check_label(sepal_ctx *ctx, const struct labels_file *labels, size_t row) {
    char shown[TEXT_SHOWN_BYTES];
    if (!labels->faulty) return SEPAL_OK;
    struct slice text = labels->texts.items[labels->number[row]];
    const struct label_fault *fault = fault_of(text);
    if (!fault) return SEPAL_OK;
    return fail_at(ctx, SEPAL_EDATA, labels->file, row + 1, 1, "%s: '%s'; %s", fault->what,
                   text_shown(shown, text.bytes, text.length), fault->advice);
}

sepal_status labels_file_expect(sepal_ctx *ctx, const struct labels_file *labels, size_t rows,
                                const char *data_file) {
    char shown[TEXT_SHOWN_BYTES];
    if (labels->rows == rows) return SEPAL_OK;
    if (labels->lines && !labels->weights && labels->rows == rows + 1) {
        struct slice first = labels->texts.items[labels->number[0]];
        return fail_at(ctx, SEPAL_EDATA, labels->file, 1, 1,
                       "%zu %s here, and %s has %zu rows; remove line 1, '%s', if it is a header",
                       labels->rows, what(labels), data_file, rows,
                       text_shown(shown, first.bytes, first.length));
    }
    return fail_at(ctx, SEPAL_EDATA, labels->file, 0, 0,
                   "%zu %s here, and %s has %zu rows; there must be one for each row", labels->rows,
                   what(labels), data_file, rows);
}
