/* The numbers of a matrix. To be included after cmocka.h. */
#ifndef SEPAL_TESTS_DENSE_ROWS_H
#define SEPAL_TESTS_DENSE_ROWS_H

#include "data/matrix.h"

#include <stdlib.h>

/* All of them, row by row, to be freed. */
static inline double *dense_of(const struct matrix *matrix) {
    double *out = malloc((matrix->rows * matrix->cols + 1) * sizeof *out);
    assert_non_null(out);
    struct block_iterator blocks = {.matrix = matrix};
    for (const struct block *block; (block = block_next(&blocks));)
        block_dense(block, 0, block->rows, matrix->cols, NULL, NULL,
                    out + block->first_row * matrix->cols, matrix->cols);
    return out;
}

#endif
