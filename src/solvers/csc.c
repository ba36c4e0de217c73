/* Making the copy: count the entries of each column in some ranges of rows, and let each range write
   where the ranges before it end. Whoever writes, the copy is the same. */
#include "solvers/csc.h"

#include "core/alloc.h"
#include "core/parallel.h"

enum { RANGES = 2, STRIPE_ENTRIES = 1 << 15, NOT_KEPT = -1 };

struct csc_copying {
    struct csc *out;
    const struct matrix *rows;
    int32_t *place; /* of each column of the matrix in the copy, or NOT_KEPT; NULL: its number */
    size_t *next;   /* RANGES x count: entries, then where the next one goes */
};

/* ---- sparse ------------------------------------------------------------------------------- */

static inline size_t csc_place_of(const struct csc_copying *all, uint32_t column, bool *kept) {
    if (!all->place) {
        *kept = true;
        return column;
    }
    *kept = all->place[column] != NOT_KEPT;
    return (size_t)all->place[column];
}

static sepal_status count_range(sepal_ctx *ctx, size_t range, void *payload) {
    const struct csc_copying *all = payload;
    const struct matrix *x = all->rows;
    size_t *count = all->next + range * all->out->count;
    size_t from = x->n_blocks * range / RANGES, to = x->n_blocks * (range + 1) / RANGES;
    (void)ctx;
    for (size_t b = from; b < to; b++) {
        const struct block *block = &x->blocks[b];
        for (size_t at = 0; at < block->start[block->rows]; at++) {
            bool kept;
            size_t k = csc_place_of(all, block->index[at], &kept);
            if (kept) count[k]++;
        }
    }
    return SEPAL_OK;
}

static void copy_row(const struct csc_copying *all, const struct block *block, size_t i,
                     size_t *next) {
    struct csc *c = all->out;
    uint32_t row = (uint32_t)(block->first_row + i);
    for (size_t at = block->start[i]; at < block->start[i + 1]; at++) {
        bool kept;
        size_t k = csc_place_of(all, block->index[at], &kept);
        if (!kept) continue;
        size_t to = next[k]++;
        c->row[to] = row;
        if (!c->f32 && !c->f64) continue;
        double value = block_value(block, i, at);
        if (c->f32)
            c->f32[to] = (float)value;
        else
            c->f64[to] = value;
    }
}

static sepal_status copy_range(sepal_ctx *ctx, size_t range, void *payload) {
    const struct csc_copying *all = payload;
    const struct matrix *x = all->rows;
    size_t *next = all->next + range * all->out->count;
    size_t from = x->n_blocks * range / RANGES, to = x->n_blocks * (range + 1) / RANGES;
    (void)ctx;
    for (size_t b = from; b < to; b++) {
        const struct block *block = &x->blocks[b];
        for (size_t i = 0; i < block->rows; i++) {
            if (all->out->scale)
                all->out->scale[block->first_row + i] =
                    block->values == VALUES_ROW ? block->f64[i] : 1;
            copy_row(all, block, i, next);
        }
    }
    return SEPAL_OK;
}

/* The least that holds the values of every block. */
static sepal_status make_values(struct csc *out, sepal_ctx *ctx, const struct matrix *rows,
                                size_t entries) {
    bool by_row = false, by_entry = false, singles = true;
    for (size_t b = 0; b < rows->n_blocks; b++) {
        const struct block *block = &rows->blocks[b];
        by_row |= block->values == VALUES_ROW;
        by_entry |= block->values == VALUES_F32 || block->values == VALUES_F64;
        singles &= block->values == VALUES_F32 || block->values == VALUES_ONES;
    }
    out->row = mem_alloc(ctx, entries, sizeof *out->row);
    if (!out->row) return SEPAL_EMEMORY;
    if (by_entry && singles && !(out->f32 = mem_alloc(ctx, entries, sizeof *out->f32)))
        return SEPAL_EMEMORY;
    if (by_entry && !singles && !(out->f64 = mem_alloc(ctx, entries, sizeof *out->f64)))
        return SEPAL_EMEMORY;
    if (by_row && !by_entry && !(out->scale = mem_alloc(ctx, rows->rows, sizeof *out->scale)))
        return SEPAL_EMEMORY;
    return SEPAL_OK;
}

static sepal_status csc_copy_sparse(struct csc_copying *all, sepal_ctx *ctx) {
    struct csc *c = all->out;
    all->next = mem_zero(ctx, c->count, RANGES * sizeof *all->next);
    if (!all->next) return SEPAL_EMEMORY;
    TRY(parallel_for(ctx, RANGES, count_range, all));
    size_t entries = 0;
    for (size_t k = 0; k < c->count; k++) {
        c->start[k] = entries;
        for (size_t range = 0; range < RANGES; range++) {
            size_t *next = &all->next[range * c->count + k], held = *next;
            *next = entries;
            entries += held;
        }
    }
    c->start[c->count] = entries;
    TRY(make_values(c, ctx, all->rows, entries));
    return parallel_for(ctx, RANGES, copy_range, all);
}

/* ---- dense -------------------------------------------------------------------------------- */

static sepal_status copy_stripe(sepal_ctx *ctx, size_t stripe, void *payload) {
    const struct csc_copying *all = payload;
    struct csc *c = all->out;
    size_t cols = all->rows->cols, from = c->stripe[stripe], to = c->stripe[stripe + 1];
    (void)ctx;
    for (size_t b = 0; b < all->rows->n_blocks; b++) {
        const struct block *block = &all->rows->blocks[b];
        for (size_t k = from; k < to; k++) {
            size_t column = c->number[k], at = c->start[k] + block->first_row;
            for (size_t i = 0; i < block->rows; i++, at++) {
                size_t cell = i * cols + column;
                if (c->f32)
                    c->f32[at] = block->f32[cell];
                else
                    c->f64[at] = block->f32 ? (double)block->f32[cell] : block->f64[cell];
            }
        }
    }
    return SEPAL_OK;
}

static sepal_status csc_allocate_dense(struct csc *c, sepal_ctx *ctx, const struct matrix *rows) {
    bool singles = true;
    for (size_t b = 0; b < rows->n_blocks; b++) singles &= rows->blocks[b].f32 != NULL;
    for (size_t k = 0; k <= c->count; k++) c->start[k] = k * c->n;
    if (singles)
        c->f32 = mem_alloc(ctx, c->n * c->count, sizeof *c->f32);
    else
        c->f64 = mem_alloc(ctx, c->n * c->count, sizeof *c->f64);
    return c->f32 || c->f64 ? SEPAL_OK : SEPAL_EMEMORY;
}

/* ---- together ----------------------------------------------------------------------------- */

static sepal_status make_stripes(struct csc *c, sepal_ctx *ctx) {
    size_t most = c->start[c->count] / STRIPE_ENTRIES + 2;
    c->stripe = mem_alloc(ctx, most, sizeof *c->stripe);
    if (!c->stripe) return SEPAL_EMEMORY;
    c->stripe[0] = 0;
    for (size_t k = 0; k < c->count; k++) {
        if (c->start[k] - c->start[c->stripe[c->n_stripes]] < STRIPE_ENTRIES) continue;
        c->stripe[++c->n_stripes] = k;
    }
    c->stripe[++c->n_stripes] = c->count;
    return SEPAL_OK;
}

static sepal_status csc_choose(struct csc_copying *all, sepal_ctx *ctx, const bool *keep) {
    struct csc *c = all->out;
    size_t cols = all->rows->cols;
    for (size_t j = 0; j < cols; j++) c->count += !keep || keep[j];
    c->number = mem_alloc(ctx, c->count, sizeof *c->number);
    c->start = mem_alloc(ctx, c->count + 1, sizeof *c->start);
    if (c->count < cols) all->place = mem_alloc(ctx, cols, sizeof *all->place);
    if (!c->number || !c->start || (c->count < cols && !all->place)) return SEPAL_EMEMORY;
    for (size_t j = 0, k = 0; j < cols; j++) {
        bool kept = !keep || keep[j];
        if (all->place) all->place[j] = kept ? (int32_t)k : NOT_KEPT;
        if (kept) c->number[k++] = j;
    }
    return SEPAL_OK;
}

sepal_status columns_make(struct csc *out, sepal_ctx *ctx, const struct matrix *rows,
                          const bool *keep, const double *centre) {
    struct csc_copying all = {.out = out, .rows = rows};
    *out = (struct csc){.n = rows->rows};
    if (rows->rows > UINT32_MAX || rows->cols > INT32_MAX)
        return fail(ctx, SEPAL_EDATA,
                    "%zu rows and %zu columns are more than an L1 penalty can "
                    "take; train on fewer",
                    rows->rows, rows->cols);
    sepal_status status = csc_choose(&all, ctx, keep);
    if (status == SEPAL_OK && rows->sparse) status = csc_copy_sparse(&all, ctx);
    if (status == SEPAL_OK && !rows->sparse) {
        out->centre = centre;
        status = csc_allocate_dense(out, ctx, rows);
    }
    if (status == SEPAL_OK) status = make_stripes(out, ctx);
    if (status == SEPAL_OK && !rows->sparse)
        status = parallel_for(ctx, out->n_stripes, copy_stripe, &all);
    mem_free(all.place);
    mem_free(all.next);
    if (status != SEPAL_OK) columns_clear(out);
    return status;
}

void columns_clear(struct csc *columns) {
    mem_free(columns->number);
    mem_free(columns->start);
    mem_free(columns->row);
    mem_free(columns->f32);
    mem_free(columns->f64);
    mem_free(columns->scale);
    mem_free(columns->stripe);
    *columns = (struct csc){0};
}

/* ---- products ----------------------------------------------------------------------------- */

const double *columns_scale(const struct csc *c, const double *in, double *scratch) {
    if (!c->scale) return in;
    for (size_t i = 0; i < c->n; i++) scratch[i] = c->scale[i] * in[i];
    return scratch;
}

/* A value of a dense column, less its centre. */
static inline double dense_value(const struct csc *c, size_t at, double centre) {
    return (c->f32 ? (double)c->f32[at] : c->f64[at]) - centre;
}

static inline double dense_centre(const struct csc *c, size_t k) {
    return c->centre ? c->centre[c->number[k]] : 0;
}

static double dense_dot(const struct csc *c, size_t k, const double *v) {
    double lane[KERNEL_LANES] = {0}, sum = 0, centre = dense_centre(c, k);
    size_t i = 0, first = c->start[k];
    for (; i + KERNEL_LANES <= c->n; i += KERNEL_LANES)
        for (size_t l = 0; l < KERNEL_LANES; l++)
            lane[l] += dense_value(c, first + i + l, centre) * v[i + l];
    for (; i < c->n; i++) sum += dense_value(c, first + i, centre) * v[i];
    for (size_t l = 0; l < KERNEL_LANES; l++) sum += lane[l];
    return sum;
}

double columns_dot(const struct csc *c, const struct kernels *kernels, size_t k,
                   const double *scaled) {
    size_t at = c->start[k], n = columns_length(c, k);
    if (!c->row) return dense_dot(c, k, scaled);
    if (c->f32) return kernels->gather_f32(c->f32 + at, c->row + at, scaled, n);
    if (c->f64) return kernels->gather_f64(c->f64 + at, c->row + at, scaled, n);
    return kernels->gather_ones(c->row + at, scaled, n);
}

void columns_add(const struct csc *c, size_t k, double a, double *out) {
    size_t from = c->start[k], to = c->start[k + 1];
    if (!c->row) {
        double centre = dense_centre(c, k);
        for (size_t i = 0; i < c->n; i++) out[i] += a * dense_value(c, from + i, centre);
    } else if (c->f32) {
        for (size_t at = from; at < to; at++) out[c->row[at]] += a * (double)c->f32[at];
    } else if (c->f64) {
        for (size_t at = from; at < to; at++) out[c->row[at]] += a * c->f64[at];
    } else if (c->scale) {
        for (size_t at = from; at < to; at++) out[c->row[at]] += a * c->scale[c->row[at]];
    } else {
        for (size_t at = from; at < to; at++) out[c->row[at]] += a;
    }
}

/* Some sums side by side, since one would wait for itself. */
static void sparse_curvature(const struct csc *c, size_t from, size_t to, const double *curvature,
                             double *once, double *twice) {
    enum { LANES = 4 };
    double first[LANES] = {0}, second[LANES] = {0};
    size_t at = from;
    for (; at + LANES <= to; at += LANES) {
        for (size_t l = 0; l < LANES; l++) {
            double x = c->f32 ? (double)c->f32[at + l] : c->f64[at + l];
            double part = x * curvature[c->row[at + l]];
            first[l] += part;
            second[l] += x * part;
        }
    }
    for (; at < to; at++) {
        double x = c->f32 ? (double)c->f32[at] : c->f64[at], part = x * curvature[c->row[at]];
        first[0] += part;
        second[0] += x * part;
    }
    *once = (first[0] + first[1]) + (first[2] + first[3]);
    *twice = (second[0] + second[1]) + (second[2] + second[3]);
}

void columns_curvature(const struct csc *c, const struct kernels *kernels, size_t k,
                       const struct curvatures *along, double *once, double *twice) {
    size_t from = c->start[k], n = columns_length(c, k);
    *once = *twice = 0;
    if (!c->row) {
        double centre = dense_centre(c, k);
        for (size_t i = 0; i < n; i++) {
            double x = dense_value(c, from + i, centre), part = x * along->curvature[i];
            *once += part;
            *twice += x * part;
        }
    } else if (c->f32 || c->f64) {
        sparse_curvature(c, from, from + n, along->curvature, once, twice);
    } else {
        *once = kernels->gather_ones(c->row + from, along->once, n);
        *twice = c->scale ? kernels->gather_ones(c->row + from, along->twice, n) : *once;
    }
}

void columns_add_curvature(const struct csc *c, size_t k, double a, const struct curvatures *along,
                           double *r) {
    size_t from = c->start[k], to = c->start[k + 1];
    const double *curvature = c->scale ? along->twice : along->curvature;
    if (!c->row) {
        double centre = dense_centre(c, k);
        for (size_t i = 0; i < c->n; i++)
            r[i] += a * dense_value(c, from + i, centre) * curvature[i];
    } else if (c->f32) {
        for (size_t at = from; at < to; at++)
            r[c->row[at]] += a * (double)c->f32[at] * curvature[c->row[at]];
    } else if (c->f64) {
        for (size_t at = from; at < to; at++)
            r[c->row[at]] += a * c->f64[at] * curvature[c->row[at]];
    } else {
        for (size_t at = from; at < to; at++) r[c->row[at]] += a * curvature[c->row[at]];
    }
}
