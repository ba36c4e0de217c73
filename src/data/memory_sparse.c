/* Sparse rows from memory (CSR). One pass over a block looks at every number that is given; what is kept of
   them is what would be kept of a file: values in the least form that holds them, and no zeros. Indices
   of 32 bits and values that have that form already are lent. */
#include "data/memory.h"

#include "core/alloc.h"
#include "core/parallel.h"
#include "data/entries.h"

#include <math.h>

struct memory_entries {
    const sepal_input *in;
    struct matrix *x;
    atomic_size_t nonzeros;
};

/* ---- what is given ------------------------------------------------------------------------ */

/* Negative ones are as far beyond everything as can be. */
static size_t whole_at(const void *numbers, sepal_type type, size_t i) {
    if (!numbers) return SIZE_MAX; /* never: check_whole */
    int64_t number =
        type == SEPAL_I32 ? ((const int32_t *)numbers)[i] : ((const int64_t *)numbers)[i];
    return number < 0 ? SIZE_MAX : (size_t)number;
}

static double value_at(const sepal_input *in, size_t at) {
    if (!in->values) return 1;
    if (in->value_type == SEPAL_F32) return (double)((const float *)in->values)[at];
    return ((const double *)in->values)[at];
}

static sepal_status check_whole(sepal_ctx *ctx, const char *name, const void *numbers,
                                sepal_type type) {
    if (!numbers)
        return fail(ctx, SEPAL_EUSAGE, "a sepal_input of sparse rows has NULL for '%s'", name);
    if (type != SEPAL_I32 && type != SEPAL_I64)
        return fail(ctx, SEPAL_EUSAGE,
                    "%s is given as of type %d; it can be SEPAL_I32 or SEPAL_I64", name, (int)type);
    if (!memory_is_aligned(numbers, type == SEPAL_I32 ? sizeof(int32_t) : sizeof(int64_t)))
        return fail(ctx, SEPAL_EUSAGE, "%s is not aligned for its type; copy it to where it is",
                    name);
    return SEPAL_OK;
}

sepal_status memory_check_sparse(sepal_ctx *ctx, const sepal_input *in) {
    TRY(check_whole(ctx, "row_start", in->row_start, in->row_start_type));
    if (in->entries) TRY(check_whole(ctx, "index", in->index, in->index_type));
    if (in->value_type != SEPAL_F64 && in->value_type != SEPAL_F32)
        return fail(ctx, SEPAL_EUSAGE,
                    "values are given as of type %d; they can be SEPAL_F64 or SEPAL_F32",
                    (int)in->value_type);
    size_t bytes = in->value_type == SEPAL_F32 ? sizeof(float) : sizeof(double);
    if (in->values && !memory_is_aligned(in->values, bytes))
        return fail(ctx, SEPAL_EUSAGE,
                    "values are not aligned for their type; copy them to where "
                    "they are");
    if (in->row_stride || in->column_stride)
        return fail(ctx, SEPAL_EUSAGE, "sparse rows have no strides; leave them 0");
    return SEPAL_OK;
}

/* ---- looking at it ------------------------------------------------------------------------ */

struct entries_seen {
    size_t zeros;
    bool ones, constant, single;
};

static sepal_status check_column(sepal_ctx *ctx, const struct memory_entries *all, size_t row,
                                 size_t at, size_t first) {
    const sepal_input *in = all->in;
    size_t column = whole_at(in->index, in->index_type, at);
    if (column >= in->columns)
        return fail(ctx, SEPAL_EDATA,
                    "entry %zu of row %zu is in column %lld; columns count from 0, and there are "
                    "%zu",
                    at - first + 1, row + 1, column == SIZE_MAX ? -1LL : (long long)column,
                    in->columns);
    if (at == first) return SEPAL_OK;
    size_t before = whole_at(in->index, in->index_type, at - 1);
    if (column == before)
        return fail(ctx, SEPAL_EDATA, "row %zu has two entries in column %zu (from 0); add them up",
                    row + 1, column);
    if (column < before)
        return fail(ctx, SEPAL_EDATA,
                    "the columns of row %zu do not rise: %zu comes after %zu; sort each row by its "
                    "index",
                    row + 1, column, before);
    return SEPAL_OK;
}

static sepal_status look_at_row(struct entries_seen *seen, sepal_ctx *ctx,
                                const struct memory_entries *all, size_t row) {
    const sepal_input *in = all->in;
    size_t first = whole_at(in->row_start, in->row_start_type, row);
    size_t end = whole_at(in->row_start, in->row_start_type, row + 1);
    if (first > end || end > in->entries)
        return fail(
            ctx, SEPAL_EDATA,
            "row_start of row %zu says that it has the entries from %lld up to %lld, of %zu; "
            "it must not fall, nor go beyond them",
            row + 1, (long long)first, (long long)end, in->entries);
    for (size_t at = first; at < end; at++) {
        double value = value_at(in, at);
        TRY(check_column(ctx, all, row, at, first));
        if (!isfinite(value))
            return fail(ctx, SEPAL_EDATA, "row %zu, column %zu is not a finite number", row + 1,
                        whole_at(in->index, in->index_type, at) + 1);
        seen->zeros += value == 0;
        if (value != 1) seen->ones = false;
        if (value != value_at(in, first)) seen->constant = false;
        if (seen->single && !single_holds(value)) seen->single = false;
    }
    return SEPAL_OK;
}

/* ---- keeping it --------------------------------------------------------------------------- */

static sepal_status copy_entries(struct entries *entries, sepal_ctx *ctx,
                                 const struct memory_entries *all, struct block *block) {
    const sepal_input *in = all->in;
    TRY(entries_init(entries, ctx, block->rows));
    for (size_t i = 0; i < block->rows; i++) {
        size_t row = block->first_row + i;
        size_t end = whole_at(in->row_start, in->row_start_type, row + 1);
        for (size_t at = whole_at(in->row_start, in->row_start_type, row); at < end; at++)
            TRY(entries_push(entries, ctx, whole_at(in->index, in->index_type, at),
                             value_at(in, at)));
        entries->start[i + 1] = entries->n;
    }
    return entries_to_block(entries, ctx, block);
}

/* The values of a block that begins at entry `first`: where they are, or in the form that is due. */
static sepal_status lend_values(sepal_ctx *ctx, const sepal_input *in, struct block *block,
                                size_t first) {
    size_t n = block->start[block->rows];
    if (block->values == VALUES_F32 && in->value_type == SEPAL_F32) {
        block->f32 = (float *)(uintptr_t)in->values + first; /* only read from */
        block->borrowed |= BORROWED_VALUES;
    } else if (block->values == VALUES_F32) {
        block->f32 = mem_alloc(ctx, n, sizeof *block->f32);
        if (!block->f32) return SEPAL_EMEMORY;
        for (size_t at = 0; at < n; at++) block->f32[at] = (float)value_at(in, first + at);
    } else if (block->values == VALUES_F64) {
        block->f64 = (double *)(uintptr_t)in->values + first;
        block->borrowed |= BORROWED_VALUES;
    } else if (block->values == VALUES_ROW) {
        block->f64 = mem_zero(ctx, block->rows, sizeof *block->f64);
        if (!block->f64) return SEPAL_EMEMORY;
        for (size_t i = 0; i < block->rows; i++)
            if (block->start[i] < block->start[i + 1])
                block->f64[i] = value_at(in, first + block->start[i]);
    }
    return SEPAL_OK;
}

static sepal_status lend_entries(sepal_ctx *ctx, const struct memory_entries *all,
                                 struct block *block, const struct entries_seen *seen) {
    const sepal_input *in = all->in;
    size_t first = whole_at(in->row_start, in->row_start_type, block->first_row);
    block->values = seen->ones       ? VALUES_ONES
                    : seen->constant ? VALUES_ROW
                    : seen->single   ? VALUES_F32
                                     : VALUES_F64;
    block->start = mem_alloc(ctx, block->rows + 1, sizeof *block->start);
    if (!block->start) return SEPAL_EMEMORY;
    for (size_t i = 0; i <= block->rows; i++)
        block->start[i] = whole_at(in->row_start, in->row_start_type, block->first_row + i) - first;
    /* the same bits: none of them is negative */
    block->index = (uint32_t *)(uintptr_t)in->index + first;
    block->borrowed = BORROWED_INDEX;
    return lend_values(ctx, in, block, first);
}

static sepal_status memory_sparse_block(sepal_ctx *ctx, size_t b, void *payload) {
    struct memory_entries *all = payload;
    const sepal_input *in = all->in;
    struct block *block = &all->x->blocks[b];
    struct entries_seen seen = {.ones = true, .constant = true, .single = true};
    for (size_t i = 0; i < block->rows; i++)
        TRY(look_at_row(&seen, ctx, all, block->first_row + i));
    sepal_status status;
    if (in->borrow && in->index && in->index_type == SEPAL_I32 && !seen.zeros) {
        status = lend_entries(ctx, all, block, &seen);
    } else {
        struct entries entries = {0};
        status = copy_entries(&entries, ctx, all, block);
        entries_clear(&entries);
    }
    if (status == SEPAL_OK) atomic_fetch_add(&all->nonzeros, block->start[block->rows]);
    return status;
}

sepal_status memory_sparse(struct matrix *out, sepal_ctx *ctx, const sepal_input *in) {
    struct memory_entries all = {.in = in, .x = out};
    atomic_init(&all.nonzeros, 0);
    TRY(matrix_init(out, ctx, in->rows, in->columns, true));
    TRY(parallel_for(ctx, out->n_blocks, memory_sparse_block, &all));
    out->nonzeros = atomic_load(&all.nonzeros);
    return SEPAL_OK;
}
