/* Dual coordinate descent for the hinge (Hsieh et al., ICML 2008) on proximal steps (Rockafellar,
   SIAM J. Control Optim. 1976; with few epochs a step: Lin, Mairal and Harchaoui, JMLR 2018).

   An epoch works on the objective plus lag l2/2 |u - before|^2, `before` being the point that the
   last epoch left. So the dual variables may move 1 + lag times as far as the weights follow, and
   the point is carried on by lag / (1 + lag) of what an epoch has moved it: directions in which
   the plain descent is slow are 1 + lag times faster. One epoch to a step does.

   A free bias has no penalty but this one, so its part of the dual constraint is met as the steps
   come to rest. Rows that are far from their kink on the side of their bound are left out between
   checks. */
#include "core/rng.h"
#include "solvers/hinge.h"

#include <math.h>
#include <string.h>

enum { GROUP = 8, OFTEN = 1 << 22 };
static const double LAG = 5;

struct proximal {
    struct hinge *h;
    const struct objective *o;
    double feature;  /* the value of the column of ones that the bias has here */
    double *w;       /* width; the bias divided by `feature` */
    double *before;  /* width */
    double *a;       /* n */
    double *inverse; /* n: 1 / |(x_i - c, feature)|^2 */
    double *dense;   /* a row less its centre; NULL: not needed */
    uint32_t *active, *order;
    size_t n_active;
};

/* ---- rows --------------------------------------------------------------------------------- */

static void proximal_visit(struct proximal *p, size_t i) {
    const struct objective *o = p->o;
    const struct kernels *kernels = o->ctx->kernels;
    size_t local;
    const struct block *block = matrix_block_of(&o->rows, i, &local);
    double side = objective_side(o, i), most = o->row_weight[i] / o->l2;
    bool biased = o->bias != BIAS_NONE;
    if (p->dense) block_dense(block, local, 1, o->cols, o->centre, NULL, p->dense, o->cols);
    double m = p->dense ? kernels->dot_f64(p->dense, p->w, o->cols)
                        : row_dot(kernels, block, local, o->cols, p->w);
    if (biased) m += p->feature * p->w[o->cols];
    double next = p->a[i] + (1 - side * m) * (1 + LAG) * p->inverse[i] / most;
    if (isnan(next)) return;
    next = clamp(next, 0, 1);
    double factor = (next - p->a[i]) * most * side / (1 + LAG);
    if (factor == 0) return;
    p->a[i] = next;
    if (biased) p->w[o->cols] += p->feature * factor;
    if (p->dense)
        kernels->axpy_f64(factor, p->dense, p->w, o->cols);
    else
        row_axpy(kernels, block, local, o->cols, factor, p->w);
}

static void proximal_epoch(struct proximal *p) {
    enum { STREAM = 0x70 };
    struct solver *d = p->h->d;
    const struct objective *o = p->o;
    size_t groups = (p->n_active + GROUP - 1) / GROUP;
    size_t entries = o->rows.sparse ? o->rows.nonzeros : o->n * o->cols;
    size_t between = o->n / (entries / OFTEN + 1) / GROUP + 1;
    struct rng rng = rng_make(d->seed, ((uint64_t)STREAM << 32) + d->iterations);
    for (size_t g = 0; g < groups; g++) p->order[g] = (uint32_t)g;
    rng_shuffle(&rng, p->order, groups);
    for (size_t g = 0; g < groups && !d->stopped; g++) {
        size_t from = (size_t)p->order[g] * GROUP;
        size_t to = from + GROUP < p->n_active ? from + GROUP : p->n_active;
        for (size_t k = from; k < to; k++) proximal_visit(p, p->active[k]);
        if ((g + 1) % between == 0)
            d->stopped = d->stops(d->payload, d->iterations, p->h->primal, hinge_gap(p->h));
    }
    d->iterations++;
}

/* ---- from epoch to epoch ------------------------------------------------------------------ */

/* The point that belongs to the dual variables is (1 + lag) w - lag before; the next epoch's begins
   between that and w. A free bias belongs to nothing and is carried on as far as it went. */
static void carry_on(struct proximal *p) {
    const struct objective *o = p->o;
    double part = LAG / (1 + LAG);
    for (size_t j = 0; j < o->width; j++) {
        double w = p->w[j];
        p->w[j] += (j < o->penalised ? part : 1) * (w - p->before[j]);
        p->before[j] = w;
    }
}

/* Rows at a bound stay there until the next check if their margin is `far` beyond the kink. */
static void choose_active(struct proximal *p, const double *m) {
    const struct objective *o = p->o;
    double far = fmin(fmax(sqrt(hinge_gap(p->h)), 0.1), 0.3);
    p->n_active = 0;
    for (size_t i = 0; i < o->n; i++) {
        double over = m[i] - 1;
        bool at_bound = (p->a[i] == 0 && over > far) || (p->a[i] == 1 && over < -far);
        if (!at_bound) p->active[p->n_active++] = (uint32_t)i;
    }
}

/* The rows' own centre is left out of sparse ones: a free bias makes up for it. */
static double centre_score(const struct objective *o, const double *w) {
    bool implicit = o->rows.sparse && o->centre;
    return implicit ? o->ctx->kernels->dot_f64(o->centre, w, o->cols) : 0;
}

static sepal_status proximal_check(struct proximal *p) {
    struct hinge *h = p->h;
    const struct objective *o = p->o;
    double *bias = p->before + o->cols;
    TRY(hinge_offer_dual(h, p->a, NULL));
    /* `before` is about to be overwritten: it lends its place to the point in the user's terms */
    memcpy(h->image, p->before, o->width * sizeof *h->image);
    memcpy(p->before, p->w, o->width * sizeof *p->w);
    if (o->bias != BIAS_NONE) *bias = *bias * p->feature + centre_score(o, p->w);
    TRY(objective_margins(h->r, o, p->before));
    choose_active(p, h->r);
    TRY(hinge_offer(h, p->before, h->r));
    memcpy(p->before, h->image, o->width * sizeof *h->image);
    return SEPAL_OK;
}

/* ---- the start ---------------------------------------------------------------------------- */

static sepal_status proximal_start(struct proximal *p) {
    struct hinge *h = p->h;
    const struct objective *o = p->o;
    TRY(objective_squared_norms(p->inverse, o));
    for (size_t i = 0; i < o->n; i++) p->active[i] = (uint32_t)i;
    p->n_active = o->n;
    p->feature = o->bias == BIAS_NONE ? 0 : 1;
    /* a free bias moves about as easily as a weight of a column that is there in some rows */
    if (o->bias == BIAS_FREE) p->feature = 0.2 * sqrt(objective_mean(o, p->inverse));
    if (o->bias == BIAS_FREE && !(isfinite(p->feature) && p->feature > 0)) p->feature = 1;
    for (size_t i = 0; i < o->n; i++) p->inverse[i] = 1 / (p->inverse[i] + p->feature * p->feature);
    memcpy(p->a, h->d->alpha, o->n * sizeof *p->a);
    for (size_t i = 0; i < o->n; i++) h->m[i] = o->row_weight[i] * p->a[i] * objective_side(o, i);
    TRY(objective_back(p->w, o, h->m));
    for (size_t j = 0; j < o->width; j++) p->w[j] /= o->l2;
    if (o->bias == BIAS_FREE)
        p->w[o->cols] = (h->d->u[o->cols] - centre_score(o, h->d->u)) / p->feature;
    memcpy(p->before, p->w, o->width * sizeof *p->w);
    return SEPAL_OK;
}

static sepal_status proximal_allocate(struct proximal *p, struct arena *arena) {
    const struct objective *o = p->o;
    TRY(ARENA_VECTORS(o->ctx, arena, o->width, &p->w, &p->before));
    TRY(ARENA_VECTORS(o->ctx, arena, o->n, &p->a, &p->inverse));
    if (!o->rows.sparse) TRY(ARENA_VECTORS(o->ctx, arena, o->cols, &p->dense));
    p->active = arena_alloc(o->ctx, arena, o->n, sizeof *p->active);
    p->order = arena_alloc(o->ctx, arena, o->n / GROUP + 1, sizeof *p->order);
    return p->active && p->order ? SEPAL_OK : SEPAL_EMEMORY;
}

/* ---- the solver --------------------------------------------------------------------------- */

static sepal_status proximal_iterate(struct proximal *p, double enough, size_t most) {
    enum { CHECK_EVERY = 10, LOOK_BACK = 50 };
    struct solver *d = p->h->d;
    size_t first = d->iterations, due = 2, judged = LOOK_BACK;
    double then = INFINITY;
    TRY(proximal_start(p));
    while (!hinge_ends(p->h) && d->iterations - first < most) {
        size_t done = d->iterations - first;
        if (hinge_gap(p->h) <= enough) break;
        if (done >= judged) {
            if (hinge_gap(p->h) > 0.5 * then) break;
            then = hinge_gap(p->h);
            judged = done + LOOK_BACK;
        }
        if (due > most) due = most;
        while (d->iterations - first < due && !d->stopped) {
            proximal_epoch(p);
            if (d->iterations - first < due) carry_on(p);
        }
        due += due / 4 < 2 ? 2 : due / 4 < CHECK_EVERY ? due / 4 : CHECK_EVERY;
        TRY(proximal_check(p));
        carry_on(p);
        if (d->stopped) break;
    }
    return SEPAL_OK;
}

sepal_status proximal_run(struct hinge *h, double enough, size_t most) {
    struct proximal p = {.h = h, .o = h->o};
    struct arena arena = {0};
    /* without a free bias the centre of sparse rows would make them dense */
    if (h->o->rows.sparse && h->o->centre && h->o->bias != BIAS_FREE) return SEPAL_OK;
    size_t done = h->d->iterations, limit = h->d->max_iter;
    if (limit && limit < done + most) most = limit > done ? limit - done : 0;
    sepal_status status = proximal_allocate(&p, &arena);
    if (status == SEPAL_OK) status = proximal_iterate(&p, enough, most);
    arena_clear(&arena);
    return status;
}
