/* A sum that carries what rounding has cut off (Neumaier 1974). */
#ifndef SEPAL_CORE_COMPENSATED_SUM_H
#define SEPAL_CORE_COMPENSATED_SUM_H

#include <math.h>
#include <stddef.h>

struct total {
    double sum, rest;
};

static inline void total_add(struct total *total, double x) {
    double sum = total->sum + x;
    total->rest += fabs(total->sum) >= fabs(x) ? (total->sum - sum) + x : (x - sum) + total->sum;
    total->sum = sum;
}

/* Many at a time, some sums side by side. The errors are taken by Knuth's way, which asks for no
   comparison. */
static inline void total_add_all(struct total *total, const double *x, size_t n) {
    enum { LANES = 4 };
    double sum[LANES] = {0}, rest[LANES] = {0};
    size_t j = 0;
    for (; n - j >= LANES; j += LANES)
        for (size_t l = 0; l < LANES; l++) {
            double s = sum[l] + x[j + l], part = s - sum[l];
            rest[l] += (sum[l] - (s - part)) + (x[j + l] - part);
            sum[l] = s;
        }
    for (; j < n; j++) total_add(total, x[j]);
    for (size_t l = 0; l < LANES; l++) {
        total_add(total, sum[l]);
        total_add(total, rest[l]);
    }
}

static inline double total_of(const struct total *total) {
    return total->sum + total->rest;
}

#endif
