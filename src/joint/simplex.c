#include "joint/simplex.h"

#include <math.h>

size_t simplex_project(const struct kernels *kernels, double *z, size_t classes, size_t lanes) {
    size_t best = 0;
    for (size_t k = classes; k < lanes; k++) z[k] = -INFINITY;
    size_t inside = kernels->simplex_project(z, lanes);
    if (inside > 0) return inside;
    for (size_t k = 1; k < classes; k++)
        if (z[k] > z[best] || (isnan(z[best]) && !isnan(z[k]))) best = k;
    for (size_t k = 0; k < lanes; k++) z[k] = k == best;
    return 1;
}
