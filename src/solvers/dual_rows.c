/* Rows of the dual solver: their squares, and the epoch that visits them. */
#include "core/rng.h"
#include "solvers/dual.h"

#include <math.h>
#include <string.h>

/* ---- squares ------------------------------------------------------------------------------ */

sepal_status dual_curves(struct dual *s) {
    const struct objective *o = s->o;
    static const double small = 1e-12, large = 1e12;
    double sum = 0, shares = 0;
    s->tame = true;
    TRY(objective_squares(s->curve, o));
    for (size_t i = 0; i < o->n; i++) {
        sum += o->share[i] * s->curve[i];
        shares += o->share[i];
        s->curve[i] *= o->share[i] / o->l2;
        if (s->curve[i] != 0 && !(s->curve[i] > small && s->curve[i] < large)) s->tame = false;
    }
    s->pace = sum / shares / o->l2;
    return SEPAL_OK;
}

/* ---- visits ------------------------------------------------------------------------------- */

static void visit(struct dual *s, const struct block *block, size_t local, const double *dense) {
    const struct objective *o = s->o;
    const struct kernels *kernels = o->ctx->kernels;
    size_t i = block->first_row + local;
    if (s->rests && s->rests[i]) return;
    double side = objective_side(o, i);
    double score = dense       ? kernels->dot_f64(dense, s->w, o->cols)
                   : s->single ? dual_single_dot(block, local, s->single)
                               : row_dot(kernels, block, local, o->cols, s->w);
    double m = side * (score + s->bias);
    if (!isfinite(m) || !isfinite(s->curve[i])) return;
    double next = s->next(s, i, m), factor = (next - s->a[i]) * o->share[i] * side;
    s->products += o->share[i] * next * m;
    if (factor == 0) return;
    s->a[i] = next;
    s->bias += factor / s->stiff;
    if (dense)
        kernels->axpy_f64(factor / o->l2, dense, s->w, o->cols);
    else if (s->single)
        dual_single_add(block, local, factor / o->l2, s->single);
    else
        row_axpy(kernels, block, local, o->cols, factor / o->l2, s->w);
}

static void visit_group(struct dual *s, size_t first) {
    const struct objective *o = s->o;
    size_t local, n = o->n - first < DUAL_GROUP ? o->n - first : DUAL_GROUP;
    const struct block *block = matrix_block_of(&o->rows, first, &local);
    bool sparse = o->rows.sparse;
    if (!sparse) block_dense(block, local, n, o->cols, o->centre, NULL, s->dense, o->cols);
    for (size_t k = 0; k < n; k++)
        visit(s, block, local + k, sparse ? NULL : s->dense + k * o->cols);
}

void dual_wake(struct dual *s) {
    if (!s->rests) return;
    memset(s->rests, 0, s->o->n * sizeof *s->rests);
    s->any_rests = false;
    s->high = INFINITY;
    s->low = -INFINITY;
}

sepal_status dual_epoch(struct dual *s, const struct outlook *out, bool *stopped) {
    enum { STREAM = 0x64 };
    static const size_t often = 1 << 22; /* entries from question to question */
    struct descent *d = s->d;
    const struct objective *o = s->o;
    struct rng rng = rng_make(d->seed, ((uint64_t)STREAM << 32) + d->iterations);
    size_t entries = o->rows.sparse ? o->rows.nonzeros : o->n * o->cols;
    size_t between = s->groups / (entries / often + 1) + 1;
    rng_shuffle(&rng, s->order, s->groups);
    s->excess = s->loss = s->products = 0;
    s->high_now = -INFINITY;
    s->low_now = INFINITY;
    for (size_t g = 0; g < s->groups && !*stopped; g++) {
        visit_group(s, (size_t)s->order[g] * DUAL_GROUP);
        if ((g + 1) % between == 0)
            *stopped = d->stops(d->payload, d->iterations, out->primal, out->gap);
    }
    if (*stopped) return SEPAL_OK;
    s->high = s->high_now > 0 ? s->high_now : INFINITY;
    s->low = s->low_now < 0 ? s->low_now : -INFINITY;
    return SEPAL_OK;
}
