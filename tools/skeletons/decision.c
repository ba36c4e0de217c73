/* @NAME@: the class that scores say, whatever the probabilities. A skeleton: say here how a class is
   chosen, and what for. */
#include "core/context.h"
#include "model/decision.h"

#include <math.h>

static sepal_status @name@_check_cutoff(sepal_ctx *ctx, const struct linear *linear) {
    (void)linear;
    return fail(ctx, SEPAL_EUSAGE,
                OPTION "decide @NAME@ has no cutoff; with one, type " OPTION "decide hard");
}

static int32_t @name@_decide(const struct decision_input *in) {
    return linear_decide(in->linear, in->scores);
}

const struct decision decision_@name@ = {
    .name = "@NAME@",
    .summary = "the class of the best score",
    .cutoff = NAN,
    .check_cutoff = @name@_check_cutoff,
    .decide = @name@_decide,
    .words = "@NAME@: the class of the best score",
};
