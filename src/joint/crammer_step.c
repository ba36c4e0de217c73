/* A step of the dual coordinate descent of Crammer and Singer's machine. With all other rows fixed the dual
   of one is, at scores g_k = s_k + [k is not y],

       max over the simplex of  (a' - a) . g - |a' - a|^2 curvature / 2,

   so a' is the projection of a + g / curvature onto it. A row at a corner is shrunk when its class is ahead of
   the others by more than any row had to move for in the epoch before (Keerthi et al., KDD 2008). */
#include "joint/joint_dcd.h"
#include "joint/simplex.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* What a row adds to the sums of the epoch, and whether it stays where it is: g are its scores and the margin. */
static bool crammer_stays(struct joint_dcd *s, size_t i, const double *g, const double *a,
                          const struct simplex_view *view) {
    size_t own = (size_t)s->o->label[i];
    double weight = s->o->row_weight[i];
    bool corner = view->used == 1 && view->least == view->most;
    s->excess += weight * (view->most - view->mean);
    s->loss += weight * (view->most - g[own]);
    s->products += weight * (g[own] + (1 - a[own]) - view->mean);
    if (corner && view->most - view->second > s->worst) {
        s->any_shrunk = s->shrunk[i] = true;
        return true;
    }
    if (view->most - view->least > s->worst_now) s->worst_now = view->most - view->least;
    return corner;
}

bool crammer_step(struct joint_dcd *s, size_t i, double *g, double *step) {
    const struct joint *j = s->j;
    const struct kernels *kernels = s->o->ctx->kernels;
    double *a = s->alpha + i * j->lanes, curvature = s->curvature[i], inverse = 1 / curvature;
    double factor = s->o->row_weight[i] / s->o->l2;
    struct simplex_view view;
    g[s->o->label[i]] -= 1;
    for (size_t l = j->classes; l < j->lanes; l++) g[l] = -DBL_MAX;
    kernels->simplex_survey(&view, a, g, j->lanes);
    if (!isfinite(view.mean) || !isfinite(curvature) || crammer_stays(s, i, g, a, &view))
        return false;
    for (size_t l = 0; l < j->lanes; l++) g[l] = a[l] + inverse * g[l];
    (void)simplex_project(kernels, g, j->classes, j->lanes);
    if (memcmp(a, g, j->lanes * sizeof *a) == 0) return false;
    for (size_t l = 0; l < j->lanes; l++) step[l] = factor * (a[l] - g[l]);
    memcpy(a, g, j->lanes * sizeof *a);
    return true;
}
