/* Rows of the dual solver: their squares, and the epoch that visits them. */
#include "core/rng.h"
#include "solvers/dual.h"

#include <math.h>
#include <string.h>

/* ---- squares ------------------------------------------------------------------------------ */

sepal_status dual_curvatures(struct dual *s) {
    const struct objective *o = s->o;
    TRY(objective_squared_norms(s->curvature, o));
    s->mean_square = objective_mean(o, s->curvature) / o->l2;
    for (size_t i = 0; i < o->n; i++) s->curvature[i] *= o->row_weight[i] / o->l2;
    return SEPAL_OK;
}

/* ---- visits ------------------------------------------------------------------------------- */

/* The next row of the epoch that is not shrunk, from *place on; false: there is none. */
static bool dual_next_row(const struct dual *s, size_t *place, size_t *row) {
    for (; *place < s->groups * DUAL_GROUP; ++*place) {
        size_t i = (size_t)s->order[*place / DUAL_GROUP] * DUAL_GROUP + *place % DUAL_GROUP;
        if (i >= s->o->n || (s->shrunk && s->shrunk[i])) continue;
        ++*place;
        *row = i;
        return true;
    }
    return false;
}

/* The step of a row with that score; what it is to be added to the weights with. */
static double dual_move(struct dual *s, size_t i, double score) {
    const struct objective *o = s->o;
    double side = objective_side(o, i), m = side * (score + s->bias);
    if (!isfinite(m) || !isfinite(s->curvature[i])) return 0;
    double next = s->next(s, i, m), factor = (next - s->a[i]) * o->row_weight[i] * side;
    s->products += o->row_weight[i] * next * m;
    if (factor == 0) return 0;
    s->a[i] = next;
    s->bias += factor / s->stiff;
    return factor / o->l2;
}

static bool dual_stops(struct dual *s, const struct gap_estimate *out) {
    if (++s->visits < s->often) return false;
    s->visits = 0;
    return s->d->stops(s->d->payload, s->d->iterations, out->primal, out->gap);
}

static void dual_visit(struct dual *s, size_t i) {
    const struct objective *o = s->o;
    const struct kernels *kernels = o->ctx->kernels;
    size_t local;
    const struct block *block = matrix_block_of(&o->rows, i, &local);
    if (o->rows.sparse) {
        double factor = dual_move(s, i, row_dot(kernels, block, local, o->cols, s->w));
        if (factor != 0) row_axpy(kernels, block, local, o->cols, factor, s->w);
    } else {
        const double *x;
        block_panel(&x, kernels, block, local, 1, o->cols, o->centre, s->dense);
        double factor = dual_move(s, i, kernels->dot_f64(x, s->w, o->cols));
        if (factor != 0) kernels->axpy_f64(factor, x, s->w, o->cols);
    }
}

void dual_unshrink(struct dual *s) {
    if (!s->shrunk) return;
    memset(s->shrunk, 0, s->o->n * sizeof *s->shrunk);
    s->any_shrunk = false;
    s->high = INFINITY;
    s->low = -INFINITY;
}

bool dual_epoch(struct dual *s, const struct gap_estimate *out) {
    enum { STREAM = 0x64 };
    static const size_t often = 1 << 22; /* entries from question to question */
    struct solver *d = s->d;
    const struct objective *o = s->o;
    size_t entries = o->rows.sparse ? o->rows.nonzeros : o->n * o->cols;
    struct rng rng = rng_make(d->seed, ((uint64_t)STREAM << 32) + d->iterations);
    size_t place = 0, i;
    rng_shuffle(&rng, s->order, s->groups);
    s->often = o->n / (entries / often + 1) + 1;
    s->excess = s->loss = s->products = 0;
    s->high_now = -INFINITY;
    s->low_now = INFINITY;
    while (dual_next_row(s, &place, &i)) {
        dual_visit(s, i);
        if (dual_stops(s, out)) return false;
    }
    s->high = s->high_now > 0 ? s->high_now : INFINITY;
    s->low = s->low_now < 0 ? s->low_now : -INFINITY;
    return true;
}
