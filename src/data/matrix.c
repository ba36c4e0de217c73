#include "data/matrix.h"

#include "core/alloc.h"
#include "core/io.h"

#include <math.h>

size_t matrix_block_rows(size_t cols) {
    /* Up to a megabyte of doubles, which stays in a second-level cache; enough rows for matrix products
       to run at full speed, and so few that threads can share a thousand of them. */
    enum { CELLS = 1 << 17, FEWEST = 256, MOST = 512 };
    size_t rows = MOST;
    while (rows > FEWEST && rows > CELLS / (cols ? cols : 1)) rows /= 2;
    return rows;
}

sepal_status matrix_init(struct matrix *matrix, sepal_ctx *ctx, size_t rows, size_t cols,
                         bool sparse) {
    size_t height = matrix_block_rows(cols), n = (rows + height - 1) / height;
    *matrix = (struct matrix){
        .rows = rows, .cols = cols, .block_rows = height, .n_blocks = n, .sparse = sparse};
    matrix->blocks = mem_zero(ctx, n, sizeof *matrix->blocks);
    if (!matrix->blocks) return SEPAL_EMEMORY;
    for (size_t b = 0; b < n; b++) {
        size_t first = b * height, left = rows - first;
        matrix->blocks[b] = (struct block){
            .first_row = first, .rows = left < height ? left : height, .sparse = sparse};
    }
    return SEPAL_OK;
}

sepal_status block_alloc(sepal_ctx *ctx, struct block *block, size_t cols, size_t entries) {
    size_t values = block->sparse ? entries : block->rows * cols;
    if (!block->sparse && cols && values / cols != block->rows)
        return fail(ctx, SEPAL_EMEMORY, "not enough memory: a block of %zu x %zu numbers",
                    block->rows, cols);
    if (block->sparse) {
        block->start = mem_alloc(ctx, block->rows + 1, sizeof *block->start);
        block->index = mem_alloc(ctx, entries, sizeof *block->index);
        if (!block->start || !block->index) return SEPAL_EMEMORY;
    }
    switch (block->values) {
    case VALUES_ONES: return SEPAL_OK;
    case VALUES_ROW: block->f64 = mem_alloc(ctx, block->rows, sizeof(double)); break;
    case VALUES_F32: block->f32 = mem_alloc(ctx, values, sizeof(float)); break;
    case VALUES_F64: block->f64 = mem_alloc(ctx, values, sizeof(double)); break;
    }
    return block->f32 || block->f64 ? SEPAL_OK : SEPAL_EMEMORY;
}

bool numbers_are_zero(const double *numbers, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (numbers[i] != 0) return false;
    return true;
}

void block_clear(struct block *block) {
    mem_free(block->start);
    if (!(block->borrowed & BORROWED_INDEX)) mem_free(block->index);
    if (!(block->borrowed & BORROWED_VALUES)) {
        mem_free(block->f32);
        mem_free(block->f64);
    }
    *block = (struct block){0};
}

struct block block_slice(const struct block *block, size_t cols, size_t first, size_t n) {
    struct block slice = *block;
    slice.first_row += first;
    slice.rows = n;
    if (block->number) slice.number += first;
    if (block->sparse) {
        slice.start += first; /* where entries are does not change */
        if (block->values == VALUES_ROW) slice.f64 += first;
    } else if (block->f32) {
        slice.f32 += first * cols;
    } else {
        slice.f64 += first * cols;
    }
    return slice;
}

void matrix_clear(struct matrix *matrix) {
    for (size_t b = 0; matrix->blocks && b < matrix->n_blocks; b++) block_clear(&matrix->blocks[b]);
    mem_free(matrix->blocks);
    input_unmap(matrix->file, matrix->file_bytes);
    *matrix = (struct matrix){0};
}

void matrix_set_numbers(struct matrix *matrix, const size_t *number) {
    for (size_t b = 0; b < matrix->n_blocks; b++)
        matrix->blocks[b].number = number ? number + matrix->blocks[b].first_row : NULL;
}

size_t matrix_find_number(const struct matrix *matrix, size_t number) {
    size_t low = 0, high = matrix->rows;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (matrix_row_number(matrix, middle) < number)
            low = middle + 1;
        else
            high = middle;
    }
    return low < matrix->rows && matrix_row_number(matrix, low) == number ? low : SIZE_MAX;
}

size_t matrix_bytes(const struct matrix *matrix) {
    size_t bytes = 0;
    for (size_t b = 0; b < matrix->n_blocks; b++) {
        const struct block *block = &matrix->blocks[b];
        size_t entries = block->sparse ? block->start[block->rows] : block->rows * matrix->cols;
        if (block->sparse) bytes += (block->rows + 1) * sizeof(size_t) + entries * sizeof(uint32_t);
        if (block->values == VALUES_ROW) bytes += block->rows * sizeof(double);
        if (block->values == VALUES_F32) bytes += entries * sizeof(float);
        if (block->values == VALUES_F64) bytes += entries * sizeof(double);
    }
    return bytes;
}

static double stored_dot(const struct kernels *kernels, const struct block *block, size_t i,
                         size_t cols, const double *w) {
    if (!block->sparse)
        return block->f32 ? kernels->dot_f32(block->f32 + i * cols, w, cols)
                          : kernels->dot_f64(block->f64 + i * cols, w, cols);
    size_t at = block->start[i], n = block->start[i + 1] - at;
    const uint32_t *index = block->index + at;
    switch (block->values) {
    case VALUES_ONES: return kernels->gather_ones(index, w, n);
    case VALUES_ROW: return block->f64[i] * kernels->gather_ones(index, w, n);
    case VALUES_F32: return kernels->gather_f32(block->f32 + at, index, w, n);
    case VALUES_F64: break;
    }
    return kernels->gather_f64(block->f64 + at, index, w, n);
}

double row_dot(const struct kernels *kernels, const struct block *block, size_t i, size_t cols,
               const double *w) {
    double dot = stored_dot(kernels, block, i, cols, w);
    return block->centre ? dot - kernels->dot_f64(block->centre, w, cols) : dot;
}

double row_dot_centred(const struct kernels *kernels, const struct block *block, size_t i,
                       size_t cols, const double *centre, const double *w) {
    return block->f32 ? kernels->dot_centred_f32(block->f32 + i * cols, centre, w, cols)
                      : kernels->dot_centred_f64(block->f64 + i * cols, centre, w, cols);
}

void row_axpy(const struct kernels *kernels, const struct block *block, size_t i, size_t cols,
              double a, double *w) {
    if (block->centre) kernels->axpy_f64(-a, block->centre, w, cols);
    if (!block->sparse) {
        if (block->f32)
            kernels->axpy_f32(a, block->f32 + i * cols, w, cols);
        else
            kernels->axpy_f64(a, block->f64 + i * cols, w, cols);
        return;
    }
    size_t at = block->start[i], n = block->start[i + 1] - at;
    const uint32_t *index = block->index + at;
    switch (block->values) {
    case VALUES_ONES: kernels->scatter_ones(a, index, w, n); break;
    case VALUES_ROW: kernels->scatter_ones(a * block->f64[i], index, w, n); break;
    case VALUES_F32: kernels->scatter_f32(a, block->f32 + at, index, w, n); break;
    case VALUES_F64: kernels->scatter_f64(a, block->f64 + at, index, w, n); break;
    }
}

/* The first entry of sparse row i at or after a column. */
static size_t entry_seek(const struct block *block, size_t i, size_t column) {
    return index_seek(block->index, block->start[i], block->start[i + 1], column);
}

size_t row_seek(const struct block *block, size_t i, size_t column) {
    if (!block->sparse || block->centre) return column;
    return entry_seek(block, i, column) - block->start[i];
}

/* Rows with a centre have a value in every column. */
static bool centred_next(const struct block *block, size_t i, size_t cols, size_t *at,
                         size_t *column, double *value) {
    if (*at == cols) return false;
    size_t entry = entry_seek(block, i, *at);
    bool stored = entry < block->start[i + 1] && block->index[entry] == *at;
    *column = (*at)++;
    *value = (stored ? block_value(block, i, entry) : 0) - block->centre[*column];
    return true;
}

bool row_next(const struct block *block, size_t i, size_t cols, size_t *at, size_t *column,
              double *value) {
    if (block->centre) return centred_next(block, i, cols, at, column, value);
    if (block->sparse) {
        size_t entry = block->start[i] + *at;
        if (entry == block->start[i + 1]) return false;
        *column = block->index[entry];
        *value = block_value(block, i, entry);
        ++*at;
        return true;
    }
    for (; *at < cols; ++*at) {
        double x = block->f32 ? (double)block->f32[i * cols + *at] : block->f64[i * cols + *at];
        if (x == 0) continue;
        *column = (*at)++;
        *value = x;
        return true;
    }
    return false;
}

double row_square_norm(const struct block *block, size_t i, size_t cols) {
    double sum = 0, x;
    size_t j = 0;
    if (block->centre) { /* as below, without looking for each column */
        for (size_t at = block->start[i]; at < block->start[i + 1]; at++, j++) {
            for (; j < block->index[at]; j++) sum += block->centre[j] * block->centre[j];
            x = block_value(block, i, at) - block->centre[j];
            sum += x * x;
        }
        for (; j < cols; j++) sum += block->centre[j] * block->centre[j];
        return sum;
    }
    size_t first = block->sparse ? block->start[i] : i * cols,
           end = block->sparse ? block->start[i + 1] : first + cols;
    for (size_t at = first; at < end; at++) {
        x = block_value(block, i, at);
        sum += x * x;
    }
    return sum;
}

/* Some sums side by side: the additions of one wait for each other. */
enum { SQUARE_LANES = 8 };

static double square_of_singles(const float *x, size_t n) {
    double lane[SQUARE_LANES] = {0}, sum = 0;
    size_t k = 0;
    for (; n - k >= SQUARE_LANES; k += SQUARE_LANES)
        for (size_t l = 0; l < SQUARE_LANES; l++) lane[l] += (double)x[k + l] * (double)x[k + l];
    for (; k < n; k++) sum += (double)x[k] * (double)x[k];
    for (size_t l = 0; l < SQUARE_LANES; l++) sum += lane[l];
    return sum;
}

static double square_of_doubles(const double *x, size_t n) {
    double lane[SQUARE_LANES] = {0}, sum = 0;
    size_t k = 0;
    for (; n - k >= SQUARE_LANES; k += SQUARE_LANES)
        for (size_t l = 0; l < SQUARE_LANES; l++) lane[l] += x[k + l] * x[k + l];
    for (; k < n; k++) sum += x[k] * x[k];
    for (size_t l = 0; l < SQUARE_LANES; l++) sum += lane[l];
    return sum;
}

double entries_square(const struct block *block, size_t i) {
    size_t at = block->start[i], n = block->start[i + 1] - at;
    switch (block->values) {
    case VALUES_ONES: return (double)n;
    case VALUES_ROW: return (double)n * block->f64[i] * block->f64[i];
    case VALUES_F32: return square_of_singles(block->f32 + at, n);
    case VALUES_F64: return square_of_doubles(block->f64 + at, n);
    }
    return 0;
}
