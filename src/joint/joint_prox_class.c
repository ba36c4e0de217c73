/* One class's step: the quadratic model of the losses in the scores of this class, by coordinate descent.

   The model's slope of row i is r_i + h_i shift, where `shift` is what centres and the bias add to every row:
   so both cost nothing by row. A free bias follows every coordinate to its best value. */
#include "joint/joint_prox.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { PASSES_MOST = 30 };

/* ---- the model ----------------------------------------------------------------------------------- */

/* What sparse columns have less than is stored. */
static double class_centre(const struct joint_prox *p, size_t c) {
    const struct objective *o = p->j->o;
    return o->centre && o->rows.sparse ? o->centre[c] : 0;
}

static struct curvatures class_rows(struct joint_prox *p, size_t k) {
    const struct joint *j = p->j;
    const struct objective *o = j->o;
    p->curvatures = p->slopes = p->shift = 0;
    for (size_t i = 0; i < o->n; i++) {
        const double *row = p->sweep.state + i * j->lanes;
        double part = row[k], others = 0;
        for (size_t l = 0; l < j->classes; l++) others += l == k ? 0 : row[l];
        p->slope[i] = o->row_weight[i] * ((size_t)o->label[i] == k ? -others : part);
        p->curvature[i] = o->row_weight[i] * (part * others + p->damping[k]);
        p->curvatures += p->curvature[i];
        p->slopes += p->slope[i];
    }
    struct curvatures along = {.curvature = p->curvature};
    along.once = columns_scale(&p->columns, p->curvature, p->once_rows);
    along.twice = along.once == p->curvature
                      ? along.once
                      : columns_scale(&p->columns, along.once, p->twice_rows);
    const double *scaled = columns_scale(&p->columns, p->slope, p->scaled);
    if (scaled != p->scaled) memcpy(p->scaled, scaled, o->n * sizeof *p->scaled);
    return along;
}

static void class_curvatures(struct joint_prox *p, size_t k, const struct curvatures *along) {
    const struct objective *o = p->j->o;
    const uint32_t *set = p->set + k * o->cols;
    for (size_t s = 0; s < p->n_set[k]; s++) {
        double once, twice, centre = class_centre(p, set[s]);
        columns_curvature(&p->columns, o->ctx->kernels, set[s], along, &once, &twice);
        p->once[s] = once - centre * p->curvatures;
        p->second[s] = twice - centre * (2 * once - centre * p->curvatures) + o->l2;
        /* the bias follows */
        if (o->bias == BIAS_FREE && p->curvatures > 0)
            p->second[s] -= p->once[s] * (p->once[s] / p->curvatures);
        p->second[s] = fmax(p->second[s], DBL_MIN);
    }
}

/* ---- coordinate descent ---------------------------------------------------------------------------- */

static double soft_threshold(double at, double g, double h, double l1) {
    double z = h * at - g;
    return z > l1 ? (z - l1) / h : z < -l1 ? (z + l1) / h : 0;
}

/* The bias to where the model's slope along it vanishes, or with a penalty to its least. */
static void step_bias(struct joint_prox *p, size_t k) {
    const struct joint *j = p->j;
    const struct objective *o = j->o;
    double g = p->slopes + p->shift * p->curvatures, by = 0, *bias = &p->step[p->n_set[k]];
    if (o->bias == BIAS_NONE || !(p->curvatures > 0)) return;
    if (o->bias == BIAS_FREE) {
        by = -g / p->curvatures;
    } else {
        double at = p->d->u[o->cols * j->lanes + k] + *bias, h = p->curvatures + o->l2;
        by = soft_threshold(at, g + o->l2 * at, h, o->l1) - at;
    }
    *bias += by;
    p->shift += by;
}

/* One coordinate to where the model and the penalty are least; how far from it it was. */
static double step_coordinate(struct joint_prox *p, size_t k, size_t s,
                              const struct curvatures *along) {
    const struct joint *j = p->j;
    const struct objective *o = j->o;
    size_t c = p->set[k * o->cols + s];
    double centre = class_centre(p, c), w = p->d->u[c * j->lanes + k] + p->step[s];
    double g = columns_dot(&p->columns, o->ctx->kernels, c, p->scaled) - centre * p->slopes;
    g += p->shift * p->once[s] + o->l2 * w;
    double by = soft_threshold(w, g, p->second[s], o->l1) - w;
    if (by == 0) return 0;
    p->step[s] += by;
    columns_add_curvature(&p->columns, c, by, along, p->scaled);
    /* without its centre, which is in the shift */
    p->slopes += by * (p->once[s] + centre * p->curvatures);
    p->shift -= by * centre;
    step_bias(p, k);
    return fabs(by) * p->second[s];
}

static void class_descend(struct joint_prox *p, size_t k, const struct curvatures *along,
                          double *violations) {
    static const double part = 0.1;
    size_t n = p->n_set[k];
    double first = 0;
    memset(p->step, 0, (n + 1) * sizeof *p->step);
    step_bias(p, k);
    for (int pass = 0; pass < PASSES_MOST; pass++) {
        double sum = 0;
        for (size_t s = 0; s < n; s++) sum += step_coordinate(p, k, s, along);
        if (p->j->o->bias == BIAS_PENALISED) step_bias(p, k);
        if (pass == 0) first = sum;
        if (!(sum > part * first)) break;
    }
    *violations += first;
}

/* ---- along the step ---------------------------------------------------------------------------------- */

static void class_scores(struct joint_prox *p, size_t k) {
    const struct objective *o = p->j->o;
    for (size_t i = 0; i < o->n; i++) p->t[i] = p->shift;
    for (size_t s = 0; s < p->n_set[k]; s++)
        if (p->step[s] != 0) columns_add(&p->columns, p->set[k * o->cols + s], p->step[s], p->t);
}

/* The logarithm of this class's odds, s_k less that of the sum of the others' exponentials: from the
   probabilities, unless they are too small to be told. */
static void class_odds(struct joint_prox *p, size_t k) {
    static const double least = 1e-290;
    const struct joint *j = p->j;
    for (size_t i = 0; i < j->o->n; i++) {
        const double *row = p->sweep.state + i * j->lanes, *s = p->sweep.score + i * j->lanes;
        double others = 0, most = -INFINITY;
        for (size_t l = 0; l < j->classes; l++) {
            if (l == k) continue;
            others += row[l];
            most = fmax(most, s[l]);
        }
        if (row[k] > least && others > least) {
            p->odds[i] = log(row[k] / others);
            continue;
        }
        double sum = 0;
        for (size_t l = 0; l < j->classes; l++) sum += l == k ? 0 : exp(s[l] - most);
        p->odds[i] = s[k] - most - log(sum);
    }
}

/* The sum of the losses in this class's scores, which are length t more: ln(1 + e^odds), less the score in its
   own class. Up to a constant. */
static double class_loss(const struct joint_prox *p, size_t k, double length) {
    enum { PART = 256 };
    const struct objective *o = p->j->o;
    double m[PART], value[PART], unused[2][PART], sum = 0;
    for (size_t i = 0, n; i < o->n; i += n) {
        n = o->n - i < PART ? o->n - i : PART;
        for (size_t r = 0; r < n; r++) {
            double side = (size_t)o->label[i + r] == k ? 1 : -1;
            m[r] = side * (p->odds[i + r] + length * p->t[i + r]);
        }
        o->ctx->kernels->logistic(m, n, value, unused[0], unused[1]);
        sum += o->ctx->kernels->dot_f64(o->row_weight + i, value, n);
    }
    return sum;
}

static double class_penalty_change(const struct joint_prox *p, size_t k, double length) {
    const struct joint *j = p->j;
    const struct objective *o = j->o;
    double penalty = 0;
    size_t last = p->n_set[k] + (o->bias == BIAS_PENALISED);
    for (size_t s = 0; s < last; s++) {
        size_t c = s < p->n_set[k] ? p->set[k * o->cols + s] : o->cols;
        double w = p->d->u[c * j->lanes + k], to = w + length * p->step[s];
        penalty += o->l1 * (fabs(to) - fabs(w)) + 0.5 * o->l2 * (to - w) * (to + w);
    }
    return penalty;
}

/* What the model promises at full length, to first order: below 0. */
static double class_promise(const struct joint_prox *p, size_t k) {
    const struct joint *j = p->j;
    const struct objective *o = j->o;
    double sum = 0;
    for (size_t i = 0; i < o->n; i++) sum += p->slope[i] * p->t[i];
    size_t last = p->n_set[k] + (o->bias == BIAS_PENALISED);
    for (size_t s = 0; s < last; s++) {
        size_t c = s < p->n_set[k] ? p->set[k * o->cols + s] : o->cols;
        double w = p->d->u[c * j->lanes + k];
        sum += o->l1 * (fabs(w + p->step[s]) - fabs(w)) + o->l2 * w * p->step[s];
    }
    return sum;
}

static double class_length(const struct joint_prox *p, size_t k) {
    enum { TRIALS = 30 };
    static const double enough = 0.01;
    double promise = class_promise(p, k), length = 1, before = class_loss(p, k, 0);
    if (!(promise < 0)) return 0;
    for (int trial = 0; trial < TRIALS; trial++) {
        double change = class_loss(p, k, length) - before + class_penalty_change(p, k, length);
        if (change <= enough * length * promise) return length;
        length *= 0.5;
    }
    return 0;
}

/* The weights, this class's scores, and the probabilities of all classes. */
static void class_move(struct joint_prox *p, size_t k, double length) {
    const struct joint *j = p->j;
    const struct objective *o = j->o;
    for (size_t s = 0; s < p->n_set[k]; s++) {
        double *w = &p->d->u[p->set[k * o->cols + s] * j->lanes + k];
        *w = length == 1 ? *w + p->step[s] : *w + length * p->step[s];
    }
    if (o->bias != BIAS_NONE) p->d->u[o->cols * j->lanes + k] += length * p->step[p->n_set[k]];
    for (size_t i = 0; i < o->n; i++) p->sweep.score[i * j->lanes + k] += length * p->t[i];
    for (size_t i = 0, n; i < o->n; i += n) {
        double value[JOINT_PANEL], missing[JOINT_PANEL];
        n = o->n - i < JOINT_PANEL ? o->n - i : JOINT_PANEL;
        o->ctx->kernels->softmax(p->sweep.score + i * j->lanes, n, j->classes, j->lanes,
                                 o->label + i, value, p->sweep.state + i * j->lanes, missing);
    }
}

/* Where all rows of a column that have curvature are alike, the bias can take its place, and the model has hardly
   any curvature along it: the step is endless, and no part of it may be a descent. The more a step had to be
   shortened, the more curvature all rows get; at 1/4 the model is nowhere below the losses. Steps that change no
   score by 1 are refused for their rounding errors alone. Returns whether there is more of it. */
static bool class_damp(struct joint_prox *p, size_t k, double length) {
    static const double least = 1e-6, most = 0.25, short_step = 0.125;
    double before = p->damping[k], farthest = 0;
    for (size_t i = 0; i < p->j->o->n; i++) farthest = fmax(farthest, fabs(p->t[i]));
    if (length < short_step && farthest > 1) p->damping[k] = fmin(most, fmax(least, 16 * before));
    if (length == 1) p->damping[k] = before > least ? before / 4 : 0;
    return p->damping[k] > before;
}

sepal_status joint_prox_class(struct joint_prox *p, size_t k, double *violations, bool *moved) {
    struct curvatures along = class_rows(p, k);
    class_curvatures(p, k, &along);
    class_descend(p, k, &along, violations);
    class_scores(p, k);
    class_odds(p, k);
    double length = class_length(p, k);
    *moved = class_damp(p, k, length) || length > 0;
    if (length > 0) class_move(p, k, length);
    return SEPAL_OK;
}
