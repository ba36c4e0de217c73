/* No class where all probabilities are below the cutoff (Chow 1970). */
#include "core/context.h"
#include "model/decision.h"

#include <math.h>

static sepal_status reject_check_cutoff(sepal_ctx *ctx, const struct linear *linear) {
    (void)ctx, (void)linear;
    return SEPAL_OK;
}

static int32_t reject_decide(const struct decision_input *in) {
    double most = in->p[0];
    for (size_t k = 1; k < in->linear->classes; k++) most = fmax(most, in->p[k]);
    return most < in->cutoff ? -1 : decision_most_probable(in);
}

const struct decision decision_reject = {
    .name = "reject",
    .summary = "none if all probabilities are below the cutoff",
    .probabilities = true,
    .abstains = true,
    .cutoff = 0.5,
    .check_cutoff = reject_check_cutoff,
    .decide = reject_decide,
    .with_cutoff = {"reject: none below a probability of ", ""},
};
