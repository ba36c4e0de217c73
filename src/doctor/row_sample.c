/* One row by chance out of each of n stretches of rows, so that data which is sorted is covered evenly.
   The numbers do not depend on the user's seed: the same rows have the same findings. */
#include "doctor/row_sample.h"

#include "core/rng.h"

#include <string.h>

enum {
    MOST_ROWS = 2000,
    FEWEST_ROWS = 100,
    MOST_CELLS = 1 << 22, /* 32 MB of numbers */
};

static size_t sample_size(const struct matrix *x) {
    size_t cells = x->sparse ? x->nonzeros / x->rows + 1 : x->cols;
    size_t n = MOST_CELLS / cells;
    if (!x->sparse && n < FEWEST_ROWS) return 0;
    n = n < FEWEST_ROWS ? FEWEST_ROWS : n > MOST_ROWS ? MOST_ROWS : n;
    return n < x->rows ? n : x->rows;
}

static void choose_rows(struct sample *sample, size_t rows) {
    enum { SAMPLE_STREAM = 0x646f63 };
    sample->all = sample->n == rows;
    for (size_t k = 0; k < sample->n; k++) {
        size_t from = (size_t)((double)rows * (double)k / (double)sample->n);
        size_t to = (size_t)((double)rows * (double)(k + 1) / (double)sample->n);
        double unit = rng_unit_at(1, SAMPLE_STREAM, k);
        sample->row[k] = sample->all ? k : from + (size_t)(unit * (double)(to - from));
    }
}

static sepal_status take_dense(struct sample *out, sepal_ctx *ctx, struct arena *arena,
                               const struct matrix *x) {
    out->cells = arena_alloc(ctx, arena, out->n * x->cols, sizeof *out->cells);
    if (!out->cells) return SEPAL_EMEMORY;
    for (size_t k = 0; k < out->n; k++) {
        size_t i;
        const struct block *block = matrix_block_of(x, out->row[k], &i);
        const float *f32 = block->f32 ? block->f32 + i * x->cols : NULL;
        const double *f64 = block->f32 ? NULL : block->f64 + i * x->cols;
        for (size_t j = 0; j < x->cols; j++)
            out->cells[j * out->n + k] = f32 ? (double)f32[j] : f64[j];
    }
    return SEPAL_OK;
}

static sepal_status take_sparse(struct sample *out, sepal_ctx *ctx, struct arena *arena,
                                const struct matrix *x) {
    size_t column, i, entries = 0;
    double value;
    out->start = arena_zero(ctx, arena, x->cols + 2, sizeof *out->start);
    if (!out->start) return SEPAL_EMEMORY;
    size_t *next = out->start + 1; /* where the next entry of a column goes, once they are summed */
    for (size_t k = 0; k < out->n; k++) {
        const struct block *block = matrix_block_of(x, out->row[k], &i);
        for (size_t at = 0; row_next(block, i, x->cols, &at, &column, &value); entries++)
            next[column + 1]++;
    }
    for (size_t j = 0; j < x->cols; j++) next[j + 1] += next[j];
    out->at = arena_alloc(ctx, arena, entries, sizeof *out->at);
    out->value = arena_alloc(ctx, arena, entries, sizeof *out->value);
    if (!out->at || !out->value) return SEPAL_EMEMORY;
    for (size_t k = 0; k < out->n; k++) {
        const struct block *block = matrix_block_of(x, out->row[k], &i);
        for (size_t at = 0; row_next(block, i, x->cols, &at, &column, &value);) {
            out->at[next[column]] = (uint32_t)k;
            out->value[next[column]++] = value;
        }
    }
    return SEPAL_OK;
}

sepal_status sample_take(struct sample *out, sepal_ctx *ctx, struct arena *arena,
                         const sepal_data *data) {
    const struct matrix *x = &data->matrix;
    *out = (struct sample){.n = x->rows && x->cols ? sample_size(x) : 0, .cols = x->cols};
    out->row = arena_alloc(ctx, arena, out->n, sizeof *out->row);
    if (!out->row) return SEPAL_EMEMORY;
    if (out->n == 0) return SEPAL_OK;
    choose_rows(out, x->rows);
    TRY(x->sparse ? take_sparse(out, ctx, arena, x) : take_dense(out, ctx, arena, x));
    if (!data->label) return SEPAL_OK;
    out->label = arena_alloc(ctx, arena, out->n, sizeof *out->label);
    if (!out->label) return SEPAL_EMEMORY;
    out->classes = data->schema->n_classes + data->n_unseen;
    for (size_t k = 0; k < out->n; k++) out->label[k] = data->label[out->row[k]];
    return SEPAL_OK;
}

const double *sample_column(const struct sample *sample, size_t column, double *scratch) {
    if (sample->cells) return sample->cells + column * sample->n;
    memset(scratch, 0, sample->n * sizeof *scratch);
    for (size_t e = sample->start[column]; e < sample->start[column + 1]; e++)
        scratch[sample->at[e]] = sample->value[e];
    return scratch;
}

bool sample_is_thin(const struct sample *sample, size_t column) {
    enum { FEW = 10 };
    return !sample->cells && sample_entries(sample, column) < FEW;
}
