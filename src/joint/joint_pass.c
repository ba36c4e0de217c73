/* Passes over the rows for all classes at once. A panel of dense rows meets the point in one matrix product
   and adds to the sums in another, while it is in the cache; the numbers of a sparse row meet the K numbers
   of their columns, side by side. Slabs have sums of their own, which are added in their order. */
#include "core/alloc.h"
#include "core/parallel.h"
#include "joint/joint.h"
#include "kernels/blas.h"

#include <math.h>
#include <string.h>

enum { CHUNK = 16 }; /* lanes that a kernel takes at a time */

struct joint_pass {
    const struct joint *j;
    const double *v;      /* scores are taken of this point; NULL: `given` are the factors */
    const double *given;  /* n x lanes */
    bool duals;           /* `given` are dual variables: the factors are c_i (e_y - alpha_i) */
    double *shift;        /* lanes: added to the scores, the biases less c . v of sparse rows */
    bool shifted;         /* there are any */
    double *score;        /* n x lanes: scores are kept there; NULL: not */
    double *state;        /* n x lanes, see struct joint_sweep */
    const double *curves; /* n x lanes: the factors are the second derivatives there times scores */
    bool slopes;          /* the factors are those of the gradient */
    bool squares;         /* the numbers of the rows are squared before they are added */
    double *out;          /* size: sums of factors times rows; NULL: not wanted */
    double loss[SLABS_MOST];
};

/* ---- a panel -------------------------------------------------------------------------------- */

struct joint_room {
    double *rows;           /* panel x cols: of dense rows */
    double *score, *factor; /* panel x lanes */
};

static void scores_of_sparse(const struct joint_pass *pass, const struct block *block, size_t i,
                             double *score, double *scratch) {
    const struct joint *j = pass->j;
    const double *x;
    const uint32_t *index;
    size_t n = row_doubles(&x, &index, block, i, j->o->cols, NULL, scratch);
    for (size_t l = 0, used; l < j->lanes; l += used) {
        used = j->lanes - l < CHUNK ? j->lanes - l : CHUNK;
        j->o->ctx->kernels->lanes_dot_doubles(score + l, x, index, n, pass->v + l, j->lanes, used);
    }
}

static void panel_of_scores(const struct joint_pass *pass, const struct block *block, size_t i,
                            size_t n, const double *x, struct joint_room *room) {
    const struct joint *j = pass->j;
    if (block->sparse)
        for (size_t k = 0; k < n; k++)
            scores_of_sparse(pass, block, i + k, room->score + k * j->lanes, room->rows);
    else
        j->o->ctx->blas->gemm_nn(n, j->lanes, j->o->cols, x, j->o->cols, pass->v, j->lanes,
                                 room->score, j->lanes);
    for (size_t k = 0; k < n && pass->shifted; k++)
        for (size_t l = 0; l < j->lanes; l++) room->score[k * j->lanes + l] += pass->shift[l];
}

/* From the scores of n rows the factors with which they are added. */
static void turn_joint(struct joint_pass *pass, size_t slab, size_t row, size_t n,
                       struct joint_room *room) {
    const struct joint *j = pass->j;
    const struct objective *o = j->o;
    size_t lanes = j->lanes, first = row * lanes;
    if (pass->score) memcpy(pass->score + first, room->score, n * lanes * sizeof *room->score);
    if (pass->slopes) {
        double value[JOINT_PANEL];
        j->loss->at(o->ctx->kernels, n, j->classes, lanes, room->score, o->label + row, value,
                    room->factor, pass->state ? pass->state + first : NULL);
        for (size_t k = 0; k < n; k++) pass->loss[slab] += o->row_weight[row + k] * value[k];
    } else if (pass->curves) {
        memcpy(room->factor, room->score, n * lanes * sizeof *room->score);
        j->loss->curve(n, lanes, pass->curves + first, room->factor);
    }
    for (size_t k = 0; k < n && (pass->slopes || pass->curves); k++)
        for (size_t l = 0; l < lanes; l++) room->factor[k * lanes + l] *= o->row_weight[row + k];
}

/* (x - c)^2 - c^2: the c^2 of all rows are added at the end */
static void square_sparse(const struct objective *o, const uint32_t *index, size_t n,
                          const double *x, double *out) {
    for (size_t k = 0; k < n; k++)
        out[k] = x[k] * (x[k] - (o->centre ? 2 * o->centre[index[k]] : 0));
}

static void add_sparse_lanes(const struct joint_pass *pass, const struct block *block, size_t i,
                             const double *factor, double *sum, double *scratch) {
    const struct joint *j = pass->j;
    const double *x;
    const uint32_t *index;
    size_t n = row_doubles(&x, &index, block, i, j->o->cols, NULL, scratch);
    if (pass->squares) {
        square_sparse(j->o, index, n, x, scratch);
        x = scratch;
    }
    for (size_t l = 0, used; l < j->lanes; l += used) {
        used = j->lanes - l < CHUNK ? j->lanes - l : CHUNK;
        j->o->ctx->kernels->lanes_add_f64(sum + l, factor + l, x, index, n, j->lanes, used);
    }
}

/* The rows' own class as the sum of the others, which keeps its digits where it is near 1. */
static const double *dual_factors(const struct joint *j, size_t row, size_t n, const double *alpha,
                                  double *factor) {
    for (size_t i = 0; i < n; i++) {
        const double *a = alpha + i * j->lanes;
        double *to = factor + i * j->lanes, others = 0, weight = j->o->row_weight[row + i];
        size_t own = (size_t)j->o->label[row + i];
        for (size_t l = 0; l < j->lanes; l++) {
            to[l] = -weight * a[l];
            others += l == own ? 0 : a[l];
        }
        to[own] = weight * others;
    }
    return factor;
}

/* The last row of the sums is that of the factors themselves. */
static void panel_to_sums(const struct joint_pass *pass, size_t slab, const struct block *block,
                          size_t i, size_t n, const double *x, struct joint_room *room) {
    const struct joint *j = pass->j;
    size_t lanes = j->lanes, cols = j->o->cols;
    size_t row = block->first_row + i;
    const double *factor = pass->v ? room->factor : pass->given + row * lanes;
    if (pass->duals) factor = dual_factors(j, row, n, factor, room->factor);
    double *sum = j->slab_sum + slab * (cols + 1) * lanes;
    if (block->sparse)
        for (size_t k = 0; k < n; k++)
            add_sparse_lanes(pass, block, i + k, factor + k * lanes, sum, room->rows);
    else
        j->o->ctx->blas->gemm_tn(cols, lanes, n, x, cols, factor, lanes, 1, sum, lanes);
    for (size_t k = 0; k < n; k++)
        for (size_t l = 0; l < lanes; l++) sum[cols * lanes + l] += factor[k * lanes + l];
}

static const double *dense_rows(const struct joint_pass *pass, const struct block *block, size_t i,
                                size_t n, double *scratch) {
    const struct objective *o = pass->j->o;
    if (block->sparse) return NULL;
    if (block->f64 && !o->centre && !pass->squares) return block->f64 + i * o->cols;
    block_doubles(o->ctx->kernels, block, i, n, o->cols, o->centre, 1, scratch, o->cols);
    for (size_t k = 0; pass->squares && k < n * o->cols; k++) scratch[k] *= scratch[k];
    return scratch;
}

static void joint_pass_block(struct joint_pass *pass, size_t slab, const struct block *block,
                             struct joint_room *room) {
    for (size_t i = 0, n; i < block->rows; i += n) {
        n = block->rows - i < JOINT_PANEL ? block->rows - i : JOINT_PANEL;
        const double *x = dense_rows(pass, block, i, n, room->rows);
        if (pass->v) {
            panel_of_scores(pass, block, i, n, x, room);
            turn_joint(pass, slab, block->first_row + i, n, room);
        }
        if (pass->out) panel_to_sums(pass, slab, block, i, n, x, room);
    }
}

/* ---- all of them ---------------------------------------------------------------------------- */

static sepal_status joint_pass_slab(sepal_ctx *ctx, size_t slab, void *payload) {
    struct joint_pass *pass = payload;
    const struct joint *j = pass->j;
    const struct objective *o = j->o;
    size_t held = o->rows.sparse ? 1 : JOINT_PANEL, sums = (o->cols + 1) * j->lanes;
    struct joint_room room = {.rows = mem_alloc(ctx, held, o->cols * sizeof *room.rows),
                              .score =
                                  mem_alloc(ctx, 2 * JOINT_PANEL, j->lanes * sizeof *room.score)};
    room.factor = room.score ? room.score + JOINT_PANEL * j->lanes : NULL;
    bool ok = room.rows && room.score;
    if (ok && pass->out) memset(j->slab_sum + slab * sums, 0, sums * sizeof *j->slab_sum);
    for (size_t b = 0; ok && b < o->rows.n_blocks; b++) {
        const struct block *block = &o->rows.blocks[b];
        if (block->first_row < o->slab_first[slab]) continue;
        if (block->first_row >= o->slab_first[slab + 1]) break;
        joint_pass_block(pass, slab, block, &room);
    }
    mem_free(room.rows);
    mem_free(room.score);
    return ok ? SEPAL_OK : SEPAL_EMEMORY;
}

/* Some columns of the slabs' sums, in the order of the slabs. */
enum { SUM_STRIPE = 1 << 13 };

static sepal_status joint_add_stripe(sepal_ctx *ctx, size_t stripe, void *payload) {
    const struct joint_pass *pass = payload;
    const struct joint *j = pass->j;
    size_t sums = (j->o->cols + 1) * j->lanes, from = stripe * SUM_STRIPE;
    size_t to = from + SUM_STRIPE < sums ? from + SUM_STRIPE : sums;
    (void)ctx;
    for (size_t s = 1; s < j->o->slabs; s++)
        for (size_t k = from; k < to; k++) j->slab_sum[k] += j->slab_sum[s * sums + k];
    return SEPAL_OK;
}

/* What the centre of sparse rows takes off, and the biases' row. */
static void finish_sums(const struct joint_pass *pass) {
    const struct joint *j = pass->j;
    const struct objective *o = j->o;
    const double *factors = j->slab_sum + o->cols * j->lanes;
    memcpy(pass->out, j->slab_sum, j->size * sizeof *pass->out);
    if (!(o->rows.sparse && o->centre)) return;
    for (size_t c = 0; c < o->cols; c++) {
        double by = pass->squares ? o->centre[c] * o->centre[c] : -o->centre[c];
        for (size_t l = 0; l < j->lanes; l++) pass->out[c * j->lanes + l] += by * factors[l];
    }
}

/* The biases less c . v of sparse rows. */
static void find_shift(struct joint_pass *pass) {
    const struct joint *j = pass->j;
    const struct objective *o = j->o;
    pass->shifted = o->bias != BIAS_NONE || (o->rows.sparse && o->centre);
    for (size_t l = 0; l < j->lanes; l++)
        pass->shift[l] = o->bias == BIAS_NONE ? 0 : pass->v[o->cols * j->lanes + l];
    for (size_t c = 0; o->rows.sparse && o->centre && c < o->cols; c++)
        for (size_t l = 0; l < j->lanes; l++)
            pass->shift[l] -= o->centre[c] * pass->v[c * j->lanes + l];
}

static sepal_status run_joint_pass(struct joint_pass *pass) {
    const struct joint *j = pass->j;
    const struct objective *o = j->o;
    size_t stripes = ((o->cols + 1) * j->lanes + SUM_STRIPE - 1) / SUM_STRIPE;
    pass->shift = mem_alloc(o->ctx, j->lanes, sizeof *pass->shift);
    if (!pass->shift) return SEPAL_EMEMORY;
    if (pass->v) find_shift(pass);
    sepal_status status = parallel_for(o->ctx, o->slabs, joint_pass_slab, pass);
    if (status == SEPAL_OK && pass->out)
        status = parallel_if(o->slabs > 1, o->ctx, stripes, joint_add_stripe, pass);
    if (status == SEPAL_OK && pass->out) finish_sums(pass);
    mem_free(pass->shift);
    return status;
}

/* ---- the passes ------------------------------------------------------------------------------ */

sepal_status joint_init(struct joint *j) {
    enum { FOUR = 4 };
    const struct objective *o = j->o;
    j->lanes = (j->classes + FOUR - 1) / FOUR * FOUR;
    j->size = o->width * j->lanes;
    j->cells = o->n * j->lanes;
    j->slab_sum =
        arena_alloc(o->ctx, o->arena, o->slabs * (o->cols + 1), j->lanes * sizeof *j->slab_sum);
    return j->slab_sum ? SEPAL_OK : SEPAL_EMEMORY;
}

double joint_penalty(const struct joint *j, const double *u) {
    double absolute = 0;
    size_t n = joint_penalised(j);
    for (size_t k = 0; k < n && j->o->l1 > 0; k++) absolute += fabs(u[k]);
    return j->o->l1 * absolute + 0.5 * j->o->l2 * j->o->ctx->kernels->dot_f64(u, u, n);
}

sepal_status joint_scores(double *s, const struct joint *j, const double *u) {
    struct joint_pass pass = {.j = j, .v = u, .score = s};
    return run_joint_pass(&pass);
}

sepal_status joint_back(double *out, const struct joint *j, const double *r) {
    struct joint_pass pass = {.j = j, .given = r, .out = out};
    return run_joint_pass(&pass);
}

sepal_status joint_squares(double *out, const struct joint *j, const double *r) {
    struct joint_pass pass = {.j = j, .given = r, .squares = true, .out = out};
    return run_joint_pass(&pass);
}

sepal_status joint_dual_sums(double *out, const struct joint *j, const double *alpha) {
    struct joint_pass pass = {.j = j, .given = alpha, .duals = true, .out = out};
    return run_joint_pass(&pass);
}

sepal_status joint_sweep(struct joint_sweep *sweep, const struct joint *j, const double *u) {
    struct joint_pass pass = {.j = j,
                              .v = u,
                              .score = sweep->score,
                              .state = sweep->state,
                              .slopes = true,
                              .out = sweep->gradient};
    TRY(run_joint_pass(&pass));
    sweep->loss = objective_total(j->o, pass.loss);
    return SEPAL_OK;
}

sepal_status joint_product(double *out, const struct joint *j, const double *state,
                           const double *v) {
    struct joint_pass pass = {.j = j, .v = v, .curves = state, .out = out};
    return run_joint_pass(&pass);
}

/* ---- at scores that are known ------------------------------------------------------------------ */

struct joint_along {
    const struct joint *j;
    const double *s, *t; /* t may be NULL */
    double length, loss[SLABS_MOST];
};

static sepal_status joint_along_slab(sepal_ctx *ctx, size_t slab, void *payload) {
    struct joint_along *all = payload;
    const struct joint *j = all->j;
    const struct objective *o = j->o;
    double *score = mem_alloc(ctx, 2 * JOINT_PANEL, j->lanes * sizeof *score), value[JOINT_PANEL];
    if (!score) return SEPAL_EMEMORY;
    for (size_t i = o->slab_first[slab], n; i < o->slab_first[slab + 1]; i += n) {
        n = o->slab_first[slab + 1] - i < JOINT_PANEL ? o->slab_first[slab + 1] - i : JOINT_PANEL;
        const double *s = all->s + i * j->lanes, *t = all->t ? all->t + i * j->lanes : NULL;
        for (size_t k = 0; k < n * j->lanes; k++) score[k] = t ? s[k] + all->length * t[k] : s[k];
        j->loss->at(ctx->kernels, n, j->classes, j->lanes, score, o->label + i, value,
                    score + JOINT_PANEL * j->lanes, NULL);
        for (size_t k = 0; k < n; k++) all->loss[slab] += o->row_weight[i + k] * value[k];
    }
    mem_free(score);
    return SEPAL_OK;
}

sepal_status joint_loss_along(double *out, const struct joint *j, const double *s, const double *t,
                              double length) {
    struct joint_along all = {.j = j, .s = s, .t = t, .length = length};
    TRY(parallel_for(j->o->ctx, j->o->slabs, joint_along_slab, &all));
    *out = objective_total(j->o, all.loss);
    return SEPAL_OK;
}

sepal_status joint_loss_at(double *out, const struct joint *j, const double *score) {
    return joint_loss_along(out, j, score, NULL, 0);
}
