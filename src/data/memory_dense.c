/* Dense rows from memory. Blocks keep their numbers as they would if they had been read from a file: in
   singles where these hold them, and without -0. A block that is so already is lent. */
#include "data/memory.h"

#include "core/alloc.h"
#include "core/parallel.h"

#include <math.h>
#include <string.h>

struct memory_rows {
    const sepal_input *in;
    const struct memory_codes *codes;
    struct matrix *x;
    size_t row_stride, column_stride;
    atomic_size_t nonzeros;
};

/* ---- the layout --------------------------------------------------------------------------- */

static size_t element_bytes(const sepal_input *in) {
    return in->value_type == SEPAL_F32 ? sizeof(float) : sizeof(double);
}

static void strides_of(const sepal_input *in, size_t *row, size_t *column) {
    bool given = in->row_stride || in->column_stride;
    *row = given ? in->row_stride : in->columns;
    *column = given ? in->column_stride : 1;
}

/* One of the strides steps over all cells that the other one reaches. */
static bool cells_are_apart(const sepal_input *in, size_t row, size_t column) {
    size_t across, down;
    if ((in->rows > 1 && row == 0) || (in->columns > 1 && column == 0)) return false;
    if (__builtin_mul_overflow(in->columns - 1, column, &across) ||
        __builtin_mul_overflow(in->rows - 1, row, &down))
        return false;
    return in->rows == 1 || in->columns == 1 || row > across || column > down;
}

sepal_status memory_check_dense(sepal_ctx *ctx, const sepal_input *in) {
    size_t row, column, across, down, last;
    if (!in->values)
        return fail(ctx, SEPAL_EUSAGE,
                    "a sepal_input has neither values nor row_start; dense rows need the one, "
                    "sparse rows the other");
    if (in->value_type != SEPAL_F64 && in->value_type != SEPAL_F32)
        return fail(ctx, SEPAL_EUSAGE,
                    "values are given as of type %d; they can be SEPAL_F64 or SEPAL_F32",
                    (int)in->value_type);
    if (!memory_is_aligned(in->values, element_bytes(in)))
        return fail(ctx, SEPAL_EUSAGE,
                    "values begin at an address that is no multiple of %zu bytes; copy them to one "
                    "that is",
                    element_bytes(in));
    strides_of(in, &row, &column);
    if (in->columns == 0) return SEPAL_OK;
    if (!cells_are_apart(in, row, column))
        return fail(ctx, SEPAL_EUSAGE,
                    "with a row stride of %zu and a column stride of %zu elements, cells of %zu x "
                    "%zu rows and columns share their places; copy the array, or set both to 0 for "
                    "one row after the other",
                    row, column, in->rows, in->columns);
    if (__builtin_mul_overflow(in->columns - 1, column, &across) || /* never: seen above */
        __builtin_mul_overflow(in->rows - 1, row, &down) ||         /* never: seen above */
        __builtin_add_overflow(across, down, &last) || last >= PTRDIFF_MAX / element_bytes(in))
        return fail(ctx, SEPAL_EDATA, "an array of %zu x %zu numbers is larger than there can be",
                    in->rows, in->columns);
    return SEPAL_OK;
}

/* ---- the rows ----------------------------------------------------------------------------- */

/* Row i as doubles, where they are or in `room`; coded ones always there. */
static const double *memory_row(const struct memory_rows *all, size_t i, double *room) {
    size_t at = i * all->row_stride, step = all->column_stride, cols = all->x->cols;
    if (all->in->value_type == SEPAL_F32) {
        const float *x = (const float *)all->in->values + at;
        for (size_t j = 0; j < cols; j++) room[j] = (double)x[j * step];
        return room;
    }
    const double *x = (const double *)all->in->values + at;
    if (step == 1 && !all->codes->coded) return x;
    for (size_t j = 0; j < cols; j++) room[j] = x[j * step];
    return room;
}

static sepal_status refuse_cell(sepal_ctx *ctx, const double *row, size_t i) {
    size_t j = 0;
    while (isfinite(row[j])) j++;
    if (isnan(row[j]))
        return fail(ctx, SEPAL_EDATA,
                    "row %zu, column %zu is not a finite number but NaN; if that is a missing "
                    "value, name a rule for them (sepal_missing)",
                    i + 1, j + 1);
    return fail(ctx, SEPAL_EDATA, "row %zu, column %zu is not a finite number", i + 1, j + 1);
}

/* Cells as they are given, NaN and codes among them; prepare_count knows what is 0. */
static sepal_status encode_rows(sepal_ctx *ctx, struct memory_rows *all, struct block *block,
                                double *room) {
    size_t cols = all->x->cols;
    block->values = VALUES_F64;
    TRY(block_alloc(ctx, block, cols, 0));
    for (size_t i = 0; i < block->rows; i++) {
        memory_row(all, block->first_row + i, room);
        TRY(memory_encode(all->codes, ctx, all->in, room, block->first_row + i));
        block_store_row(block, i, room, cols);
    }
    return SEPAL_OK;
}

static sepal_status copy_rows(sepal_ctx *ctx, struct memory_rows *all, struct block *block,
                              double *room) {
    size_t cols = all->x->cols, nonzeros = 0, zeros, minus, beyond;
    block->values = VALUES_F32;
    for (size_t i = 0; i < block->rows; i++) {
        const double *row = memory_row(all, block->first_row + i, room);
        ctx->kernels->survey(row, cols, &zeros, &minus, &beyond);
        if (beyond) return refuse_cell(ctx, row, block->first_row + i);
        if (block->values == VALUES_F32 && !numbers_are_single(row, cols))
            block->values = VALUES_F64;
    }
    TRY(block_alloc(ctx, block, cols, 0));
    for (size_t i = 0; i < block->rows; i++)
        nonzeros += block_store_row(block, i, memory_row(all, block->first_row + i, room), cols);
    atomic_fetch_add(&all->nonzeros, nonzeros);
    return SEPAL_OK;
}

static void survey_singles(const float *x, size_t n, size_t *zeros, size_t *odd) {
    *zeros = *odd = 0;
    for (size_t i = 0; i < n; i++) {
        *zeros += x[i] == 0;
        *odd += !isfinite(x[i]) || (x[i] == 0 && signbit(x[i]));
    }
}

/* Whether the block is lent; if not it is still empty. */
static bool lend_rows(sepal_ctx *ctx, struct memory_rows *all, struct block *block) {
    size_t cols = all->x->cols, n = block->rows * cols, at = block->first_row * cols;
    size_t zeros, minus = 0, odd;
    if (all->codes->rank || !all->in->borrow || all->column_stride != 1 || all->row_stride != cols)
        return false;
    if (all->in->value_type == SEPAL_F32) {
        const float *x = (const float *)all->in->values + at;
        survey_singles(x, n, &zeros, &odd);
        if (odd) return false;
        block->values = VALUES_F32;
        block->f32 = (float *)(uintptr_t)x; /* only read from */
    } else {
        const double *x = (const double *)all->in->values + at;
        ctx->kernels->survey(x, n, &zeros, &minus, &odd);
        if (minus || odd || numbers_are_single(x, n)) return false;
        block->values = VALUES_F64;
        block->f64 = (double *)(uintptr_t)x;
    }
    block->borrowed = BORROWED_VALUES;
    atomic_fetch_add(&all->nonzeros, n - zeros);
    return true;
}

static sepal_status memory_block(sepal_ctx *ctx, size_t b, void *payload) {
    struct memory_rows *all = payload;
    struct block *block = &all->x->blocks[b];
    if (lend_rows(ctx, all, block)) return SEPAL_OK;
    double *room = mem_alloc(ctx, all->x->cols, sizeof *room);
    if (!room) return SEPAL_EMEMORY;
    sepal_status status =
        all->codes->coded ? encode_rows(ctx, all, block, room) : copy_rows(ctx, all, block, room);
    mem_free(room);
    return status;
}

sepal_status memory_dense(struct matrix *out, sepal_ctx *ctx, const sepal_input *in,
                          const struct memory_codes *codes) {
    struct memory_rows all = {.in = in, .codes = codes, .x = out};
    atomic_init(&all.nonzeros, 0);
    strides_of(in, &all.row_stride, &all.column_stride);
    TRY(matrix_init(out, ctx, in->rows, in->columns, false));
    TRY(parallel_for(ctx, out->n_blocks, memory_block, &all));
    out->nonzeros = atomic_load(&all.nonzeros);
    return SEPAL_OK;
}
