/* Whitening by a shrunk scatter matrix of many more columns than rows, which is never made. */
#ifndef SEPAL_SOLVERS_WHITEN_RIDGE_H
#define SEPAL_SOLVERS_WHITEN_RIDGE_H

#include "solvers/whiten.h"

sepal_status ridge_make(struct whitener *w, double alpha, double divisor);
sepal_status ridge_whiten(double *y, struct whitener *whitener, const double *b, size_t k);
sepal_status ridge_back(double *out, struct whitener *w, const double *y, size_t k);

#endif
