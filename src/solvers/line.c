#include "solvers/line.h"

#include "core/alloc.h"

#include <float.h>
#include <math.h>

/* ---- step lengths ------------------------------------------------------------------------- */

/* The penalty at u + alpha step. */
static double penalty_at(const struct line *line, double alpha) {
    const struct objective *o = line->o;
    double absolute = 0, square = 0;
    for (size_t j = 0; j < o->penalised; j++) {
        double u = line->u[j] + alpha * line->step[j];
        absolute += fabs(u);
        square += u * u;
    }
    return o->l1 * absolute + 0.5 * o->l2 * square;
}

static sepal_status value_at(double *out, const struct line *line, double alpha, double *m) {
    const struct objective *o = line->o;
    for (size_t i = 0; i < o->n; i++) m[i] = line->m[i] + alpha * line->t[i];
    TRY(objective_loss(out, o, m));
    *out += penalty_at(line, alpha);
    return SEPAL_OK;
}

/* The least of the parabola through the value and slope at 0 and the value at alpha, but neither
   alpha again nor next to nothing of it. */
static double shorter(const struct line *line, double alpha, double value) {
    double bend = value - line->value - alpha * line->slope;
    double least = -line->slope * alpha * alpha / (2 * bend);
    if (!(least > 0.1 * alpha)) return 0.1 * alpha;
    return fmin(least, 0.5 * alpha);
}

sepal_status line_search(struct line *line) {
    static const double enough = 1e-4;
    enum { TRIALS = 40 };
    const struct objective *o = line->o;
    double alpha = 1, value = 0, noise = 4 * DBL_EPSILON * fabs(line->value);
    line->alpha = 0;
    line->reached = line->value;
    if (!(line->slope < 0)) return SEPAL_OK;
    double *m = mem_alloc(o->ctx, o->n, sizeof *m);
    if (!m) return SEPAL_EMEMORY;
    sepal_status status = SEPAL_OK;
    for (int trial = 0; trial < TRIALS && status == SEPAL_OK; trial++) {
        status = value_at(&value, line, alpha, m);
        /* near the optimum the decrease is below what the sums can tell */
        if (status == SEPAL_OK && value <= line->value + enough * alpha * line->slope + noise) {
            line->alpha = alpha;
            line->reached = value;
            break;
        }
        alpha = shorter(line, alpha, isfinite(value) ? value : DBL_MAX);
    }
    mem_free(m);
    return status;
}

/* ---- the bias ----------------------------------------------------------------------------- */

/* First and second derivative of the loss along the bias. */
static void bias_slopes(const struct objective *o, const double *m, double out[2]) {
    enum { PART = 256 };
    double pull[PART], curve[PART];
    out[0] = out[1] = 0;
    for (size_t i = 0, n; i < o->n; i += n) {
        n = o->n - i < PART ? o->n - i : PART;
        o->loss->at(o->ctx->kernels, n, m + i, NULL, pull, curve);
        for (size_t k = 0; k < n; k++) {
            out[0] -= o->share[i + k] * objective_side(o, i + k) * pull[k];
            out[1] += o->share[i + k] * curve[k];
        }
    }
}

/* Newton's steps, kept inside of what is known of the place where the slope changes its sign. */
sepal_status line_bias(const struct objective *o, double *m, double *bias) {
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
