/* Rows of the dual coordinate descent of Crammer and Singer's machine. With all other rows fixed the dual
   of one is, at scores g_k = s_k + [k is not y],

       max over the simplex of  (a' - a) . g - |a' - a|^2 curvature / 2,

   so a' is the projection of a + g / curvature onto it. A row at a corner rests when its class is ahead of
   the others by more than any row had to move for in the epoch before (Keerthi et al., KDD 2008). */
#include "core/rng.h"
#include "joint/crammer.h"
#include "joint/simplex.h"

#include <math.h>
#include <string.h>

enum { CHUNK = 16 };

sepal_status crammer_curvatures(double *out, const struct joint *j) {
    TRY(objective_squared_norms(out, j->o));
    for (size_t i = 0; i < j->o->n; i++) out[i] *= j->o->row_weight[i] / j->o->l2;
    return SEPAL_OK;
}

void crammer_unshrink(struct crammer *s) {
    memset(s->shrunk, 0, s->o->n * sizeof *s->shrunk);
    s->any_shrunk = false;
    s->worst = INFINITY;
}

/* ---- a visit -------------------------------------------------------------------------------- */

/* What a row adds to the sums of the epoch, and whether it rests: g are its scores and the margin. */
static bool crammer_rests(struct crammer *s, size_t i, const double *g, const double *a) {
    size_t own = (size_t)s->o->label[i], best = 0, used = 0;
    double most = -INFINITY, second = -INFINITY, least = INFINITY, mean = 0;
    double weight = s->o->row_weight[i];
    for (size_t k = 0; k < s->j->classes; k++) {
        if (g[k] > most) {
            second = most;
            most = g[k];
            best = k;
        } else if (g[k] > second) {
            second = g[k];
        }
        if (!(a[k] > 0)) continue;
        used++;
        mean += a[k] * g[k];
        if (g[k] < least) least = g[k];
    }
    s->excess += weight * (most - mean);
    s->loss += weight * (most - g[own]);
    s->products += weight * (g[own] + (1 - a[own]) - mean);
    if (used == 1 && a[best] > 0 && most - second > s->worst) {
        s->any_shrunk = s->shrunk[i] = true;
        return true;
    }
    if (most - least > s->worst_now) s->worst_now = most - least;
    return used == 1 && a[best] > 0;
}

/* The new variables of a row, and in `step` what it is to be added to the weights with; false: nothing
   changes. */
static bool crammer_move(struct crammer *s, size_t i, double *g, double *step) {
    const struct joint *j = s->j;
    double *a = s->alpha + i * j->lanes, curvature = s->curvature[i], moved = 0;
    double factor = s->o->row_weight[i] / s->o->l2;
    g[s->o->label[i]] -= 1;
    for (size_t k = 0; k < j->classes; k++) moved += g[k];
    if (!isfinite(moved) || !isfinite(curvature) || crammer_rests(s, i, g, a)) return false;
    for (size_t k = 0; k < j->classes; k++) g[k] = a[k] + g[k] / curvature;
    (void)simplex_project(g, j->classes);
    moved = 0;
    for (size_t k = 0; k < j->classes; k++) {
        step[k] = factor * (a[k] - g[k]);
        moved += fabs(step[k]);
        a[k] = g[k];
    }
    return moved > 0;
}

static void crammer_visit(struct crammer *s, size_t i) {
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
    if (!crammer_move(s, i, g, step)) return;
    for (size_t l = 0, used; l < lanes; l += used) {
        used = lanes - l < CHUNK ? lanes - l : CHUNK;
        kernels->lanes_add_f64(s->w + l, step + l, x, index, n, lanes, used);
    }
    for (size_t k = 0; o->bias != BIAS_NONE && k < j->classes; k++)
        bias[k] += step[k] * (o->l2 / s->stiff);
}

/* ---- an epoch ------------------------------------------------------------------------------- */

static bool crammer_asks(struct crammer *s) {
    if (++s->visits < s->often) return false;
    s->visits = 0;
    return s->d->stops(s->d->payload, s->d->iterations, s->primal, s->gap);
}

bool crammer_epoch(struct crammer *s) {
    enum { STREAM = 0x63, OFTEN = 1 << 20 }; /* entries from question to question */
    const struct objective *o = s->o;
    struct rng rng = rng_make(s->d->seed, ((uint64_t)STREAM << 32) + s->d->iterations);
    rng_shuffle(&rng, s->order, s->groups);
    s->often = (size_t)((double)o->n / (joint_entries(s->j) / OFTEN + 1)) + 1;
    s->excess = s->loss = s->products = s->worst_now = 0;
    for (size_t place = 0; place < s->groups * CRAMMER_GROUP; place++) {
        size_t i = (size_t)s->order[place / CRAMMER_GROUP] * CRAMMER_GROUP + place % CRAMMER_GROUP;
        if (i >= o->n || s->shrunk[i]) continue;
        crammer_visit(s, i);
        if (crammer_asks(s)) return false;
    }
    s->worst = s->worst_now > 0 ? s->worst_now : INFINITY;
    return true;
}
