/* The step: coordinate descent on the quadratic model of the losses plus the penalty (newGLMNET: Yuan,
   Ho and Lin, JMLR 13, 2012). The model's slopes by score are r + s curvature: a bias, and the centre of
   sparse columns, move s alone, so neither touches the rows. A free bias is always at its optimum:
   the steps of the weights know that it will follow. */
#include "solvers/prox.h"

#include <math.h>

enum { PARTS = 16 };

/* ---- the model ---------------------------------------------------------------------------- */

struct model {
    struct prox *p;
    const struct curvatures *along;
    double *r;          /* slopes by score without the part of s; scaled */
    double s;           /* what the bias and the centres add to each score */
    double sum;         /* of r, unscaled */
    double inverse_sum; /* 1 / the sum of all curvatures: how far a free bias follows */
};

/* The slope of the losses' model along column k. */
static double prox_step_slope_of(const struct model *model, const struct kernels *kernels,
                                 size_t k) {
    const struct prox *p = model->p;
    double slope = columns_dot(&p->columns, kernels, k, model->r) + model->s * p->first[k];
    if (p->o->bias != BIAS_FREE)
        slope -= prox_centre(p, k) * (model->sum + model->s * p->curvatures);
    return slope;
}

/* Coordinate k has moved: a free bias follows, or the centre does. */
static void prox_step_follow(struct model *model, size_t k, double move) {
    const struct prox *p = model->p;
    if (k == p->count) {
        model->s += move;
        return;
    }
    model->sum += move * p->first[k];
    if (p->o->bias == BIAS_FREE)
        model->s = -model->sum * model->inverse_sum;
    else
        model->s -= move * prox_centre(p, k);
}

static double prox_step_visit(struct model *model, size_t k) {
    struct prox *p = model->p;
    const struct objective *o = p->o;
    double w = prox_weight(p, k, 1), curvature = p->second[k] + o->l2;
    double slope = prox_step_slope_of(model, o->ctx->kernels, k) + o->l2 * w;
    if (!(curvature > 0)) return 0;
    double off = prox_violation(p, k, slope, w);
    double next = box_clip(prox_shrink(w, slope, curvature, o->l1), p->low[k], p->high[k]);
    double move = next - w;
    if (move == 0) return off;
    p->step[k] = next == 0 ? -p->w[k] : next - p->w[k];
    columns_add_curvature(&p->columns, k, move, model->along, model->r);
    prox_step_follow(model, k, move);
    return off;
}

static sepal_status slopes_part(sepal_ctx *ctx, size_t part, void *payload) {
    const struct model *model = payload;
    const struct prox *p = model->p;
    size_t from = p->n_block * part / PARTS, to = p->n_block * (part + 1) / PARTS;
    for (size_t b = from; b < to; b++)
        p->block_slope[b] = prox_step_slope_of(model, ctx->kernels, p->block[b]);
    return SEPAL_OK;
}

/* All members of the block at once. */
static sepal_status visit_block(struct model *model, double *off) {
    struct prox *p = model->p;
    const struct objective *o = p->o;
    size_t n = p->n_block + p->block_bias;
    bool alone = prox_alone(p);
    if (n == 0) return SEPAL_OK;
    TRY(prox_tasks(p, p->entries, PARTS, slopes_part, model));
    if (p->block_bias) p->block_slope[n - 1] = model->sum + model->s * p->curvatures;
    for (size_t b = 0; b < n; b++) {
        size_t k = p->block[b];
        double w = prox_weight(p, k, 1);
        p->before[k] = p->step[k];
        if (alone) *off += prox_violation(p, k, p->block_slope[b] + o->l2 * w, w);
    }
    TRY(prox_gram_descend(p, p->block_slope));
    for (size_t b = 0; b < n; b++) {
        size_t k = p->block[b];
        p->before[k] = p->step[k] - p->before[k];
        if (p->before[k] != 0) prox_step_follow(model, k, p->before[k]);
    }
    if (alone) return SEPAL_OK;
    TRY(prox_columns_scores(p->t, p, p->block, p->n_block, p->before));
    for (size_t i = 0; i < o->n; i++) {
        double scale = p->columns.scale ? p->columns.scale[i] : 1;
        model->r[i] += scale * p->curvature[i] * p->t[i];
    }
    return SEPAL_OK;
}

/* The bias as one more column of ones. */
static double visit_bias(struct model *model) {
    struct prox *p = model->p;
    const struct objective *o = p->o;
    double w = p->w[p->count] + p->step[p->count], curvature = p->curvatures + o->l2;
    double slope = model->sum + model->s * p->curvatures + o->l2 * w;
    if (o->bias != BIAS_PENALISED || p->block_bias || !(curvature > 0)) return 0;
    double next = prox_shrink(w, slope, curvature, o->l1);
    p->step[p->count] = next == 0 ? -p->w[p->count] : next - p->w[p->count];
    model->s += next - w;
    return prox_violation(p, p->count, slope, w);
}

/* The step was set from outside: the sums that go with it. */
static void prox_step_settle(struct model *model) {
    struct prox *p = model->p;
    model->sum = -p->factors;
    model->s = p->o->bias == BIAS_PENALISED ? p->step[p->count] : 0;
    for (size_t i = 0; i < p->n_set; i++)
        if (p->step[p->set[i]] != 0) prox_step_follow(model, p->set[i], p->step[p->set[i]]);
    if (p->o->bias == BIAS_FREE) model->s = -model->sum * model->inverse_sum;
}

/* One visit of everything; the sum of the violations met. The block is solved, not visited: it counts
   only where it is all there is. */
static sepal_status prox_step_pass(struct model *model, double *off) {
    const struct prox *p = model->p;
    *off = visit_bias(model);
    for (size_t i = 0; i < p->n_light; i++) *off += prox_step_visit(model, p->light[i]);
    return visit_block(model, off);
}

static sepal_status prox_step_descend(struct model *model, struct history *history) {
    enum { PASSES = 200, WARM_UP = 2 };
    struct prox *p = model->p;
    struct solver *d = p->d;
    bool once = prox_alone(p);
    for (int k = 0; k < PASSES; k++) {
        double off;
        TRY(prox_step_pass(model, &off));
        if (!(p->outset > 0)) p->outset = off;
        bool done = once || off <= p->inner * p->outset;
        if (done && k == 0) {
            p->inner = fmax(p->inner * 0.25, 1e-12);
            /* a model of what is settled is worth more than one pass */
            done = once || !p->settled || off <= p->inner * p->outset;
        }
        if (done) break;
        d->stopped = d->stops(d->payload, d->iterations, prox_objective(p), p->gap);
        if (d->stopped) break;
        if (k < WARM_UP || p->careful) continue;
        TRY(history_add(history, p, model->r));
        if (history->n == HISTORY && history_extrapolate(history, p, model->r))
            prox_step_settle(model);
    }
    return SEPAL_OK;
}

/* ---- the step ----------------------------------------------------------------------------- */

sepal_status prox_step(struct prox *p) {
    const struct objective *o = p->o;
    struct curvatures along;
    prox_gram_choose(p);
    TRY(prox_columns_curvature(p, &along));
    struct model model = {.p = p, .along = &along, .r = p->scratch[2]};
    model.inverse_sum = p->curvatures > 0 ? 1 / p->curvatures : 0;
    for (size_t i = 0; i < o->n; i++)
        model.r[i] = -p->f[i] * (p->columns.scale ? p->columns.scale[i] : 1);
    model.sum = -p->factors;
    if (o->bias == BIAS_FREE) model.s = -model.sum * model.inverse_sum;
    for (size_t i = 0; i < p->n_set; i++) p->step[p->set[i]] = 0;
    p->step[p->count] = 0;
    TRY(prox_gram_make(p));
    struct history history = {0};
    sepal_status status = prox_step_descend(&model, &history);
    history_clear(&history);
    TRY(status);
    if (o->bias == BIAS_FREE) {
        p->step[p->count] = model.s;
        for (size_t i = 0; i < p->n_set; i++)
            p->step[p->count] += p->step[p->set[i]] * prox_centre(p, p->set[i]);
    }
    TRY(prox_columns_scores(p->t, p, p->set, p->n_set, p->step));
    for (size_t i = 0; i < o->n; i++) p->t[i] = objective_side(o, i) * (p->t[i] + model.s);
    return SEPAL_OK;
}
