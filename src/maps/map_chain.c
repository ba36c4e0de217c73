/* Rows through the maps of a model. A row is sparse as long as every map it meets can take it so;
   column-by-column maps take a constant off every column, which sparse rows carry beside them as a
   centre. Whether the rows end up sparse depends on the maps and the matrix, not on a row. */
#include "maps/map_chain.h"

#include "core/alloc.h"
#include "core/parallel.h"

#include <math.h>
#include <string.h>

size_t map_chain_width(const struct map_chain *chain, size_t in) {
    return chain->n ? chain->maps[chain->n - 1].out : in;
}

/* ---- one row ------------------------------------------------------------------------------ */

struct row {
    const struct kernels *kernels;
    bool sparse;
    double *dense, *other_dense;
    struct map_entries entries, other_entries;
    const double *offset; /* of sparse rows */
};

static void chain_exchange(struct row *row) {
    double *dense = row->dense;
    struct map_entries entries = row->entries;
    row->dense = row->other_dense;
    row->other_dense = dense;
    row->entries = row->other_entries;
    row->other_entries = entries;
}

/* Sparse rows with an offset have a number in every column: they count as dense. */
static bool takes_sparse(const struct fitted_map *map, bool sparse, const double *offset) {
    if (!map->map->sparse) return false;
    sparse = sparse && !offset;
    return map->map->keeps_sparse ? map->map->keeps_sparse(map, sparse) : sparse;
}

static void chain_make_dense(struct row *row, size_t cols) {
    memset(row->dense, 0, cols * sizeof *row->dense);
    for (size_t e = 0; e < row->entries.n; e++)
        row->dense[row->entries.items[e].column] = row->entries.items[e].value;
    for (size_t j = 0; row->offset && j < cols; j++) row->dense[j] -= row->offset[j];
    row->sparse = false;
    row->offset = NULL;
}

static sepal_status make_sparse(sepal_ctx *ctx, struct row *row, size_t cols) {
    row->entries.n = 0;
    for (size_t j = 0; j < cols; j++)
        if (row->dense[j] != 0) TRY(map_entries_add(ctx, &row->entries, j, row->dense[j]));
    row->sparse = true;
    return SEPAL_OK;
}

static void apply_affine(const struct fitted_map *map, struct row *row) {
    if (!map->numbers) return;
    const double *shift = map->numbers, *divisor = map->numbers + map->in;
    if (row->sparse) {
        for (size_t e = 0; e < row->entries.n; e++)
            row->entries.items[e].value /= divisor[row->entries.items[e].column];
        row->offset = map->offset;
        return;
    }
    for (size_t j = 0; j < map->in; j++) row->dense[j] = (row->dense[j] - shift[j]) / divisor[j];
}

static sepal_status chain_apply(sepal_ctx *ctx, const struct fitted_map *map, struct row *row) {
    if (map->map->affine) {
        apply_affine(map, row);
        return SEPAL_OK;
    }
    bool sparse = takes_sparse(map, row->sparse, row->offset);
    if (row->sparse && (!sparse || row->offset)) chain_make_dense(row, map->in);
    if (sparse && !row->sparse) TRY(make_sparse(ctx, row, map->in));
    if (sparse) {
        row->other_entries.n = 0;
        TRY(map->map->sparse(ctx, map, &row->entries, &row->other_entries));
    } else {
        map->map->dense(map, row->kernels, row->dense, row->other_dense);
    }
    chain_exchange(row);
    return SEPAL_OK;
}

static sepal_status load_row(sepal_ctx *ctx, struct row *row, const struct matrix *x, size_t i) {
    size_t local;
    const struct block *block = matrix_block_of(x, i, &local);
    row->sparse = x->sparse;
    row->offset = block->centre;
    row->entries.n = 0;
    if (!x->sparse) {
        block_dense(block, local, 1, x->cols, NULL, NULL, row->dense, x->cols);
        return SEPAL_OK;
    }
    struct block stored = *block;
    stored.centre = NULL;
    double value;
    for (size_t at = 0, j; row_next(&stored, local, x->cols, &at, &j, &value);)
        TRY(map_entries_add(ctx, &row->entries, j, value));
    return SEPAL_OK;
}

/* ---- blocks ------------------------------------------------------------------------------- */

/* Whether the rows end up sparse, and with what centre. */
static bool ends_sparse(const struct map_chain *chain, const struct matrix *x,
                        const double **centre) {
    bool sparse = x->sparse;
    *centre = x->n_blocks ? x->blocks[0].centre : NULL;
    for (size_t m = 0; m < chain->n; m++) {
        const struct fitted_map *map = &chain->maps[m];
        if (map->map->affine) {
            if (map->numbers) *centre = map->offset;
            continue;
        }
        sparse = takes_sparse(map, sparse, *centre);
        *centre = NULL;
    }
    if (!sparse) *centre = NULL;
    return sparse;
}

static bool all_are(const double *values, size_t n, double value) {
    size_t i = 0;
    while (i < n && values[i] == value) i++;
    return i == n;
}

/* Keep the values in the least that holds them exactly. */
static sepal_status chain_shrink(sepal_ctx *ctx, struct block *block, size_t n) {
    if (block->sparse && all_are(block->f64, n, 1)) {
        mem_free(block->f64);
        block->f64 = NULL;
        block->values = VALUES_ONES;
    } else if (numbers_are_single(block->f64, n)) {
        block->f32 = mem_alloc(ctx, n, sizeof *block->f32);
        if (!block->f32) return SEPAL_EMEMORY;
        for (size_t i = 0; i < n; i++) block->f32[i] = (float)block->f64[i];
        mem_free(block->f64);
        block->f64 = NULL;
        block->values = VALUES_F32;
    }
    return SEPAL_OK;
}

static sepal_status store_sparse(sepal_ctx *ctx, struct block *out, size_t i, const struct row *row,
                                 size_t *room, size_t *index_room) {
    size_t at = out->start[i], n = at;
    void *values = out->f64, *index = out->index;
    sepal_status status = mem_reserve(ctx, &values, room, at + row->entries.n, sizeof *out->f64);
    out->f64 = values;
    if (status == SEPAL_OK)
        status = mem_reserve(ctx, &index, index_room, at + row->entries.n, sizeof *out->index);
    out->index = index;
    TRY(status);
    for (size_t e = 0; e < row->entries.n; e++) {
        if (row->entries.items[e].value == 0) continue;
        out->index[n] = row->entries.items[e].column;
        out->f64[n++] = row->entries.items[e].value;
    }
    out->start[i + 1] = n;
    return SEPAL_OK;
}

static sepal_status chain_fill(struct block *out, sepal_ctx *ctx, const struct map_chain *chain,
                               const struct matrix *x, struct row *row) {
    size_t cols = map_chain_width(chain, x->cols), room = 0, index_room = 0;
    if (out->sparse) out->start[0] = 0;
    for (size_t i = 0; i < out->rows; i++) {
        TRY(load_row(ctx, row, x, out->first_row + i));
        for (size_t m = 0; m < chain->n; m++) TRY(chain_apply(ctx, &chain->maps[m], row));
        if (out->sparse)
            TRY(store_sparse(ctx, out, i, row, &room, &index_room));
        else
            block_store_row(out, i, row->dense, cols);
    }
    return chain_shrink(ctx, out, out->sparse ? out->start[out->rows] : out->rows * cols);
}

static bool changes_nothing(const struct fitted_map *map) {
    return map->map->affine && !map->numbers;
}

bool map_chain_is_identity(const struct map_chain *chain) {
    size_t m = 0;
    while (m < chain->n && changes_nothing(&chain->maps[m])) m++;
    return m == chain->n;
}

sepal_status map_chain_block(struct block *out, sepal_ctx *ctx, const struct map_chain *chain,
                             const struct matrix *x, size_t first, size_t n) {
    size_t cols = map_chain_width(chain, x->cols), widest = x->cols;
    for (size_t m = 0; m < chain->n; m++)
        if (chain->maps[m].out > widest) widest = chain->maps[m].out;
    size_t local;
    const struct block *source = matrix_block_of(x, first, &local);
    *out = (struct block){.first_row = first, .rows = n, .values = VALUES_F64};
    if (source->number) out->number = source->number + local;
    out->sparse = ends_sparse(chain, x, &out->centre);
    struct row row = {.kernels = ctx->kernels};
    sepal_status status = SEPAL_OK;
    if (out->sparse) {
        out->start = mem_alloc(ctx, n + 1, sizeof *out->start);
        if (!out->start) status = SEPAL_EMEMORY;
    } else {
        status = block_alloc(ctx, out, cols, 0);
    }
    double *room = status == SEPAL_OK ? mem_alloc(ctx, 2 * widest, sizeof *room) : NULL;
    if (room) {
        row.dense = room, row.other_dense = room + widest;
        status = chain_fill(out, ctx, chain, x, &row);
    } else {
        status = SEPAL_EMEMORY;
    }
    mem_free(room);
    mem_free(row.entries.items);
    mem_free(row.other_entries.items);
    if (status != SEPAL_OK) block_clear(out);
    return status;
}

/* ---- one row of columns that stay apart ----------------------------------------------------- */

void map_chain_affine_row(double *out, const struct map_chain *chain, const double *x, size_t n) {
    for (size_t m = 0; m < chain->n; m++) {
        const double *shift = chain->maps[m].numbers;
        if (!shift) continue;
        for (size_t j = 0; j < n; j++) out[j] = (x[j] - shift[j]) / shift[n + j];
        x = out;
    }
}

void map_chain_affine_entries(double *out, const struct map_chain *chain, const uint32_t *index,
                              const double *x, size_t n) {
    for (size_t m = 0; m < chain->n; m++) {
        const struct fitted_map *map = &chain->maps[m];
        if (!map->numbers) continue;
        for (size_t e = 0; e < n; e++) out[e] = x[e] / map->numbers[map->in + index[e]];
        x = out;
    }
}

const double *map_chain_affine_offset(const struct map_chain *chain) {
    const double *offset = NULL;
    for (size_t m = 0; m < chain->n; m++)
        if (chain->maps[m].numbers) offset = chain->maps[m].offset;
    return offset;
}

/* ---- matrices ----------------------------------------------------------------------------- */

struct chain_mapping {
    const struct map_chain *chain;
    const struct matrix *x;
    struct matrix *out;
    size_t *nonzeros; /* of each block */
};

/* Count the entries that are not 0. What the maps make of extreme values must still be numbers; a
   centre is, see prepare. */
static sepal_status chain_survey(size_t *nonzeros, sepal_ctx *ctx, const struct map_chain *chain,
                                 const struct block *block, size_t cols) {
    for (size_t i = 0; i < block->rows && block->values != VALUES_ONES; i++) {
        size_t first = block->sparse ? block->start[i] : i * cols;
        size_t end = block->sparse ? block->start[i + 1] : first + cols;
        bool finite = true;
        for (size_t at = first; at < end; at++) {
            double x = block->f32 ? (double)block->f32[at] : block->f64[at];
            finite = finite && isfinite(x);
            *nonzeros += x != 0;
        }
        if (!finite)
            return fail(ctx, SEPAL_EDATA,
                        "%s makes a number of row %zu that is beyond the range of a double; put "
                        "standardize before it",
                        chain->maps[chain->n - 1].map->name, row_number(block, i) + 1);
    }
    if (block->values == VALUES_ONES) *nonzeros = block->start[block->rows];
    return SEPAL_OK;
}

static sepal_status map_block(sepal_ctx *ctx, size_t b, void *payload) {
    const struct chain_mapping *all = payload;
    struct block *block = &all->out->blocks[b];
    TRY(map_chain_block(block, ctx, all->chain, all->x, block->first_row, block->rows));
    return chain_survey(&all->nonzeros[b], ctx, all->chain, block, all->out->cols);
}

/* A dense matrix that memory cannot hold is refused before half of it is there: systems lend more
   memory than they have, but not all of this at once. */
static sepal_status try_room(sepal_ctx *ctx, const struct map_chain *chain, size_t rows,
                             size_t cols) {
    size_t least = 0;
    if (!__builtin_mul_overflow(cols, sizeof(float), &least)) {
        void *trial = mem_alloc(ctx, rows, least);
        mem_free(trial);
        if (trial) return SEPAL_OK;
    }
    return fail(ctx, SEPAL_EMEMORY,
                "not enough memory for the %zu x %zu numbers that %s makes of the rows; try fewer "
                "features or rows",
                rows, cols, chain->maps[chain->n - 1].map->name);
}

sepal_status map_chain_matrix(struct matrix *out, sepal_ctx *ctx, const struct map_chain *chain,
                              const struct matrix *x) {
    const double *centre;
    bool sparse = ends_sparse(chain, x, &centre);
    struct chain_mapping all = {.chain = chain, .x = x, .out = out};
    if (!sparse) TRY(try_room(ctx, chain, x->rows, map_chain_width(chain, x->cols)));
    TRY(matrix_init(out, ctx, x->rows, map_chain_width(chain, x->cols), sparse));
    all.nonzeros = mem_zero(ctx, out->n_blocks, sizeof *all.nonzeros);
    sepal_status status =
        all.nonzeros ? parallel_for(ctx, out->n_blocks, map_block, &all) : SEPAL_EMEMORY;
    for (size_t b = 0; status == SEPAL_OK && b < out->n_blocks; b++)
        out->nonzeros += all.nonzeros[b];
    if (status != SEPAL_OK) matrix_clear(out);
    mem_free(all.nonzeros);
    return status;
}

/* ---- fitting ------------------------------------------------------------------------------ */

static sepal_status chain_plan(struct fitted_map *map, sepal_ctx *ctx, size_t in) {
    map->in = in;
    TRY(map->map->plan(map, ctx));
    if (map->out == 0 || map->out > INT32_MAX)
        return fail(ctx, SEPAL_EDATA,
                    "%s would make %zu columns of %zu, more than 32-bit column numbers tell apart; "
                    "choose fewer features or use hash(bits=20)",
                    map->map->name, map->out, in);
    return SEPAL_OK;
}

sepal_status map_chain_plan(struct map_chain *chain, sepal_ctx *ctx, size_t in) {
    for (size_t m = 0; m < chain->n; m++) {
        TRY(chain_plan(&chain->maps[m], ctx, in));
        in = chain->maps[m].out;
    }
    return SEPAL_OK;
}

/* What sparse rows have too much after this map; `before`: what they had too much before it. */
static sepal_status chain_prepare(struct fitted_map *map, sepal_ctx *ctx, struct arena *arena,
                                  const double *before) {
    bool any = false;
    map->offset = before;
    if (!map->numbers) return SEPAL_OK;
    double *offset = arena_alloc(ctx, arena, map->in, sizeof *offset);
    if (!offset) return SEPAL_EMEMORY;
    for (size_t j = 0; j < map->in; j++) {
        offset[j] = ((before ? before[j] : 0) + map->numbers[j]) / map->numbers[map->in + j];
        any = any || offset[j] != 0;
        if (!isfinite(offset[j]))
            return fail(ctx, SEPAL_EDATA,
                        "the spread of matrix column %zu is too small beside its mean for %s; drop "
                        "this column",
                        j + 1, map->map->name);
    }
    map->offset = any ? offset : NULL;
    return SEPAL_OK;
}

sepal_status map_chain_prepare(struct map_chain *chain, sepal_ctx *ctx, struct arena *arena) {
    const double *before = NULL;
    for (size_t m = 0; m < chain->n; m++) {
        struct fitted_map *map = &chain->maps[m];
        if (map->map->affine) TRY(chain_prepare(map, ctx, arena, before));
        before = map->offset;
    }
    return SEPAL_OK;
}

static sepal_status chain_learn(struct fitted_map *map, struct map_rows *rows) {
    size_t cells;
    TRY(chain_plan(map, rows->ctx, rows->x->cols));
    if (__builtin_mul_overflow(map->shape[0], map->shape[1], &cells))
        return fail(rows->ctx, SEPAL_EMEMORY, "not enough memory for the numbers of %s",
                    map->map->name);
    if (cells == 0) return SEPAL_OK;
    map->numbers = arena_zero(rows->ctx, rows->arena, cells, sizeof *map->numbers);
    if (!map->numbers) return SEPAL_EMEMORY;
    TRY(map->map->learn(map, rows));
    for (size_t i = 0; i < cells; i++)
        if (!isfinite(map->numbers[i]))
            return fail(rows->ctx, SEPAL_EDATA,
                        "%s cannot be fitted to these columns: a number is beyond the range of a "
                        "double; scale the features down",
                        map->map->name);
    return SEPAL_OK;
}

/* One map after the other, each fitted to what those before it made. */
static sepal_status fit_next(struct map_chain *chain, size_t m, struct matrix *out,
                             struct map_rows *rows) {
    struct map_chain one = {.n = 1};
    TRY(chain_learn(&chain->maps[m], rows));
    if (changes_nothing(&chain->maps[m])) return SEPAL_OK;
    /* rows carry the centre of the maps before along, so only this map's own part is prepared */
    one.maps[0] = chain->maps[m];
    const double *before = rows->x->n_blocks ? rows->x->blocks[0].centre : NULL;
    if (one.maps[0].map->affine) TRY(chain_prepare(&one.maps[0], rows->ctx, rows->arena, before));
    struct matrix next;
    TRY(map_chain_matrix(&next, rows->ctx, &one, rows->x));
    matrix_clear(out);
    *out = next;
    rows->x = out;
    return SEPAL_OK;
}

sepal_status map_chain_fit(struct map_chain *chain, struct matrix *out, sepal_ctx *ctx,
                           struct arena *arena, const struct matrix *x, const double *weight) {
    struct map_rows rows = {.ctx = ctx, .arena = arena, .x = x, .weight = weight};
    *out = (struct matrix){0};
    for (size_t i = 0; i < x->rows; i++) rows.total += weight ? weight[i] : 1;
    sepal_status status = SEPAL_OK;
    for (size_t m = 0; m < chain->n && status == SEPAL_OK; m++)
        status = fit_next(chain, m, out, &rows);
    if (status == SEPAL_OK) status = map_chain_prepare(chain, ctx, arena);
    if (status != SEPAL_OK) matrix_clear(out);
    return status;
}

/* ---- reports ------------------------------------------------------------------------------ */

size_t map_chain_affine_tail(const struct map_chain *chain) {
    size_t tail = 0;
    while (tail < chain->n && chain->maps[chain->n - 1 - tail].map->affine) tail++;
    return tail;
}

void map_chain_fold(const struct map_chain *chain, size_t j, double *shift, double *divisor) {
    *shift = 0, *divisor = 1;
    for (size_t m = chain->n - map_chain_affine_tail(chain); m < chain->n; m++) {
        const struct fitted_map *map = &chain->maps[m];
        if (!map->numbers) continue;
        *shift += *divisor * map->numbers[j];
        *divisor *= map->numbers[map->in + j];
    }
}

bool map_chain_deviation(const struct map_chain *chain, size_t j, double *divisor) {
    size_t first = chain->n - map_chain_affine_tail(chain);
    *divisor = 1;
    for (size_t m = chain->n; m-- > first;) {
        const struct fitted_map *map = &chain->maps[m];
        if (map->map->deviations) return true;
        if (map->numbers) *divisor *= map->numbers[map->in + j];
    }
    return false;
}

struct naming {
    const struct map_chain *chain;
    size_t n;
    const struct map_names *inputs;
};

static void name_before(sepal_ctx *ctx, struct text *out, size_t j, const void *payload) {
    const struct naming *naming = payload;
    map_chain_name(ctx, out, naming->chain, naming->n, j, naming->inputs);
}

void map_chain_name(sepal_ctx *ctx, struct text *out, const struct map_chain *chain, size_t n,
                    size_t j, const struct map_names *inputs) {
    while (n > 0 && !chain->maps[n - 1].map->column_name) n--;
    if (n == 0) {
        inputs->print(ctx, out, j, inputs->payload);
        return;
    }
    struct naming naming = {.chain = chain, .n = n - 1, .inputs = inputs};
    struct map_names before = {.print = name_before, .payload = &naming};
    chain->maps[n - 1].map->column_name(ctx, out, &chain->maps[n - 1], j, &before);
}
