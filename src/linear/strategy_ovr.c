/* One-versus-rest: K functions, class k against all others; the largest score wins. A score of at least
   0 claims a row. */
#include "linear/strategy.h"

static enum region ovr_region(const struct linear *linear, const double *scores) {
    size_t claims = strategy_claims(linear, scores);
    return claims > 1 ? REGION_SEVERAL : claims == 0 ? REGION_NONE : REGION_CLEAR;
}

const struct strategy strategy_ovr = {
    .name = "ovr",
    .summary =
        "one-versus-rest: K functions, each class against all others; the largest score wins",
    .decode = "ovr",
    .link = LINK_RATES,
    .functions = strategy_each_class,
    .sides = strategy_against_rest,
    .decide = strategy_largest,
    .region = ovr_region,
    .distances = strategy_own_distances,
};
