#include "joint/simplex.h"

#include <math.h>

static size_t give_all_to(double *z, size_t classes, size_t best) {
    for (size_t k = 0; k < classes; k++) z[k] = k == best;
    return 1;
}

size_t simplex_project(double *z, size_t classes) {
    size_t best = 0, inside = 0;
    for (size_t k = 1; k < classes; k++)
        if (z[k] > z[best]) best = k;
    if (!(fabs(z[best]) < HUGE_VAL)) return give_all_to(z, classes, best);
    /* as distances from the largest nothing is lost where all are large */
    double largest = z[best], theta = -1;
    for (size_t k = 0; k < classes; k++) z[k] -= largest;
    for (size_t before = classes + 1;;) {
        double sum = 0;
        inside = 0;
        for (size_t k = 0; k < classes; k++) {
            sum += z[k] > theta ? z[k] : 0;
            inside += z[k] > theta;
        }
        if (inside >= before) break; /* more: rounding */
        before = inside;
        theta = (sum - 1) / (double)inside;
    }
    for (size_t k = 0; k < classes; k++) z[k] = z[k] > theta ? z[k] - theta : 0;
    return inside;
}
