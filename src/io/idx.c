/* idx, the format of MNIST. Its header is two zero bytes, a type, the number of dimensions, and each dimension in four
   bytes, the highest first (Y. LeCun, C. Cortes, C. Burges: the MNIST database, "file formats"). */
#include "io/array.h"
#include "io/write.h"

enum { IDX_MOST_DIMS = 8, IDX_DIM_BYTES = 4 };

static const struct {
    char byte;
    enum element_kind kind;
    size_t bytes;
} types[] = {
    {0x08, ELEMENT_UINT, 1}, {0x09, ELEMENT_INT, 1},   {0x0B, ELEMENT_INT, 2},
    {0x0C, ELEMENT_INT, 4},  {0x0D, ELEMENT_FLOAT, 4}, {0x0E, ELEMENT_FLOAT, 8},
};

/* Set kind and size by the type byte; false when there is no such type. */
static bool idx_type(struct array_shape *shape, char byte) {
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (types[i].byte != byte) continue;
        shape->kind = types[i].kind;
        shape->bytes = types[i].bytes;
        return true;
    }
    return false;
}

static sepal_status idx_header(struct array_shape *out, sepal_ctx *ctx, struct source *source) {
    enum { TYPE = 2, DIMS = 3, START = 4 };
    const char *bytes, *file = source->file.name;
    size_t n;
    out->big_endian = true;
    out->type_at = TYPE + 1;
    out->dim_at = START + 1;
    TRY(source_peek(source, ctx, START, &bytes, &n));
    if (n >= 2 && (bytes[0] || bytes[1]))
        return fail_at(
            ctx, SEPAL_EDATA, file, 1, bytes[0] ? 1 : 2,
            "an idx file begins with two zero bytes, and this one does not; leave out " OPTION
            "format idx to have the format found");
    if (n > TYPE && !idx_type(out, bytes[TYPE]))
        return fail_at(ctx, SEPAL_EDATA, file, 1, TYPE + 1,
                       "0x%02X is no type of idx; there are 08 09 0B 0C 0D 0E",
                       (unsigned char)bytes[TYPE]);
    out->dims = n > DIMS ? (unsigned char)bytes[DIMS] : 1;
    if (out->dims < 1 || out->dims > IDX_MOST_DIMS)
        return fail_at(ctx, SEPAL_EDATA, file, 1, DIMS + 1,
                       "the header says %zu dimensions, and 1 to %d are read; save the array as "
                       "npy, or mend it",
                       out->dims, (int)IDX_MOST_DIMS);
    size_t length = START + IDX_DIM_BYTES * out->dims;
    TRY(source_peek(source, ctx, length, &bytes, &n));
    if (n < length)
        return fail_at(ctx, SEPAL_EDATA, file, 1, n + 1,
                       "the file ends inside its header, after %zu of %zu bytes; it is cut short, "
                       "copy it again",
                       n, length);
    for (size_t i = 0; i < out->dims; i++)
        for (size_t b = 0; b < IDX_DIM_BYTES; b++)
            out->dim[i] = out->dim[i] << 8 | (unsigned char)bytes[START + IDX_DIM_BYTES * i + b];
    source_skip(source, length);
    return SEPAL_OK;
}

static void idx_put_header(struct writing *w, enum array_item item, size_t characters,
                           size_t cols) {
    const char magic[] = {0, 0, *w->format->array->type[item], cols ? 2 : 1};
    (void)characters;
    text_add(w->ctx, &w->text, magic, sizeof magic);
    array_put_bits(w, w->data->matrix.rows, IDX_DIM_BYTES);
    if (cols) array_put_bits(w, cols, IDX_DIM_BYTES);
}

static bool idx_detect(const char *bytes, size_t n) {
    struct array_shape shape;
    if (n < 4 || bytes[0] || bytes[1]) return false;
    return bytes[3] >= 1 && bytes[3] <= IDX_MOST_DIMS && idx_type(&shape, bytes[2]);
}

static const struct array_format idx_array = {
    .header = idx_header,
    .most_dims = IDX_MOST_DIMS,
    .big_endian = true,
    .type = {[ITEM_U8] = "\x08", [ITEM_I32] = "\x0C", [ITEM_F32] = "\x0D", [ITEM_F64] = "\x0E"},
    .put_header = idx_put_header,
    .images = "images-idx3",
    .labels = "labels-idx1",
};

const struct format format_idx = {
    .name = "idx",
    .summary = "array of the MNIST files; labels in a second file",
    .extensions = {".idx"},
    .array = &idx_array,
    .detect = idx_detect,
    .read = read_array,
    .writer = &array_writer,
};
