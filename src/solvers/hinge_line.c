/* The hinge along a line. Its sum is convex with one kink a row, so the place where the slope
   changes its sign is found by halving. */
#include "solvers/hinge.h"

#include <math.h>

/* Along the bias the slope starts at minus the shares of the side y = 1 and rises by a row's share
   at the row's kink, so the best bias is a kink. */
void hinge_bias(const struct objective *o, double *m, double *bias) {
    enum { HALVINGS = 1100 }; /* until any two doubles are neighbours */
    double low = INFINITY, high = -INFINITY, wanted = 0;
    for (size_t i = 0; i < o->n; i++) {
        m[i] = (1 - m[i]) * objective_side(o, i);
        low = fmin(low, m[i]);
        high = fmax(high, m[i]);
        if (o->label[i] == 1) wanted += o->share[i];
    }
    for (int k = 0; k < HALVINGS; k++) {
        double middle = low + 0.5 * (high - low), reached = 0;
        if (!(middle > low && middle < high)) break;
        for (size_t i = 0; i < o->n; i++) reached += m[i] <= middle ? o->share[i] : 0;
        *(reached < wanted ? &low : &high) = middle;
    }
    if (!isfinite(high)) high = 0;
    for (size_t i = 0; i < o->n; i++) m[i] = 1 - (m[i] - high) * objective_side(o, i);
    *bias += high;
}

static double slope_at(const struct objective *o, const double *m, double square, double length) {
    double slope = length * o->l2 * square;
    for (size_t i = 0; i < o->n; i++) slope -= length * m[i] < 1 ? o->share[i] * m[i] : 0;
    return slope;
}

/* Without a penalty the least length that does: of separated rows, what brings all to their margin. */
double hinge_length(const struct objective *o, const double *m, double square) {
    enum { DOUBLINGS = 60, HALVINGS = 45 };
    double low = 0, high = 2;
    if (!(square > 0)) return 1;
    for (int k = 0; k < DOUBLINGS && slope_at(o, m, square, high) < 0; k++) {
        low = high;
        high *= 2;
    }
    for (int k = 0; k < HALVINGS; k++) {
        double middle = 0.5 * (low + high);
        *(slope_at(o, m, square, middle) < 0 ? &low : &high) = middle;
    }
    return o->l2 > 0 ? 0.5 * (low + high) : high;
}
