/* Logistic regression of label sets: each label against its absence, the sum of K binary
   cross-entropies. The problems share rows and nothing else, so that they are solved in lock-step. */
#include "learners/convex.h"

#include <math.h>

static const struct parameter parameters[] = {CONVEX_PARAMETERS, CONVEX_CORRECT_PRIORS, {0}};

static sepal_status fit_multilabel(struct fit *fit) {
    return convex_fit(fit, &loss_logistic);
}

static sepal_status fit_multilabel_together(struct fit *fit, struct ovr_fits *rest) {
    return convex_fit_ovr(fit, rest, &loss_logistic, NULL);
}

/* Where all rows have a label, or none has, a bias that costs nothing takes the loss to 0, and never gets
   there. */
static bool needs_both_sides(const void *config) {
    const struct convex_config *c = config;
    bool costs = !isnan(c->c) || c->l1 > 0 || c->l2 > 0;
    return c->bias == BIAS_FREE || (c->bias == BIAS_PENALISED && !costs);
}

const struct learner learner_multilabel = {
    .name = "multilabel",
    .summary = "logistic regression of label sets: the log-odds of each label as a linear function",
    .objective =
        "for each label the mean of ln(1 + e^-m) + l1·‖w‖₁ + 0.5·l2·‖w‖², m = t(w·x+b); l1 "
        "+ l2 = 1/(C·rows)",
    .activation = "logistic",
    .posterior = true,
    .sets = true,
    .needs_both_sides = needs_both_sides,
    .shiftable = convex_shiftable,
    .settle = convex_settle,
    .solvers = smooth_solver_names,
    .warms = true,
    .parameters = parameters,
    .config_size = sizeof(struct convex_config),
    .fit = fit_multilabel,
    .fit_rest = fit_multilabel_together,
};
