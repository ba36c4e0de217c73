/* Where the dual solver is: a cheap guess after every epoch, the truth now and then. */
#include "core/parallel.h"
#include "solvers/dual.h"
#include "solvers/hinge.h"
#include "solvers/line.h"

#include <math.h>
#include <string.h>

enum { TRAIL = sizeof((struct outlook *)0)->trail / sizeof(double) };

/* ---- the guess ---------------------------------------------------------------------------- */

/* At the optimum l2 |w|^2 is the sum of share_i a_i m_i. Rows that rest are in none of the sums, so
   the objective is left as it was when there are any. */
sepal_status dual_foretell(const struct dual *s, struct outlook *out) {
    double loss = s->loss;
    memmove(out->trail + 1, out->trail, (TRAIL - 1) * sizeof *out->trail);
    out->trail[0] = s->excess;
    if (s->level) TRY(objective_loss(&loss, s->o, s->level));
    if (!s->any_rests) out->primal = loss + 0.5 * s->products;
    /* rows met early have moved on since: as much as from one epoch to the next */
    double ratio = out->trail[1] > 0 ? fmin(1, out->trail[0] / out->trail[1]) : 1;
    /* what was seen is trusted less and less */
    if (!isnan(out->ratio)) ratio = out->ratio *= 0.9;
    out->gap = s->excess * ratio / fmax(fabs(out->primal), 1e-300);
    return SEPAL_OK;
}

double dual_epochs_left(const struct outlook *out, double tol) {
    double first = out->trail[TRAIL - 1], last = out->trail[0];
    if (!(first > 0) || !(last > 0) || !(out->gap > tol)) return 0;
    double rate = log(first / last) / (TRAIL - 1);
    return rate > 0 ? log(out->gap / tol) / rate : INFINITY;
}

/* ---- the truth ---------------------------------------------------------------------------- */

/* Sums over the slabs: what the variables earn, those of each class, and the room to move them. */
struct sums {
    const struct dual *s;
    double earned[SLABS_MOST], side[2][SLABS_MOST], room[SLABS_MOST];
    /* how they are moved: by `step` times their room, or each class by a factor */
    bool moves;
    double step, factor[2];
};

/* A variable moves the more freely, the further it is from its bounds. */
static double room(const struct loss *loss, double a) {
    if (isinf(loss->least)) return 1;
    return isinf(loss->most) ? a : a * (1 - a / loss->most);
}

static sepal_status sum_slab(sepal_ctx *ctx, size_t slab, void *payload) {
    struct sums *sums = payload;
    const struct dual *s = sums->s;
    const struct objective *o = s->o;
    double side[2] = {0, 0}, rooms = 0;
    size_t from = o->slab_first[slab], to = o->slab_first[slab + 1];
    (void)ctx;
    for (size_t i = from; i < to; i++) {
        side[o->label[i] == 1] += o->share[i] * s->a[i];
        rooms += o->share[i] * room(o->loss, s->a[i]);
    }
    sums->earned[slab] = objective_neg_conjugate(o, from, to, s->a, 1);
    sums->side[0][slab] = side[0];
    sums->side[1][slab] = side[1];
    sums->room[slab] = rooms;
    return SEPAL_OK;
}

/* What the moved variables earn, less what they do to w to the first order. */
static sepal_status sum_moved(sepal_ctx *ctx, size_t slab, void *payload) {
    struct sums *sums = payload;
    const struct dual *s = sums->s;
    const struct objective *o = s->o;
    double earned = 0;
    for (size_t i = o->slab_first[slab]; i < o->slab_first[slab + 1]; i++) {
        double a = s->a[i], to = sums->factor[o->label[i] == 1] * a;
        if (sums->moves) to = a - sums->step * objective_side(o, i) * room(o->loss, a);
        to = fmin(fmax(to, o->loss->least), o->loss->most);
        double gained;
        o->loss->neg_conjugate(ctx->kernels, 1, &to, &gained);
        earned += o->share[i] * (gained - (to - a) * s->m[i]);
    }
    sums->earned[slab] = earned;
    return SEPAL_OK;
}

static double total(const struct dual *s, const double *of_slab) {
    double sum = 0;
    for (size_t slab = 0; slab < s->o->slabs; slab++) sum += of_slab[slab];
    return sum;
}

/* `penalty` is that of w. With a free bias the variables must be brought into balance first: those
   between their bounds move, which costs next to nothing, or, where they have not the room, all of
   the class that has too much. To the second order that costs at most about what moving all rows
   alike does to w. */
static sepal_status dual_value(double *out, const struct dual *s, double bias, double penalty) {
    const struct objective *o = s->o;
    struct sums sums = {.s = s};
    TRY(parallel_for(o->ctx, o->slabs, sum_slab, &sums));
    *out = total(s, sums.earned) - penalty;
    if (o->bias != BIAS_FREE) return SEPAL_OK;
    double low = total(s, sums.side[0]), high = total(s, sums.side[1]), amiss = high - low;
    sums.step = amiss / total(s, sums.room);
    sums.moves = isinf(o->loss->least) || fabs(sums.step) < 1;
    sums.factor[0] = low > high ? high / low : 1;
    sums.factor[1] = high > low ? low / high : 1;
    TRY(parallel_for(o->ctx, o->slabs, sum_moved, &sums));
    *out = total(s, sums.earned) - penalty - bias * amiss - 0.5 * amiss * amiss * (s->pace + 4);
    return SEPAL_OK;
}

static sepal_status best_bias(const struct dual *s, double *bias) {
    const struct objective *o = s->o;
    return o->loss->smooth ? line_bias(o, s->m, bias) : hinge_bias(o, s->m, bias);
}

sepal_status dual_look(const struct dual *s, struct outlook *out) {
    const struct objective *o = s->o;
    double loss, bound, penalty;
    if (o->bias != BIAS_NONE) s->w[o->cols] = s->bias;
    TRY(s->single ? dual_single_margins(s) : objective_margins(s->m, o, s->w));
    if (o->bias == BIAS_FREE) TRY(best_bias(s, s->w + o->cols));
    TRY(objective_loss(&loss, o, s->m));
    if (s->single)
        TRY(dual_single_penalty(&penalty, s));
    else
        penalty = objective_penalty(o, s->w);
    TRY(dual_value(&bound, s, objective_bias(o, s->w), penalty));
    out->primal = loss + penalty;
    out->gap = (out->primal - bound) / fmax(fabs(out->primal), 1e-300);
    out->ratio = s->excess > 0 && !s->any_rests ? (out->primal - bound) / s->excess : NAN;
    return SEPAL_OK;
}
