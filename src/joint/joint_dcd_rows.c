/* Epochs of the dual coordinate descent: visits of all rows in random order. */
#include "core/rng.h"
#include "joint/joint_dcd.h"

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

static void joint_dcd_visit(struct joint_dcd *s, size_t i) {
    const struct joint *j = s->j;
    const struct objective *o = s->o;
    const struct kernels *kernels = o->ctx->kernels;
    size_t local, lanes = j->lanes, n;
    double *g = s->room + o->cols, *step = g + lanes, *bias = s->w + o->cols * lanes;
    const struct block *block = matrix_block_of(&o->rows, i, &local);
    const double *x;
    const uint32_t *index;
    n = row_doubles(&x, &index, block, local, o->cols, o->centre, s->room);
    for (size_t l = 0, used; l < lanes; l += used) {
        used = lanes - l < CHUNK ? lanes - l : CHUNK;
        kernels->lanes_dot_doubles(g + l, x, index, n, s->w + l, lanes, used);
    }
    for (size_t k = 0; o->bias != BIAS_NONE && k < j->classes; k++) g[k] += bias[k];
    if (!s->step(s, i, g, step)) return;
    for (size_t l = 0, used; l < lanes; l += used) {
        used = lanes - l < CHUNK ? lanes - l : CHUNK;
        kernels->lanes_add_f64(s->w + l, step + l, x, index, n, lanes, used);
    }
    for (size_t k = 0; o->bias != BIAS_NONE && k < j->classes; k++)
        bias[k] += step[k] * (o->l2 / s->stiff);
}

/* ---- an epoch ------------------------------------------------------------------------------- */

static bool joint_dcd_asks(struct joint_dcd *s) {
    if (++s->visits < s->often) return false;
    s->visits = 0;
    return s->d->stops(s->d->payload, s->d->iterations, s->primal, s->gap);
}

bool joint_dcd_epoch(struct joint_dcd *s) {
    enum { STREAM = 0x63, OFTEN = 1 << 20 }; /* entries from question to question */
    const struct objective *o = s->o;
    struct rng rng = rng_make(s->d->seed, ((uint64_t)STREAM << 32) + s->d->iterations);
    rng_shuffle(&rng, s->order, s->groups);
    s->often = (size_t)((double)o->n / (joint_entries(s->j) / OFTEN + 1)) + 1;
    s->excess = s->loss = s->products = s->worst_now = 0;
    for (size_t place = 0; place < s->groups * JOINT_DCD_GROUP; place++) {
        size_t i =
            (size_t)s->order[place / JOINT_DCD_GROUP] * JOINT_DCD_GROUP + place % JOINT_DCD_GROUP;
        if (i >= o->n || s->shrunk[i]) continue;
        joint_dcd_visit(s, i);
        if (joint_dcd_asks(s)) return false;
    }
    s->worst = s->worst_now > 0 ? s->worst_now : INFINITY;
    return true;
}
