/* Rows without a free bias whose columns have large means: scores, and sums along columns, are ruled
   by one direction, the common mean. Coordinate descent converges slowly along it, and what rounding leaves of
   the scores moves all sums at once, so that the dual variables at the point miss |v| <= l1 by far. */
#include "solvers/prox.h"

#include <math.h>
#include <string.h>

/* The means of the columns under these weights of the rows, `total` in all: a pass. */
static sepal_status prox_mean_find_means(struct prox *p, double *weight, double total, bool all) {
    struct prox with = *p;
    with.f = weight;
    with.factors = total;
    with.v = p->mean;
    TRY(prox_columns_sums(&with, all));
    for (size_t k = 0; k < p->count; k++) p->mean[k] /= total;
    p->mean[p->count] = 1;
    return SEPAL_OK;
}

sepal_status prox_mean_rules(struct prox *p) {
    static const double nearly_all = 0.98;
    const struct objective *o = p->o;
    double squares = 0, means = 0;
    p->means_dominate = false;
    if (o->bias == BIAS_FREE || o->rows.sparse || !(p->curvatures > 0)) return SEPAL_OK;
    double total_weight = objective_total_weight(o);
    memcpy(p->scratch[2], o->row_weight, o->n * sizeof *p->scratch[2]);
    TRY(prox_mean_find_means(p, p->scratch[2], total_weight, true));
    for (size_t k = 0; k < p->count; k++) {
        squares += p->norm[k] * p->norm[k];
        means += total_weight * p->mean[k] * p->mean[k];
    }
    p->means_dominate = means > nearly_all * squares;
    return SEPAL_OK;
}

static double largest_at(const struct prox *p, double shift, bool all) {
    double most = 0;
    for (size_t k = 0; k < prox_penalised(p); k++)
        if (all || k == p->count || !p->gone[k])
            most = fmax(most, fabs(p->v[k] - shift * p->mean[k]));
    return most;
}

/* How much of the mean the sums have too much: what makes the largest of them least, which is convex
   in it. */
static double prox_mean_find_shift(const struct prox *p, bool all) {
    enum { THIRDS = 120 };
    double most = 0, widest = 0;
    for (size_t k = 0; k < prox_penalised(p); k++) {
        most = fmax(most, fabs(p->v[k]));
        widest = fmax(widest, fabs(p->mean[k]));
    }
    if (!(widest > 0) || !isfinite(most)) return 0;
    double high = 2 * most / widest, low = -high;
    for (int t = 0; t < THIRDS; t++) {
        double third = (high - low) / 3;
        if (largest_at(p, low + third, all) < largest_at(p, high - third, all))
            high -= third;
        else
            low += third;
    }
    return 0.5 * (low + high);
}

sepal_status prox_mean_align(struct prox *p, bool all) {
    const struct objective *o = p->o;
    if (o->bias == BIAS_FREE || !(p->curvatures > 0)) return SEPAL_OK;
    TRY(prox_mean_find_means(p, p->curvature, p->curvatures, all));
    double shift = prox_mean_find_shift(p, all);
    struct prox aligned = *p;
    aligned.a = p->scratch[2];
    aligned.f = p->scratch[3];
    aligned.v = p->aligned;
    aligned.factors = 0;
    for (size_t i = 0; i < o->n; i++) {
        double less = shift * p->curvature[i] / (o->row_weight[i] * p->curvatures);
        double a = p->a[i] - objective_side(o, i) * less;
        aligned.a[i] = clamp(a, o->loss->least, o->loss->most);
        aligned.f[i] = o->row_weight[i] * objective_side(o, i) * aligned.a[i];
        aligned.factors += aligned.f[i];
    }
    TRY(prox_columns_sums(&aligned, all));
    aligned.v[p->count] = aligned.factors;
    TRY(prox_bound(&aligned, false)); /* the best so far stays the one to beat */
    p->dual = aligned.dual;
    p->gap = aligned.gap;
    return SEPAL_OK;
}
