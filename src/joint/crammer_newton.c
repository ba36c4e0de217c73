/* A semismooth Newton step of the method of multipliers: with few weights it is solved for, else by
   conjugate gradients with a diagonal preconditioner. */
#include "joint/crammer_augmented.h"

#include <math.h>
#include <string.h>

enum { PRODUCTS_MOST = 300 };

static double crammer_dot(const struct crammer_augmented *s, const double *a, const double *b) {
    return s->o->ctx->kernels->dot_f64(a, b, s->j->size);
}

/* The curvature of the penalties, of the number k of a point. */
double crammer_penalty_at(const struct crammer_augmented *s, size_t k) {
    return k < joint_penalised(s->j) ? s->o->l2 : s->stiff;
}

static sepal_status crammer_find_diagonal(struct crammer_augmented *s) {
    crammer_smooth_diagonal(s);
    TRY(joint_squares(s->diagonal, s->j, s->scratch));
    for (size_t k = 0; k < s->j->size; k++) s->diagonal[k] += crammer_penalty_at(s, k);
    return SEPAL_OK;
}

static double crammer_precondition(const struct crammer_augmented *s, double *out) {
    for (size_t k = 0; k < s->j->size; k++) out[k] = s->residual[k] / s->diagonal[k];
    return crammer_dot(s, out, s->residual);
}

static sepal_status crammer_multiply(struct crammer_augmented *s) {
    TRY(joint_product(s->product, &s->smooth, s->state, s->direction));
    for (size_t k = 0; k < s->j->size; k++)
        s->product[k] += crammer_penalty_at(s, k) * s->direction[k];
    return SEPAL_OK;
}

static sepal_status crammer_find_step(struct crammer_augmented *s) {
    static const double forcing = 0.1;
    const struct kernels *kernels = s->o->ctx->kernels;
    struct solver *d = s->d;
    TRY(crammer_find_diagonal(s));
    memset(s->step, 0, s->j->size * sizeof *s->step);
    for (size_t k = 0; k < s->j->size; k++) s->residual[k] = -s->gradient[k];
    double square = crammer_precondition(s, s->direction), enough = forcing * forcing * square;
    for (int k = 0; k < PRODUCTS_MOST && square > enough && !d->stopped; k++) {
        TRY(crammer_multiply(s));
        double curvature = crammer_dot(s, s->direction, s->product);
        if (!(curvature > 0)) break;
        kernels->axpy_f64(square / curvature, s->direction, s->step, s->j->size);
        kernels->axpy_f64(-square / curvature, s->product, s->residual, s->j->size);
        double before = square;
        square = crammer_precondition(s, s->product);
        for (size_t i = 0; i < s->j->size; i++)
            s->direction[i] = s->product[i] + square / before * s->direction[i];
        double gap = (s->primal - s->dual) / fmax(fabs(s->primal), 1e-300);
        d->stopped = d->stops(d->payload, d->iterations, s->primal, gap);
    }
    return SEPAL_OK;
}

/* ---- along the step ------------------------------------------------------------------------- */

struct crammer_line {
    struct crammer_augmented *s;
    double across, square; /* of the penalties: slope at 0, and how it grows */
};

static struct crammer_line crammer_line_of(struct crammer_augmented *s) {
    struct crammer_line line = {.s = s};
    size_t penalised = joint_penalised(s->j);
    for (size_t k = 0; k < s->j->size; k++) {
        double by = crammer_penalty_at(s, k) * s->step[k];
        double from = s->u[k] - (k < penalised ? 0 : s->anchor[k - penalised]);
        line.across += by * from;
        line.square += by * s->step[k];
    }
    return line;
}

static sepal_status crammer_line_slope(double *out, const struct crammer_line *line,
                                       double length) {
    TRY(crammer_smooth_slope(out, line->s, length));
    *out += line->across + length * line->square;
    return SEPAL_OK;
}

/* A length up to 1 at which the slope is still downwards, though much less so than at 0. */
static sepal_status crammer_search(struct crammer_augmented *s, double *length) {
    enum { TRIALS = 20 };
    static const double flat = 0.3;
    struct crammer_line line = crammer_line_of(s);
    double low = 0, high = 1, first = crammer_dot(s, s->gradient, s->step), slope;
    double at_low = first, at_high;
    TRY(crammer_line_slope(&at_high, &line, 1));
    *length = 1;
    if (at_high <= 0 || !(first < 0)) return SEPAL_OK;
    for (int k = 0; k < TRIALS && !(low > 0 && at_low >= flat * first); k++) {
        double part = at_low / (at_low - at_high); /* of the way to where it would be 0 */
        double middle = low + (high - low) * fmin(fmax(0.9 * part, 0.05), 0.95);
        TRY(crammer_line_slope(&slope, &line, middle));
        if (slope <= 0) {
            low = middle;
            at_low = slope;
        } else {
            high = middle;
            at_high = slope;
        }
    }
    *length = low;
    return SEPAL_OK;
}

sepal_status crammer_newton_step(struct crammer_augmented *s, double *length) {
    const struct kernels *kernels = s->o->ctx->kernels;
    bool solved = false;
    if (s->hessian) TRY(crammer_hessian_step(&solved, s));
    if (!solved) TRY(crammer_find_step(s));
    TRY(joint_scores(s->slope, s->j, s->step));
    TRY(crammer_search(s, length));
    kernels->axpy_f64(*length, s->step, s->u, s->j->size);
    kernels->axpy_f64(*length, s->slope, s->score, s->j->cells);
    return SEPAL_OK;
}
