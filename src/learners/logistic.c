/* Logistic regression: the score is the logarithm of the odds of the second class. */
#include "learners/convex.h"

static const struct parameter parameters[] = {
    CONVEX_PARAMETERS, CONVEX_BOUNDS, CONVEX_CORRECT_PRIORS, {0}};

static sepal_status fit_logistic(struct fit *fit) {
    return convex_fit(fit, &loss_logistic);
}

static sepal_status fit_logistic_rest(struct fit *fit, struct ovr_fits *rest) {
    return convex_fit_ovr(fit, rest, &loss_logistic, NULL);
}

static sepal_status path_logistic(struct fit *fit, struct fit_path *path) {
    return convex_path(fit, path, &loss_logistic);
}

static const struct path_learner logistic_along_path = {
    .ratio = convex_path_ratio, .set = convex_path_set, .fit = path_logistic};

const struct learner learner_logistic = {
    .name = "logistic",
    .summary =
        "logistic regression: the log-odds as a linear function, by regularised maximum likelihood",
    .objective = "mean of ln(1 + e^-m) + l1·‖w‖₁ + 0.5·l2·‖w‖², m = t(w·x+b); l1 + l2 = 1/(C·rows)",
    .activation = "logistic",
    .jointly = "softmax",
    .posterior = true,
    .shiftable = convex_shiftable,
    .settle = convex_settle,
    .bounds = convex_bounds,
    .solvers = smooth_solver_names,
    .warms = true,
    .likelihood = convex_likelihood,
    .parameters = parameters,
    .config_size = sizeof(struct convex_config),
    .path = &logistic_along_path,
    .fit = fit_logistic,
    .fit_rest = fit_logistic_rest,
};
