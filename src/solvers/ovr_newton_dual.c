/* Gaps and dual points of Newton's method for one-versus-rest. */
#include "solvers/ovr_state.h"

#include "core/parallel.h"

#include <math.h>

enum { PART = 256 };

/* What it costs that the sums for a free bias are off. */
static double ovr_model_bias_excess(const struct ovr_state *s, size_t l, double off) {
    const struct objective *o = s->ovr.rest->o;
    if (o->bias != BIAS_FREE) return 0;
    return fabs(off * s->u[o->cols * s->ovr.lanes + l]) + 2 * off * off;
}

/* By the dual variables alpha of the margins, which have -loss* = loss + alpha m, row by row. As -loss* is
   concave and 0 at 0, theta alpha has a dual value of at least theta E - theta^2 V, for theta up to 1. */
void ovr_measure_gaps(struct ovr_state *s) {
    const struct objective *o = s->ovr.rest->o;
    size_t lanes = s->ovr.lanes;
    double square[OVR_LANES] = {0};
    for (size_t j = 0, k = 0; j < o->penalised; j++)
        for (size_t l = 0; l < lanes; l++, k++) {
            double v = o->l2 * s->u[k] - s->gradient[k];
            square[l] += v * v;
        }
    for (size_t l = 0; l < lanes; l++) {
        double e = s->sums.loss[l] + s->sums.products[l], v = square[l] / (2 * o->l2);
        double off = o->bias == BIAS_FREE ? s->gradient[o->cols * lanes + l] : 0;
        double theta = 2 * v > e ? fmax(0, e / (2 * v)) : 1;
        s->shrink[l] = theta;
        s->gap[l] =
            s->objective[l] - theta * (e - theta * v) + ovr_model_bias_excess(s, l, theta * off);
        s->by_model[l] = false;
    }
}

/* ---- the dual point of the model ------------------------------------------------------------- */

struct modelling {
    struct ovr_state *s;
    const double *length;
    double neg_conjugate[SLABS_MOST][OVR_LANES];
};

/* The dual variables at the end of the full step, of `n` rows from number i on, brought into the range of
   the loss. */
static void model_alpha(const struct modelling *all, size_t i, size_t n, double *alpha) {
    const struct ovr_state *s = all->s;
    const struct objective *o = s->ovr.rest->o;
    size_t lanes = s->ovr.lanes, at = i * lanes;
    double curvature[PART], least = o->loss->least, most = o->loss->most;
    o->loss->at(o->ctx->kernels, n * lanes, s->before + at, NULL, alpha, curvature);
    for (size_t k = 0; k < n * lanes; k++) {
        double length = all->length[k % lanes], moved = s->m[at + k] - s->before[at + k];
        double a = length > 0 ? alpha[k] - curvature[k] * moved / length : alpha[k];
        alpha[k] = a > least ? a < most ? a : most : least;
    }
}

/* The factors of the rows in the sums v go to s->alpha. */
static sepal_status model_slab(sepal_ctx *ctx, size_t slab, void *payload) {
    struct modelling *all = payload;
    struct ovr_state *s = all->s;
    const struct objective *o = s->ovr.rest->o;
    size_t lanes = s->ovr.lanes, rows = PART / lanes, first = o->slab_first[slab];
    double alpha[PART], neg_conjugate[PART];
    for (size_t i = first, n; i < o->slab_first[slab + 1]; i += n) {
        n = o->slab_first[slab + 1] - i < rows ? o->slab_first[slab + 1] - i : rows;
        model_alpha(all, i, n, alpha);
        o->loss->neg_conjugate(ctx->kernels, n * lanes, alpha, neg_conjugate);
        for (size_t k = 0; k < n * lanes; k++) {
            size_t row = i + k / lanes, l = k % lanes;
            double weight = ovr_row_weight(&s->ovr, row, l);
            all->neg_conjugate[slab][l] += weight * neg_conjugate[k];
            s->alpha[row * lanes + l] = weight * ovr_sign(&s->ovr, row, l) * alpha[k];
        }
    }
    return SEPAL_OK;
}

/* A part theta of a dual point that has `neg_conjugate` for its conjugates, and the sums v: D(theta) is at least
   theta E - theta^2 |v|^2 / 2 l2. The gap to lane l's objective. */
static double gap_of(const struct ovr_state *s, size_t l, double neg_conjugate, const double *v,
                     double *theta) {
    const struct objective *o = s->ovr.rest->o;
    size_t lanes = s->ovr.lanes;
    double square = 0;
    for (size_t j = 0; j < o->penalised; j++) square += v[j * lanes + l] * v[j * lanes + l];
    double charge = square / (2 * o->l2), off = o->bias == BIAS_FREE ? v[o->cols * lanes + l] : 0;
    *theta = 2 * charge > neg_conjugate ? fmax(0, neg_conjugate / (2 * charge)) : 1;
    return s->objective[l] - *theta * (neg_conjugate - *theta * charge) +
           ovr_model_bias_excess(s, l, *theta * off);
}

sepal_status ovr_measure_model_gaps(struct ovr_newton *d, struct ovr_state *s,
                                    const double *length) {
    static const double near = 2;
    const struct objective *o = s->ovr.rest->o;
    struct modelling all = {.s = s, .length = length};
    bool any = false;
    for (size_t l = 0; l < s->ovr.lanes; l++) {
        double promise = s->decrement[l];
        any = any ||
              (s->goes[l] && promise * promise <= near * ovr_allowed(d, s, l) * s->objective[l]);
    }
    if (!any) return SEPAL_OK;
    TRY(parallel_for(o->ctx, o->slabs, model_slab, &all));
    TRY(ovr_combine(s->q, &s->ovr, s->alpha));
    for (size_t l = 0; l < s->ovr.lanes; l++) {
        double neg_conjugate = 0, theta;
        for (size_t k = 0; k < o->slabs; k++) neg_conjugate += all.neg_conjugate[k][l];
        double gap = gap_of(s, l, neg_conjugate, s->q, &theta);
        if (!(gap < s->gap[l])) continue;
        s->gap[l] = gap;
        s->shrink[l] = theta;
        s->by_model[l] = true;
    }
    return SEPAL_OK;
}

/* The numbers of one lane in a row. */
static void take_lane(double *out, const double *from, size_t count, size_t lanes, size_t l) {
    for (size_t i = 0; i < count; i++) out[i] = from[i * lanes + l];
}

/* ---- the answer ------------------------------------------------------------------------------ */

static void keep_alpha(const struct ovr_newton *d, const struct ovr_state *s, size_t l) {
    const struct objective *o = s->ovr.rest->o;
    size_t lanes = s->ovr.lanes, wide = d->point->lanes;
    double m[PART], alpha[PART];
    for (size_t i = 0, n; i < o->n; i += n) {
        n = o->n - i < PART ? o->n - i : PART;
        take_lane(m, s->m + i * lanes, n, lanes, l);
        o->loss->at(o->ctx->kernels, n, m, NULL, alpha, NULL);
        for (size_t k = 0; k < n; k++) {
            size_t row = i + k;
            if (s->by_model[l])
                alpha[k] = s->alpha[row * lanes + l] * ovr_sign(&s->ovr, row, l) /
                           ovr_row_weight(&s->ovr, row, l);
            d->point->alpha64[row * wide + s->place[l]] = s->shrink[l] * alpha[k];
        }
    }
}

void ovr_keep_lane(const struct ovr_newton *d, const struct ovr_state *s, size_t l) {
    const struct objective *o = s->ovr.rest->o;
    size_t lanes = s->ovr.lanes, wide = d->point->lanes, place = s->place[l];
    for (size_t j = 0; j < o->cols; j++) d->point->w64[j * wide + place] = s->u[j * lanes + l];
    d->point->bias[place] = o->bias == BIAS_NONE ? 0 : s->u[o->cols * lanes + l];
    keep_alpha(d, s, l);
}
