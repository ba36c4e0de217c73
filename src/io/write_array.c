/* Arrays of numbers: npy as NumPy writes it (version 1.0, little-endian), and idx, the format of
   MNIST (big-endian). Their items are of the smallest type that holds all of them exactly. Labels go
   to a second file: an array as well, or for idx, which has no texts, one label per line. */
#include "core/alloc.h"
#include "io/csv.h"
#include "io/write.h"

#include <string.h>
#include <strings.h>

enum item { ITEM_U8, ITEM_I32, ITEM_I64, ITEM_F32, ITEM_F64, ITEM_TEXT };

static const struct item_row {
    const char *npy; /* NULL: not written to npy files */
    char idx;        /* 0: not written to idx files */
    size_t bytes;
} items[] = {
    [ITEM_U8] = {NULL, 0x08, 1},   [ITEM_I32] = {NULL, 0x0C, 4},  [ITEM_I64] = {"<i8", 0, 8},
    [ITEM_F32] = {"<f4", 0x0D, 4}, [ITEM_F64] = {"<f8", 0x0E, 8}, [ITEM_TEXT] = {"<U", 0, 4},
};

/* ---- items -------------------------------------------------------------------------------- */

/* Labels have as many digits as a double may need to be an integer: fewer than those of 2^63. */
enum { MOST_DIGITS = 18 };

static bool as_integer(const char *text, int64_t *out) {
    bool negative = *text == '-';
    const char *digits = text + negative;
    size_t n = strspn(digits, "0123456789");
    if (n == 0 || n > MOST_DIGITS || digits[n] || (*digits == '0' && (n > 1 || negative)))
        return false;
    *out = 0;
    for (; *digits; digits++) *out = *out * 10 + (*digits - '0');
    if (negative) *out = -*out;
    return true;
}

static double array_file_as_number(const char *text) {
    double value = 0;
    (void)cell_is_number((struct slice){text, strlen(text)}, &value);
    return value;
}

/* Characters of valid UTF-8: all bytes but those that continue one. */
static size_t characters_of(const char *text) {
    size_t n = 0;
    for (; *text; text++) n += ((unsigned char)*text & 0xC0) != 0x80;
    return n;
}

static enum item item_of_labels(const struct writing *w) {
    bool whole = true, small = true, tiny = true;
    for (size_t k = 0; k < w->n_labels; k++) {
        double value;
        int64_t integer;
        if (!cell_is_number((struct slice){w->labels[k], strlen(w->labels[k])}, &value))
            return ITEM_TEXT;
        if (!as_integer(w->labels[k], &integer)) {
            whole = false;
            continue;
        }
        small = small && integer >= INT32_MIN && integer <= INT32_MAX;
        tiny = tiny && integer >= 0 && integer <= UINT8_MAX;
    }
    if (w->format == FORMAT_NPY) return whole ? ITEM_I64 : ITEM_F64;
    return !whole || !small ? ITEM_F64 : tiny ? ITEM_U8 : ITEM_I32;
}

static bool byte_holds(double value) {
    return value >= 0 && value <= UINT8_MAX && (double)(uint8_t)value == value;
}

static enum item item_of_values(const struct writing *w) {
    const struct matrix *matrix = &w->data->matrix;
    enum item item = w->format == FORMAT_IDX ? ITEM_U8 : ITEM_F32;
    struct block_iterator blocks = {.matrix = matrix};
    size_t column;
    double value;
    for (const struct block *block; (block = block_next(&blocks));)
        for (size_t i = 0; i < block->rows; i++)
            for (size_t at = 0; row_next(block, i, matrix->cols, &at, &column, &value);) {
                if (item == ITEM_U8 && !byte_holds(value)) item = ITEM_F32;
                if (!single_holds(value)) return ITEM_F64;
            }
    return item;
}

static void put_bits(struct writing *w, uint64_t bits, size_t bytes) {
    char out[sizeof bits];
    bool big_endian = w->format == FORMAT_IDX;
    for (size_t i = 0; i < bytes; i++)
        out[big_endian ? bytes - 1 - i : i] = (char)(unsigned char)(bits >> (8 * i));
    text_add(w->ctx, &w->text, out, bytes);
}

/* Only for a value that the item holds. */
static void put_value(struct writing *w, enum item item, double value) {
    uint64_t bits = 0;
    if (item == ITEM_F32) {
        float single = (float)value;
        uint32_t single_bits;
        memcpy(&single_bits, &single, sizeof single_bits);
        bits = single_bits;
    } else if (item == ITEM_F64) {
        memcpy(&bits, &value, sizeof bits);
    } else {
        bits = (uint64_t)value;
    }
    put_bits(w, bits, items[item].bytes);
}

/* The code point of the character at **text, which goes on to the next one. */
static uint32_t next_character(const char **text) {
    unsigned char lead = (unsigned char)*(*text)++;
    uint32_t point = lead < 0x80   ? lead
                     : lead < 0xE0 ? lead & 0x1F
                     : lead < 0xF0 ? lead & 0x0F
                                   : lead & 0x07;
    for (; ((unsigned char)**text & 0xC0) == 0x80; ++*text)
        point = point << 6 | ((unsigned char)**text & 0x3F);
    return point;
}

static void array_file_put_text(struct writing *w, const char *text, size_t characters) {
    for (size_t i = 0; i < characters; i++)
        put_bits(w, *text ? next_character(&text) : 0, items[ITEM_TEXT].bytes);
}

/* ---- headers ------------------------------------------------------------------------------ */

/* cols 0: one dimension. Texts have that many characters. */
static void put_npy_header(struct writing *w, enum item item, size_t characters, size_t rows,
                           size_t cols) {
    enum { ALIGNMENT = 64, BEFORE_BYTES = 10 }; /* magic, version, length of the rest */
    struct text head = {0};
    text_printf(w->ctx, &head, "{'descr': '%s", items[item].npy);
    if (item == ITEM_TEXT) text_printf(w->ctx, &head, "%zu", characters);
    text_printf(w->ctx, &head, "', 'fortran_order': False, 'shape': (%zu,", rows);
    if (cols) text_printf(w->ctx, &head, " %zu", cols);
    text_puts(w->ctx, &head, "), }");
    while (!head.failed && (BEFORE_BYTES + head.length + 1) % ALIGNMENT)
        text_puts(w->ctx, &head, " ");
    text_puts(w->ctx, &head, "\n");
    text_add(w->ctx, &w->text, "\x93NUMPY\x01\x00", BEFORE_BYTES - 2);
    put_bits(w, head.length, 2);
    text_add(w->ctx, &w->text, head.bytes, head.length);
    w->text.failed = w->text.failed || head.failed;
    text_clear(&head);
}

static void put_idx_header(struct writing *w, enum item item, size_t rows, size_t cols) {
    enum { DIMENSION_BYTES = 4 };
    const char magic[] = {0, 0, items[item].idx, cols ? 2 : 1};
    text_add(w->ctx, &w->text, magic, sizeof magic);
    put_bits(w, rows, DIMENSION_BYTES);
    if (cols) put_bits(w, cols, DIMENSION_BYTES);
}

static void array_file_put_header(struct writing *w, enum item item, size_t characters,
                                  size_t cols) {
    if (w->format == FORMAT_NPY)
        put_npy_header(w, item, characters, w->data->matrix.rows, cols);
    else
        put_idx_header(w, item, w->data->matrix.rows, cols);
}

/* ---- files -------------------------------------------------------------------------------- */

/* What the reader of labels beside the data does not take for a part of a label, or refuses. */
static sepal_status check_label(struct writing *w, const char *label) {
    enum { MOST_BYTES = 1 << 14 };
    char shown[TEXT_SHOWN_BYTES];
    size_t n = strlen(label);
    if (n && n < MOST_BYTES && label[0] != ' ' && label[n - 1] != ' ' && !has_control(label, "") &&
        !begins_with_mark(label))
        return SEPAL_OK;
    return fail(w->ctx, SEPAL_EDATA,
                "the label '%s' cannot stand in a file of its own, where labels have no blanks at "
                "their ends, no tabs, line breaks or other control characters, and fewer than %d "
                "bytes; write csv instead",
                text_shown(shown, label, n), (int)MOST_BYTES);
}

sepal_status check_array(struct writing *w) {
    const char *what = w->format == FORMAT_NPY ? "npy" : "idx";
    TRY(check_single_labels(w, what));
    TRY(check_cells(w, w->data->matrix.rows, "an array"));
    if (item_of_labels(w) == ITEM_TEXT)
        for (size_t k = 0; k < w->n_labels; k++) TRY(check_label(w, w->labels[k]));
    warn_weights(w, what);
    return SEPAL_OK;
}

sepal_status write_array(struct writing *w) {
    enum item item = item_of_values(w);
    size_t cols = w->data->matrix.cols;
    struct block_iterator blocks = {.matrix = &w->data->matrix};
    array_file_put_header(w, item, 0, cols);
    for (const struct block *block; (block = block_next(&blocks));)
        for (size_t i = 0; i < block->rows; i++) {
            struct cells cells = cells_of(block, i, cols);
            for (size_t j = 0; j < cols; j++) put_value(w, item, cell_value(&cells, j));
            TRY(writing_pass(w));
        }
    return SEPAL_OK;
}

static sepal_status write_lines(struct writing *w) {
    for (size_t row = 0; row < w->data->matrix.rows; row++) {
        text_puts(w->ctx, &w->text, label_of_row(w, row));
        text_puts(w->ctx, &w->text, "\n");
        TRY(writing_pass(w));
    }
    return SEPAL_OK;
}

static void array_file_put_label(struct writing *w, enum item item, const char *label,
                                 size_t characters) {
    int64_t integer;
    if (item == ITEM_TEXT)
        array_file_put_text(w, label, characters);
    else if (item == ITEM_F64)
        put_value(w, item, array_file_as_number(label));
    else if (as_integer(label, &integer))
        put_bits(w, (uint64_t)integer, items[item].bytes);
}

sepal_status write_array_labels(struct writing *w) {
    enum item item = item_of_labels(w);
    if (item == ITEM_TEXT && w->format == FORMAT_IDX) return write_lines(w);
    size_t characters = 0;
    for (size_t k = 0; k < w->n_labels; k++) {
        size_t n = characters_of(w->labels[k]);
        if (n > characters) characters = n;
    }
    array_file_put_header(w, item, characters, 0);
    for (size_t row = 0; row < w->data->matrix.rows; row++) {
        array_file_put_label(w, item, label_of_row(w, row), characters);
        TRY(writing_pass(w));
    }
    return SEPAL_OK;
}

/* ---- the name of the label file ----------------------------------------------------------- */

static bool array_file_ends_with(const char *path, size_t length, const char *tail) {
    size_t n = strlen(tail);
    return length > n && strncasecmp(path + length - n, tail, n) == 0;
}

/* train-images-idx3-ubyte has its labels in train-labels-idx1-ubyte; other names lose their
   extension and get a new one. */
sepal_status array_labels_path(char **out, struct writing *w, const char *path) {
    static const char images[] = "images-idx3";
    const char *slash = strrchr(path, '/'), *found = strstr(slash ? slash : path, images);
    bool lines = w->format == FORMAT_IDX && item_of_labels(w) == ITEM_TEXT;
    struct text name = {0};
    size_t length = source_plain_length(path);
    if (w->format == FORMAT_IDX && found && !lines) {
        text_add(w->ctx, &name, path, (size_t)(found - path));
        text_puts(w->ctx, &name, "labels-idx1");
        text_puts(w->ctx, &name, found + strlen(images));
    } else {
        if (array_file_ends_with(path, length, ".npy") ||
            array_file_ends_with(path, length, ".idx"))
            length -= 4;
        text_add(w->ctx, &name, path, length);
        text_puts(w->ctx, &name, ".labels");
        text_puts(w->ctx, &name, lines ? ".txt" : w->format == FORMAT_NPY ? ".npy" : ".idx");
    }
    *out = text_take(w->ctx, &name);
    return *out ? SEPAL_OK : SEPAL_EMEMORY;
}
