#include "objective/certify.h"

#include "core/alloc.h"
#include "objective/certify_parts.h"

/* ---- sums --------------------------------------------------------------------------------- */

/* So many stripes of n numbers that one is worth the while. */
static size_t stripes_of(size_t n) {
    return n / SOME + 1 < STRIPES ? n / SOME + 1 : STRIPES;
}

struct stripe_sum {
    const struct proving *all;
    size_t n, stripes;
    partial_fn of;
    struct partial stripe[STRIPES];
};

sepal_status run_tasks(const struct objective *o, size_t n, task_fn task, void *payload) {
    return parallel_if(o->slabs > 1, o->ctx, n, task, payload);
}

static sepal_status certify_sum_stripe(sepal_ctx *ctx, size_t stripe, void *payload) {
    struct stripe_sum *sum = payload;
    size_t from = sum->n * stripe / sum->stripes, to = sum->n * (stripe + 1) / sum->stripes;
    (void)ctx;
    sum->stripe[stripe] = sum->of(sum->all, from, to);
    return SEPAL_OK;
}

sepal_status sum_stripes(double *out, double *error, const struct proving *all, size_t n,
                         partial_fn of) {
    struct stripe_sum sum = {.all = all, .n = n, .stripes = stripes_of(n), .of = of};
    struct total total = {0};
    TRY(run_tasks(all->o, sum.stripes, certify_sum_stripe, &sum));
    *error = 0;
    for (size_t s = 0; s < sum.stripes; s++) {
        total_add(&total, sum.stripe[s].sum.sum);
        total_add(&total, sum.stripe[s].sum.rest);
        *error += sum.stripe[s].error;
    }
    *out = total_of(&total);
    return SEPAL_OK;
}

/* ---- a dual point ------------------------------------------------------------------------- */

/* Into the range of the loss; what is no number becomes 0. A stripe of the rows. */
static sepal_status clip_stripe(sepal_ctx *ctx, size_t stripe, void *payload) {
    const struct proving *all = payload;
    const struct objective *o = all->o;
    size_t stripes = stripes_of(o->n), from = o->n * stripe / stripes,
           to = o->n * (stripe + 1) / stripes;
    double least = o->loss->least, most = o->loss->most, *out = all->a;
    const double *given = all->alpha ? all->alpha : all->a;
    if (!all->alpha) o->loss->at(ctx->kernels, to - from, all->m + from, NULL, out + from, NULL);
    for (size_t i = from; i < to; i++) {
        double a = given[i], up = a < least ? least : 0;
        a = a >= least ? a : up;
        out[i] = a <= most ? a : most;
    }
    return SEPAL_OK;
}

static sepal_status clip(struct proving *all, const double *alpha) {
    all->alpha = alpha;
    return run_tasks(all->o, stripes_of(all->o->n), clip_stripe, all);
}

/* How far a dual variable may move: the more, the less moving it costs. `inverse`: 1 / loss->most. */
static inline double certify_room(bool unbounded, double inverse, double a) {
    return unbounded ? 1 : a * (1 - a * inverse);
}

struct certify_totals {
    const struct proving *all;
    struct total high[STRIPES], difference[STRIPES], slack[STRIPES];
    double size[STRIPES];
};

static sepal_status sides_of_stripe(sepal_ctx *ctx, size_t stripe, void *payload) {
    struct certify_totals *sums = payload;
    const struct proving *all = sums->all;
    const struct objective *o = all->o;
    size_t from = o->n * stripe / STRIPES, to = o->n * (stripe + 1) / STRIPES;
    double high[SOME], both[SOME], free[SOME], magnitude[SOME], ones[SOME], size = 0;
    double inverse = 1 / o->loss->most;
    bool unbounded = isinf(o->loss->least);
    for (size_t k = 0; k < SOME; k++) ones[k] = 1;
    for (size_t i = from, n; i < to; i += n) {
        const double *variable = all->a + i, *weight = o->row_weight + i;
        const int32_t *label = o->label + i;
        n = to - i < SOME ? to - i : SOME;
        for (size_t k = 0; k < n; k++) {
            double a = variable[k], term = weight[k] * a;
            bool is_high = label[k] == 1;
            high[k] = is_high ? term : 0;
            both[k] = is_high ? term : -term;
            free[k] = weight[k] * certify_room(unbounded, inverse, a);
            magnitude[k] = fabs(term);
        }
        size += ctx->kernels->dot_f64(magnitude, ones, n);
        total_add_all(&sums->high[stripe], high, n);
        total_add_all(&sums->difference[stripe], both, n);
        total_add_all(&sums->slack[stripe], free, n);
    }
    sums->size[stripe] = size;
    return SEPAL_OK;
}

static double add_totals(const struct total *stripe) {
    struct total total = {0};
    for (size_t s = 0; s < STRIPES; s++) {
        total_add(&total, stripe[s].sum);
        total_add(&total, stripe[s].rest);
    }
    return total_of(&total);
}

sepal_status proving_sides(struct sides *out, const struct proving *all) {
    struct certify_totals sums = {.all = all};
    TRY(run_tasks(all->o, STRIPES, sides_of_stripe, &sums));
    *out = (struct sides){.high = add_totals(sums.high),
                          .difference = add_totals(sums.difference),
                          .slack = add_totals(sums.slack)};
    for (size_t s = 0; s < STRIPES; s++) out->size += sums.size[s];
    return SEPAL_OK;
}

struct balancing {
    const struct proving *all;
    double step, factor[2];
    bool moves;
};

static sepal_status balance_stripe(sepal_ctx *ctx, size_t stripe, void *payload) {
    const struct balancing *by = payload;
    const struct objective *o = by->all->o;
    size_t from = o->n * stripe / STRIPES, to = o->n * (stripe + 1) / STRIPES;
    double *a = by->all->a, inverse = 1 / o->loss->most;
    bool unbounded = isinf(o->loss->least);
    (void)ctx;
    for (size_t i = from; i < to && by->moves; i++)
        a[i] -= by->step * objective_side(o, i) * certify_room(unbounded, inverse, a[i]);
    for (size_t i = from; i < to && !by->moves; i++) a[i] *= by->factor[o->label[i] == 1];
    for (size_t i = from; i < to; i++) a[i] = clamp(a[i], o->loss->least, o->loss->most);
    return SEPAL_OK;
}

/* A free bias needs the sums of both sides to be equal. The imbalance is shared out over the
   variables between their bounds, where the dual is flat; if they have not the slack for it, the
   larger side is shrunk. */
static sepal_status certify_balance(const struct proving *all) {
    const struct objective *o = all->o;
    struct sides s;
    TRY(proving_sides(&s, all));
    double high = s.high, low = high - s.difference, space = s.slack, step = s.difference / space;
    bool moves = space > 0 && (isinf(o->loss->least) || fabs(step) < 1);
    struct balancing by = {.all = all,
                           .step = step,
                           .factor = {low > high ? high / low : 1, high > low ? low / high : 1},
                           .moves = moves};
    return run_tasks(o, STRIPES, balance_stripe, &by);
}

/* ---- the bound ---------------------------------------------------------------------------- */

/* The largest |v_j| that the numbers under an L1 penalty may have. */
static double certify_largest(const struct proving *all) {
    double most = 0;
    for (size_t j = 0; j < all->o->penalised; j++) {
        double v = fabs(all->v[j]) + proving_error(all, j);
        if (!(v <= most)) most = v; /* and what is no number */
    }
    return most;
}

static struct partial neg_conjugate_part(const struct proving *all, size_t from, size_t to) {
    const struct objective *o = all->o;
    struct partial part = {0};
    const struct kernels *kernels = o->ctx->kernels;
    double a[SOME], neg_conjugate[SOME], terms[SOME], size = 0;
    for (size_t i = from, n; i < to; i += n) {
        n = to - i < SOME ? to - i : SOME;
        for (size_t k = 0; k < n; k++) a[k] = all->shrink * all->a[i + k];
        o->loss->neg_conjugate(kernels, n, a, neg_conjugate);
        for (size_t k = 0; k < n; k++)
            terms[k] = neg_conjugate_size(o->loss, a[k], neg_conjugate[k]);
        size += kernels->dot_f64(o->row_weight + i, terms, n);
        kernels->times(terms, o->row_weight + i, neg_conjugate, n);
        total_add_all(&part.sum, terms, n);
    }
    part.error = (ROUNDING_OF_TERM + all->unbalanced) * size;
    return part;
}

/* l2 times what the penalty takes off, and how much more it may be. What may fall below the range of a double is
   added at the end, by the sum of the largest |v| that there may be: with it in every term those of columns without
   entries would be denormal, which takes many times as long. */
static struct partial penalty_by_columns(const struct proving *all, size_t from, size_t to) {
    enum { LANES = 4 };
    struct partial part = {0};
    double errors[LANES] = {0}, reach[LANES] = {0};
    double square[SOME], error[SOME], largest[SOME], l1 = all->o->l1;
    double relative = ROUNDING_MORE * (all->relative + all->unbalanced);
    for (size_t j = from, n; j < to; j += n) {
        n = to - j < SOME ? to - j : SOME;
        for (size_t k = 0; k < n; k++) {
            double v = fabs(all->v[j + k]), over = v - l1;
            double most =
                over + relative * all->magnitude[j + k] + ROUNDING_MORE * 2 * ROUNDING * v;
            over = over > 0 ? over : 0;
            most = most > 0 ? most : 0;
            square[k] = 0.5 * over * over;
            error[k] =
                0.5 * (most - over) * (most + over) + ROUNDING_MORE * 8 * ROUNDING * over * over;
            largest[k] = most;
        }
        total_add_all(&part.sum, square, n);
        for (size_t k = n; k < SOME && k % LANES; k++) error[k] = largest[k] = 0;
        for (size_t k = 0; k < n; k += LANES)
            for (size_t l = 0; l < LANES; l++) {
                errors[l] += error[k + l];
                reach[l] += largest[k + l];
            }
    }
    for (size_t l = 0; l < LANES; l++) part.error += errors[l] + 4 * DBL_MIN * (1 + reach[l]);
    part.error += 4 * DBL_MIN * (double)(to - from);
    return part;
}

static struct partial square_of_sums(const struct proving *all, size_t from, size_t to) {
    return proving_squares(all, all->v, from, to);
}

/* The same with a bound of the error of v as a whole. */
static sepal_status penalty_by_norm(double *out, double *error, const struct proving *all) {
    double relative = ROUNDING_MORE * (all->relative + all->unbalanced);
    double off = relative * all->reach + DBL_MIN;
    TRY(sum_stripes(out, error, all, all->o->penalised, square_of_sums));
    *error += ROUNDING_MORE * 0.5 * off * (2 * sqrt(2 * (*out + *error)) + off) + DBL_MIN;
    return SEPAL_OK;
}

static sepal_status box_dual(struct estimate *out, struct proving *all) {
    double neg_conjugate, error, taken, taken_error;
    all->shrink = 1;
    out->bounded = all->o->l2 > 0 || proving_box_shrink(all);
    if (!out->bounded) return SEPAL_OK;
    TRY(sum_stripes(&neg_conjugate, &error, all, all->o->n, neg_conjugate_part));
    TRY(sum_stripes(&taken, &taken_error, all, all->o->penalised, proving_box_part));
    out->dual = neg_conjugate - taken;
    out->dual_error =
        ROUNDING_MORE * (error + taken_error) + rounding_of(4, fabs(neg_conjugate) + fabs(taken));
    return SEPAL_OK;
}

static sepal_status dual(struct estimate *out, struct proving *all) {
    const struct objective *o = all->o;
    double neg_conjugate, error, penalty, penalty_error;
    if (o->box) return box_dual(out, all);
    all->shrink = 1;
    out->bounded = o->l1 > 0 || o->l2 > 0;
    if (!out->bounded) return SEPAL_OK;
    if (o->l2 == 0) {
        double most = certify_largest(all);
        if (!(most <= o->l1)) all->shrink = o->l1 / most * (1 - DBL_EPSILON);
    }
    TRY(sum_stripes(&neg_conjugate, &error, all, o->n, neg_conjugate_part));
    out->dual = neg_conjugate;
    out->dual_error = ROUNDING_MORE * error + rounding_of(4, fabs(neg_conjugate));
    if (o->l2 == 0) return SEPAL_OK;
    if (all->by_norms)
        TRY(penalty_by_norm(&penalty, &penalty_error, all));
    else
        TRY(sum_stripes(&penalty, &penalty_error, all, o->penalised, penalty_by_columns));
    out->dual -= penalty / o->l2;
    out->dual_error += ROUNDING_MORE * penalty_error / o->l2 + rounding_of(4, penalty / o->l2);
    return SEPAL_OK;
}

/* ---- together ----------------------------------------------------------------------------- */

/* The largest entry of the gradient without a penalty. */
static double largest_gradient_entry(const struct proving *all) {
    double most = 0;
    if (all->o->box) return proving_box_slope(all);
    for (size_t j = 0; j < all->o->width; j++) {
        double slope = fabs(all->v[j]);
        if (!(slope <= most)) most = slope;
    }
    return most;
}

static sepal_status certify_prove(struct proof *out, struct proving *all, const double *alpha) {
    const struct objective *o = all->o;
    struct estimate estimate = {0};
    bool penalised = o->l1 > 0 || o->l2 > 0;
    if (o->box) TRY(proving_check_box(all));
    TRY(proving_room(all));
    all->u_square = o->ctx->kernels->dot_f64(all->u, all->u, o->cols);
    if (!all->joint) {
        TRY(proving_margins(all));
        TRY(proving_primal(&estimate, all));
    }
    TRY(clip(all, alpha));
    if (o->bias == BIAS_FREE && (penalised || o->box)) TRY(certify_balance(all));
    TRY(proving_sums(all));
    if (all->joint) TRY(proving_primal(&estimate, all));
    out->norm = sqrt(all->u_square);
    out->inside = 0;
    for (size_t i = 0; i < o->n; i++) out->inside += all->m[i] <= SUPPORT_MARGIN;
    TRY(dual(&estimate, all));
    if (o->box && !estimate.bounded) { /* the gradient is that of the point as it is */
        TRY(clip(all, alpha));
        TRY(proving_sums(all));
    }
    out->slope = penalised || estimate.bounded ? NAN : largest_gradient_entry(all);
    return proof_conclude(out, o->ctx, &estimate);
}

static sepal_status certify_by(struct proof *out, const struct objective *o, const double *u,
                               const double *alpha, bool by_norms) {
    struct proving all = {.o = o,
                          .u = u,
                          .m = mem_alloc(o->ctx, o->n, sizeof *all.m),
                          .a = mem_alloc(o->ctx, o->n, sizeof *all.a),
                          .joint = alpha && !o->rows.sparse,
                          .by_norms = by_norms};
    all.parts = all.joint ? PARTS_JOINT : PARTS;
    all.off = all.joint ? mem_alloc(o->ctx, o->n, sizeof *all.off) : all.a;
    sepal_status status =
        all.m && all.a && all.off ? certify_prove(out, &all, alpha) : SEPAL_EMEMORY;
    if (all.joint) mem_free(all.off);
    mem_free(all.m);
    mem_free(all.a);
    mem_free(all.v);
    mem_free(all.magnitude);
    mem_free(all.group);
    mem_free(all.norm);
    return status;
}

sepal_status certify(struct proof *out, const struct objective *o, const double *u,
                     const double *alpha) {
    static const double little = 0.01; /* of the gap */
    bool by_norms = o->rows.sparse && o->l1 == 0 && o->l2 > 0 && !o->box;
    TRY(certify_by(out, o, u, alpha, by_norms));
    bool tight = isfinite(out->gap) && out->rounding <= little * out->gap * fabs(out->primal);
    return !by_norms || tight ? SEPAL_OK : certify_by(out, o, u, alpha, false);
}
