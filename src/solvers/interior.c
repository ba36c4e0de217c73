/* An interior-point method for the hinge with an L2 penalty and few columns (Mehrotra, SIAM J. Optim.
   1992; in the space of the weights: Ferris and Munson, SIAM J. Optim. 2002).

   Each row has a slack s_i >= 0 beyond its margin and a shortfall z_i >= 0 below it, m_i - 1 = s_i - z_i,
   and a dual variable a_i between 0 and 1. The path a_i s_i = (1 - a_i) z_i = mu leads to the optimum
   as mu falls to 0. A Newton step along it needs the factor of

       H = l2 + sum over rows of share_i theta_i (x_i - c, 1)(x_i - c, 1)',
       1 / theta_i = s_i / a_i + z_i / (1 - a_i),

   whose size is that of a point, however many rows there are. The number of steps hardly depends on the
   data or the penalty. The step to mu = 0 is taken first to see how far it goes: that says where to
   aim, and what the products of the changes will add. */
#include "solvers/descent.h"

#include "solvers/hinge.h"
#include "solvers/newton.h"

#include <math.h>
#include <string.h>

enum { STEPS_MOST = 100 };

struct interior {
    struct descent *d;
    const struct objective *o;
    struct hinge best;
    struct hessian hessian;
    double *a, *b, *s, *z;  /* n: above 0; b = 1 - a, to its last digit */
    double *da;             /* n: of the step to mu = 0 */
    double *t;              /* n: da of the step; before that scratch */
    double *u, *du;         /* width */
    double *factor, *scale; /* width^2, width */
    double mu;              /* the mean of the products */
};

/* ---- where we are ------------------------------------------------------------------------- */

static double mean_product(const struct interior *p, double length) {
    const struct objective *o = p->o;
    double sum = 0, shares = 0;
    for (size_t i = 0; i < o->n; i++) {
        double a = p->a[i], b = p->b[i], s = p->s[i], z = p->z[i];
        if (length > 0) {
            double da = p->da[i];
            s += length * (-s - s * da / a);
            z += length * (-z + z * da / b);
            a += length * da;
            b -= length * da;
        }
        sum += o->share[i] * (a * s + b * z);
        shares += o->share[i];
    }
    return sum / (2 * shares);
}

/* Inside: dual variables that balance a free bias, the point they are those of, and slacks of the order
   of the margins' spread. */
static sepal_status start(struct interior *p) {
    const struct objective *o = p->o;
    double sum[2] = {0, 0}, spread = 0, shares = 0;
    for (size_t i = 0; i < o->n; i++) sum[o->label[i] == 1] += o->share[i];
    double level[2] = {0.5, 0.5};
    if (o->bias == BIAS_FREE && sum[0] > 0 && sum[1] > 0) {
        level[0] = 0.5 * fmin(1, sum[1] / sum[0]);
        level[1] = 0.5 * fmin(1, sum[0] / sum[1]);
    }
    for (size_t i = 0; i < o->n; i++) {
        p->a[i] = level[o->label[i] == 1];
        p->b[i] = 1 - p->a[i];
        p->t[i] = o->share[i] * p->a[i] * objective_side(o, i);
    }
    TRY(objective_back(p->u, o, p->t));
    for (size_t j = 0; j < o->width; j++) p->u[j] /= o->l2;
    if (o->bias == BIAS_FREE) p->u[o->cols] = 0;
    TRY(objective_margins(p->t, o, p->u));
    for (size_t i = 0; i < o->n; i++) {
        spread += o->share[i] * fabs(p->t[i] - 1);
        shares += o->share[i];
    }
    spread = fmax(spread / shares, 1e-3);
    for (size_t i = 0; i < o->n; i++) {
        double over = p->t[i] - 1;
        p->s[i] = fmax(over, 0) + spread;
        p->z[i] = p->s[i] - over;
    }
    p->mu = mean_product(p, 0);
    return SEPAL_OK;
}

/* ---- the step ----------------------------------------------------------------------------- */

static double theta(const struct interior *p, size_t i) {
    return 1 / (p->s[i] / p->a[i] + p->z[i] / p->b[i]);
}

/* What row i's products lack: a s = aim, (1 - a) z = aim, less what the changes of the step to 0 add. */
static double lack(const struct interior *p, size_t i, double aim, bool corrects, double out[2]) {
    double a = p->a[i], b = p->b[i], s = p->s[i], z = p->z[i];
    out[0] = aim - a * s;
    out[1] = aim - b * z;
    if (corrects) {
        double da = p->da[i], ds = -s - s * da / a, dz = -z + z * da / b;
        out[0] -= da * ds;
        out[1] += da * dz;
    }
    return out[0] / a - out[1] / b;
}

/* The step to products of `aim`: du, and da in t. */
static sepal_status find_step(struct interior *p, double aim, bool corrects) {
    const struct objective *o = p->o;
    double out[2];
    for (size_t i = 0; i < o->n; i++)
        p->t[i] = o->share[i] * objective_side(o, i) *
                  (p->a[i] + theta(p, i) * lack(p, i, aim, corrects, out));
    TRY(objective_back(p->du, o, p->t));
    for (size_t j = 0; j < o->penalised; j++) p->du[j] -= o->l2 * p->u[j];
    factor_solve(p->factor, o->width, p->scale, p->du, o->ctx);
    TRY(objective_margins(p->t, o, p->du));
    for (size_t i = 0; i < o->n; i++)
        p->t[i] = theta(p, i) * (lack(p, i, aim, corrects, out) - p->t[i]);
    return SEPAL_OK;
}

/* How far along a change of x from above 0 it stays there. */
static double reach(double length, double x, double change) {
    return x + length * change < 0 ? -x / change : length;
}

static double reach_of_aim(const struct interior *p) {
    double length = 1;
    for (size_t i = 0; i < p->o->n; i++) {
        double a = p->a[i], b = p->b[i], da = p->da[i];
        length = reach(length, a, da);
        length = reach(length, b, -da);
        length = reach(length, 1, -1 - da / a);
        length = reach(length, 1, -1 + da / b);
    }
    return length;
}

/* s and z have changes ds and dz that follow from da; t holds da, da holds that of the step to 0. */
static void changes(const struct interior *p, size_t i, double aim, double out[2]) {
    double lacks[2];
    lack(p, i, aim, true, lacks);
    out[0] = (lacks[0] - p->s[i] * p->t[i]) / p->a[i];
    out[1] = (lacks[1] + p->z[i] * p->t[i]) / p->b[i];
}

static double reach_of_step(const struct interior *p, double aim) {
    double length = 1 / 0.9995, change[2];
    for (size_t i = 0; i < p->o->n; i++) {
        changes(p, i, aim, change);
        length = reach(length, p->a[i], p->t[i]);
        length = reach(length, p->b[i], -p->t[i]);
        length = reach(length, p->s[i], change[0]);
        length = reach(length, p->z[i], change[1]);
    }
    return 0.9995 * length;
}

static void advance(struct interior *p, double aim, double length) {
    const struct objective *o = p->o;
    static const double least = 1e-300;
    double change[2];
    for (size_t i = 0; i < o->n; i++) {
        changes(p, i, aim, change);
        p->s[i] = fmax(p->s[i] + length * change[0], least);
        p->z[i] = fmax(p->z[i] + length * change[1], least);
        p->a[i] = fmax(p->a[i] + length * p->t[i], least);
        p->b[i] = fmax(p->b[i] - length * p->t[i], least);
    }
    for (size_t j = 0; j < o->width; j++) p->u[j] += length * p->du[j];
}

/* False: rounding leaves nothing to gain. */
static sepal_status step(struct interior *p, bool *moved) {
    const struct objective *o = p->o;
    *moved = false;
    for (size_t i = 0; i < o->n; i++) p->t[i] = o->share[i] * theta(p, i);
    p->hessian.begun = false;
    TRY(hessian_make(p->factor, &p->hessian, p->t));
    if (!factor_make(p->factor, o->width, p->scale, o->ctx)) return SEPAL_OK;
    TRY(find_step(p, 0, false));
    memcpy(p->da, p->t, o->n * sizeof *p->da);
    double length = reach_of_aim(p), share = mean_product(p, length) / p->mu;
    double aim = share * share * share * p->mu;
    TRY(find_step(p, aim, true));
    length = reach_of_step(p, aim);
    if (!(length > 1e-10)) return SEPAL_OK;
    advance(p, aim, length);
    p->mu = mean_product(p, 0);
    *moved = isfinite(p->mu) && p->mu > 0;
    return SEPAL_OK;
}

/* ---- the solver --------------------------------------------------------------------------- */

static sepal_status run(struct interior *p) {
    struct descent *d = p->d;
    size_t most = d->max_iter ? d->max_iter : STEPS_MOST;
    bool moved = true;
    TRY(start(p));
    while (!hinge_ends(&p->best) && moved && d->iterations < most) {
        TRY(step(p, &moved));
        d->iterations++;
        if (!moved) break;
        TRY(hinge_offer(&p->best, p->u, NULL));
        TRY(hinge_offer_dual(&p->best, p->a, NULL));
    }
    return SEPAL_OK;
}

static sepal_status allocate(struct interior *p, struct arena *arena) {
    const struct objective *o = p->o;
    TRY(hinge_init(&p->best, p->d, arena));
    TRY(hessian_init(&p->hessian, o, arena));
    p->factor = arena_alloc(o->ctx, arena, o->width * o->width, sizeof *p->factor);
    double **by_row[] = {&p->a, &p->b, &p->s, &p->z, &p->da, &p->t};
    double **by_column[] = {&p->u, &p->du, &p->scale};
    if (!p->factor) return SEPAL_EMEMORY;
    for (size_t k = 0; k < sizeof by_row / sizeof *by_row; k++)
        if (!(*by_row[k] = arena_alloc(o->ctx, arena, o->n, sizeof(double)))) return SEPAL_EMEMORY;
    for (size_t k = 0; k < sizeof by_column / sizeof *by_column; k++)
        if (!(*by_column[k] = arena_alloc(o->ctx, arena, o->width, sizeof(double))))
            return SEPAL_EMEMORY;
    return SEPAL_OK;
}

sepal_status solve_interior(struct descent *d) {
    struct interior p = {.d = d, .o = d->o};
    struct arena arena = {0};
    sepal_status status = allocate(&p, &arena);
    if (status == SEPAL_OK) status = run(&p);
    arena_clear(&arena);
    return status;
}
