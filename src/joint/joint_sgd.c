/* Stochastic gradient descent for K scores a row, the delta rule of the course: from 0, on the rows as given,

       U -= eta_t (mean over the rows of a batch of n c_i (x_i, 1) slope_i' + l2 U)

   and then, if there is an L1 penalty, every weight moves towards 0 by eta_t l1 and stops there. The slopes of
   the cross-entropy are y - t, so with rows of weight 1 and no penalty a step is eta (x, 1) (t - y)'.

   What steps over sparse rows put off is as for two classes (solvers/sgd.c): weights are s v, and an L2
   penalty changes s alone; a column takes its L1 penalty, the same for all of its weights, when a row asks
   for it; the sum of all weights visited is S v - c. */
#include "joint/joint_solver.h"
#include "solvers/sgd.h"

#include <math.h>
#include <string.h>

enum { SGD_CHUNK = 16 }; /* lanes that a kernel takes at a time */

struct joint_sgd {
    struct solver *d;
    const struct joint *j;
    const struct objective *o;
    bool eager;               /* steps touch every weight: nothing is put off */
    double scale, *v, *bias;  /* weights are scale times v; lanes */
    double l1_total;          /* in units of v */
    double *l1_applied;       /* cols: what was applied to each column; NULL: all of it, always */
    double *sum;              /* of the iterates, as a point; NULL: not wanted */
    double scales, *late;     /* sum of scales since `sum` was made; what it counted too often */
    uint32_t *order;          /* rows of this epoch; NULL: as they are */
    double *factor;           /* of the rows of a batch: batch x lanes */
    double *point, *row;      /* a point; cols */
    struct joint_sweep sweep; /* scores; with all rows to a step the gradient */
    size_t steps, steps_an_epoch, work;
    double objective; /* after the last epoch */
};

/* ---- a row -------------------------------------------------------------------------------- */

struct joint_sgd_row {
    const double *x;
    const uint32_t *index;
    size_t n;
};

/* The numbers of a row; those of a row with a centre of its own are all there. */
static struct joint_sgd_row sgd_read_row(struct joint_sgd *w, size_t row) {
    struct joint_sgd_row out = {0};
    size_t i, at = 0, column, cols = w->o->cols;
    double value;
    const struct block *block = matrix_block_of(w->o->x, row, &i);
    if (!block->centre) {
        out.n = row_doubles(&out.x, &out.index, block, i, cols, NULL, w->row);
        return out;
    }
    while (row_next(block, i, cols, &at, &column, &value)) w->row[column] = value;
    out.x = w->row;
    out.n = cols;
    return out;
}

static void sgd_add_row(const struct joint_sgd *w, double *to, const double *factor,
                        const struct joint_sgd_row *row) {
    for (size_t l = 0, used, lanes = w->j->lanes; l < lanes; l += used) {
        used = lanes - l < SGD_CHUNK ? lanes - l : SGD_CHUNK;
        w->o->ctx->kernels->lanes_add_f64(to + l, factor + l, row->x, row->index, row->n, lanes,
                                          used);
    }
}

static void sgd_score_row(const struct joint_sgd *w, double *out, const struct joint_sgd_row *row) {
    size_t lanes = w->j->lanes;
    for (size_t l = 0, used; l < lanes; l += used) {
        used = lanes - l < SGD_CHUNK ? lanes - l : SGD_CHUNK;
        w->o->ctx->kernels->lanes_dot_doubles(out + l, row->x, row->index, row->n, w->v + l, lanes,
                                              used);
    }
    for (size_t l = 0; l < lanes; l++) out[l] = w->scale * out[l] + w->bias[l];
}

/* ---- the weights -------------------------------------------------------------------------- */

static void sgd_shrink_column(struct joint_sgd *w, size_t c) {
    double by = w->l1_total - (w->l1_applied ? w->l1_applied[c] : 0);
    double *v = w->v + c * w->j->lanes;
    for (size_t l = 0; l < w->j->lanes; l++) v[l] = sgd_shrunk(v[l], by);
}

/* Apply the L1 penalty put off so far to the weights that a row asks for. */
static void sgd_ask_for(struct joint_sgd *w, const struct joint_sgd_row *row) {
    for (size_t k = 0; k < row->n; k++) {
        sgd_shrink_column(w, row->index[k]);
        w->l1_applied[row->index[k]] = w->l1_total;
    }
}

/* Make v the weights themselves. */
static void joint_sgd_settle(struct joint_sgd *w) {
    size_t cols = w->o->cols, n = cols * w->j->lanes;
    for (size_t c = 0; w->l1_total > 0 && c < cols; c++) {
        sgd_shrink_column(w, c);
        if (w->l1_applied) w->l1_applied[c] = 0;
    }
    for (size_t k = 0; w->late && k < n; k++) {
        w->sum[k] += w->scales * w->v[k] - w->late[k];
        w->late[k] = 0;
    }
    for (size_t k = 0; w->scale != 1 && k < n; k++) w->v[k] *= w->scale;
    w->scale = 1;
    w->scales = w->l1_total = 0;
}

/* ---- a step ------------------------------------------------------------------------------- */

/* The penalties of a step begin: |W|^2 has a slope, which is taken where the step starts. */
static void joint_sgd_decay(struct joint_sgd *w, double eta) {
    /* scales * v - late is a difference of numbers as large as the scale is small */
    const int small = w->late ? -8 : -30;
    double by = 1 - eta * w->o->l2;
    for (size_t l = 0; w->o->bias == BIAS_PENALISED && l < w->j->lanes; l++) w->bias[l] *= by;
    w->scale *= by;
    if (w->eager || !(fabs(w->scale) > ldexp(1, small) && fabs(w->scale) < ldexp(1, -small)))
        joint_sgd_settle(w);
}

/* ... and end: |W|_1 has none at 0, where it holds weights. The iterate is complete. */
static void joint_sgd_threshold(struct joint_sgd *w, double eta) {
    const struct objective *o = w->o;
    size_t lanes = w->j->lanes, n = o->cols * lanes;
    for (size_t l = 0; o->bias == BIAS_PENALISED && l < lanes; l++)
        w->bias[l] = sgd_shrunk(w->bias[l], eta * o->l1);
    w->l1_total += eta * o->l1 / fabs(w->scale);
    if (w->eager && w->l1_total > 0) joint_sgd_settle(w);
    w->steps++;
    if (!w->sum) return;
    for (size_t l = 0; o->bias != BIAS_NONE && l < lanes; l++) w->sum[n + l] += w->bias[l];
    if (w->late)
        w->scales += w->scale;
    else
        o->ctx->kernels->axpy_f64(1, w->v, w->sum, n);
}

/* What a row of a batch of n adds, as factors of it. */
static void sgd_row_factors(struct joint_sgd *w, double *factor, size_t row, size_t n, double eta) {
    const struct joint *j = w->j;
    struct joint_sgd_row x = sgd_read_row(w, row);
    double value, *score = w->sweep.score, by = -eta * (double)w->o->n * w->o->row_weight[row];
    if (w->l1_applied) sgd_ask_for(w, &x);
    sgd_score_row(w, score, &x);
    j->loss->at(w->o->ctx->kernels, 1, j->classes, j->lanes, score, w->o->label + row, &value,
                factor, NULL);
    for (size_t l = 0; l < j->lanes; l++) factor[l] *= by / (double)n;
}

static void joint_sgd_add(struct joint_sgd *w, size_t row, double *factor) {
    struct joint_sgd_row x = sgd_read_row(w, row);
    for (size_t l = 0; l < w->j->lanes; l++) factor[l] /= w->scale;
    sgd_add_row(w, w->v, factor, &x);
    if (!w->late) return;
    for (size_t l = 0; l < w->j->lanes; l++) factor[l] *= w->scales;
    sgd_add_row(w, w->late, factor, &x);
}

/* One batch: all of its rows are judged by the same weights. */
static void joint_sgd_step(struct joint_sgd *w, size_t first, size_t n) {
    size_t lanes = w->j->lanes;
    double eta = sgd_eta(w->d->sgd, w->steps, w->steps_an_epoch), *sum = w->factor + n * lanes;
    memset(sum, 0, lanes * sizeof *sum);
    for (size_t k = 0; k < n; k++) {
        double *factor = w->factor + k * lanes;
        sgd_row_factors(w, factor, w->order ? w->order[first + k] : first + k, n, eta);
        for (size_t l = 0; l < lanes; l++) sum[l] += factor[l];
    }
    joint_sgd_decay(w, eta);
    for (size_t k = 0; k < n; k++)
        joint_sgd_add(w, w->order ? w->order[first + k] : first + k, w->factor + k * lanes);
    for (size_t l = 0; w->o->bias != BIAS_NONE && l < lanes; l++) w->bias[l] += sum[l];
    joint_sgd_threshold(w, eta);
}

static void joint_sgd_point(struct joint_sgd *w, const double *weights, const double *bias,
                            double by) {
    size_t n = w->o->cols * w->j->lanes;
    for (size_t k = 0; k < n; k++) w->point[k] = weights[k] / by;
    for (size_t l = 0; w->o->bias != BIAS_NONE && l < w->j->lanes; l++)
        w->point[n + l] = bias[l] / by;
}

/* All rows at once: a step of eta times the gradient. */
static sepal_status joint_sgd_step_all(struct joint_sgd *w) {
    const struct objective *o = w->o;
    size_t n = o->cols * w->j->lanes;
    double eta = sgd_eta(w->d->sgd, w->steps, w->steps_an_epoch);
    joint_sgd_point(w, w->v, w->bias, 1);
    TRY(joint_sweep(&w->sweep, w->j, w->point));
    joint_sgd_decay(w, eta);
    o->ctx->kernels->axpy_f64(-eta, w->sweep.gradient, w->v, n);
    for (size_t l = 0; o->bias != BIAS_NONE && l < w->j->lanes; l++)
        w->bias[l] -= eta * w->sweep.gradient[n + l];
    joint_sgd_threshold(w, eta);
    return SEPAL_OK;
}

/* ---- an epoch ----------------------------------------------------------------------------- */

/* Asks now and then, about every millisecond's worth of numbers. */
static void joint_sgd_ask(struct joint_sgd *w, size_t rows) {
    enum { NUMBERS_BETWEEN = 1 << 21 };
    const struct matrix *x = w->o->x;
    w->work += w->j->lanes * (rows * (1 + x->nonzeros / x->rows) + (w->eager ? x->cols : 0));
    if (w->work < NUMBERS_BETWEEN) return;
    w->work = 0;
    w->d->stopped = w->d->stops(w->d->payload, w->d->iterations, w->objective, NAN);
}

static sepal_status joint_sgd_epoch(struct joint_sgd *w, size_t epoch) {
    size_t n = w->o->n, batch = w->d->sgd->batch;
    if (w->order) TRY(sgd_shuffle(w->order, w->o, w->d->seed, epoch));
    if (batch == 0) return joint_sgd_step_all(w);
    for (size_t first = 0, part; first < n && !w->d->stopped; first += part) {
        part = n - first < batch ? n - first : batch;
        joint_sgd_step(w, first, part);
        joint_sgd_ask(w, part);
    }
    return SEPAL_OK;
}

/* The answer of now, if it is one: what grew beyond all numbers is not taken. */
static sepal_status joint_sgd_look(struct joint_sgd *w, bool *taken) {
    const struct joint *j = w->j;
    double loss, objective;
    joint_sgd_settle(w);
    joint_sgd_point(w, w->sum ? w->sum : w->v, w->sum ? w->sum + w->o->cols * j->lanes : w->bias,
                    w->sum ? (double)w->steps : 1);
    TRY(joint_scores(w->sweep.score, j, w->point));
    TRY(joint_loss_at(&loss, j, w->sweep.score));
    objective = loss + joint_penalty(j, w->point);
    *taken = isfinite(objective);
    for (size_t k = 0; k < j->cells; k++) *taken = *taken && isfinite(w->sweep.score[k]);
    for (size_t k = 0; k < j->size; k++) *taken = *taken && isfinite(w->point[k]);
    if (!*taken) return SEPAL_OK;
    memcpy(w->d->u, w->point, j->size * sizeof *w->point);
    w->objective = objective;
    return SEPAL_OK;
}

static sepal_status joint_sgd_trace(const struct joint_sgd *w) {
    return sgd_trace(&(struct sgd_epoch){.o = w->o,
                                         .epoch = w->d->iterations,
                                         .steps = w->steps,
                                         .objective = w->objective,
                                         .u = w->d->u,
                                         .functions = w->j->classes,
                                         .lanes = w->j->lanes});
}

static sepal_status joint_sgd_run(struct joint_sgd *w) {
    struct solver *d = w->d;
    size_t most = d->sgd->epochs;
    bool taken;
    if (d->max_iter && d->max_iter < most) most = d->max_iter;
    for (size_t epoch = 1; epoch <= most && !d->stopped; epoch++) {
        TRY(joint_sgd_epoch(w, epoch));
        TRY(joint_sgd_look(w, &taken));
        if (!taken) {
            d->diverged = true;
            return SEPAL_OK;
        }
        d->iterations = epoch;
        if (w->o->ctx->trace) TRY(joint_sgd_trace(w));
        if (d->stops(d->payload, epoch, w->objective, NAN)) d->stopped = true;
    }
    return SEPAL_OK;
}

/* ---- the solver --------------------------------------------------------------------------- */

static sepal_status joint_sgd_make(struct joint_sgd *w, struct arena *arena) {
    const struct joint *j = w->j;
    const struct objective *o = w->o;
    const struct sgd_options *options = w->d->sgd;
    size_t batch = options->batch < o->n ? options->batch : o->n;
    sepal_ctx *ctx = o->ctx;
    TRY(ARENA_VECTORS(ctx, arena, j->size, &w->v, &w->point));
    TRY(ARENA_VECTORS(ctx, arena, j->lanes, &w->bias));
    TRY(ARENA_VECTORS(ctx, arena, j->cells, &w->sweep.score));
    TRY(ARENA_VECTORS(ctx, arena, (batch + 1) * j->lanes, &w->factor));
    TRY(ARENA_VECTORS(ctx, arena, o->cols, &w->row));
    if (options->batch == 0) TRY(ARENA_VECTORS(ctx, arena, j->size, &w->sweep.gradient));
    if (options->average) TRY(ARENA_VECTORS(ctx, arena, j->size, &w->sum));
    if (options->average && !w->eager) TRY(ARENA_VECTORS(ctx, arena, j->size, &w->late));
    if (o->l1 > 0 && !w->eager) TRY(ARENA_VECTORS(ctx, arena, o->cols, &w->l1_applied));
    if (!options->shuffle || options->batch == 0) return SEPAL_OK;
    w->order = arena_alloc(ctx, arena, o->n, sizeof *w->order);
    return w->order ? SEPAL_OK : SEPAL_EMEMORY;
}

static sepal_status solve_joint_sgd(struct solver *d) {
    const struct joint *j = d->joint;
    const struct objective *o = j->o;
    size_t batch = d->sgd->batch, weights = o->cols * j->lanes;
    struct joint_sgd w = {.d = d, .j = j, .o = o, .scale = 1, .objective = NAN};
    struct arena arena = {0};
    /* a late sum knows nothing of weights that stop at 0 */
    w.eager = !o->rows.sparse || o->centre || o->x->blocks[0].centre || batch == 0 ||
              (o->l1 > 0 && d->sgd->average);
    w.steps_an_epoch = batch == 0 ? 1 : (o->n + batch - 1) / batch;
    sepal_status status = joint_sgd_make(&w, &arena);
    if (status == SEPAL_OK) {
        memcpy(w.v, d->u, weights * sizeof *w.v);
        if (o->bias != BIAS_NONE) memcpy(w.bias, d->u + weights, j->lanes * sizeof *w.bias);
        status = joint_sgd_run(&w);
    }
    arena_clear(&arena);
    return status;
}

static const char *joint_sgd_refuses(const struct joint *j) {
    (void)j;
    return NULL;
}

const struct joint_solver_row joint_solver_sgd = {
    .name = {"sgd",
             "stochastic gradient descent: as many epochs as asked for, without a gap to aim at",
             .as_given = true},
    .suits = "as asked",
    .solve = solve_joint_sgd,
    .refuses = joint_sgd_refuses,
};
