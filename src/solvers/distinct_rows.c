/* Rows are found equal by a hash table: the hash of a row is the sum of random numbers, one a column
   (Zobrist 1970), so no entry waits for another; what it says is then checked. */
#include "solvers/distinct_rows.h"

#include "core/alloc.h"
#include "core/parallel.h"
#include "core/rng.h"

#include <string.h>

/* A second copy of more entries would be too large for what it saves; few rows are no work. */
enum { ENTRIES_MOST = 1 << 23, ROWS_LEAST = 1024, BLOCK_ROWS = 256 };
/* Distinct rows are worth their copy up to this part of all. */
static const double FEW = 0.9;

struct search {
    const struct objective *o;
    uint64_t *key, *hash; /* of a column, of a row */
    uint32_t *first;      /* the row where each distinct one was found */
    size_t found;
    double *value; /* of each distinct row */
    uint32_t *n;   /* how many columns have it */
    bool *odd;     /* tasks that have seen a row of several values */
    struct distinct *out;
};

static size_t blocks_of(size_t rows) {
    return (rows + BLOCK_ROWS - 1) / BLOCK_ROWS;
}

static bool is_high(const struct search *s, size_t row) {
    return s->o->label[row] == 1;
}

/* ---- hashes ------------------------------------------------------------------------------- */

static uint64_t hash_sparse(const struct search *s, const struct block *block, size_t i) {
    uint64_t hash = 0;
    for (size_t k = block->start[i]; k < block->start[i + 1]; k++) hash += s->key[block->index[k]];
    return hash;
}

static double cell(const struct block *block, size_t at) {
    return block->f32 ? (double)block->f32[at] : block->f64[at];
}

/* Of the values as doubles: blocks of singles and of doubles can hold equal rows. */
static uint64_t hash_dense(const struct search *s, const struct block *block, size_t i) {
    size_t cols = s->o->cols;
    uint64_t hash = 0, bits;
    for (size_t j = 0; j < cols; j++) {
        double x = cell(block, i * cols + j);
        memcpy(&bits, &x, sizeof bits);
        hash += s->key[j] * (bits ^ bits >> 32); /* 1 has no bits but high ones */
    }
    return hash;
}

/* Of a sparse row whose values are all the same. */
static double value_of(const struct block *block, size_t i) {
    return block->values == VALUES_ROW ? block->f64[i] : 1;
}

/* How many columns of a row are not 0, and their value; false: they have several. `room` has place
   for a row. */
static bool measure(uint32_t *n, double *value, const struct search *s, size_t row, double *room) {
    const double *x;
    const uint32_t *index;
    size_t i, there = 0, same = 0;
    const struct block *block = matrix_block_of(&s->o->rows, row, &i);
    if (block->sparse) {
        *n = (uint32_t)(block->start[i + 1] - block->start[i]);
        *value = value_of(block, i);
        return true;
    }
    size_t cols = row_doubles(&x, &index, block, i, s->o->cols, NULL, room);
    double first = 0;
    for (size_t j = 0; j < cols && first == 0; j++) first = x[j];
    for (size_t j = 0; j < cols; j++) {
        there += x[j] != 0;
        same += x[j] == first;
    }
    *n = (uint32_t)there;
    *value = there ? first : 1;
    return there == same || there == 0;
}

static sepal_status hash_block(sepal_ctx *ctx, size_t b, void *payload) {
    const struct search *s = payload;
    const struct block *block = &s->o->rows.blocks[b];
    double value, *room = mem_alloc(ctx, s->o->cols, sizeof *room);
    uint32_t n;
    if (!room) return SEPAL_EMEMORY;
    /* most that do not qualify show it here */
    s->odd[b] = !measure(&n, &value, s, block->first_row, room);
    mem_free(room);
    for (size_t i = 0; i < block->rows && !s->odd[b]; i++)
        s->hash[block->first_row + i] =
            block->sparse ? hash_sparse(s, block, i) : hash_dense(s, block, i);
    return SEPAL_OK;
}

static bool rows_may_repeat(const struct objective *o) {
    if (o->n < ROWS_LEAST || o->n > ENTRIES_MOST || o->rows.nonzeros > ENTRIES_MOST) return false;
    if (!o->rows.sparse) return o->n * o->cols <= ENTRIES_MOST;
    for (size_t b = 0; b < o->rows.n_blocks; b++) {
        enum values values = o->rows.blocks[b].values;
        if (values != VALUES_ONES && values != VALUES_ROW) return false;
    }
    return true;
}

static bool none(const bool *odd, size_t n) {
    size_t k = 0;
    while (k < n && !odd[k]) k++;
    return k == n;
}

/* ---- the distinct ones -------------------------------------------------------------------- */

/* Each block keeps its rows as singles or as doubles. */
static bool equal_dense(const struct block *x, size_t i, const struct block *y, size_t k,
                        size_t cols) {
    if (x->f32 && y->f32)
        return memcmp(x->f32 + i * cols, y->f32 + k * cols, cols * sizeof *x->f32) == 0;
    size_t j = 0;
    while (j < cols && cell(x, i * cols + j) == cell(y, k * cols + j)) j++;
    return j == cols;
}

static bool equal(const struct search *s, size_t a, size_t b) {
    if (s->hash[a] != s->hash[b] || is_high(s, a) != is_high(s, b)) return false;
    size_t i, k;
    const struct block *x = matrix_block_of(&s->o->rows, a, &i),
                       *y = matrix_block_of(&s->o->rows, b, &k);
    if (!x->sparse) return equal_dense(x, i, y, k, s->o->cols);
    size_t n = x->start[i + 1] - x->start[i];
    if (n != y->start[k + 1] - y->start[k]) return false;
    if (n == 0) return true; /* a block without entries has no place for them */
    return value_of(x, i) == value_of(y, k) &&
           memcmp(x->index + x->start[i], y->index + y->start[k], n * sizeof *x->index) == 0;
}

/* `table` holds numbers of distinct rows and 1 more; 0 is free. */
static void find_distinct(struct search *s, uint32_t *table, size_t slots) {
    for (size_t i = 0; i < s->o->n; i++) {
        size_t slot = (s->hash[i] ^ s->hash[i] >> 32) & (slots - 1);
        while (table[slot] && !equal(s, i, s->first[table[slot] - 1]))
            slot = (slot + 1) & (slots - 1);
        if (!table[slot]) {
            s->first[s->found] = (uint32_t)i;
            table[slot] = (uint32_t)++s->found;
        }
        s->out->place[i] = table[slot] - 1;
    }
}

/* One side before the other: a sample can then take more of the smaller one. */
static void sort_sides(struct search *s, uint32_t *first, uint32_t *place) {
    size_t at[2] = {0, 0};
    for (size_t k = 0; k < s->found; k++) at[1] += !is_high(s, s->first[k]);
    for (size_t k = 0; k < s->found; k++) {
        place[k] = (uint32_t)at[is_high(s, s->first[k])]++;
        first[place[k]] = s->first[k];
    }
    for (size_t i = 0; i < s->o->n; i++) s->out->place[i] = place[s->out->place[i]];
    s->first = first;
}

static sepal_status measure_task(sepal_ctx *ctx, size_t task, void *payload) {
    const struct search *s = payload;
    size_t from = task * BLOCK_ROWS,
           to = from + BLOCK_ROWS < s->found ? from + BLOCK_ROWS : s->found;
    double *room = mem_alloc(ctx, s->o->cols, sizeof *room);
    if (!room) return SEPAL_EMEMORY;
    s->odd[task] = false;
    for (size_t k = from; k < to; k++)
        if (!measure(&s->n[k], &s->value[k], s, s->first[k], room)) s->odd[task] = true;
    mem_free(room);
    return SEPAL_OK;
}

static void copy_columns(uint32_t *out, const struct search *s, size_t k, double *room) {
    const double *x;
    const uint32_t *index;
    size_t i, n = 0, count = s->n[k];
    const struct block *block = matrix_block_of(&s->o->rows, s->first[k], &i);
    if (count == 0) return;
    if (block->sparse) {
        memcpy(out, block->index + block->start[i], count * sizeof *out);
        return;
    }
    (void)row_doubles(&x, &index, block, i, s->o->cols, NULL, room);
    for (uint32_t j = 0; n < count; j++) {
        out[n] = j; /* and again, until the column is there */
        n += x[j] != 0;
    }
}

static sepal_status copy_block(sepal_ctx *ctx, size_t b, void *payload) {
    const struct search *s = payload;
    struct block *block = &s->out->x.blocks[b];
    size_t entries = 0;
    double *room = mem_alloc(ctx, s->o->cols, sizeof *room);
    if (!room) return SEPAL_EMEMORY;
    for (size_t i = 0, k = block->first_row; i < block->rows; i++, k++) {
        block->start[i] = entries;
        copy_columns(block->index + entries, s, k, room);
        entries += s->n[k];
    }
    block->start[block->rows] = entries;
    mem_free(room);
    return SEPAL_OK;
}

static sepal_status lay_out(struct search *s, struct arena *arena) {
    sepal_ctx *ctx = s->o->ctx;
    struct matrix *x = &s->out->x;
    bool ones = true;
    *x = (struct matrix){.rows = s->found,
                         .cols = s->o->cols,
                         .block_rows = BLOCK_ROWS,
                         .n_blocks = blocks_of(s->found),
                         .sparse = true};
    for (size_t k = 0; k < s->found; k++) {
        x->nonzeros += s->n[k];
        ones = ones && s->value[k] == 1;
    }
    x->blocks = arena_zero(ctx, arena, x->n_blocks, sizeof *x->blocks);
    size_t *start = arena_alloc(ctx, arena, s->found + x->n_blocks, sizeof *start);
    uint32_t *index = arena_alloc(ctx, arena, x->nonzeros + 1, sizeof *index);
    if (!x->blocks || !start || !index) return SEPAL_EMEMORY;
    for (size_t b = 0, k = 0; b < x->n_blocks; b++) {
        size_t first = b * BLOCK_ROWS, left = s->found - first;
        struct block *block = &x->blocks[b];
        *block = (struct block){.first_row = first,
                                .rows = left < BLOCK_ROWS ? left : BLOCK_ROWS,
                                .sparse = true,
                                .values = ones ? VALUES_ONES : VALUES_ROW,
                                .start = start + first + b,
                                .index = index,
                                .f64 = ones ? NULL : s->value + first};
        for (; k < first + block->rows; k++) index += s->n[k];
    }
    return parallel_for(ctx, x->n_blocks, copy_block, s);
}

static sepal_status pose(struct search *s, struct arena *arena) {
    struct distinct *out = s->out;
    const struct objective *all = out->all;
    int32_t *label = arena_alloc(all->ctx, arena, s->found, sizeof *label);
    double *share = arena_zero(all->ctx, arena, s->found, sizeof *share);
    if (!label || !share) return SEPAL_EMEMORY;
    for (size_t k = 0; k < s->found; k++) label[k] = all->label[s->first[k]];
    for (size_t i = 0; i < all->n; i++) share[out->place[i]] += all->share[i];
    out->o = *all;
    out->o.arena = arena;
    out->o.x = &out->x;
    out->o.label = label;
    out->o.share = share;
    if (!all->rows.sparse) out->o.centre = NULL;
    return objective_init(&out->o);
}

static sepal_status find(struct search *s, bool *pays, struct arena *arena, struct arena *scratch) {
    const struct objective *o = s->o;
    sepal_ctx *ctx = o->ctx;
    enum { STREAM = 0x726f7773 };
    size_t slots = 2,
           tasks = blocks_of(o->n) > o->rows.n_blocks ? blocks_of(o->n) : o->rows.n_blocks;
    while (slots < 2 * o->n) slots *= 2;
    s->key = arena_alloc(ctx, scratch, o->cols, sizeof *s->key);
    s->hash = arena_alloc(ctx, scratch, o->n, sizeof *s->hash);
    s->odd = arena_alloc(ctx, scratch, tasks, sizeof *s->odd);
    if (!s->key || !s->hash || !s->odd) return SEPAL_EMEMORY;
    for (size_t j = 0; j < o->cols; j++) s->key[j] = rng_at(0, STREAM, j) | 1;
    TRY(parallel_for(ctx, o->rows.n_blocks, hash_block, s));
    if (!none(s->odd, o->rows.n_blocks)) return SEPAL_OK;
    s->first = arena_alloc(ctx, scratch, o->n, sizeof *s->first);
    s->out->place = arena_alloc(ctx, arena, o->n, sizeof *s->out->place);
    uint32_t *table = arena_zero(ctx, scratch, slots, sizeof *table);
    if (!s->first || !s->out->place || !table) return SEPAL_EMEMORY;
    find_distinct(s, table, slots);
    *pays = (double)s->found <= FEW * (double)o->n;
    return SEPAL_OK;
}

static sepal_status merge(struct search *s, bool *pays, struct arena *arena,
                          struct arena *scratch) {
    sepal_ctx *ctx = s->o->ctx;
    uint32_t *sorted = arena_alloc(ctx, scratch, s->found, 2 * sizeof *sorted);
    s->n = arena_alloc(ctx, scratch, s->found, sizeof *s->n);
    s->value = arena_alloc(ctx, arena, s->found, sizeof *s->value);
    if (!sorted || !s->n || !s->value) return SEPAL_EMEMORY;
    sort_sides(s, sorted, sorted + s->found);
    TRY(parallel_for(ctx, blocks_of(s->found), measure_task, s));
    *pays = none(s->odd, blocks_of(s->found));
    if (!*pays) return SEPAL_OK;
    TRY(lay_out(s, arena));
    return pose(s, arena);
}

sepal_status distinct_init(struct distinct *distinct, bool *pays, const struct objective *o,
                           struct arena *arena) {
    struct search s = {.o = o, .out = distinct};
    struct arena scratch = {0};
    *distinct = (struct distinct){.all = o};
    *pays = false;
    if (!rows_may_repeat(o)) return SEPAL_OK;
    sepal_status status = find(&s, pays, arena, &scratch);
    if (status == SEPAL_OK && *pays) status = merge(&s, pays, arena, &scratch);
    arena_clear(&scratch);
    return status;
}

/* ---- points ------------------------------------------------------------------------------- */

/* (x - c) . w + b = x . w + (b - c . w) */
static void move_bias(const struct distinct *distinct, double *u, double sign) {
    const struct objective *all = distinct->all;
    if (!all->centre || distinct->o.centre) return;
    u[all->cols] += sign * all->ctx->kernels->dot_f64(all->centre, u, all->cols);
}

void distinct_enter(const struct distinct *distinct, double *u) {
    move_bias(distinct, u, -1);
}

void distinct_leave(const struct distinct *distinct, double *u) {
    move_bias(distinct, u, 1);
}
