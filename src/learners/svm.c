/* The linear support vector machine: rows should lie on their side of the surface, at least 1/|w|
   away. */
#include "learners/convex.h"

static const struct loss *const losses[] = {&loss_squared_hinge, &loss_hinge};

static const struct knob knobs[] = {
    {"loss", KNOB_CHOICE, CONVEX_AT(loss), "squared_hinge", "squared_hinge|hinge",
     "max(0, 1 - m)^2 or max(0, 1 - m) of a margin m"},
    CONVEX_KNOBS,
    {0},
};

/* `support`: rows on the margin, inside of it or on the wrong side. Those on it are so up to the
   gap. */
static void tell_margin(struct fit *fit, size_t support, double norm) {
    struct tree *facts = tree_object(fit->make, fit->report, "svm");
    tree_number(fit->make, facts, "support_vectors", (double)support);
    tree_number(fit->make, facts, "margin", 1 / norm);
}

static sepal_status report_margin(struct fit *fit) {
    static const double on_it = 1 + 1e-6;
    size_t n = fit->data->matrix.rows, support = 0;
    double *score = arena_alloc(fit->ctx, &fit->arena, n, sizeof *score);
    if (!score) return SEPAL_EMEMORY;
    TRY(linear_scores(score, fit->ctx, &fit->linear, &fit->data->matrix));
    for (size_t i = 0; i < n; i++)
        support += (fit->data->label[i] == 1 ? score[i] : -score[i]) <= on_it;
    tell_margin(fit, support, linear_norm(&fit->linear, 0));
    return SEPAL_OK;
}

static sepal_status fit_svm(struct fit *fit) {
    TRY(convex_fit(fit, losses[((const struct convex_config *)fit->config)->loss]));
    return fit->make ? report_margin(fit) : SEPAL_OK;
}

static sepal_status fit_svm_rest(struct fit *fit, struct rest_fits *rest) {
    const struct convex_config *config = fit->config;
    return convex_fit_rest(fit, rest, losses[config->loss], tell_margin);
}

const struct learner learner_svm = {
    .name = "svm",
    .summary = "the widest margin between the classes, at a price for rows inside of it",
    .activation = "sign",
    .shiftable = convex_shiftable,
    .settle = convex_settle,
    .solvers = convex_ways,
    .as_given = CONVEX_WALK,
    .warms = true,
    .knobs = knobs,
    .config_size = sizeof(struct convex_config),
    .fit = fit_svm,
    .fit_rest = fit_svm_rest,
};
