/* Where the dual solver is: a cheap guess after every epoch, the truth now and then. */
#include "solvers/dual.h"
#include "solvers/hinge.h"
#include "solvers/linesearch.h"

#include <math.h>
#include <string.h>

enum { HISTORY = sizeof((struct gap_estimate *)0)->history / sizeof(double) };

/* ---- the guess ---------------------------------------------------------------------------- */

/* At the optimum l2 |w|^2 is the sum of c_i a_i m_i. Rows that are shrunk are in none of the sums, so
   the objective is left as it was when there are any. */
sepal_status dual_gap_estimate(const struct dual *s, struct gap_estimate *out) {
    double loss = s->loss;
    memmove(out->history + 1, out->history, (HISTORY - 1) * sizeof *out->history);
    out->history[0] = s->excess;
    if (s->implied_margin) TRY(objective_loss(&loss, s->o, s->implied_margin));
    if (!s->any_shrunk) out->primal = loss + 0.5 * s->products;
    /* rows met early have moved on since: as much as from one epoch to the next */
    double ratio = out->history[1] > 0 ? fmin(1, out->history[0] / out->history[1]) : 1;
    /* what was seen is trusted less and less */
    if (!isnan(out->ratio)) ratio = out->ratio *= 0.9;
    out->gap = s->excess * ratio / fmax(fabs(out->primal), 1e-300);
    return SEPAL_OK;
}

double dual_epochs_left(const struct gap_estimate *out, double tol) {
    double first = out->history[HISTORY - 1], last = out->history[0];
    if (!(first > 0) || !(last > 0) || !(out->gap > tol)) return 0;
    double rate = log(first / last) / (HISTORY - 1);
    return rate > 0 ? log(out->gap / tol) / rate : INFINITY;
}

/* ---- the truth ---------------------------------------------------------------------------- */

/* `penalty` is that of w. With a free bias the variables must be brought into balance first. What that
   does to w counts to the first order; to the second it costs at most about what moving all rows alike
   does. */
static sepal_status dual_value(double *out, const struct dual *s, double penalty) {
    const struct objective *o = s->o;
    double *moved = s->m + o->n, change = penalty, imbalance = 0;
    memcpy(moved, s->a, o->n * sizeof *moved);
    if (o->bias == BIAS_FREE) solver_balance(o, moved);
    for (size_t i = 0; o->bias == BIAS_FREE && i < o->n; i++) {
        imbalance += o->row_weight[i] * s->a[i] * objective_side(o, i);
        change += o->row_weight[i] * (moved[i] - s->a[i]) * s->m[i];
    }
    change +=
        objective_bias(o, s->w) * imbalance + 0.5 * imbalance * imbalance * (s->mean_square + 4);
    TRY(objective_neg_conjugate(out, o, moved, 1));
    *out -= change;
    return SEPAL_OK;
}

static sepal_status best_bias(const struct dual *s, double *bias) {
    const struct objective *o = s->o;
    return o->loss->smooth ? linesearch_bias(o, s->m, bias) : hinge_bias(o, s->m, bias);
}

sepal_status dual_gap_measure(const struct dual *s, struct gap_estimate *out) {
    const struct objective *o = s->o;
    double loss;
    if (o->bias != BIAS_NONE) s->w[o->cols] = s->bias;
    TRY(objective_margins(s->m, o, s->w));
    if (o->bias == BIAS_FREE) TRY(best_bias(s, s->w + o->cols));
    TRY(objective_loss(&loss, o, s->m));
    double penalty = objective_penalty(o, s->w), bound;
    TRY(dual_value(&bound, s, penalty));
    out->primal = loss + penalty;
    out->gap = (out->primal - bound) / fmax(fabs(out->primal), 1e-300);
    out->ratio = s->excess > 0 && !s->any_shrunk ? (out->primal - bound) / s->excess : NAN;
    return SEPAL_OK;
}
