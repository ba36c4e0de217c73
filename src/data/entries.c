#include "data/entries.h"

#include "core/alloc.h"

#include <stdlib.h>
#include <string.h>

sepal_status entries_init(struct entries *entries, sepal_ctx *ctx, size_t rows) {
    *entries = (struct entries){.start = mem_zero(ctx, rows + 1, sizeof(size_t))};
    return entries->start ? SEPAL_OK : SEPAL_EMEMORY;
}

sepal_status entries_reserve(struct entries *entries, sepal_ctx *ctx, size_t n) {
    TRY(mem_reserve(ctx, (void **)&entries->index, &entries->index_room, n,
                    sizeof *entries->index));
    return mem_reserve(ctx, (void **)&entries->value, &entries->value_room, n,
                       sizeof *entries->value);
}

static enum values entries_least(const struct entries *entries, size_t rows) {
    bool ones = true, constant = true, single = true;
    if (!entries->value) return VALUES_ONES;
    for (size_t i = 0; i < rows && (constant || single); i++)
        for (size_t e = entries->start[i]; e < entries->start[i + 1]; e++) {
            double value = entries->value[e];
            if (value != 1) ones = false;
            if (value != entries->value[entries->start[i]]) constant = false;
            if (single && !single_holds(value)) single = false;
        }
    return ones ? VALUES_ONES : constant ? VALUES_ROW : single ? VALUES_F32 : VALUES_F64;
}

sepal_status entries_to_block(const struct entries *entries, sepal_ctx *ctx, struct block *block) {
    block->values = entries_least(entries, block->rows);
    TRY(block_alloc(ctx, block, 0, entries->n));
    memcpy(block->start, entries->start, (block->rows + 1) * sizeof *block->start);
    if (!entries->value) return SEPAL_OK;
    memcpy(block->index, entries->index, entries->n * sizeof *block->index);
    if (block->values == VALUES_F64)
        memcpy(block->f64, entries->value, entries->n * sizeof *block->f64);
    for (size_t e = 0; block->values == VALUES_F32 && e < entries->n; e++)
        block->f32[e] = (float)entries->value[e];
    for (size_t i = 0; block->values == VALUES_ROW && i < block->rows; i++)
        block->f64[i] = block->start[i] < block->start[i + 1] ? entries->value[block->start[i]] : 0;
    return SEPAL_OK;
}

void entries_clear(struct entries *entries) {
    mem_free(entries->start);
    mem_free(entries->index);
    mem_free(entries->value);
    *entries = (struct entries){0};
}

sepal_status block_build(struct block *block, sepal_ctx *ctx, size_t cols,
                         const struct block_builder *build, void *payload) {
    if (block->sparse) {
        struct entries entries = {0};
        sepal_status status = build->sparse(&entries, ctx, block, payload);
        entries_clear(&entries);
        return status;
    }
    double *row = mem_alloc(ctx, cols, sizeof *row);
    sepal_status status = row ? build->dense(row, ctx, block, payload) : SEPAL_EMEMORY;
    mem_free(row);
    return status;
}

struct entry {
    uint32_t index;
    double value;
};

static int by_index(const void *a, const void *b) {
    uint32_t i = ((const struct entry *)a)->index, j = ((const struct entry *)b)->index;
    return (i > j) - (i < j);
}

sepal_status entries_sort(sepal_ctx *ctx, uint32_t *index, double *value, size_t n) {
    struct entry *row = mem_alloc(ctx, n, sizeof *row);
    if (!row) return SEPAL_EMEMORY;
    for (size_t i = 0; i < n; i++) row[i] = (struct entry){index[i], value[i]};
    qsort(row, n, sizeof *row, by_index);
    for (size_t i = 0; i < n; i++) {
        index[i] = row[i].index;
        value[i] = row[i].value;
    }
    mem_free(row);
    return SEPAL_OK;
}
