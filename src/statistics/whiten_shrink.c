/* Shrinking a scatter matrix, in the units of the data or in those of standard deviations. */
#include "statistics/whiten_ridge.h"

#include <math.h>

/* Squares outside [LEAST, MOST] are near the ends of a double's range. */
static const double LEAST = 1e-200, MOST = 1e200;

static sepal_status shrunk_refuse_column(const struct whitener *w, size_t i, bool within) {
    if (within)
        return fail(w->s->ctx, SEPAL_EDATA,
                    "the squares of matrix column %zu are beyond the range of a double; bring the "
                    "features to a common scale (standardize | ...)",
                    w->s->active[i] + 1);
    return fail(
        w->s->ctx, SEPAL_EDATA,
        "matrix column %zu is constant within each class, and shrinkage=auto comes to 0 for "
        "these rows; give a number (shrinkage=0.1) or leave this column out",
        w->s->active[i] + 1);
}

/* S in units of standard deviations, and the intensity that Ledoit and Wolf estimate there. */
static sepal_status shrink_standardized(struct whitener *w, double divisor) {
    size_t n = w->n;
    double *g = w->factor;
    struct scatter *scaled = arena_alloc(w->s->ctx, w->s->arena, 1, sizeof *scaled);
    if (!scaled) return SEPAL_EMEMORY;
    for (size_t i = 0; i < n; i++) {
        bool within = w->s->spread[w->s->active[i]] == SPREAD_WITHIN;
        if (within && !(g[i * n + i] > LEAST && g[i * n + i] < MOST))
            return shrunk_refuse_column(w, i, true);
    }
    TRY(scatter_standardize(scaled, w->s, g, n + 1, divisor, NULL));
    scatter_scale(g, scaled, divisor);
    w->s = scaled;
    struct scatter_rows rows = {.s = scaled};
    TRY(ledoit_wolf(&w->alpha, &rows, scaled->x->rows, scaled->total, g, false));
    w->ridge = w->alpha * divisor;
    return SEPAL_OK;
}

sepal_status whitener_shrink(struct whitener *w, double alpha, double divisor) {
    size_t n = w->n;
    double *g = w->factor;
    w->alpha = alpha;
    if (isnan(alpha)) TRY(shrink_standardized(w, divisor));
    for (size_t j = 0; j < n; j++) w->trace += g[j * n + j];
    if (!isnan(alpha)) w->ridge = alpha * w->trace / (double)w->s->x->cols;
    for (size_t i = 0; i < n; i++) {
        bool within = !isnan(alpha) || g[i * n + i] > 0;
        for (size_t j = i; j < n && w->alpha > 0; j++) g[i * n + j] *= 1 - w->alpha;
        g[i * n + i] += w->ridge;
        if (!(g[i * n + i] > LEAST && g[i * n + i] < MOST))
            return shrunk_refuse_column(w, i, within);
    }
    return SEPAL_OK;
}
