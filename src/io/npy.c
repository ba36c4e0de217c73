/* npy, the format of NumPy. Its header, of versions 1 to 3, is magic, version, length, then a Python dictionary with the keys
   descr, fortran_order and shape, padded by blanks up to a line end (NumPy Enhancement Proposal 1
   and numpy.lib.format). Nothing else that Python could mean is understood. */
#include "io/array.h"
#include "io/write.h"

#include <string.h>

enum { NPY_MAGIC_BYTES = 6 };
static const char npy_magic[NPY_MAGIC_BYTES] = "\x93NUMPY";

struct scan {
    sepal_ctx *ctx;
    const char *file;
    const char *start, *p, *end; /* start: the first byte of the file */
};

static sepal_status npy_refuse(const struct scan *scan, const char *at, const char *what) {
    return fail_at(scan->ctx, SEPAL_EDATA, scan->file, 1, (size_t)(at - scan->start) + 1,
                   "the header of this npy file is damaged: %s; save it again with numpy.save",
                   what);
}

static void npy_skip_blanks(struct scan *scan) {
    while (scan->p < scan->end && (*scan->p == ' ' || *scan->p == '\t' || *scan->p == '\n'))
        scan->p++;
}

/* The next character that is no blank, taken if it is this one. */
static bool npy_take(struct scan *scan, char wanted) {
    npy_skip_blanks(scan);
    bool here = scan->p < scan->end && *scan->p == wanted;
    if (here) scan->p++;
    return here;
}

static bool take_word(struct scan *scan, const char *word) {
    size_t length = strlen(word);
    bool here = (size_t)(scan->end - scan->p) >= length && memcmp(scan->p, word, length) == 0;
    if (here) scan->p += length;
    return here;
}

static sepal_status npy_read_string(struct scan *scan, struct slice *out) {
    npy_skip_blanks(scan);
    const char *from = scan->p + 1;
    if (scan->p == scan->end || (*scan->p != '\'' && *scan->p != '"'))
        return npy_refuse(scan, scan->p, "expected a text in quotes");
    const char *to = memchr(from, *scan->p, (size_t)(scan->end - from));
    if (!to) return npy_refuse(scan, scan->p, "a quote is never closed");
    *out = (struct slice){from, (size_t)(to - from)};
    if (memchr(from, '\\', out->length)) return npy_refuse(scan, from, "a backslash in a text");
    scan->p = to + 1;
    return SEPAL_OK;
}

/* ---- descr -------------------------------------------------------------------------------- */

#define RECORDS_ADVICE "records are not read; save their fields as columns of one array of numbers"

/* Sizes are powers of two, so that a sum of them is a set. */
static const struct {
    char letter;
    enum element_kind kind;
    size_t sizes; /* 0: any */
} types[] = {
    {'b', ELEMENT_BOOL, 1},
    {'i', ELEMENT_INT, 1 | 2 | 4 | 8},
    {'u', ELEMENT_UINT, 1 | 2 | 4 | 8},
    {'f', ELEMENT_FLOAT, 2 | 4 | 8 | 16},
    {'U', ELEMENT_TEXT, 0},
    {'S', ELEMENT_BYTES, 0},
};

static const struct {
    char letter;
    const char *advice;
} unread[] = {
    {'O', "pickled objects are not read; save numbers with numpy.save(..., allow_pickle=False)"},
    {'c', "complex numbers are not read; save a.real and a.imag as columns of their own"},
    {'M', "dates are not read; save them as numbers with a.astype('int64')"},
    {'m', "spans of time are not read; save them as numbers with a.astype('int64')"},
    {'V', RECORDS_ADVICE},
};

static sepal_status refuse_type(const struct scan *scan, struct slice type, const char *why) {
    char shown[TEXT_SHOWN_BYTES];
    return fail_at(scan->ctx, SEPAL_EDATA, scan->file, 1, (size_t)(type.bytes - scan->start) + 1,
                   "elements of type '%s': %s", text_shown(shown, type.bytes, type.length), why);
}

/* The size behind the letter; SIZE_MAX when it is none. */
static size_t read_size(const char *p, const char *end) {
    enum { MOST_DIGITS = 9 };
    if (p == end || end - p > MOST_DIGITS) return SIZE_MAX;
    size_t size = 0;
    for (; p < end; p++) {
        if (*p < '0' || *p > '9') return SIZE_MAX;
        size = size * 10 + (size_t)(*p - '0');
    }
    return size;
}

static sepal_status set_type(struct scan *scan, struct array_shape *shape, struct slice type) {
    const char *p = type.bytes, *end = p + type.length;
    char order = p < end && *p && strchr("<>|=", *p) ? *p++ : '=';
    char letter = p < end ? *p++ : '\0';
    size_t size = read_size(p, end);
    for (size_t i = 0; i < sizeof unread / sizeof *unread; i++)
        if (unread[i].letter == letter) return refuse_type(scan, type, unread[i].advice);
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (types[i].letter != letter || size == SIZE_MAX) continue;
        if (types[i].sizes && ((size & (size - 1)) || !(size & types[i].sizes))) break;
        if (size == 0)
            return refuse_type(scan, type, "every text is empty, so there is nothing to read");
        bool single = size == 1 && types[i].kind != ELEMENT_TEXT;
        if (!single && types[i].kind != ELEMENT_BYTES && order != '<' && order != '>')
            return refuse_type(scan, type,
                               "the order of its bytes is not said; save it again with numpy.save");
        shape->kind = types[i].kind;
        shape->bytes = types[i].kind == ELEMENT_TEXT ? 4 * size : size;
        shape->big_endian = order == '>';
        return SEPAL_OK;
    }
    return refuse_type(scan, type,
                       "not read; booleans, integers of 1, 2, 4, 8 and floats of 2, 4, 8, 16 bytes "
                       "are: save a.astype('float64')");
}

static sepal_status read_descr(struct scan *scan, struct array_shape *shape) {
    struct slice type;
    npy_skip_blanks(scan);
    bool list = scan->p < scan->end && *scan->p == '[';
    if (list || (scan->p < scan->end && *scan->p == '(')) {
        const char *close = memchr(scan->p, list ? ']' : ')', (size_t)(scan->end - scan->p));
        type = (struct slice){scan->p, close ? (size_t)(close - scan->p) + 1 : 1};
        return refuse_type(scan, type, RECORDS_ADVICE);
    }
    TRY(npy_read_string(scan, &type));
    shape->type_at = (size_t)(type.bytes - scan->start) + 1;
    return set_type(scan, shape, type);
}

/* ---- fortran_order and shape -------------------------------------------------------------- */

static sepal_status read_order(struct scan *scan, struct array_shape *shape) {
    npy_skip_blanks(scan);
    shape->column_major = take_word(scan, "True");
    if (shape->column_major || take_word(scan, "False")) return SEPAL_OK;
    return npy_refuse(scan, scan->p, "fortran_order is neither True nor False");
}

static sepal_status read_dim(struct scan *scan, struct array_shape *shape) {
    npy_skip_blanks(scan);
    const char *from = scan->p;
    size_t dim = 0;
    for (; scan->p < scan->end && *scan->p >= '0' && *scan->p <= '9'; scan->p++)
        if (__builtin_mul_overflow(dim, 10, &dim) ||
            __builtin_add_overflow(dim, (size_t)(*scan->p - '0'), &dim))
            return npy_refuse(scan, from, "a dimension is larger than anything there is");
    if (scan->p == from) return npy_refuse(scan, from, "expected a whole number of at least 0");
    if (shape->dims == ARRAY_MOST_DIMS) return npy_refuse(scan, from, "more than 32 dimensions");
    shape->dim[shape->dims++] = dim;
    take_word(scan, "L"); /* as Python 2 wrote it */
    return SEPAL_OK;
}

static sepal_status npy_read_shape(struct scan *scan, struct array_shape *shape) {
    npy_skip_blanks(scan);
    shape->dim_at = (size_t)(scan->p - scan->start) + 1;
    if (!npy_take(scan, '('))
        return npy_refuse(scan, scan->p, "the shape is no tuple, as in (150, 4)");
    while (!npy_take(scan, ')')) {
        TRY(read_dim(scan, shape));
        if (npy_take(scan, ',')) continue;
        if (shape->dims == 1 || !npy_take(scan, ')'))
            return npy_refuse(scan, scan->p,
                              "expected a comma in the shape, as in (150, 4) or (150,)");
        return SEPAL_OK;
    }
    return SEPAL_OK;
}

/* ---- the dictionary ----------------------------------------------------------------------- */

static const struct {
    const char *name;
    sepal_status (*read)(struct scan *scan, struct array_shape *shape);
} fields[] = {{"descr", read_descr}, {"fortran_order", read_order}, {"shape", npy_read_shape}};
enum { N_FIELDS = sizeof fields / sizeof *fields };

static sepal_status read_field(struct scan *scan, struct array_shape *shape, bool seen[N_FIELDS]) {
    struct slice key;
    TRY(npy_read_string(scan, &key));
    size_t field = 0;
    while (field < N_FIELDS && !slice_is(key, fields[field].name)) field++;
    if (field == N_FIELDS)
        return npy_refuse(scan, key.bytes, "the keys are descr, fortran_order and shape, no other");
    if (seen[field]) return npy_refuse(scan, key.bytes, "a key comes twice");
    seen[field] = true;
    if (!npy_take(scan, ':')) return npy_refuse(scan, scan->p, "expected a colon");
    return fields[field].read(scan, shape);
}

static sepal_status read_fields(struct scan *scan, struct array_shape *shape) {
    bool seen[N_FIELDS] = {false};
    if (!npy_take(scan, '{')) return npy_refuse(scan, scan->p, "expected {");
    while (!npy_take(scan, '}')) {
        TRY(read_field(scan, shape, seen));
        if (npy_take(scan, ',')) continue;
        if (!npy_take(scan, '}')) return npy_refuse(scan, scan->p, "expected a comma or }");
        break;
    }
    for (size_t i = 0; i < N_FIELDS; i++)
        if (!seen[i])
            return npy_refuse(scan, scan->p - 1,
                              "descr, fortran_order and shape must all be there");
    while (scan->p < scan->end && *scan->p == ' ') scan->p++;
    if (scan->end - scan->p != 1 || *scan->p != '\n')
        return npy_refuse(scan, scan->p, "expected blanks and a line end after }");
    return SEPAL_OK;
}

/* ---- the bytes before it ------------------------------------------------------------------ */

static sepal_status npy_cut_short(const struct scan *scan, size_t n, size_t wanted) {
    return fail_at(scan->ctx, SEPAL_EDATA, scan->file, 1, n + 1,
                   "the file ends inside its header, after %zu of %zu bytes; it is cut short, copy "
                   "it again",
                   n, wanted);
}

/* How many bytes the header has, all that comes before the elements. */
static sepal_status read_length(const struct scan *scan, size_t n, size_t *start, size_t *length) {
    enum { VERSION = NPY_MAGIC_BYTES, LENGTH = VERSION + 2 };
    const unsigned char *bytes = (const unsigned char *)scan->start;
    if (memcmp(bytes, npy_magic, n < NPY_MAGIC_BYTES ? n : NPY_MAGIC_BYTES) != 0)
        return fail_at(
            scan->ctx, SEPAL_EDATA, scan->file, 1, 1,
            "an npy file begins with \\x93NUMPY, and this one does not; leave out " OPTION
            "format npy to have the format found");
    if (n < LENGTH) return npy_cut_short(scan, n, LENGTH);
    if (bytes[VERSION] < 1 || bytes[VERSION] > 3 || bytes[VERSION + 1] != 0)
        return fail_at(scan->ctx, SEPAL_EDATA, scan->file, 1, VERSION + 1,
                       "version %d.%d of npy is not known, 1.0, 2.0 and 3.0 are; save it again "
                       "with numpy.save",
                       bytes[VERSION], bytes[VERSION + 1]);
    *start = LENGTH + (bytes[VERSION] == 1 ? 2 : 4);
    if (n < *start) return npy_cut_short(scan, n, *start);
    *length = 0;
    for (size_t i = *start; i-- > LENGTH;) *length = *length << 8 | bytes[i];
    *length += *start;
    if (*length > ARRAY_MOST_HEADER)
        return fail_at(scan->ctx, SEPAL_EDATA, scan->file, 1, LENGTH + 1,
                       "a header of %zu bytes, and %d are the most; the file is damaged, save it "
                       "again with numpy.save",
                       *length, (int)ARRAY_MOST_HEADER);
    return SEPAL_OK;
}

static sepal_status npy_header(struct array_shape *out, sepal_ctx *ctx, struct source *source) {
    enum { LONGEST_START = 12 };
    struct scan scan = {.ctx = ctx, .file = source->file.name};
    size_t n, start = 0, length = 0;
    TRY(source_peek(source, ctx, LONGEST_START, &scan.start, &n));
    TRY(read_length(&scan, n, &start, &length));
    TRY(source_peek(source, ctx, length, &scan.start, &n));
    if (n < length) return npy_cut_short(&scan, n, length);
    scan.p = scan.start + start;
    scan.end = scan.start + length;
    TRY(read_fields(&scan, out));
    source_skip(source, length);
    return SEPAL_OK;
}

/* ---- as it is written --------------------------------------------------------------------- */

/* Version 1.0. */
static void npy_put_header(struct writing *w, enum array_item item, size_t characters,
                           size_t cols) {
    enum { ALIGNMENT = 64, BEFORE_BYTES = 10 }; /* magic, version, length of the rest */
    struct text head = {0};
    text_printf(w->ctx, &head, "{'descr': '%s", w->format->array->type[item]);
    if (item == ITEM_TEXT) text_printf(w->ctx, &head, "%zu", characters);
    text_printf(w->ctx, &head, "', 'fortran_order': False, 'shape': (%zu,", w->data->matrix.rows);
    if (cols) text_printf(w->ctx, &head, " %zu", cols);
    text_puts(w->ctx, &head, "), }");
    while (!head.failed && (BEFORE_BYTES + head.length + 1) % ALIGNMENT)
        text_puts(w->ctx, &head, " ");
    text_puts(w->ctx, &head, "\n");
    text_add(w->ctx, &w->text, npy_magic, NPY_MAGIC_BYTES);
    text_add(w->ctx, &w->text, "\x01\x00", 2);
    array_put_bits(w, head.length, 2);
    text_add(w->ctx, &w->text, head.bytes, head.length);
    w->text.failed = w->text.failed || head.failed;
    text_clear(&head);
}

/* ---- the format --------------------------------------------------------------------------- */

/* A file shorter than the magic is npy if all of it is part of it. */
static bool npy_detect(const char *bytes, size_t n) {
    return n && memcmp(bytes, npy_magic, n < NPY_MAGIC_BYTES ? n : NPY_MAGIC_BYTES) == 0;
}

static const struct array_format npy_array = {
    .header = npy_header,
    .most_dims = 2,
    .labels_inside = true,
    .type = {[ITEM_I64] = "<i8", [ITEM_F32] = "<f4", [ITEM_F64] = "<f8", [ITEM_TEXT] = "<U"},
    .put_header = npy_put_header,
};

const struct format format_npy = {
    .name = "npy",
    .summary = "NumPy array of numbers; labels in a second file",
    .extensions = {".npy"},
    .array = &npy_array,
    .detect = npy_detect,
    .read = read_array,
    .writer = &array_writer,
};
