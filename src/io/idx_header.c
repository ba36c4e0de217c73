/* The header of idx: two zero bytes, a type, the number of dimensions, and each dimension in four
   bytes, the highest first (Y. LeCun, C. Cortes, C. Burges: the MNIST database, "file formats"). */
#include "io/array_parts.h"

#include <string.h>

static const struct {
    char byte;
    enum element_kind kind;
    size_t bytes;
} types[] = {
    {0x08, ELEMENT_UINT, 1}, {0x09, ELEMENT_INT, 1},   {0x0B, ELEMENT_INT, 2},
    {0x0C, ELEMENT_INT, 4},  {0x0D, ELEMENT_FLOAT, 4}, {0x0E, ELEMENT_FLOAT, 8},
};

bool idx_type(struct array_shape *shape, char byte) {
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (types[i].byte != byte) continue;
        shape->kind = types[i].kind;
        shape->bytes = types[i].bytes;
        return true;
    }
    return false;
}

sepal_status idx_header(struct array_shape *out, sepal_ctx *ctx, struct source *source) {
    enum { TYPE = 2, DIMS = 3, START = 4, DIM_BYTES = 4 };
    const char *bytes, *file = source->file.name;
    size_t n;
    *out = (struct array_shape){
        .format = ARRAY_IDX, .big_endian = true, .type_at = TYPE + 1, .dim_at = START + 1};
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
    size_t length = START + DIM_BYTES * out->dims;
    TRY(source_peek(source, ctx, length, &bytes, &n));
    if (n < length)
        return fail_at(ctx, SEPAL_EDATA, file, 1, n + 1,
                       "the file ends inside its header, after %zu of %zu bytes; it is cut short, "
                       "copy it again",
                       n, length);
    for (size_t i = 0; i < out->dims; i++)
        for (size_t b = 0; b < DIM_BYTES; b++)
            out->dim[i] = out->dim[i] << 8 | (unsigned char)bytes[START + DIM_BYTES * i + b];
    TRY(array_measure(out, ctx, file));
    source_skip(source, length);
    return SEPAL_OK;
}
