/* The proofs of a group of classes, each against the rest, by one pass over the rows for each half
   of the lanes. No solver uses this code, and it uses none of theirs. */
#include "core/alloc.h"
#include "core/parallel.h"
#include "objective/rest.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { HALF = WIDE_HALF, STRIPE = 64 };

/* Sums that carry what rounding has cut off (Neumaier 1974), a lane each. */
struct totals {
    double sum[HALF], rest[HALF];
};

static void totals_add(struct totals *totals, const double *x) {
    for (size_t l = 0; l < HALF; l++) {
        double before = totals->sum[l], sum = before + x[l];
        double large = fabs(before) >= fabs(x[l]) ? before : x[l];
        double small = fabs(before) >= fabs(x[l]) ? x[l] : before;
        totals->rest[l] += (large - sum) + small;
        totals->sum[l] = sum;
    }
}

static double total_of(const struct totals *totals, size_t l) {
    return totals->sum[l] + totals->rest[l];
}

/* One half of the lanes. */
struct half {
    const struct rest *rest;
    const struct rest_point *point;
    size_t first, n;            /* its lanes */
    struct totals loss, earned; /* of the rows */
    double level[HALF];         /* moves the dual variables until both sides are balanced */
    double factor[2][HALF];     /* or shrinks those of the larger side */
    bool moves[HALF];
    double *room, *v; /* a row of doubles; cols x HALF: sums of share a y x */
    double v_bias[HALF];
};

struct halves {
    const struct rest *rest;
    const struct rest_point *point;
    struct proof *out;
};

/* ---- rows --------------------------------------------------------------------------------- */

/* Sides and shares of a row. */
static void look(const struct half *half, size_t row, double *side, double *share) {
    const struct rest *rest = half->rest;
    for (size_t l = 0; l < HALF; l++) {
        size_t k = l < half->n ? half->point->class[half->first + l] : 0;
        bool own = rest->label[row] == (int32_t)k;
        side[l] = own ? 1 : -1;
        share[l] = l < half->n ? rest->o->share[row] * rest_factor(rest, k, own) : 0;
    }
}

static double clipped(const struct half *half, size_t row, size_t l) {
    const struct loss *loss = half->rest->o->loss;
    double a = (double)half->point->pull[row * half->point->lanes + half->first + l];
    return isnan(a) ? 0 : fmin(fmax(a, loss->least), loss->most);
}

/* How far a dual variable may move: the more, the less moving it costs. */
static double room_of(const struct loss *loss, double a) {
    return isinf(loss->most) ? a : a * (1 - a / loss->most);
}

/* A free bias needs the sums of both sides to be equal, see certify.c. */
static void balance(struct half *half) {
    const struct objective *o = half->rest->o;
    struct totals sides[2] = {0}, rooms = {0};
    double side[HALF], share[HALF], term[2][HALF], room[HALF];
    for (size_t i = 0; i < o->n; i++) {
        look(half, i, side, share);
        for (size_t l = 0; l < HALF; l++) {
            double a = l < half->n ? clipped(half, i, l) : 0;
            term[0][l] = side[l] < 0 ? share[l] * a : 0;
            term[1][l] = side[l] > 0 ? share[l] * a : 0;
            room[l] = share[l] * room_of(o->loss, a);
        }
        totals_add(&sides[0], term[0]);
        totals_add(&sides[1], term[1]);
        totals_add(&rooms, room);
    }
    for (size_t l = 0; l < half->n; l++) {
        double low = total_of(&sides[0], l), high = total_of(&sides[1], l);
        double space = total_of(&rooms, l), step = (high - low) / space;
        half->moves[l] = space > 0 && fabs(step) < 1;
        half->level[l] = half->moves[l] ? step : 0;
        half->factor[0][l] = !half->moves[l] && low > high ? high / low : 1;
        half->factor[1][l] = !half->moves[l] && high > low ? low / high : 1;
    }
}

static double balanced(const struct half *half, size_t l, double a, bool own) {
    const struct loss *loss = half->rest->o->loss;
    a -= half->level[l] * (own ? 1 : -1) * room_of(loss, a);
    return fmin(fmax(a * half->factor[own][l], loss->least), loss->most);
}

static void add_row(struct half *half, const struct block *block, size_t i) {
    const struct objective *o = half->rest->o;
    const struct kernels *kernels = o->ctx->kernels;
    size_t row = block->first_row + i, lanes = half->point->lanes;
    const double *x;
    const uint32_t *index;
    double side[HALF], share[HALF], m[HALF], value[HALF], earned[HALF], d[HALF];
    size_t n = row_doubles(&x, &index, block, i, o->cols, o->centre, half->room);
    look(half, row, side, share);
    kernels->wide_dot_f64(m, x, index, n, half->point->u + half->first, lanes);
    for (size_t l = 0; l < HALF; l++) {
        m[l] = side[l] * (m[l] + half->point->bias[half->first + l]);
        double a = l < half->n ? balanced(half, l, clipped(half, row, l), side[l] > 0) : 0;
        earned[l] = share[l] * o->loss->earns(a);
        d[l] = share[l] * side[l] * a;
        half->v_bias[l] += d[l];
    }
    o->loss->at(kernels, HALF, m, value, NULL, NULL);
    for (size_t l = 0; l < HALF; l++) value[l] *= share[l];
    totals_add(&half->loss, value);
    totals_add(&half->earned, earned);
    kernels->wide_add_f64(half->v, d, x, index, n, HALF);
}

/* ---- columns ------------------------------------------------------------------------------ */

/* The sums of the squares of every lane. */
static void square(struct totals *out, const double *w, size_t cols, size_t stride) {
    *out = (struct totals){0};
    for (size_t j = 0; j < cols;) {
        double part[HALF] = {0};
        for (size_t end = j + STRIPE < cols ? j + STRIPE : cols; j < end; j++)
            for (size_t l = 0; l < HALF; l++) part[l] += w[j * stride + l] * w[j * stride + l];
        totals_add(out, part);
    }
}

static void conclude(struct proof *out, const struct half *half) {
    const struct objective *o = half->rest->o;
    struct totals weights, sums;
    square(&weights, half->point->u + half->first, o->cols, half->point->lanes);
    square(&sums, half->v, o->cols, HALF);
    for (size_t l = 0; l < half->n; l++) {
        double b = half->point->bias[half->first + l], b_square = b * b;
        double v_square = half->v_bias[l] * half->v_bias[l];
        if (o->bias != BIAS_PENALISED) b_square = v_square = 0;
        double primal = total_of(&half->loss, l) + 0.5 * o->l2 * (total_of(&weights, l) + b_square);
        double dual = total_of(&half->earned, l) - (total_of(&sums, l) + v_square) / (2 * o->l2);
        double gap = (primal - dual) / fmax(fabs(primal), 1e-300);
        out[half->first + l] = (struct proof){
            .primal = primal, .dual = dual, .gap = fmax(gap, DBL_EPSILON), .slope = NAN};
    }
}

/* ---- together ----------------------------------------------------------------------------- */

static sepal_status prove_half(sepal_ctx *ctx, size_t h, void *payload) {
    const struct halves *all = payload;
    const struct objective *o = all->rest->o;
    struct half half = {.rest = all->rest, .point = all->point, .first = h * HALF};
    half.n = all->point->n - half.first < HALF ? all->point->n - half.first : HALF;
    half.room = mem_alloc(ctx, o->cols, sizeof *half.room);
    half.v = mem_zero(ctx, o->cols, HALF * sizeof *half.v);
    sepal_status status = half.room && half.v ? SEPAL_OK : SEPAL_EMEMORY;
    for (size_t l = 0; l < HALF; l++) half.factor[0][l] = half.factor[1][l] = 1;
    if (status == SEPAL_OK && o->bias == BIAS_FREE) balance(&half);
    for (size_t b = 0; status == SEPAL_OK && b < o->rows.n_blocks; b++)
        for (size_t i = 0; i < o->rows.blocks[b].rows; i++) add_row(&half, &o->rows.blocks[b], i);
    if (status == SEPAL_OK) conclude(all->out, &half);
    mem_free(half.room);
    mem_free(half.v);
    return status;
}

sepal_status certify_rest(struct proof *out, const struct rest *rest,
                          const struct rest_point *point) {
    struct halves all = {rest, point, out};
    return parallel_for(rest->o->ctx, (point->n + HALF - 1) / HALF, prove_half, &all);
}
