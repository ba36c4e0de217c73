/* Rows as plain arrays of numbers, whatever they are kept as. */
#include "data/matrix.h"
#include "kernels/f32_panels.h"

#include <string.h>

/* The entries of a sparse row from `*at` on; of a dense one all. */
static size_t matrix_entries_of(const uint32_t **index, size_t *at, const struct block *block,
                                size_t i, size_t cols) {
    *at = block->sparse ? block->start[i] : i * cols;
    *index = block->sparse ? block->index + *at : NULL;
    return block->sparse ? block->start[i + 1] - *at : cols;
}

size_t row_doubles(const double **x, const uint32_t **index, const struct block *block, size_t i,
                   size_t cols, const double *centre, double *scratch) {
    size_t at, n = matrix_entries_of(index, &at, block, i, cols);
    bool off = centre && !block->sparse;
    *x = scratch;
    if (block->values == VALUES_F64 && !off) {
        *x = block->f64 + at;
    } else if (block->values == VALUES_F64) {
        for (size_t j = 0; j < n; j++) scratch[j] = block->f64[at + j] - centre[j];
    } else if (block->values == VALUES_F32) {
        for (size_t j = 0; j < n; j++)
            scratch[j] = (double)block->f32[at + j] - (off ? centre[j] : 0);
    } else {
        double value = block->values == VALUES_ROW ? block->f64[i] : 1;
        for (size_t j = 0; j < n; j++) scratch[j] = value;
    }
    return n;
}

/* Four at a time, which compilers make vectors of. */
static void less_f64(double *restrict out, const double *restrict x, const double *restrict c,
                     size_t n) {
    size_t j = 0;
    for (; n - j >= 4; j += 4) {
        out[j] = x[j] - c[j];
        out[j + 1] = x[j + 1] - c[j + 1];
        out[j + 2] = x[j + 2] - c[j + 2];
        out[j + 3] = x[j + 3] - c[j + 3];
    }
    for (; j < n; j++) out[j] = x[j] - c[j];
}

/* Row i less the centre, which may be NULL. */
static void dense_row(const struct block *block, size_t i, size_t cols, const double *centre,
                      double *out) {
    if (!block->sparse && block->f64) {
        if (centre)
            less_f64(out, block->f64 + i * cols, centre, cols);
        else
            memcpy(out, block->f64 + i * cols, cols * sizeof *out);
        return;
    }
    if (block->sparse) {
        memset(out, 0, cols * sizeof *out);
        for (size_t at = block->start[i]; at < block->start[i + 1]; at++)
            out[block->index[at]] = block_value(block, i, at);
        for (size_t j = 0; block->centre && j < cols; j++) out[j] -= block->centre[j];
    } else {
        const float *x = block->f32 + i * cols;
        for (size_t j = 0; j < cols; j++) out[j] = (double)x[j];
    }
    for (size_t j = 0; centre && j < cols; j++) out[j] -= centre[j];
}

void block_dense(const struct block *block, size_t first, size_t n, size_t cols,
                 const double *centre, const double *root_weight, double *out, size_t stride) {
    for (size_t i = first; i < first + n; i++, out += stride) {
        dense_row(block, i, cols, centre, out);
        if (!root_weight) continue;
        double root = root_weight[block->first_row + i];
        for (size_t j = 0; j < cols; j++) out[j] *= root;
    }
}

void block_doubles(const struct kernels *kernels, const struct block *block, size_t first, size_t n,
                   size_t cols, const double *centre, double factor, double *out, size_t stride) {
    bool whole = stride == cols && !centre; /* one row after the other: as one */
    size_t rows = whole ? 1 : n, length = whole ? n * cols : cols;
    for (size_t i = 0, at = first * cols; i < rows; i++, at += cols, out += stride) {
        if (block->f32)
            kernels->shift_f32(out, block->f32 + at, centre, factor, length);
        else
            kernels->shift_f64(out, block->f64 + at, centre, factor, length);
    }
}

const double *matrix_cells(double *room, sepal_ctx *ctx, const struct matrix *matrix, size_t row) {
    size_t local;
    const struct block *block = matrix_block_of(matrix, row, &local);
    if (block->sparse)
        block_dense(block, local, 1, matrix->cols, NULL, NULL, room, matrix->cols);
    else if (block->f64)
        return block->f64 + local * matrix->cols;
    else
        block_doubles(ctx->kernels, block, local, 1, matrix->cols, NULL, 1, room, matrix->cols);
    return room;
}

void block_panel(const double **x, const struct kernels *kernels, const struct block *block,
                 size_t first, size_t n, size_t cols, const double *centre, double *scratch) {
    const double *rows = scratch;
    if (block->values == VALUES_F64 && !centre)
        rows = block->f64 + first * cols;
    else
        block_doubles(kernels, block, first, n, cols, centre, 1, scratch, cols);
    for (size_t i = 0; i < n; i++) x[i] = rows + i * cols;
}

size_t row_singles(const float **x, const uint32_t **index, const struct block *block, size_t i,
                   size_t cols, const double *centre, float *scratch) {
    size_t at, n = matrix_entries_of(index, &at, block, i, cols);
    bool off = centre && !block->sparse;
    *x = scratch;
    if (block->values == VALUES_F32 && !off) {
        *x = block->f32 + at;
    } else if (block->values == VALUES_F32) {
        for (size_t j = 0; j < n; j++) scratch[j] = (float)((double)block->f32[at + j] - centre[j]);
    } else if (block->values == VALUES_F64 && off) {
        for (size_t j = 0; j < n; j++) scratch[j] = (float)(block->f64[at + j] - centre[j]);
    } else if (block->values == VALUES_F64) {
        f32_panels_round(scratch, block->f64 + at, n);
    } else {
        float value = block->values == VALUES_ROW ? (float)block->f64[i] : 1;
        for (size_t j = 0; j < n; j++) scratch[j] = value;
    }
    return n;
}

/* ---- from plain arrays ------------------------------------------------------------------------ */

/* Some at a time, without a branch. Where a number is infinite the difference is none. */
bool numbers_are_single(const double *numbers, size_t n) {
    enum { SOME = 64 };
    float rounded[SOME];
    for (size_t i = 0, some; i < n; i += some) {
        double odd = 0;
        const double *x = numbers + i;
        some = n - i < SOME ? n - i : SOME;
        f32_panels_round(rounded, x, some);
        for (size_t j = 0; j < some; j++)
            odd += x[j] != x[j] || x[j] - (double)rounded[j] == 0 ? 0 : 1;
        if (odd > 0) return false;
    }
    return true;
}

/* -0 is 0 in every format. */
size_t block_store_row(struct block *block, size_t i, const double *row, size_t cols) {
    size_t nonzeros = 0;
    float *f32 = block->f32 ? block->f32 + i * cols : NULL;
    double *f64 = block->f32 ? NULL : block->f64 + i * cols;
    for (size_t j = 0; j < cols; j++) nonzeros += row[j] != 0;
    for (size_t j = 0; f32 && j < cols; j++) f32[j] = (float)(row[j] + 0.0);
    for (size_t j = 0; f64 && j < cols; j++) f64[j] = row[j] + 0.0;
    return nonzeros;
}
