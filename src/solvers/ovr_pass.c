/* Passes over the rows for all classes of a group: a panel of rows is made dense, its scores are one
   matrix product with the classes' vectors, and what it adds to the sums is another, while the panel is
   in the cache. Slabs have sums of their own, so threads change no bit. */
#include "core/alloc.h"
#include "core/parallel.h"
#include "kernels/blas.h"
#include "solvers/ovr_newton.h"

#include <string.h>

enum { PANEL = 64, CELLS = PANEL * OVR_LANES };

struct ovr_pass {
    const struct ovr *ovr;
    const double *v;         /* width x lanes: scores are taken of these; NULL: none */
    double *t;               /* n x lanes: scores times the labels' signs; NULL: not wanted */
    const double *m;         /* n x lanes: rows are added by the slopes at these margins */
    double *curvature_out;   /* and their curvatures go there */
    const double *curvature; /* n x lanes: rows are added by these times their scores */
    bool squares;            /* the numbers of the rows are squared */
    double loss[SLABS_MOST][OVR_LANES], products[SLABS_MOST][OVR_LANES];
};

/* ---- a panel ------------------------------------------------------------------------------ */

const double *ovr_rows(const struct ovr *ovr, size_t first, size_t n, double *scratch) {
    const struct objective *o = ovr->rest->o;
    size_t local;
    if (ovr->dense) return ovr->dense + first * o->width;
    const struct block *block = matrix_block_of(&o->rows, first, &local);
    if (!block->sparse && block->f64 && !o->centre && o->width == o->cols)
        return block->f64 + local * o->cols;
    if (block->sparse)
        block_dense(block, local, n, o->cols, o->centre, NULL, scratch, o->width);
    else
        block_doubles(o->ctx->kernels, block, local, n, o->cols, o->centre, 1, scratch, o->width);
    for (size_t k = 0; o->width > o->cols && k < n; k++) scratch[k * o->width + o->cols] = 1;
    return scratch;
}

static sepal_status ovr_pass_keep_block(sepal_ctx *ctx, size_t b, void *payload) {
    const struct ovr *source = payload;
    const struct block *block = &source->rest->o->rows.blocks[b];
    size_t width = source->rest->o->width;
    double *out = source->sums + block->first_row * width;
    (void)ctx;
    const double *rows = ovr_rows(source, block->first_row, block->rows, out);
    if (rows != out) memcpy(out, rows, block->rows * width * sizeof *out);
    return SEPAL_OK;
}

sepal_status ovr_keep_rows(struct ovr *ovr) {
    enum { MOST = 1 << 22 }; /* 32 MB */
    const struct objective *o = ovr->rest->o;
    if (o->n > MOST / o->width) return SEPAL_OK;
    struct ovr source = {.rest = ovr->rest};
    source.sums = mem_alloc(o->ctx, o->n, o->width * sizeof *source.sums);
    if (!source.sums) return SEPAL_EMEMORY;
    ovr->dense = source.sums;
    ovr->single = false;
    return parallel_for(o->ctx, o->rows.n_blocks, ovr_pass_keep_block, &source);
}

/* The sign of a margin: 1 for the row's own classes, -1 for the others. */
static void ovr_pass_apply_signs(const struct ovr *ovr, size_t row, size_t n, double *score) {
    for (size_t i = 0; i < n; i++) {
        size_t labels;
        const int32_t *label = row_labels_of(&ovr->rest->labels, row + i, &labels);
        double *s = score + i * ovr->lanes;
        for (size_t l = 0; l < ovr->lanes; l++) s[l] = -s[l];
        for (size_t k = 0; k < labels; k++)
            if (ovr->lane[label[k]] >= 0) s[ovr->lane[label[k]]] = -s[ovr->lane[label[k]]];
    }
}

/* The factors of the rows in the gradient. */
static void slopes_of_panel(struct ovr_pass *pass, size_t slab, size_t row, size_t n,
                            double *factor) {
    const struct ovr *ovr = pass->ovr;
    const struct objective *o = ovr->rest->o;
    size_t lanes = ovr->lanes;
    double value[CELLS], alpha[CELLS], *curvature = pass->curvature_out + row * lanes;
    const double *m = pass->m + row * lanes;
    o->loss->at(o->ctx->kernels, n * lanes, m, value, alpha, curvature);
    for (size_t i = 0, at = 0; i < n; i++)
        for (size_t l = 0; l < lanes; l++, at++) {
            double weight = ovr_row_weight(ovr, row + i, l);
            factor[at] = weight * alpha[at];
            pass->loss[slab][l] += weight * value[at];
            pass->products[slab][l] += factor[at] * m[at];
            curvature[at] *= weight;
        }
    ovr_pass_apply_signs(ovr, row, n, factor);
    for (size_t k = 0; k < n * lanes; k++) factor[k] = -factor[k];
}

/* From the scores of n rows the factors with which they are added; NULL: they are not. */
static const double *turn(struct ovr_pass *pass, size_t slab, size_t row, size_t n, double *score,
                          double *factor) {
    const struct ovr *ovr = pass->ovr;
    size_t lanes = ovr->lanes, first = row * lanes;
    if (pass->t && pass->v) {
        if (!pass->squares) ovr_pass_apply_signs(ovr, row, n, score);
        memcpy(pass->t + first, score, n * lanes * sizeof *score);
        return NULL;
    }
    if (pass->m)
        slopes_of_panel(pass, slab, row, n, factor);
    else if (pass->v)
        for (size_t k = 0; k < n * lanes; k++) factor[k] = score[k] * pass->curvature[first + k];
    else
        return pass->curvature + first;
    return factor;
}

static void ovr_pass_add_panel(struct ovr_pass *pass, size_t slab, size_t row, size_t n,
                               double *scratch) {
    const struct ovr *ovr = pass->ovr;
    const struct objective *o = ovr->rest->o;
    size_t lanes = ovr->lanes, width = o->width;
    const struct blas *blas = o->ctx->blas;
    double score[CELLS], factor[CELLS], *squares = scratch + PANEL * width;
    const double *x = ovr_rows(ovr, row, n, scratch);
    if (pass->squares) {
        for (size_t k = 0; k < n * width; k++) squares[k] = x[k] * x[k];
        x = squares;
    }
    if (pass->v) blas->gemm_nn(n, lanes, width, x, width, pass->v, lanes, score, lanes);
    const double *r = turn(pass, slab, row, n, score, factor);
    if (!r) return;
    blas->gemm_tn(width, lanes, n, x, width, r, lanes, 1, ovr->sums + slab * width * lanes, lanes);
}

/* ---- a panel in single precision ------------------------------------------------------------ */

/* Dense rows of a block as singles. */
static const float *single_rows(const struct objective *o, size_t row, size_t n, float *scratch) {
    size_t local;
    const struct block *block = matrix_block_of(&o->rows, row, &local);
    if (block->f32 && !o->centre && o->width == o->cols) return block->f32 + local * o->cols;
    for (size_t i = 0; i < n; i++) {
        const float *x;
        const uint32_t *index;
        float *to = scratch + i * o->width;
        (void)row_singles(&x, &index, block, local + i, o->cols, o->centre, to);
        if (x != to) memcpy(to, x, o->cols * sizeof *to);
        if (o->width > o->cols) to[o->cols] = 1;
    }
    return scratch;
}

static void add_dense_single(struct ovr_pass *pass, size_t slab, size_t row, size_t n,
                             float *scratch) {
    const struct ovr *ovr = pass->ovr;
    const struct objective *o = ovr->rest->o;
    size_t lanes = ovr->lanes, width = o->width;
    const struct blas *blas = o->ctx->blas;
    double score[CELLS], factor[CELLS], *sums = ovr->sums + slab * width * lanes;
    float single[CELLS], *out = scratch + PANEL * width;
    const float *x = single_rows(o, row, n, scratch);
    if (pass->v) {
        blas->gemm_nn_single(n, lanes, width, x, width, ovr->v, lanes, single, lanes);
        for (size_t k = 0; k < n * lanes; k++) score[k] = (double)single[k];
    }
    const double *r = turn(pass, slab, row, n, score, factor);
    if (!r) return;
    for (size_t k = 0; k < n * lanes; k++) single[k] = (float)r[k];
    blas->gemm_tn_single(width, lanes, n, x, width, single, lanes, out, lanes);
    for (size_t k = 0; k < width * lanes; k++) sums[k] += (double)out[k];
}

/* Scores of a sparse row, lanes padded. */
static void sparse_scores(const struct ovr *ovr, const struct block *block, size_t i, double *score,
                          float *scratch) {
    const struct objective *o = ovr->rest->o;
    const float *x;
    const uint32_t *index;
    float out[OVR_LANES];
    size_t n = row_singles(&x, &index, block, i, o->cols, NULL, scratch);
    o->ctx->kernels->lanes_dot(out, x, index, n, ovr->v, ovr_padded(ovr), ovr_padded(ovr));
    for (size_t l = 0; l < ovr->lanes; l++) {
        score[l] = (double)out[l];
        if (o->width > o->cols) score[l] += (double)ovr->v[o->cols * ovr_padded(ovr) + l];
    }
}

static void ovr_pass_add_sparse_row(const struct ovr *ovr, const struct block *block, size_t i,
                                    const double *factor, float *sums, float *scratch) {
    const struct objective *o = ovr->rest->o;
    const float *x;
    const uint32_t *index;
    float d[OVR_LANES] = {0};
    size_t n = row_singles(&x, &index, block, i, o->cols, NULL, scratch);
    for (size_t l = 0; l < ovr->lanes; l++) d[l] = (float)factor[l];
    o->ctx->kernels->lanes_add(sums, d, x, index, n, ovr_padded(ovr), ovr_padded(ovr));
    for (size_t l = 0; o->width > o->cols && l < ovr->lanes; l++)
        sums[o->cols * ovr_padded(ovr) + l] += d[l];
}

/* Sparse rows: the classes' numbers of a column are a vector. `sums` has width x padded lanes. */
static void add_sparse_single(struct ovr_pass *pass, size_t slab, size_t row, size_t n,
                              float *scratch, float *sums) {
    const struct ovr *ovr = pass->ovr;
    size_t local, lanes = ovr->lanes;
    const struct block *block = matrix_block_of(&ovr->rest->o->rows, row, &local);
    double score[CELLS], factor[CELLS];
    for (size_t i = 0; pass->v && i < n; i++)
        sparse_scores(ovr, block, local + i, score + i * lanes, scratch);
    const double *r = turn(pass, slab, row, n, score, factor);
    for (size_t i = 0; r && i < n; i++)
        ovr_pass_add_sparse_row(ovr, block, local + i, r + i * lanes, sums, scratch);
}

/* The sums of a block's singles go to those in doubles. */
static void empty_singles(const struct ovr *ovr, size_t slab, float *single) {
    size_t width = ovr->rest->o->width, lanes = ovr->lanes, padded = ovr_padded(ovr);
    double *sums = ovr->sums + slab * width * lanes;
    for (size_t j = 0; j < width; j++)
        for (size_t l = 0; l < lanes; l++) sums[j * lanes + l] += (double)single[j * padded + l];
    memset(single, 0, width * padded * sizeof *single);
}

static void pass_block_f32(struct ovr_pass *pass, size_t slab, const struct block *block,
                           float *scratch) {
    const struct objective *o = pass->ovr->rest->o;
    float *sums = scratch + PANEL * o->width;
    for (size_t i = 0, n; i < block->rows; i += n) {
        n = block->rows - i < PANEL ? block->rows - i : PANEL;
        if (block->sparse)
            add_sparse_single(pass, slab, block->first_row + i, n, scratch, sums);
        else
            add_dense_single(pass, slab, block->first_row + i, n, scratch);
    }
    if (block->sparse && !pass->t) empty_singles(pass->ovr, slab, sums);
}

/* ---- all of them -------------------------------------------------------------------------- */

static sepal_status ovr_pass_pass_slab(sepal_ctx *ctx, size_t slab, void *payload) {
    struct ovr_pass *pass = payload;
    const struct ovr *ovr = pass->ovr;
    const struct objective *o = ovr->rest->o;
    memset(ovr->sums + slab * o->width * ovr->lanes, 0, o->width * ovr->lanes * sizeof *ovr->sums);
    double *scratch = mem_zero(ctx, 2 * PANEL, o->width * sizeof *scratch);
    if (!scratch) return SEPAL_EMEMORY;
    bool single = ovr->single && !pass->squares;
    for (size_t b = 0; b < o->rows.n_blocks; b++) {
        const struct block *block = &o->rows.blocks[b];
        if (block->first_row < o->slab_first[slab]) continue;
        if (block->first_row >= o->slab_first[slab + 1]) break;
        if (single) pass_block_f32(pass, slab, block, (float *)scratch);
        for (size_t i = 0, n; !single && i < block->rows; i += n) {
            n = block->rows - i < PANEL ? block->rows - i : PANEL;
            ovr_pass_add_panel(pass, slab, block->first_row + i, n, scratch);
        }
    }
    mem_free(scratch);
    return SEPAL_OK;
}

/* For sparse rows the lanes are padded to what the kernels want. */
static void round_vectors(const struct ovr *ovr, const double *v) {
    const struct objective *o = ovr->rest->o;
    size_t lanes = ovr->lanes, padded = o->rows.sparse ? ovr_padded(ovr) : lanes;
    for (size_t j = 0; j < o->width; j++)
        for (size_t l = 0; l < padded; l++)
            ovr->v[j * padded + l] = l < lanes ? (float)v[j * lanes + l] : 0;
}

static sepal_status ovr_pass_run_pass(struct ovr_pass *pass, double *out) {
    const struct ovr *ovr = pass->ovr;
    const struct objective *o = ovr->rest->o;
    size_t n = o->width * ovr->lanes;
    if (ovr->single && pass->v) round_vectors(ovr, pass->v);
    TRY(parallel_for(o->ctx, o->slabs, ovr_pass_pass_slab, pass));
    if (!out) return SEPAL_OK;
    memcpy(out, ovr->sums, n * sizeof *out);
    for (size_t s = 1; s < o->slabs; s++)
        for (size_t k = 0; k < n; k++) out[k] += ovr->sums[s * n + k];
    return SEPAL_OK;
}

sepal_status ovr_margins(double *t, struct ovr *ovr, const double *v) {
    struct ovr_pass pass = {.ovr = ovr, .v = v, .t = t};
    return ovr_pass_run_pass(&pass, NULL);
}

sepal_status ovr_gradient(double *out, struct ovr_sums *sums, double *curvature, struct ovr *ovr,
                          const double *m) {
    struct ovr_pass pass = {.ovr = ovr, .m = m, .curvature_out = curvature};
    TRY(ovr_pass_run_pass(&pass, out));
    *sums = (struct ovr_sums){0};
    for (size_t s = 0; s < ovr->rest->o->slabs; s++)
        for (size_t l = 0; l < ovr->lanes; l++) {
            sums->loss[l] += pass.loss[s][l];
            sums->products[l] += pass.products[s][l];
        }
    return SEPAL_OK;
}

sepal_status ovr_product(double *out, struct ovr *ovr, const double *curvature, const double *v) {
    struct ovr_pass pass = {.ovr = ovr, .v = v, .curvature = curvature};
    return ovr_pass_run_pass(&pass, out);
}

sepal_status ovr_combine(double *out, struct ovr *ovr, const double *factor) {
    struct ovr_pass pass = {.ovr = ovr, .curvature = factor};
    return ovr_pass_run_pass(&pass, out);
}

sepal_status ovr_diagonal(double *out, struct ovr *ovr, const double *curvature) {
    struct ovr_pass pass = {.ovr = ovr, .curvature = curvature, .squares = true};
    return ovr_pass_run_pass(&pass, out);
}

sepal_status ovr_norms(double *out, struct ovr *ovr, const double *v) {
    struct ovr_pass pass = {.ovr = ovr, .v = v, .t = out, .squares = true};
    return ovr_pass_run_pass(&pass, NULL);
}
