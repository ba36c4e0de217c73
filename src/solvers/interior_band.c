/* The hinge with many more rows than columns. At the optimum few rows are at their kink; of the others
   those beyond it count for nothing, and those below it count as their sum does, since the hinge is
   linear there. So the rows near the kink, and for each class the mean of those below it, are a
   problem of the same kind with few rows. By convexity its objective is nowhere above that of all
   rows, and its dual variables, those of a mean for each of its rows, are a point of the dual of all
   rows with the same value. What is left of the gap is the loss of the rows that have changed sides;
   then more rows are taken (Park and Klabjan, "An aggregate and iterative disaggregate algorithm with
   proven optimality in machine learning", Machine Learning 2016). Where the kink is, a sample of the
   rows says, solved in the same way. */
#include "solvers/hinge.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MANY = 1 << 13, ROWS_PER_COLUMN = 128 };
/* One row in so many is of the sample, in runs of rows. */
enum { SAMPLED = 8, RUN = 32 };

struct band {
    struct solver *d;
    const struct objective *o;
    struct hinge best;
    bool known;  /* best.m are the margins of the best point */
    double *m;   /* n: margins of the best point, then dual variables */
    double far;  /* from 1 are the margins of rows near the kink, at most */
    size_t *row; /* n: those of the small problem */
    /* Of the rows below the kink, of either class: the mean, and the sum of their weights. */
    double *mean[2], below[2];
};

/* Some rows less the centre as a problem of their own, and behind them the means. */
struct few {
    struct objective o;
    struct matrix x;
    int32_t *label;
    double *row_weight, *a, *u;
    size_t n;
};

bool interior_is_tall(const struct objective *o) {
    size_t least = ROWS_PER_COLUMN * o->width > MANY ? ROWS_PER_COLUMN * o->width : MANY;
    return !o->rows.sparse && o->l2 > 0 && o->n >= 2 * least;
}

/* ---- the small problem -------------------------------------------------------------------- */

static double *band_place_of(const struct few *few, size_t i) {
    const struct matrix *x = &few->x;
    return x->blocks[i / x->block_rows].f64 + i % x->block_rows * x->cols;
}

static sepal_status band_make_room(struct few *few, size_t n, struct arena *arena) {
    sepal_ctx *ctx = few->o.ctx;
    few->label = arena_alloc(ctx, arena, n, sizeof *few->label);
    few->row_weight = arena_alloc(ctx, arena, n, sizeof *few->row_weight);
    few->a = arena_zero(ctx, arena, n, sizeof *few->a);
    few->u = arena_alloc(ctx, arena, few->o.width, sizeof *few->u);
    if (!few->label || !few->row_weight || !few->a || !few->u) return SEPAL_EMEMORY;
    TRY(matrix_init(&few->x, ctx, n, few->o.cols, false));
    for (size_t k = 0; k < few->x.n_blocks; k++) {
        few->x.blocks[k].values = VALUES_F64;
        TRY(block_alloc(ctx, &few->x.blocks[k], few->o.cols, 0));
    }
    return SEPAL_OK;
}

/* The first n rows of the list, and the means. */
static sepal_status band_take_rows(struct few *few, const struct band *b, size_t n,
                                   struct arena *arena) {
    const struct objective *o = b->o;
    size_t local;
    TRY(band_make_room(few, n + (b->below[0] > 0) + (b->below[1] > 0), arena));
    for (size_t i = 0; i < n; i++) {
        const struct block *block = matrix_block_of(&o->rows, b->row[i], &local);
        block_dense(block, local, 1, o->cols, o->centre, NULL, band_place_of(few, i), o->cols);
        few->label[i] = o->label[b->row[i]];
        few->row_weight[i] = o->row_weight[b->row[i]];
    }
    few->n = n;
    for (int32_t side = 0; side < 2; side++) {
        if (!(b->below[side] > 0)) continue;
        memcpy(band_place_of(few, few->n), b->mean[side], o->cols * sizeof *b->mean[side]);
        few->label[few->n] = side;
        few->row_weight[few->n++] = b->below[side];
    }
    few->o.arena = arena;
    few->o.x = &few->x;
    few->o.centre = NULL; /* it is off them */
    few->o.label = few->label;
    few->o.row_weight = few->row_weight;
    return objective_init(&few->o);
}

/* `sampled`: it is like the problem of all rows; else its rows are near the kink. */
static sepal_status solve_few(struct few *few, struct band *b, double tol, bool sampled) {
    struct solver *d = b->d, inner = *d;
    memcpy(few->u, d->u, b->o->width * sizeof *few->u);
    inner.o = &few->o;
    inner.u = few->u;
    inner.alpha = few->a;
    inner.paired = inner.converged = false;
    inner.tol = tol;
    TRY(sampled ? solve_interior(&inner) : interior_narrow(&inner, b->far));
    d->iterations = inner.iterations;
    d->stopped = inner.stopped;
    return SEPAL_OK;
}

/* ---- a sample ----------------------------------------------------------------------------- */

/* The weights of a class are what they are in all rows. */
static void match_class_weights(struct few *few, const struct objective *o) {
    double all[2] = {0, 0}, some[2] = {0, 0};
    for (size_t i = 0; i < o->n; i++) all[o->label[i] == 1] += o->row_weight[i];
    for (size_t i = 0; i < few->n; i++) some[few->label[i] == 1] += few->row_weight[i];
    for (size_t i = 0; i < few->n; i++) {
        size_t side = few->label[i] == 1;
        few->row_weight[i] *= all[side] / some[side];
    }
}

/* As near to the sample's optimum as that is to the optimum of all rows. */
static sepal_status band_start(struct band *b, struct few *few, struct arena *arena) {
    const struct objective *o = b->o;
    size_t n = 0;
    for (size_t i = 0; i < o->n; i++)
        if (i / RUN % SAMPLED == i / RUN / SAMPLED % SAMPLED) b->row[n++] = i;
    TRY(band_take_rows(few, b, n, arena));
    match_class_weights(few, o);
    TRY(solve_few(few, b, fmax(b->d->tol, 0.1 * (double)o->width / (double)n), true));
    memcpy(b->d->u, few->u, o->width * sizeof *few->u);
    return SEPAL_OK;
}

/* ---- the rows near the kink --------------------------------------------------------------- */

static int band_by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* So far from the kink that this part of the rows is near it, as some of them say. */
static double find_far(const struct band *b, double part) {
    enum { SOME = 4096 };
    double over[SOME];
    for (size_t k = 0; k < SOME; k++) over[k] = fabs(b->m[b->o->n / SOME * k] - 1);
    qsort(over, SOME, sizeof *over, band_by_size);
    return over[(size_t)(SOME * part)];
}

static bool is_near(const struct band *b, size_t i) {
    return !(fabs(b->m[i] - 1) > b->far);
}

static sepal_status band_find_means(struct band *b) {
    const struct objective *o = b->o;
    double *factor = b->best.r;
    for (int32_t side = 0; side < 2; side++) {
        double *mean = b->mean[side], sum = 0;
        for (size_t i = 0; i < o->n; i++) {
            bool below = (o->label[i] == 1) == side && b->m[i] < 1 && !is_near(b, i);
            factor[i] = below ? o->row_weight[i] : 0;
            sum += factor[i];
        }
        TRY(objective_back(mean, o, factor));
        for (size_t j = 0; j < o->cols; j++) mean[j] /= sum;
        b->below[side] = sum;
    }
    return SEPAL_OK;
}

/* The dual variables of all rows, in place of the margins. */
static void extend_to_all(struct band *b, const struct few *few) {
    const struct objective *o = b->o;
    size_t next = 0, mean = few->n;
    double of_mean[2] = {0, 0};
    for (size_t side = 2; side-- > 0;)
        if (b->below[side] > 0) of_mean[side] = few->a[--mean];
    for (size_t i = 0; i < o->n; i++) {
        if (is_near(b, i))
            b->m[i] = few->a[next++];
        else
            b->m[i] = b->m[i] < 1 ? of_mean[o->label[i] == 1] : 0;
    }
}

static sepal_status solve_near(struct band *b, double part, struct few *few, struct arena *arena) {
    const struct objective *o = b->o;
    size_t n = 0;
    if (b->known)
        memcpy(b->m, b->best.m, o->n * sizeof *b->m);
    else
        TRY(objective_margins(b->m, o, b->d->u));
    b->far = find_far(b, part);
    for (size_t i = 0; i < o->n; i++)
        if (is_near(b, i)) b->row[n++] = i;
    TRY(band_find_means(b));
    TRY(band_take_rows(few, b, n, arena));
    TRY(solve_few(few, b, 0.5 * b->d->tol, false));
    extend_to_all(b, few);
    double before = b->best.primal;
    TRY(hinge_offer_dual(&b->best, b->m, NULL));
    TRY(hinge_offer(&b->best, few->u, NULL));
    b->known = b->best.primal < before;
    return SEPAL_OK;
}

/* ---- together ----------------------------------------------------------------------------- */

/* A sample, or so large a part of the rows near the kink. */
static sepal_status band_solve_some(struct band *b, const double *part) {
    struct few few = {.o = *b->o};
    struct arena arena = {0};
    sepal_status status = part ? solve_near(b, *part, &few, &arena) : band_start(b, &few, &arena);
    matrix_clear(&few.x);
    arena_clear(&arena);
    return status;
}

static sepal_status band_run(struct band *b, struct arena *arena) {
    /* the second band is about a better point, and hardly has to be wider; but should it fail, too ... */
    static const double first = 4, most = 0.5, wider = 1.25, twice = 2;
    const struct objective *o = b->o;
    double begin = first * sqrt((double)(o->width * SAMPLED) / (double)o->n), part = begin;
    b->m = arena_alloc(o->ctx, arena, o->n, sizeof *b->m);
    b->row = arena_alloc(o->ctx, arena, o->n, sizeof *b->row);
    b->mean[0] = arena_alloc(o->ctx, arena, o->width, 2 * sizeof *b->mean[0]);
    if (!b->m || !b->row || !b->mean[0]) return SEPAL_EMEMORY;
    b->mean[1] = b->mean[0] + o->width;
    if (!b->d->warm) TRY(band_solve_some(b, NULL));
    TRY(hinge_init(&b->best, b->d, arena));
    b->known = isfinite(b->best.primal);
    while (part < most && !b->d->stopped && !hinge_ends(&b->best)) {
        TRY(band_solve_some(b, &part));
        part *= part < wider * begin ? wider : twice;
    }
    return SEPAL_OK;
}

sepal_status interior_banded(struct solver *d) {
    struct band b = {.d = d, .o = d->o};
    struct arena arena = {0};
    sepal_status status = band_run(&b, &arena);
    arena_clear(&arena);
    TRY(status);
    return d->converged || d->stopped ? SEPAL_OK : interior_narrow(d, 0);
}
