/* Arrays, npy and idx, which are told by their first bytes, with their labels in a file beside them:
   by the laws of data_laws.h, and the numbers by a slow reading of the elements. */
#include "fuzz/data_laws.h"
#include "fuzz/fuzz.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What the elements are: a letter of NumPy (b i u f), their bytes and the order of these. */
struct elements {
    char kind;
    size_t bytes;
    bool big_endian, column_major;
    const char *at, *end;
};

/* The idx header; false: not one. */
static bool open_idx(struct elements *out, struct fuzz_bytes file) {
    static const char types[] = "\x08\x09\x0b\x0c\x0d\x0e", kinds[] = "uiiiff", sizes[] = "112448";
    if (file.size < 4 || file.at[0] || file.at[1] || !file.at[2]) return false;
    const char *type = strchr(types, file.at[2]);
    size_t header = 4 + 4 * (size_t)(unsigned char)file.at[3];
    if (!type || header > file.size) return false;
    *out = (struct elements){.kind = kinds[type - types],
                             .bytes = (size_t)(sizes[type - types] - '0'),
                             .big_endian = true,
                             .at = file.at + header,
                             .end = file.at + file.size};
    return true;
}

/* The npy header as NumPy writes it, version 1; false: anything else. */
static bool open_npy(struct elements *out, struct fuzz_bytes file) {
    static const char magic[] = "\x93NUMPY\x01", begin[] = "{'descr': '",
                      then[] = "', 'fortran_order': ";
    if (file.size < 40 || memcmp(file.at, magic, sizeof magic - 1) != 0) return false;
    size_t header =
        10 + (size_t)(unsigned char)file.at[8] + 256 * (size_t)(unsigned char)file.at[9];
    const char *p = file.at + 10;
    if (header > file.size || memcmp(p, begin, sizeof begin - 1) != 0) return false;
    p += sizeof begin - 1;
    bool known = strchr("<>|", p[0]) && strchr("biuf", p[1]) && strchr("1248", p[2]);
    if (!known || memcmp(p + 3, then, sizeof then - 1) != 0) return false;
    *out = (struct elements){.kind = p[1],
                             .bytes = (size_t)(p[2] - '0'),
                             .big_endian = p[0] == '>',
                             .column_major = p[3 + sizeof then - 1] == 'T',
                             .at = file.at + header,
                             .end = file.at + file.size};
    return true;
}

static double half(uint64_t bits) {
    int exponent = (int)(bits >> 10 & 31), fraction = (int)(bits & 1023);
    double size = exponent == 31 ? (fraction ? (double)NAN : (double)INFINITY)
                  : exponent     ? ldexp(1024 + fraction, exponent - 25)
                                 : ldexp(fraction, -24);
    return bits >> 15 ? -size : size;
}

static double element(const struct elements *all, size_t i) {
    uint64_t bits = 0;
    float single;
    double value;
    for (size_t k = 0; k < all->bytes; k++) {
        size_t place = all->big_endian ? k : all->bytes - 1 - k;
        bits = bits << 8 | (unsigned char)all->at[i * all->bytes + place];
    }
    uint64_t sign = (uint64_t)1 << (8 * all->bytes - 1);
    switch (all->kind) {
    case 'b': return bits != 0;
    case 'u': return (double)bits;
    case 'i': return (double)(int64_t)(bits & sign ? bits | ~(sign | (sign - 1)) : bits);
    default: break;
    }
    if (all->bytes == 2) return half(bits);
    uint32_t low = (uint32_t)bits;
    memcpy(&single, &low, sizeof single);
    memcpy(&value, &bits, sizeof value);
    return all->bytes == 4 ? (double)single : value;
}

/* Rows with labels beside them, no column left out: every cell is an element. */
static void element_laws(const char *path, struct fuzz_bytes file) {
    struct elements all;
    sepal_data *data;
    if (!open_idx(&all, file) && !open_npy(&all, file)) return;
    if (data_read(&data, fuzz_ctx(1), path, NULL, NULL, true) != SEPAL_OK) return;
    const struct matrix *matrix = &data->matrix;
    size_t rows = matrix->rows, cols = matrix->cols;
    bool whole = (size_t)(all.end - all.at) == rows * cols * all.bytes;
    for (size_t i = 0; whole && i < rows; i++) {
        size_t local, at = 0, column = 0;
        double value = 0;
        const struct block *block = matrix_block_of(matrix, i, &local);
        bool more = row_next(block, local, cols, &at, &column, &value);
        for (size_t j = 0; j < cols; j++) {
            double wanted = element(&all, all.column_major ? j * rows + i : i * cols + j);
            bool here = more && column == j;
            LAW(here ? value == wanted : wanted == 0, "row %zu, column %zu is %g, not %g", i, j,
                here ? value : 0, wanted);
            if (here) more = row_next(block, local, cols, &at, &column, &value);
        }
    }
    data_free(data);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    struct fuzz_reading reading;
    reading_cut(&reading, bytes, size);
    reading_laws(&reading, "in.npy", "in.labels.npy");
    if (!reading.labels.at || *reading.options) return 0;
    element_laws(fuzz_put("in.npy", reading.data.at, reading.data.size), reading.data);
    return 0;
}
