/* Each class against the rest, all at once: lock-step dual coordinate descent, where it is likely to
   be the best for every class. Each class has a proof of its own, and leaves when that is good
   enough. */
#include "learners/convex.h"

#include "core/alloc.h"
#include "solvers/rest.h"

#include <math.h>
#include <string.h>

/* ---- whether ------------------------------------------------------------------------------ */

enum {
    FEW_COLUMNS = 500, /* with so few, factors of the Hessian are faster */
    LARGE_ROWS = 100,  /* share |x|^2 / l2 above which descent is slow */
    MANY_EPOCHS = 300
};
/* Singles keep squares and products of such rows far from their limits. */
static const double LARGEST_NORM = 1e15, LEAST_NORM = 1e-15;

struct lock_step {
    struct convex convex;
    struct rest rest;
    struct rest_descent descent;
    struct rest_fits *fits;
    double tol;
    double *factor; /* 2 x classes; NULL: 1 */
    bool *wanted;   /* of each problem: not done */
    struct proof *proofs;
};

/* By what is known before any pass over the rows. */
static bool suits(const struct fit *fit) {
    const struct convex_config *config = fit->config;
    const struct matrix *rows = &fit->data->matrix;
    if (config->penalty != PENALTY_L2 || config->l2 == 0 || rows->n_blocks == 0) return false;
    if (rows->sparse && rows->blocks[0].centre) return false;
    if (fit->options.solver) return strcmp(fit->options.solver, "dual") == 0;
    return rows->cols > FEW_COLUMNS;
}

static bool rows_suit(const struct lock_step *all) {
    const struct rest_descent *d = &all->descent;
    if (!(d->norm_mean < LARGEST_NORM && d->norm_mean > LEAST_NORM)) return false;
    double most = d->norm_most;
    for (size_t k = 0; all->factor && k < 2 * all->rest.classes; k++)
        most = fmax(most, d->norm_most * all->factor[k]);
    return most < (all->convex.fit->options.solver ? LARGEST_NORM : LARGE_ROWS);
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
    bool even = strcmp(convex->config->class_weight, "balanced") == 0;
    TRY(linear_init_rows(&all->fits->joint, fit->ctx, fit->data->schema->n_classes,
                         all->fits->decode, fit->data->matrix.cols, convex_centres(fit)));
    TRY(convex_pose(convex, loss, all->fits->joint.centre));
    all->rest = (struct rest){.o = &convex->objective,
                              .label = fit->data->label,
                              .classes = fit->data->schema->n_classes};
    if (even) TRY(balance(all));
    all->tol = convex->descent.tol;
    all->descent = (struct rest_descent){.rest = &all->rest,
                                         .classes = all->fits->n,
                                         .tol = all->tol,
                                         .max_epochs = MANY_EPOCHS,
                                         .seed = fit->ctx->seed,
                                         .stops = stops,
                                         .payload = fit};
    if (fit->options.max_iter && fit->options.max_iter < MANY_EPOCHS)
        all->descent.max_epochs = fit->options.max_iter;
    all->wanted = arena_alloc(fit->ctx, &fit->arena, all->fits->n, sizeof *all->wanted);
    all->proofs = arena_alloc(fit->ctx, &fit->arena, all->fits->n, sizeof *all->proofs);
    return all->wanted && all->proofs ? SEPAL_OK : SEPAL_EMEMORY;
}

/* ---- rounds ------------------------------------------------------------------------------- */

static void keep_weights(struct lock_step *all, const struct rest_point *point, size_t l) {
    struct linear *joint = &all->fits->joint;
    size_t r = point->class[l];
    double *w = joint->w + r * joint->cols;
    for (size_t j = 0; j < joint->cols; j++) w[j] = point->u[j * point->lanes + l];
    joint->b[r] = all->rest.o->bias == BIAS_NONE ? 0 : point->bias[l];
}

/* Prove the classes of a group; those that are good enough, or may not go on, leave. */
static sepal_status prove(struct lock_step *all, const struct rest_point *point, bool last,
                          double *largest) {
    struct proof proofs[WIDE_LANES];
    TRY(certify_rest(proofs, &all->rest, point));
    for (size_t l = 0; l < point->n; l++) {
        size_t r = point->class[l];
        if (!all->wanted[r]) continue;
        bool good = proofs[l].gap <= all->tol;
        all->proofs[r] = proofs[l];
        all->fits->each[r].iterations = all->descent.epochs;
        all->fits->each[r].converged = good;
        if (good || last) keep_weights(all, point, l);
        all->wanted[r] = !good;
        if (!good) *largest = fmax(*largest, proofs[l].gap);
    }
    return SEPAL_OK;
}

static sepal_status run(struct lock_step *all) {
    /* where singles begin to count: from there on weights are made anew of the dual variables */
    static const double coarse = 1e-5;
    struct rest_descent *d = &all->descent;
    memset(all->wanted, true, all->fits->n * sizeof *all->wanted);
    TRY(rest_start(d));
    for (;;) {
        double largest = 0;
        TRY(rest_descend(d));
        TRY(rest_settle(d, all->tol < coarse));
        bool last = d->stalled || d->stopped;
        for (size_t g = 0; g < d->n_groups; g++)
            TRY(prove(all, &d->groups[g].point, last, &largest));
        if (largest == 0 || last) return SEPAL_OK;
        d->tol *= fmin(0.5, 0.5 * all->tol / largest);
        TRY(rest_keep(d, all->wanted));
    }
}

/* ---- what came of it ---------------------------------------------------------------------- */

static void report(struct lock_step *all) {
    struct fit *whole = all->convex.fit;
    const char *words = convex_describe(&all->convex);
    for (size_t r = 0; r < all->fits->n; r++) {
        struct fit *fit = &all->fits->each[r];
        fit->objective = all->proofs[r].primal;
        fit->dual = all->proofs[r].dual;
        fit->gap = all->proofs[r].gap;
        fit->words = words;
        fit->solver = "dual (rows of bounded norm)";
        fit->stopped = fit->converged ? NULL : whole->stopped;
        convex_tell(&all->convex, fit, &all->proofs[r]);
    }
    all->fits->taken = true;
}

sepal_status convex_fit_rest(struct fit *fit, struct rest_fits *fits, const struct loss *loss) {
    struct lock_step all = {.convex = {.fit = fit, .config = fit->config}, .fits = fits};
    if (!suits(fit)) return SEPAL_OK;
    TRY(set_up(&all, loss));
    sepal_status status = rest_open(&all.descent);
    bool goes = status == SEPAL_OK && rows_suit(&all);
    if (goes) status = run(&all);
    if (goes && status == SEPAL_OK) report(&all);
    rest_close(&all.descent);
    return status;
}
