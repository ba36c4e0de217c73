#include "data/column_facts.h"

#include "core/alloc.h"
#include "core/compensated_sum.h"
#include "core/parallel.h"

#include <math.h>
#include <string.h>

/* ---- distinct values ---------------------------------------------------------------------- */

/* A set of numbers by their bits, in a table of a power of two places; 0, which marks a free place, is
   counted apart. */
struct value_set {
    uint64_t *slots;
    size_t count, size;
    bool zero;
};

static size_t value_slot(const struct value_set *set, uint64_t bits) {
    uint64_t hash = bits * UINT64_C(0x9e3779b97f4a7c15);
    size_t at = (size_t)(hash >> 32) & (set->size - 1);
    while (set->slots[at] && set->slots[at] != bits) at = (at + 1) & (set->size - 1);
    return at;
}

static sepal_status value_set_grow(struct value_set *set, sepal_ctx *ctx) {
    enum { FEWEST = 16 };
    struct value_set larger = *set;
    larger.size = set->size ? 2 * set->size : FEWEST;
    larger.slots = mem_zero(ctx, larger.size, sizeof *larger.slots);
    if (!larger.slots) return SEPAL_EMEMORY;
    for (size_t i = 0; i < set->size; i++)
        if (set->slots[i]) larger.slots[value_slot(&larger, set->slots[i])] = set->slots[i];
    mem_free(set->slots);
    *set = larger;
    return SEPAL_OK;
}

static sepal_status value_set_add(struct value_set *set, sepal_ctx *ctx, double value) {
    uint64_t bits;
    if (value == 0) {
        set->zero = true;
        return SEPAL_OK;
    }
    memcpy(&bits, &value, sizeof bits);
    if (2 * set->count >= set->size) TRY(value_set_grow(set, ctx));
    size_t at = value_slot(set, bits);
    if (set->slots[at] == 0) {
        set->slots[at] = bits;
        set->count++;
    }
    return SEPAL_OK;
}

/* ---- columns ------------------------------------------------------------------------------ */

struct column_sums {
    struct value_set values;
    struct total total;
    size_t seen, missing;
    double min, max;
};

static sepal_status sums_add(struct column_sums *sums, sepal_ctx *ctx, double x) {
    if (isnan(x)) {
        sums->missing++;
        return SEPAL_OK;
    }
    sums->seen++;
    total_add(&sums->total, x);
    sums->min = fmin(sums->min, x);
    sums->max = fmax(sums->max, x);
    return value_set_add(&sums->values, ctx, x);
}

/* `rows` of them; those that are not stored are 0. */
static struct column_facts sums_facts(struct column_sums *sums, size_t rows) {
    if (sums->seen + sums->missing < rows) {
        sums->values.zero = true;
        sums->min = fmin(sums->min, 0);
        sums->max = fmax(sums->max, 0);
        sums->seen = rows - sums->missing;
    }
    double n = (double)sums->seen;
    return (struct column_facts){.missing = sums->missing,
                                 .distinct = sums->values.count + sums->values.zero,
                                 .min = sums->min,
                                 .mean = sums->seen ? total_of(&sums->total) / n : NAN,
                                 .max = sums->max};
}

/* Neighbouring columns together: a few, since their sets of values share the cache. */
struct facts_task {
    const struct matrix *x;
    struct column_facts *out;
    size_t width;
};

static sepal_status add_block(struct column_sums *sums, sepal_ctx *ctx, const struct block *block,
                              size_t cols, size_t from, size_t to) {
    double value;
    for (size_t i = 0; i < block->rows; i++) {
        if (block->sparse) {
            size_t at = row_seek(block, i, from);
            for (size_t j; row_next(block, i, cols, &at, &j, &value) && j < to;)
                TRY(sums_add(&sums[j - from], ctx, value));
            continue;
        }
        for (size_t j = from; j < to; j++) {
            size_t at = i * cols + j;
            TRY(sums_add(&sums[j - from], ctx,
                         block->f32 ? (double)block->f32[at] : block->f64[at]));
        }
    }
    return SEPAL_OK;
}

static sepal_status find_facts(sepal_ctx *ctx, size_t task, void *payload) {
    const struct facts_task *all = payload;
    size_t cols = all->x->cols, from = task * all->width, to = from + all->width;
    if (to > cols) to = cols;
    struct column_sums *sums = mem_zero(ctx, to - from, sizeof *sums);
    if (!sums) return SEPAL_EMEMORY;
    for (size_t j = from; j < to; j++) sums[j - from].min = sums[j - from].max = NAN;
    sepal_status status = SEPAL_OK;
    struct block_iterator blocks = {.matrix = all->x};
    for (const struct block *block; status == SEPAL_OK && (block = block_next(&blocks));)
        status = add_block(sums, ctx, block, cols, from, to);
    for (size_t j = from; j < to; j++) {
        all->out[j] = sums_facts(&sums[j - from], all->x->rows);
        mem_free(sums[j - from].values.slots);
    }
    mem_free(sums);
    return status;
}

sepal_status column_facts_find(struct column_facts *out, sepal_ctx *ctx, const struct matrix *x) {
    enum { DENSE_WIDTH = 8, SPARSE_WIDTH = 512 };
    struct facts_task all = {.x = x, .out = out, .width = x->sparse ? SPARSE_WIDTH : DENSE_WIDTH};
    size_t tasks = (x->cols + all.width - 1) / all.width;
    return parallel_for(ctx, tasks, find_facts, &all);
}
