/* The steps of Newton's method for one-versus-rest: factors of Hessians, conjugate gradients that they
   precondition, and how far to go. */
#include "solvers/ovr_state.h"

#include "core/alloc.h"
#include "core/parallel.h"
#include "kernels/blas.h"
#include "solvers/newton.h"

#include <string.h>

enum { PRODUCTS_MOST = 40, WIDE = 256 }; /* so wide factors are worth a thread each */

static void dots(double *out, const struct ovr_state *s, const double *a, const double *b,
                 size_t count) {
    size_t lanes = s->ovr.lanes;
    memset(out, 0, lanes * sizeof *out);
    for (size_t j = 0; j < count; j++)
        for (size_t l = 0; l < lanes; l++) out[l] += a[j * lanes + l] * b[j * lanes + l];
}

sepal_status ovr_evaluate(struct ovr_state *s) {
    const struct objective *o = s->ovr.rest->o;
    size_t lanes = s->ovr.lanes;
    double square[OVR_LANES];
    TRY(ovr_gradient(s->gradient, &s->sums, s->curvature, &s->ovr, s->m));
    dots(square, s, s->u, s->u, o->penalised);
    for (size_t l = 0; l < lanes; l++) s->objective[l] = s->sums.loss[l] + 0.5 * o->l2 * square[l];
    for (size_t k = 0; k < o->penalised * lanes; k++) s->gradient[k] += o->l2 * s->u[k];
    return SEPAL_OK;
}

/* ---- factors -------------------------------------------------------------------------------- */

static sepal_status give_room(struct ovr_factor *f, const struct objective *o) {
    size_t square = o->width * o->width;
    if (f->own) return SEPAL_OK;
    f->matrix = mem_alloc(o->ctx, square + o->width, sizeof *f->matrix);
    if (!f->matrix) return SEPAL_EMEMORY;
    f->own = true;
    f->scale = f->matrix + square;
    return SEPAL_OK;
}

/* Lanes, each a task. */
struct lane_tasks {
    struct ovr_state *s;
    size_t n, lane[OVR_LANES];
    bool failed[OVR_LANES];
};

static sepal_status factor_lane(sepal_ctx *ctx, size_t task, void *payload) {
    struct lane_tasks *tasks = payload;
    struct ovr_factor *f = &tasks->s->factor[tasks->lane[task]];
    tasks->failed[task] = !factor_make(f->matrix, tasks->s->ovr.rest->o->width, f->scale, ctx);
    return SEPAL_OK;
}

/* Of some lanes; `leverage`: as for ovr_factor_hessian. */
static sepal_status factor_lanes(struct ovr_state *s, const bool *wanted, const double *leverage) {
    const struct objective *o = s->ovr.rest->o;
    struct lane_tasks tasks = {.s = s};
    for (size_t l = 0; l < s->ovr.lanes; l++) {
        if (!wanted[l]) continue;
        TRY(give_room(&s->factor[l], o));
        TRY(ovr_factor_hessian(&s->factor[l], &s->ovr, l, s->curvature, leverage));
        tasks.lane[tasks.n++] = l;
    }
    TRY(parallel_if(o->width >= WIDE, o->ctx, tasks.n, factor_lane, &tasks));
    for (size_t k = 0; k < tasks.n; k++) s->broken = s->broken || tasks.failed[k];
    return SEPAL_OK;
}

/* Whether new factors for the lanes that need products cost less than the products. A factor of all rows
   needs none, one of some rows a few. */
static bool factors_pay(const struct ovr_state *s, const bool *poor) {
    enum { UNKNOWN = 6, FEW = 4, SLOWER = 2 }; /* products of few columns: at half the speed */
    const struct objective *o = s->ovr.rest->o;
    double cost = 0, pass = 2 * (double)(o->n * o->width * s->ovr.lanes) * SLOWER;
    size_t products = 0;
    bool whole = o->loss == &loss_squared_hinge || ovr_factor_rows(o) == o->n;
    size_t after = whole ? 0 : FEW;
    for (size_t l = 0; l < s->ovr.lanes; l++) {
        if (!poor[l]) continue;
        size_t last = s->products[l] ? s->products[l] : UNKNOWN;
        if (last > products) products = last;
        cost += ovr_factor_cost(&s->factor[l], &s->ovr, l, s->curvature);
    }
    return products > after && cost < (double)(products - after) * pass;
}

static sepal_status find_leverages(struct ovr_state *s) {
    const struct objective *o = s->ovr.rest->o;
    if (ovr_factor_rows(o) == o->n) return SEPAL_OK; /* all rows are taken */
    return ovr_leverages(s->before, &s->ovr, s->curvature, s->q);
}

static sepal_status copy_first_factor(struct ovr_state *s) {
    bool alike = !s->ovr.rest->factor[0] && !s->ovr.rest->factor[1];
    TRY(find_leverages(s));
    TRY(factor_lanes(s, (const bool[OVR_LANES]){true}, s->before));
    for (size_t l = 1; l < s->ovr.lanes; l++) {
        s->factor[l] = s->factor[0];
        s->factor[l].own = false;
        s->factor[l].hessian = NULL;
        s->factor[l].exact = s->factor[0].exact && alike;
    }
    s->factored = true;
    return SEPAL_OK;
}

static sepal_status ovr_step_make_factors(struct ovr_state *s) {
    const struct objective *o = s->ovr.rest->o;
    bool poor[OVR_LANES] = {0};
    if (!s->factored) return copy_first_factor(s);
    for (size_t l = 0; l < s->ovr.lanes; l++) poor[l] = s->goes[l] && s->products[l] != 1;
    if (!factors_pay(s, poor)) return SEPAL_OK;
    bool whole = o->loss == &loss_squared_hinge;
    if (!whole) TRY(find_leverages(s));
    return factor_lanes(s, poor, whole ? NULL : s->before);
}

void ovr_free_factors(struct ovr_state *s) {
    for (size_t l = 0; l < OVR_LANES; l++)
        if (s->factor[l].own) mem_free(s->factor[l].matrix);
}

/* Lanes with one factor, side by side in `order`: a task. */
struct preconditioning {
    struct ovr_state *s;
    size_t groups, first[OVR_LANES + 1], order[OVR_LANES];
};

static sepal_status precondition_group(sepal_ctx *ctx, size_t task, void *payload) {
    const struct preconditioning *all = payload;
    const struct ovr_state *s = all->s;
    size_t lanes = s->ovr.lanes, width = s->ovr.rest->o->width;
    const size_t *lane = all->order + all->first[task];
    size_t n = all->first[task + 1] - all->first[task];
    const struct ovr_factor *f = &s->factor[lane[0]];
    double *x = s->left + width * all->first[task];
    for (size_t j = 0; j < width; j++)
        for (size_t k = 0; k < n; k++) x[j * n + k] = s->r[j * lanes + lane[k]] * f->scale[j];
    ctx->blas->cholesky_solve(width, f->matrix, width, n, x, n);
    for (size_t j = 0; j < width; j++)
        for (size_t k = 0; k < n; k++) s->z[j * lanes + lane[k]] = x[j * n + k] * f->scale[j];
    return SEPAL_OK;
}

/* z = P^-1 r of the lanes that want it, 0 of others. */
static sepal_status ovr_step_precondition(struct ovr_state *s, const bool *wanted) {
    const struct objective *o = s->ovr.rest->o;
    struct preconditioning all = {.s = s};
    bool placed[OVR_LANES] = {0};
    size_t n = 0;
    for (size_t first = 0; first < s->ovr.lanes; first++) {
        if (!wanted[first] || placed[first]) continue;
        for (size_t l = first; l < s->ovr.lanes; l++) {
            if (!wanted[l] || s->factor[l].matrix != s->factor[first].matrix) continue;
            placed[l] = true;
            all.order[n++] = l;
        }
        all.first[++all.groups] = n;
    }
    memset(s->z, 0, o->width * s->ovr.lanes * sizeof *s->z);
    return parallel_if(o->width >= WIDE, o->ctx, all.groups, precondition_group, &all);
}

/* ---- the step ------------------------------------------------------------------------------- */

/* What has become small enough of the model's gradient, by its norm in the preconditioner's metric at
   the start and now. Where the model's dual point may be the answer its sums must be right too. */
static bool is_solved(const struct ovr_newton *d, const struct ovr_state *s, size_t l, double first,
                      double now, double square) {
    static const double part = 0.01, far_part = 0.1, near = 100, fraction = 0.25, close = 0.2;
    double most = ovr_allowed(d, s, l), objective = s->objective[l];
    bool far = first > close * objective || first * first > near * most * objective;
    if (now > (far ? far_part : part) * first) return false;
    return far || square / (2 * s->ovr.rest->o->l2) <= fraction * most;
}

static sepal_status begin_step(struct ovr_state *s, double *rz, bool *active) {
    const struct objective *o = s->ovr.rest->o;
    size_t lanes = s->ovr.lanes, count = o->width * lanes;
    for (size_t k = 0; k < count; k++) s->r[k] = s->goes[k % lanes] ? -s->gradient[k] : 0;
    memset(s->step, 0, count * sizeof *s->step);
    TRY(ovr_step_precondition(s, s->goes));
    dots(rz, s, s->r, s->z, o->width);
    for (size_t l = 0; l < lanes; l++) {
        active[l] = s->goes[l] && rz[l] > 0;
        s->products[l] = 0;
        if (!active[l] || !s->factor[l].exact) continue;
        active[l] = false;
        for (size_t j = 0; j < o->width; j++) {
            s->step[j * lanes + l] = s->z[j * lanes + l];
            s->r[j * lanes + l] = 0;
        }
    }
    for (size_t j = 0, k = 0; j < o->width; j++)
        for (size_t l = 0; l < lanes; l++, k++) s->p[k] = active[l] ? s->z[k] : 0;
    return SEPAL_OK;
}

/* One iteration of conjugate gradients for the lanes that are active. */
static sepal_status take_product(struct ovr_state *s, double *rz, const bool *active) {
    const struct objective *o = s->ovr.rest->o;
    size_t lanes = s->ovr.lanes, width = o->width;
    double pq[OVR_LANES], now[OVR_LANES], length[OVR_LANES], more[OVR_LANES];
    TRY(ovr_product(s->q, &s->ovr, s->curvature, s->p));
    for (size_t k = 0; k < o->penalised * lanes; k++) s->q[k] += o->l2 * s->p[k];
    dots(pq, s, s->p, s->q, width);
    for (size_t l = 0; l < lanes; l++) length[l] = active[l] && pq[l] > 0 ? rz[l] / pq[l] : 0;
    for (size_t j = 0, k = 0; j < width; j++)
        for (size_t l = 0; l < lanes; l++, k++) {
            s->step[k] += length[l] * s->p[k];
            s->r[k] -= length[l] * s->q[k];
        }
    TRY(ovr_step_precondition(s, active));
    dots(now, s, s->r, s->z, width);
    for (size_t l = 0; l < lanes; l++) {
        more[l] = active[l] && rz[l] > 0 ? now[l] / rz[l] : 0;
        if (active[l]) {
            rz[l] = length[l] > 0 ? now[l] : 0;
            s->products[l]++;
        }
    }
    for (size_t j = 0, k = 0; j < width; j++)
        for (size_t l = 0; l < lanes; l++, k++)
            s->p[k] = active[l] ? s->z[k] + more[l] * s->p[k] : 0;
    return SEPAL_OK;
}

bool ovr_asks_to_stop(struct ovr_newton *d, const struct ovr_state *s) {
    double gap = 0, objective = 0;
    for (size_t l = 0; l < s->ovr.lanes; l++) {
        gap += s->gap[l];
        objective += s->objective[l];
    }
    d->stopped = d->stops(d->payload, d->iterations, objective, gap / objective);
    return d->stopped;
}

sepal_status ovr_find_steps(struct ovr_newton *d, struct ovr_state *s) {
    const struct objective *o = s->ovr.rest->o;
    size_t lanes = s->ovr.lanes;
    double first[OVR_LANES], rz[OVR_LANES], square[OVR_LANES];
    bool active[OVR_LANES] = {0};
    TRY(ovr_step_make_factors(s));
    if (s->broken) return SEPAL_OK;
    TRY(begin_step(s, rz, active));
    memcpy(first, rz, lanes * sizeof *rz);
    for (int k = 0; k < PRODUCTS_MOST && ovr_any(active, lanes); k++) {
        TRY(take_product(s, rz, active));
        dots(square, s, s->r, s->r, o->penalised);
        for (size_t l = 0; l < lanes; l++)
            if (!(rz[l] > 0) || is_solved(d, s, l, first[l], rz[l], square[l])) active[l] = false;
        if (ovr_asks_to_stop(d, s)) return SEPAL_OK;
    }
    dots(s->decrement, s, s->gradient, s->step, o->width);
    for (size_t l = 0; l < lanes; l++) {
        s->decrement[l] = -s->decrement[l];
        s->factor[l].exact = false; /* the curvatures are about to change */
    }
    return SEPAL_OK;
}

/* ---- and how far ---------------------------------------------------------------------------- */

sepal_status ovr_advance(struct ovr_state *s, double *length) {
    const struct objective *o = s->ovr.rest->o;
    size_t lanes = s->ovr.lanes;
    double value[OVR_LANES], *t = s->before;
    struct ovr_line line = {.ovr = &s->ovr, .m = s->m, .t = t};
    double ridge[2][OVR_LANES];
    memcpy(value, s->objective, sizeof value);
    TRY(ovr_margins(t, &s->ovr, s->step));
    dots(ridge[0], s, s->u, s->step, o->penalised);
    dots(ridge[1], s, s->step, s->step, o->penalised);
    for (size_t l = 0; l < lanes; l++) {
        line.slope[l] = -s->decrement[l];
        for (int k = 0; k < 2; k++) line.ridge[l][k] = o->l2 * ridge[k][l];
    }
    TRY(ovr_line_search(&line, s->goes));
    memcpy(length, line.length, lanes * sizeof *length);
    for (size_t j = 0, k = 0; j < o->width; j++)
        for (size_t l = 0; l < lanes; l++, k++) s->u[k] += length[l] * s->step[k];
    /* what the step changes becomes what was before it */
    for (size_t i = 0, k = 0; i < o->n; i++)
        for (size_t l = 0; l < lanes; l++, k++) {
            double before = s->m[k];
            s->m[k] += length[l] * t[k];
            s->before[k] = before;
        }
    TRY(ovr_evaluate(s));
    for (size_t l = 0; l < lanes; l++) s->stuck[l] = s->goes[l] && !(s->objective[l] < value[l]);
    return SEPAL_OK;
}
