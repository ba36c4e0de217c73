/* What the user should know of the answer: that it falls short of --tol, or says nothing. */
#include "learners/convex.h"

#include "core/alloc.h"
#include "core/decimal.h"

#include <math.h>

/* Without a gap: there is no penalty, or numbers are beyond the range of a double. */
static void warn_of_no_gap(const struct convex *convex) {
    if (isfinite(convex->proof.primal) && convex->objective.box)
        warn(convex->fit->ctx, "not-converged",
             "the solver ended after %zu iterations without converging; without a penalty the "
             "weights that the bounds leave free may grow without end, and no gap is known; give a "
             "penalty (C=1 or l2=1e-6), bounds on both sides, or raise " OPTION "max-iter",
             convex->descent.iterations);
    else if (isfinite(convex->proof.primal))
        warn(convex->fit->ctx, "not-converged",
             "the solver ended after %zu iterations without converging; without a penalty no gap "
             "is known; bring the features to a common scale (standardize), give a penalty (C=1 or "
             "l2=1e-6), or raise " OPTION "max-iter",
             convex->descent.iterations);
    else
        warn(convex->fit->ctx, "not-converged",
             "the solver ended after %zu iterations with an objective beyond the largest number; "
             "bring the features to a common scale (standardize)",
             convex->descent.iterations);
}

/* Sums of many terms can hardly be had with less; features far from 0 make it more. */
static void warn_of_rounding(const struct convex *convex) {
    static const double usual = 1e-11;
    double rounding = convex_rounding(convex);
    if (rounding <= usual)
        warn(convex->fit->ctx, "not-converged",
             "the solver ended after %zu iterations with a relative gap of %.2g: rounding errors "
             "alone may be %.2g of the objective, and " OPTION "tol asks for less; give " OPTION
             "tol 1e-10, say",
             convex->descent.iterations, convex->proof.gap, rounding);
    else
        warn(convex->fit->ctx, "not-converged",
             "the solver ended after %zu iterations with a relative gap of %.2g: rounding errors "
             "alone may be %.2g of the objective, and " OPTION
             "tol asks for less; bring the features to a "
             "common scale around 0 (standardize), penalise more, or give " OPTION "tol %.0e",
             convex->descent.iterations, convex->proof.gap, rounding, 10 * convex->proof.gap);
}

static void warn_of_shortfall(const struct convex *convex) {
    const struct fit *fit = convex->fit;
    if (fit->stopped && !isfinite(convex->proof.gap)) {
        warn(fit->ctx, "not-converged",
             "stopped early (%s) after %zu iterations; go on from here with " OPTION "warm MODEL",
             fit->stopped, convex->descent.iterations);
        return;
    }
    if (fit->stopped) {
        warn(
            fit->ctx, "not-converged",
            "stopped early (%s) after %zu iterations with a relative gap of %.2g, more than " OPTION
            "tol; "
            "go on from here with " OPTION "warm MODEL",
            fit->stopped, convex->descent.iterations, convex->proof.gap);
        return;
    }
    if (convex_is_sgd(fit)) {
        convex_warn_of_sgd(convex);
        return;
    }
    if (!isfinite(convex->proof.gap)) {
        warn_of_no_gap(convex);
        return;
    }
    if (convex_rounding(convex) > convex->tol) {
        warn_of_rounding(convex);
        return;
    }
    warn(fit->ctx, "not-converged",
         "the solver ended after %zu iterations with a relative gap of %.2g, more than " OPTION
         "tol; bring "
         "the features to a common scale (standardize), penalise more, or raise " OPTION "max-iter",
         convex->descent.iterations, convex->proof.gap);
}

/* The l1 from which on all weights are 0: the largest sum of dual variables along a column at w = 0. NaN where
   it is not at hand, or would not be the same: a penalised bias moves with l1. */
static double least_l1(const struct convex *convex) {
    const struct objective *o = &convex->objective;
    double *alpha = mem_alloc(o->ctx, o->n, 2 * sizeof *alpha), *m = alpha ? alpha + o->n : NULL;
    double *v = mem_alloc(o->ctx, o->width, sizeof *v), most = NAN;
    if (alpha && v && o->bias != BIAS_PENALISED &&
        objective_margins(m, o, convex->descent.u) == SEPAL_OK) {
        o->loss->at(o->ctx->kernels, o->n, m, NULL, alpha, NULL);
        for (size_t i = 0; i < o->n; i++) alpha[i] *= o->row_weight[i] * objective_side(o, i);
        if (objective_back(v, o, alpha) == SEPAL_OK) {
            most = 0;
            for (size_t j = 0; j < o->cols; j++) most = fmax(most, fabs(v[j]));
        }
    }
    mem_free(alpha);
    mem_free(v);
    return most;
}

static void warn_of_nothing(const struct convex *convex) {
    const struct objective *o = &convex->objective;
    if (!numbers_are_zero(convex->descent.u, o->cols * (convex->joint ? convex->joint->lanes : 1)))
        return;
    if (o->box) {
        warn(convex->fit->ctx, "zero-weights",
             "all weights are 0, so every row gets the same answer: within the bounds none of them "
             "gains more than the penalty takes; look at the bounds, or penalise less");
        return;
    }
    double most = o->l1 > 0 && !convex->joint ? least_l1(convex) : 0;
    if (most > 0) {
        char text[DECIMAL_BYTES];
        text[decimal_print(text, most)] = '\0';
        double c = convex->config->ratio / (most * convex->total);
        warn(convex->fit->ctx, "zero-weights",
             "all weights are 0, so every row gets the same answer: they are from l1 = %s on; give "
             "%s=%.2g, say",
             text, isnan(convex->config->c) ? "l1" : "C",
             isnan(convex->config->c) ? most / 10 : c * 10);
        return;
    }
    warn(convex->fit->ctx, "zero-weights",
         "all weights are 0, so every row gets the same answer: no column %s",
         o->l1 > 0 || o->l2 > 0 ? "gains more than the penalty takes; penalise less, or bring the "
                                  "features to a common scale (standardize)"
                                : "tells the classes apart");
}

void convex_warn(const struct convex *convex) {
    const struct solver *d = &convex->descent;
    if (!d->converged && !convex->endless) warn_of_shortfall(convex);
    if (d->converged) warn_of_nothing(convex);
}
