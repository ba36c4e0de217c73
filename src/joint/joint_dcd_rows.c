/* Epochs of the dual coordinate descent: visits of all rows in random order. */
#include "core/alloc.h"
#include "core/rng.h"
#include "joint/joint_dcd.h"
#include "kernels/f32_panels.h"

#include <math.h>
#include <string.h>

enum { CHUNK = 16 };

sepal_status joint_curvatures(double *out, const struct joint *j) {
    TRY(objective_squared_norms(out, j->o));
    for (size_t i = 0; i < j->o->n; i++) out[i] *= j->o->row_weight[i] / j->o->l2;
    return SEPAL_OK;
}

void joint_dcd_unshrink(struct joint_dcd *s) {
    memset(s->shrunk, 0, s->o->n * sizeof *s->shrunk);
    s->any_shrunk = false;
    s->worst = INFINITY;
}

/* From the scores of a row but for the biases what it is to be added with; false: nothing changes. */
static bool joint_dcd_turn(struct joint_dcd *s, size_t i, double *g, double *step) {
    const struct objective *o = s->o;
    double *bias = s->w + o->cols * s->j->lanes;
    bool biased = o->bias != BIAS_NONE;
    for (size_t k = 0; biased && k < s->j->classes; k++) g[k] += bias[k];
    if (!s->step(s, i, g, step)) return false;
    for (size_t k = 0; biased && k < s->j->classes; k++) bias[k] += step[k] * (o->l2 / s->stiff);
    return true;
}

static void joint_dcd_visit(struct joint_dcd *s, size_t i) {
    const struct joint *j = s->j;
    const struct objective *o = s->o;
    const struct kernels *kernels = o->ctx->kernels;
    size_t local, lanes = j->lanes, n;
    double *g = s->room + o->cols, *step = g + lanes;
    const struct block *block = matrix_block_of(&o->rows, i, &local);
    const double *x;
    const uint32_t *index;
    n = row_doubles(&x, &index, block, local, o->cols, o->centre, s->room);
    for (size_t l = 0, used; l < lanes; l += used) {
        used = lanes - l < CHUNK ? lanes - l : CHUNK;
        kernels->lanes_dot_doubles(g + l, x, index, n, s->w + l, lanes, used);
    }
    if (!joint_dcd_turn(s, i, g, step)) return;
    for (size_t l = 0, used; l < lanes; l += used) {
        used = lanes - l < CHUNK ? lanes - l : CHUNK;
        kernels->lanes_add_f64(s->w + l, step + l, x, index, n, lanes, used);
    }
}

/* ---- singles -------------------------------------------------------------------------------- */

void joint_dcd_round(struct joint_dcd *s) {
    size_t lanes = s->j->lanes;
    for (size_t c = 0; c < s->o->cols; c++)
        for (size_t l = 0; l < s->half; l++)
            s->single[c * s->half + l] = l < lanes ? (float)s->w[c * lanes + l] : 0;
}

sepal_status joint_dcd_keep_singles(struct joint_dcd *s) {
    const struct matrix *rows = &s->o->rows;
    size_t n = 0;
    for (size_t b = 0; b < rows->n_blocks; b++)
        if (rows->blocks[b].values == VALUES_F64) n += rows->blocks[b].start[rows->blocks[b].rows];
    if (n == 0) return SEPAL_OK;
    s->value = mem_alloc(s->o->ctx, n, sizeof *s->value);
    s->first = mem_alloc(s->o->ctx, rows->n_blocks, sizeof *s->first);
    if (!s->value || !s->first) return SEPAL_EMEMORY;
    for (size_t b = 0, at = 0; b < rows->n_blocks; b++) {
        const struct block *block = &rows->blocks[b];
        s->first[b] = at;
        if (block->values != VALUES_F64) continue;
        f32_panels_round(s->value + at, block->f64, block->start[block->rows]);
        at += block->start[block->rows];
    }
    return SEPAL_OK;
}

/* Row i of a block as singles: how many numbers. */
static size_t joint_dcd_singles(const struct joint_dcd *s, const float **x, const uint32_t **index,
                                const struct block *block, size_t i) {
    if (block->values != VALUES_F64)
        return row_singles(x, index, block, i, s->o->cols, NULL, s->row);
    size_t at = block->start[i];
    *x = s->value + s->first[block - s->o->rows.blocks] + at;
    *index = block->index + at;
    return block->start[i + 1] - at;
}

static void joint_dcd_fetch(const struct joint_dcd *s, size_t i) {
    size_t local;
    const struct block *block = matrix_block_of(&s->o->rows, i, &local);
    size_t at = block->start[local];
    s->o->ctx->kernels->lanes_fetch(block->index + at, block->start[local + 1] - at, s->single,
                                    s->half * sizeof *s->single);
}

/* The weights of the next row are fetched while this one's step is found. */
static void joint_dcd_visit_single(struct joint_dcd *s, size_t i, size_t next) {
    const struct kernels *kernels = s->o->ctx->kernels;
    size_t local, lanes = s->j->lanes, n;
    double *g = s->room + s->o->cols, *step = g + lanes;
    float *score = s->row + s->o->cols;
    const struct block *block = matrix_block_of(&s->o->rows, i, &local);
    const float *x;
    const uint32_t *index;
    n = joint_dcd_singles(s, &x, &index, block, local);
    for (size_t l = 0, used; l < s->half; l += used) {
        used = s->half - l < CHUNK ? CHUNK / 2 : CHUNK;
        kernels->lanes_dot(score + l, x, index, n, s->single + l, s->half, used);
    }
    joint_dcd_fetch(s, next);
    for (size_t l = 0; l < lanes; l++) g[l] = (double)score[l];
    if (!joint_dcd_turn(s, i, g, step)) return;
    for (size_t l = 0; l < lanes; l++) score[l] = (float)step[l];
    for (size_t l = 0, used; l < s->half; l += used) {
        used = s->half - l < CHUNK ? CHUNK / 2 : CHUNK;
        kernels->lanes_add(s->single + l, score + l, x, index, n, s->half, used);
    }
}

/* ---- an epoch ------------------------------------------------------------------------------- */

static bool joint_dcd_asks(struct joint_dcd *s) {
    if (++s->visits < s->often) return false;
    s->visits = 0;
    return s->d->stops(s->d->payload, s->d->iterations, s->primal, s->gap);
}

/* The row at a place of the order; beyond the last: none. */
static size_t joint_dcd_at(const struct joint_dcd *s, size_t place) {
    size_t group = place / JOINT_DCD_GROUP;
    if (group == s->groups) return s->o->n;
    return (size_t)s->order[group] * JOINT_DCD_GROUP + place % JOINT_DCD_GROUP;
}

bool joint_dcd_epoch(struct joint_dcd *s) {
    enum { STREAM = 0x63, OFTEN = 1 << 20 }; /* entries from question to question */
    const struct objective *o = s->o;
    struct rng rng = rng_make(s->d->seed, ((uint64_t)STREAM << 32) + s->d->iterations);
    rng_shuffle(&rng, s->order, s->groups);
    s->often = (size_t)((double)o->n / (joint_entries(s->j) / OFTEN + 1)) + 1;
    s->excess = s->loss = s->products = s->worst_now = 0;
    for (size_t place = 0; place < s->groups * JOINT_DCD_GROUP; place++) {
        size_t i = joint_dcd_at(s, place);
        if (i >= o->n || s->shrunk[i]) continue;
        if (s->single) {
            size_t next = joint_dcd_at(s, place + 1);
            joint_dcd_visit_single(s, i, next < o->n ? next : i);
        } else {
            joint_dcd_visit(s, i);
        }
        if (joint_dcd_asks(s)) return false;
    }
    s->worst = s->worst_now > 0 ? s->worst_now : INFINITY;
    return true;
}
