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

/* Gradient with the penalty's slope, and the inverse of the Hessian's diagonal, 0 where nothing may move. */
static sepal_status support_slopes(struct joint_prox *p, struct joint_support *s) {
    const struct joint *j = p->j;
    const struct objective *o = j->o;
    double *h = p->alpha; /* n x lanes: free here */
    for (size_t i = 0; i < o->n; i++)
        for (size_t l = 0; l < j->lanes; l++) {
            double part = p->sweep.state[i * j->lanes + l];
            h[i * j->lanes + l] = o->row_weight[i] * part * (1 - part);
        }
    TRY(joint_squares(s->inverse, j, h));
    for (size_t at = 0; at < j->size; at++) {
        double u = p->d->u[at], penalised = at < joint_penalised(j) ? 1 : 0;
        double second = s->inverse[at] + penalised * o->l2;
        bool moves = may_move(p, at);
        s->slope[at] = moves ? p->sweep.gradient[at] +
                                   penalised * (o->l2 * u + (u != 0 ? copysign(o->l1, u) : 0))
                             : 0;
        s->inverse[at] = moves ? 1 / (second > 0 ? second : 1) : 0;
    }
    return SEPAL_OK;
}

/* step = about -H^-1 slope on the support, until a step gains less than its part of what all have gained
   (Nash and Sofer 1990): the part is the less, the nearer the optimum. */
static sepal_status support_solve(struct joint_prox *p, struct joint_support *s) {
    double forcing = fmin(0.25, fmax(1e-4, sqrt(fabs(p->gap)))), model = 0;
    const struct joint *j = p->j;
    const struct kernels *kernels = j->o->ctx->kernels;
    double rz = 0, first;
    for (size_t at = 0; at < j->size; at++) {
        s->residual[at] = -s->slope[at];
        s->direction[at] = s->inverse[at] * s->residual[at];
        s->step[at] = 0;
        rz += s->residual[at] * s->direction[at];
    }
    first = rz;
    for (int k = 1; k <= CG_MOST && rz > DBL_EPSILON * DBL_EPSILON * first; k++) {
        TRY(joint_product(p->v, j, p->sweep.state, s->direction));
        for (size_t at = 0; at < joint_penalised(j); at++)
            p->v[at] += j->o->l2 * s->direction[at];
        double curvature = kernels->dot_f64(s->direction, p->v, j->size);
        if (!(curvature > DBL_EPSILON * rz)) break;
        double length = rz / curvature, gain = 0.5 * length * rz, next = 0;
        for (size_t at = 0; at < j->size; at++) {
            s->step[at] += length * s->direction[at];
            s->residual[at] -= s->inverse[at] != 0 ? length * p->v[at] : 0;
            next += s->residual[at] * s->residual[at] * s->inverse[at];
        }
        for (size_t at = 0; at < j->size; at++)
            s->direction[at] =
                s->inverse[at] * s->residual[at] + next / rz * s->direction[at];
        rz = next;
        model += gain;
        if (k * gain <= forcing * model) break;
        if (p->d->stops(p->d->payload, p->d->iterations, p->objective, p->gap)) {
            p->d->stopped = true;
            break;
        }
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
    static const double enough = 1e-4;
    const struct joint *j = p->j;
    double length = 1, loss;
    *moved = false;
    TRY(joint_sweep(&p->sweep, j, p->d->u));
    p->objective = p->sweep.loss + joint_penalty(j, p->d->u);
    TRY(support_slopes(p, s));
    TRY(support_solve(p, s));
    for (int trial = 0; trial < TRIALS && !*moved; trial++, length *= 0.25) {
        double slope = support_point(p, s, length);
        TRY(joint_scores(p->alpha, j, s->point));
        TRY(joint_loss_at(&loss, j, p->alpha));
        double value = loss + joint_penalty(j, s->point);
        *moved = slope < 0 && value <= p->objective + enough * slope;
    }
    if (*moved) memcpy(p->d->u, s->point, j->size * sizeof *s->point);
    return SEPAL_OK;
}
