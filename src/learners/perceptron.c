/* The perceptron family (Rosenblatt 1958): w~ += eta t x~ for examples on the wrong side, from w~ = 0
   or the weights of a model, on the data as given. K > 2 classes have K rows of weights, and a
   mistake moves two of them. The variants differ in how many examples make a step, and in which of
   the weights visited are returned.

   `delta` is the rule written with errors, eta (t - y) x~ with y = +1 or -1: as t - y is 2t for a
   mistake and else 0, it is the plain rule with 2 eta, divided by the number of rows where it takes
   a mean. In the report `updates` counts single examples: for batch and minibatch the mistakes of
   all steps together. */
#include "learners/perceptron.h"

#include <math.h>

#define AT(field) offsetof(struct perceptron_config, field)
static const struct parameter parameters[] = {
    {"variant", PARAMETER_CHOICE, AT(variant), "online",
     "online|batch|minibatch|delta|pocket|averaged",
     "which examples make a step, and which weights are returned"},
    {"mode", PARAMETER_CHOICE, AT(mode), "online", "online|batch|minibatch",
     "variant=delta: one example, all rows or `batch` rows to a step"},
    {"eta", PARAMETER_REAL, AT(eta), "1", "(0, inf)", "step size"},
    {"theta", PARAMETER_REAL, AT(theta), "0", "[0, inf)",
     "variant=batch: stop when the update's norm is not above this"},
    {"epochs", PARAMETER_COUNT, AT(epochs), "100", "[1, 1e15]", "most passes over the rows"},
    {"batch", PARAMETER_COUNT, AT(batch), "32", "[1, 1e15]", "rows to a step of minibatch"},
    {"shuffle", PARAMETER_FLAG, AT(shuffle), "false", "",
     "visit the rows in another order each epoch (minibatch always does)"},
    {"bias", PARAMETER_FLAG, AT(bias), "true", "", "false: surfaces go through the origin"},
    {0},
};

static enum perceptron_mode mode_of(const struct perceptron_config *config) {
    switch ((enum perceptron_variant)config->variant) {
    case BATCH: return MODE_BATCH;
    case MINIBATCH: return MODE_MINIBATCH;
    case DELTA: return (enum perceptron_mode)config->mode;
    case ONLINE:
    case POCKET:
    case AVERAGED: break;
    }
    return MODE_ONLINE;
}

static double step_of(const struct perceptron *p, enum perceptron_mode mode) {
    double eta = p->config->eta;
    if (p->config->variant != DELTA) return eta;
    if (mode == MODE_BATCH) return 2 * eta / p->data->total_weight;
    return mode == MODE_MINIBATCH ? 2 * eta / (double)p->config->batch : 2 * eta;
}

/* Begin where a model left off: w~ is that of x~ = (1, x), whatever centre the model has. */
static sepal_status perceptron_set_start(struct perceptron *p) {
    const struct linear *warm = p->fit->warm;
    if (!warm) return SEPAL_OK;
    weights_copy(p, &p->now, &(struct weights){warm->w, warm->b});
    for (size_t r = 0; r < p->rows; r++) p->now.b[r] = p->config->bias ? linear_bias(warm, r) : 0;
    TRY(weights_make(&p->start, p));
    weights_copy(p, &p->start, &p->now);
    return SEPAL_OK;
}

static sepal_status perceptron_fit(struct fit *fit) {
    struct perceptron p = {
        .fit = fit,
        .config = fit->config,
        .data = fit->data,
        .matrix = &fit->data->matrix,
        .kernels = fit->ctx->kernels,
        .cols = fit->data->matrix.cols,
        .small_update = NAN,
    };
    TRY(linear_init(&fit->linear, fit->ctx, fit->data->schema->n_classes, p.cols, false));
    p.rows = fit->linear.rows;
    p.now = (struct weights){fit->linear.w, fit->linear.b};
    size_t most = fit->options.max_iter;
    p.limit = most && most < p.config->epochs ? most : p.config->epochs;
    enum perceptron_mode mode = mode_of(p.config);
    p.step = step_of(&p, mode);
    TRY(perceptron_set_start(&p));
    switch (mode) {
    case MODE_ONLINE: TRY(perceptron_online(&p)); break;
    case MODE_BATCH: TRY(perceptron_batch(&p)); break;
    case MODE_MINIBATCH: TRY(perceptron_minibatch(&p)); break;
    }
    return perceptron_finish(&p);
}

const struct learner learner_perceptron = {
    .name = "perceptron",
    .summary = "perceptron: Rosenblatt's rule with its batch, delta, pocket and averaged variants",
    .objective =
        "the perceptron criterion: mean of max(0, -t(w·x+b)), of more classes max(0, s_j - "
        "s_y) with s_j the best other score",
    .activation = "sign",
    .machine = true,
    .warms = true,
    .parameters = parameters,
    .config_size = sizeof(struct perceptron_config),
    .fit = perceptron_fit,
};
