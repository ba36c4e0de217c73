/* Along a path of falling penalties weights change smoothly with the logarithm of the strength: the straight line
   through the last two answers leads nearer to the next than the last one is (a predictor step, as of Allgower
   and Georg, "Introduction to Numerical Continuation Methods", 2003). With an L1 penalty or bounds it would leave
   the zeros, where the answers have corners. */
#include "selection/trial_start.h"

#include <math.h>
#include <string.h>

/* NaN: there is no such number. */
static double parameter_of(const struct pipeline *pipeline, const char *name) {
    const struct parameter *row = parameters_find(pipeline->learner->parameters, name);
    double value = NAN;
    if (row) memcpy(&value, (const char *)pipeline->config + row->offset, sizeof value);
    return value;
}

static bool has_corners(const struct pipeline *pipeline) {
    const struct learner *learner = pipeline->learner;
    if (parameter_of(pipeline, "l1") > 0 || parameter_of(pipeline, "ratio") > 0) return true;
    return learner->bounds &&
           weight_bounds_given(learner->bounds((void *)(uintptr_t)pipeline->config));
}

double trial_start_beyond(const struct pipeline *older, const struct pipeline *before,
                          const struct pipeline *next) {
    static const char *const names[] = {"C", "l2"};
    if (has_corners(older) || has_corners(before) || has_corners(next)) return 0;
    for (size_t i = 0; i < 2; i++) {
        double last = log(parameter_of(before, names[i]));
        double step = last - log(parameter_of(older, names[i]));
        double beyond = (log(parameter_of(next, names[i])) - last) / step;
        if (isfinite(beyond)) return fmin(fmax(beyond, 0), 1);
    }
    return 0;
}

static double *go_beyond(sepal_ctx *ctx, struct arena *arena, const double *older,
                         const double *before, size_t n, double beyond) {
    double *out = arena_alloc(ctx, arena, n, sizeof *out);
    for (size_t i = 0; out && i < n; i++) out[i] = before[i] + beyond * (before[i] - older[i]);
    return out;
}

sepal_status trial_start_make(sepal_model *out, sepal_ctx *ctx, struct arena *arena,
                              const sepal_model *older, const sepal_model *before, double beyond) {
    const struct linear *last = &before->linear, *one = &older->linear;
    *out = *before;
    /* of the same rows and maps they have one centre, if any */
    if (last->cols != one->cols || last->rows != one->rows) return SEPAL_OK;
    out->linear.w = go_beyond(ctx, arena, one->w, last->w, last->rows * last->cols, beyond);
    out->linear.b = go_beyond(ctx, arena, one->b, last->b, last->rows, beyond);
    return out->linear.w && out->linear.b ? SEPAL_OK : SEPAL_EMEMORY;
}
