/* The proof of a joint fit, rows by panels: dense ones meet the weights and the sums in matrix products, whose
   sums of k terms are off by no more than k roundings in whatever order (Higham 2002, ch. 3). */
#include "core/alloc.h"
#include "core/parallel.h"
#include "joint/joint_certify_parts.h"
#include "kernels/blas.h"
#include "objective/rounding.h"

#include <string.h>

enum { PROOF_CHUNK = 16 };

/* A panel of rows of a slab. */
struct proof_panel {
    const struct block *block;
    size_t slab, i, n, row;       /* n rows from number i of the block on, `row` of all */
    const double *x[JOINT_PANEL]; /* dense rows, one after the other */
    double *a;                    /* n x lanes: their variables */
    /* Room for these; JOINT_PANEL x lanes; and for a column each. */
    double *rows, *own, *score, *slope, *unused;
    double size
        [JOINT_PANEL]; /* of the terms of a row's scores in magnitude, then how far these may be off */
    double most[JOINT_PANEL]; /* the largest of a row's factors */
};

static sepal_status proof_panel_init(struct proof_panel *panel, const struct joint_proving *p,
                                     size_t slab) {
    const struct objective *o = p->j->o;
    size_t held = o->rows.sparse ? 1 : JOINT_PANEL, cells = JOINT_PANEL * p->j->lanes;
    *panel = (struct proof_panel){.slab = slab};
    panel->rows = mem_alloc(o->ctx, (held + 1) * o->cols + 3 * cells, sizeof *panel->rows);
    if (!panel->rows) return SEPAL_EMEMORY;
    panel->unused = panel->rows + held * o->cols;
    panel->own = panel->unused + o->cols;
    panel->score = panel->own + cells;
    panel->slope = panel->score + cells;
    return SEPAL_OK;
}

/* The next rows: of one block. */
static void proof_panel_at(struct proof_panel *panel, const struct joint_proving *p,
                           const struct block *block, size_t i) {
    const struct objective *o = p->j->o;
    panel->block = block;
    panel->i = i;
    panel->n = block->rows - i < JOINT_PANEL ? block->rows - i : JOINT_PANEL;
    panel->row = block->first_row + i;
    panel->a = p->a ? p->a + panel->row * p->j->lanes : panel->own;
    if (block->sparse) return;
    block_panel(panel->x, o->ctx->kernels, block, i, panel->n, o->cols, o->centre, panel->rows);
}

/* ---- scores and losses -------------------------------------------------------------------------- */

static void proof_sparse_scores(struct proof_panel *panel, const struct joint_proving *p) {
    const struct joint *j = p->j;
    const struct objective *o = j->o;
    for (size_t i = 0; i < panel->n; i++) {
        const double *x;
        const uint32_t *index;
        double *score = panel->score + i * j->lanes, size = p->shift_size;
        size_t n = row_doubles(&x, &index, panel->block, panel->i + i, o->cols, NULL, panel->rows);
        for (size_t l = 0, used; l < j->lanes; l += used) {
            used = j->lanes - l < PROOF_CHUNK ? j->lanes - l : PROOF_CHUNK;
            o->ctx->kernels->lanes_dot_doubles(score + l, x, index, n, p->u + l, j->lanes, used);
        }
        for (size_t k = 0; k < n; k++) size += fabs(x[k]) * p->largest[index[k]];
        panel->size[i] = rounding_of((double)n / 2 + 6, size) + p->shift_error;
    }
}

static void proof_scores(struct proof_panel *panel, const struct joint_proving *p) {
    const struct joint *j = p->j;
    const struct objective *o = j->o;
    if (panel->block->sparse) {
        proof_sparse_scores(panel, p);
    } else {
        o->ctx->blas->gemm_nn(panel->n, j->lanes, o->cols, panel->x[0], o->cols, p->u, j->lanes,
                              panel->score, j->lanes);
        o->ctx->kernels->magnitude_rows(panel->size, panel->x, panel->n, p->largest, o->cols);
        for (size_t i = 0; i < panel->n; i++)
            panel->size[i] =
                rounding_of((double)o->cols + 6, p->shift_size + panel->size[i]) + p->shift_error;
    }
    for (size_t i = 0; i < panel->n; i++)
        for (size_t l = 0; l < j->lanes; l++) panel->score[i * j->lanes + l] += p->shift[l];
}

/* The scores of other code are off by as much, in the order of its sums and biases; 16 leaves room for both. */
static int32_t proof_decide(const struct joint *j, const double *score, double off) {
    static const double room = 16;
    double most = score[0], second = -INFINITY;
    size_t best = 0;
    for (size_t k = 1; k < j->classes; k++) {
        bool more = score[k] > most;
        double low = more ? most : score[k];
        second = low > second ? low : second;
        best = more ? k : best;
        most = more ? score[k] : most;
    }
    return most - second > room * off && most < INFINITY ? (int32_t)best : -1;
}

/* The largest score of another class less the own one is at most -1: the row is beyond its margin. */
static bool is_inside(const struct joint *j, const double *score, size_t own) {
    for (size_t k = 0; k < j->classes; k++)
        if (k != own && score[own] - score[k] <= SUPPORT_MARGIN) return true;
    return false;
}

/* The loss of a row changes by no more than the difference of two of its scores does; that of the squared
   error by no more than twice as much. */
static void proof_losses(struct proof_panel *panel, struct joint_proving *p) {
    const struct joint *j = p->j;
    const struct objective *o = j->o;
    double value[JOINT_PANEL], steepest = j->loss->convex ? 2 : 4, error = 0;
    double relative = ROUNDING_OF_TERM + ROUNDING * (double)j->classes;
    double *slope = p->alpha ? panel->slope : panel->a;
    j->loss->at(o->ctx->kernels, panel->n, j->classes, j->lanes, panel->score,
                o->label + panel->row, value, slope, NULL);
    for (size_t i = 0; i < panel->n; i++) {
        double weight = o->row_weight[panel->row + i];
        size_t own = (size_t)o->label[panel->row + i];
        error += weight * (steepest * panel->size[i] + relative * fabs(value[i]));
        total_add(&p->loss[panel->slab], weight * value[i]);
        p->inside[panel->slab] += is_inside(j, panel->score + i * j->lanes, own);
        if (p->decided)
            p->decided[panel->row + i] =
                proof_decide(j, panel->score + i * j->lanes, panel->size[i]);
        if (!p->alpha && j->loss->convex) slope[i * j->lanes + own] += 1;
    }
    p->loss_error[panel->slab] += error;
    if (p->alpha)
        memcpy(panel->a, p->alpha + panel->row * j->lanes, panel->n * j->lanes * sizeof *panel->a);
}

/* ---- a dual point --------------------------------------------------------------------------------- */

/* Into the simplex; what is no number becomes 0. */
static void proof_clip_row(const struct joint *j, double *a, size_t own) {
    enum { FOUR = 4 };
    double part[FOUR] = {0};
    for (size_t k = j->classes; k < j->lanes; k++) a[k] = 0;
    for (size_t k = 0; k < j->lanes; k += FOUR)
        for (size_t l = 0; l < FOUR; l++) {
            a[k + l] = a[k + l] > 0 ? a[k + l] : 0;
            part[l] += a[k + l];
        }
    double sum = (part[0] + part[1]) + (part[2] + part[3]), inverse = 1 / sum;
    if (sum > 0 && isfinite(sum) && isfinite(inverse))
        for (size_t k = 0; k < j->lanes; k++) a[k] *= inverse;
    else
        for (size_t k = 0; k < j->lanes; k++) a[k] = k == own;
}

static void proof_take(struct proof_panel *panel, const struct joint_proving *p) {
    const struct joint *j = p->j;
    for (size_t i = 0; i < panel->n && j->loss->convex; i++)
        proof_clip_row(j, panel->a + i * j->lanes, (size_t)j->o->label[panel->row + i]);
}

/* ---- the sums ------------------------------------------------------------------------------------- */

/* c_i (e_y - a_i), the own class's as the sum of the others. */
static void proof_factors(struct proof_panel *panel, const struct joint_proving *p,
                          double *factors) {
    const struct joint *j = p->j;
    const struct objective *o = j->o;
    for (size_t i = 0; i < panel->n; i++) {
        const double *a = panel->a + i * j->lanes;
        double *to = factors + i * j->lanes, weight = o->row_weight[panel->row + i];
        double others = 0, most = 0;
        size_t own = (size_t)o->label[panel->row + i];
        for (size_t l = 0; l < j->lanes; l++) {
            to[l] = -weight * a[l];
            if (l == own) continue;
            others += a[l];
            most = a[l] > most ? a[l] : most;
        }
        to[own] = weight * others;
        panel->most[i] = weight * (others > most ? others : most);
    }
}

static void proof_add_sparse(struct proof_panel *panel, const struct joint_proving *p,
                             const double *factors, double *v, double *reach, double *all) {
    const struct joint *j = p->j;
    const struct objective *o = j->o;
    for (size_t i = 0; i < panel->n; i++) {
        const double *x, *factor = factors + i * j->lanes;
        const uint32_t *index;
        double weight = o->row_weight[panel->row + i], most = panel->most[i];
        size_t n = row_doubles(&x, &index, panel->block, panel->i + i, o->cols, NULL, panel->rows);
        for (size_t l = 0, used; l < j->lanes; l += used) {
            used = j->lanes - l < PROOF_CHUNK ? j->lanes - l : PROOF_CHUNK;
            o->ctx->kernels->lanes_add_f64(v + l, factor + l, x, index, n, j->lanes, used);
        }
        for (size_t k = 0; k < n; k++) {
            reach[index[k]] += most * fabs(x[k]);
            all[index[k]] += weight * fabs(x[k]);
        }
    }
}

static void proof_add(struct proof_panel *panel, struct joint_proving *p) {
    const struct joint *j = p->j;
    const struct objective *o = j->o;
    const struct kernels *kernels = o->ctx->kernels;
    const double *weight = o->row_weight + panel->row;
    double *v = p->v + panel->slab * p->sums, *factors = panel->slope;
    double *reach = p->reach + panel->slab * (o->cols + 1),
           *all = p->all + panel->slab * (o->cols + 1);
    proof_factors(panel, p, factors);
    if (panel->block->sparse) {
        proof_add_sparse(panel, p, factors, v, reach, all);
    } else {
        o->ctx->blas->gemm_tn(o->cols, j->lanes, panel->n, panel->x[0], o->cols, factors, j->lanes,
                              1, v, j->lanes);
        kernels->add_rows(panel->unused, reach, panel->most, panel->x, panel->n, o->cols);
        kernels->add_rows(panel->unused, all, weight, panel->x, panel->n, o->cols);
    }
    for (size_t i = 0; i < panel->n; i++) {
        for (size_t l = 0; l < j->lanes; l++)
            v[o->cols * j->lanes + l] += factors[i * j->lanes + l];
        reach[o->cols] += panel->most[i];
        all[o->cols] += weight[i];
    }
}

/* ---- what variables are worth ----------------------------------------------------------------------- */

static void proof_conjugate(struct proof_panel *panel, struct joint_proving *p) {
    const struct joint *j = p->j;
    const struct objective *o = j->o;
    double value[JOINT_PANEL], error = 0;
    double relative = ROUNDING_OF_TERM + ROUNDING * (double)(2 * j->classes + 8);
    /* Moving a part of a row's variables takes no more than that part of its entropy off, and where they are
       put -x ln x falls by no more than x grows. */
    double moved = p->imbalance * (1 + log((double)j->classes));
    for (size_t i = 0; i < panel->n && p->shrink < 1; i++)
        for (size_t k = 0; k < j->classes; k++) {
            double *a = panel->a + i * j->lanes + k;
            *a = p->shrink * *a + (k == (size_t)o->label[panel->row + i] ? 1 - p->shrink : 0);
        }
    j->loss->neg_conjugate(o->ctx->kernels, panel->n, j->classes, j->lanes, panel->a,
                           o->label + panel->row, value);
    for (size_t i = 0; i < panel->n; i++) {
        double weight = o->row_weight[panel->row + i];
        total_add(&p->conjugate[panel->slab], weight * value[i]);
        error += weight * (relative * (1 + fabs(value[i])) + moved);
    }
    p->conjugate_error[panel->slab] += error;
}

/* ---- all of them -------------------------------------------------------------------------------------- */

static void proof_first_panel(struct proof_panel *panel, struct joint_proving *p) {
    proof_scores(panel, p);
    proof_losses(panel, p);
    proof_take(panel, p);
    if (p->a) return;
    proof_add(panel, p);
    if (p->dual) proof_conjugate(panel, p);
}

struct proof_pass {
    struct joint_proving *p;
    void (*turn)(struct proof_panel *panel, struct joint_proving *p);
};

static sepal_status proof_slab(sepal_ctx *ctx, size_t slab, void *payload) {
    struct proof_pass *pass = payload;
    const struct objective *o = pass->p->j->o;
    struct proof_panel panel;
    (void)ctx;
    TRY(proof_panel_init(&panel, pass->p, slab));
    for (size_t b = 0; b < o->rows.n_blocks; b++) {
        const struct block *block = &o->rows.blocks[b];
        if (block->first_row < o->slab_first[slab]) continue;
        if (block->first_row >= o->slab_first[slab + 1]) break;
        for (size_t i = 0; i < block->rows; i += panel.n) {
            proof_panel_at(&panel, pass->p, block, i);
            pass->turn(&panel, pass->p);
        }
    }
    mem_free(panel.rows);
    return SEPAL_OK;
}

static sepal_status proof_pass(struct joint_proving *p,
                               void (*turn)(struct proof_panel *panel, struct joint_proving *p)) {
    struct proof_pass pass = {.p = p, .turn = turn};
    return parallel_for(p->j->o->ctx, p->j->o->slabs, proof_slab, &pass);
}

sepal_status proof_rows(struct joint_proving *p) {
    return proof_pass(p, proof_first_panel);
}

sepal_status proof_add_rows(struct joint_proving *p) {
    return proof_pass(p, proof_add);
}

sepal_status proof_conjugates(struct joint_proving *p) {
    return proof_pass(p, proof_conjugate);
}
