/* The proofs of classes against the rest, a group at a time, by one pass over the rows. No solver uses
   this code, and it uses none of theirs. */
#include "core/alloc.h"
#include "core/parallel.h"
#include "objective/certify_ovr.h"
#include "objective/rounding.h"

#include <string.h>

enum { LANES = OVR_LANES, STRIPE = 64, NEAR = 1 << 17 };

/* Sums that carry what rounding has cut off (Neumaier 1974), a lane each. */
struct ovr_totals {
    double sum[LANES], rest[LANES];
};

static void totals_add(struct ovr_totals *totals, const double *x, size_t lanes) {
    for (size_t l = 0; l < lanes; l++) {
        double before = totals->sum[l], sum = before + x[l];
        bool grows = fabs(before) >= fabs(x[l]);
        double large = grows ? before : x[l], small = grows ? x[l] : before;
        totals->rest[l] += (large - sum) + small;
        totals->sum[l] = sum;
    }
}

static double certify_ovr_total_of(const struct ovr_totals *totals, size_t l) {
    return totals->sum[l] + totals->rest[l];
}

struct ovr_proving {
    const struct ovr_objective *rest;
    const struct ovr_point *point;
    const struct kernels *kernels;
    struct ovr_totals loss, neg_conjugate, v_bias; /* of the rows */
    size_t inside[LANES];
    double norm[LANES]; /* of the weights */
    /* Of the rows, for bounds of the rounding errors: of the losses; what the errors of conjugates and
       of both sides' sums are measured by; and sums of |weight a| |x|, which no norm of v exceeds. */
    double loss_error[LANES], neg_conjugate_size[LANES], size[LANES], magnitude[LANES];
    /* A free bias: dual variables move by `shift` until both sides are balanced, or those of the
       larger side shrink by `factor`. */
    double shift[LANES], factor[2][LANES];
    size_t used;         /* lanes, in fours */
    bool far;            /* the sums are sparse rows', and not all in the nearest caches */
    double *scratch, *v; /* a row of doubles; cols x used: sums of weight a y x */
    void *block;         /* where v lies */
};

/* ---- rows --------------------------------------------------------------------------------- */

struct ovr_row {
    double side[LANES], row_weight[LANES], a[LANES];
};

/* Sides, weights and dual variables of a row, brought into the range of the loss; what is no number
   becomes 0, as idle lanes are. */
static void certify_ovr_read_row(struct ovr_row *look, const struct ovr_proving *all, size_t row) {
    const struct ovr_objective *rest = all->rest;
    const struct ovr_point *point = all->point;
    const struct loss *loss = rest->o->loss;
    for (size_t l = 0; l < point->n; l++) {
        size_t k = point->class[l];
        bool own = row_has_label(&rest->labels, row, k);
        size_t at = row * point->lanes + l;
        double a = point->alpha64 ? point->alpha64[at] : (double)point->alpha[at];
        look->side[l] = own ? 1 : -1;
        look->row_weight[l] = rest->o->row_weight[row] * ovr_factor_of_class(rest, k, own);
        a = a < loss->least ? loss->least : a > loss->most ? loss->most : a;
        look->a[l] = isfinite(a) ? a : 0;
    }
}

/* How far a dual variable may move: the more, the less moving it costs. */
static double certify_ovr_slack(const struct loss *loss, double a) {
    return isinf(loss->most) ? a : a * (1 - a / loss->most);
}

/* A free bias needs the sums of both sides to be equal, see certify.c. */
static void certify_ovr_balance(struct ovr_proving *all) {
    const struct objective *o = all->rest->o;
    struct ovr_totals sides[2] = {0}, slacks = {0};
    struct ovr_row look = {0};
    for (size_t i = 0; i < o->n; i++) {
        double term[2][LANES], slack[LANES];
        certify_ovr_read_row(&look, all, i);
        for (size_t l = 0; l < all->used; l++) {
            term[0][l] = look.side[l] < 0 ? look.row_weight[l] * look.a[l] : 0;
            term[1][l] = look.side[l] > 0 ? look.row_weight[l] * look.a[l] : 0;
            slack[l] = look.row_weight[l] * certify_ovr_slack(o->loss, look.a[l]);
        }
        totals_add(&sides[0], term[0], all->used);
        totals_add(&sides[1], term[1], all->used);
        totals_add(&slacks, slack, all->used);
    }
    for (size_t l = 0; l < all->point->n; l++) {
        double low = certify_ovr_total_of(&sides[0], l), high = certify_ovr_total_of(&sides[1], l);
        double space = certify_ovr_total_of(&slacks, l), step = (high - low) / space;
        bool moves = space > 0 && fabs(step) < 1;
        all->shift[l] = moves ? step : 0;
        all->factor[0][l] = !moves && low > high ? high / low : 1;
        all->factor[1][l] = !moves && high > low ? low / high : 1;
    }
}

static double certify_ovr_balanced(const struct ovr_proving *all, size_t l, double side, double a) {
    const struct loss *loss = all->rest->o->loss;
    a -= all->shift[l] * side * certify_ovr_slack(loss, a);
    return fmin(fmax(a * all->factor[side > 0][l], loss->least), loss->most);
}

/* Begin to fetch what row i will ask for. */
static void certify_ovr_fetch(const struct ovr_proving *all, const void *from, size_t bytes,
                              const struct block *block, size_t i) {
    if (!all->far || i >= block->rows) return;
    size_t at = block->start[i];
    all->kernels->lanes_fetch(block->index + at, block->start[i + 1] - at, from, bytes);
}

/* The losses of a row's margins m, and how far they may be off: a margin is a sum of `n` products, and
   of magnitudes no sum is above |x| |w| (Cauchy-Schwarz). */
static void add_losses(struct ovr_proving *all, const struct ovr_row *look, const double *m,
                       double norm, size_t n) {
    const struct loss *loss = all->rest->o->loss;
    double value[LANES], off[LANES] = {0}, near[LANES], alpha[LANES];
    for (size_t l = 0; l < all->point->n; l++)
        off[l] = rounding_of((double)n + 8, norm * all->norm[l]) +
                 rounding_of(2, fabs(m[l]) + fabs(all->point->bias[l]));
    for (size_t l = 0; l < all->used; l++) near[l] = m[l] - off[l];
    loss->at(all->kernels, all->used, m, value, NULL, NULL);
    loss->at(all->kernels, all->used, near, NULL, alpha, NULL);
    for (size_t l = 0; l < all->used; l++) {
        double slope = steepest_near(loss, alpha[l], off[l]);
        all->loss_error[l] += look->row_weight[l] * (slope * off[l] + ROUNDING_OF_TERM * value[l]);
        value[l] *= look->row_weight[l];
    }
    totals_add(&all->loss, value, all->used);
}

static void add_up_scores(double *m, const struct ovr_proving *all, const double *x,
                          const uint32_t *index, size_t n) {
    const struct ovr_point *point = all->point;
    if (point->w)
        all->kernels->lanes_dot_f64(m, x, index, n, point->w, point->lanes, all->used);
    else
        all->kernels->lanes_dot_doubles(m, x, index, n, point->w64, point->lanes, all->used);
}

static void certify_ovr_add_row(struct ovr_proving *all, const struct block *block, size_t i) {
    const struct objective *o = all->rest->o;
    size_t row = block->first_row + i, lanes = all->point->lanes;
    const double *x;
    const uint32_t *index;
    double m[LANES] = {0}, neg_conjugate[LANES] = {0}, d[LANES] = {0};
    struct ovr_row look = {0};
    size_t n = row_doubles(&x, &index, block, i, o->cols, o->centre, all->scratch);
    double norm = sqrt(all->kernels->dot_f64(x, x, n));
    certify_ovr_read_row(&look, all, row);
    certify_ovr_fetch(all, all->v, all->used * sizeof *all->v, block, i);
    add_up_scores(m, all, x, index, n);
    if (all->point->w)
        certify_ovr_fetch(all, all->point->w, lanes * sizeof *all->point->w, block, i + 1);
    for (size_t l = 0; l < all->point->n; l++) {
        double a = look.a[l];
        m[l] = look.side[l] * (m[l] + all->point->bias[l]);
        all->inside[l] += m[l] <= SUPPORT_MARGIN;
        if (o->bias == BIAS_FREE) a = look.a[l] = certify_ovr_balanced(all, l, look.side[l], a);
        d[l] = look.row_weight[l] * look.side[l] * a;
        all->size[l] += fabs(d[l]);
        all->magnitude[l] += fabs(d[l]) * norm;
    }
    add_losses(all, &look, m, norm, n);
    o->loss->neg_conjugate(all->kernels, all->used, look.a, neg_conjugate);
    for (size_t l = 0; l < all->used; l++) {
        all->neg_conjugate_size[l] +=
            look.row_weight[l] * neg_conjugate_size(o->loss, look.a[l], neg_conjugate[l]);
        neg_conjugate[l] *= look.row_weight[l];
    }
    totals_add(&all->neg_conjugate, neg_conjugate, all->used);
    totals_add(&all->v_bias, d, all->used);
    all->kernels->lanes_add_f64(all->v, d, x, index, n, all->used, all->used);
}

/* ---- columns ------------------------------------------------------------------------------ */

/* The sums of the squares of every lane, a stripe of columns at a time. */
static void square_singles(struct ovr_totals *out, const float *w, size_t cols, size_t lanes) {
    for (size_t j = 0; j < cols;) {
        double part[LANES] = {0};
        for (size_t end = j + STRIPE < cols ? j + STRIPE : cols; j < end; j++)
            for (size_t l = 0; l < lanes; l++)
                part[l] += (double)w[j * lanes + l] * (double)w[j * lanes + l];
        totals_add(out, part, LANES);
    }
}

static void square_doubles(struct ovr_totals *out, const double *v, size_t cols, size_t lanes) {
    for (size_t j = 0; j < cols;) {
        double part[LANES] = {0};
        for (size_t end = j + STRIPE < cols ? j + STRIPE : cols; j < end; j++)
            for (size_t l = 0; l < lanes; l++) part[l] += v[j * lanes + l] * v[j * lanes + l];
        totals_add(out, part, LANES);
    }
}

/* What is left of the difference of both sides, see certify_sums.c. */
static double certify_ovr_imbalance(const struct ovr_proving *all, size_t l) {
    double difference = fabs(certify_ovr_total_of(&all->v_bias, l)), size = all->size[l];
    double left = difference + rounding_of(8, size), larger = 0.5 * size;
    if (size == 0 || all->rest->o->bias != BIAS_FREE) return 0;
    return left < larger ? left / larger : INFINITY;
}

/* Losses, conjugates and sums of lane l; `square`: of v. */
static void estimate_lane(struct estimate *out, const struct ovr_proving *all, size_t l,
                          double square) {
    const struct objective *o = all->rest->o;
    bool penalised = o->bias == BIAS_PENALISED;
    double b = penalised ? all->point->bias[l] : 0, unbalanced = certify_ovr_imbalance(all, l);
    double penalty = 0.5 * o->l2 * (all->norm[l] * all->norm[l] + b * b);
    out->primal = certify_ovr_total_of(&all->loss, l) + penalty;
    out->primal_error = ROUNDING_MORE * all->loss_error[l] + rounding_of(STRIPE + 8, penalty) +
                        rounding_of(4, out->primal);
    /* every row may have rounded a sum, and (|v| + error)^2 is the most that it can be */
    double v = penalised ? certify_ovr_total_of(&all->v_bias, l) : 0, norm = sqrt(square);
    double size = all->magnitude[l];
    double error = rounding_of((double)o->n + 12, size) + unbalanced * size;
    double v_error = penalised ? rounding_of(8, all->size[l]) : 0;
    double charge = (square + v * v) / (2 * o->l2);
    double more = (error * (2 * norm + error) + v_error * (2 * fabs(v) + v_error)) / (2 * o->l2);
    double neg_conjugate = certify_ovr_total_of(&all->neg_conjugate, l);
    out->bounded = true;
    out->dual = neg_conjugate - charge;
    out->dual_error = ROUNDING_MORE * (ROUNDING_OF_TERM + unbalanced) * all->neg_conjugate_size[l] +
                      ROUNDING_MORE * more + rounding_of(STRIPE + 8, charge) +
                      rounding_of(4, fabs(neg_conjugate));
}

static sepal_status certify_ovr_conclude(struct proof *out, const struct ovr_proving *all) {
    const struct objective *o = all->rest->o;
    struct ovr_totals sums = {0};
    square_doubles(&sums, all->v, o->cols, all->used);
    for (size_t l = 0; l < all->point->n; l++) {
        struct estimate estimate;
        estimate_lane(&estimate, all, l, certify_ovr_total_of(&sums, l));
        out[l] = (struct proof){.slope = NAN, .norm = all->norm[l], .inside = all->inside[l]};
        TRY(proof_conclude(&out[l], o->ctx, &estimate));
    }
    return SEPAL_OK;
}

/* ---- together ----------------------------------------------------------------------------- */

struct ovr_points {
    struct proof (*out)[LANES];
    const struct ovr_objective *rest;
    const struct ovr_point *const *point;
};

static void measure_weights(struct ovr_proving *all) {
    struct ovr_totals weights = {0};
    size_t cols = all->rest->o->cols, lanes = all->point->lanes;
    if (all->point->w)
        square_singles(&weights, all->point->w, cols, lanes);
    else
        square_doubles(&weights, all->point->w64, cols, lanes);
    for (size_t l = 0; l < all->point->n; l++)
        all->norm[l] = sqrt(certify_ovr_total_of(&weights, l));
}

static sepal_status prove_point(sepal_ctx *ctx, size_t p, void *payload) {
    const struct ovr_points *points = payload;
    const struct objective *o = points->rest->o;
    struct ovr_proving all = {
        .rest = points->rest, .point = points->point[p], .kernels = ctx->kernels};
    all.scratch = mem_alloc(ctx, o->cols, sizeof *all.scratch);
    all.used = (all.point->n + 3) / 4 * 4;
    all.far = o->rows.sparse && o->cols * all.used * sizeof *all.v > NEAR;
    all.v = mem_lines(&all.block, ctx, o->cols, all.used * sizeof *all.v);
    sepal_status status = all.scratch && all.v ? SEPAL_OK : SEPAL_EMEMORY;
    if (all.v) memset(all.v, 0, o->cols * all.used * sizeof *all.v);
    measure_weights(&all);
    if (status == SEPAL_OK && o->bias == BIAS_FREE) certify_ovr_balance(&all);
    for (size_t b = 0; status == SEPAL_OK && b < o->rows.n_blocks; b++)
        for (size_t i = 0; i < o->rows.blocks[b].rows; i++)
            certify_ovr_add_row(&all, &o->rows.blocks[b], i);
    if (status == SEPAL_OK) status = certify_ovr_conclude(points->out[p], &all);
    mem_free(all.scratch);
    mem_free(all.block);
    return status;
}

sepal_status certify_ovr(struct proof (*out)[OVR_LANES], const struct ovr_objective *rest,
                         const struct ovr_point *const *points, size_t n) {
    struct ovr_points all = {out, rest, points};
    return parallel_for(rest->o->ctx, n, prove_point, &all);
}
