#include "solvers/linesearch.h"

#include <float.h>
#include <math.h>

/* ---- step lengths ------------------------------------------------------------------------- */

/* The penalty at u + length step. */
static double penalty_at(const struct linesearch *line, double length) {
    const struct objective *o = line->o;
    double absolute = 0, square = 0;
    for (size_t j = 0; j < o->penalised; j++) {
        double u = line->u[j] + length * line->step[j];
        absolute += fabs(u);
        square += u * u;
    }
    return o->l1 * absolute + 0.5 * o->l2 * square;
}

/* First and second derivative at length, of losses and L2 penalty. */
static void slopes_at(double out[2], const struct linesearch *line, double length,
                      const double ridge[2]) {
    enum { PART = 256 };
    const struct objective *o = line->o;
    double m[PART], alpha[PART], curvature[PART];
    out[0] = ridge[0] + length * ridge[1];
    out[1] = ridge[1];
    for (size_t i = 0, n; i < o->n; i += n) {
        n = o->n - i < PART ? o->n - i : PART;
        for (size_t k = 0; k < n; k++) m[k] = line->m[i + k] + length * line->t[i + k];
        o->loss->at(o->ctx->kernels, n, m, NULL, alpha, curvature);
        for (size_t k = 0; k < n; k++) {
            double move = o->row_weight[i + k] * line->t[i + k];
            out[0] -= move * alpha[k];
            out[1] += move * line->t[i + k] * curvature[k];
        }
    }
}

/* Where the slope is small beside that at the start: Newton's steps inside of what is known of the
   place where it changes its sign. */
static double best_length(const struct linesearch *line) {
    enum { TRIALS = 12 };
    static const double small = 0.05, farthest = 64;
    const struct kernels *kernels = line->o->ctx->kernels;
    double ridge[2] = {line->o->l2 * kernels->dot_f64(line->u, line->step, line->o->penalised),
                       line->o->l2 * kernels->dot_f64(line->step, line->step, line->o->penalised)};
    double low = 0, high = INFINITY, length = 1, slopes[2];
    for (int trial = 0; trial < TRIALS; trial++) {
        slopes_at(slopes, line, length, ridge);
        if (fabs(slopes[0]) <= small * fabs(line->slope)) break;
        *(slopes[0] < 0 ? &low : &high) = length;
        double next = slopes[1] > 0 ? length - slopes[0] / slopes[1] : 2 * length;
        if (!(next > low && next < high)) next = isinf(high) ? 2 * length : 0.5 * (low + high);
        length = fmin(next, farthest);
    }
    return length;
}

static sepal_status value_at(double *out, const struct linesearch *line, double length) {
    TRY(objective_loss_along(out, line->o, line->m, line->t, length));
    *out += penalty_at(line, length);
    return SEPAL_OK;
}

sepal_status linesearch(struct linesearch *line) {
    static const double enough = 1e-4;
    enum { TRIALS = 60 };
    const struct objective *o = line->o;
    double value = 0, noise = 4 * DBL_EPSILON * fabs(line->value);
    line->length = 0;
    line->reached = line->value;
    if (!(line->slope < 0)) return SEPAL_OK;
    double length = o->loss->smooth && o->l1 == 0 ? best_length(line) : 1;
    for (int trial = 0; trial < TRIALS; trial++) {
        TRY(value_at(&value, line, length));
        /* near the optimum the decrease is below what the sums can tell */
        if (value <= line->value + enough * length * line->slope + noise) {
            line->length = length;
            line->reached = value;
            break;
        }
        length *= 0.5;
    }
    return SEPAL_OK;
}

/* ---- the bias ----------------------------------------------------------------------------- */

/* First and second derivative of the loss along the bias. */
static void bias_slopes(const struct objective *o, const double *m, double out[2]) {
    enum { PART = 256 };
    double alpha[PART], curvature[PART];
    out[0] = out[1] = 0;
    for (size_t i = 0, n; i < o->n; i += n) {
        n = o->n - i < PART ? o->n - i : PART;
        o->loss->at(o->ctx->kernels, n, m + i, NULL, alpha, curvature);
        for (size_t k = 0; k < n; k++) {
            out[0] -= o->row_weight[i + k] * objective_side(o, i + k) * alpha[k];
            out[1] += o->row_weight[i + k] * curvature[k];
        }
    }
}

/* Newton's steps, kept inside of what is known of the place where the slope changes its sign. */
sepal_status linesearch_bias(const struct objective *o, double *m, double *bias) {
    enum { STEPS = 60 };
    static const double most = 4; /* of a step: far out the curvature says little */
    double low = -INFINITY, high = INFINITY, at = 0, slopes[2];
    for (int k = 0; k < STEPS; k++) {
        bias_slopes(o, m, slopes);
        if (slopes[0] == 0) break;
        *(slopes[0] < 0 ? &low : &high) = at;
        double step = slopes[1] > 0 ? -slopes[0] / slopes[1] : copysign(most, -slopes[0]);
        step = fmin(fmax(step, -most), most);
        if (!(at + step > low && at + step < high)) step = 0.5 * (low + high) - at;
        if (!isfinite(step) || !(fabs(step) > DBL_EPSILON * fabs(*bias + at))) break;
        for (size_t i = 0; i < o->n; i++) m[i] += step * objective_side(o, i);
        at += step;
    }
    *bias += at;
    return SEPAL_OK;
}

/* ---- the last roundings ------------------------------------------------------------------- */

bool linesearch_clear(const struct objective *o, double objective, double *u) {
    static const double rest = 1e-22, more = 1 + 1e-9;
    if (o->loss != &loss_squared_hinge || o->l2 > 0 || objective > rest) return false;
    for (size_t j = 0; j < o->width; j++) u[j] *= more;
    return true;
}
