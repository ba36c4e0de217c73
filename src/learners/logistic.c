/* Logistic regression: the score is the logarithm of the odds of the second class. */
#include "learners/convex.h"

static const struct parameter parameters[] = {CONVEX_PARAMETERS, {0}};

static sepal_status fit_logistic(struct fit *fit) {
    return convex_fit(fit, &loss_logistic);
}

static sepal_status fit_logistic_rest(struct fit *fit, struct ovr_fits *rest) {
    return convex_fit_ovr(fit, rest, &loss_logistic, NULL);
}

const struct learner learner_logistic = {
    .name = "logistic",
    .summary =
        "logistic regression: the log-odds as a linear function, by regularised maximum likelihood",
    .activation = "logistic",
    .jointly = "softmax",
    .posterior = true,
    .shiftable = convex_shiftable,
    .settle = convex_settle,
    .solvers = smooth_solver_names,
    .warms = true,
    .parameters = parameters,
    .config_size = sizeof(struct convex_config),
    .fit = fit_logistic,
    .fit_rest = fit_logistic_rest,
};
