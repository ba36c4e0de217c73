#include "solvers/hinge.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* ---- points ------------------------------------------------------------------------------- */

static sepal_status hinge_rescale(struct hinge *h) {
    const struct objective *o = h->o;
    double square = o->ctx->kernels->dot_f64(h->point, h->point, o->penalised);
    double length;
    TRY(hinge_length(&length, o, h->m, square));
    for (size_t j = 0; j < o->width; j++) h->point[j] *= length;
    for (size_t i = 0; i < o->n; i++) h->m[i] *= length;
    return SEPAL_OK;
}

sepal_status hinge_offer(struct hinge *h, const double *u, const double *m) {
    static const double nothing = 1e-10, more = 1 + 1e-9;
    const struct objective *o = h->o;
    double loss;
    memcpy(h->point, u, o->width * sizeof *u);
    if (m)
        memcpy(h->m, m, o->n * sizeof *m);
    else
        TRY(objective_margins(h->m, o, u));
    if (o->l1 == 0) TRY(hinge_rescale(h));
    if (o->bias == BIAS_FREE) TRY(hinge_bias(o, h->m, h->point + o->cols));
    TRY(objective_loss(&loss, o, h->m));
    double value = loss + objective_penalty(o, h->point);
    if (value < nothing && o->l1 == 0 && o->l2 == 0) {
        /* all rows are at their margin, up to rounding: a little further they are beyond it */
        for (size_t j = 0; j < o->width; j++) h->point[j] *= more;
        for (size_t i = 0; i < o->n; i++) h->m[i] *= more;
        TRY(objective_loss(&value, o, h->m));
    }
    if (!(value < h->primal)) return SEPAL_OK;
    h->primal = value;
    memcpy(h->d->u, h->point, o->width * sizeof *u);
    return SEPAL_OK;
}

/* ---- dual variables ----------------------------------------------------------------------- */

/* Without a penalty the sums of the dual variables must be 0, as far as sums of such terms can be: what
   is more may be all that columns have which hardly differ. */
double hinge_rounding(const struct objective *o) {
    return (16 + sqrt((double)o->n)) * DBL_EPSILON;
}

static bool sums_vanish(const struct hinge *h, const double *v) {
    double rounding = hinge_rounding(h->o);
    for (size_t j = 0; j < h->o->width; j++)
        if (!(fabs(v[j]) <= rounding * h->sizes[j])) return false;
    return true;
}

/* The bound of balanced variables with this sum of negative conjugates, by the sums v that they amount to; they may have to
   be shrunk. */
static double bound_by_sums(const struct hinge *h, const double *v, double neg_conjugate,
                            double *shrink) {
    const struct objective *o = h->o;
    double most = 0, lost = 0;
    *shrink = 1;
    for (size_t j = 0; j < o->penalised; j++) {
        double over = fmax(0, fabs(v[j]) - o->l1);
        most = fmax(most, fabs(v[j]));
        lost += o->l2 > 0 ? over * over / (2 * o->l2) : 0;
    }
    if (o->l2 == 0 && o->l1 > 0 && most > o->l1) *shrink = o->l1 / most;
    if (h->sizes && !sums_vanish(h, v)) return -INFINITY;
    return *shrink * neg_conjugate - lost;
}

/* The variables within their bounds and balanced, in r; minus the sum of their conjugates. */
static double take_dual(struct hinge *h, const double *a) {
    const struct objective *o = h->o;
    double neg_conjugate = 0;
    for (size_t i = 0; i < o->n; i++) h->r[i] = a[i] > 0 ? fmin(a[i], 1) : 0;
    if (o->bias == BIAS_FREE) solver_balance(o, h->r);
    for (size_t i = 0; i < o->n; i++) neg_conjugate += o->row_weight[i] * h->r[i];
    return neg_conjugate;
}

sepal_status hinge_offer_dual(struct hinge *h, const double *a, const double *image) {
    const struct objective *o = h->o;
    double neg_conjugate = take_dual(h, a);
    bool plain = o->l2 > 0 && o->l1 == 0;
    if (!plain || !image || o->bias == BIAS_FREE) {
        TRY(objective_dual_sums(h->image, o, h->r));
        for (size_t j = 0; j < o->width && plain; j++) h->image[j] /= o->l2;
        image = h->image;
    }
    double shrink = 1, value = plain ? neg_conjugate - objective_penalty(o, image)
                                     : bound_by_sums(h, image, neg_conjugate, &shrink);
    if (!(value > h->dual)) return SEPAL_OK;
    h->dual = value;
    for (size_t i = 0; i < o->n && shrink < 1; i++) h->r[i] *= shrink;
    memcpy(h->d->alpha, h->r, o->n * sizeof *a);
    return SEPAL_OK;
}

/* ---- both --------------------------------------------------------------------------------- */

/* Of all columns: the sums of c_i |x_i - c|, and behind them of c_i. */
static void hinge_sizes(double *out, const struct objective *o) {
    for (size_t i = 0; i < o->n; i++) {
        size_t local, at = 0, column;
        double value;
        const struct block *block = matrix_block_of(&o->rows, i, &local);
        if (o->bias != BIAS_NONE) out[o->cols] += o->row_weight[i];
        while (row_next(block, local, o->cols, &at, &column, &value)) {
            double centre = o->centre ? o->centre[column] : 0;
            out[column] += o->row_weight[i] * fabs(value - centre);
        }
    }
}

sepal_status hinge_init(struct hinge *h, struct solver *d, struct arena *arena) {
    const struct objective *o = d->o;
    *h = (struct hinge){.d = d, .o = o, .primal = INFINITY, .dual = -INFINITY};
    TRY(ARENA_VECTORS(o->ctx, arena, o->n, &h->m, &h->r));
    TRY(ARENA_VECTORS(o->ctx, arena, o->width, &h->point, &h->image));
    if (o->l1 == 0 && o->l2 == 0) {
        TRY(ARENA_VECTORS(o->ctx, arena, o->width, &h->sizes));
        hinge_sizes(h->sizes, o);
    }
    TRY(hinge_offer(h, d->u, NULL));
    if (!d->paired) memset(d->alpha, 0, o->n * sizeof *d->alpha);
    d->paired = true;
    return hinge_offer_dual(h, d->alpha, NULL);
}

static sepal_status account(struct hinge *h, const double *a) {
    const struct objective *o = h->o;
    struct solver *d = h->d;
    double neg_conjugate = take_dual(h, a), charge = 0;
    TRY(objective_dual_sums(h->image, o, h->r));
    for (size_t j = 0; j < o->width; j++) charge += fabs(h->image[j] * d->u[j]);
    if (!sums_vanish(h, h->image) || !(h->primal - neg_conjugate + charge <= d->tol * h->primal))
        return SEPAL_OK;
    memcpy(d->alpha, h->r, o->n * sizeof *a);
    d->paired = d->converged = true;
    return SEPAL_OK;
}

/* Those given, and those of the best point, which may be better where no row is at its kink. */
sepal_status hinge_try_certificate(struct hinge *h, const double *a) {
    TRY(account(h, a));
    if (h->d->converged) return SEPAL_OK;
    TRY(objective_margins(h->m, h->o, h->d->u));
    for (size_t i = 0; i < h->o->n; i++) h->m[i] = h->m[i] < 1;
    return account(h, h->m);
}

double hinge_gap(const struct hinge *h) {
    double gap = (h->primal - h->dual) / fmax(fabs(h->primal), 1e-300);
    if (isnan(gap)) return INFINITY; /* beyond the largest number */
    return gap > DBL_EPSILON ? gap : DBL_EPSILON;
}

bool hinge_ends(struct hinge *h) {
    struct solver *d = h->d;
    if (hinge_gap(h) <= d->tol)
        d->converged = true;
    else if (d->stops(d->payload, d->iterations, h->primal, hinge_gap(h)))
        d->stopped = true;
    return d->converged || d->stopped;
}
