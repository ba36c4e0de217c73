/* Each class against the rest, all at once: lock-step dual coordinate descent, where it is likely to
   be the best for every class. Each class has a proof of its own, and leaves when that is good
   enough. */
#include "learners/convex.h"

#include "core/alloc.h"
#include "core/parallel.h"
#include "solvers/rest_descent.h"

#include <math.h>
#include <string.h>

enum { MANY_EPOCHS = 1000, PATIENCE = 5 };

struct lock_step {
    struct convex convex;
    struct rest rest;
    struct rest_descent descent;
    struct rest_fits *fits;
    double tol;
    double *factor; /* 2 x classes; NULL: 1 */
    bool *wanted;   /* of each problem: not done */
    struct proof *proofs;
    convex_margin_fn tells;
};

/* ---- whether ------------------------------------------------------------------------------ */

/* Singles keep the squares of such rows, and their products with weights, far from their limits. */
static bool singles_hold(const struct lock_step *all) {
    static const double largest = 1e15;
    const struct rest_descent *d = &all->descent;
    double factor = 1;
    for (size_t k = 0; all->factor && k < 2 * all->rest.classes; k++)
        factor = fmax(factor, all->factor[k]);
    return d->norm_most * factor < largest && d->norm_mean > 1 / largest &&
           d->norm_largest < largest;
}

/* Where each class by itself would be given to the dual solver. */
static sepal_status suits(bool *out, struct lock_step *all) {
    struct convex_plan plan;
    *out = false;
    if (!(all->convex.objective.l2 > 0) || all->convex.objective.l1 > 0) return SEPAL_OK;
    TRY(convex_choose(&plan, &all->convex));
    *out = plan.first->solve == solve_dual;
    /* an epoch of all classes costs little more than one of a single class */
    if (plan.patience) all->descent.max_epochs = PATIENCE * plan.patience;
    return SEPAL_OK;
}

/* ---- set-up ------------------------------------------------------------------------------- */

/* Every class as heavy as the rest: N / (2 N_k), N / (2 (N - N_k)). */
static sepal_status balance(struct lock_step *all) {
    const struct fit *fit = all->convex.fit;
    size_t classes = all->rest.classes;
    all->factor = arena_zero(fit->ctx, &all->convex.fit->arena, classes, 2 * sizeof *all->factor);
    if (!all->factor) return SEPAL_EMEMORY;
    double *rest = all->factor, *own = all->factor + classes, total = all->convex.total;
    for (size_t i = 0; i < fit->data->matrix.rows; i++)
        own[fit->data->label[i]] += data_weight(fit->data, i);
    for (size_t k = 0; k < classes; k++) {
        rest[k] = total / (2 * (total - own[k]));
        own[k] = total / (2 * own[k]);
    }
    all->rest.factor[0] = rest;
    all->rest.factor[1] = own;
    return SEPAL_OK;
}

static bool stops(void *payload, size_t iteration, double objective, double gap) {
    (void)objective;
    return fit_stops(payload, "epoch %zu of all classes, gap %.1e", iteration, gap);
}

static sepal_status set_up(struct lock_step *all, const struct loss *loss) {
    struct convex *convex = &all->convex;
    struct fit *fit = convex->fit;
    size_t cols = fit->data->matrix.cols;
    double *centre = NULL;
    if (convex_centres(fit) && !(centre = arena_alloc(fit->ctx, &fit->arena, cols, sizeof *centre)))
        return SEPAL_EMEMORY;
    TRY(convex_pose(convex, loss, centre));
    all->tol = convex->descent.tol;
    all->rest = (struct rest){.o = &convex->objective,
                              .label = fit->data->label,
                              .classes = fit->data->schema->n_classes};
    if (strcmp(convex->config->class_weight, "balanced") == 0) TRY(balance(all));
    all->descent = (struct rest_descent){.rest = &all->rest,
                                         .classes = all->fits->n,
                                         .tol = all->tol,
                                         .max_epochs = MANY_EPOCHS,
                                         .seed = fit->ctx->seed,
                                         .stops = stops,
                                         .payload = fit};
    all->wanted = arena_alloc(fit->ctx, &fit->arena, all->fits->n, sizeof *all->wanted);
    all->proofs = arena_alloc(fit->ctx, &fit->arena, all->fits->n, sizeof *all->proofs);
    return all->wanted && all->proofs ? SEPAL_OK : SEPAL_EMEMORY;
}

/* ---- rounds ------------------------------------------------------------------------------- */

/* The weights of some classes of a group to rows of the model, some columns at a time: their lanes
   then stay near. */
static void keep_weights(struct linear *joint, const struct rest_point *point, const bool *leaves) {
    enum { COLS = 256 };
    for (size_t from = 0; from < joint->cols; from += COLS) {
        size_t to = from + COLS < joint->cols ? from + COLS : joint->cols;
        for (size_t l = 0; l < point->n; l++) {
            double *w = joint->w + point->class[l] * joint->cols;
            if (!leaves[l]) continue;
            for (size_t j = from; j < to; j++) w[j] = (double)point->w[j * point->lanes + l];
        }
    }
}

struct judging {
    struct lock_step *all;
    struct proof (*proofs)[WIDE_LANES];
    bool last; /* nobody may go on */
};

/* Look at the proofs of a group's classes; those that are good enough, or may not go on, leave. */
static sepal_status judge(sepal_ctx *ctx, size_t g, void *payload) {
    const struct judging *judging = payload;
    struct lock_step *all = judging->all;
    const struct rest_point *point = &all->descent.groups[g].point;
    bool leaves[WIDE_LANES] = {0};
    (void)ctx;
    for (size_t l = 0; l < point->n; l++) {
        size_t r = point->class[l];
        if (!all->wanted[r]) continue;
        all->proofs[r] = judging->proofs[g][l];
        const struct proof *proof = &all->proofs[r];
        bool good = proof->gap <= all->tol;
        /* more epochs take nothing off what rounding may have cost */
        bool lost =
            !isfinite(proof->gap) || proof->gap * fabs(proof->primal) <= 2 * proof->rounding;
        all->fits->each[r].iterations = all->descent.epochs;
        all->fits->each[r].converged = good;
        all->fits->joint.b[r] = all->rest.o->bias == BIAS_NONE ? 0 : point->bias[l];
        all->wanted[r] = !good && !lost;
        leaves[l] = good || lost || judging->last;
    }
    keep_weights(&all->fits->joint, point, leaves);
    return SEPAL_OK;
}

static sepal_status prove(struct lock_step *all, bool last, double *largest) {
    const struct rest_descent *d = &all->descent;
    sepal_ctx *ctx = all->convex.fit->ctx;
    struct proof(*proofs)[WIDE_LANES] = mem_alloc(ctx, d->n_groups, sizeof *proofs);
    const struct rest_point **points = mem_alloc(ctx, d->n_groups, sizeof *points);
    sepal_status status = SEPAL_EMEMORY;
    for (size_t g = 0; points && g < d->n_groups; g++) points[g] = &d->groups[g].point;
    struct judging judging = {all, proofs, last};
    if (proofs && points) status = certify_rest(proofs, &all->rest, points, d->n_groups);
    if (status == SEPAL_OK) status = parallel_for(ctx, d->n_groups, judge, &judging);
    for (size_t r = 0; status == SEPAL_OK && r < all->fits->n; r++)
        if (all->wanted[r]) *largest = fmax(*largest, all->proofs[r].gap);
    mem_free(proofs);
    mem_free(points);
    return status;
}

static sepal_status run(struct lock_step *all) {
    /* from there on the drift of singles counts */
    static const double coarse = 1e-5;
    struct rest_descent *d = &all->descent;
    const struct objective *o = all->rest.o;
    struct linear *joint = &all->fits->joint;
    size_t limit = all->convex.fit->options.max_iter;
    TRY(linear_init_rows(joint, o->ctx, all->rest.classes, all->fits->decode, o->cols,
                         o->centre != NULL));
    if (o->centre) memcpy(joint->centre, o->centre, o->cols * sizeof *joint->centre);
    if (limit > 0 && limit < d->max_epochs) d->max_epochs = limit;
    memset(all->wanted, true, all->fits->n * sizeof *all->wanted);
    TRY(rest_start(d));
    for (;;) {
        double largest = 0;
        TRY(rest_descend(d));
        if (all->tol < coarse) TRY(rest_settle(d));
        bool last = d->stalled || d->stopped;
        TRY(prove(all, last, &largest));
        if (largest == 0 || last) return SEPAL_OK;
        d->tol *= fmin(0.5, 0.5 * all->tol / largest);
        TRY(rest_keep(d, all->wanted));
    }
}

/* ---- what came of it ---------------------------------------------------------------------- */

static bool is_zero(const double *w, size_t n) {
    for (size_t j = 0; j < n; j++)
        if (w[j] != 0) return false;
    return true;
}

static void warn_of(const struct lock_step *all, size_t short_of, double gap) {
    const struct fit *whole = all->convex.fit;
    const struct linear *joint = &all->fits->joint;
    size_t idle = 0;
    for (size_t r = 0; r < all->fits->n; r++)
        idle += is_zero(joint->w + r * joint->cols, joint->cols);
    if (short_of > 0 && all->fits->ended)
        warn(whole->ctx, "not-converged",
             "stopped early (%s) after %zu epochs of all classes; %zu of %zu have a relative gap "
             "above --tol, of up to %.2g",
             whole->stopped ? whole->stopped : "--max-iter", all->descent.epochs, short_of,
             all->fits->n, gap);
    if (idle > 0)
        warn(whole->ctx, "zero-weights",
             "%zu of %zu classes have weights that are all 0: no column tells them from the rest",
             idle, all->fits->n);
}

static sepal_status report(struct lock_step *all) {
    struct fit *whole = all->convex.fit;
    const char *words = convex_describe(&all->convex);
    size_t short_of = 0;
    double gap = 0;
    all->fits->taken = true;
    all->fits->ended = whole->stopped || all->descent.epochs == whole->options.max_iter;
    for (size_t r = 0; r < all->fits->n; r++) {
        struct fit *fit = &all->fits->each[r];
        const struct proof *proof = &all->proofs[r];
        fit->objective = proof->primal;
        fit->dual = proof->dual;
        fit->gap = proof->gap;
        fit->words = words;
        fit->solver = "dual (many columns, short rows)";
        fit->stopped = fit->converged ? NULL : whole->stopped;
        convex_tell(&all->convex, fit, proof);
        if (all->tells && fit->make) all->tells(fit, proof->inside, proof->norm);
        if (fit->converged) continue;
        short_of++;
        gap = fmax(gap, fit->gap);
    }
    warn_of(all, short_of, gap);
    /* who goes on with single problems warns there */
    return short_of == 0 ? convex_warn_unused(&all->convex) : SEPAL_OK;
}

sepal_status convex_fit_rest(struct fit *fit, struct rest_fits *fits, const struct loss *loss,
                             convex_margin_fn tells) {
    struct lock_step all = {
        .convex = {.fit = fit, .config = fit->config}, .fits = fits, .tells = tells};
    bool goes;
    TRY(set_up(&all, loss));
    TRY(suits(&goes, &all));
    if (!goes) return SEPAL_OK;
    sepal_status status = rest_open(&all.descent);
    goes = status == SEPAL_OK && singles_hold(&all);
    if (goes) status = run(&all);
    if (goes && status == SEPAL_OK) status = report(&all);
    rest_close(&all.descent);
    return status;
}
