/* Setting an objective up, and its sums over rows. */
#include "objective/objective.h"

#include "core/parallel.h"

#include <math.h>

/* ---- set-up ------------------------------------------------------------------------------- */

/* A slab is worth its sums: they are set to 0, read and added once a pass. Few entries are looked at
   before another thread has begun. */
enum { SLAB_ENTRIES = 1 << 14, SLAB_ENTRIES_PER_NUMBER = 16, FEW_ENTRIES = 1 << 16 };

static size_t entries_before(const struct matrix *x, size_t row) {
    size_t entries = 0;
    for (size_t b = 0; b < x->n_blocks && x->blocks[b].first_row < row; b++) {
        const struct block *block = &x->blocks[b];
        size_t rows = row - block->first_row < block->rows ? row - block->first_row : block->rows;
        entries += x->sparse ? block->start[rows] : rows * x->cols;
    }
    return entries;
}

/* Slabs of about the same number of entries, each begins with a block. */
static void choose_slabs(struct objective *o) {
    const struct matrix *x = &o->rows;
    size_t entries = entries_before(x, x->rows);
    size_t most = entries < FEW_ENTRIES ? 1 : entries / SLAB_ENTRIES + 1;
    size_t worth = entries / SLAB_ENTRIES_PER_NUMBER / o->width + 2;
    if (most > worth) most = worth;
    if (most > SLABS_MOST) most = SLABS_MOST;
    size_t slab = 0, seen = 0;
    for (size_t b = 0; b < x->n_blocks; b++) {
        const struct block *block = &x->blocks[b];
        if (slab < most && seen >= entries / most * slab) o->slab_first[slab++] = block->first_row;
        seen += x->sparse ? block->start[block->rows] : block->rows * x->cols;
    }
    o->slabs = slab;
    o->slab_first[slab] = x->rows;
}

enum { FEW_NUMBERS = 1 << 17 };

/* Small tables of dense rows as doubles, less their centre: each pass would make them anew. */
static sepal_status keep_doubles(struct objective *o) {
    const struct matrix *x = &o->rows;
    bool doubles = !o->centre;
    for (size_t b = 0; b < x->n_blocks && doubles; b++) doubles = x->blocks[b].f64 != NULL;
    if (x->sparse || doubles || x->cols == 0 || x->rows > FEW_NUMBERS / x->cols) return SEPAL_OK;
    struct block *blocks = arena_alloc(o->ctx, o->arena, x->n_blocks, sizeof *blocks);
    double *rows = arena_alloc(o->ctx, o->arena, x->rows, x->cols * sizeof *rows);
    if (!blocks || !rows) return SEPAL_EMEMORY;
    for (size_t b = 0; b < x->n_blocks; b++) {
        const struct block *from = &x->blocks[b];
        double *out = rows + from->first_row * x->cols;
        block_doubles(o->ctx->kernels, from, 0, from->rows, x->cols, o->centre, 1, out, x->cols);
        blocks[b] = *from;
        blocks[b].values = VALUES_F64;
        blocks[b].f32 = NULL;
        blocks[b].f64 = out;
    }
    o->rows.blocks = blocks;
    o->centre = NULL;
    return SEPAL_OK;
}

/* Few rows with few columns by columns; they are doubles less their centre. */
static sepal_status keep_columns(struct objective *o) {
    enum { NARROW = 32, LINE = 8, SHARED = 128 };
    o->columns = NULL;
    o->turned = !o->rows.sparse && o->cols > 0 && o->cols <= NARROW;
    if (!o->turned || o->n > FEW_NUMBERS / o->cols) return SEPAL_OK;
    o->apart = (o->n + LINE - 1) / LINE * LINE;
    if (o->apart % SHARED == 0) o->apart += LINE; /* columns would share lines of the cache */
    o->columns = arena_alloc(o->ctx, o->arena, o->cols, o->apart * sizeof *o->columns);
    if (!o->columns) return SEPAL_EMEMORY;
    for (size_t b = 0; b < o->rows.n_blocks; b++) {
        const struct block *block = &o->rows.blocks[b];
        o->ctx->kernels->turn(o->columns + block->first_row, o->apart, block->f64, block->rows,
                              o->cols);
    }
    return SEPAL_OK;
}

sepal_status objective_init(struct objective *o) {
    o->n = o->x->rows;
    o->cols = o->x->cols;
    o->width = o->cols + (o->bias != BIAS_NONE);
    o->penalised = o->cols + (o->bias == BIAS_PENALISED);
    TRY(objective_rows(o));
    TRY(keep_doubles(o));
    TRY(keep_columns(o));
    choose_slabs(o);
    o->slab_sum = arena_alloc(o->ctx, o->arena, o->slabs, o->width * sizeof *o->slab_sum);
    if (!o->slab_sum) return SEPAL_EMEMORY;
    return objective_keep_squares(o);
}

double objective_penalty(const struct objective *o, const double *u) {
    double absolute = 0;
    for (size_t j = 0; j < o->penalised && o->l1 > 0; j++) absolute += fabs(u[j]);
    double square = o->ctx->kernels->dot_f64(u, u, o->penalised);
    return o->l1 * absolute + 0.5 * o->l2 * square;
}

/* ---- sums of numbers, one a row ------------------------------------------------------------ */

struct neg_conjugate_sum {
    const struct objective *o;
    const double *a;
    double factor, sum[SLABS_MOST];
};

static sepal_status neg_conjugate_slab(sepal_ctx *ctx, size_t s, void *payload) {
    enum { PART = 256 };
    struct neg_conjugate_sum *all = payload;
    const struct objective *o = all->o;
    double scaled[PART], value[PART];
    for (size_t i = o->slab_first[s], n; i < o->slab_first[s + 1]; i += n) {
        n = o->slab_first[s + 1] - i < PART ? o->slab_first[s + 1] - i : PART;
        for (size_t k = 0; k < n; k++) scaled[k] = all->factor * all->a[i + k];
        o->loss->neg_conjugate(ctx->kernels, n, scaled, value);
        all->sum[s] += ctx->kernels->dot_f64(value, o->row_weight + i, n);
    }
    return SEPAL_OK;
}

sepal_status objective_neg_conjugate(double *out, const struct objective *o, const double *a,
                                     double factor) {
    struct neg_conjugate_sum all = {.o = o, .a = a, .factor = factor};
    TRY(parallel_for(o->ctx, o->slabs, neg_conjugate_slab, &all));
    *out = objective_total(o, all.sum);
    return SEPAL_OK;
}

struct along {
    const struct objective *o;
    const double *m, *t; /* t may be NULL */
    double length, sum[SLABS_MOST];
};

static sepal_status loss_along_slab(sepal_ctx *ctx, size_t s, void *payload) {
    enum { PART = 256 };
    struct along *all = payload;
    const struct objective *o = all->o;
    double m[PART], value[PART], sum = 0;
    for (size_t i = o->slab_first[s], n; i < o->slab_first[s + 1]; i += n) {
        n = o->slab_first[s + 1] - i < PART ? o->slab_first[s + 1] - i : PART;
        for (size_t k = 0; all->t && k < n; k++) m[k] = all->m[i + k] + all->length * all->t[i + k];
        o->loss->at(ctx->kernels, n, all->t ? m : all->m + i, value, NULL, NULL);
        sum += ctx->kernels->dot_f64(value, o->row_weight + i, n);
    }
    all->sum[s] = sum;
    return SEPAL_OK;
}

sepal_status objective_loss_along(double *out, const struct objective *o, const double *m,
                                  const double *t, double length) {
    struct along all = {.o = o, .m = m, .t = t, .length = length};
    TRY(parallel_for(o->ctx, o->slabs, loss_along_slab, &all));
    *out = objective_total(o, all.sum);
    return SEPAL_OK;
}

sepal_status objective_loss(double *out, const struct objective *o, const double *m) {
    return objective_loss_along(out, o, m, NULL, 0);
}
