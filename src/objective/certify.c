#include "objective/certify.h"

#include "core/alloc.h"
#include "core/parallel.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* A sum that carries what rounding has cut off (Neumaier 1974). */
struct total {
    double sum, rest;
};

static void total_add(struct total *total, double x) {
    double sum = total->sum + x;
    total->rest += fabs(total->sum) >= fabs(x) ? (total->sum - sum) + x : (x - sum) + total->sum;
    total->sum = sum;
}

static double total_of(const struct total *total) {
    return total->sum + total->rest;
}

/* l1 |x| + l2/2 x^2 of what x is beyond `off` */
static inline double penalty_beyond(double x, double off, double l1, double l2) {
    double over = fabs(x) - off;
    over = over > 0 ? over : 0;
    return over * l1 + 0.5 * l2 * over * over;
}

/* Its sum over x, some sums side by side: the additions of one wait for each other. The rests are
   taken by Knuth's way, which asks for no comparison. */
static struct total total_penalty(const double *x, size_t n, double off, double l1, double l2) {
    enum { LANES = 4 };
    double sum[LANES] = {0}, rest[LANES] = {0};
    struct total total = {0};
    size_t j = 0;
    for (; n - j >= LANES; j += LANES)
        for (size_t l = 0; l < LANES; l++) {
            double y = penalty_beyond(x[j + l], off, l1, l2), s = sum[l] + y, part = s - sum[l];
            rest[l] += (sum[l] - (s - part)) + (y - part);
            sum[l] = s;
        }
    for (; j < n; j++) total_add(&total, penalty_beyond(x[j], off, l1, l2));
    for (size_t l = 0; l < LANES; l++) {
        total_add(&total, sum[l]);
        total_add(&total, rest[l]);
    }
    return total;
}

/* The rows go to the sums v in two parts, so that two threads can share them; other sums are taken
   in stripes. */
enum { PARTS = 2, STRIPES = 64 };

struct proving {
    const struct objective *o;
    const double *u;
    double shift;       /* of all scores */
    double *m, *a;      /* n: margins, dual variables */
    const double *pull; /* what they are made of; NULL: the margins */
    double *v;          /* PARTS x width: sums of share_i a_i y_i (x_i - c, 1) */
    double *reach;      /* the same of the terms' magnitudes; NULL: not wanted */
    double shrink;      /* of the dual variables, for an L1 penalty alone */
};

/* A sum over n rows or columns; `of` gives that of some of them. */
struct sum {
    const struct proving *all;
    size_t n;
    struct total (*of)(const struct proving *all, size_t from, size_t to);
    struct total stripe[STRIPES];
};

/* Small problems are done before another thread wakes up. */
static sepal_status run_tasks(const struct objective *o, size_t n, task_fn task, void *payload) {
    if (o->slabs > 1) return parallel_for(o->ctx, n, task, payload);
    for (size_t k = 0; k < n; k++) TRY(task(o->ctx, k, payload));
    return SEPAL_OK;
}

static sepal_status sum_stripe(sepal_ctx *ctx, size_t stripe, void *payload) {
    struct sum *sum = payload;
    size_t from = sum->n * stripe / STRIPES, to = sum->n * (stripe + 1) / STRIPES;
    (void)ctx;
    sum->stripe[stripe] = sum->of(sum->all, from, to);
    return SEPAL_OK;
}

static sepal_status sum_up(struct total *total, struct sum sum) {
    TRY(run_tasks(sum.all->o, STRIPES, sum_stripe, &sum));
    for (size_t s = 0; s < STRIPES; s++) {
        total_add(total, sum.stripe[s].sum);
        total_add(total, sum.stripe[s].rest);
    }
    return SEPAL_OK;
}

/* ---- the point ---------------------------------------------------------------------------- */

static sepal_status margins_of_block(sepal_ctx *ctx, size_t b, void *payload) {
    const struct proving *all = payload;
    const struct objective *o = all->o;
    const struct block *block = &o->rows.blocks[b];
    for (size_t i = 0; i < block->rows; i++) {
        size_t row = block->first_row + i;
        double score = o->centre && !block->sparse
                           ? row_dot_centred(ctx->kernels, block, i, o->cols, o->centre, all->u)
                           : row_dot(ctx->kernels, block, i, o->cols, all->u);
        all->m[row] = (score + all->shift) * objective_side(o, row);
    }
    return SEPAL_OK;
}

static struct total losses(const struct proving *all, size_t from, size_t to) {
    enum { SOME = 256 };
    const struct objective *o = all->o;
    struct total total = {0};
    double value[SOME];
    for (size_t i = from, n; i < to; i += n) {
        n = to - i < SOME ? to - i : SOME;
        o->loss->at(o->ctx->kernels, n, all->m + i, value, NULL, NULL);
        for (size_t k = 0; k < n; k++) total_add(&total, o->share[i + k] * value[k]);
    }
    return total;
}

static struct total penalties(const struct proving *all, size_t from, size_t to) {
    return total_penalty(all->u + from, to - from, 0, all->o->l1, all->o->l2);
}

static sepal_status primal(double *out, const struct proving *all) {
    struct total total = {0};
    TRY(sum_up(&total, (struct sum){.all = all, .n = all->o->n, .of = losses}));
    TRY(sum_up(&total, (struct sum){.all = all, .n = all->o->penalised, .of = penalties}));
    *out = total_of(&total);
    return SEPAL_OK;
}

/* ---- a dual point ------------------------------------------------------------------------- */

/* Into the range of the loss; what is no number becomes 0. A stripe of the rows. */
static sepal_status clip_stripe(sepal_ctx *ctx, size_t stripe, void *payload) {
    const struct proving *all = payload;
    const struct objective *o = all->o;
    size_t from = o->n * stripe / STRIPES, to = o->n * (stripe + 1) / STRIPES;
    if (!all->pull) o->loss->at(ctx->kernels, to - from, all->m + from, NULL, all->a + from, NULL);
    for (size_t i = from; i < to; i++) {
        double a = all->pull ? all->pull[i] : all->a[i];
        if (isnan(a)) a = 0;
        all->a[i] = fmin(fmax(a, o->loss->least), o->loss->most);
    }
    return SEPAL_OK;
}

static sepal_status clip(struct proving *all, const double *pull) {
    all->pull = pull;
    return run_tasks(all->o, STRIPES, clip_stripe, all);
}

/* How far a dual variable may move: the more, the less moving it costs. */
static double room(const struct loss *loss, double a) {
    if (isinf(loss->least)) return 1;
    return isinf(loss->most) ? a : a * (1 - a / loss->most);
}

/* A free bias needs the sums of both sides to be equal. What is amiss is shared out over the
   variables between their bounds, where the dual is flat; if they have not the room for it, the
   larger side is shrunk. */
static void balance(const struct proving *all) {
    const struct objective *o = all->o;
    struct total sides[2] = {{0, 0}, {0, 0}}, rooms = {0};
    for (size_t i = 0; i < o->n; i++) {
        total_add(&sides[o->label[i] == 1], o->share[i] * all->a[i]);
        total_add(&rooms, o->share[i] * room(o->loss, all->a[i]));
    }
    double low = total_of(&sides[0]), high = total_of(&sides[1]), space = total_of(&rooms);
    double step = (high - low) / space;
    bool moves = space > 0 && (isinf(o->loss->least) || fabs(step) < 1);
    double factor[2] = {low > high ? high / low : 1, high > low ? low / high : 1};
    for (size_t i = 0; i < o->n; i++) {
        if (moves)
            all->a[i] -= step * objective_side(o, i) * room(o->loss, all->a[i]);
        else
            all->a[i] *= factor[o->label[i] == 1];
        all->a[i] = fmin(fmax(all->a[i], o->loss->least), o->loss->most);
    }
}

static void add_row(const struct proving *all, const struct block *block, size_t i, size_t part) {
    const struct objective *o = all->o;
    size_t row = block->first_row + i, at = 0, column;
    double value, factor = o->share[row] * all->a[row] * objective_side(o, row);
    double *v = all->v + part * o->width, *reach = all->reach ? all->reach + part * o->width : NULL;
    if (o->bias != BIAS_NONE) v[o->cols] += factor;
    if (o->bias != BIAS_NONE && reach) reach[o->cols] += fabs(factor);
    if (factor == 0) return;
    if (!o->centre && !reach) {
        row_axpy(o->ctx->kernels, block, i, o->cols, factor, v);
    } else if (!block->sparse) {
        for (size_t j = 0; j < o->cols; j++) {
            double x =
                block->f32 ? (double)block->f32[i * o->cols + j] : block->f64[i * o->cols + j];
            double term = factor * (o->centre ? x - o->centre[j] : x);
            v[j] += term;
            if (reach) reach[j] += fabs(term);
        }
    } else {
        while (row_next(block, i, o->cols, &at, &column, &value)) {
            v[column] += factor * value;
            if (reach) reach[column] += fabs(factor * value);
        }
    }
}

static sepal_status add_part(sepal_ctx *ctx, size_t part, void *payload) {
    const struct proving *all = payload;
    const struct matrix *rows = &all->o->rows;
    size_t from = rows->n_blocks * part / PARTS, to = rows->n_blocks * (part + 1) / PARTS;
    size_t width = all->o->width;
    (void)ctx;
    memset(all->v + part * width, 0, width * sizeof *all->v);
    if (all->reach) memset(all->reach + part * width, 0, width * sizeof *all->reach);
    for (size_t b = from; b < to; b++)
        for (size_t i = 0; i < rows->blocks[b].rows; i++) add_row(all, &rows->blocks[b], i, part);
    return SEPAL_OK;
}

static sepal_status join_parts(sepal_ctx *ctx, size_t stripe, void *payload) {
    const struct proving *all = payload;
    size_t width = all->o->width, to = width * (stripe + 1) / STRIPES;
    (void)ctx;
    for (size_t j = width * stripe / STRIPES; j < to; j++) {
        all->v[j] += all->v[width + j];
        if (all->reach) all->reach[j] += all->reach[width + j];
    }
    return SEPAL_OK;
}

/* v = sums over the rows, both parts, less what the centre of sparse rows takes off. */
static sepal_status add_rows(struct proving *all) {
    const struct objective *o = all->o;
    TRY(run_tasks(o, PARTS, add_part, all));
    TRY(run_tasks(o, STRIPES, join_parts, all));
    if (!o->centre || !o->rows.sparse) return SEPAL_OK;
    struct total factors = {0};
    for (size_t i = 0; i < o->n; i++)
        total_add(&factors, o->share[i] * all->a[i] * objective_side(o, i));
    for (size_t j = 0; j < o->cols; j++) all->v[j] -= total_of(&factors) * o->centre[j];
    return SEPAL_OK;
}

static double largest(const double *v, size_t n) {
    double most = 0;
    for (size_t j = 0; j < n; j++) most = fmax(most, fabs(v[j]));
    return most;
}

/* Without a penalty the sums must be 0, as far as sums of such terms can be. */
static bool sums_vanish(const struct proving *all) {
    const struct objective *o = all->o;
    static const double rounding = 1e-12;
    for (size_t j = 0; j < o->width; j++)
        if (!(fabs(all->v[j]) <= rounding * all->reach[j])) return false;
    return true;
}

static struct total earnings(const struct proving *all, size_t from, size_t to) {
    const struct objective *o = all->o;
    struct total total = {0};
    for (size_t i = from; i < to; i++)
        total_add(&total, o->share[i] * o->loss->earns(all->shrink * all->a[i]));
    return total;
}

/* l2 times what the penalty takes off. */
static struct total charges(const struct proving *all, size_t from, size_t to) {
    return total_penalty(all->v + from, to - from, all->o->l1, 0, 1);
}

/* What roundings have left of sums that should be 0, at the weights' own size. */
static struct total rests(const struct proving *all, size_t from, size_t to) {
    struct total total = {0};
    for (size_t j = from; j < to; j++) total_add(&total, -fabs(all->v[j] * all->u[j]));
    return total;
}

static sepal_status dual(double *out, struct proving *all) {
    const struct objective *o = all->o;
    struct total total = {0};
    *out = NAN;
    all->shrink = 1;
    if (o->l2 == 0 && o->l1 == 0 && !sums_vanish(all)) return SEPAL_OK;
    if (o->l2 == 0 && o->l1 > 0) {
        double most = largest(all->v, o->penalised);
        if (most > o->l1) all->shrink = o->l1 / most * (1 - DBL_EPSILON);
    }
    TRY(sum_up(&total, (struct sum){.all = all, .n = o->n, .of = earnings}));
    if (o->l2 == 0 && o->l1 == 0)
        TRY(sum_up(&total, (struct sum){.all = all, .n = o->width, .of = rests}));
    if (o->l2 > 0) {
        struct total charged = {0};
        TRY(sum_up(&charged, (struct sum){.all = all, .n = o->penalised, .of = charges}));
        total_add(&total, -total_of(&charged) / o->l2);
    }
    *out =
        fmax(total_of(&total), 0); /* no losses are below 0: all dual variables 0 prove as much */
    return SEPAL_OK;
}

/* ---- together ----------------------------------------------------------------------------- */

/* The largest entry of the subgradient; v holds the sums of the point's own pulls. */
static double steepest(const struct proving *all) {
    const struct objective *o = all->o;
    double most = 0;
    for (size_t j = 0; j < o->width; j++) {
        bool penalised = j < o->penalised;
        double slope = -all->v[j] + (penalised ? o->l2 * all->u[j] : 0);
        double l1 = penalised ? o->l1 : 0;
        double left =
            all->u[j] != 0 ? fabs(slope + copysign(l1, all->u[j])) : fmax(0, fabs(slope) - l1);
        most = fmax(most, left);
    }
    return most;
}

static sepal_status prove(struct proof *out, struct proving *all, const double *pull) {
    const struct objective *o = all->o;
    all->shift = objective_bias(o, all->u);
    if (o->centre && o->rows.sparse)
        all->shift -= o->ctx->kernels->dot_f64(o->centre, all->u, o->cols);
    TRY(run_tasks(o, o->rows.n_blocks, margins_of_block, all));
    TRY(primal(&out->primal, all));
    out->slope = NAN;
    out->norm = sqrt(o->ctx->kernels->dot_f64(all->u, all->u, o->cols));
    out->inside = 0;
    for (size_t i = 0; i < o->n; i++) out->inside += all->m[i] <= SUPPORT_MARGIN;
    if (all->reach && !pull) {
        TRY(clip(all, NULL));
        TRY(add_rows(all));
        out->slope = steepest(all);
    }
    TRY(clip(all, pull));
    if (o->bias == BIAS_FREE) balance(all);
    TRY(add_rows(all));
    TRY(dual(&out->dual, all));
    if (out->dual > out->primal) out->dual = out->primal; /* by rounding */
    double scale = fmax(fabs(out->primal), 1e-300);
    /* what is smaller than a rounding error is not known */
    out->gap = isnan(out->dual) ? NAN : fmax((out->primal - out->dual) / scale, DBL_EPSILON);
    return SEPAL_OK;
}

sepal_status certify(struct proof *out, const struct objective *o, const double *u,
                     const double *pull) {
    sepal_ctx *ctx = o->ctx;
    bool penalised = o->l1 > 0 || o->l2 > 0;
    struct proving all = {.o = o,
                          .u = u,
                          .m = mem_alloc(ctx, o->n, sizeof *all.m),
                          .a = mem_alloc(ctx, o->n, sizeof *all.a),
                          .v = mem_alloc(ctx, o->width, PARTS * sizeof *all.v)};
    if (!penalised) all.reach = mem_alloc(ctx, o->width, PARTS * sizeof *all.reach);
    sepal_status status = SEPAL_EMEMORY;
    if (all.m && all.a && all.v && (penalised || all.reach)) status = prove(out, &all, pull);
    mem_free(all.m);
    mem_free(all.a);
    mem_free(all.v);
    mem_free(all.reach);
    return status;
}
