/* Tasks own the sums of one class, or of a stripe of its columns where a class has more rows than a
   thread's part. So the rows are read once, and no partial sums are needed: classes times columns
   are often more numbers than a block of sparse rows has entries. */
#include "statistics/class_sums.h"

#include "core/parallel.h"

#include <string.h>

struct class_part {
    size_t class, from, end; /* columns [from, end) */
    size_t negative_row, other_row;
};

struct class_summing {
    const sepal_data *data;
    struct class_sums *out;
    size_t *rows;  /* all of them, class after class */
    size_t *start; /* of each class in `rows` */
    struct class_part *parts;
    size_t n_parts;
};

/* ---- the numbers of a row in some columns --------------------------------------------------- */

struct run {
    size_t n;
    const uint32_t *index; /* NULL: columns one after the other */
    const float *f32;
    const double *f64;
    double value; /* of all, without f32 and f64 */
};

static struct run run_of(const struct block *block, size_t i, size_t cols, size_t from,
                         size_t end) {
    if (!block->sparse)
        return (struct run){.n = end - from,
                            .f32 = block->f32 ? block->f32 + i * cols + from : NULL,
                            .f64 = block->f64 ? block->f64 + i * cols + from : NULL};
    size_t at = block->start[i], past = block->start[i + 1];
    if (end < cols) past = at + row_seek(block, i, end);
    if (from > 0) at += row_seek(block, i, from);
    struct run run = {.n = past - at, .index = block->index + at, .value = 1};
    if (block->values == VALUES_ROW) run.value = block->f64[i];
    if (block->values == VALUES_F32) run.f32 = block->f32 + at;
    if (block->values == VALUES_F64) run.f64 = block->f64 + at;
    return run;
}

static double run_value(const struct run *run, size_t e) {
    if (run->f32) return (double)run->f32[e];
    return run->f64 ? run->f64[e] : run->value;
}

/* Whether the sign of any number in these bytes is set, each of them `size` bytes long: two floats or
   one double at a time, as this costs more than the sums when it is done number by number. */
static bool has_sign(const void *numbers, size_t n, size_t size) {
    const unsigned char *bytes = numbers, *end = bytes + n * size;
    uint64_t word, seen = 0, last = 0;
    for (; (size_t)(end - bytes) >= sizeof word; bytes += sizeof word) {
        memcpy(&word, bytes, sizeof word);
        seen |= word;
    }
    memcpy(&last, bytes, (size_t)(end - bytes));
    uint64_t signs = size == sizeof(float) ? UINT64_C(0x8000000080000000) : UINT64_C(1) << 63;
    return ((seen | last) & signs) != 0;
}

static bool run_is_negative(const struct run *run) {
    if (run->f32 ? !has_sign(run->f32, run->n, sizeof *run->f32)
                 : run->f64 && !has_sign(run->f64, run->n, sizeof *run->f64))
        return false;
    if (!run->f32 && !run->f64) return run->n > 0 && run->value < 0;
    for (size_t e = 0; e < run->n; e++)
        if (run_value(run, e) < 0) return true;
    return false;
}

static void class_sums_add_values(const struct run *run, const struct kernels *kernels, double a,
                                  double *to) {
    if (!run->index && run->f32)
        kernels->axpy_f32(a, run->f32, to, run->n);
    else if (!run->index)
        kernels->axpy_f64(a, run->f64, to, run->n);
    else if (run->f32)
        kernels->scatter_f32(a, run->f32, run->index, to, run->n);
    else if (run->f64)
        kernels->scatter_f64(a, run->f64, run->index, to, run->n);
    else
        kernels->scatter_ones(a * run->value, run->index, to, run->n);
}

/* Returns whether every value was 0 or 1. */
static bool class_sums_add_bits(const struct run *run, double a, double *to) {
    bool bits = true;
    for (size_t e = 0; e < run->n; e++) {
        double x = run_value(run, e);
        if (x > 0) to[run->index ? run->index[e] : e] += a;
        bits = bits && (x == 1 || x == 0);
    }
    return bits;
}

/* ---- a part of the sums --------------------------------------------------------------------- */

static void class_sums_note_row(size_t *first, bool found, size_t row) {
    if (found && *first == SIZE_MAX) *first = row;
}

/* Rows with a centre have a value in every column. */
static void add_centred(const struct class_summing *all, struct class_part *part,
                        const struct block *block, size_t i, double a, double *sum) {
    double x;
    for (size_t at = row_seek(block, i, part->from), j;
         row_next(block, i, part->end, &at, &j, &x);) {
        if (!all->out->bits)
            sum[j] += a * x;
        else if (x > 0)
            sum[j] += a;
        class_sums_note_row(&part->negative_row, x < 0, block->first_row + i);
        class_sums_note_row(&part->other_row, x != 0 && x != 1, block->first_row + i);
    }
}

/* Rows of a class need not follow each other in memory, so the processor does not see the next one
   coming: a third of the time when classes alternate. */
static void class_sums_fetch(const struct matrix *matrix, size_t row) {
    enum { LINE = 16 }; /* indices, or floats, that share a cache line */
    size_t i;
    const struct block *block = matrix_block_of(matrix, row, &i);
    for (size_t e = block->start[i]; e < block->start[i + 1]; e += LINE) {
        __builtin_prefetch(block->index + e);
        if (block->f32) __builtin_prefetch(block->f32 + e);
    }
}

static sepal_status class_sums_add_part(sepal_ctx *ctx, size_t p, void *payload) {
    const struct class_summing *all = payload;
    const struct matrix *matrix = &all->data->matrix;
    struct class_part *part = &all->parts[p];
    double *sum = all->out->sum + part->class * matrix->cols;
    memset(sum + part->from, 0, (part->end - part->from) * sizeof *sum);
    for (size_t at = all->start[part->class]; at < all->start[part->class + 1]; at++) {
        size_t i, row = all->rows[at];
        const struct block *block = matrix_block_of(matrix, row, &i);
        double a = data_weight(all->data, row);
        if (matrix->sparse && at + 1 < all->start[part->class + 1])
            class_sums_fetch(matrix, all->rows[at + 1]);
        if (block->centre) {
            add_centred(all, part, block, i, a, sum);
            continue;
        }
        struct run run = run_of(block, i, matrix->cols, part->from, part->end);
        double *to = run.index ? sum : sum + part->from;
        if (all->out->bits)
            class_sums_note_row(&part->other_row, !class_sums_add_bits(&run, a, to), row);
        else
            class_sums_add_values(&run, ctx->kernels, a, to);
        class_sums_note_row(&part->negative_row, run_is_negative(&run), row);
    }
    return SEPAL_OK;
}

/* ---- who adds what -------------------------------------------------------------------------- */

static sepal_status sort_rows(struct class_summing *all, sepal_ctx *ctx, struct arena *arena) {
    const sepal_data *data = all->data;
    size_t classes = data->schema->n_classes, rows = data->matrix.rows;
    all->rows = arena_alloc(ctx, arena, rows, sizeof *all->rows);
    all->start = arena_zero(ctx, arena, classes + 2, sizeof *all->start);
    if (!all->rows || !all->start) return SEPAL_EMEMORY;
    memset(all->out->weight, 0, classes * sizeof *all->out->weight);
    size_t *next = all->start + 1; /* moves on from the start of each class to that of the next */
    for (size_t i = 0; i < rows; i++) next[data->label[i] + 1]++;
    for (size_t k = 0; k < classes; k++) next[k + 1] += next[k];
    for (size_t i = 0; i < rows; i++) {
        all->rows[next[data->label[i]]++] = i;
        all->out->weight[data->label[i]] += data_weight(data, i);
    }
    return SEPAL_OK;
}

/* Stripes of about as many entries in some of the rows of a class. */
static sepal_status split_sparse(struct class_part *parts, size_t n,
                                 const struct class_summing *all, sepal_ctx *ctx,
                                 struct arena *arena) {
    enum { SAMPLE = 256 };
    const struct matrix *matrix = &all->data->matrix;
    const size_t *rows = all->rows + all->start[parts->class];
    size_t n_rows = all->start[parts->class + 1] - all->start[parts->class], entries = 0, seen = 0;
    size_t step = n_rows / SAMPLE + 1, p = 1;
    size_t *count = arena_zero(ctx, arena, matrix->cols, sizeof *count);
    if (!count) return SEPAL_EMEMORY;
    for (size_t at = 0; at < n_rows; at += step) {
        size_t i;
        const struct block *block = matrix_block_of(matrix, rows[at], &i);
        for (size_t e = block->start[i]; e < block->start[i + 1]; e++, entries++)
            count[block->index[e]]++;
    }
    for (size_t j = 0; j < matrix->cols; j++) {
        while (p < n && seen * n >= entries * p) parts[p].from = parts[p - 1].end = j, p++;
        seen += count[j];
    }
    while (p < n) parts[p].from = parts[p - 1].end = matrix->cols, p++;
    parts[n - 1].end = matrix->cols;
    return SEPAL_OK;
}

static sepal_status class_sums_split(struct class_summing *all, sepal_ctx *ctx,
                                     struct arena *arena) {
    const struct matrix *matrix = &all->data->matrix;
    size_t classes = all->data->schema->n_classes, width = parallel_width(ctx);
    all->parts = arena_alloc(ctx, arena, classes + 2 * width, sizeof *all->parts);
    if (!all->parts) return SEPAL_EMEMORY;
    for (size_t k = 0; k < classes; k++) {
        double fraction = (double)(all->start[k + 1] - all->start[k]) / (double)matrix->rows;
        size_t n = (size_t)(fraction * (double)width + 0.5);
        struct class_part *parts = all->parts + all->n_parts;
        if (n > matrix->cols) n = matrix->cols;
        if (n < 1) n = 1;
        for (size_t p = 0; p < n; p++)
            parts[p] =
                (struct class_part){.class = k,
                                    .from = matrix->cols / n * p,
                                    .end = p + 1 < n ? matrix->cols / n * (p + 1) : matrix->cols,
                                    .negative_row = SIZE_MAX,
                                    .other_row = SIZE_MAX};
        if (n > 1 && matrix->sparse) TRY(split_sparse(parts, n, all, ctx, arena));
        all->n_parts += n;
    }
    return SEPAL_OK;
}

sepal_status class_sums(struct class_sums *out, sepal_ctx *ctx, struct arena *arena,
                        const sepal_data *data) {
    struct class_summing all = {.data = data, .out = out};
    out->negative_row = out->other_row = SIZE_MAX;
    TRY(sort_rows(&all, ctx, arena));
    TRY(class_sums_split(&all, ctx, arena));
    TRY(parallel_for(ctx, all.n_parts, class_sums_add_part, &all));
    for (size_t p = 0; p < all.n_parts; p++) {
        const struct class_part *part = &all.parts[p];
        if (part->negative_row < out->negative_row) out->negative_row = part->negative_row;
        if (part->other_row < out->other_row) out->other_row = part->other_row;
    }
    return SEPAL_OK;
}
