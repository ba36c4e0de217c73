#include "joint/simplex.h"

#include <math.h>

enum { LANES = 4, CANDIDATES = 64 };

/* Some at a time, so that comparisons need not wait; what is no number is passed over. */
static double largest_of(const double *z, size_t n) {
    double most[LANES] = {-INFINITY, -INFINITY, -INFINITY, -INFINITY};
    size_t k = 0;
    for (; n - k >= LANES; k += LANES)
        for (size_t l = 0; l < LANES; l++) most[l] = z[k + l] > most[l] ? z[k + l] : most[l];
    for (; k < n; k++) most[0] = z[k] > most[0] ? z[k] : most[0];
    for (size_t l = 1; l < LANES; l++) most[0] = most[l] > most[0] ? most[l] : most[0];
    return most[0];
}

/* theta for distances below the largest, by Newton's method from -1 on: it is never too large, and fewer and
   fewer are above it. */
static double threshold_of(const double *below, size_t n) {
    double theta = -1;
    for (size_t before = n + 1;;) {
        double sum = 0;
        size_t inside = 0;
        for (size_t k = 0; k < n; k++) {
            if (!(below[k] > theta)) continue;
            sum += below[k];
            inside++;
        }
        if (inside >= before) return theta; /* more: rounding */
        before = inside;
        theta = (sum - 1) / (double)inside;
    }
}

static size_t give_all_to_largest(double *z, size_t classes, double largest) {
    size_t best = 0;
    while (best + 1 < classes && z[best] != largest) best++;
    if (z[best] != largest) best = 0;
    for (size_t k = 0; k < classes; k++) z[k] = k == best;
    return 1;
}

size_t simplex_project(double *z, size_t classes) {
    double largest = largest_of(z, classes), candidate[CANDIDATES];
    size_t n = 0, inside = 0;
    if (!(fabs(largest) < HUGE_VAL)) return give_all_to_largest(z, classes, largest);
    /* as distances from the largest nothing is lost where all are large; those of 1 or more do not count */
    for (size_t k = 0; k < classes; k++) {
        z[k] -= largest;
        if (!(z[k] > -1)) continue;
        if (n < CANDIDATES) candidate[n] = z[k];
        n++;
    }
    double theta = n <= CANDIDATES ? threshold_of(candidate, n) : threshold_of(z, classes);
    for (size_t k = 0; k < classes; k++) {
        inside += z[k] > theta;
        z[k] = z[k] > theta ? z[k] - theta : 0;
    }
    return inside;
}
