/* The numbers of a data set: blocks of rows, dense or sparse. Block boundaries depend on the row
   number and the width alone, so sums taken block by block are the same bits however the rows came
   in and however many threads add them. */
#ifndef SEPAL_DATA_MATRIX_H
#define SEPAL_DATA_MATRIX_H

#include "core/context.h"
#include "kernels/kernels.h"

#include <float.h>

/* How the values of a block are kept: the least that holds them exactly. */
enum values {
    VALUES_ONES, /* sparse: every value is 1, none is stored */
    VALUES_ROW,  /* sparse: one value per row */
    VALUES_F32,
    VALUES_F64
};

/* Single precision keeps the value exactly. */
static inline bool single_holds(double value) {
    return value >= -FLT_MAX && value <= FLT_MAX && (double)(float)value == value;
}
/* All of them are such, or missing (NaN). */
bool numbers_are_single(const double *numbers, size_t n);
bool numbers_are_zero(const double *numbers, size_t n);

enum { BORROWED_VALUES = 1, BORROWED_INDEX = 2 };

struct block {
    size_t first_row, rows;
    bool sparse;
    enum values values;
    size_t *start;   /* sparse: row i holds entries start[i] .. start[i+1]-1 */
    uint32_t *index; /* sparse: column of each entry, rising within a row */
    float *f32;      /* dense: rows x cols, row-major */
    double *f64;
    unsigned
        borrowed; /* BORROWED_ arrays belong to a file in memory (see struct matrix) or to the caller */
    /* What every row of a sparse block has less than is stored, a number a column; NULL: nothing.
       So sparse rows stay sparse when they are centred. Not owned. */
    const double *centre;
    /* The rows' numbers in their file, from 0 and rising, where records were left out before them;
       NULL: first_row, first_row + 1, ... Goes on for the blocks that follow. Not owned. */
    const size_t *number;
};

/* Entry number `at` of a sparse block, which is one of row i. */
static inline double block_value(const struct block *block, size_t i, size_t at) {
    if (block->values == VALUES_F32) return (double)block->f32[at];
    if (block->values == VALUES_F64) return block->f64[at];
    return block->values == VALUES_ROW ? block->f64[i] : 1;
}

/* What row i of a block is called in certificates, traces and messages. */
static inline size_t row_number(const struct block *block, size_t i) {
    return block->number ? block->number[i] : block->first_row + i;
}

struct matrix {
    size_t rows, cols, nonzeros, block_rows, n_blocks;
    bool sparse;
    struct block *blocks;
    void *file; /* whose bytes are rows of some blocks; NULL: none is */
    size_t file_bytes;
};

size_t matrix_block_rows(size_t cols);
sepal_status matrix_init(struct matrix *matrix, sepal_ctx *ctx, size_t rows, size_t cols,
                         bool sparse);
sepal_status block_alloc(sepal_ctx *ctx, struct block *block, size_t cols, size_t entries);
/* Keep row i of a dense block; returns how many of its numbers are not 0. */
size_t block_store_row(struct block *block, size_t i, const double *row, size_t cols);
void block_clear(struct block *block);
/* Rows [first, first + n) of a block as a block: it owns nothing. */
struct block block_slice(const struct block *block, size_t cols, size_t first, size_t n);
void matrix_clear(struct matrix *matrix);
size_t matrix_bytes(const struct matrix *matrix);

/* Iterates over the blocks in order. */
struct block_iterator {
    const struct matrix *matrix;
    size_t next;
};
static inline const struct block *block_next(struct block_iterator *iterator) {
    return iterator->next < iterator->matrix->n_blocks ? &iterator->matrix->blocks[iterator->next++]
                                                       : NULL;
}

static inline const struct block *matrix_block_of(const struct matrix *matrix, size_t row,
                                                  size_t *local) {
    *local = row % matrix->block_rows;
    return &matrix->blocks[row / matrix->block_rows];
}

/* The first of the rising numbers index[low .. high-1] that is not below `least`; high: there is none. */
static inline size_t index_seek(const uint32_t *index, size_t low, size_t high, size_t least) {
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (index[middle] < least)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Give the rows their numbers in the file; NULL: they are all of them. */
void matrix_set_numbers(struct matrix *matrix, const size_t *number);
static inline size_t matrix_row_number(const struct matrix *matrix, size_t row) {
    size_t i;
    const struct block *block = matrix_block_of(matrix, row, &i);
    return row_number(block, i);
}
/* The row with that number; SIZE_MAX: there is none. */
size_t matrix_find_number(const struct matrix *matrix, size_t number);

/* Row i of a block against a vector of matrix->cols numbers. */
double row_dot(const struct kernels *kernels, const struct block *block, size_t i, size_t cols,
               const double *w);
double row_dot_centred(const struct kernels *kernels, const struct block *block, size_t i,
                       size_t cols, const double *centre, const double *w);
void row_axpy(const struct kernels *kernels, const struct block *block, size_t i, size_t cols,
              double a, double *w);
double row_square_norm(const struct block *block, size_t i, size_t cols);
/* The sum of the squares of a sparse row's entries, whatever its centre. */
double entries_square(const struct block *block, size_t i);
/* The entries of a row one after the other: begin with *at = 0; false at the end. Zeros of dense
   rows are left out, of rows with a centre nothing is. */
bool row_next(const struct block *block, size_t i, size_t cols, size_t *at, size_t *column,
              double *value);
/* Where row_next finds the first entry of row i at or after a column. */
size_t row_seek(const struct block *block, size_t i, size_t column);
/* Row i as numbers in a row, which are returned: `index` has their columns, or is NULL for all of
   them. `centre` (may be NULL) is taken off dense rows. `scratch` has place for `cols` numbers and
   serves where the row is not kept like that. For blocks without a centre of their own. */
size_t row_doubles(const double **x, const uint32_t **index, const struct block *block, size_t i,
                   size_t cols, const double *centre, double *scratch);
size_t row_singles(const float **x, const uint32_t **index, const struct block *block, size_t i,
                   size_t cols, const double *centre, float *scratch);
/* The numbers of a row as doubles, where they are or in `room`, which has place for all columns. For blocks
   without a centre. */
const double *matrix_cells(double *room, sepal_ctx *ctx, const struct matrix *matrix, size_t row);
/* Rows [first, first + n) as dense doubles, minus `centre` (may be NULL), times the root of their
   weight (NULL: 1); out has `stride` doubles from row to row. */
void block_dense(const struct block *block, size_t first, size_t n, size_t cols,
                 const double *centre, const double *root_weight, double *out, size_t stride);
/* The same of a dense block, fast, with one factor for all. */
void block_doubles(const struct kernels *kernels, const struct block *block, size_t first, size_t n,
                   size_t cols, const double *centre, double factor, double *out, size_t stride);
/* Rows [first, first + n) of a dense block, less `centre` (may be NULL), where they are or in `scratch`,
   which has n x cols doubles. */
void block_panel(const double **x, const struct kernels *kernels, const struct block *block,
                 size_t first, size_t n, size_t cols, const double *centre, double *scratch);

/* Sum of `width` numbers over the blocks: `add` adds those of one block to `partial` (zeroed). The
   partial sums are combined by a binary tree over block numbers, whose shape the threads cannot
   change. */
typedef sepal_status (*block_sum_fn)(sepal_ctx *ctx, const struct block *block, double *partial,
                                     void *payload);
sepal_status matrix_sum(double *out, sepal_ctx *ctx, const struct matrix *matrix, size_t width,
                        block_sum_fn add, void *payload);
/* The same on one thread unless sharing `pays`. */
sepal_status matrix_sum_if(bool pays, double *out, sepal_ctx *ctx, const struct matrix *matrix,
                           size_t width, block_sum_fn add, void *payload);

#endif
