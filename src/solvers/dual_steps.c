/* One variable of the dual at a time. With the others fixed it is the concave problem

       max over a' of  neg_conjugate(a') - (a' - a) m - (a' - a)^2 curvature / 2

   where m is the row's margin. The hinges have closed forms (Hsieh et al., ICML 2008) and rest at
   their bounds as there. The logistic loss has a' = -l'(t) for the one t with

       t = m + curvature (-l'(t) - a)

   which is the margin after the step; Newton's method finds it from the margin of the last visit
   with about one exponential. */
#include "kernels/logistic.h"
#include "solvers/dual.h"

#include <math.h>

/* ---- hinges ------------------------------------------------------------------------------- */

/* Whether a row at its bound may rest; `slope` is that of the dual along -a. */
static bool shrinks_at_bound(struct dual *s, size_t i, double slope, double most) {
    double a = s->a[i];
    bool low = a <= 0, high = a >= most;
    if ((low && slope > s->high) || (high && slope < s->low)) {
        s->any_shrunk = s->shrunk[i] = true;
        return true;
    }
    double open = (low && slope > 0) || (high && slope < 0) ? 0 : slope;
    if (open > s->high_now) s->high_now = open;
    if (open < s->low_now) s->low_now = open;
    return false;
}

double dual_step_hinge(struct dual *s, size_t i, double m) {
    double a = s->a[i], violation = 1 - m, weight = s->o->row_weight[i];
    s->excess += weight * (violation > 0 ? (1 - a) * violation : -a * violation);
    s->loss += weight * (violation > 0 ? violation : 0);
    if (violation == 0 || shrinks_at_bound(s, i, -violation, 1)) return a;
    return clamp(a + violation / s->curvature[i], 0, 1);
}

double dual_step_squared_hinge(struct dual *s, size_t i, double m) {
    double a = s->a[i], violation = 1 - m, gradient = violation - a / 2,
           weight = s->o->row_weight[i];
    s->excess += weight * (violation > 0 ? gradient * gradient : a * (a / 4 - violation));
    s->loss += weight * (violation > 0 ? violation * violation : 0);
    if (shrinks_at_bound(s, i, -gradient, INFINITY)) return a;
    return clamp(a + gradient / (s->curvature[i] + 0.5), 0, INFINITY);
}

/* ---- logistic ----------------------------------------------------------------------------- */

double dual_step_logistic(struct dual *s, size_t i, double m) {
    enum { STEPS = 40 };
    static const double small = 0.1;
    double a = s->a[i], curvature = s->curvature[i], t = s->implied_margin[i], second = a * (1 - a);
    double low = m - curvature * a, high = low + curvature, base = low;
    bool first = isinf(t);
    s->excess += s->o->row_weight[i] * (first ? M_LN2 : 0.5 * second * (m - t) * (m - t));
    t = first ? 0 : t + (m - t) / (1 + curvature * second);
    t = clamp(t, low, high);
    for (int k = 0; k < STEPS; k++) {
        double e = exp_of_minus(fabs(t)), one = 1 + e, alpha = (t < 0 ? 1 : e) / one;
        second = e / (one * one);
        double off = t - base - curvature * alpha, inverse = 1 / (1 + curvature * second);
        double step = -off * inverse;
        *(off < 0 ? &low : &high) = t;
        if (!(t + step >= low && t + step <= high)) step = 0.5 * (low + high) - t;
        t += step;
        if (fabs(step) > small) continue;
        /* the root's dual variable by its series from the last place, to the order of step^3: both its
           curvature and what that does to the step count */
        a = alpha - second * step * (1 - (0.5 - alpha) * step * inverse);
        break;
    }
    s->implied_margin[i] = t;
    return clamp(a, 0, 1);
}
