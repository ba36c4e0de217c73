/* Rows of a coded table as a schema prepares them, block by block. */
#include "core/alloc.h"
#include "core/parallel.h"
#include "data/entries.h"
#include "data/prepare.h"

#include <math.h>
#include <string.h>

struct preparation {
    const struct schema *schema;
    const sepal_data *data;
    struct matrix *to;
    size_t first_block;
    /* The schema's number of each category of the data, column by column; NULL: they are the same. */
    uint32_t **category;
    bool *undecided;
    atomic_size_t nonzeros, unknown;
};

/* ---- one row ------------------------------------------------------------------------------ */

/* The schema's number of the category with that code, n_categories if it has none. */
static size_t category_of(const struct preparation *all, size_t j, double code) {
    const struct column *column = &all->schema->columns[j];
    if (code == UNKNOWN_CATEGORY) return column->n_categories;
    return all->category ? all->category[j][(size_t)code] : (size_t)code;
}

/* Where the numbers of a row go. */
struct made_row {
    struct entries *entries; /* of a sparse block; NULL: */
    float *f32;              /* the row of a dense block, which is 0 before, as singles */
    double *f64;             /* or as doubles */
    bool fits;               /* the singles are the numbers themselves */
    size_t nonzeros, unknown;
};

/* A number of a dense row. */
static inline void put_dense(struct made_row *row, size_t column, double value) {
    value += 0.0; /* -0 is 0 */
    row->nonzeros += value != 0;
    if (row->f64) {
        row->f64[column] = value;
        return;
    }
    float rounded = (float)value;
    row->f32[column] = rounded;
    row->fits = row->fits && single_holds(value);
}

static inline sepal_status put_number(struct made_row *row, sepal_ctx *ctx, size_t column,
                                      double value) {
    if (row->entries) return entries_push(row->entries, ctx, column, value);
    put_dense(row, column, value);
    return SEPAL_OK;
}

/* What the rule for missing values says of a cell of row i. */
static sepal_status put_missing(struct made_row *row, sepal_ctx *ctx, struct preparation *all,
                                const struct column *column, size_t i) {
    size_t n = column->text ? column->n_categories : 1;
    if (all->undecided)
        all->undecided[i] = true;
    else if (all->schema->missing == MISSING_REFUSE)
        return fail(ctx, SEPAL_EDATA,
                    "row %zu has no value in column '%s', and there is no rule for missing "
                    "values; train with " OPTION "missing mean, indicator or drop",
                    matrix_row_number(&all->data->matrix, i) + 1, column->name);
    for (size_t k = 0; column->fill && k < n; k++)
        TRY(put_number(row, ctx, column->first + k, column->fill[k]));
    return column->indicator ? put_number(row, ctx, column->first + n, 1) : SEPAL_OK;
}

static inline sepal_status put_cell(struct made_row *row, sepal_ctx *ctx, struct preparation *all,
                                    size_t j, double cell, size_t i) {
    const struct column *column = &all->schema->columns[j];
    if (isnan(cell)) return put_missing(row, ctx, all, column, i);
    if (!column->text) return put_number(row, ctx, column->first, cell);
    size_t k = category_of(all, j, cell);
    if (k < column->n_categories) return put_number(row, ctx, column->first + k, 1);
    row->unknown++;
    return SEPAL_OK;
}

static sepal_status make_row(struct made_row *row, sepal_ctx *ctx, struct preparation *all,
                             const double *cells, size_t i) {
    for (size_t j = 0; j < all->schema->n_columns; j++)
        TRY(put_cell(row, ctx, all, j, cells[j], i));
    return SEPAL_OK;
}

/* ---- blocks ------------------------------------------------------------------------------- */

static sepal_status prepare_sparse_block(struct made_row *row, sepal_ctx *ctx,
                                         struct preparation *all, struct block *block,
                                         double *room) {
    struct entries *entries = row->entries;
    TRY(entries_init(entries, ctx, block->rows));
    const struct matrix *from = &all->data->matrix;
    TRY(entries_reserve(entries, ctx, from->nonzeros / from->rows * block->rows + 1)); /* a guess */
    for (size_t i = 0; i < block->rows; i++) {
        const double *cells = matrix_cells(room, ctx, &all->data->matrix, block->first_row + i);
        TRY(make_row(row, ctx, all, cells, block->first_row + i));
        entries->start[i + 1] = entries->n;
    }
    row->nonzeros = entries->n;
    return entries_to_block(entries, ctx, block);
}

/* `values`: singles, which the numbers may turn out not to be, or doubles. */
static sepal_status fill_dense_block(struct made_row *row, sepal_ctx *ctx, struct preparation *all,
                                     struct block *block, double *room, enum values values) {
    size_t cols = all->to->cols;
    *row = (struct made_row){.fits = true};
    block->values = values;
    TRY(block_alloc(ctx, block, cols, 0));
    if (block->f32) memset(block->f32, 0, block->rows * cols * sizeof *block->f32);
    if (block->f64) memset(block->f64, 0, block->rows * cols * sizeof *block->f64);
    for (size_t i = 0; i < block->rows && row->fits; i++) {
        const double *cells = matrix_cells(room, ctx, &all->data->matrix, block->first_row + i);
        row->f32 = block->f32 ? block->f32 + i * cols : NULL;
        row->f64 = block->f64 ? block->f64 + i * cols : NULL;
        TRY(make_row(row, ctx, all, cells, block->first_row + i));
    }
    return SEPAL_OK;
}

static sepal_status prepare_dense_block(struct made_row *row, sepal_ctx *ctx,
                                        struct preparation *all, struct block *block,
                                        double *room) {
    TRY(fill_dense_block(row, ctx, all, block, room, VALUES_F32));
    if (row->fits) return SEPAL_OK;
    mem_free(block->f32);
    block->f32 = NULL;
    return fill_dense_block(row, ctx, all, block, room, VALUES_F64);
}

static sepal_status prepare_block(sepal_ctx *ctx, size_t task, void *payload) {
    struct preparation *all = payload;
    struct block *block = &all->to->blocks[all->first_block + task];
    struct entries entries = {0};
    struct made_row row = {.entries = &entries};
    double *room = mem_alloc(ctx, all->data->matrix.cols, sizeof *room);
    if (!room) return SEPAL_EMEMORY;
    sepal_status status = block->sparse ? prepare_sparse_block(&row, ctx, all, block, room)
                                        : prepare_dense_block(&row, ctx, all, block, room);
    atomic_fetch_add(&all->nonzeros, row.nonzeros);
    if (row.unknown) atomic_fetch_add(&all->unknown, row.unknown);
    entries_clear(&entries);
    mem_free(room);
    return status;
}

/* ---- all ---------------------------------------------------------------------------------- */

bool prepare_sparse(size_t rows, size_t cols, size_t nonzeros) {
    /* Below one in five, four bytes of index per value cost less than the zeros; narrow matrices
       are dense all the same, since a dense row needs no indirection. */
    const double density = 0.2;
    enum { NARROW = 32 };
    return cols >= NARROW && (double)nonzeros < density * (double)rows * (double)cols;
}

/* Whether the rows are as the schema has them already. */
static bool is_prepared(const struct schema *schema, const sepal_data *data) {
    bool numbers = true, indicators = false;
    for (size_t j = 0; j < schema->n_columns && schema->family == FAMILY_TABLE; j++) {
        numbers = numbers && !schema->columns[j].text;
        indicators = indicators || schema->columns[j].indicator;
    }
    if (!data->coded) return data->schema == schema || !indicators;
    const struct matrix *x = &data->matrix;
    return numbers && !indicators && data->missing == 0 &&
           !prepare_sparse(x->rows, schema->width, x->nonzeros);
}

static sepal_status translate(struct preparation *all, sepal_ctx *ctx, struct arena *arena) {
    const struct schema *from = all->data->schema;
    if (from == all->schema) return SEPAL_OK;
    all->category = arena_zero(ctx, arena, from->n_columns, sizeof *all->category);
    if (!all->category) return SEPAL_EMEMORY;
    for (size_t j = 0; j < from->n_columns; j++) {
        const struct column *column = &from->columns[j];
        all->category[j] = arena_alloc(ctx, arena, column->n_categories, sizeof **all->category);
        if (!all->category[j]) return SEPAL_EMEMORY;
        for (size_t k = 0; k < column->n_categories; k++) {
            struct slice name = {column->categories[k], strlen(column->categories[k])};
            all->category[j][k] = (uint32_t)column_category(&all->schema->columns[j], name);
        }
    }
    return SEPAL_OK;
}

/* Where the rule drops rows that lack a value, they stay undecided. */
static sepal_status mark_undecided(struct prepared *out, sepal_ctx *ctx,
                                   const struct schema *schema, const sepal_data *data) {
    if (schema->missing != MISSING_DROP || data->undecided || !data->missing) return SEPAL_OK;
    out->undecided = mem_zero(ctx, data->matrix.rows, sizeof *out->undecided);
    if (!out->undecided) return SEPAL_EMEMORY;
    out->rows.undecided = out->undecided;
    return SEPAL_OK;
}

static sepal_status make_blocks(struct prepared *out, sepal_ctx *ctx, struct preparation *all,
                                size_t first, size_t n) {
    const struct matrix *from = &all->data->matrix;
    size_t cols = all->schema->width;
    TRY(mark_undecided(out, ctx, all->schema, all->data));
    TRY(matrix_init(&out->made, ctx, from->rows, cols,
                    prepare_sparse(from->rows, cols, from->nonzeros)));
    out->rows.matrix = out->made;
    all->undecided = out->rows.undecided;
    all->first_block = first / out->made.block_rows;
    size_t last = (first + n - 1) / out->made.block_rows;
    TRY(parallel_for(ctx, last - all->first_block + 1, prepare_block, all));
    out->made.nonzeros = atomic_load(&all->nonzeros);
    out->unknown = atomic_load(&all->unknown);
    matrix_set_numbers(&out->made, all->data->number);
    out->rows.matrix = out->made;
    return SEPAL_OK;
}

sepal_status prepare_rows(struct prepared *out, sepal_ctx *ctx, const struct schema *schema,
                          const sepal_data *data, size_t first, size_t n) {
    *out = (struct prepared){.rows = *data};
    out->rows.coded = false;
    if (n == 0 || is_prepared(schema, data)) return SEPAL_OK;
    struct preparation all = {.schema = schema, .data = data, .to = &out->made};
    struct arena arena = {0};
    atomic_init(&all.nonzeros, 0);
    atomic_init(&all.unknown, 0);
    sepal_status status = translate(&all, ctx, &arena);
    if (status == SEPAL_OK) status = make_blocks(out, ctx, &all, first, n);
    arena_clear(&arena);
    return status;
}

void prepared_clear(struct prepared *prepared) {
    matrix_clear(&prepared->made);
    mem_free(prepared->undecided);
    schema_release(prepared->learnt);
    *prepared = (struct prepared){0};
}

/* ---- counts ------------------------------------------------------------------------------- */

struct counting {
    const sepal_data *data;
    atomic_size_t nonzeros, missing;
};

static sepal_status count_block(sepal_ctx *ctx, size_t b, void *payload) {
    struct counting *all = payload;
    const struct block *block = &all->data->matrix.blocks[b];
    size_t cols = all->data->matrix.cols, nonzeros = 0, missing = 0;
    double *row = mem_alloc(ctx, cols, sizeof *row);
    if (!row) return SEPAL_EMEMORY;
    for (size_t i = 0; i < block->rows; i++) {
        block_dense(block, i, 1, cols, NULL, NULL, row, cols);
        for (size_t j = 0; j < cols; j++) {
            nonzeros += all->data->schema->columns[j].text || row[j] != 0;
            missing += isnan(row[j]) != 0;
        }
    }
    atomic_fetch_add(&all->nonzeros, nonzeros);
    atomic_fetch_add(&all->missing, missing);
    mem_free(row);
    return SEPAL_OK;
}

sepal_status prepare_count(sepal_data *data, sepal_ctx *ctx) {
    if (!data->coded) return SEPAL_OK;
    struct counting all = {.data = data};
    atomic_init(&all.nonzeros, 0);
    atomic_init(&all.missing, 0);
    TRY(parallel_for(ctx, data->matrix.n_blocks, count_block, &all));
    data->matrix.nonzeros = atomic_load(&all.nonzeros);
    data->missing = atomic_load(&all.missing);
    return SEPAL_OK;
}
