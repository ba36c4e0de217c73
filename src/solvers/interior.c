/* An interior-point method for the hinge with few columns and any penalty (Mehrotra, SIAM J.
   Optim. 1992; in the space of the weights: Ferris and Munson, SIAM J. Optim. 2002).

   Each row has a slack s_i >= 0 beyond its margin and a violation z_i >= 0 below it, m_i - 1 = s_i
   - z_i, and a dual variable a_i between 0 and 1. The path a_i s_i = (1 - a_i) z_i = mu leads to
   the optimum as mu falls to 0. A Newton step along it needs the factor of

       H = l2 + sum over rows of c_i theta_i (x_i - c, 1)(x_i - c, 1)',
       1 / theta_i = s_i / a_i + z_i / (1 - a_i),

   whose size is that of a point, however many rows there are. The number of steps hardly depends
   on the data or the penalty. The step to mu = 0 is taken first to see how far it goes: that says
   the target of mu, and what the products of the changes will add. What an L1 penalty adds is in
   interior_split.h; it ends on H's diagonal. */
#include "solvers/solver.h"

#include "solvers/hinge.h"
#include "solvers/interior_split.h"
#include "solvers/newton.h"

#include <math.h>
#include <string.h>

enum { STEPS_MOST = 200, EPOCHS_FIRST = 30 };
/* The gap from which on steps are taken, and how much more than the gap says mu is at first: a path
   that begins too near to its end is left at once. */
static const double NEAR = 0.03, WIDER = 20;

struct interior {
    struct solver *d;
    const struct objective *o;
    struct hinge best;
    struct hessian hessian;
    double *a, *b, *s, *z; /* n: above 0; b = 1 - a, to its last digit */
    double *u;             /* width */
    struct split split;
    double off;            /* by which margins of the start are off, about; 0: not known */
    double mu, target;     /* the mean of the products, and what it is to become */
    double least;          /* the smallest mu of which a step said that it had halved */
    size_t idle;           /* steps since then */
    double *dual_residual; /* width: the sums of the dual variables less what the point asks for */
    /* The step. */
    double *da, *du;        /* n, width */
    double *corrector;      /* 2 n: Mehrotra's and Gondzio's, added to the target of a product */
    double *factor, *scale; /* width^2, width */
    double *du_kept;        /* width: the step before the centrality correction */
};

/* ---- where we are ------------------------------------------------------------------------- */

static void changes(const struct interior *p, size_t i, double out[2]);

static double mean_product(const struct interior *p, double length) {
    const struct objective *o = p->o;
    double sum = 0, change[2] = {0, 0};
    for (size_t i = 0; i < o->n; i++) {
        double by = 0;
        if (length > 0) {
            changes(p, i, change);
            by = length * p->da[i];
        }
        double over = (p->a[i] + by) * (p->s[i] + length * change[0]);
        double below = (p->b[i] - by) * (p->z[i] + length * change[1]);
        sum += o->row_weight[i] * (over + below);
    }
    sum += split_products(&p->split, length);
    return sum / (2 * objective_total_weight(o) + split_terms(&p->split));
}

/* Whether epochs of descent come first: they need an L2 penalty alone. */
static bool begins_near(const struct objective *o) {
    return o->l2 > 0 && o->l1 == 0;
}

/* On the path as far as the rows are asked, for the margins of the best point: of s - z = m - 1
   and mu / s + mu / z = 1 follows z. What is left to do is that the dual variables add up to the
   point. */
static sepal_status interior_start(struct interior *p) {
    const struct objective *o = p->o;
    p->mu = (p->best.primal - p->best.dual) / objective_total_weight(o);
    if (begins_near(p->o)) p->mu *= WIDER;
    if (p->off > 0) p->mu = 0.25 * p->off;
    memcpy(p->u, p->d->u, o->width * sizeof *p->u);
    TRY(objective_margins(p->da, o, p->u));
    for (size_t i = 0; i < o->n; i++) {
        double over = p->da[i] - 1, root = hypot(over, 2 * p->mu);
        /* the larger root as a sum, the smaller by their product -mu (2 mu + |over|) */
        double large = 0.5 * (2 * p->mu + fabs(over) + root);
        double small = large - fabs(over);
        if (fabs(over) > p->mu) small = p->mu * large / (large - p->mu);
        p->s[i] = over > 0 ? large : small;
        p->z[i] = over > 0 ? small : large;
        p->a[i] = p->mu / p->s[i];
        p->b[i] = p->mu / p->z[i];
    }
    split_start(&p->split, p->u, p->mu);
    p->mu = mean_product(p, 0);
    return SEPAL_OK;
}

/* ---- the step ----------------------------------------------------------------------------- */

static double theta(const struct interior *p, size_t i) {
    return 1 / (p->s[i] / p->a[i] + p->z[i] / p->b[i]);
}

/* The residuals of row i's products, and what they ask of the margin. */
static double interior_residual(const struct interior *p, size_t i, double out[2]) {
    out[0] = p->target + p->corrector[i] - p->a[i] * p->s[i];
    out[1] = p->target + p->corrector[p->o->n + i] - p->b[i] * p->z[i];
    return out[0] / p->a[i] - out[1] / p->b[i];
}

/* The changes of the dual variables that go with du. */
static sepal_status interior_alpha_changes(struct interior *p) {
    const struct objective *o = p->o;
    double out[2];
    split_follow(&p->split, p->target, p->du);
    TRY(objective_margins(p->da, o, p->du));
    for (size_t i = 0; i < o->n; i++)
        p->da[i] = theta(p, i) * (interior_residual(p, i, out) - p->da[i]);
    return SEPAL_OK;
}

/* The step to products of the target: du, and da. */
static sepal_status interior_find_step(struct interior *p) {
    const struct objective *o = p->o;
    double out[2];
    for (size_t i = 0; i < o->n; i++)
        p->da[i] = o->row_weight[i] * objective_side(o, i) *
                   (p->a[i] + theta(p, i) * interior_residual(p, i, out));
    TRY(objective_back(p->du, o, p->da));
    for (size_t j = 0; j < o->penalised; j++) p->du[j] -= o->l2 * p->u[j];
    split_right_side(&p->split, p->target, p->du);
    /* the sums come right as far as the products do */
    for (size_t j = 0; j < o->width; j++) p->du[j] -= p->target / p->mu * p->dual_residual[j];
    factor_solve(p->factor, o->width, p->scale, p->du, o->ctx);
    return interior_alpha_changes(p);
}

/* The changes of s and z that go with da. */
static void changes(const struct interior *p, size_t i, double out[2]) {
    interior_residual(p, i, out);
    out[0] = (out[0] - p->s[i] * p->da[i]) / p->a[i];
    out[1] = (out[1] + p->z[i] * p->da[i]) / p->b[i];
}

static double max_step_length(const struct interior *p, double most) {
    double length = most, change[2];
    for (size_t i = 0; i < p->o->n; i++) {
        changes(p, i, change);
        length = step_to_boundary(length, p->a[i], p->da[i]);
        length = step_to_boundary(length, p->b[i], -p->da[i]);
        length = step_to_boundary(length, p->s[i], change[0]);
        length = step_to_boundary(length, p->z[i], change[1]);
    }
    return split_max_step_length(&p->split, length);
}

/* The products of the changes of the step to 0, which a step to anywhere else will add too. */
static void predictor_correction(struct interior *p) {
    double change[2];
    for (size_t i = 0; i < p->o->n; i++) {
        changes(p, i, change);
        p->corrector[i] = -p->da[i] * change[0];
        p->corrector[p->o->n + i] = p->da[i] * change[1];
    }
    split_predictor_correction(&p->split);
}

static void interior_correct_centrality(struct interior *p, double length) {
    double change[2];
    for (size_t i = 0; i < p->o->n; i++) {
        changes(p, i, change);
        double a = p->a[i] + length * p->da[i], b = p->b[i] - length * p->da[i];
        p->corrector[i] += centrality_correction(a * (p->s[i] + length * change[0]), p->target);
        p->corrector[p->o->n + i] +=
            centrality_correction(b * (p->z[i] + length * change[1]), p->target);
    }
    split_correct_centrality(&p->split, p->target, length);
}

static void interior_advance(struct interior *p, double length) {
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
    split_advance(&p->split, length, p->u);
}

static void keep_step(struct interior *p) {
    size_t n = p->o->n;
    memcpy(p->best.m, p->corrector, n * sizeof *p->corrector);
    memcpy(p->best.r, p->corrector + n, n * sizeof *p->corrector);
    memcpy(p->du_kept, p->du, p->o->width * sizeof *p->du);
    split_keep(&p->split, false);
}

static sepal_status restore_step(struct interior *p) {
    size_t n = p->o->n;
    memcpy(p->corrector, p->best.m, n * sizeof *p->corrector);
    memcpy(p->corrector + n, p->best.r, n * sizeof *p->corrector);
    memcpy(p->du, p->du_kept, p->o->width * sizeof *p->du);
    split_keep(&p->split, true);
    return interior_alpha_changes(p);
}

/* A few rows keep a step short: it is taken again so that they are in nobody's way (Gondzio,
   Comput. Optim. Appl. 1996), as long as that makes it longer. */
static sepal_status centrality_correctors(struct interior *p, double most, double *length) {
    enum { DRAWS = 3 };
    static const double fair = 0.9, further = 0.1, worth = 0.01;
    for (int k = 0; k < DRAWS && *length < fair; k++) {
        keep_step(p);
        interior_correct_centrality(p, fmin(1, (1 + further) * *length + further));
        TRY(interior_find_step(p));
        double longest = max_step_length(p, most);
        if (!(longest >= *length + worth)) return restore_step(p);
        *length = longest;
    }
    return SEPAL_OK;
}

/* What the sums of the dual variables have more than belongs to the point. */
static sepal_status find_dual_residual(struct interior *p) {
    const struct objective *o = p->o;
    for (size_t i = 0; i < o->n; i++) p->da[i] = o->row_weight[i] * objective_side(o, i) * p->a[i];
    TRY(objective_back(p->dual_residual, o, p->da));
    for (size_t j = 0; j < o->penalised; j++) p->dual_residual[j] -= o->l2 * p->u[j];
    for (size_t j = 0; j < p->split.n; j++) p->dual_residual[j] -= split_alpha(&p->split, j);
    return SEPAL_OK;
}

/* What the products would be after a step to 0 is taken from them in advance, which may send the steps
   round in a circle (Cartis, "Some disadvantages of a Mehrotra-type primal-dual corrector interior point
   algorithm for linear programming", Appl. Numer. Math. 2009). So when mu has not halved for many steps,
   they go without it, towards the middle. */
enum { IDLE_MOST = 30 };
static const double CENTRING = 0.3;

static void count_idle(struct interior *p) {
    p->idle++;
    if (p->mu > 0.5 * p->least) return;
    p->least = p->mu;
    p->idle = 0;
}

/* A step to where the step to 0 suggests. *length 0: rounding leaves nothing to gain. */
static sepal_status interior_step(struct interior *p, double *length) {
    const struct objective *o = p->o;
    static const double inside = 0.9995, least = 1e-10;
    *length = 0;
    for (size_t i = 0; i < o->n; i++) p->da[i] = o->row_weight[i] * theta(p, i);
    TRY(hessian_make(p->factor, &p->hessian, p->da));
    split_hessian(&p->split, p->factor, o->width + 1);
    if (!factor_make(p->factor, o->width, p->scale, o->ctx)) return SEPAL_OK;
    TRY(find_dual_residual(p));
    p->target = 0;
    memset(p->corrector, 0, 2 * o->n * sizeof *p->corrector);
    split_forget(&p->split);
    TRY(interior_find_step(p));
    double ratio = mean_product(p, max_step_length(p, 1)) / p->mu;
    bool centres = p->idle >= IDLE_MOST;
    if (!centres) predictor_correction(p);
    p->target = (centres ? CENTRING : ratio * ratio * ratio) * p->mu;
    TRY(interior_find_step(p));
    double longest = max_step_length(p, 1 / inside);
    if (!centres) TRY(centrality_correctors(p, 1 / inside, &longest));
    if (!(longest > least)) return SEPAL_OK;
    interior_advance(p, inside * longest);
    p->mu = mean_product(p, 0);
    if (isfinite(p->mu) && p->mu > 0) *length = inside * longest;
    return SEPAL_OK;
}

/* ---- the solver --------------------------------------------------------------------------- */

static sepal_status interior_run(struct interior *p) {
    struct solver *d = p->d;
    size_t most = d->max_iter ? d->max_iter : d->iterations + EPOCHS_FIRST + STEPS_MOST;
    double length = 1;
    if (begins_near(p->o) && p->off == 0 && hinge_gap(&p->best) > NEAR)
        TRY(proximal_run(&p->best, NEAR, EPOCHS_FIRST));
    if (d->stopped || hinge_ends(&p->best)) return SEPAL_OK;
    TRY(interior_start(p));
    p->least = p->mu;
    while (!hinge_ends(&p->best) && d->iterations < most) {
        sepal_status status = interior_step(p, &length);
        if (solver_interrupted(d, status, NAN)) return SEPAL_OK;
        TRY(status);
        if (length == 0) break;
        d->iterations++;
        count_idle(p);
        TRY(hinge_offer(&p->best, p->u, NULL));
        TRY(hinge_offer_dual(&p->best, p->a, NULL));
    }
    bool free = p->o->l1 == 0 && p->o->l2 == 0;
    if (free && !d->converged) TRY(hinge_try_certificate(&p->best, p->a));
    return free && d->converged ? hinge_check_conditioning(&p->best) : SEPAL_OK;
}

static sepal_status interior_allocate(struct interior *p, struct arena *arena) {
    const struct objective *o = p->o;
    TRY(hinge_init(&p->best, p->d, arena));
    TRY(hessian_init(&p->hessian, o, arena));
    TRY(split_init(&p->split, o->ctx, arena, o->penalised, o->l1, objective_total_weight(o)));
    TRY(ARENA_VECTORS(o->ctx, arena, o->n, &p->a, &p->b, &p->s, &p->z, &p->da));
    TRY(ARENA_VECTORS(o->ctx, arena, o->width, &p->u, &p->du, &p->du_kept, &p->dual_residual,
                      &p->scale));
    p->factor = arena_alloc(o->ctx, arena, o->width * o->width, sizeof *p->factor);
    p->corrector = arena_alloc(o->ctx, arena, o->n, 2 * sizeof *p->corrector);
    return p->factor && p->corrector ? SEPAL_OK : SEPAL_EMEMORY;
}

sepal_status interior_narrow(struct solver *d, double off) {
    struct interior p = {.d = d, .o = d->o, .off = off};
    struct arena arena = {0};
    sepal_status status = interior_allocate(&p, &arena);
    if (status == SEPAL_OK) status = interior_run(&p);
    arena_clear(&arena);
    return status;
}

sepal_status solve_interior(struct solver *d) {
    enum { NARROW = 256 }; /* so few columns cost little more than those that have a weight */
    if (d->o->l1 > 0 && d->o->width > NARROW) return interior_by_columns(d);
    return interior_is_tall(d->o) ? interior_banded(d) : interior_narrow(d, 0);
}

static const char *interior_refuses(const struct objective *o) {
    if (o->loss != &loss_hinge) return "it is for the hinge";
    /* with an L1 penalty it takes the columns that have a weight */
    if (o->l1 > 0 || o->width <= INTERIOR_WIDTH_MOST) return NULL;
    return "its matrix has more than 4096 columns";
}

const struct convex_solver convex_solver_interior = {
    .name = {.name = "interior",
             .summary = "primal-dual interior-point method: the hinge, few columns"},
    .suits = "few columns",
    .solve = solve_interior,
    .refuses = interior_refuses,
    .cost = cost_of_interior,
    .far = SOLVER_FAR,
};
