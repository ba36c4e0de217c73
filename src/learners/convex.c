#include "learners/convex.h"

#include "core/alloc.h"
#include "core/clock.h"
#include "solvers/column_subset.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Unless --tol says otherwise: see docs/numerics.md. */
static const double DEFAULT_TOL = 1e-6;

/* ---- set-up ------------------------------------------------------------------------------- */

static sepal_status set_penalty(struct convex *convex) {
    const struct convex_config *c = convex->config;
    struct objective *o = &convex->objective;
    o->l1 = isnan(c->c) ? c->l1 : c->ratio / (c->c * convex->total);
    o->l2 = isnan(c->c) ? c->l2 : (1 - c->ratio) / (c->c * convex->total);
    if (isfinite(o->l1 + o->l2)) return SEPAL_OK;
    return fail(convex->fit->ctx, SEPAL_EUSAGE,
                "C=%g makes the penalty larger than any number; all weights would be 0: raise C",
                c->c);
}

/* Nothing leads back from where the objective is infinite; and from weights worse than 0 solvers are
   not sent, since near the largest numbers none finds back. Only sgd begins where it is told to. */
static sepal_status judge_start(struct convex *convex) {
    const struct objective *o = &convex->objective;
    struct solver *d = &convex->descent;
    double *m = d->alpha, loss, at_zero; /* room for margins, until there are dual variables */
    TRY(objective_margins(m, o, d->u));
    TRY(objective_loss(&loss, o, m));
    double there = loss + objective_penalty(o, d->u);
    memset(m, 0, o->n * sizeof *m);
    if (!isfinite(there))
        return fail(convex->fit->ctx, SEPAL_EMODEL,
                    "its weights are too large to start from: the objective there is beyond the "
                    "range of a double; leave " OPTION "warm out");
    TRY(objective_loss(&at_zero, o, m));
    /* where weights of 0 are out of bounds, they are no start either */
    if (there <= at_zero || convex_is_sgd(convex->fit) || o->box) return SEPAL_OK;
    memset(d->u, 0, o->width * sizeof *d->u);
    d->warm = false;
    warn(o->ctx, "warm-start",
         "the model of " OPTION
         "warm is no start: its objective on these rows is %.3g, and weights of 0 "
         "have "
         "%.3g, so these were the start",
         there, at_zero);
    return SEPAL_OK;
}

/* Where another model left off, in our coordinates: the bias is that of rows less the centre of our
   answer. What sparse rows carry beside them is taken off for both. */
static sepal_status convex_set_start(struct convex *convex) {
    const struct linear *warm = convex->fit->warm, *own = &convex->fit->linear;
    struct objective *o = &convex->objective;
    struct solver *d = &convex->descent;
    if (!warm) return SEPAL_OK;
    double bias = warm->b[0];
    for (size_t j = 0; j < o->cols; j++) {
        double before = warm->centre ? warm->centre[j] : 0, now = own->centre ? own->centre[j] : 0;
        d->u[j] = warm->w[j];
        bias += warm->w[j] * (now - before);
    }
    if (o->bias != BIAS_NONE) d->u[o->cols] = bias;
    d->warm = true;
    d->near = convex->fit->near;
    convex_enter_box(convex);
    return judge_start(convex);
}

const char *convex_time_left(char out[64], struct convex *convex, double gap, size_t done,
                             size_t of, uint64_t start_ns) {
    *out = 0;
    if (!(convex->first_gap > 0)) {
        convex->first_gap = gap;
        convex->first_ns = clock_ns();
    }
    /* most solvers gain digits at a steady rate, or faster */
    double gained = log(convex->first_gap / gap), missing = log(gap / convex->descent.tol);
    double seconds = clock_seconds_since(convex->first_ns) * missing / gained;
    if (of > 1) seconds = fit_left(clock_seconds_since(start_ns), seconds, done, of);
    if (gained > 1 && missing > 0)
        (void)snprintf(out, 64, ", about %.0f s left%s", seconds, of > 1 ? " for all" : "");
    return out;
}

static bool convex_stops(void *payload, size_t iteration, double objective, double gap) {
    struct convex *convex = payload;
    const struct fit *fit = convex->fit;
    const char *unit = convex_is_sgd(fit) ? "epoch" : "step";
    char left[64];
    iteration += convex->before;
    fit_note(convex->fit, iteration, objective);
    if (isnan(gap))
        return fit_stops(convex->fit, "%s %zu, objective %.6g", unit, iteration, objective);
    (void)convex_time_left(left, convex, gap, fit->among.done, fit->among.of, fit->among.start_ns);
    return fit_stops(convex->fit, "%s %zu, objective %.6g, gap %.1e%s", unit, iteration, objective,
                     gap, left);
}

bool convex_centres(const struct fit *fit) {
    const struct convex_config *config = fit->config;
    return config->bias == BIAS_FREE && !convex_is_sgd(fit);
}

sepal_status convex_pose(struct convex *convex, const struct loss *loss, double *centre) {
    struct fit *fit = convex->fit;
    const sepal_data *data = fit->data;
    struct objective *o = &convex->objective;
    convex->total = data->total_weight;
    TRY(convex_row_weights(convex));
    *o = (struct objective){.ctx = fit->ctx,
                            .arena = &fit->arena,
                            .x = &data->matrix,
                            .loss = loss,
                            .label = data->label,
                            .row_weight = convex->row_weight,
                            .box = fit->box,
                            .bias = (enum bias)convex->config->bias};
    TRY(set_penalty(convex));
    if (centre) TRY(objective_centre(centre, o));
    convex->centred = o->centre != NULL;
    TRY(objective_init(o));
    double tol = isnan(fit->options.tol) ? DEFAULT_TOL : fit->options.tol;
    convex->descent = (struct solver){.o = o,
                                      .tol = tol,
                                      .max_iter = fit->options.max_iter,
                                      .seed = fit->ctx->seed,
                                      .decrement = NAN,
                                      .stops = convex_stops,
                                      .payload = convex};
    convex->tol = tol;
    convex->sgd_options = convex_sgd_options(convex->config);
    convex->descent.sgd = &convex->sgd_options;
    return SEPAL_OK;
}

sepal_status convex_set_up(struct convex *convex, const struct loss *loss) {
    struct fit *fit = convex->fit;
    struct objective *o = &convex->objective;
    TRY(linear_init(&fit->linear, fit->ctx, 2, fit->data->matrix.cols, convex_centres(fit)));
    TRY(convex_pose(convex, loss, fit->linear.centre));
    if (!convex->centred) linear_uncentre(&fit->linear);
    /* without a bias the point is the weights, and large ones are costly to have twice */
    convex->descent.u = o->bias == BIAS_NONE
                            ? fit->linear.w
                            : arena_zero(fit->ctx, &fit->arena, o->width, sizeof(double));
    convex->descent.alpha = arena_zero(fit->ctx, &fit->arena, o->n, sizeof(double));
    if (!convex->descent.u || !convex->descent.alpha) return SEPAL_EMEMORY;
    return convex_set_start(convex);
}

/* ---- solving ------------------------------------------------------------------------------ */

static sepal_status convex_prove(void *fit) {
    struct convex *convex = fit;
    const struct solver *d = &convex->descent;
    const struct objective *o = d->o;
    /* without a penalty there is no bound, and the gradient at the point is what there is to say; where
       the loss has a kink the solver knows which subgradient */
    bool theirs = d->paired && (o->l1 > 0 || o->l2 > 0 || o->box || !o->loss->smooth);
    return certify(&convex->proof, o, d->u, theirs ? d->alpha : NULL);
}

sepal_status convex_run_one(struct convex *convex, sepal_status (*solve)(struct solver *d),
                            int far) {
    struct solver *d = &convex->descent;
    size_t limit = d->max_iter;
    convex->before = d->iterations;
    if (limit && limit <= convex->before) return SEPAL_OK;
    if (limit) d->max_iter -= convex->before;
    d->iterations = 0;
    TRY(far == NO_UNITS ? solve(d) : solve_in_units(d, solve, far));
    d->max_iter = limit;
    d->iterations += convex->before;
    return SEPAL_OK;
}

static sepal_status run_one(struct convex *convex, const struct convex_solver *solver) {
    return convex_run_one(convex, solver->solve,
                          convex_is_sgd(convex->fit) ? NO_UNITS : solver->far);
}

static sepal_status convex_run(struct convex *convex, struct convex_plan *plan) {
    struct solver *d = &convex->descent;
    for (;;) {
        d->limit = plan->then ? plan->limit : 0;
        TRY(run_one(convex, plan->first));
        d->limit = 0;
        if (d->converged || d->stopped || !plan->then) return SEPAL_OK;
        if (d->max_iter && d->max_iter <= d->iterations) return SEPAL_OK;
        d->warm = true;
        convex->handed_on = convex->handed_over;
        convex->handed_over = true;
        *plan = (struct convex_plan){
            .first = plan->then, .then = plan->last, .limit = plan->then_limit, .why = plan->why};
    }
}

double convex_rounding(const struct convex *convex) {
    return convex->proof.rounding / fmax(fabs(convex->proof.primal), 1e-300);
}

bool convex_goes_on(struct convex *convex, int round, size_t before) {
    enum { ROUNDS = 6 };
    static const double LITTLE_MORE = 2;
    struct solver *d = &convex->descent;
    double gap = convex->proof.gap;
    bool short_of = d->converged && !d->stopped && gap > convex->tol;
    /* where the rest is rounding, no aim of a solver helps */
    bool lost = gap <= LITTLE_MORE * convex_rounding(convex) || round == ROUNDS ||
                (round > 0 && d->iterations == before);
    if (gap <= convex->tol) d->converged = true;
    if (!short_of) return false;
    d->converged = false;
    if (lost) return false;
    d->tol *= 0.1;
    d->warm = true;
    return true;
}

sepal_status convex_fall_back(struct convex *convex, size_t size, sepal_status (*prove)(void *fit),
                              void *fit) {
    static const double HOPELESS = 0.5;
    struct solver *d = &convex->descent;
    struct proof found = convex->proof;
    bool paired = d->paired,
         bounded = convex->objective.box; /* which need not allow weights of 0 */
    if (d->converged || d->stopped || found.gap < HOPELESS) return SEPAL_OK;
    if (bounded || convex_is_sgd(convex->fit)) return SEPAL_OK;
    double *kept = mem_alloc(convex->fit->ctx, size, sizeof *kept);
    if (!kept) return SEPAL_EMEMORY;
    memcpy(kept, d->u, size * sizeof *kept);
    memset(d->u, 0, size * sizeof *d->u);
    d->paired = false;
    sepal_status status = prove(fit);
    if (status == SEPAL_OK && found.primal <= convex->proof.primal) {
        memcpy(d->u, kept, size * sizeof *kept);
        d->paired = paired;
        convex->proof = found;
    }
    mem_free(kept);
    return status;
}

sepal_status convex_solve(struct convex *convex, struct convex_plan plan) {
    for (int round = 0;; round++) {
        size_t before = convex->descent.iterations;
        TRY(convex_run(convex, &plan));
        TRY(convex_prove(convex));
        if (!convex_goes_on(convex, round, before)) break;
    }
    return convex_fall_back(convex, convex->objective.width, convex_prove, convex);
}

/* ---- what came of it ---------------------------------------------------------------------- */

void convex_keep_weights(struct convex *convex) {
    const struct objective *o = &convex->objective;
    struct linear *linear = &convex->fit->linear;
    if (linear->w != convex->descent.u)
        memcpy(linear->w, convex->descent.u, o->cols * sizeof *linear->w);
    linear->b[0] = objective_bias(o, convex->descent.u);
}

sepal_status convex_fit(struct fit *fit, const struct loss *loss) {
    struct convex convex = {.fit = fit, .config = fit->config};
    struct convex_plan plan;
    TRY(convex_set_up(&convex, loss));
    TRY(convex_choose(&plan, &convex));
    if (!fit->warm) convex_enter_box(&convex);
    TRY(convex_warn_unused(&convex));
    TRY(convex_solve(&convex, plan));
    convex_keep_weights(&convex);
    TRY(convex_separation(&convex));
    convex_warn(&convex);
    convex_warn_of_priors(&convex);
    const struct row_labels labels = data_labels(fit->data);
    fit->linear.b[0] -= convex_prior_shift(&convex, &labels, 1, (double[]){1, 1});
    convex_report(&convex, &plan);
    return SEPAL_OK;
}
