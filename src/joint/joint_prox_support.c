/* All classes together, once their weights have found their signs: on the weights that are not 0 the penalty
   has a slope, and a Newton step by conjugate gradients is one of the joint losses, which steps of one class
   after the other are only in the limit. A weight that would change its sign stops at 0. */
#include "joint/joint_prox.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { CG_MOST = 200, TRIALS = 8 };

/* Whether a number of the point may move: weights that are not 0, and biases. */
static bool may_move(const struct joint_prox *p, size_t at) {
    const struct joint *j = p->j;
    if (at % j->lanes >= j->classes) return false;
    return at >= joint_penalised(j) || p->d->u[at] != 0;
}

/* The gradient with the penalty's slope, 0 where nothing may move. */
static void support_slopes(const struct joint_prox *p, struct joint_support *s) {
    const struct joint *j = p->j;
    for (size_t at = 0; at < j->size; at++) {
        double u = p->d->u[at], g = p->sweep.gradient[at];
        s->moves[at] = may_move(p, at);
        if (at < joint_penalised(j)) g += j->o->l2 * u + (u != 0 ? copysign(j->o->l1, u) : 0);
        s->slope[at] = s->moves[at] ? g : 0;
    }
}

/* step = about -H^-1 slope on the support, until a step gains less than its part of what all have gained
   (Nash and Sofer 1990): the part is the less, the nearer the optimum. */
static sepal_status support_solve(struct joint_prox *p, struct joint_support *s) {
    const struct joint *j = p->j;
    const struct kernels *kernels = j->o->ctx->kernels;
    double forcing = fmin(0.25, fmax(1e-4, sqrt(fabs(p->gap)))), model = 0;
    for (size_t at = 0; at < j->size; at++) {
        s->residual[at] = -s->slope[at];
        s->step[at] = 0;
    }
    joint_precondition(&s->precondition, s->residual, s->z);
    memcpy(s->direction, s->z, j->size * sizeof *s->z);
    double rz = kernels->dot_f64(s->residual, s->z, j->size), first = rz;
    for (int k = 1; k <= CG_MOST && rz > DBL_EPSILON * DBL_EPSILON * first; k++) {
        TRY(joint_product(p->v, j, p->sweep.state, s->direction));
        for (size_t at = 0; at < joint_penalised(j); at++) p->v[at] += j->o->l2 * s->direction[at];
        double curvature = kernels->dot_f64(s->direction, p->v, j->size);
        if (!(curvature > DBL_EPSILON * DBL_EPSILON * rz)) break;
        double length = rz / curvature, gain = 0.5 * length * rz;
        for (size_t at = 0; at < j->size; at++) {
            s->step[at] += length * s->direction[at];
            s->residual[at] -= s->moves[at] ? length * p->v[at] : 0;
        }
        joint_precondition(&s->precondition, s->residual, s->z);
        double next = kernels->dot_f64(s->residual, s->z, j->size);
        for (size_t at = 0; at < j->size; at++)
            s->direction[at] = s->z[at] + next / rz * s->direction[at];
        rz = next;
        model += gain;
        if (k * gain <= forcing * model) break;
        p->d->stopped = p->d->stops(p->d->payload, p->d->iterations, p->objective, p->gap);
        if (p->d->stopped) break;
    }
    return SEPAL_OK;
}

/* The point at a length of the step, weights stopped at 0; returns the decrease to first order. */
static double support_point(const struct joint_prox *p, struct joint_support *s, double length) {
    const struct joint *j = p->j;
    double slope = 0;
    for (size_t at = 0; at < j->size; at++) {
        double u = p->d->u[at], to = u + length * s->step[at];
        if (at < joint_penalised(j) && u * to < 0) to = 0;
        s->point[at] = to;
        slope += s->slope[at] * (to - u);
    }
    return slope;
}

sepal_status joint_prox_support(struct joint_prox *p, struct joint_support *s, bool *moved) {
    static const double enough = 1e-4, rounding = 8 * DBL_EPSILON;
    const struct joint *j = p->j;
    double length = 1, loss;
    *moved = false;
    TRY(joint_sweep(&p->sweep, j, p->d->u));
    p->objective = p->sweep.loss + joint_penalty(j, p->d->u);
    /* the bound goes on rising where the objective cannot be told from the least */
    double slack = rounding * p->objective;
    support_slopes(p, s);
    TRY(joint_precondition_some(&s->precondition, p->sweep.state, s->moves));
    TRY(support_solve(p, s));
    for (int trial = 0; trial < TRIALS && !*moved; trial++) {
        double slope = support_point(p, s, length);
        TRY(joint_scores(p->alpha, j, s->point));
        TRY(joint_loss_at(&loss, j, p->alpha));
        double value = loss + joint_penalty(j, s->point);
        *moved = slope < 0 && value <= p->objective + enough * slope + slack;
        length *= 0.25;
    }
    if (*moved) memcpy(p->d->u, s->point, j->size * sizeof *s->point);
    return SEPAL_OK;
}
