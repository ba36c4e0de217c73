/* A class drawn with its probability, as a function of seed and row. */
#include "core/context.h"
#include "core/rng.h"
#include "model/decision.h"

#include <math.h>

static sepal_status soft_check_cutoff(sepal_ctx *ctx, size_t classes) {
    (void)classes;
    return fail(ctx, SEPAL_EUSAGE,
                OPTION "decide soft draws classes and has no cutoff; with one, type " OPTION
                       "decide hard or " OPTION "decide reject");
}

/* One of probability 0 is never drawn, though the others' sum may fall short of 1. */
static int32_t soft_decide(const struct decision_input *in) {
    enum { DRAW_STREAM = 0x64726177 };
    double u = (double)(rng_at(in->seed, DRAW_STREAM, in->row) >> 11) * 0x1p-53, sum = 0;
    size_t possible = 0;
    for (size_t k = 0; k < in->linear->classes; k++) {
        if (in->p[k] == 0) continue;
        possible = k;
        sum += in->p[k];
        if (u < sum) break;
    }
    return (int32_t)possible;
}

const struct decision decision_soft = {
    .name = "soft",
    .summary = "one drawn with its probability",
    .probabilities = true,
    .cutoff = NAN,
    .check_cutoff = soft_check_cutoff,
    .decide = soft_decide,
    .words = "soft: a class drawn with its probability",
};
