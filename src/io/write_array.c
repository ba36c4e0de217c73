/* Arrays of numbers: their items are of the smallest type of the format that holds all of them exactly.
   Labels go to a second file: an array as well, or where the format has no texts, one label per
   line. */
#include "io/csv.h"
#include "io/labels_file.h"
#include "io/write.h"

#include <string.h>

static const size_t item_bytes[] = {
    [ITEM_U8] = 1, [ITEM_I32] = 4, [ITEM_I64] = 8, [ITEM_F32] = 4, [ITEM_F64] = 8, [ITEM_TEXT] = 4};

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

static bool item_exists(const struct writing *w, enum array_item item) {
    return w->format->array->type[item] != NULL;
}

static enum array_item item_of_labels(const struct writing *w) {
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
    if (whole && tiny && item_exists(w, ITEM_U8)) return ITEM_U8;
    if (whole && small && item_exists(w, ITEM_I32)) return ITEM_I32;
    return whole && item_exists(w, ITEM_I64) ? ITEM_I64 : ITEM_F64;
}

static bool labels_are_lines(const struct writing *w) {
    return item_of_labels(w) == ITEM_TEXT && !item_exists(w, ITEM_TEXT);
}

static bool byte_holds(double value) {
    return value >= 0 && value <= UINT8_MAX && (double)(uint8_t)value == value;
}

static enum array_item item_of_values(const struct writing *w) {
    const struct matrix *matrix = &w->data->matrix;
    enum array_item item = item_exists(w, ITEM_U8) ? ITEM_U8 : ITEM_F32;
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

void array_put_bits(struct writing *w, uint64_t bits, size_t bytes) {
    char out[sizeof bits];
    bool big_endian = w->format->array->big_endian;
    for (size_t i = 0; i < bytes; i++)
        out[big_endian ? bytes - 1 - i : i] = (char)(unsigned char)(bits >> (8 * i));
    text_add(w->ctx, &w->text, out, bytes);
}

/* Only for a value that the item holds. */
static void put_value(struct writing *w, enum array_item item, double value) {
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
    array_put_bits(w, bits, item_bytes[item]);
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
        array_put_bits(w, *text ? next_character(&text) : 0, item_bytes[ITEM_TEXT]);
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

static sepal_status check_array(struct writing *w) {
    TRY(check_single_labels(w, w->format->name));
    TRY(check_cells(w, w->data->matrix.rows, "an array"));
    if (item_of_labels(w) == ITEM_TEXT)
        for (size_t k = 0; k < w->n_labels; k++) TRY(check_label(w, w->labels[k]));
    warn_weights(w, w->format->name);
    return SEPAL_OK;
}

static sepal_status array_file_put_header(struct writing *w) {
    w->item = item_of_values(w);
    w->format->array->put_header(w, w->item, 0, w->data->matrix.cols);
    return SEPAL_OK;
}

static void array_file_put_row(struct writing *w, const struct block *block, size_t i) {
    size_t cols = w->data->matrix.cols;
    struct cells cells = cells_of(block, i, cols);
    for (size_t j = 0; j < cols; j++) put_value(w, w->item, cell_value(&cells, j));
}

static sepal_status write_lines(struct writing *w) {
    for (size_t row = 0; row < w->data->matrix.rows; row++) {
        text_puts(w->ctx, &w->text, label_of_row(w, row));
        text_puts(w->ctx, &w->text, "\n");
        TRY(writing_pass(w));
    }
    return SEPAL_OK;
}

static void array_file_put_label(struct writing *w, enum array_item item, const char *label,
                                 size_t characters) {
    int64_t integer;
    if (item == ITEM_TEXT)
        array_file_put_text(w, label, characters);
    else if (item == ITEM_F64)
        put_value(w, item, array_file_as_number(label));
    else if (as_integer(label, &integer))
        array_put_bits(w, (uint64_t)integer, item_bytes[item]);
}

static sepal_status array_file_put_labels(struct writing *w) {
    enum array_item item = item_of_labels(w);
    size_t characters = 0;
    if (labels_are_lines(w)) return write_lines(w);
    for (size_t k = 0; k < w->n_labels; k++) {
        size_t n = characters_of(w->labels[k]);
        if (n > characters) characters = n;
    }
    w->format->array->put_header(w, item, characters, 0);
    for (size_t row = 0; row < w->data->matrix.rows; row++) {
        array_file_put_label(w, item, label_of_row(w, row), characters);
        TRY(writing_pass(w));
    }
    return SEPAL_OK;
}

const struct writer array_writer = {.check = check_array,
                                    .header = array_file_put_header,
                                    .row = array_file_put_row,
                                    .labels = array_file_put_labels};

/* ---- the name of the label file ----------------------------------------------------------- */

/* train-images-idx3-ubyte has its labels in train-labels-idx1-ubyte; other names lose the extension of
   an array and get a new one. */
sepal_status array_labels_path(char **out, struct writing *w, const char *path) {
    const struct array_format *array = w->format->array;
    const char *slash = strrchr(path, '/'), *name = slash ? slash : path;
    const char *found = array->images ? strstr(name, array->images) : NULL;
    bool lines = labels_are_lines(w);
    struct text labels = {0};
    if (found && !lines) {
        text_add(w->ctx, &labels, path, (size_t)(found - path));
        text_puts(w->ctx, &labels, array->labels);
        text_puts(w->ctx, &labels, found + strlen(array->images));
    } else {
        text_add(w->ctx, &labels, path, labels_file_stem(path));
        text_puts(w->ctx, &labels, ".labels");
        text_puts(w->ctx, &labels, lines ? ".txt" : w->format->extensions[0]);
    }
    *out = text_take(w->ctx, &labels);
    return *out ? SEPAL_OK : SEPAL_EMEMORY;
}
