/* Columns that many rows have are taken together: by the matrix of second derivatives of their
   weights coordinate descent costs nothing beside a pass over the data, and can go on to the end.
   Alone each would undo what the others did. Where all columns go into one such block, that is the
   covariance mode of glmnet (Friedman, Hastie and Tibshirani, JSS 33, 2010). */
#include "solvers/prox.h"

#include "core/alloc.h"
#include "dense/tall.h"

#include <math.h>
#include <string.h>

/* MEMBERS: of a block; ROW_MOST: entries of a row, in the mean, up to which all columns may be
   members; a column with a COMMON-th of the rows is one in any case. */
enum { MEMBERS = 512, ROW_MOST = 64, COMMON = 8, HALVES = 2 };

/* ---- the members -------------------------------------------------------------------------- */

/* All of the set where rows have few of its entries, else the columns with many. With fewer rows than
   members a column costs less than a row of the matrix. */
static bool takes_all(const struct prox *p) {
    if (p->n_set > MEMBERS || (p->n_set > p->o->n && !p->means_dominate)) return false;
    return !p->o->rows.sparse || p->entries <= ROW_MOST * p->o->n;
}

static bool belongs(const struct prox *p, size_t k, bool all) {
    if (p->n_block == MEMBERS) return false;
    if (all || !p->settled || p->o->n < 4 * MEMBERS) return all;
    return p->o->rows.sparse ? columns_length(&p->columns, k) >= p->o->n / COMMON : p->w[k] != 0;
}

/* Members stay while the matrix is worth something, wanted or not. */
static void gram_keep_block(struct prox *p) {
    size_t n = p->n_set, light = 0, b = 0;
    memcpy(p->light, p->set, n * sizeof *p->set);
    p->n_set = 0;
    for (size_t i = 0; i < n || b < p->n_block;) {
        size_t k = i < n ? p->light[i] : SIZE_MAX, member = b < p->n_block ? p->block[b] : SIZE_MAX;
        p->set[p->n_set++] = k < member ? k : member;
        if (k < member) p->light[light++] = k;
        i += k <= member;
        b += member <= k;
    }
    p->n_light = light;
}

void prox_gram_choose(struct prox *p) {
    static const double drift = 0.1; /* beyond it the matrix says little */
    bool all = takes_all(p);
    double change = fabs(p->curvatures - p->block_curvatures);
    if (p->gram && !all && !p->careful && change <= drift * p->block_curvatures) {
        gram_keep_block(p);
        if (p->n_light > 0) return;
    }
    mem_free(p->gram);
    p->gram = NULL;
    p->n_block = p->n_light = 0;
    for (size_t i = 0; i < p->n_set; i++) {
        size_t k = p->set[i];
        if (belongs(p, k, all))
            p->block[p->n_block++] = k;
        else
            p->light[p->n_light++] = k;
    }
    p->block_bias = p->n_light == 0 && p->o->bias == BIAS_PENALISED;
    p->block[p->n_block] = p->count;
}

static size_t size_of(const struct prox *p) {
    return p->n_block + p->block_bias;
}

/* ---- the matrix --------------------------------------------------------------------------- */

/* Sparse rows are read from the columns, some rows at a time: each column remembers where it was. */
enum { CHUNK = 64 };

struct pairing {
    const struct prox *p;
    double *half[HALVES];
};

struct chunk {
    size_t next[MEMBERS]; /* entry of each column */
    uint16_t count[CHUNK], member[CHUNK][MEMBERS];
    double x[CHUNK][MEMBERS];
};

static void read_chunk(struct chunk *chunk, const struct prox *p, size_t first, size_t end) {
    const struct csc *c = &p->columns;
    memset(chunk->count, 0, sizeof chunk->count);
    for (size_t b = 0; b < p->n_block; b++) {
        size_t last = c->start[p->block[b] + 1], at = chunk->next[b];
        for (; at < last && c->row[at] < end; at++) {
            size_t i = c->row[at] - first, place = chunk->count[i]++;
            chunk->member[i][place] = (uint16_t)b;
            chunk->x[i][place] = c->f32     ? (double)c->f32[at]
                                 : c->f64   ? c->f64[at]
                                 : c->scale ? c->scale[c->row[at]]
                                            : 1;
        }
        chunk->next[b] = at;
    }
}

static void pair_chunk(const struct chunk *chunk, const struct prox *p, size_t first, size_t end,
                       double *gram) {
    for (size_t i = 0; i < end - first; i++) {
        const uint16_t *member = chunk->member[i];
        const double *x = chunk->x[i];
        for (size_t a = 0; a < chunk->count[i]; a++) {
            double *row = gram + (size_t)member[a] * size_of(p);
            double factor = p->curvature[first + i] * x[a];
            for (size_t b = a; b < chunk->count[i]; b++) row[member[b]] += factor * x[b];
        }
    }
}

static sepal_status pair_half(sepal_ctx *ctx, size_t half, void *payload) {
    const struct pairing *all = payload;
    const struct prox *p = all->p;
    const struct csc *c = &p->columns;
    size_t first = c->n * half / HALVES, end = c->n * (half + 1) / HALVES;
    struct chunk *chunk = mem_alloc(ctx, 1, sizeof *chunk);
    if (!chunk) return SEPAL_EMEMORY;
    for (size_t b = 0; b < p->n_block; b++)
        chunk->next[b] =
            index_seek(c->row, c->start[p->block[b]], c->start[p->block[b] + 1], first);
    for (size_t i = first, to; i < end; i = to) {
        to = i + CHUNK < end ? i + CHUNK : end;
        read_chunk(chunk, p, i, to);
        pair_chunk(chunk, p, i, to, all->half[half]);
    }
    mem_free(chunk);
    return SEPAL_OK;
}

static sepal_status pair_sparse(struct prox *p) {
    size_t n = size_of(p), cells = n * n;
    struct pairing all = {.p = p, .half = {p->gram, p->gram + cells}};
    memset(p->gram, 0, HALVES * cells * sizeof *p->gram);
    TRY(prox_tasks(p, p->entries, HALVES, pair_half, &all));
    for (size_t i = 0; i < cells; i++) p->gram[i] += p->gram[cells + i];
    for (size_t a = 0; a < n && p->block_bias; a++)
        p->gram[a * n + n - 1] = a < n - 1 ? p->first[p->block[a]] : p->curvatures;
    return SEPAL_OK;
}

static void gram_fill_rows(const void *payload, size_t first, size_t n, double *out,
                           size_t stride) {
    const struct prox *p = payload;
    for (size_t i = first; i < first + n; i++, out += stride) {
        size_t local;
        const struct block *block = matrix_block_of(&p->o->rows, i, &local);
        double root = sqrt(p->curvature[i]);
        block_dense(block, local, 1, p->o->cols, p->o->centre, NULL, out, stride);
        for (size_t b = 0; b < p->n_block; b++) out[b] = root * out[p->columns.number[p->block[b]]];
        out[p->n_block] = root;
    }
}

static double gram_centre_of(const struct prox *p, size_t a) {
    return a < p->n_block ? prox_centre(p, p->block[a]) : 0;
}

/* What the centre of sparse columns takes off, and a free bias that follows every step. */
static void gram_correct(struct prox *p) {
    size_t n = size_of(p);
    bool follows = p->o->bias == BIAS_FREE && p->curvatures > 0;
    p->first[p->count] = p->second[p->count] = p->curvatures;
    for (size_t a = 0; a < n; a++) {
        size_t k = p->block[a];
        for (size_t b = a; b < n; b++) {
            size_t l = p->block[b];
            double *cell = &p->gram[a * n + b], c = gram_centre_of(p, a), e = gram_centre_of(p, b);
            if (follows)
                *cell -= p->first[k] * p->first[l] / p->curvatures;
            else
                *cell += c * e * p->curvatures - c * p->first[l] - e * p->first[k];
            if (a == b) *cell = fmax(*cell, p->second[k]);
            p->gram[b * n + a] = *cell;
        }
    }
}

sepal_status prox_gram_make(struct prox *p) {
    const struct objective *o = p->o;
    size_t n = size_of(p), parts = o->rows.sparse ? HALVES : 1;
    if (p->gram || n == 0) return SEPAL_OK;
    p->gram = mem_alloc(o->ctx, parts * n, n * sizeof *p->gram);
    if (!p->gram) return SEPAL_EMEMORY;
    if (o->rows.sparse) {
        TRY(pair_sparse(p));
    } else {
        const struct tall tall = {
            .rows = o->n, .cols = n, .stride = o->cols + 1, .fill = gram_fill_rows, .payload = p};
        TRY(tall_gram(p->gram, o->ctx, &tall));
    }
    gram_correct(p);
    p->block_curvatures = p->curvatures;
    return SEPAL_OK;
}

/* ---- coordinate descent ------------------------------------------------------------------- */

static double gram_visit(struct prox *p, size_t b, double *slope) {
    const struct objective *o = p->o;
    size_t n = size_of(p), k = p->block[b];
    double w = prox_weight(p, k, 1), curvature = p->gram[b * n + b] + o->l2;
    double g = slope[b] + o->l2 * w;
    if (!(curvature > 0)) return 0;
    double next = box_clip(prox_shrink(w, g, curvature, o->l1), p->low[k], p->high[k]);
    double move = next - w;
    if (move == 0) return 0;
    p->step[k] = next == 0 ? -p->w[k] : next - p->w[k];
    o->ctx->kernels->axpy_f64(move, p->gram + b * n, slope, n);
    return fabs(move) * curvature;
}

/* Beside other columns the block need not be better than they are; alone it is the whole model. */
sepal_status prox_gram_descend(struct prox *p, double *slope) {
    enum { FEW = 128 };
    size_t n = size_of(p);
    double precision = prox_alone(p) ? 1e-7 : 1e-3, first = 0;
    double work = prox_alone(p) ? 4e8 : 4e6; /* products */
    int most = (int)fmin(fmax(20, work / ((double)n * (double)n)), 3000);
    if (p->means_dominate && prox_alone(p)) most = 10;
    /* along a path most signs are known already, and few equations are solved at once */
    if (p->before_l1 > 0 && prox_alone(p) && n <= FEW) most = 5;
    for (int pass = 0; pass < most; pass++) {
        double moved = 0;
        for (size_t b = 0; b < n; b++) moved += gram_visit(p, b, slope);
        if (pass == 0) first = moved;
        if (moved <= precision * first || cancelled(p->o->ctx)) return SEPAL_OK;
    }
    return prox_alone(p) ? prox_active_descend(p, slope, n) : SEPAL_OK;
}
