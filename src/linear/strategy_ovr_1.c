/* One-versus-rest with K - 1 functions: what none of them claims is of the last class, whose score is
   taken as 0. */
#include "linear/strategy.h"

#include <math.h>

static size_t all_but_one(size_t classes) {
    return classes - 1;
}

static int32_t ovr_1_decide(const struct linear *linear, const double *scores) {
    int32_t best = strategy_largest(linear, scores);
    return scores[best] < 0 ? (int32_t)linear->rows : best;
}

static enum region ovr_1_region(const struct linear *linear, const double *scores) {
    return strategy_claims(linear, scores) > 1 ? REGION_SEVERAL : REGION_CLEAR;
}

static void ovr_1_show(const struct linear *linear, const double *scores, double *out) {
    for (size_t r = 0; r < linear->rows; r++) out[r] = scores[r];
    out[linear->rows] = 0;
}

/* The last class is the likelier the further all others are below 0. */
static void ovr_1_rank(const struct linear *linear, double *shown) {
    strategy_margins(linear, shown, linear->rows);
}

static void ovr_1_distances(const struct linear *linear, const double *norm, const double *scores,
                            double *out) {
    double last = NAN;
    strategy_own_distances(linear, norm, scores, out);
    for (size_t r = 0; r < linear->rows; r++) last = fmin(last, -out[r]);
    out[linear->rows] = last;
}

const struct strategy strategy_ovr_1 = {
    .name = "ovr-1",
    .summary = "one-versus-rest with K-1 functions: what none of them claims is of the last class",
    .decode = "ovr-1",
    .functions = all_but_one,
    .sides = strategy_against_rest,
    .decide = ovr_1_decide,
    .region = ovr_1_region,
    .show = ovr_1_show,
    .rank = ovr_1_rank,
    .distances = ovr_1_distances,
};
