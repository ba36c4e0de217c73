/* Sparse rows to sparse blocks: copies, since all that changes is where a block begins. */
#include "io/assemble.h"

#include <string.h>

/* ---- how the values are kept -------------------------------------------------------------- */

struct traits {
    bool ones, constant, single; /* what all values of the block allow */
};

static void copy_note_row(struct traits *traits, const struct block *rows, size_t r) {
    size_t first = rows->start[r], end = rows->start[r + 1];
    if (rows->values == VALUES_ONES || first == end) return;
    size_t last = rows->values == VALUES_ROW ? first + 1 : end;
    for (size_t e = first; e < last && (traits->constant || traits->single); e++) {
        double value = block_value(rows, r, e);
        if (value != 1) traits->ones = false;
        if (value != block_value(rows, r, first)) traits->constant = false;
        if (!single_holds(value)) traits->single = false;
    }
}

static enum values copy_least(struct traits traits) {
    if (traits.constant) return traits.ones ? VALUES_ONES : VALUES_ROW;
    return traits.single ? VALUES_F32 : VALUES_F64;
}

/* ---- the copy ----------------------------------------------------------------------------- */

static void copy_values(struct block *block, const struct block *rows,
                        const struct chunk_rows *part) {
    for (size_t i = 0; i < part->n; i++) {
        size_t r = part->first + i, from = rows->start[r], n = rows->start[r + 1] - from;
        size_t to = block->start[part->at + i];
        if (block->values == VALUES_ROW)
            block->f64[part->at + i] = n ? block_value(rows, r, from) : 0;
        for (size_t e = 0; block->values == VALUES_F32 && e < n; e++)
            block->f32[to + e] = (float)block_value(rows, r, from + e);
        for (size_t e = 0; block->values == VALUES_F64 && e < n; e++)
            block->f64[to + e] = block_value(rows, r, from + e);
    }
}

static void copy_rows(struct block *block, const struct chunk_rows *part, uint32_t index_base) {
    const struct block *rows = &part->parsed->entries;
    size_t from = rows->start[part->first], n = rows->start[part->first + part->n] - from;
    size_t to = block->start[part->at];
    for (size_t e = 0; e < n; e++) block->index[to + e] = rows->index[from + e] - index_base;
    if (block->values == VALUES_F32 && rows->values == VALUES_F32)
        memcpy(block->f32 + to, rows->f32 + from, n * sizeof(float));
    else if (block->values == VALUES_F64 && rows->values == VALUES_F64)
        memcpy(block->f64 + to, rows->f64 + from, n * sizeof(double));
    else
        copy_values(block, rows, part);
}

static size_t copy_lay_out(size_t *start, const struct chunk_rows *part, size_t used) {
    const size_t *from = part->parsed->entries.start + part->first;
    for (size_t i = 0; i < part->n; i++) start[part->at + i] = used + (from[i] - from[0]);
    return used + (from[part->n] - from[0]);
}

sepal_status assemble_copy(sepal_ctx *ctx, struct block *block, const struct chunks *chunks,
                           uint32_t index_base) {
    const struct chunk_rows first = chunk_rows_from(chunks, block->first_row, block->rows);
    struct traits traits = {true, true, true};
    size_t entries = 0;
    for (struct chunk_rows part = first; chunk_rows_next(&part);) {
        const size_t *start = part.parsed->entries.start + part.first;
        entries += start[part.n] - start[0];
        for (size_t i = 0; i < part.n; i++)
            copy_note_row(&traits, &part.parsed->entries, part.first + i);
    }
    block->values = copy_least(traits);
    TRY(block_alloc(ctx, block, 0, entries));
    entries = 0;
    for (struct chunk_rows part = first; chunk_rows_next(&part);) {
        entries = copy_lay_out(block->start, &part, entries);
        block->start[block->rows] = entries;
        copy_rows(block, &part, index_base);
    }
    return SEPAL_OK;
}
