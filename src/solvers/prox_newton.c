/* L1 and elastic-net penalties, and bounds on weights: Newton's method on the losses, the penalty as it
   is, the weights within their bounds. A step minimises the quadratic model of the losses plus the
   penalty over a set of columns, those with a weight and those whose sums exceed l1, by coordinate
   descent, in which a bound cuts the step of its weight short: at first roughly, then better and better
   (newGLMNET: Yuan, Ho and Lin, JMLR 13, 2012). Dual variables that are shrunk to obey |v| <= l1 bound the
   optimum from below, and columns that such a bound proves to have no weight are left out (Ndiaye,
   Fercoq, Gramfort and Salmon, "Gap safe screening rules", JMLR 18, 2017). Along a path of penalties the
   columns, margins and sums of the fit before are kept, and what the sequential strong rule guesses to
   have no weight is left out until the end, when all columns are looked at (Tibshirani et al., JRSS B 74,
   2012). */
#include "solvers/prox.h"

#include "core/alloc.h"
#include "solvers/linesearch.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { STEPS_MOST = 2000, OF_ROWS = 9, OF_COLUMNS = 12 };

/* ---- set-up ------------------------------------------------------------------------------- */

/* Coordinate k's place in a point. */
static size_t prox_place_of(const struct prox *p, size_t k) {
    return k == p->count ? p->o->cols : p->columns.number[k];
}

struct store {
    double *rows, *wide;
    size_t *lists;
};

static sepal_status prox_make_room(struct prox *p, struct store *store) {
    sepal_ctx *ctx = p->o->ctx;
    size_t n = p->o->n, width = p->count + 1;
    store->rows = mem_alloc(ctx, n, OF_ROWS * sizeof *store->rows);
    store->wide = mem_zero(ctx, width, OF_COLUMNS * sizeof *store->wide);
    store->lists = mem_alloc(ctx, width, 3 * sizeof *store->lists);
    p->gone = mem_zero(ctx, width, sizeof *p->gone);
    if (!store->rows || !store->wide || !store->lists || !p->gone) return SEPAL_EMEMORY;
    double **const of_rows[OF_ROWS] = {&p->m,          &p->t,          &p->a,
                                       &p->f,          &p->curvature,  &p->scratch[0],
                                       &p->scratch[1], &p->scratch[2], &p->scratch[3]};
    double **const of_columns[OF_COLUMNS] = {&p->w,     &p->step,    &p->v,      &p->norm,
                                             &p->first, &p->second,  &p->before, &p->block_slope,
                                             &p->mean,  &p->aligned, &p->low,    &p->high};
    for (size_t i = 0; i < OF_ROWS; i++) *of_rows[i] = store->rows + i * n;
    for (size_t i = 0; i < OF_COLUMNS; i++) *of_columns[i] = store->wide + i * width;
    p->set = store->lists;
    p->light = p->set + width;
    p->block = p->light + width;
    return SEPAL_OK;
}

/* The bounds of the coordinates. Without a penalty every column needs two for a bound of the dual. */
static void prox_set_bounds(struct prox *p) {
    const struct objective *o = p->o;
    p->unproved = false;
    for (size_t k = 0; k <= p->count; k++) {
        bool bounded = o->box && k < p->count;
        p->low[k] = bounded ? o->box->low[p->columns.number[k]] : -INFINITY;
        p->high[k] = bounded ? o->box->high[p->columns.number[k]] : INFINITY;
        if (k < prox_penalised(p) && !(o->l1 > 0 || o->l2 > 0))
            p->unproved = p->unproved || isinf(p->low[k]) || isinf(p->high[k]);
    }
}

/* The sums of a column move no faster than the penalty, or hardly ever do. */
static void prox_guess(struct prox *p) {
    double bound = 2 * p->o->l1 - p->before_l1;
    for (size_t k = 0; k < p->count; k++) {
        p->gone[k] = p->w[k] == 0 && fabs(p->v[k]) < bound;
        p->guessed |= p->gone[k];
    }
}

/* From where the call before has left off, with less of a penalty. */
static sepal_status prox_resume(struct prox *p) {
    TRY(prox_look(p));
    prox_guess(p);
    return SEPAL_OK;
}

static sepal_status prox_start(struct prox *p) {
    static const double exactly = 1e-6;
    const struct objective *o = p->o;
    size_t own = p->count + (o->bias != BIAS_NONE);
    prox_set_bounds(p);
    p->dual = -INFINITY;
    p->inner = p->unproved ? exactly : 1; /* there a step is a promise, too */
    p->outset = 0;
    p->guesses = 0;
    p->guessed = p->careful = false;
    if (p->before_l1 > 0 && p->before_l1 >= o->l1) return prox_resume(p);
    memset(p->gone, 0, p->count * sizeof *p->gone);
    for (size_t k = 0; k < own; k++) p->w[k] = p->d->u[prox_place_of(p, k)];
    if (p->d->warm)
        TRY(objective_margins(p->m, o, p->d->u));
    else
        memset(p->m, 0, o->n * sizeof *p->m);
    if (o->bias == BIAS_FREE) TRY(linesearch_bias(o, p->m, &p->w[p->count]));
    TRY(prox_columns_norms(p));
    TRY(prox_look(p));
    return prox_mean_rules(p);
}

/* ---- which columns ------------------------------------------------------------------------ */

/* The dual is strongly concave, so its optimum is near a point whose excess is small, and so are its
   sums v: where they stay below l1, the weight is 0. */
static void screen(struct prox *p) {
    const struct objective *o = p->o;
    double excess = fmax(0, prox_objective(p) - p->bound);
    double radius = sqrt(2 * o->loss->smoothness * excess);
    for (size_t k = 0; k < p->count; k++) {
        if (p->gone[k] || p->w[k] != 0) continue;
        double v = p->shrink * p->v[k], far = radius * p->norm[k], most = o->l1 * (1 - 1e-9);
        p->gone[k] = (v + far < most || p->high[k] <= 0) && (v - far > -most || p->low[k] >= 0);
    }
}

/* The bound that the sum of an empty column must exceed: l1, or where few columns go at a time so much
   that they are about as many as have a weight. */
static double prox_entry_bound(const struct prox *p) {
    enum { HALVINGS = 50, FEW_MORE = 32, MOST = 500 };
    size_t full = 0, wanted, joining = 0;
    double low = p->o->l1, high = low;
    if (!p->means_dominate) return low;
    for (size_t k = 0; k < p->count; k++) {
        full += p->w[k] != 0;
        if (p->w[k] == 0 && !p->gone[k]) high = fmax(high, prox_slope_at_zero(p, k));
    }
    wanted = full + FEW_MORE;
    if (full < MOST && wanted > MOST - full) wanted = MOST - full;
    for (int h = 0; h < HALVINGS && low < high; h++) {
        double middle = h == 0 ? low : 0.5 * (low + high);
        size_t above = 0;
        for (size_t k = 0; k < p->count; k++)
            above += p->w[k] == 0 && !p->gone[k] && prox_slope_at_zero(p, k) > middle;
        if (above <= wanted) joining = above;
        *(above > wanted ? &low : &high) = middle;
    }
    return joining > 0 ? high : low; /* of many alike, as counts are, all or none */
}

/* Coordinate k stays where it is: one of 0 whose slope the penalty outweighs, or one at its bound. */
static bool prox_rests(const struct prox *p, size_t k, double bound) {
    double w = p->w[k];
    if (w == 0) return p->gone[k] || prox_slope_at_zero(p, k) <= bound;
    if (w != p->low[k] && w != p->high[k]) return false;
    return !(prox_violation(p, k, p->o->l2 * w - p->v[k], w) > 0);
}

static void choose_set(struct prox *p) {
    static const double few = 0.25, steady = 0.9;
    double bound = prox_entry_bound(p);
    size_t empty = 0;
    p->n_set = p->entries = 0;
    for (size_t k = 0; k < p->count; k++) {
        if (prox_rests(p, k, bound)) continue;
        empty += p->w[k] == 0;
        p->set[p->n_set++] = k;
        p->entries += columns_length(&p->columns, k);
    }
    p->settled =
        (double)empty <= few * (double)p->n_set && p->curvatures >= steady * p->curvatures_before;
    p->curvatures_before = p->curvatures;
}

/* ---- the solver --------------------------------------------------------------------------- */

/* `aligned`: once more without the mean, see prox_mean.c. */
static sepal_status bound(struct prox *p, bool all, bool aligned) {
    TRY(prox_columns_sums(p, all));
    p->v[p->count] = p->factors;
    TRY(prox_bound(p, all));
    return aligned && p->gap > p->d->tol ? prox_mean_align(p, all) : SEPAL_OK;
}

/* Columns that were left out by a guess, and should not have been. */
static bool prox_take_back(struct prox *p) {
    enum { GUESSES_MOST = 5 };
    bool any = false;
    for (size_t k = 0; k < p->count; k++) {
        if (!p->gone[k] || fabs(p->v[k]) <= p->o->l1) continue;
        p->gone[k] = false;
        any = true;
    }
    return any && p->guessed && ++p->guesses <= GUESSES_MOST;
}

/* Is the gap as small with the columns that were left out? If not, none is left out any more, but for
   good guesses. */
static sepal_status prox_confirm(struct prox *p, bool *screens) {
    if (*screens) TRY(bound(p, true, true));
    p->d->converged = p->gap <= p->d->tol;
    if (p->d->converged || (*screens && prox_take_back(p))) return SEPAL_OK;
    memset(p->gone, 0, p->count * sizeof *p->gone);
    *screens = false;
    return SEPAL_OK;
}

/* Rounding has the last word: how often in a row neither bound has moved. */
static size_t idle(const struct prox *p, double *value, double *dual, size_t before) {
    bool better = prox_objective(p) < *value - 4 * DBL_EPSILON * fabs(*value) || p->dual > *dual;
    *value = prox_objective(p);
    *dual = p->dual;
    return better ? 0 : before + 1;
}

/* Where columns creep, rounding may go on to find less of the objective and never be done. */
static bool prox_newton_stalls(const struct prox *p, double *then) {
    enum { LOOK_BACK = 20 };
    static const double little = 0.9;
    if (!p->means_dominate || p->d->iterations % LOOK_BACK != LOOK_BACK - 1) return false;
    bool stalls = p->gap > little * *then;
    *then = p->gap;
    return stalls;
}

/* Without a gap the end is where the model promises next to nothing, of two steps in a row. */
static void prox_judge_promise(struct prox *p) {
    if (!p->unproved) return;
    p->gap = prox_promise(p) / fmax(fabs(prox_objective(p)), 1e-300);
    p->d->decrement = sqrt(prox_promise(p));
    p->d->converged = p->promised && p->gap <= p->d->tol;
    p->promised = p->gap <= p->d->tol;
}

static sepal_status prox_run(struct prox *p) {
    enum { IDLE_MOST = 10 };
    struct solver *d = p->d;
    size_t most = d->max_iter ? d->max_iter : STEPS_MOST, still = 0;
    double value = INFINITY, dual = -INFINITY, then = INFINITY;
    bool screens = true, moved = true;
    TRY(prox_start(p));
    for (;;) {
        TRY(bound(p, false, p->means_dominate));
        if (p->gap <= d->tol && !p->unproved) TRY(prox_confirm(p, &screens));
        still = idle(p, &value, &dual, still);
        if (d->converged || d->iterations >= most || still > IDLE_MOST) return SEPAL_OK;
        if (prox_newton_stalls(p, &then)) return SEPAL_OK;
        d->stopped |= d->stops(d->payload, d->iterations, value, p->gap);
        if (d->stopped) return SEPAL_OK;
        if (screens) screen(p);
        choose_set(p);
        sepal_status status = prox_step(p);
        if (solver_interrupted(d, status, value)) return SEPAL_OK;
        TRY(status);
        prox_judge_promise(p);
        TRY(prox_advance(p, &moved));
        d->iterations++;
        if (d->converged) return SEPAL_OK;
        if (!moved && p->careful) return SEPAL_OK; /* rounding leaves nothing to gain */
        p->careful = !moved;
        TRY(prox_look(p));
    }
}

static void prox_leave(const struct prox *p) {
    size_t own = p->count + (p->o->bias != BIAS_NONE);
    for (size_t k = 0; k < own; k++) p->d->u[prox_place_of(p, k)] = p->w[k];
}

/* The start must be within the bounds, and need not be 0 then. */
static void prox_enter_box(struct solver *d) {
    if (!d->o->box) return;
    box_project(d->o->box, d->u, d->o->cols);
    d->warm = true;
}

struct prox_kept {
    struct prox p;
    struct store store;
    bool made;
};

static void prox_clear(struct prox_kept *kept) {
    columns_clear(&kept->p.columns);
    mem_free(kept->store.rows);
    mem_free(kept->store.wide);
    mem_free(kept->store.lists);
    mem_free(kept->p.gone);
    mem_free(kept->p.gram);
}

struct prox_kept *prox_kept_new(sepal_ctx *ctx, double least) {
    struct prox_kept *kept = mem_zero(ctx, 1, sizeof *kept);
    if (kept) kept->p.least_l1 = least;
    return kept;
}

void prox_kept_free(struct prox_kept *kept) {
    if (kept) prox_clear(kept);
    mem_free(kept);
}

static sepal_status prox_make(struct prox_kept *kept) {
    if (kept->made) return SEPAL_OK;
    kept->made = true;
    TRY(prox_columns_make(&kept->p));
    return prox_make_room(&kept->p, &kept->store);
}

static sepal_status prox_solve(struct prox_kept *kept, struct solver *d) {
    struct prox *p = &kept->p;
    p->d = d;
    p->o = d->o;
    TRY(prox_make(kept));
    sepal_status status = prox_run(p);
    p->before_l1 = 0;
    TRY(status);
    prox_leave(p);
    if (d->converged) p->before_l1 = d->o->l1;
    return SEPAL_OK;
}

sepal_status solve_prox_newton(struct solver *d) {
    prox_enter_box(d);
    if (d->kept) return prox_solve(d->kept, d);
    struct prox_kept own = {.p = {.least_l1 = d->o->l1}};
    sepal_status status = prox_solve(&own, d);
    prox_clear(&own);
    return status;
}

static const char *prox_newton_refuses(const struct objective *o) {
    const char *why = refuse_unless_smooth_loss(o);
    return why || o->l1 > 0 || o->box ? why : "it is for |w|_1 and for bounds, and l1 is 0";
}

const struct convex_solver convex_solver_prox_newton = {
    .name = {.name = "prox-newton",
             .summary =
                 "proximal Newton method: smooth losses with an L1 penalty or bounds on weights"},
    .suits = "bounds on weights",
    .bounds = true,
    .solve = solve_prox_newton,
    .refuses = prox_newton_refuses,
    .far = SOLVER_FAR,
};
