/* Weights in single precision, for sparse rows: half the memory to fetch them from. Sums are taken in
   double precision, in four parts. There is one version of this code, so the kernels in use change
   no bit. */
#include "core/parallel.h"
#include "solvers/dual.h"

static double sum_ones(const uint32_t *index, const float *w, size_t n) {
    double sum[4] = {0};
    size_t k = 0;
    for (; n - k >= 4; k += 4)
        for (size_t l = 0; l < 4; l++) sum[l] += (double)w[index[k + l]];
    for (; k < n; k++) sum[0] += (double)w[index[k]];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

static double sum_f32(const float *x, const uint32_t *index, const float *w, size_t n) {
    double sum[4] = {0};
    size_t k = 0;
    for (; n - k >= 4; k += 4)
        for (size_t l = 0; l < 4; l++) sum[l] += (double)x[k + l] * (double)w[index[k + l]];
    for (; k < n; k++) sum[0] += (double)x[k] * (double)w[index[k]];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

static double sum_f64(const double *x, const uint32_t *index, const float *w, size_t n) {
    double sum[4] = {0};
    size_t k = 0;
    for (; n - k >= 4; k += 4)
        for (size_t l = 0; l < 4; l++) sum[l] += x[k + l] * (double)w[index[k + l]];
    for (; k < n; k++) sum[0] += x[k] * (double)w[index[k]];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

double dual_single_dot(const struct block *block, size_t i, const float *w) {
    size_t at = block->start[i], n = block->start[i + 1] - at;
    const uint32_t *index = block->index + at;
    switch (block->values) {
    case VALUES_ONES: return sum_ones(index, w, n);
    case VALUES_ROW: return block->f64[i] * sum_ones(index, w, n);
    case VALUES_F32: return sum_f32(block->f32 + at, index, w, n);
    case VALUES_F64: return sum_f64(block->f64 + at, index, w, n);
    }
    return 0;
}

void dual_single_add(const struct block *block, size_t i, double a, float *w) {
    size_t at = block->start[i], n = block->start[i + 1] - at;
    const uint32_t *index = block->index + at;
    float step = (float)(block->values == VALUES_ROW ? a * block->f64[i] : a);
    switch (block->values) {
    case VALUES_ONES:
    case VALUES_ROW:
        for (size_t k = 0; k < n; k++) w[index[k]] += step;
        break;
    case VALUES_F32:
        for (size_t k = 0; k < n; k++) w[index[k]] += step * block->f32[at + k];
        break;
    case VALUES_F64:
        for (size_t k = 0; k < n; k++) w[index[k]] += (float)(a * block->f64[at + k]);
        break;
    }
}

/* ---- all of them -------------------------------------------------------------------------- */

enum { STRIPES_MOST = 16 };

/* Small problems are done before another thread wakes up. */
static size_t stripes(const struct objective *o) {
    return o->slabs > 1 ? STRIPES_MOST : 1;
}

static size_t stripe_first(const struct objective *o, size_t stripe) {
    return o->cols * stripe / stripes(o);
}

static sepal_status margins_of_block(sepal_ctx *ctx, size_t b, void *payload) {
    const struct dual *s = payload;
    const struct block *block = &s->o->rows.blocks[b];
    (void)ctx;
    for (size_t i = 0; i < block->rows; i++) {
        double score = dual_single_dot(block, i, s->single) + s->bias;
        s->m[block->first_row + i] = score * objective_side(s->o, block->first_row + i);
    }
    return SEPAL_OK;
}

sepal_status dual_single_margins(const struct dual *s) {
    return parallel_for(s->o->ctx, s->o->rows.n_blocks, margins_of_block, (void *)s);
}

struct squares {
    const struct dual *s;
    double sum[STRIPES_MOST];
};

static sepal_status squares_of_stripe(sepal_ctx *ctx, size_t stripe, void *payload) {
    struct squares *all = payload;
    size_t from = stripe_first(all->s->o, stripe), to = stripe_first(all->s->o, stripe + 1);
    const float *w = all->s->single;
    double sum[4] = {0};
    (void)ctx;
    for (size_t j = from; j < to; j++) sum[j % 4] += (double)w[j] * (double)w[j];
    all->sum[stripe] = (sum[0] + sum[1]) + (sum[2] + sum[3]);
    return SEPAL_OK;
}

sepal_status dual_single_penalty(double *out, const struct dual *s) {
    const struct objective *o = s->o;
    struct squares all = {.s = s};
    double square = o->bias == BIAS_PENALISED ? s->bias * s->bias : 0;
    TRY(parallel_for(o->ctx, stripes(o), squares_of_stripe, &all));
    for (size_t k = 0; k < stripes(o); k++) square += all.sum[k];
    *out = 0.5 * o->l2 * square;
    return SEPAL_OK;
}

static sepal_status keep_stripe(sepal_ctx *ctx, size_t stripe, void *payload) {
    const struct dual *s = payload;
    size_t from = stripe_first(s->o, stripe), to = stripe_first(s->o, stripe + 1);
    (void)ctx;
    for (size_t j = from; j < to; j++) s->w[j] = (double)s->single[j];
    return SEPAL_OK;
}

sepal_status dual_single_keep(const struct dual *s) {
    return parallel_for(s->o->ctx, stripes(s->o), keep_stripe, (void *)s);
}
