/* What the solver for L1 penalties and bounds does with numbers that there is one of for each row: losses, dual
   bounds, the line search. Rows go by the slabs of the objective. */
#include "solvers/prox.h"

#include "solvers/linesearch.h"

#include <float.h>
#include <math.h>

enum { PART = 256 };

/* ---- at a point --------------------------------------------------------------------------- */

struct looking {
    struct prox *p;
    double loss[SLABS_MOST], factors[SLABS_MOST], curvatures[SLABS_MOST];
};

static sepal_status look_at_slab(sepal_ctx *ctx, size_t s, void *payload) {
    struct looking *all = payload;
    struct prox *p = all->p;
    const struct objective *o = p->o;
    double value[PART], loss = 0, factors = 0, curvatures = 0;
    for (size_t i = o->slab_first[s], n; i < o->slab_first[s + 1]; i += n) {
        n = o->slab_first[s + 1] - i < PART ? o->slab_first[s + 1] - i : PART;
        o->loss->at(ctx->kernels, n, p->m + i, value, p->a + i, p->curvature + i);
        loss += ctx->kernels->dot_f64(value, o->row_weight + i, n); /* as try_slab has it */
        for (size_t k = 0; k < n; k++) {
            double weight = o->row_weight[i + k];
            p->f[i + k] = weight * objective_side(o, i + k) * p->a[i + k];
            p->curvature[i + k] *= weight;
            factors += p->f[i + k];
            curvatures += p->curvature[i + k];
        }
    }
    all->loss[s] = loss;
    all->factors[s] = factors;
    all->curvatures[s] = curvatures;
    return SEPAL_OK;
}

sepal_status prox_look(struct prox *p) {
    const struct objective *o = p->o;
    struct looking all = {.p = p};
    TRY(prox_tasks(p, 4 * o->n, o->slabs, look_at_slab, &all));
    p->loss = objective_total(o, all.loss);
    p->factors = objective_total(o, all.factors);
    p->curvatures = objective_total(o, all.curvatures);
    double absolute = 0, square = 0;
    for (size_t k = 0; k < prox_penalised(p); k++) {
        absolute += fabs(p->w[k]);
        square += p->w[k] * p->w[k];
    }
    p->penalty = o->l1 * absolute + 0.5 * o->l2 * square;
    return SEPAL_OK;
}

/* ---- bounds ------------------------------------------------------------------------------- */

/* The most of v w less the penalty, by the weights w that the bounds allow: what v takes off the dual. */
static double box_conjugate(const struct prox *p, size_t k, double v) {
    const struct objective *o = p->o;
    double over = fmax(0, fabs(v) - o->l1), w = copysign(over > 0 ? over / o->l2 : 0, v);
    w = box_clip(w, p->low[k], p->high[k]);
    return w == 0 ? 0 : v * w - o->l1 * fabs(w) - 0.5 * o->l2 * w * w;
}

static double bounded_taken(const struct prox *p, double shrink, bool everything) {
    double taken = 0;
    for (size_t k = 0; k < prox_penalised(p); k++)
        if (everything || !p->gone[k]) taken += box_conjugate(p, k, shrink * p->v[k]);
    return taken;
}

/* How large the sums are on the sides on which no bound is. */
static double unbounded_most(const struct prox *p, bool all) {
    double most = 0;
    for (size_t k = 0; k < prox_penalised(p); k++)
        if ((all || !p->gone[k]) && isinf(p->v[k] > 0 ? p->high[k] : p->low[k]))
            most = fmax(most, fabs(p->v[k]));
    return most;
}

/* The dual at shrink times a; kept with them if it is the best so far. */
static sepal_status try_dual(struct prox *p, double shrink, bool everything) {
    const struct objective *o = p->o;
    double dual;
    TRY(objective_neg_conjugate(&dual, o, p->a, shrink));
    if (o->box) dual -= bounded_taken(p, shrink, everything);
    for (size_t k = 0; k < prox_penalised(p) && o->l2 > 0 && !o->box; k++) {
        double over = fabs(shrink * p->v[k]) - o->l1;
        if (over > 0 && (everything || !p->gone[k])) dual -= over * over / (2 * o->l2);
    }
    if (dual > p->bound) {
        p->bound = dual;
        p->shrink = shrink;
    }
    if (!(dual > p->dual)) return SEPAL_OK;
    p->dual = dual;
    for (size_t i = 0; i < o->n; i++) p->d->alpha[i] = shrink * p->a[i];
    p->d->paired = true;
    return SEPAL_OK;
}

sepal_status prox_bound(struct prox *p, bool all) {
    const struct objective *o = p->o;
    double most = unbounded_most(p, all), value = prox_objective(p);
    p->bound = -INFINITY;
    if (all) p->dual = -INFINITY;
    if (o->l2 > 0 || most <= o->l1) TRY(try_dual(p, 1, all));
    /* with a small l2 it is better not to use what it allows */
    if (most > o->l1 && o->l1 > 0) TRY(try_dual(p, o->l1 / most * (1 - DBL_EPSILON), all));
    p->gap = (value - p->dual) / fmax(fabs(value), 1e-300);
    return SEPAL_OK;
}

/* ---- along a step ------------------------------------------------------------------------- */

/* What length times the step adds to the penalty. */
static double penalty_added(const struct prox *p, double length) {
    const struct objective *o = p->o;
    double absolute = 0, square = 0;
    for (size_t i = 0; i < p->n_set + (o->bias == BIAS_PENALISED); i++) {
        size_t k = i < p->n_set ? p->set[i] : p->count;
        double before = p->w[k], after = prox_weight(p, k, length);
        absolute += fabs(after) - fabs(before);
        square += (after - before) * (after + before);
    }
    return o->l1 * absolute + 0.5 * o->l2 * square;
}

/* The slope at the start, but with the whole step's change of |w|_1, which bounds that of a part. */
static double prox_rows_slope_of(const struct prox *p) {
    const struct objective *o = p->o;
    double slope = 0;
    for (size_t i = 0; i < p->n_set + (o->bias != BIAS_NONE); i++) {
        size_t k = i < p->n_set ? p->set[i] : p->count;
        bool penalised = k < p->count || o->bias == BIAS_PENALISED;
        slope -= p->v[k] * p->step[k];
        if (penalised)
            slope +=
                o->l2 * p->w[k] * p->step[k] + o->l1 * (fabs(p->w[k] + p->step[k]) - fabs(p->w[k]));
    }
    return slope;
}

double prox_promise(const struct prox *p) {
    return fmax(0, -prox_rows_slope_of(p));
}

/* A matrix of second derivatives that was kept too long may send the model's steps off without end. */
static bool prox_rows_is_finite(const struct prox *p) {
    for (size_t i = 0; i < p->o->n; i++)
        if (!isfinite(p->t[i])) return false;
    return true;
}

static sepal_status search(double *out, const struct prox *p) {
    static const double enough = 0.01, shorter = 0.5;
    enum { TRIALS = 40 };
    const struct objective *o = p->o;
    double slope = prox_rows_slope_of(p), value = prox_objective(p);
    double noise = 16 * DBL_EPSILON * fabs(value);
    double loss, length = 1;
    *out = 0;
    /* near the optimum the sums cannot tell the slope from 0, but the dual still gains */
    if (!(slope <= noise) || !prox_rows_is_finite(p)) return SEPAL_OK;
    for (int trial = 0; trial < TRIALS; trial++) {
        TRY(objective_loss_along(&loss, o, p->m, p->t, length));
        double gain = value - p->penalty - loss - penalty_added(p, length);
        if (gain >= -enough * length * slope - noise) {
            *out = length;
            break;
        }
        length *= shorter;
    }
    return SEPAL_OK;
}

sepal_status prox_advance(struct prox *p, bool *moved) {
    const struct objective *o = p->o;
    double length;
    TRY(search(&length, p));
    *moved = length > 0;
    if (!*moved) return SEPAL_OK;
    for (size_t i = 0; i < p->n_set; i++) {
        size_t k = p->set[i];
        p->w[k] = prox_weight(p, k, length); /* to exactly 0 where the step is -w */
    }
    if (o->bias != BIAS_NONE) p->w[p->count] += length * p->step[p->count];
    for (size_t i = 0; i < o->n; i++) p->m[i] += length * p->t[i];
    if (o->bias == BIAS_FREE) TRY(linesearch_bias(o, p->m, &p->w[p->count]));
    return SEPAL_OK;
}
