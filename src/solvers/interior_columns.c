/* The hinge with an L1 penalty and many columns, of which few have a weight: the interior-point method
   for those that may have one. Dual variables that are best for some columns obey |v_j| <= l1 there;
   of the others those that violate it most are added, until none does (column generation). The bound
   is that of all columns. */
#include "solvers/hinge.h"
#include "solvers/column_subset.h"

#include <math.h>
#include <string.h>

enum { ROUNDS = 200, FIRST = 64 };
/* Columns whose sum is below this part of l1 have no weight, but for rounding. */
static const double IDLE = 0.85;

struct generation {
    struct solver *d;
    const struct objective *o;
    struct hinge best;
    bool *chosen; /* cols */
    bool
        *dropped; /* cols: chosen once and left again; the next time it stays, lest rounds repeat */
    size_t n;     /* how many are */
    double *v, *u;    /* width: sums of the last dual variables; a point */
    double *alpha;    /* n of them */
    double inner_tol; /* for the columns chosen */
};

/* A bound that not more than `wanted` of the other columns exceed. */
static double band_columns_entry_bound(const struct generation *g, size_t wanted) {
    enum { HALVINGS = 60 };
    double low = g->o->l1, high = low;
    for (size_t j = 0; j < g->o->cols; j++)
        if (!g->chosen[j]) high = fmax(high, fabs(g->v[j]));
    for (int h = 0; h < HALVINGS; h++) {
        double middle = h == 0 ? low : 0.5 * (low + high);
        size_t above = 0;
        for (size_t j = 0; j < g->o->cols; j++) above += !g->chosen[j] && fabs(g->v[j]) > middle;
        *(above > wanted ? &low : &high) = middle;
        if (h == 0 && high == middle) break;
    }
    return high;
}

static void drop_idle(struct generation *g) {
    for (size_t j = 0; j < g->o->cols; j++)
        if (g->chosen[j] && !g->dropped[j] && fabs(g->v[j]) < IDLE * g->o->l1) {
            g->chosen[j] = false;
            g->dropped[j] = true;
            g->n--;
        }
}

/* All of those not yet chosen above the bound, as far as there is room. */
static void band_columns_join(struct generation *g, double bound, size_t room) {
    for (size_t j = 0; j < g->o->cols && g->n < room; j++)
        if (!g->chosen[j] && fabs(g->v[j]) > bound) {
            g->chosen[j] = true;
            g->n++;
        }
}

/* How many columns have joined. Of many that are at the bound alike, as counts are, the first. */
static size_t band_columns_choose(struct generation *g) {
    static const double alike = 1 - 1e-9;
    size_t room = INTERIOR_WIDTH_MOST - 1, wanted = g->n / 2 + FIRST, before;
    if (g->n > 8 * FIRST) drop_idle(g);
    if (g->n + wanted > room) wanted = room - g->n;
    before = g->n;
    double bound = band_columns_entry_bound(g, wanted);
    band_columns_join(g, bound, before + wanted);
    band_columns_join(g, fmax(alike * bound, g->o->l1), before + wanted);
    return g->n - before;
}

/* The best for the columns chosen, into u and alpha. */
static sepal_status band_columns_solve_some(struct generation *g, struct arena *arena) {
    const struct objective *o = g->o;
    struct solver *d = g->d, inner = *d;
    struct some_columns some;
    size_t *column = arena_alloc(o->ctx, arena, g->n + 1, sizeof *column), k = 0;
    if (!column) return SEPAL_EMEMORY;
    for (size_t j = 0; j < o->cols; j++)
        if (g->chosen[j]) column[k++] = j;
    TRY(some_columns_init(&some, o, g->n, column, NULL, arena));
    inner.o = &some.o;
    inner.tol = g->inner_tol;
    inner.u = arena_alloc(o->ctx, arena, some.o.width, sizeof *inner.u);
    inner.alpha = g->alpha;
    if (!inner.u) return SEPAL_EMEMORY;
    some_columns_enter(&some, d->u, inner.u);
    memcpy(g->alpha, d->alpha, o->n * sizeof *g->alpha);
    inner.paired = true;
    TRY(interior_narrow(&inner, 0));
    some_columns_leave(&some, inner.u, g->u);
    d->iterations = inner.iterations;
    d->stopped = inner.stopped;
    return SEPAL_OK;
}

static sepal_status offer(struct generation *g) {
    TRY(hinge_offer(&g->best, g->u, NULL));
    TRY(hinge_offer_dual(&g->best, g->alpha, NULL));
    memcpy(g->v, g->best.image, g->o->width * sizeof *g->v);
    return SEPAL_OK;
}

static sepal_status band_columns_run(struct generation *g) {
    struct solver *d = g->d;
    const struct objective *o = g->o;
    /* the slopes at the point: where they are at their kink, balancing decides */
    TRY(objective_margins(g->best.m, o, d->u));
    for (size_t i = 0; i < o->n; i++) g->alpha[i] = g->best.m[i] <= 1;
    memcpy(g->u, d->u, o->width * sizeof *g->u);
    TRY(offer(g));
    for (int round = 0; round < ROUNDS && !hinge_ends(&g->best); round++) {
        double gap = hinge_gap(&g->best);
        struct arena arena = {0};
        if (d->max_iter && d->iterations >= d->max_iter) return SEPAL_OK;
        size_t joined = band_columns_choose(g);
        bool last = joined == 0 && g->inner_tol <= 0.1 * d->tol;
        if (last) return SEPAL_OK; /* rounding, or room for columns, leaves nothing to gain */
        g->inner_tol = joined > 0 ? fmin(fmax(0.02 * gap, 0.25 * d->tol), 0.003)
                                  : 0.1 * fmin(g->inner_tol, d->tol);
        sepal_status status = band_columns_solve_some(g, &arena);
        arena_clear(&arena);
        TRY(status);
        TRY(offer(g));
        if (d->stopped) return SEPAL_OK;
    }
    return SEPAL_OK;
}

sepal_status interior_by_columns(struct solver *d) {
    const struct objective *o = d->o;
    struct generation g = {.d = d, .o = o, .inner_tol = 1};
    struct arena arena = {0};
    g.chosen = arena_zero(o->ctx, &arena, o->cols, sizeof *g.chosen);
    g.dropped = arena_zero(o->ctx, &arena, o->cols, sizeof *g.dropped);
    g.v = arena_alloc(o->ctx, &arena, o->width, sizeof *g.v);
    g.u = arena_alloc(o->ctx, &arena, o->width, sizeof *g.u);
    g.alpha = arena_alloc(o->ctx, &arena, o->n, sizeof *g.alpha);
    bool made = g.chosen && g.dropped && g.v && g.u && g.alpha;
    sepal_status status = made ? hinge_init(&g.best, d, &arena) : SEPAL_EMEMORY;
    if (status == SEPAL_OK) {
        for (size_t j = 0; j < o->cols; j++) {
            g.chosen[j] = d->u[j] != 0;
            g.n += g.chosen[j];
        }
        if (g.n >= INTERIOR_WIDTH_MOST) { /* a start with too many weights is of no use */
            memset(g.chosen, 0, o->cols * sizeof *g.chosen);
            memset(d->u, 0, o->width * sizeof *d->u);
            g.n = 0;
            g.best.primal = INFINITY;
        }
        status = band_columns_run(&g);
    }
    arena_clear(&arena);
    return status;
}
