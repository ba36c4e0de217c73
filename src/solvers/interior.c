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

#include <stdio.h>
#include <stdlib.h>
#include <math.h>
#include <string.h>

enum { STEPS_MOST = 100 };

struct interior {
    struct descent *d;
    const struct objective *o;
    struct hinge best;
    struct hessian hessian;
    double *a, *b, *s, *z;  /* n: above 0; b = 1 - a, to its last digit */
    double *da;             /* n: the step; before that scratch */
    double *more;           /* 2 n: what the products of a row are to be more than the aim */
    double *u, *du;         /* width */
    double *factor, *scale; /* width^2, width */
    double mu, aim;         /* the mean of the products, and what it is to become */
};

/* ---- where we are ------------------------------------------------------------------------- */

static void changes(const struct interior *p, size_t i, double out[2]);

static double mean_product(const struct interior *p, double length) {
    const struct objective *o = p->o;
    double sum = 0, shares = 0, change[2] = {0, 0};
    for (size_t i = 0; i < o->n; i++) {
        double by = 0;
        if (length > 0) {
            changes(p, i, change);
            by = length * p->da[i];
        }
        double over = (p->a[i] + by) * (p->s[i] + length * change[0]);
        double below = (p->b[i] - by) * (p->z[i] + length * change[1]);
        sum += o->share[i] * (over + below);
        shares += o->share[i];
    }
    return sum / (2 * shares);
}

/* The middle: no weights, so that every margin is 0, and dual variables that balance a free bias. */
static void start(struct interior *p) {
    const struct objective *o = p->o;
    double sum[2] = {0, 0}, level[2] = {0.5, 0.5};
    for (size_t i = 0; i < o->n; i++) sum[o->label[i] == 1] += o->share[i];
    if (o->bias == BIAS_FREE && sum[0] > 0 && sum[1] > 0) {
        level[0] = 0.5 * fmin(1, sum[1] / sum[0]);
        level[1] = 0.5 * fmin(1, sum[0] / sum[1]);
    }
    memset(p->u, 0, o->width * sizeof *p->u);
    for (size_t i = 0; i < o->n; i++) {
        p->a[i] = level[o->label[i] == 1];
        p->b[i] = 1 - p->a[i];
        p->s[i] = 1;
        p->z[i] = 2;
    }
    p->mu = mean_product(p, 0);
}

/* ---- the step ----------------------------------------------------------------------------- */

static double theta(const struct interior *p, size_t i) {
    return 1 / (p->s[i] / p->a[i] + p->z[i] / p->b[i]);
}

/* What row i's products lack of the aim, and what that asks of the margin. */
static double lack(const struct interior *p, size_t i, double out[2]) {
    out[0] = p->aim + p->more[i] - p->a[i] * p->s[i];
    out[1] = p->aim + p->more[p->o->n + i] - p->b[i] * p->z[i];
    return out[0] / p->a[i] - out[1] / p->b[i];
}

/* The step to products of the aim: du, and da. */
static sepal_status find_step(struct interior *p) {
    const struct objective *o = p->o;
    double out[2];
    for (size_t i = 0; i < o->n; i++)
        p->da[i] = o->share[i] * objective_side(o, i) * (p->a[i] + theta(p, i) * lack(p, i, out));
    TRY(objective_back(p->du, o, p->da));
    for (size_t j = 0; j < o->penalised; j++) p->du[j] -= o->l2 * p->u[j];
    factor_solve(p->factor, o->width, p->scale, p->du, o->ctx);
    TRY(objective_margins(p->da, o, p->du));
    for (size_t i = 0; i < o->n; i++) p->da[i] = theta(p, i) * (lack(p, i, out) - p->da[i]);
    return SEPAL_OK;
}

/* The changes of s and z that go with da. */
static void changes(const struct interior *p, size_t i, double out[2]) {
    lack(p, i, out);
    out[0] = (out[0] - p->s[i] * p->da[i]) / p->a[i];
    out[1] = (out[1] + p->z[i] * p->da[i]) / p->b[i];
}

/* How far along its change x stays above 0. */
static double reach(double length, double x, double change) {
    return x + length * change < 0 ? -x / change : length;
}

static double reach_of_step(const struct interior *p, double most) {
    double length = most, change[2];
    for (size_t i = 0; i < p->o->n; i++) {
        changes(p, i, change);
        length = reach(length, p->a[i], p->da[i]);
        length = reach(length, p->b[i], -p->da[i]);
        length = reach(length, p->s[i], change[0]);
        length = reach(length, p->z[i], change[1]);
    }
    return length;
}

/* The products of the changes of the step to 0, which a step to anywhere else will add too. */
static void foresee_products(struct interior *p) {
    double change[2];
    for (size_t i = 0; i < p->o->n; i++) {
        changes(p, i, change);
        p->more[i] = -p->da[i] * change[0];
        p->more[p->o->n + i] = p->da[i] * change[1];
    }
}

/* Products that would be far from the aim after a step of this length are drawn towards it. */
static double drawn(double product, double aim) {
    static const double near = 0.1, far = 10;
    if (product < near * aim) return near * aim - product;
    return product > far * aim ? fmax(far * aim - product, -far * aim) : 0;
}

static void draw_in(struct interior *p, double length) {
    double change[2];
    for (size_t i = 0; i < p->o->n; i++) {
        changes(p, i, change);
        double a = p->a[i] + length * p->da[i], b = p->b[i] - length * p->da[i];
        p->more[i] += drawn(a * (p->s[i] + length * change[0]), p->aim);
        p->more[p->o->n + i] += drawn(b * (p->z[i] + length * change[1]), p->aim);
    }
}

static void advance(struct interior *p, double length) {
    const struct objective *o = p->o;
    static const double least = 1e-300;
    double change[2];
    for (size_t i = 0; i < o->n; i++) {
        changes(p, i, change);
        p->s[i] = fmax(p->s[i] + length * change[0], least);
        p->z[i] = fmax(p->z[i] + length * change[1], least);
        p->a[i] = fmax(p->a[i] + length * p->da[i], least);
        p->b[i] = fmax(p->b[i] - length * p->da[i], least);
    }
    for (size_t j = 0; j < o->width; j++) p->u[j] += length * p->du[j];
}

/* A step to where the step to 0 suggests. *length 0: rounding leaves nothing to gain. */
static sepal_status step(struct interior *p, double *length) {
    const struct objective *o = p->o;
    static const double inside = 0.9995, worth = 0.1;
    enum { DRAWS = 3 };
    *length = 0;
    for (size_t i = 0; i < o->n; i++) p->da[i] = o->share[i] * theta(p, i);
    p->hessian.begun = false;
    TRY(hessian_make(p->factor, &p->hessian, p->da));
    if (!factor_make(p->factor, o->width, p->scale, o->ctx)) return SEPAL_OK;
    p->aim = 0;
    memset(p->more, 0, 2 * o->n * sizeof *p->more);
    TRY(find_step(p));
    double share = mean_product(p, reach_of_step(p, 1)) / p->mu;
    foresee_products(p);
    p->aim = share * share * share * p->mu;
    TRY(find_step(p));
    double reached = reach_of_step(p, 1 / inside);
    for (int k = 0; k < DRAWS && reached < 0.9; k++) {
        draw_in(p, fmin(1, 1.1 * reached + worth));
        TRY(find_step(p));
        double now = reach_of_step(p, 1 / inside);
        bool gains = now >= reached + worth * worth;
        reached = now;
        if (!gains) break;
    }
    *length = inside * reached;
    if(getenv("DBG"))fprintf(stderr,"mu %.3e share %.3e len %.4f gap %.3e\n",p->mu,share,*length,hinge_gap(&p->best));
    advance(p, *length);
    p->mu = mean_product(p, 0);
    if (!(isfinite(p->mu) && p->mu > 0 && *length > 1e-10)) *length = 0;
    return SEPAL_OK;
}

/* ---- the solver --------------------------------------------------------------------------- */

static sepal_status run(struct interior *p) {
    struct descent *d = p->d;
    size_t most = d->max_iter ? d->max_iter : STEPS_MOST;
    double length = 1;
    start(p);
    while (!hinge_ends(&p->best) && length > 0 && d->iterations < most) {
        TRY(step(p, &length));
        d->iterations++;
        if (length == 0) break;
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
    double **by_row[] = {&p->a, &p->b, &p->s, &p->z, &p->da};
    double **by_column[] = {&p->u, &p->du, &p->scale};
    p->more = arena_alloc(o->ctx, arena, o->n, 2 * sizeof *p->more);
    if (!p->factor || !p->more) return SEPAL_EMEMORY;
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
