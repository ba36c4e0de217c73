/* Sparse rows to sparse blocks: copies, since all that changes is where a block begins. */
#include "io/assemble.h"

#include <string.h>

/* ---- which rows --------------------------------------------------------------------------- */

struct chunk_rows chunk_rows_first(const struct chunks *chunks, const struct block *block) {
    size_t low = 0, high = chunks->count;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (chunks->items[middle]->first_row <= block->first_row)
            low = middle;
        else
            high = middle;
    }
    return (struct chunk_rows){.chunks = chunks, .chunk = low};
}

/* Number in the chunk of the row that is number `skip` among those that stay. */
static size_t nth_kept(const struct parsed_chunk *parsed, size_t skip) {
    if (!parsed->drop) return skip;
    for (size_t r = 0;; r++)
        if (!parsed->drop[r] && skip-- == 0) return r;
}

bool chunk_rows_next(struct chunk_rows *part, const struct block *block) {
    part->at += part->n;
    size_t row = block->first_row + part->at, end = block->first_row + block->rows;
    if (row == end) return false;
    do part->parsed = part->chunks->items[part->chunk++];
    while (part->parsed->first_row + part->parsed->kept_rows <= row);
    size_t skip = row - part->parsed->first_row, left = part->parsed->kept_rows - skip;
    part->first = nth_kept(part->parsed, skip);
    part->n = left < end - row ? left : end - row;
    return true;
}

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
    struct traits traits = {true, true, true};
    size_t entries = 0;
    for (struct chunk_rows part = chunk_rows_first(chunks, block); chunk_rows_next(&part, block);) {
        const size_t *start = part.parsed->entries.start + part.first;
        entries += start[part.n] - start[0];
        for (size_t i = 0; i < part.n; i++)
            copy_note_row(&traits, &part.parsed->entries, part.first + i);
    }
    block->values = copy_least(traits);
    TRY(block_alloc(ctx, block, 0, entries));
    entries = 0;
    for (struct chunk_rows part = chunk_rows_first(chunks, block); chunk_rows_next(&part, block);) {
        entries = copy_lay_out(block->start, &part, entries);
        block->start[block->rows] = entries;
        copy_rows(block, &part, index_base);
    }
    return SEPAL_OK;
}
