/* The linear support vector machine: rows should lie on their side of the surface, at least 1/|w|
   away. */
#include "learners/convex.h"

static const struct loss *const losses[] = {&loss_squared_hinge, &loss_hinge};

static const struct parameter parameters[] = {
    {"loss", PARAMETER_CHOICE, CONVEX_AT(loss), "squared_hinge", "squared_hinge|hinge",
     "max(0, 1 - m)^2 or max(0, 1 - m) of a margin m"},
    CONVEX_PARAMETERS,
    {0},
};

static sepal_status fit_svm(struct fit *fit) {
    return convex_fit(fit, losses[((const struct convex_config *)fit->config)->loss]);
}

static sepal_status fit_svm_rest(struct fit *fit, struct ovr_fits *rest) {
    const struct convex_config *config = fit->config;
    return convex_fit_ovr(fit, rest, losses[config->loss], convex_tell_margin);
}

static sepal_status path_svm(struct fit *fit, struct fit_path *path) {
    return convex_path(fit, path, losses[((const struct convex_config *)fit->config)->loss]);
}

static const struct path_learner svm_along_path = {
    .ratio = convex_path_ratio, .set = convex_path_set, .fit = path_svm};

const struct learner learner_svm = {
    .name = "svm",
    .summary =
        "linear support vector machine: the widest margin, with a loss for rows inside of it",
    .activation = "sign",
    .shiftable = convex_shiftable,
    .settle = convex_settle,
    .solvers = convex_solver_names,
    .warms = true,
    .parameters = parameters,
    .config_size = sizeof(struct convex_config),
    .path = &svm_along_path,
    .fit = fit_svm,
    .fit_rest = fit_svm_rest,
};
