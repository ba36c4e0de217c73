/* What the user should know of the answer: that it falls short of --tol, or says nothing. */
#include "learners/convex.h"

static void warn_of_shortfall(const struct convex *convex) {
    const struct fit *fit = convex->fit;
    if (fit->stopped) {
        warn(
            fit->ctx, "not-converged",
            "stopped early (%s) after %zu iterations with a relative gap of %.2g, more than --tol; "
            "go on from here with --warm MODEL",
            fit->stopped, convex->descent.iterations, convex->proof.gap);
        return;
    }
    if (convex_walks(fit)) {
        convex_warn_of_walk(convex);
        return;
    }
    warn(
        fit->ctx, "not-converged",
        "the solver ended after %zu iterations with a relative gap of %.2g, more than --tol; bring "
        "the features to a common scale (standardize), penalise more, or raise --max-iter",
        convex->descent.iterations, convex->proof.gap);
}

static void warn_of_nothing(const struct convex *convex) {
    const struct objective *o = &convex->objective;
    for (size_t j = 0; j < o->cols; j++)
        if (convex->descent.u[j] != 0) return;
    warn(convex->fit->ctx, "zero-weights",
         "all weights are 0, so every row gets the same answer: no column %s",
         o->l1 > 0 || o->l2 > 0 ? "gains more than the penalty takes; penalise less, or bring the "
                                  "features to a common scale (standardize)"
                                : "tells the classes apart");
}

void convex_warn(const struct convex *convex) {
    const struct descent *d = &convex->descent;
    if (!d->converged && !convex->endless) warn_of_shortfall(convex);
    if (d->converged) warn_of_nothing(convex);
}
