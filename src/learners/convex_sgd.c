/* The solver sgd: its settings, and what is said of parameters and results of a method that does
   not aim at a gap. */
#include "learners/convex.h"

#include <math.h>

bool convex_is_sgd(const struct fit *fit) {
    return fit->options.asked && fit->options.asked->as_given;
}

struct sgd_options convex_sgd_options(const struct convex_config *config) {
    return (struct sgd_options){.eta = config->eta,
                                .epochs = config->epochs,
                                .batch = config->batch,
                                .schedule = (enum schedule)config->schedule,
                                .shuffle = config->shuffle,
                                .average = config->average};
}

sepal_status convex_warn_unused(const struct convex *convex) {
    static const struct parameter parameters[] = {CONVEX_SGD_PARAMETERS, {0}};
    struct fit *fit = convex->fit;
    struct convex_config defaults;
    if (convex_is_sgd(fit)) return SEPAL_OK;
    if (fit->ctx->trace)
        warn(fit->ctx, "no-trace",
             OPTION "trace is empty: only " OPTION "solver sgd"
                    " writes its steps; add it, or leave " OPTION "trace out");
    TRY(parameters_fill(&defaults, fit->ctx, &fit->arena, parameters, "sgd", NULL, 0));
    for (const struct parameter *parameter = parameters; parameter->name; parameter++)
        if (!parameter_same(parameter, convex->config, &defaults))
            warn(fit->ctx, "unused-parameter",
                 "%s is a parameter of " OPTION "solver sgd"
                 " and has no effect on any other; add " OPTION "solver sgd"
                 ", or leave it out",
                 parameter->name);
    return SEPAL_OK;
}

/* P where sgd begins unless it is warm: at 0. */
static double objective_at_zero(const struct convex *convex) {
    const struct objective *o = &convex->objective;
    double none = 0, value;
    if (convex->joint) return convex->joint_at_zero;
    o->loss->at(o->ctx->kernels, 1, &none, &value, NULL, NULL);
    return objective_total_weight(o) * value;
}

void convex_warn_of_sgd(const struct convex *convex) {
    const struct solver *d = &convex->descent;
    double zero = objective_at_zero(convex);
    if (d->diverged)
        warn(convex->fit->ctx, "not-converged",
             "the weights or scores exceed the largest number in epoch %zu, so those before it are "
             "returned: the steps are too long; lower " OPTION
             "eta (it is %g), or bring the features to a "
             "common scale (standardize)",
             d->iterations + 1, convex->config->eta);
    else if (convex->proof.primal > zero)
        warn(convex->fit->ctx, "not-converged",
             "%zu epochs of sgd ended with an objective of %.3g, and weights of 0 have %.3g: the "
             "steps are too long; lower " OPTION
             "eta (it is %g), or bring the features to a common scale "
             "(standardize)",
             d->iterations, convex->proof.primal, zero, convex->config->eta);
    else if (isnan(convex->proof.gap))
        warn(convex->fit->ctx, "not-converged",
             "%zu epochs of sgd ended, and how far from the least objective is not known: sgd runs "
             "its epochs and has no stopping criterion; leave " OPTION
             "solver out for a solver that does",
             d->iterations);
    else
        warn(convex->fit->ctx, "not-converged",
             "%zu epochs of sgd ended with a relative gap of %.2g: sgd does not aim at a "
             "gap; try " OPTION "schedule inverse, another " OPTION "eta or more " OPTION
             "epochs, or leave " OPTION "solver out",
             d->iterations, convex->proof.gap);
}
