/* A large npy file of doubles in row order is used where it is: its pages are mapped, and blocks point
   into them. One pass in parallel looks whether all of them are plain numbers. What a copy would keep
   otherwise is copied, block by block: numbers that singles hold, and -0, which is 0 in every format. A
   file with anything that has to be told of, as missing values, is read as ever. */
#include "core/alloc.h"
#include "core/parallel.h"
#include "io/array.h"
#include "io/reading.h"

#include <stdatomic.h>
#include <string.h>

enum { LEAST_BYTES = 1 << 22, SPARSE_COLUMNS = 32 };

/* ---- which files -------------------------------------------------------------------------- */

static bool host_is_little_endian(void) {
    const uint16_t one = 1;
    char first;
    memcpy(&first, &one, 1);
    return first == 1;
}

static bool layout_fits(const struct array_shape *shape) {
    return shape->kind == ELEMENT_FLOAT && shape->bytes == sizeof(double) &&
           shape->big_endian != host_is_little_endian() && !shape->column_major &&
           shape->cols < SPARSE_COLUMNS; /* wider ones may be kept sparse */
}

/* Every cell is a number and a column of the matrix, and every row stays. */
static bool table_fits(const struct reading *reading, const struct table_layout *table) {
    const struct schema *schema = reading->data->schema;
    if (reading->weights.file || table->keeps || table->n_features != table->n_cells) return false;
    if (schema->missing == MISSING_MEAN || schema->missing == MISSING_INDICATOR) return false;
    for (size_t c = 0; c < table->n_cells; c++) {
        const struct table_role *role = &table->roles[c];
        bool number = !role->as_text && !(role->known && role->known->text);
        if (role->role != ROLE_FEATURE || role->feature != c || !number) return false;
    }
    return true;
}

/* The elements are the rest of a file, from a place on where doubles can be. */
static bool file_fits(const struct source *source, const struct array_shape *shape) {
    size_t bytes = shape->rows * shape->cols * shape->bytes, size = input_size(&source->file);
    if (source->gunzip || source->archive || size == SIZE_MAX || bytes < LEAST_BYTES) return false;
    size_t begin = input_offset(&source->file) - (source->ahead_end - source->ahead_at);
    return begin % sizeof(double) == 0 && begin < size && size - begin == bytes;
}

/* ---- the rows ----------------------------------------------------------------------------- */

struct array_mapping {
    struct matrix *rows;
    const double *x;
    atomic_bool odd; /* there is something that is no plain number */
    atomic_size_t nonzeros;
};

static sepal_status take_block(sepal_ctx *ctx, size_t b, void *payload) {
    struct array_mapping *all = payload;
    struct block *block = &all->rows->blocks[b];
    size_t cols = all->rows->cols, n = block->rows * cols, zeros, minus, beyond;
    const double *x = all->x + block->first_row * cols;
    TRY(check_cancelled(ctx, "reading"));
    if (atomic_load(&all->odd)) return SEPAL_OK;
    ctx->kernels->survey(x, n, &zeros, &minus, &beyond);
    if (beyond) {
        atomic_store(&all->odd, true);
        return SEPAL_OK;
    }
    atomic_fetch_add(&all->nonzeros, n - zeros);
    bool single = numbers_are_single(x, n);
    block->values = single ? VALUES_F32 : VALUES_F64;
    block->borrowed = !single && minus == 0 ? BORROWED_VALUES : 0;
    if (block->borrowed) {
        block->f64 = (double *)(uintptr_t)x; /* only read from */
        return SEPAL_OK;
    }
    TRY(block_alloc(ctx, block, cols, 0));
    for (size_t i = 0; i < block->rows; i++) block_store_row(block, i, x + i * cols, cols);
    return SEPAL_OK;
}

static sepal_status array_map_take_rows(struct reading *reading, const struct array_shape *shape,
                                        bool *odd) {
    struct matrix *rows = &reading->rows;
    size_t bytes = shape->rows * shape->cols * shape->bytes;
    void *file = input_map(reading->ctx, &reading->source.file);
    *odd = true;
    if (!file) return SEPAL_OK;
    sepal_status status = matrix_init(rows, reading->ctx, shape->rows, shape->cols, false);
    rows->file = file;
    rows->file_bytes = input_size(&reading->source.file);
    TRY(status);
    struct array_mapping all = {.rows = rows};
    all.x = (const double *)(const void *)((const char *)file + (rows->file_bytes - bytes));
    TRY(parallel_for(reading->ctx, rows->n_blocks, take_block, &all));
    rows->nonzeros = atomic_load(&all.nonzeros);
    *odd = atomic_load(&all.odd);
    return SEPAL_OK;
}

/* ---- what is known of them ---------------------------------------------------------------- */

static sepal_status add_chunk(struct reading *reading, size_t rows, size_t features) {
    sepal_ctx *ctx = reading->ctx;
    struct chunks *chunks = &reading->chunks;
    TRY(mem_reserve(ctx, (void **)&chunks->items, &chunks->room, 1, sizeof(struct parsed_chunk *)));
    struct parsed_chunk *parsed = chunks->items[0] = mem_zero(ctx, 1, sizeof *parsed);
    if (!parsed) return SEPAL_EMEMORY;
    chunks->count = 1;
    parsed->rows = parsed->lines = rows;
    parsed->first_line = reading->line;
    chunks->lines = reading->line + rows;
    parsed->n_columns = features;
    parsed->columns = mem_zero(ctx, features, sizeof *parsed->columns);
    if (!parsed->columns) return SEPAL_EMEMORY;
    for (size_t f = 0; f < features; f++) parsed->columns[f].numbers = rows;
    return SEPAL_OK;
}

sepal_status array_map(bool *mapped, struct reading *reading, const struct array_layout *layout) {
    bool odd;
    *mapped = layout_fits(&layout->shape) && table_fits(reading, layout->table) &&
              file_fits(&reading->source, &layout->shape);
    if (!*mapped) return SEPAL_OK;
    TRY(array_map_take_rows(reading, &layout->shape, &odd));
    if (odd) {
        *mapped = false;
        matrix_clear(&reading->rows);
        return SEPAL_OK;
    }
    return add_chunk(reading, layout->shape.rows, layout->table->n_features);
}
