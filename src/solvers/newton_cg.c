/* Newton's method with conjugate gradients and a line search (Galli and Lin, TNNLS 2022, is the
   version LIBLINEAR has; here one pass over the rows gives value, gradient, curvatures and diagonal,
   and the bias is put right by itself after every step). */
#include "solvers/descent.h"

#include "core/alloc.h"
#include "solvers/line.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { STEPS_MOST = 500, CG_MOST = 250 };

struct newton {
    struct descent *d;
    const struct objective *o;
    struct sweep sweep;
    double *m, *t, *step, *residual, *direction, *product; /* t: n; the rest: width */
    double objective;
    double gap; /* bound of the relative gap by the gradient */
};

static double dot(const struct objective *o, const double *a, const double *b) {
    return o->ctx->kernels->dot_f64(a, b, o->width);
}

/* ---- where we are ------------------------------------------------------------------------- */

static sepal_status look(struct newton *s) {
    const struct objective *o = s->o;
    double *g = s->sweep.gradient, *h = s->sweep.diagonal;
    TRY(objective_sweep(&s->sweep, o, s->d->u));
    s->objective = s->sweep.loss + objective_penalty(o, s->d->u);
    double square = 0;
    for (size_t j = 0; j < o->penalised; j++) {
        g[j] += o->l2 * s->d->u[j];
        h[j] += o->l2;
        square += g[j] * g[j];
    }
    /* P - D = |gradient|^2 / 2 l2 when the dual variables are the pulls at the point and the bias is
       optimal; without a penalty the decrement of the diagonal model stands for it */
    double excess = square / (2 * o->l2);
    if (!(o->l2 > 0)) {
        excess = 0;
        for (size_t j = 0; j < o->width; j++) excess += h[j] > 0 ? g[j] * g[j] / (2 * h[j]) : 0;
    } else if (o->bias == BIAS_FREE && h[o->cols] > 0) {
        excess += g[o->cols] * g[o->cols] / (2 * h[o->cols]);
    }
    s->gap = excess / fmax(fabs(s->objective), 1e-300);
    return SEPAL_OK;
}

/* ---- the step ----------------------------------------------------------------------------- */

/* H p, penalty included */
static sepal_status bend(struct newton *s, const double *p) {
    const struct objective *o = s->o;
    TRY(objective_product(s->product, NULL, o, s->sweep.curve, p));
    for (size_t j = 0; j < o->penalised; j++) s->product[j] += o->l2 * p[j];
    return SEPAL_OK;
}

/* Rough enough in flat columns to be invertible. */
static double scale_of(const struct newton *s, size_t j) {
    double h = s->sweep.diagonal[j];
    return h > 0 ? h : 1;
}

/* step = about -H^-1 g, better the nearer the optimum. Stops when the model decreases no more than
   its share (Nash and Sofer 1990). */
static sepal_status conjugate_gradients(struct newton *s, double forcing) {
    const struct objective *o = s->o;
    const double *g = s->sweep.gradient;
    double *p = s->direction, *r = s->residual, model = 0, rz = 0;
    for (size_t j = 0; j < o->width; j++) {
        r[j] = -g[j];
        p[j] = r[j] / scale_of(s, j);
        s->step[j] = 0;
        rz += r[j] * p[j];
    }
    double first = rz;
    for (int k = 1; k <= CG_MOST && rz > 0; k++) {
        TRY(bend(s, p));
        double curvature = dot(o, p, s->product);
        if (!(curvature > 0)) break;
        double alpha = rz / curvature, next = 0, gain = 0.5 * alpha * rz;
        for (size_t j = 0; j < o->width; j++) {
            s->step[j] += alpha * p[j];
            r[j] -= alpha * s->product[j];
            next += r[j] * r[j] / scale_of(s, j);
        }
        model += gain;
        if ((double)k * gain <= forcing * model || next <= DBL_EPSILON * DBL_EPSILON * first) break;
        for (size_t j = 0; j < o->width; j++) p[j] = r[j] / scale_of(s, j) + next / rz * p[j];
        rz = next;
        if (cancelled(o->ctx)) break;
    }
    return SEPAL_OK;
}

static sepal_status advance(struct newton *s, bool *moved) {
    const struct objective *o = s->o;
    struct line line = {.o = o, .m = s->sweep.m, .t = s->t, .u = s->d->u, .step = s->step};
    line.slope = dot(o, s->sweep.gradient, s->step);
    line.value = s->objective;
    TRY(objective_margins(s->t, o, s->step));
    TRY(line_search(&line));
    *moved = line.alpha > 0;
    if (!*moved) return SEPAL_OK;
    for (size_t j = 0; j < o->width; j++) s->d->u[j] += line.alpha * s->step[j];
    if (o->bias != BIAS_FREE) return SEPAL_OK;
    for (size_t i = 0; i < o->n; i++) s->sweep.m[i] += line.alpha * s->t[i];
    return line_bias(o, s->sweep.m, &s->d->u[o->cols]);
}

/* ---- the solver --------------------------------------------------------------------------- */

static sepal_status run(struct newton *s) {
    struct descent *d = s->d;
    size_t most = d->max_iter ? d->max_iter : STEPS_MOST;
    double last = INFINITY;
    for (;;) {
        bool moved = false;
        TRY(look(s));
        if (s->gap <= d->tol) d->converged = true;
        if (d->converged || d->iterations >= most) return SEPAL_OK;
        if (d->stops(d->payload, d->iterations, s->objective, s->gap)) {
            d->stopped = true;
            return SEPAL_OK;
        }
        double forcing = fmin(0.5, fmax(1e-4, sqrt(s->gap)));
        (void)last;
        TRY(conjugate_gradients(s, forcing));
        TRY(advance(s, &moved));
        d->iterations++;
        if (!moved) return SEPAL_OK; /* rounding leaves nothing to gain */
    }
}

sepal_status solve_newton_cg(struct descent *d) {
    const struct objective *o = d->o;
    struct newton s = {.d = d, .o = o};
    double *rows = mem_alloc(o->ctx, o->n, 3 * sizeof *rows);
    double *wide = mem_alloc(o->ctx, o->width, 6 * sizeof *wide);
    sepal_status status = rows && wide ? SEPAL_OK : SEPAL_EMEMORY;
    if (status == SEPAL_OK) {
        s.sweep.m = rows;
        s.sweep.curve = rows + o->n;
        s.t = rows + 2 * o->n;
        s.sweep.gradient = wide;
        s.sweep.diagonal = wide + o->width;
        s.step = wide + 2 * o->width;
        s.residual = wide + 3 * o->width;
        s.direction = wide + 4 * o->width;
        s.product = wide + 5 * o->width;
        status = run(&s);
    }
    mem_free(rows);
    mem_free(wide);
    return status;
}
