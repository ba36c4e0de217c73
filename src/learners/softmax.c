/* Softmax regression: the probabilities of K classes by one linear function each, fitted jointly. */
#include "learners/joint_fit.h"

static const struct joint_loss *const softmax_losses[] = {&joint_cross_entropy,
                                                          &joint_squared_error};

static const struct parameter parameters[] = {
    {"loss", PARAMETER_CHOICE, CONVEX_AT(loss), "cross_entropy", "cross_entropy|mse",
     "-ln p of the row's class, or the sum over classes of (p - target)^2, which is not convex"},
    CONVEX_PARAMETERS,
    CONVEX_CORRECT_PRIORS,
    {0},
};

static sepal_status fit_softmax(struct fit *fit) {
    const struct convex_config *config = fit->config;
    return joint_fit(fit, softmax_losses[config->loss]);
}

static enum likelihood softmax_likelihood(const void *config, bool *intercept) {
    enum likelihood likelihood = convex_likelihood(config, intercept);
    const struct convex_config *c = config;
    return softmax_losses[c->loss] == &joint_cross_entropy ? likelihood : LIKELIHOOD_SQUARES;
}

const struct learner learner_softmax = {
    .name = "softmax",
    .summary = "softmax regression: multinomial logistic regression, all classes fitted jointly",
    .objective =
        "mean of the loss of p = softmax(s) + l1·‖w‖₁ + 0.5·l2·‖w‖², s_k = w_k·x+b_k; l1 + "
        "l2 = 1/(C·rows)",
    .activation = "softmax",
    .machine = true,
    .posterior = true,
    .shiftable = convex_shiftable,
    .settle = convex_settle,
    .solvers = joint_solver_names,
    .warms = true,
    .likelihood = softmax_likelihood,
    .parameters = parameters,
    .config_size = sizeof(struct convex_config),
    .fit = fit_softmax,
};
