/* Where coordinate descent ends up, guessed from its last passes: while the same weights are not 0,
   each pass is the same linear map, so a combination of the passes whose changes cancel is nearer to
   the end (Bertrand and Massias, "Anderson acceleration of coordinate descent", AISTATS 2021; the
   slopes by row are combined too, which extrapolates the dual: Massias, Gramfort and Salmon, "Celer",
   ICML 2018). */
#include "solvers/prox.h"

#include "core/alloc.h"

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

/* Solve the small system by elimination with pivots; false: it has no solution to speak of. */
static bool eliminate(double a[HISTORY][HISTORY], double *b, size_t n) {
    for (size_t k = 0; k < n; k++) {
        size_t pivot = k;
        for (size_t i = k + 1; i < n; i++)
            if (fabs(a[i][k]) > fabs(a[pivot][k])) pivot = i;
        if (!(fabs(a[pivot][k]) > 0)) return false;
        for (size_t j = 0; j < n; j++) {
            double swap = a[k][j];
            a[k][j] = a[pivot][j];
            a[pivot][j] = swap;
        }
        double swap = b[k];
        b[k] = b[pivot];
        b[pivot] = swap;
        for (size_t i = k + 1; i < n; i++) {
            double factor = a[i][k] / a[k][k];
            for (size_t j = k; j < n; j++) a[i][j] -= factor * a[k][j];
            b[i] -= factor * b[k];
        }
    }
    for (size_t k = n; k-- > 0;) {
        for (size_t j = k + 1; j < n; j++) b[k] -= a[k][j] * b[j];
        b[k] /= a[k][k];
        if (!isfinite(b[k])) return false;
    }
    return true;
}

/* Weights of the passes, adding up to 1, that make the combined change least. */
static bool weigh(double *weight, const struct history *h, const struct prox *p) {
    double a[HISTORY][HISTORY];
    size_t n = h->n - 1, set = p->n_set + 1;
    for (size_t i = 0; i < n; i++) {
        const double *x = h->steps + i * set, *y = x + set;
        for (size_t j = i; j < n; j++) {
            const double *u = h->steps + j * set, *v = u + set;
            double sum = 0;
            for (size_t k = 0; k < p->n_set; k++)
                sum += (y[k] - x[k]) * (v[k] - u[k]) * p->second[p->set[k]];
            a[i][j] = a[j][i] = sum;
        }
        weight[i] = 1;
    }
    double trace = 0, total = 0;
    for (size_t i = 0; i < n; i++) trace += a[i][i];
    for (size_t i = 0; i < n; i++) a[i][i] += 1e-12 * trace;
    if (!eliminate(a, weight, n)) return false;
    for (size_t i = 0; i < n; i++) total += weight[i];
    for (size_t i = 0; i < n; i++) weight[i] /= total;
    return isfinite(1 / total);
}

bool history_extrapolate(struct history *h, struct prox *p, double *r) {
    const struct objective *o = p->o;
    size_t n = h->n - 1, set = p->n_set + 1;
    double weight[HISTORY];
    h->n = 0;
    if (!(n > 1)) return false;
    h->n = n + 1;
    bool good = weigh(weight, h, p);
    h->n = 0;
    if (!good) return false;
    for (size_t k = 0; k < set; k++) {
        double sum = 0;
        for (size_t i = 0; i < n; i++) sum += weight[i] * h->steps[(i + 1) * set + k];
        p->step[k < p->n_set ? p->set[k] : p->count] = sum;
    }
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
