/* The class that scores say or, of two classes, that a probability from the cutoff on says; of label
   sets all labels for which they say so. */
#include "core/context.h"
#include "model/decision.h"

#include <math.h>

static sepal_status hard_check_cutoff(sepal_ctx *ctx, const struct linear *linear) {
    if (linear->classes == 2 || linear->strategy->sets) return SEPAL_OK;
    return fail(ctx, SEPAL_EUSAGE,
                "a cutoff decides between two classes, and the model has %zu; with " OPTION
                "decide reject it leaves rows undecided",
                linear->classes);
}

static int32_t hard_decide(const struct decision_input *in) {
    return isnan(in->cutoff) ? decision_most_probable(in) : in->p[1] >= in->cutoff;
}

static bool hard_has_label(const struct decision_input *in, size_t k) {
    return isnan(in->cutoff) ? in->scores[k] >= 0 : in->p[k] >= in->cutoff;
}

const struct decision decision_hard = {
    .name = "hard",
    .summary = "the most probable class (largest score)",
    .cutoff = NAN,
    .check_cutoff = hard_check_cutoff,
    .decide = hard_decide,
    .has_label = hard_has_label,
    .words = "the most confident class",
    .with_cutoff = {"the second class from a probability of ", " on"},
};
