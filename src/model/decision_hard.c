/* The class that scores say or, of two classes, that a probability from the cutoff on says. */
#include "core/context.h"
#include "model/decision.h"

#include <math.h>

static sepal_status hard_check_cutoff(sepal_ctx *ctx, size_t classes) {
    if (classes == 2) return SEPAL_OK;
    return fail(ctx, SEPAL_EUSAGE,
                "a cutoff decides between two classes, and the model has %zu; with " OPTION
                "decide reject it leaves rows undecided",
                classes);
}

static int32_t hard_decide(const struct decision_input *in) {
    return isnan(in->cutoff) ? decision_most_probable(in) : in->p[1] >= in->cutoff;
}

const struct decision decision_hard = {
    .name = "hard",
    .summary = "the most probable class (largest score)",
    .cutoff = NAN,
    .check_cutoff = hard_check_cutoff,
    .decide = hard_decide,
    .words = "the most confident class",
    .with_cutoff = {"the second class from a probability of ", " on"},
};
