/* A linear machine: one function for each class, all fitted together by the learner; the largest score
   wins. Only differences of scores mean something. */
#include "linear/strategy.h"

#include <math.h>

/* The scores may have any function of x in common. */
static void machine_rank(const struct linear *linear, double *shown) {
    strategy_margins(linear, shown, 0);
}

/* To the nearest of the surfaces that bound the region of class k. A class whose score is below another
   one's everywhere has no region. */
static double machine_distance(const struct linear *linear, const double *norm,
                               const double *scores, size_t k) {
    double least = NAN;
    for (size_t j = 0; j < linear->rows; j++) {
        if (j == k) continue;
        double length = norm[k * linear->rows + j];
        if (length == 0 && (scores[k] < scores[j] || (scores[k] == scores[j] && j < k))) return NAN;
        least = fmin(least, distance_of(scores[k] - scores[j], length));
    }
    return least;
}

static void machine_distances(const struct linear *linear, const double *norm, const double *scores,
                              double *out) {
    for (size_t k = 0; k < linear->rows; k++) out[k] = machine_distance(linear, norm, scores, k);
}

const struct strategy strategy_machine = {
    .name = "machine",
    .summary = "linear machine: K functions fitted together; the largest score wins",
    .decode = "argmax",
    .link = LINK_POSTERIOR,
    .joint = true,
    .functions = strategy_each_class,
    .sides = strategy_against_rest,
    .decide = strategy_largest,
    .rank = machine_rank,
    .distances = machine_distances,
};
