/* Newton's method with conjugate gradients and a line search (Galli and Lin, TNNLS 2022, is the
   version LIBLINEAR has; here one pass over the rows gives value, gradient and curvatures, and the
   bias is put right by itself after every step).

   The dual point is that of the quadratic model: with the step s the dual variables move by -curvature times
   the margins' change, so their sums are those of the gradient of the model, and what conjugate
   gradients leave of it is all that 1/l2 can magnify. The dual variables at the new point itself are as
   feasible, but bound far less while the steps are not yet small.

   Without a penalty there is no such bound, and what the step promises stands for the gap: half the
   square of the Newton decrement. Preconditioned by the whole diagonal, all of it is the same whatever
   the columns are scaled by. */
#include "solvers/solver.h"

#include "solvers/linesearch.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { STEPS_MOST = 500, CG_MOST = 250, DOUBTS_MOST = 10 };

struct newton_cg {
    struct solver *d;
    const struct objective *o;
    struct sweep sweep;
    double *t;                                                        /* n */
    double *diagonal, *scale, *step, *residual, *direction, *product; /* width */
    double objective;
    double bound;   /* the best dual value, of d->alpha; minus infinity: none */
    double gap;     /* relative, by that bound; NaN without a penalty */
    double rate;    /* the decrease that the diagonal model promises, relative */
    double promise; /* the same of the step; NaN: conjugate gradients did not come to an end */
    size_t doubts;  /* how often they did not tell whether the optimum is near */
    bool far;       /* along all directions the step promises more than the tolerance */
    bool unkept;    /* such a step has led to next to nothing of what it promised */
};

static double newton_cg_dot(const struct objective *o, const double *a, const double *b) {
    return o->ctx->kernels->dot_f64(a, b, o->width);
}

/* ---- where we are ------------------------------------------------------------------------- */

/* The root of the diagonal is a better preconditioner than the diagonal for counts and bits; but
   columns of very different scale need all of it, and without a penalty nothing else says what a
   column's scale is. */
static void scale_columns(struct newton_cg *s) {
    static const double far = 1e9;
    const double *h = s->diagonal;
    double least = INFINITY, most = 0;
    bool penalised = s->o->l2 > 0;
    for (size_t j = 0; j < s->o->width; j++) {
        if (h[j] > 0) least = fmin(least, h[j]);
        most = fmax(most, h[j]);
    }
    for (size_t j = 0; j < s->o->width; j++) {
        double full = h[j] > 0 ? h[j] : 1;
        s->scale[j] = !penalised || most > far * least ? full : sqrt(full);
    }
}

/* What the dual variables at the point itself leave of P: |gradient|^2 / 2 l2, if the bias is optimal. If it is
   not quite, they are thought of as brought into balance, each by a part of its curvature. That moves
   their sums by the slope along the bias times a mean row, which is no longer than the root of the
   mean square; the sums of curvature times squares are `total_curvature`. */
static double own_excess(const struct newton_cg *s, double square, double total_curvature) {
    static const double slight = 1e-6;
    const struct objective *o = s->o;
    double g = o->bias == BIAS_FREE ? fabs(s->sweep.gradient[o->cols]) : 0;
    if (g == 0) return square / (2 * o->l2);
    double h = s->diagonal[o->cols], length = sqrt(square) + g * sqrt(total_curvature / h);
    if (!(g <= slight * h)) return INFINITY;
    return length * length / (2 * o->l2) + g * fabs(s->d->u[o->cols]) + g * g / h;
}

static void own_bound(struct newton_cg *s, double square, double total_curvature) {
    if (!(s->o->l2 > 0)) {
        s->gap = s->objective == 0 ? 0 : NAN;
        return;
    }
    double bound = s->objective - own_excess(s, square, total_curvature);
    if (bound > s->bound) {
        s->bound = bound;
        s->d->paired = false;
    }
    double excess = s->objective - s->bound;
    s->gap = isfinite(excess) ? excess / fmax(fabs(s->objective), 1e-300) : NAN;
}

static sepal_status newton_cg_look(struct newton_cg *s) {
    const struct objective *o = s->o;
    double *g = s->sweep.gradient, *h = s->diagonal;
    TRY(objective_sweep(&s->sweep, o, s->d->u));
    TRY(objective_diagonal(h, o, s->sweep.curvature));
    s->objective = s->sweep.loss + objective_penalty(o, s->d->u);
    double square = 0, total_curvature = 0;
    for (size_t j = 0; j < o->cols; j++) total_curvature += h[j];
    for (size_t j = 0; j < o->penalised; j++) {
        g[j] += o->l2 * s->d->u[j];
        h[j] += o->l2;
        square += g[j] * g[j];
    }
    scale_columns(s);
    double promise = 0;
    for (size_t j = 0; j < o->width; j++) promise += g[j] * g[j] / (2 * s->scale[j]);
    s->rate = promise / fmax(fabs(s->objective), 1e-300);
    own_bound(s, square, total_curvature);
    return SEPAL_OK;
}

/* ---- the step ----------------------------------------------------------------------------- */

/* H p, penalty included */
static sepal_status hessian_times(struct newton_cg *s, const double *p) {
    const struct objective *o = s->o;
    TRY(objective_product(s->product, NULL, o, s->sweep.curvature, p));
    for (size_t j = 0; j < o->penalised; j++) s->product[j] += o->l2 * p[j];
    return SEPAL_OK;
}

/* Whether conjugate gradients are done after k steps: when the model decreases no more than its part
   (Nash and Sofer 1990); where that is 0, when rounding is all that is left of the residual. `square`: of
   the residual, which was `first`. */
static bool are_done(const struct newton_cg *s, int k, double gain, double allowed, double square,
                     double first) {
    static const double noise = DBL_EPSILON * DBL_EPSILON; /* of a gradient's entry, squared */
    if (allowed > 0) return k * gain <= allowed || square <= DBL_EPSILON * DBL_EPSILON * first;
    return square <= noise * (double)s->o->width * fmax(1, s->objective);
}

/* More steps than there are directions find none where the Hessian is singular up to rounding. */
static int steps_most(const struct newton_cg *s) {
    enum { TURNS = 3, MORE = 10 };
    double most = TURNS * (double)s->o->width + MORE;
    return most < CG_MOST ? (int)most : CG_MOST;
}

/* Whether the curvature along a direction is more than rounding, beside that of the columns alone. */
static bool is_clear(const struct newton_cg *s, const double *p, double curvature) {
    static const double rounding = 1e-14;
    double alone = 0;
    for (size_t j = 0; j < s->o->width; j++) alone += s->scale[j] * p[j] * p[j];
    return curvature > rounding * alone;
}

/* Whether the dual point of the model is as near as is asked for, as far as the model says: from a start that is
   near there is often no other step. */
static bool is_enough(const struct newton_cg *s) {
    static const double part = 0.25; /* of the tolerance */
    const struct objective *o = s->o;
    double square = o->ctx->kernels->dot_f64(s->residual, s->residual, o->penalised);
    return o->l2 > 0 && square / (2 * o->l2) <= part * s->d->tol * fabs(s->objective);
}

/* step = about -H^-1 g, better the nearer the optimum. */
static sepal_status conjugate_gradients(struct newton_cg *s, double forcing) {
    const struct objective *o = s->o;
    const double *g = s->sweep.gradient;
    double *p = s->direction, *r = s->residual, model = 0, rz = 0;
    for (size_t j = 0; j < o->width; j++) {
        r[j] = -g[j];
        p[j] = r[j] / s->scale[j];
        s->step[j] = 0;
        rz += r[j] * p[j];
    }
    double first = rz;
    bool ended = !(rz > 0);
    int most = forcing > 0 ? CG_MOST : steps_most(s);
    for (int k = 1; k <= most && !ended; k++) {
        TRY(hessian_times(s, p));
        double curvature = newton_cg_dot(o, p, s->product);
        if (!(curvature > 0) || (forcing == 0 && !is_clear(s, p, curvature))) break;
        double length = rz / curvature, next = 0, gain = 0.5 * length * rz;
        for (size_t j = 0; j < o->width; j++) {
            s->step[j] += length * p[j];
            r[j] -= length * s->product[j];
            next += r[j] * r[j] / s->scale[j];
        }
        model += gain;
        ended = are_done(s, k, gain, forcing * model, next, first) || (s->d->near && is_enough(s));
        if (ended) break;
        for (size_t j = 0; j < o->width; j++) p[j] = r[j] / s->scale[j] + next / rz * p[j];
        rz = next;
        s->d->stopped = s->d->stops(s->d->payload, s->d->iterations, s->objective, s->gap);
        if (s->d->stopped) break; /* the step so far is taken all the same */
    }
    s->promise = ended ? model / fmax(fabs(s->objective), 1e-300) : NAN;
    return SEPAL_OK;
}

/* Whether without a penalty no step promises more than the tolerance. Little gain in the first
   directions says nothing of others, along which P is flatter, so all are asked then. Where the Hessian
   is singular up to rounding they cannot tell; that is asked some times only. */
static sepal_status ask_all(struct newton_cg *s, bool *near) {
    *near = s->far = false;
    if (s->o->l2 > 0 || !(s->promise <= s->d->tol)) return SEPAL_OK;
    TRY(conjugate_gradients(s, 0));
    *near = s->promise <= s->d->tol;
    s->far = s->promise > s->d->tol;
    if (isnan(s->promise)) s->doubts++;
    return SEPAL_OK;
}

/* The dual variables of the model at the full step, and the bound they give. */
static sepal_status newton_cg_dual_point(struct newton_cg *s) {
    const struct objective *o = s->o;
    double *v = s->product, neg_conjugate, square = 0;
    if (!(o->l2 > 0)) return SEPAL_OK;
    double *alpha = s->sweep.curvature; /* not needed any more */
    for (size_t i = 0; i < o->n; i++) {
        double a, second = alpha[i] / o->row_weight[i];
        o->loss->at(o->ctx->kernels, 1, s->sweep.m + i, NULL, &a, NULL);
        alpha[i] = clamp(a - second * s->t[i], o->loss->least, o->loss->most);
    }
    if (o->bias == BIAS_FREE) solver_balance(o, alpha);
    TRY(objective_neg_conjugate(&neg_conjugate, o, alpha, 1));
    TRY(objective_dual_sums(v, o, alpha));
    for (size_t j = 0; j < o->penalised; j++) square += v[j] * v[j];
    double bound = neg_conjugate - square / (2 * o->l2);
    /* what rounding leaves */
    if (o->bias == BIAS_FREE) bound -= fabs(v[o->cols] * s->d->u[o->cols]);
    if (!(bound > s->bound)) return SEPAL_OK;
    s->bound = bound;
    memcpy(s->d->alpha, alpha, o->n * sizeof *alpha);
    s->d->paired = true;
    return SEPAL_OK;
}

static void newton_cg_measure_drift(struct newton_cg *s, double length) {
    s->d->drift = 0;
    for (size_t i = 0; i < s->o->n; i++) s->d->drift = fmax(s->d->drift, fabs(length * s->t[i]));
}

static sepal_status newton_cg_advance(struct newton_cg *s, bool *moved) {
    static const double least = 1e-3;
    const struct objective *o = s->o;
    struct linesearch line = {.o = o, .m = s->sweep.m, .t = s->t, .u = s->d->u, .step = s->step};
    line.slope = newton_cg_dot(o, s->sweep.gradient, s->step);
    line.value = s->objective;
    TRY(objective_margins(s->t, o, s->step));
    TRY(linesearch(&line));
    TRY(newton_cg_dual_point(s));
    *moved = line.length > 0;
    /* the Hessian is that of this place alone, or rounding: what it says of the next place is no proof */
    double decrease = (line.value - line.reached) / line.value;
    s->unkept = s->unkept || (s->far && decrease < least * s->promise);
    if (!*moved) return SEPAL_OK;
    if (!(o->l2 > 0)) newton_cg_measure_drift(s, line.length);
    for (size_t j = 0; j < o->width; j++) s->d->u[j] += line.length * s->step[j];
    if (o->bias != BIAS_FREE) return SEPAL_OK;
    for (size_t i = 0; i < o->n; i++) s->sweep.m[i] += line.length * s->t[i];
    return linesearch_bias(o, s->sweep.m, &s->d->u[o->cols]);
}

/* ---- the solver --------------------------------------------------------------------------- */

/* Without a penalty the losses of classes that a hyperplane separates fall for ever. */
static bool nothing_left(const struct newton_cg *s) {
    static const double nothing = 1e-13;
    return s->o->l2 == 0 && s->o->loss == &loss_logistic && s->objective < nothing;
}

static sepal_status newton_cg_run(struct newton_cg *s) {
    struct solver *d = s->d;
    size_t most = d->max_iter ? d->max_iter : STEPS_MOST;
    enum { SURE = 2 }; /* a step may lead rows over their kinks, behind which P falls on */
    int sure = 0;      /* so often in turn the optimum was near */
    bool near = false;
    s->bound = -INFINITY;
    for (;;) {
        bool moved = false;
        TRY(newton_cg_look(s));
        d->converged = s->gap <= d->tol || (sure == SURE && !s->unkept);
        if (d->converged || d->stopped || d->iterations >= most || nothing_left(s)) return SEPAL_OK;
        if (s->doubts > DOUBTS_MOST || sure == SURE) return SEPAL_OK;
        d->stopped = d->stops(d->payload, d->iterations, s->objective, s->gap);
        if (d->stopped) return SEPAL_OK;
        TRY(conjugate_gradients(s, fmin(0.5, fmax(1e-4, sqrt(s->rate)))));
        TRY(ask_all(s, &near));
        sure = near ? sure + 1 : 0;
        TRY(newton_cg_advance(s, &moved));
        d->iterations++;
        /* rounding leaves nothing to gain */
        if (!moved) {
            d->converged = near && !s->unkept;
            return SEPAL_OK;
        }
        (void)linesearch_clear(s->o, s->objective, d->u);
    }
}

sepal_status solve_newton_cg(struct solver *d) {
    const struct objective *o = d->o;
    struct newton_cg s = {.d = d, .o = o};
    struct arena arena = {0};
    sepal_status status = ARENA_VECTORS(o->ctx, &arena, o->n, &s.sweep.m, &s.sweep.curvature, &s.t);
    if (status == SEPAL_OK)
        status = ARENA_VECTORS(o->ctx, &arena, o->width, &s.sweep.gradient, &s.diagonal, &s.scale,
                               &s.step, &s.residual, &s.direction, &s.product);
    if (status == SEPAL_OK) status = newton_cg_run(&s);
    arena_clear(&arena);
    return status;
}

const struct convex_solver convex_solver_newton_cg = {
    .name = {.name = "newton-cg",
             .summary = "Newton's method by conjugate gradients: smooth losses, many columns"},
    .suits = "many columns",
    .solve = solve_newton_cg,
    .refuses = refuse_unless_smooth,
    .cost = cost_of_newton_cg,
    .far = SOLVER_FAR,
};
