/* Sums of doubles without any rounding, as a list of doubles that do not overlap, least first (Shewchuk,
   "Adaptive Precision Floating-Point Arithmetic", Discrete & Computational Geometry 18, 1997), and their
   value rounded once, to nearest, halves to even: what Python calls math.fsum. */
#ifndef SEPAL_EXACT_PARTIAL_SUMS_H
#define SEPAL_EXACT_PARTIAL_SUMS_H

#include <stddef.h>

/* Parts that do not overlap, of which each has a bit of its own. */
enum { PARTIALS_MOST = 2100 };

struct partial_sums {
    size_t n;
    double part[PARTIALS_MOST];
};

static inline void partial_sums_clear(struct partial_sums *sum) {
    sum->n = 0;
}
/* All terms and sums of them have to be finite; else so is the value not. */
void partial_sums_add(struct partial_sums *sum, double term);
double partial_sums_value(const struct partial_sums *sum);

#endif
