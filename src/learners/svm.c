/* The linear support vector machine: rows should lie on their side of the surface, at least 1/|w|
   away. For K classes either by two at a time, or all at once as Crammer and Singer have it. */
#include "learners/joint_fit.h"

#include <math.h>

enum svm_loss { SVM_SQUARED_HINGE, SVM_HINGE, SVM_CRAMMER_SINGER };
static const struct loss *const losses[] = {&loss_squared_hinge, &loss_hinge};

static const struct parameter parameters[] = {
    {"loss", PARAMETER_CHOICE, CONVEX_AT(loss), "squared_hinge",
     "squared_hinge|hinge|crammer_singer",
     "max(0, 1 - m)^2 or max(0, 1 - m) of a margin m; or for all classes jointly max(0, 1 + s - "
     "s_t), "
     "s the largest score of another class"},
    CONVEX_PARAMETERS,
    CONVEX_BOUNDS,
    {0},
};

static bool is_crammer_singer(const void *config) {
    return ((const struct convex_config *)config)->loss == SVM_CRAMMER_SINGER;
}

static sepal_status settle_svm(sepal_ctx *ctx, void *config) {
    const struct convex_config *c = config;
    if (c->loss != SVM_SQUARED_HINGE && weight_bounds_given(&c->weights))
        return fail(ctx, SEPAL_EUSAGE,
                    "bounds and nonneg need a loss without a kink, and the hinge has one; take "
                    "loss=squared_hinge or the learner logistic");
    TRY(convex_settle(ctx, config));
    if (!is_crammer_singer(config)) return SEPAL_OK;
    if (c->penalty == PENALTY_L2 && (!isnan(c->c) || c->l2 > 0)) return SEPAL_OK;
    return fail(ctx, SEPAL_EUSAGE,
                "svm(loss=crammer_singer) is fitted with an L2 penalty only; write C=1 or l2=0.01, "
                "say, without l1 and ratio, or take loss=hinge or softmax");
}

static sepal_status fit_svm(struct fit *fit) {
    const struct convex_config *config = fit->config;
    if (is_crammer_singer(config)) return joint_fit(fit, &joint_crammer_singer);
    return convex_fit(fit, losses[config->loss]);
}

static sepal_status fit_svm_rest(struct fit *fit, struct ovr_fits *rest) {
    const struct convex_config *config = fit->config;
    if (is_crammer_singer(config)) return SEPAL_OK; /* each by itself */
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
    .objective =
        "mean of the loss of m + l1·‖w‖₁ + 0.5·l2·‖w‖², m = t(w·x+b); l1 + l2 = 1/(C·rows)",
    .activation = "sign",
    .machine_if = is_crammer_singer,
    .machine_spec = "svm(loss=crammer_singer)",
    .shiftable = convex_shiftable,
    .settle = settle_svm,
    .bounds = convex_bounds,
    .solvers = convex_solver_names,
    .warms = true,
    .likelihood = convex_no_likelihood,
    .parameters = parameters,
    .config_size = sizeof(struct convex_config),
    .path = &svm_along_path,
    .fit = fit_svm,
    .fit_rest = fit_svm_rest,
};
