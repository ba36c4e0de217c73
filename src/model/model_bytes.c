/* The bytes of a model file, which may be damaged or made to harm. First its beginning, which says
   what it is; nothing more is read of anything else. Then the header, which has a bounded length
   and says how long the file is. Then as much as that and not a byte more, and the checksum. */
#include "model/model_bytes.h"

#include "core/alloc.h"
#include "model/checksum.h"
#include "model/fields.h"
#include "model/model_file.h"

#include <string.h>

uint64_t model_u64(const char *bytes) {
    uint64_t number = 0;
    for (int i = 8; i-- > 0;) number = number << 8 | (unsigned char)bytes[i];
    return number;
}

sepal_status model_bytes_open(struct model_bytes *file, sepal_ctx *ctx, const char *path) {
    *file = (struct model_bytes){.ctx = ctx};
    return input_open(&file->in, ctx, path, SEPAL_EMODEL);
}

void model_bytes_lend(struct model_bytes *file, sepal_ctx *ctx, const void *bytes, size_t n) {
    *file = (struct model_bytes){.ctx = ctx, .lent = bytes, .lent_size = n};
    file->bytes = (char *)(uintptr_t)bytes; /* only read from */
}

void model_bytes_close(struct model_bytes *file) {
    if (file->lent) return;
    input_close(&file->in);
    mem_free(file->bytes);
}

/* Read on until `wanted` bytes are there or the file ends. The block grows with what has come, not
   with what was promised. */
static sepal_status read_to(struct model_bytes *file, size_t wanted) {
    enum { STEP = 1 << 16 };
    if (file->lent) {
        file->size = wanted < file->lent_size ? wanted : file->lent_size;
        return SEPAL_OK;
    }
    while (file->size < wanted) {
        if (file->size == file->room) {
            size_t room = file->room < STEP ? STEP : 2 * file->room;
            if (room > wanted) room = wanted;
            char *more = mem_resize(file->ctx, file->bytes, room, 1);
            if (!more) return SEPAL_EMEMORY;
            file->bytes = more;
            file->room = room;
        }
        size_t got;
        TRY(input_read(file->ctx, &file->in, file->bytes + file->size, file->room - file->size,
                       &got));
        if (got == 0) return SEPAL_OK;
        file->size += got;
    }
    return SEPAL_OK;
}

static sepal_status model_bytes_cut_short(struct model_bytes *file, size_t has, size_t wanted) {
    return fail(file->ctx, SEPAL_EMODEL,
                "this model file is cut short: it has %zu of at least %zu bytes; copy it again or "
                "train the model again",
                has, wanted);
}

static bool holds(const struct model_bytes *file, size_t at, const char *text) {
    size_t length = strlen(text);
    return file->size >= at + length && memcmp(file->bytes + at, text, length) == 0;
}

static sepal_status check_version(struct model_bytes *file) {
    const char *version = file->bytes + MODEL_VERSION_AT;
    size_t room = file->size - MODEL_VERSION_AT, length = 0;
    while (length < room && version[length] >= '0' && version[length] <= '9') length++;
    bool number = length > 0 && length < room && version[length] == '"' && *version != '0';
    char shown[TEXT_SHOWN_BYTES];
    if (!number) return invalid(file->ctx, "its format version is not a number");
    if (!slice_is((struct slice){version, length}, MODEL_FORMAT_VERSION))
        return fail(
            file->ctx, SEPAL_EMODEL,
            "this model has format version %s and this sepal reads version " MODEL_FORMAT_VERSION
            "; it was written by a newer sepal, install that one",
            text_shown(shown, version, length));
    return SEPAL_OK;
}

sepal_status model_bytes_header(struct model_bytes *file) {
    enum { BEGINNING = MODEL_DIGITS_AT + CHECKSUM_DIGITS };
    TRY(read_to(file, BEGINNING));
    if (file->size == 0)
        return fail(file->ctx, SEPAL_EMODEL, "the file is empty; sepal train -o makes a model");
    if (!holds(file, MODEL_LENGTH_BYTES, MODEL_BEGIN))
        return fail(file->ctx, SEPAL_EMODEL, "this is not a sepal model; sepal train -o makes one");
    if (file->size == BEGINNING) TRY(check_version(file));
    if (file->size < BEGINNING) return model_bytes_cut_short(file, file->size, BEGINNING);
    if (!holds(file, MODEL_VERSION_AT, MODEL_FORMAT_VERSION MODEL_THEN))
        return invalid(file->ctx, "it has no checksum");
    uint64_t length = model_u64(file->bytes);
    if (length > MODEL_MOST_HEADER || length + MODEL_LENGTH_BYTES <= BEGINNING ||
        (length + MODEL_LENGTH_BYTES) % MODEL_ALIGNMENT)
        return invalid(file->ctx, "a header of %llu bytes is too long, too short or not aligned",
                       (unsigned long long)length);
    file->data_at = MODEL_LENGTH_BYTES + (size_t)length;
    TRY(read_to(file, file->data_at));
    if (file->size < file->data_at) return model_bytes_cut_short(file, file->size, file->data_at);
    if (file->bytes[BEGINNING] != '"')
        return invalid(file->ctx, "its checksum has more than %d digits", CHECKSUM_DIGITS);
    return SEPAL_OK;
}

static sepal_status check_checksum(struct model_bytes *file) {
    char right[CHECKSUM_DIGITS];
    const char *digits = file->bytes + MODEL_DIGITS_AT;
    checksum_print(right, checksum_file(file->bytes, file->size, MODEL_DIGITS_AT));
    if (memcmp(digits, right, sizeof right) == 0) return SEPAL_OK;
    char shown[TEXT_SHOWN_BYTES];
    return fail(file->ctx, SEPAL_EMODEL,
                "this model file is damaged: it says its checksum is '%s', and it is %.*s; copy it "
                "again or train the model again",
                text_shown(shown, digits, CHECKSUM_DIGITS), CHECKSUM_DIGITS, right);
}

sepal_status model_bytes_rest(struct model_bytes *file) {
    size_t real = file->lent ? file->lent_size : input_size(&file->in), got = 0;
    if (real < file->whole) return model_bytes_cut_short(file, real, file->whole);
    if (real == SIZE_MAX && file->whole > MODEL_LARGEST_STREAM)
        return invalid(file->ctx, "%zu bytes are more than a model has that is no regular file",
                       file->whole);
    TRY(read_to(file, file->whole));
    if (file->size < file->whole) return model_bytes_cut_short(file, file->size, file->whole);
    char surplus;
    if (!file->lent) TRY(input_read(file->ctx, &file->in, &surplus, 1, &got));
    if (got > 0 || file->lent_size > file->whole)
        return invalid(file->ctx, "it has more than its %zu bytes", file->whole);
    return check_checksum(file);
}
