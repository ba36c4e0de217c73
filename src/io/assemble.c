/* The chunks' rows become the matrix's blocks, in parallel. Whether the matrix is dense or sparse,
   and how a block keeps its values, depends on the numbers alone, not on the format they came in. */
#include "core/parallel.h"
#include "data/entries.h"
#include "data/prepare.h"
#include "io/assemble.h"

#include <math.h>
#include <string.h>

struct assembly {
    struct matrix *matrix;
    const struct chunks *chunks;
    bool entries;        /* the chunks have sparse rows, not cells */
    bool copies;         /* and all of them stay, so that whole stretches can be copied */
    uint32_t index_base; /* the index that is column 0 */
    atomic_size_t nonzeros;
};

static struct chunk_rows block_rows(const struct assembly *all, const struct block *block) {
    return chunk_rows_from(all->chunks, block->first_row, block->rows);
}

/* The last of a chunk's rows gives its cells back. */
static void mark_read(const struct chunk_rows *part) {
    if (atomic_fetch_sub(&part->parsed->unread, part->n) == part->n)
        parsed_clear_cells(part->parsed);
}

/* A cell of a table: a number, NaN where it is missing, or the number of its category, which is that of
   its text until the chunks are merged. */
static double table_cell(const struct parsed_chunk *parsed, size_t r, size_t f) {
    const uint32_t *category = parsed->columns[f].category;
    double x = parsed_cell(parsed, r, f);
    return category && !isnan(x) ? category[(size_t)x] : x;
}

/* ---- sparse ------------------------------------------------------------------------------- */

static sepal_status push_table_row(struct entries *entries, sepal_ctx *ctx,
                                   const struct parsed_chunk *parsed, size_t r) {
    for (size_t f = 0; f < parsed->n_columns; f++)
        TRY(entries_push(entries, ctx, f, parsed_cell(parsed, r, f)));
    return SEPAL_OK;
}

static sepal_status push_entries(struct entries *entries, sepal_ctx *ctx, uint32_t index_base,
                                 const struct parsed_chunk *parsed, size_t r) {
    double value;
    for (size_t at = 0, index; row_next(&parsed->entries, r, 0, &at, &index, &value);)
        TRY(entries_push(entries, ctx, index - index_base, value));
    return SEPAL_OK;
}

static sepal_status build_sparse(struct entries *entries, sepal_ctx *ctx, struct block *block,
                                 void *payload) {
    struct assembly *all = payload;
    TRY(entries_init(entries, ctx, block->rows));
    struct chunk_row row = {.part = block_rows(all, block)};
    while (chunk_row_next(&row)) {
        const struct parsed_chunk *parsed = row.part.parsed;
        entries->start[row.i] = entries->n;
        TRY(all->entries ? push_entries(entries, ctx, all->index_base, parsed, row.r)
                         : push_table_row(entries, ctx, parsed, row.r));
        if (!row.left) mark_read(&row.part);
    }
    entries->start[block->rows] = entries->n;
    atomic_fetch_add(&all->nonzeros, entries->n);
    return entries_to_block(entries, ctx, block);
}

/* ---- dense -------------------------------------------------------------------------------- */

/* Row r of a chunk as `cols` numbers. */
static void place_row(double *row, const struct assembly *all, const struct parsed_chunk *parsed,
                      size_t r) {
    double value;
    if (!all->entries) {
        for (size_t f = 0; f < parsed->n_columns; f++) row[f] = table_cell(parsed, r, f);
        return;
    }
    memset(row, 0, all->matrix->cols * sizeof *row);
    for (size_t at = 0, index; row_next(&parsed->entries, r, 0, &at, &index, &value);)
        row[index - all->index_base] = value;
}

static enum values dense_values(const struct assembly *all, const struct block *block,
                                double *row) {
    struct chunk_row at = {.part = block_rows(all, block)};
    while (chunk_row_next(&at)) {
        place_row(row, all, at.part.parsed, at.r);
        if (!numbers_are_single(row, all->matrix->cols)) return VALUES_F64;
    }
    return VALUES_F32;
}

static sepal_status build_dense(double *row, sepal_ctx *ctx, struct block *block, void *payload) {
    struct assembly *all = payload;
    size_t cols = all->matrix->cols, nonzeros = 0;
    block->values = dense_values(all, block, row);
    TRY(block_alloc(ctx, block, cols, 0));
    struct chunk_row at = {.part = block_rows(all, block)};
    while (chunk_row_next(&at)) {
        place_row(row, all, at.part.parsed, at.r);
        nonzeros += block_store_row(block, at.i, row, cols);
        if (!at.left) mark_read(&at.part);
    }
    atomic_fetch_add(&all->nonzeros, nonzeros);
    return SEPAL_OK;
}

/* ---- all ---------------------------------------------------------------------------------- */

static sepal_status assemble_copy_block(sepal_ctx *ctx, struct assembly *all, struct block *block) {
    TRY(assemble_copy(ctx, block, all->chunks, all->index_base));
    struct chunk_rows part = block_rows(all, block);
    while (chunk_rows_next(&part)) mark_read(&part);
    atomic_fetch_add(&all->nonzeros, block->start[block->rows]);
    return SEPAL_OK;
}

static sepal_status build_block(sepal_ctx *ctx, size_t b, void *payload) {
    static const struct block_builder build = {build_sparse, build_dense};
    struct assembly *all = payload;
    struct block *block = &all->matrix->blocks[b];
    TRY(check_cancelled(ctx, "reading"));
    if (block->sparse && all->copies) return assemble_copy_block(ctx, all, block);
    return block_build(block, ctx, all->matrix->cols, &build, all);
}

/* Entries that are not zero, to choose between dense and sparse. */
static size_t count_cells(const struct parsed_chunk *parsed) {
    size_t n = 0;
    for (size_t r = 0; r < parsed->rows; r++) {
        if (parsed_drops(parsed, r)) continue;
        for (size_t f = 0; f < parsed->n_columns; f++) n += parsed_cell(parsed, r, f) != 0;
    }
    return n;
}

static size_t assemble_count_entries(const struct parsed_chunk *parsed) {
    size_t n = 0;
    for (size_t r = 0; r < parsed->rows; r++)
        if (!parsed_drops(parsed, r)) n += parsed->entries.start[r + 1] - parsed->entries.start[r];
    return n;
}

static bool choose_sparse(const struct assembly *all, size_t rows, size_t cols) {
    size_t n = 0;
    if (!prepare_sparse(rows, cols, 0)) return false;
    for (size_t i = 0; i < all->chunks->count; i++) {
        const struct parsed_chunk *parsed = all->chunks->items[i];
        n += all->entries ? assemble_count_entries(parsed) : count_cells(parsed);
    }
    return prepare_sparse(rows, cols, n);
}

sepal_status assemble(sepal_data *data, sepal_ctx *ctx, const struct chunks *chunks) {
    const struct schema *schema = data->schema;
    struct matrix *out = &data->matrix;
    size_t rows = out->rows, cols = data->coded ? schema->n_columns : schema->width;
    struct assembly all = {.matrix = out,
                           .chunks = chunks,
                           .entries = chunks->items[0]->entries.sparse,
                           .copies = chunks->items[0]->entries.sparse,
                           .index_base = schema->family == FAMILY_INDEXED && !schema->zero_based};
    for (size_t i = 0; i < chunks->count; i++)
        if (chunks->items[i]->drop) all.copies = false;
    atomic_init(&all.nonzeros, 0);
    TRY(matrix_init(out, ctx, rows, cols, !data->coded && choose_sparse(&all, rows, cols)));
    for (size_t i = 0; i < chunks->count; i++)
        if (chunks->items[i]->kept_rows == 0) parsed_clear_cells(chunks->items[i]);
    TRY(parallel_for(ctx, out->n_blocks, build_block, &all));
    out->nonzeros = atomic_load(&all.nonzeros);
    return prepare_count(data, ctx);
}
