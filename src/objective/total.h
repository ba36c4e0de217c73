/* A sum that carries what rounding has cut off (Neumaier 1974). */
#ifndef SEPAL_OBJECTIVE_TOTAL_H
#define SEPAL_OBJECTIVE_TOTAL_H

#include <math.h>

struct total {
    double sum, rest;
};

static inline void total_add(struct total *total, double x) {
    double sum = total->sum + x;
    total->rest += fabs(total->sum) >= fabs(x) ? (total->sum - sum) + x : (x - sum) + total->sum;
    total->sum = sum;
}

static inline double total_of(const struct total *total) {
    return total->sum + total->rest;
}

#endif
