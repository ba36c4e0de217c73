/* The line through the two class means: with the threshold midway, the nearer mean wins. */
#include "learners/discriminant.h"

struct mean_difference_config {
    int threshold;
};

static const struct parameter parameters[] = {
    {"cut", PARAMETER_CHOICE, offsetof(struct mean_difference_config, threshold), "midpoint",
     THRESHOLD_WORDS, THRESHOLD_HELP},
    {0},
};

static sepal_status fit_mean_difference(struct fit *fit) {
    const struct mean_difference_config *config = fit->config;
    struct scatter s;
    TRY(scatter_start(&s, fit));
    if (means_coincide(&s))
        return fail(
            fit->ctx, SEPAL_EDATA,
            "the means of the two classes coincide, so no line goes through them; try a map "
            "(poly(degree=2) | mean-difference) or another learner");
    size_t cols = s.x->cols;
    double *w = fit->linear.w;
    for (size_t j = 0; j < cols; j++) w[j] = s.mean[cols + j] - s.mean[j];
    double distance = linear_norm(&fit->linear, 0);
    for (size_t j = 0; j < cols; j++) w[j] /= distance;
    fit->solver = "closed form";
    fit->words = "minus the distance between the projected class means, w of length 1";
    fit->objective = -distance;
    return threshold_place(fit, &s, (enum threshold)config->threshold);
}

static enum parts_know mean_difference_knows(const void *config, bool *free) {
    *free = false;
    return ((const struct mean_difference_config *)config)->threshold == THRESHOLD_GAUSS
               ? PARTS_NOTHING
               : PARTS_MEANS;
}

const struct learner learner_mean_difference = {
    .name = "mean-difference",
    .summary = "difference of means: the direction from one class mean to the other",
    .objective = "minus the distance between the projected class means, w of length 1",
    .activation = "sign",
    .shiftable = always_shiftable,
    .parameters = parameters,
    .config_size = sizeof(struct mean_difference_config),
    .knows = mean_difference_knows,
    .fit = fit_mean_difference,
};
