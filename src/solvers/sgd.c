/* Stochastic gradient descent, the delta rule of the course: from 0, on the rows as given,

       u -= eta_t (mean over the rows of a batch of n c_i slope_i y_i (x_i, 1) + l2 u)

   and then, if there is an L1 penalty, every weight moves towards 0 by eta_t l1 and stops there (a
   proximal step: Duchi and Singer, JMLR 2009). Over all batches of an epoch the steps' mean is the
   gradient of the objective. With rows of weight 1 and no penalty a step of logistic regression is
   eta (t - y) x.

   Rows with few entries should cost few operations, but the penalties move every weight. So weights
   are s v: an L2 penalty changes s alone (Bottou 2010). What the L1 penalty takes off is added up in
   one number, and taken off a weight when a row asks for it (Langford, Li and Zhang, JMLR 2009). The
   sum of all weights visited is S v - c, where S is the sum of all s, and a change of v adds S times
   itself to c (Xu 2011). Where steps touch every weight anyway, all this is settled after each. */
#include "core/rng.h"
#include "solvers/solver.h"
#include "solvers/sgd.h"

#include <math.h>
#include <string.h>

/* ---- the weights -------------------------------------------------------------------------- */

double sgd_shrunk(double x, double by) {
    double left = fabs(x) - by;
    return left > 0 ? copysign(left, x) : 0;
}

/* Apply the L1 penalty put off so far to the weights that a row asks for. */
static void apply_lazy_l1(struct sgd *w, const struct block *block, size_t i) {
    size_t at = 0, j;
    double value;
    while (row_next(block, i, w->o->cols, &at, &j, &value)) {
        w->v[j] = sgd_shrunk(w->v[j], w->l1_total - w->l1_applied[j]);
        w->l1_applied[j] = w->l1_total;
    }
}

/* Make v the weights themselves. */
static void sgd_settle(struct sgd *w) {
    size_t cols = w->o->cols;
    if (w->l1_total > 0)
        for (size_t j = 0; j < cols; j++) {
            w->v[j] = sgd_shrunk(w->v[j], w->l1_total - (w->l1_applied ? w->l1_applied[j] : 0));
            if (w->l1_applied) w->l1_applied[j] = 0;
        }
    for (size_t j = 0; w->late && j < cols; j++) {
        w->sum[j] += w->scales * w->v[j] - w->late[j];
        w->late[j] = 0;
    }
    for (size_t j = 0; w->scale != 1 && j < cols; j++) w->v[j] *= w->scale;
    w->scale = 1;
    w->scales = w->l1_total = 0;
}

/* ---- a step ------------------------------------------------------------------------------- */

double sgd_eta(const struct sgd_options *options, size_t steps, size_t steps_an_epoch) {
    double epochs = (double)steps / (double)steps_an_epoch;
    switch (options->schedule) {
    case SCHEDULE_INVERSE: return options->eta / (1 + epochs);
    case SCHEDULE_ROOT: return options->eta / sqrt(1 + epochs);
    case SCHEDULE_CONSTANT: break;
    }
    return options->eta;
}

static double eta_at(const struct sgd *w) {
    return sgd_eta(w->d->sgd, w->steps, w->steps_an_epoch);
}

/* The penalties of a step begin: |w|^2 has a slope, which is taken where the step starts. */
static void sgd_decay(struct sgd *w, double eta) {
    /* scales * v - late is a difference of numbers as large as the scale is small */
    const int small = w->late ? -8 : -30;
    const struct objective *o = w->o;
    double factor = 1 - eta * o->l2;
    if (o->bias == BIAS_PENALISED) w->bias *= factor;
    w->scale *= factor;
    if (w->eager || !(fabs(w->scale) > ldexp(1, small) && fabs(w->scale) < ldexp(1, -small)))
        sgd_settle(w);
}

/* ... and end: |w|_1 has none at 0, where it holds weights. The iterate is complete. */
static void threshold(struct sgd *w, double eta) {
    const struct objective *o = w->o;
    if (o->bias == BIAS_PENALISED) w->bias = sgd_shrunk(w->bias, eta * o->l1);
    w->l1_total += eta * o->l1 / fabs(w->scale);
    if (w->eager && w->l1_total > 0) sgd_settle(w);
    w->steps++;
    if (!w->sum) return;
    w->bias_sum += w->bias;
    if (w->late)
        w->scales += w->scale;
    else
        w->o->ctx->kernels->axpy_f64(1, w->v, w->sum, o->cols);
}

/* What a row of a batch of n adds, as a factor of it. */
static double row_step_factor(struct sgd *w, size_t row, size_t n, double eta) {
    const struct objective *o = w->o;
    const struct kernels *kernels = o->ctx->kernels;
    size_t i;
    const struct block *block = matrix_block_of(o->x, row, &i);
    double alpha, side = objective_side(o, row);
    if (w->l1_applied) apply_lazy_l1(w, block, i);
    double m = side * (w->scale * row_dot(kernels, block, i, o->cols, w->v) + w->bias);
    o->loss->at(kernels, 1, &m, NULL, &alpha, NULL);
    return eta * (double)o->n * o->row_weight[row] * alpha * side / (double)n;
}

static void sgd_add(struct sgd *w, size_t row, double factor) {
    const struct objective *o = w->o;
    size_t i;
    const struct block *block = matrix_block_of(o->x, row, &i);
    if (factor == 0) return;
    factor /= w->scale;
    row_axpy(o->ctx->kernels, block, i, o->cols, factor, w->v);
    if (w->late) row_axpy(o->ctx->kernels, block, i, o->cols, factor * w->scales, w->late);
}

/* One batch: all of its rows are judged by the same weights. */
static void sgd_step(struct sgd *w, size_t first, size_t n) {
    double eta = eta_at(w), factors = 0;
    for (size_t k = 0; k < n; k++) {
        size_t place = first + k;
        w->factor[k] = row_step_factor(w, w->order ? w->order[place] : place, n, eta);
        factors += w->factor[k];
    }
    sgd_decay(w, eta);
    for (size_t k = 0; k < n; k++)
        sgd_add(w, w->order ? w->order[first + k] : first + k, w->factor[k]);
    if (w->o->bias != BIAS_NONE) w->bias += factors;
    threshold(w, eta);
}

/* All rows at once: a step of eta times the gradient. */
static sepal_status step_all(struct sgd *w) {
    const struct objective *o = w->o;
    double eta = eta_at(w);
    memcpy(w->point, w->v, o->cols * sizeof *w->v);
    if (o->bias != BIAS_NONE) w->point[o->cols] = w->bias;
    TRY(objective_sweep(&w->sweep, o, w->point));
    sgd_decay(w, eta);
    o->ctx->kernels->axpy_f64(-eta, w->sweep.gradient, w->v, o->cols);
    if (o->bias != BIAS_NONE) w->bias -= eta * w->sweep.gradient[o->cols];
    threshold(w, eta);
    return SEPAL_OK;
}

/* ---- an epoch ----------------------------------------------------------------------------- */

sepal_status sgd_shuffle(uint32_t *order, const struct objective *o, uint64_t seed, size_t epoch) {
    size_t n = o->n;
    if (n > UINT32_MAX)
        return fail(o->ctx, SEPAL_EDATA,
                    "%zu rows are too many to shuffle; leave shuffle out, or shuffle the file", n);
    for (size_t i = 0; i < n; i++) order[i] = (uint32_t)i;
    struct rng rng = rng_make(seed, epoch);
    rng_shuffle(&rng, order, n);
    return SEPAL_OK;
}

/* Asks now and then, about every millisecond's worth of numbers. */
static bool is_stopped(struct sgd *w, size_t rows) {
    enum { NUMBERS_BETWEEN = 1 << 21 };
    const struct matrix *x = w->o->x;
    w->work += rows * (1 + x->nonzeros / x->rows) + (w->eager ? x->cols : 0);
    if (w->work < NUMBERS_BETWEEN) return false;
    w->work = 0;
    w->d->stopped = w->d->stops(w->d->payload, w->d->iterations, w->objective, NAN);
    return w->d->stopped;
}

static sepal_status sgd_epoch(struct sgd *w, size_t epoch) {
    size_t n = w->o->n, batch = w->d->sgd->batch;
    if (w->order) TRY(sgd_shuffle(w->order, w->o, w->d->seed, epoch));
    if (batch == 0) return step_all(w);
    for (size_t first = 0, part; first < n && !w->d->stopped; first += part) {
        part = n - first < batch ? n - first : batch;
        sgd_step(w, first, part);
        is_stopped(w, part);
    }
    return SEPAL_OK;
}

/* The answer of now, if it is one: what grew beyond all numbers is not taken. */
static sepal_status sgd_look(struct sgd *w, bool *taken) {
    const struct objective *o = w->o;
    double loss, objective;
    sgd_settle(w);
    for (size_t j = 0; j < o->cols; j++)
        w->point[j] = w->sum ? w->sum[j] / (double)w->steps : w->v[j];
    if (o->bias != BIAS_NONE) w->point[o->cols] = w->sum ? w->bias_sum / (double)w->steps : w->bias;
    TRY(objective_margins(w->sweep.m, o, w->point));
    TRY(objective_loss(&loss, o, w->sweep.m));
    objective = loss + objective_penalty(o, w->point);
    *taken = isfinite(objective);
    for (size_t i = 0; i < o->n; i++) *taken = *taken && isfinite(w->sweep.m[i]);
    for (size_t j = 0; j < o->width; j++) *taken = *taken && isfinite(w->point[j]);
    if (!*taken) return SEPAL_OK;
    memcpy(w->d->u, w->point, o->width * sizeof *w->point);
    w->objective = objective;
    return SEPAL_OK;
}

static sepal_status trace_epoch(const struct sgd *w) {
    return sgd_trace(&(struct sgd_epoch){.o = w->o,
                                         .epoch = w->d->iterations,
                                         .steps = w->steps,
                                         .objective = w->objective,
                                         .u = w->d->u,
                                         .functions = 1,
                                         .lanes = 1});
}

static sepal_status sgd_run(struct sgd *w) {
    struct solver *d = w->d;
    size_t most = d->sgd->epochs;
    bool taken;
    if (d->max_iter && d->max_iter < most) most = d->max_iter;
    for (size_t epoch = 1; epoch <= most && !d->stopped; epoch++) {
        TRY(sgd_epoch(w, epoch));
        TRY(sgd_look(w, &taken));
        if (!taken) {
            d->diverged = true;
            return SEPAL_OK;
        }
        d->iterations = epoch;
        if (w->o->ctx->trace) TRY(trace_epoch(w));
        if (d->stops(d->payload, epoch, w->objective, NAN)) d->stopped = true;
    }
    return SEPAL_OK;
}

/* ---- the solver --------------------------------------------------------------------------- */

static sepal_status sgd_make(struct sgd *w) {
    const struct objective *o = w->o;
    const struct sgd_options *options = w->d->sgd;
    size_t batch = options->batch < o->n ? options->batch : o->n;
    bool lazy_sum = options->average && !w->eager, lazy_l1 = o->l1 > 0 && !w->eager;
    sepal_ctx *ctx = o->ctx;
    TRY(ARENA_VECTORS(ctx, &w->arena, o->width, &w->v, &w->point));
    TRY(ARENA_VECTORS(ctx, &w->arena, o->n, &w->sweep.m));
    TRY(ARENA_VECTORS(ctx, &w->arena, batch + 1, &w->factor));
    if (options->batch == 0) TRY(ARENA_VECTORS(ctx, &w->arena, o->width, &w->sweep.gradient));
    if (options->average) TRY(ARENA_VECTORS(ctx, &w->arena, o->width, &w->sum));
    if (lazy_sum) TRY(ARENA_VECTORS(ctx, &w->arena, o->width, &w->late));
    if (lazy_l1) TRY(ARENA_VECTORS(ctx, &w->arena, o->width, &w->l1_applied));
    if (!options->shuffle || options->batch == 0) return SEPAL_OK;
    w->order = arena_alloc(ctx, &w->arena, o->n, sizeof *w->order);
    return w->order ? SEPAL_OK : SEPAL_EMEMORY;
}

sepal_status solve_sgd(struct solver *d) {
    const struct objective *o = d->o;
    size_t batch = d->sgd->batch;
    struct sgd w = {.d = d, .o = o, .scale = 1, .objective = NAN};
    /* a late sum knows nothing of weights that stop at 0 */
    w.eager = !o->rows.sparse || o->centre || batch == 0 || (o->l1 > 0 && d->sgd->average);
    w.steps_an_epoch = batch == 0 ? 1 : (o->n + batch - 1) / batch;
    sepal_status status = sgd_make(&w);
    if (status == SEPAL_OK) {
        memcpy(w.v, d->u, o->cols * sizeof *w.v);
        w.bias = objective_bias(o, d->u);
        status = sgd_run(&w);
    }
    arena_clear(&w.arena);
    return status;
}

static const char *sgd_refuses(const struct objective *o) {
    (void)o;
    return NULL;
}

const struct convex_solver convex_solver_sgd = {
    .name = {"sgd",
             "stochastic gradient descent: as many epochs as asked for, without a gap to aim at",
             .as_given = true},
    .suits = "as asked",
    .solve = solve_sgd,
    .refuses = sgd_refuses,
    .far = SOLVER_FAR,
};
