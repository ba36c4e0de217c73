/* The smoothed loss of the method of multipliers: with g_k = s_k + [k is not y]

       max over t in the simplex of  t . g - s_y - |t - a_i|^2 / 2 sigma_i

   whose t is the projection of a_i + sigma_i g, whose slope is t - e_y, and whose curvature is sigma_i times
   the projection onto differences of the classes with a t above 0. */
#include "core/parallel.h"
#include "joint/crammer_augmented.h"
#include "joint/simplex.h"

#include "core/alloc.h"

static double crammer_sigma(const struct crammer_augmented *s, size_t i) {
    return s->strength / s->curvature[i];
}

/* t of row i at scores + length slope. Returns how many are above 0. */
static size_t crammer_smooth_row(const struct crammer_augmented *s, size_t i, double length,
                                 double *t) {
    size_t lanes = s->j->lanes, own = (size_t)s->o->label[i];
    const double *a = s->a + i * lanes, *at = s->score + i * lanes, *by = s->slope + i * lanes;
    double sigma = crammer_sigma(s, i);
    for (size_t k = 0; k < s->j->classes; k++) {
        double g = (length > 0 ? at[k] + length * by[k] : at[k]) + (k == own ? 0 : 1);
        t[k] = a[k] + sigma * g;
    }
    return simplex_project(s->o->ctx->kernels, t, s->j->classes, lanes);
}

static sepal_status crammer_smooth_slab(sepal_ctx *ctx, size_t slab, void *payload) {
    struct crammer_augmented *s = payload;
    size_t lanes = s->j->lanes;
    (void)ctx;
    for (size_t i = s->o->slab_first[slab]; i < s->o->slab_first[slab + 1]; i++) {
        double *t = s->t + i * lanes, *state = s->state + i * lanes, sigma = crammer_sigma(s, i);
        bool curved = crammer_smooth_row(s, i, 0, t) > 1;
        for (size_t k = 0; k < s->j->classes; k++) state[k] = curved && t[k] > 0 ? sigma : 0;
    }
    return SEPAL_OK;
}

sepal_status crammer_smooth_at(struct crammer_augmented *s) {
    return parallel_for(s->o->ctx, s->o->slabs, crammer_smooth_slab, s);
}

struct crammer_slopes {
    struct crammer_augmented *s;
    double length, sum[SLABS_MOST];
};

static sepal_status crammer_slope_slab(sepal_ctx *ctx, size_t slab, void *payload) {
    struct crammer_slopes *all = payload;
    struct crammer_augmented *s = all->s;
    double *t = mem_alloc(ctx, s->j->lanes, sizeof *t);
    if (!t) return SEPAL_EMEMORY;
    for (size_t i = s->o->slab_first[slab]; i < s->o->slab_first[slab + 1]; i++) {
        const double *by = s->slope + i * s->j->lanes;
        double sum = -by[s->o->label[i]];
        (void)crammer_smooth_row(s, i, all->length, t);
        for (size_t k = 0; k < s->j->classes; k++) sum += t[k] * by[k];
        all->sum[slab] += s->o->row_weight[i] * sum;
    }
    mem_free(t);
    return SEPAL_OK;
}

sepal_status crammer_smooth_slope(double *out, struct crammer_augmented *s, double length) {
    struct crammer_slopes all = {.s = s, .length = length};
    TRY(parallel_for(s->o->ctx, s->o->slabs, crammer_slope_slab, &all));
    *out = objective_total(s->o, all.sum);
    return SEPAL_OK;
}

void crammer_smooth_diagonal(struct crammer_augmented *s) {
    size_t lanes = s->j->lanes;
    for (size_t i = 0; i < s->o->n; i++) {
        const double *state = s->state + i * lanes;
        size_t used = 0;
        for (size_t k = 0; k < lanes; k++) used += state[k] > 0;
        double factor = used ? s->o->row_weight[i] * (1 - 1 / (double)used) : 0;
        for (size_t k = 0; k < lanes; k++) s->scratch[i * lanes + k] = factor * state[k];
    }
}

static void crammer_smooth_curve(size_t n, size_t lanes, const double *state, double *t) {
    for (size_t i = 0; i < n; i++, state += lanes, t += lanes) {
        double sum = 0, weight = 0;
        for (size_t l = 0; l < lanes; l++) {
            sum += state[l] * t[l];
            weight += state[l];
        }
        double mean = weight > 0 ? sum / weight : 0;
        for (size_t l = 0; l < lanes; l++) t[l] = state[l] * (t[l] - mean);
    }
}

const struct joint_loss crammer_smooth_loss = {
    .name = "crammer_singer",
    .words = "the loss of Crammer and Singer, smoothed",
    .smooth = true,
    .convex = true,
    .curve = crammer_smooth_curve,
};
