/* The table of multi-class strategies, and what several of them do alike. */
#include "linear/strategy.h"

#include <math.h>
#include <string.h>

const struct strategy *const strategy_table[] = {
#define STRATEGY(name) &strategy_##name,
#include "linear/strategies.def"
#undef STRATEGY
    NULL,
};

const struct strategy *strategy_find(const char *name) {
    for (const struct strategy *const *row = strategy_table; *row; row++)
        if (strcmp((*row)->name, name) == 0) return *row;
    return NULL;
}

const struct strategy *strategy_of_decode(const char *decode) {
    if (strcmp(decode, strategy_sign.decode) == 0) return &strategy_sign;
    if (strcmp(decode, strategy_labels.decode) == 0) return &strategy_labels;
    for (const struct strategy *const *row = strategy_table; *row; row++)
        if (strcmp((*row)->decode, decode) == 0) return *row;
    return NULL;
}

size_t strategy_classes(const struct strategy *strategy, size_t functions) {
    if (strategy == &strategy_sign) return functions == 1 ? 2 : 0;
    size_t classes = strategy->sets ? 1 : 3;
    while (strategy->functions(classes) < functions) classes++;
    return strategy->functions(classes) == functions ? classes : 0;
}

size_t strategy_each_class(size_t classes) {
    return classes;
}

void strategy_against_rest(size_t r, size_t classes, size_t sides[2]) {
    (void)classes;
    sides[0] = ALL_OTHERS;
    sides[1] = r;
}

int32_t strategy_largest(const struct linear *linear, const double *scores) {
    size_t best = 0;
    for (size_t k = 1; k < linear->rows; k++)
        if (scores[k] > scores[best]) best = k;
    return (int32_t)best;
}

size_t strategy_claims(const struct linear *linear, const double *scores) {
    size_t claims = 0;
    for (size_t r = 0; r < linear->rows; r++) claims += scores[r] >= 0;
    return claims;
}

void strategy_margins(const struct linear *linear, double *shown, size_t first) {
    size_t classes = linear->classes, best = 0;
    double second = -INFINITY;
    for (size_t k = 1; k < classes; k++) {
        bool better = shown[k] > shown[best];
        second = fmax(second, better ? shown[best] : shown[k]);
        if (better) best = k;
    }
    double largest = shown[best];
    for (size_t k = first; k < classes; k++) shown[k] -= k == best ? second : largest;
}

void strategy_own_distances(const struct linear *linear, const double *norm, const double *scores,
                            double *out) {
    for (size_t r = 0; r < linear->rows; r++) out[r] = distance_of(scores[r], norm[r]);
}

/* ---- two classes ---------------------------------------------------------------------------- */

static size_t one_function(size_t classes) {
    (void)classes;
    return 1;
}

static void two_sides(size_t r, size_t classes, size_t sides[2]) {
    (void)r, (void)classes;
    sides[0] = 0, sides[1] = 1;
}

static int32_t decide_by_sign(const struct linear *linear, const double *scores) {
    (void)linear;
    return scores[0] >= 0;
}

const struct strategy strategy_sign = {
    .name = "sign",
    .summary = "two classes: one function, whose sign decides",
    .decode = "sign",
    .link = LINK_POSTERIOR,
    .functions = one_function,
    .sides = two_sides,
    .decide = decide_by_sign,
    .distances = strategy_own_distances,
};
