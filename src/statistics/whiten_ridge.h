/* Whitening by a shrunk scatter matrix: one that is made, and one of many more columns than rows, which
   is not. */
#ifndef SEPAL_STATISTICS_WHITEN_RIDGE_H
#define SEPAL_STATISTICS_WHITEN_RIDGE_H

#include "statistics/whiten.h"

static inline double *whiten_make(const struct scatter *s, size_t rows, size_t cols) {
    return arena_alloc(s->ctx, s->arena, rows, cols * sizeof(double));
}

/* The upper triangle of S in w->factor, by the intensity given or estimated, see whitener_make. */
sepal_status whitener_shrink(struct whitener *w, double alpha, double divisor);

sepal_status ridge_make(struct whitener *w, double alpha, double divisor);
sepal_status ridge_whiten(double *y, struct whitener *whitener, const double *b, size_t k);
sepal_status ridge_back(double *out, struct whitener *w, const double *y, size_t k);

#endif
