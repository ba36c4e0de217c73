/* A class drawn with its probability, as a function of seed and row; of label sets each label by itself. */
#include "core/context.h"
#include "core/rng.h"
#include "model/decision.h"

#include <math.h>

static sepal_status soft_check_cutoff(sepal_ctx *ctx, const struct linear *linear) {
    (void)linear;
    return fail(ctx, SEPAL_EUSAGE,
                OPTION "decide soft draws classes and has no cutoff; with one, type " OPTION
                       "decide hard or " OPTION "decide reject");
}

enum { DRAW_STREAM = 0x64726177 };

static double soft_draw(const struct decision_input *in, size_t at) {
    return (double)(rng_at(in->seed, DRAW_STREAM, at) >> 11) * 0x1p-53;
}

static bool soft_has_label(const struct decision_input *in, size_t k) {
    return soft_draw(in, in->row * in->linear->classes + k) < in->p[k];
}

/* One of probability 0 is never drawn, though the others' sum may fall short of 1. */
static int32_t soft_decide(const struct decision_input *in) {
    double u = soft_draw(in, in->row), sum = 0;
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
    .has_label = soft_has_label,
    .words = "soft: a class drawn with its probability",
};
