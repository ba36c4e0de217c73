/* Where coordinate descent ends up, guessed from its last passes: while the same weights are not 0,
   each pass is the same linear map, so a combination of the passes whose changes cancel is nearer to
   the end (Bertrand and Massias, "Anderson acceleration of coordinate descent", AISTATS 2021; the
   slopes by row are combined too, which extrapolates the dual: Massias, Gramfort and Salmon, "Celer",
   ICML 2018). */
#include "solvers/prox.h"

#include "core/alloc.h"
#include "solvers/newton.h"

#include <math.h>
#include <string.h>

sepal_status history_add(struct history *h, const struct prox *p, const double *r) {
    const struct objective *o = p->o;
    size_t set = p->n_set + 1;
    if (!h->steps) {
        h->steps = mem_alloc(o->ctx, set, HISTORY * sizeof *h->steps);
        h->rows = mem_alloc(o->ctx, o->n, HISTORY * sizeof *h->rows);
        if (!h->steps || !h->rows) return SEPAL_EMEMORY;
    }
    double *step = h->steps + h->n * set;
    for (size_t i = 0; i < p->n_set; i++) step[i] = p->step[p->set[i]];
    step[p->n_set] = p->step[p->count];
    memcpy(h->rows + h->n * o->n, r, o->n * sizeof *r);
    h->n++;
    return SEPAL_OK;
}

/* Weights of the passes, adding up to 1, that make the combined change least. */
static bool weigh(double *weight, const struct history *h, const struct prox *p) {
    double a[HISTORY * HISTORY], scale[HISTORY], total = 0;
    size_t n = h->n - 1, set = p->n_set + 1;
    for (size_t i = 0; i < n; i++) {
        const double *x = h->steps + i * set, *y = x + set;
        for (size_t j = i; j < n; j++) {
            const double *u = h->steps + j * set, *v = u + set;
            double sum = 0;
            for (size_t k = 0; k < p->n_set; k++)
                sum += (y[k] - x[k]) * (v[k] - u[k]) * p->second[p->set[k]];
            a[i * n + j] = sum;
        }
        weight[i] = 1;
    }
    if (!factor_make(a, n, scale, p->o->ctx)) return false;
    factor_solve(a, n, scale, weight, p->o->ctx);
    for (size_t i = 0; i < n; i++) total += weight[i];
    for (size_t i = 0; i < n; i++) weight[i] /= total;
    return isfinite(total) && isfinite(1 / total);
}

/* The combined step of the k-th of the set. */
static double combined(const struct history *h, const double *weight, size_t set, size_t k) {
    double sum = 0;
    for (size_t i = 0; i + 1 < h->n; i++) sum += weight[i] * h->steps[(i + 1) * set + k];
    return sum;
}

/* Whether it leaves all weights within their bounds. */
static bool stays_within(const struct history *h, const struct prox *p, const double *weight) {
    for (size_t i = 0; p->o->box && i < p->n_set; i++) {
        size_t k = p->set[i];
        double w = p->w[k] + combined(h, weight, p->n_set + 1, i);
        if (w < p->low[k] || w > p->high[k]) return false;
    }
    return true;
}

bool history_extrapolate(struct history *h, struct prox *p, double *r) {
    const struct objective *o = p->o;
    size_t n = h->n - 1, set = p->n_set + 1;
    double weight[HISTORY];
    bool good = weigh(weight, h, p) && stays_within(h, p, weight);
    for (size_t k = 0; good && k < set; k++)
        p->step[k < p->n_set ? p->set[k] : p->count] = combined(h, weight, set, k);
    h->n = 0;
    if (!good) return false;
    memset(r, 0, o->n * sizeof *r);
    for (size_t i = 0; i < n; i++)
        o->ctx->kernels->axpy_f64(weight[i], h->rows + (i + 1) * o->n, r, o->n);
    return true;
}

void history_clear(struct history *h) {
    mem_free(h->steps);
    mem_free(h->rows);
    *h = (struct history){0};
}
