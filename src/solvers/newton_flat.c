/* A factor of the Hessian is blind along directions with less than about 1e-14 of the curvature of their
   columns, such as the difference of two columns that are equal up to 1e-7: there it is its ridge, so
   it promises next to nothing whatever the slope. The rows themselves tell directions apart up to their
   rounding, 1e-16, since the curvature along one is a sum of squares of what the rows have of it.

   With the factor applied twice to the gradient its blind directions, if there are any, outweigh all
   others. */
#include "solvers/newton.h"

#include <float.h>
#include <math.h>

/* direction = the factor's inverse times the direction, so scaled that its largest entry is 1 in units
   in which each column alone has a curvature of 1. */
static bool flat_apply(const struct flat *f) {
    size_t width = f->o->width;
    double most = 0;
    factor_solve(f->factor, width, f->scale, f->direction, f->o->ctx);
    for (size_t j = 0; j < width; j++) most = fmax(most, fabs(f->direction[j] / f->scale[j]));
    if (!(most > 0) || !isfinite(most)) return false;
    for (size_t j = 0; j < width; j++) f->direction[j] /= most;
    return true;
}

/* The square of a direction's length, in these units. */
static double flat_square_of(const struct flat *f) {
    double square = 0;
    for (size_t j = 0; j < f->o->width; j++) {
        double part = f->direction[j] / f->scale[j];
        square += part * part;
    }
    return square;
}

/* What the factor sees of the direction is taken off it, or rather: what a step along the directions
   that it sees would do about one along this is added. */
static sepal_status flat_find_direction(const struct flat *f, bool *found) {
    enum { ROUNDS = 2 };
    static const double little = 1e-12;
    size_t width = f->o->width;
    for (size_t j = 0; j < width; j++) f->direction[j] = -f->gradient[j];
    *found = flat_apply(f);
    for (size_t j = 0; j < width; j++) f->direction[j] /= f->scale[j] * f->scale[j];
    *found = *found && flat_apply(f);
    double before = *found ? flat_square_of(f) : 0;
    for (int k = 0; k < ROUNDS && *found; k++) {
        TRY(objective_product(f->scratch, NULL, f->o, f->curvature, f->direction));
        factor_solve(f->factor, width, f->scale, f->scratch, f->o->ctx);
        for (size_t j = 0; j < width; j++) f->direction[j] -= f->scratch[j];
        *found = flat_square_of(f) > little * before;
    }
    return SEPAL_OK;
}

/* The slope of P by the change of each margin, and the size of its terms. */
static double sum_slope(struct flat *f) {
    enum { PART = 256 };
    const struct objective *o = f->o;
    double a[PART], size = 0; /* a: minus the slopes of the losses */
    f->slope = 0;
    for (size_t i = 0, n; i < o->n; i += n) {
        n = o->n - i < PART ? o->n - i : PART;
        o->loss->at(o->ctx->kernels, n, f->m + i, NULL, a, NULL);
        for (size_t k = 0; k < n; k++) {
            double term = o->row_weight[i + k] * a[k] * f->t[i + k];
            f->slope -= term;
            size += fabs(term);
        }
    }
    return size;
}

sepal_status flat_direction(struct flat *f, double *differ) {
    const struct objective *o = f->o;
    bool found;
    f->curvature_along = *differ = 0;
    TRY(flat_find_direction(f, &found));
    if (!found) return SEPAL_OK;
    TRY(objective_margins(f->t, o, f->direction));
    for (size_t i = 0; i < o->n; i++) f->curvature_along += f->curvature[i] * f->t[i] * f->t[i];
    *differ = sqrt(f->curvature_along / flat_square_of(f));
    return SEPAL_OK;
}

sepal_status flat_find(struct flat *f) {
    static const double roundings = 4 * DBL_EPSILON; /* of a margin's change */
    const struct objective *o = f->o;
    double differ;
    f->slope = f->gain = 0;
    TRY(flat_direction(f, &differ));
    if (!(differ > roundings * sqrt((double)o->width))) return SEPAL_OK;
    double size = sum_slope(f), most = fabs(f->slope) + DBL_EPSILON / differ * size;
    f->gain = most * most / (2 * f->curvature_along);
    /* downhill, to the least of the quadratic model */
    double length = -f->slope / f->curvature_along;
    for (size_t j = 0; j < o->width; j++) f->direction[j] *= length;
    for (size_t i = 0; i < o->n; i++) f->t[i] *= length;
    f->slope *= length;
    f->curvature_along *= length * length;
    return SEPAL_OK;
}
