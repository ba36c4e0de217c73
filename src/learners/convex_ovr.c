/* Each class against the rest, all at once: by lock-step dual coordinate descent, or by Newton's method
   where rows have few columns. Each class has a proof of its own, and leaves when that is good enough. */
#include "learners/convex_ovr.h"

#include "core/clock.h"
#include "linear/strategy.h"
#include "solvers/ovr_newton.h"

#include <math.h>
#include <string.h>

/* ---- which way ---------------------------------------------------------------------------- */

enum way { NEITHER, BY_DUAL, BY_NEWTON };

/* The cheapest: all classes by one of the two, or each by itself. */
static sepal_status convex_ovr_choose(enum way *out, struct ovr_fit *all) {
    const struct objective *o = &all->convex.objective;
    struct convex_plan plan;
    *out = NEITHER;
    if (!(o->l2 > 0) || o->l1 > 0 || o->box) return SEPAL_OK;
    if (o->rows.sparse && o->centre) return SEPAL_OK; /* certify_ovr cannot centre them */
    TRY(convex_choose(&plan, &all->convex));
    bool asked = all->convex.fit->options.asked != NULL;
    bool newton = o->loss->smooth && o->width <= OVR_WIDTH_MOST, dual = o->loss != &loss_squared;
    if (asked) {
        newton = newton && plan.first->solve == solve_newton;
        dual = plan.first->solve == solve_dual;
    }
    struct convex_shape shape;
    TRY(convex_shape(&shape, o, all->fits->n, all->tol));
    struct convex_cost by_newton = cost_of_ovr_newton(&shape), by_dual = cost_of_ovr_dual(&shape);
    double costs[] = {[NEITHER] = asked ? INFINITY : plan.cost * shape.classes,
                      [BY_DUAL] = dual ? by_dual.step * by_dual.steps : INFINITY,
                      [BY_NEWTON] = newton ? by_newton.step * by_newton.steps : INFINITY};
    if (costs[BY_DUAL] < costs[NEITHER]) *out = BY_DUAL;
    if (costs[BY_NEWTON] < costs[*out]) *out = BY_NEWTON;
    double other = fmin(costs[NEITHER], costs[*out == BY_NEWTON ? BY_DUAL : BY_NEWTON]);
    all->limit = asked ? 0 : (size_t)fmin(other / by_dual.step, 1e9) + 1;
    all->newton_next = *out == BY_DUAL && costs[BY_NEWTON] < costs[NEITHER];
    return SEPAL_OK;
}

/* Classes that dual coordinate descent has left short of their gap. */
static sepal_status go_on_by_newton(struct ovr_fit *all) {
    const struct fit *fit = all->convex.fit;
    bool left = false;
    for (size_t r = 0; r < all->fits->n; r++) left = left || all->wanted[r];
    if (!all->newton_next || !left || fit->stopped || fit->options.max_iter) return SEPAL_OK;
    all->before = all->iterations;
    TRY(ovr_fit_newton(all));
    all->solver = "dual, then newton (short rows, but slow)";
    return SEPAL_OK;
}

/* ---- set-up ------------------------------------------------------------------------------- */

/* Every class as heavy as the rest: N / (2 N_k), N / (2 (N - N_k)). */
static sepal_status convex_ovr_balance(struct ovr_fit *all) {
    const struct fit *fit = all->convex.fit;
    size_t classes = all->rest.classes;
    all->factor = arena_zero(fit->ctx, &all->convex.fit->arena, classes, 2 * sizeof *all->factor);
    if (!all->factor) return SEPAL_EMEMORY;
    double *rest = all->factor, *own = all->factor + classes, total = all->convex.total;
    for (size_t i = 0; i < fit->data->matrix.rows; i++) {
        size_t labels;
        const int32_t *label = row_labels_of(&all->rest.labels, i, &labels);
        for (size_t k = 0; k < labels; k++) own[label[k]] += data_weight(fit->data, i);
    }
    for (size_t k = 0; k < classes; k++) { /* a side without rows has no use for a factor */
        rest[k] = own[k] < total ? total / (2 * (total - own[k])) : 1;
        own[k] = own[k] > 0 ? total / (2 * own[k]) : 1;
    }
    all->rest.factor[0] = rest;
    all->rest.factor[1] = own;
    return SEPAL_OK;
}

/* Of label sets: the rows that have a label count as often as the user says. */
static sepal_status convex_ovr_name_factors(struct ovr_fit *all) {
    struct fit *fit = all->convex.fit;
    const struct schema *own = fit->data->schema, *known = fit->own_schema;
    size_t classes = all->rest.classes;
    all->factor = arena_alloc(fit->ctx, &fit->arena, classes, 2 * sizeof *all->factor);
    double *named = arena_alloc(fit->ctx, &fit->arena, known->n_classes, sizeof *named);
    if (!all->factor || !named) return SEPAL_EMEMORY;
    TRY(class_weight_named(named, &all->convex, known));
    for (size_t k = 0; k < classes; k++) {
        const char *name = own->classes[k];
        all->factor[k] = 1;
        all->factor[classes + k] =
            named[schema_class_of(known, (struct slice){name, strlen(name)})];
    }
    all->rest.factor[0] = all->factor;
    all->rest.factor[1] = all->factor + classes;
    return SEPAL_OK;
}

bool ovr_fit_stops(void *payload, size_t iteration, double objective, double gap) {
    struct ovr_fit *all = payload;
    char left[64];
    (void)objective;
    (void)convex_time_left(left, &all->convex, gap, all->groups_done, all->groups, all->start_ns);
    return fit_stops(all->convex.fit, "%s %zu of %s %s, gap %.1e%s", all->unit, iteration,
                     all->groups > 1 ? "some" : "all", strategy_members(all->fits->strategy), gap,
                     left);
}

static sepal_status convex_ovr_set_up(struct ovr_fit *all, const struct loss *loss) {
    struct convex *convex = &all->convex;
    struct fit *fit = convex->fit;
    size_t cols = fit->data->matrix.cols;
    if (convex_centres(fit)) {
        all->centre = arena_alloc(fit->ctx, &fit->arena, cols, sizeof *all->centre);
        if (!all->centre) return SEPAL_EMEMORY;
    }
    TRY(convex_pose(convex, loss, all->centre));
    if (!convex->centred) all->centre = NULL;
    all->tol = convex->descent.tol;
    all->rest = (struct ovr_objective){.o = &convex->objective,
                                       .labels = data_labels(fit->data),
                                       .classes = fit->data->schema->n_classes};
    const char *wish = convex->config->class_weight;
    if (strcmp(wish, "balanced") == 0)
        TRY(convex_ovr_balance(all));
    else if (fit->data->set_start && strcmp(wish, "none") != 0)
        TRY(convex_ovr_name_factors(all));
    all->wanted = arena_alloc(fit->ctx, &fit->arena, all->fits->n, sizeof *all->wanted);
    all->proofs = arena_alloc(fit->ctx, &fit->arena, all->fits->n, sizeof *all->proofs);
    if (!all->wanted || !all->proofs) return SEPAL_EMEMORY;
    memset(all->wanted, true, all->fits->n * sizeof *all->wanted);
    return SEPAL_OK;
}

static sepal_status open_model(struct ovr_fit *all) {
    const struct objective *o = all->rest.o;
    struct linear *joint = &all->fits->joint;
    TRY(linear_init_rows(joint, o->ctx, all->rest.classes, all->fits->strategy, o->cols,
                         all->centre != NULL));
    if (all->centre) memcpy(joint->centre, all->centre, o->cols * sizeof *joint->centre);
    return SEPAL_OK;
}

/* ---- proofs ------------------------------------------------------------------------------- */

/* The weights of some classes of a group to rows of the model, some columns at a time: their lanes
   then stay near. */
static void convex_ovr_keep_weights(struct linear *joint, const struct ovr_point *point,
                                    const bool *leaves) {
    enum { COLS = 256 };
    for (size_t from = 0; from < joint->cols; from += COLS) {
        size_t to = from + COLS < joint->cols ? from + COLS : joint->cols;
        for (size_t l = 0; l < point->n; l++) {
            double *w = joint->w + point->class[l] * joint->cols;
            if (!leaves[l]) continue;
            for (size_t j = from; j < to; j++) {
                size_t at = j * point->lanes + l;
                w[j] = point->w64 ? point->w64[at] : (double)point->w[at];
            }
        }
    }
}

double ovr_fit_judge(struct ovr_fit *all, const struct ovr_point *point, const struct proof *proofs,
                     bool last, size_t iterations) {
    bool leaves[OVR_LANES] = {0};
    double largest = 0;
    for (size_t l = 0; l < point->n; l++) {
        size_t r = point->class[l];
        const struct proof *proof = &proofs[l];
        if (!all->wanted[r]) continue;
        all->proofs[r] = *proof;
        bool good = proof->gap <= all->tol;
        /* more iterations take nothing off what rounding may have cost */
        bool lost =
            !isfinite(proof->gap) || proof->gap * fabs(proof->primal) <= 2 * proof->rounding;
        all->fits->each[r].iterations = all->before + iterations;
        all->fits->each[r].converged = good;
        all->fits->joint.b[r] = all->rest.o->bias == BIAS_NONE ? 0 : point->bias[l];
        all->wanted[r] = !good && !lost;
        if (all->wanted[r]) largest = fmax(largest, proof->gap);
        leaves[l] = good || lost || last;
    }
    convex_ovr_keep_weights(&all->fits->joint, point, leaves);
    return largest;
}

/* ---- what came of it ---------------------------------------------------------------------- */

static void convex_ovr_warn_of(const struct ovr_fit *all, size_t short_of, double gap) {
    const struct fit *whole = all->convex.fit;
    const struct linear *joint = &all->fits->joint;
    size_t idle = 0;
    for (size_t r = 0; r < all->fits->n; r++)
        idle += numbers_are_zero(joint->w + r * joint->cols, joint->cols);
    if (short_of > 0 && all->fits->ended)
        warn(whole->ctx, "not-converged",
             "stopped early (%s) after %zu %ss of all %s; %zu of %zu have a relative gap "
             "above " OPTION "tol, of up to %.2g",
             whole->stopped ? whole->stopped : OPTION "max-iter", all->iterations, all->unit,
             strategy_members(all->fits->strategy), short_of, all->fits->n, gap);
    if (idle > 0)
        warn(whole->ctx, "zero-weights",
             "%zu of %zu %s have weights that are all 0: no column tells them from the rest", idle,
             all->fits->n, strategy_members(all->fits->strategy));
}

/* Of those that are fitted once more by themselves it is a start. */
static void convex_ovr_correct(struct ovr_fit *all) {
    for (size_t r = 0; r < all->fits->n; r++) {
        const double factor[2] = {ovr_factor_of_class(&all->rest, r, false),
                                  ovr_factor_of_class(&all->rest, r, true)};
        all->fits->joint.b[r] -= convex_prior_shift(&all->convex, &all->rest.labels, r, factor);
    }
    convex_warn_of_priors(&all->convex);
}

static sepal_status convex_ovr_report(struct ovr_fit *all) {
    struct fit *whole = all->convex.fit;
    const char *words = convex_describe(&all->convex), *loss = convex_loss_words(&all->convex);
    size_t short_of = 0;
    double gap = 0;
    all->fits->taken = true;
    all->fits->ended = whole->stopped || all->iterations == whole->options.max_iter;
    for (size_t r = 0; r < all->fits->n; r++) {
        struct fit *fit = &all->fits->each[r];
        const struct proof *proof = &all->proofs[r];
        fit->objective = proof->primal;
        fit->dual = proof->dual;
        fit->gap = proof->gap;
        fit->words = words;
        fit->loss = loss;
        fit->priors = convex_priors_words(&all->convex);
        fit->solver = all->solver;
        fit->stopped = fit->converged ? NULL : whole->stopped;
        convex_report_facts(&all->convex, fit, proof);
        if (all->tells && fit->make) all->tells(fit, proof->inside, proof->norm);
        if (fit->converged) continue;
        short_of++;
        gap = fmax(gap, fit->gap);
    }
    convex_ovr_warn_of(all, short_of, gap);
    /* who goes on with single problems warns there */
    return short_of == 0 ? convex_warn_unused(&all->convex) : SEPAL_OK;
}

sepal_status convex_fit_ovr(struct fit *fit, struct ovr_fits *fits, const struct loss *loss,
                            convex_margin_fn tells) {
    struct ovr_fit all = {.convex = {.fit = fit, .config = fit->config},
                          .fits = fits,
                          .tells = tells,
                          .start_ns = clock_ns()};
    enum way way;
    bool taken = true;
    TRY(convex_ovr_set_up(&all, loss));
    TRY(convex_ovr_choose(&way, &all));
    if (way == NEITHER) return SEPAL_OK;
    TRY(open_model(&all));
    TRY(way == BY_NEWTON ? ovr_fit_newton(&all) : ovr_fit_dual(&all, &taken));
    if (taken && way == BY_DUAL) TRY(go_on_by_newton(&all));
    if (!taken) linear_clear(&fits->joint);
    if (taken) convex_ovr_correct(&all);
    return taken ? convex_ovr_report(&all) : SEPAL_OK;
}
