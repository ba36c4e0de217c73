/* A step of the dual coordinate descent of Crammer and Singer's machine. With all other rows fixed the dual
   of one is, at scores g_k = s_k + [k is not y],

       max over the simplex of  (a' - a) . g - |a' - a|^2 curvature / 2,

   so a' is the projection of a + g / curvature onto it. A row at a corner is shrunk when its class is ahead of
   the others by more than any row had to move for in the epoch before (Keerthi et al., KDD 2008). */
#include "joint/joint_dcd.h"
#include "joint/simplex.h"

#include <math.h>

/* What a row adds to the sums of the epoch, and whether it stays where it is: g are its scores and the margin. */
static bool crammer_stays(struct joint_dcd *s, size_t i, const double *g, const double *a) {
    size_t own = (size_t)s->o->label[i], best = 0, used = 0;
    double most = -INFINITY, second = -INFINITY, least = INFINITY, mean = 0;
    double weight = s->o->row_weight[i];
    for (size_t k = 0; k < s->j->classes; k++) {
        if (g[k] > most) {
            second = most;
            most = g[k];
            best = k;
        } else if (g[k] > second) {
            second = g[k];
        }
        if (!(a[k] > 0)) continue;
        used++;
        mean += a[k] * g[k];
        if (g[k] < least) least = g[k];
    }
    s->excess += weight * (most - mean);
    s->loss += weight * (most - g[own]);
    s->products += weight * (g[own] + (1 - a[own]) - mean);
    if (used == 1 && a[best] > 0 && most - second > s->worst) {
        s->any_shrunk = s->shrunk[i] = true;
        return true;
    }
    if (most - least > s->worst_now) s->worst_now = most - least;
    return used == 1 && a[best] > 0;
}

bool crammer_step(struct joint_dcd *s, size_t i, double *g, double *step) {
    const struct joint *j = s->j;
    double *a = s->alpha + i * j->lanes, curvature = s->curvature[i], moved = 0;
    double factor = s->o->row_weight[i] / s->o->l2;
    g[s->o->label[i]] -= 1;
    for (size_t k = 0; k < j->classes; k++) moved += g[k];
    if (!isfinite(moved) || !isfinite(curvature) || crammer_stays(s, i, g, a)) return false;
    for (size_t k = 0; k < j->classes; k++) g[k] = a[k] + g[k] / curvature;
    (void)simplex_project(g, j->classes);
    moved = 0;
    for (size_t k = 0; k < j->classes; k++) {
        step[k] = factor * (a[k] - g[k]);
        moved += fabs(step[k]);
        a[k] = g[k];
    }
    return moved > 0;
}
