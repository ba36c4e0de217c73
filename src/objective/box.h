/* Bounds on weights: low_j <= w_j <= high_j, a box. The bias has none. */
#ifndef SEPAL_OBJECTIVE_BOX_H
#define SEPAL_OBJECTIVE_BOX_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

struct box {
    const double *low, *high; /* of each column; -inf, inf: none */
};

/* The number of the interval next to x; what is no number stays none. */
static inline double box_clip(double x, double low, double high) {
    return x < low ? low : x > high ? high : x;
}
static inline bool box_bounds(const struct box *box, size_t j) {
    return box->low[j] > -INFINITY || box->high[j] < INFINITY;
}
/* How many of n weights are at a bound of theirs. */
static inline size_t box_active(const struct box *box, const double *w, size_t n) {
    size_t active = 0;
    for (size_t j = 0; j < n; j++) active += w[j] == box->low[j] || w[j] == box->high[j];
    return active;
}
/* The weights of the box next to w. */
static inline void box_project(const struct box *box, double *w, size_t n) {
    for (size_t j = 0; j < n; j++) w[j] = box_clip(w[j], box->low[j], box->high[j]);
}

#endif
