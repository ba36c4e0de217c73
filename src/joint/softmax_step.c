/* A step of the dual coordinate descent of softmax (Yu, Huang and Lin, Mach. Learn. 2011, solve it a pair of
   classes at a time). With all other rows fixed the dual of one is

       max over the simplex of  H(a') + (a' - a) . s - |a' - a|^2 q / 2,

   H the entropy and q the curvature, and its dual in turn, whose softmax a' is, the proximal point of the loss,

       min over t of  log sum exp t + |t - s - q a|^2 / 2 q.

   Newton's method for it begins at t = s, which is the answer once the row is at its optimum. Its Hessian is
   1/q + diag p - p p', so a step costs as much as a softmax. */
#include "joint/joint_dcd.h"

#include <math.h>
#include <string.h>

/* delta = -(1/q + diag p - p p')^-1 r, by Sherman and Morrison; returns -r . delta. */
static double softmax_newton(const double *p, const double *r, double q, size_t classes,
                             double *delta) {
    double with_r = 0, with_p = 0, decrement = 0;
    for (size_t k = 0; k < classes; k++) {
        double part = p[k] / (1 / q + p[k]);
        with_r += part * r[k];
        with_p += part;
    }
    /* 1 - sum of p part = (1/q) sum of part: nothing cancels */
    double common = with_r * q / with_p;
    for (size_t k = 0; k < classes; k++) {
        delta[k] = -(r[k] + p[k] * common) / (1 / q + p[k]);
        decrement -= r[k] * delta[k];
    }
    return decrement;
}

/* A length that is sure to be a gain: ln(1 + d) / d where the step changes differences of scores by up to d
   (Sun and Tran-Dinh, Math. Program. 2019). */
static double softmax_sure_length(const double *delta, size_t classes) {
    double least = INFINITY, most = -INFINITY;
    for (size_t k = 0; k < classes; k++) {
        least = fmin(least, delta[k]);
        most = fmax(most, delta[k]);
    }
    double d = most - least;
    return d > 1e-3 ? log1p(d) / d : 1;
}

/* ---- the problem of one row ------------------------------------------------------------------- */

struct softmax_row {
    const struct joint *j;
    const int32_t *label;
    double q, entropy;    /* of a */
    const double *a;      /* its dual variables */
    const double *score;  /* s */
    double *t, *p;        /* the point, and its softmax */
    double *r, *delta;    /* the slope there, and the step */
    double *trial, *next; /* after the step, and its softmax */
    double loss;          /* log sum exp t - t_y */
    double above;         /* the objective at t, less what a reaches in the dual */
};

/* The objective at t, less what a reaches: nothing that is large cancels. */
static double softmax_above(const struct softmax_row *row, const double *t, double *p,
                            double *loss) {
    const struct joint *j = row->j;
    double mean = 0, square = 0, missing;
    j->o->ctx->kernels->softmax(t, 1, j->classes, j->lanes, row->label, loss, p, &missing);
    for (size_t k = 0; k < j->classes; k++) {
        double way = t[k] - row->score[k];
        mean += row->a[k] * (t[k] - t[*row->label]);
        square += way * way;
    }
    return *loss - mean - row->entropy + square / (2 * row->q);
}

/* Whether the softmax of t reaches most of what there is to reach: its own gap is q |r|^2 / 2. */
static bool softmax_is_near(struct softmax_row *row) {
    static const double enough = 0.1;
    double square = 0;
    for (size_t k = 0; k < row->j->classes; k++) {
        row->r[k] = (row->t[k] - row->score[k]) / row->q + (row->p[k] - row->a[k]);
        square += row->r[k] * row->r[k];
    }
    return 0.5 * row->q * square <= enough * row->above;
}

/* A step of Newton's method; false: rounding leaves nothing to gain. */
static bool softmax_advance(struct softmax_row *row) {
    static const double little = 1e-4, shorter = 0.4;
    size_t classes = row->j->classes;
    double decrement = softmax_newton(row->p, row->r, row->q, classes, row->delta), loss, above;
    double sure = softmax_sure_length(row->delta, classes), length = 1;
    for (;;) {
        for (size_t k = 0; k < classes; k++) row->trial[k] = row->t[k] + length * row->delta[k];
        above = softmax_above(row, row->trial, row->next, &loss);
        if (above <= row->above - little * length * decrement) break;
        if (!(length > sure)) return false;
        length = fmax(sure, shorter * length);
    }
    double *t = row->t, *p = row->p;
    row->t = row->trial;
    row->p = row->next;
    row->trial = t;
    row->next = p;
    row->loss = loss;
    row->above = above;
    return true;
}

/* ---- a visit ---------------------------------------------------------------------------------- */

/* What the row adds to the sums of the epoch. */
static void softmax_account(struct joint_dcd *s, size_t i, const struct softmax_row *row) {
    double weight = s->o->row_weight[i];
    double mean = row->loss - row->entropy - row->above;
    s->excess += weight * fmax(0, row->above);
    s->loss += weight * row->loss;
    s->products -= weight * mean;
}

static struct softmax_row softmax_row_of(const struct joint_dcd *s, size_t i, double *score) {
    size_t lanes = s->j->lanes;
    double *room = s->scratch;
    return (struct softmax_row){.j = s->j,
                                .label = s->o->label + i,
                                .q = s->curvature[i],
                                .entropy = s->entropy[i],
                                .a = s->alpha + i * lanes,
                                .score = score,
                                .t = room,
                                .p = room + lanes,
                                .r = room + 2 * lanes,
                                .delta = room + 3 * lanes,
                                .trial = room + 4 * lanes,
                                .next = room + 5 * lanes};
}

bool softmax_step(struct joint_dcd *s, size_t i, double *g, double *step) {
    enum { STEPS = 30 };
    struct softmax_row row = softmax_row_of(s, i, g);
    size_t classes = s->j->classes, own = (size_t)*row.label;
    double *a = s->alpha + i * s->j->lanes, factor = s->o->row_weight[i] / s->o->l2, mean = 0;
    memcpy(row.t, g, s->j->lanes * sizeof *g);
    row.above = softmax_above(&row, row.t, row.p, &row.loss);
    if (!isfinite(row.above) || !isfinite(row.q)) return false;
    softmax_account(s, i, &row);
    for (int n = 0; !softmax_is_near(&row); n++)
        if (n == STEPS || !softmax_advance(&row)) return false;
    for (size_t k = 0; k < classes; k++) {
        step[k] = factor * (a[k] - row.p[k]);
        mean += row.p[k] * (row.t[k] - row.t[own]);
        a[k] = row.p[k];
    }
    s->entropy[i] = row.loss - mean;
    return true;
}
