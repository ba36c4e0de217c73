/* Rows as plain arrays of numbers, whatever they are kept as. */
#include "data/matrix.h"
#include "kernels/singles.h"

/* The entries of a sparse row from `*at` on; of a dense one all. */
static size_t entries_of(const uint32_t **index, size_t *at, const struct block *block, size_t i,
                         size_t cols) {
    *at = block->sparse ? block->start[i] : i * cols;
    *index = block->sparse ? block->index + *at : NULL;
    return block->sparse ? block->start[i + 1] - *at : cols;
}

size_t row_doubles(const double **x, const uint32_t **index, const struct block *block, size_t i,
                   size_t cols, const double *centre, double *room) {
    size_t at, n = entries_of(index, &at, block, i, cols);
    bool off = centre && !block->sparse;
    *x = room;
    if (block->values == VALUES_F64 && !off) {
        *x = block->f64 + at;
    } else if (block->values == VALUES_F64) {
        for (size_t j = 0; j < n; j++) room[j] = block->f64[at + j] - centre[j];
    } else if (block->values == VALUES_F32) {
        for (size_t j = 0; j < n; j++) room[j] = (double)block->f32[at + j] - (off ? centre[j] : 0);
    } else {
        double value = block->values == VALUES_ROW ? block->f64[i] : 1;
        for (size_t j = 0; j < n; j++) room[j] = value;
    }
    return n;
}

size_t row_singles(const float **x, const uint32_t **index, const struct block *block, size_t i,
                   size_t cols, const double *centre, float *room) {
    size_t at, n = entries_of(index, &at, block, i, cols);
    bool off = centre && !block->sparse;
    *x = room;
    if (block->values == VALUES_F32 && !off) {
        *x = block->f32 + at;
    } else if (block->values == VALUES_F32) {
        for (size_t j = 0; j < n; j++) room[j] = (float)((double)block->f32[at + j] - centre[j]);
    } else if (block->values == VALUES_F64 && off) {
        for (size_t j = 0; j < n; j++) room[j] = (float)(block->f64[at + j] - centre[j]);
    } else if (block->values == VALUES_F64) {
        singles_round(room, block->f64 + at, n);
    } else {
        float value = block->values == VALUES_ROW ? (float)block->f64[i] : 1;
        for (size_t j = 0; j < n; j++) room[j] = value;
    }
    return n;
}
