/* One-versus-one: a function for each pair of classes (0,1) (0,2) ... (1,2) ..., whose score of at least
   0 is a vote for the second. Most votes win; of classes with as many, the one with the largest sum of
   signed scores. */
#include "linear/strategy.h"

#include <math.h>

void pair_classes(size_t r, size_t classes, size_t pair[2]) {
    size_t first = 0, others = classes - 1;
    while (r >= others) r -= others--, first++;
    pair[0] = first;
    pair[1] = first + 1 + r;
}

static size_t pairs(size_t classes) {
    size_t twice;
    return __builtin_mul_overflow(classes, classes - 1, &twice) ? SIZE_MAX : twice / 2;
}

static size_t row_of_pair(size_t classes, size_t i, size_t j) {
    return i * (2 * classes - i - 1) / 2 + j - i - 1;
}

/* The votes for class k, and the scores for it less those against. */
static size_t count_votes(const struct linear *linear, const double *scores, size_t k,
                          double *sum) {
    size_t votes = 0, classes = linear->classes;
    *sum = 0;
    for (size_t j = 0; j < classes; j++) {
        if (j == k) continue;
        double score = scores[j < k ? row_of_pair(classes, j, k) : row_of_pair(classes, k, j)];
        votes += (score >= 0) == (j < k);
        *sum += j < k ? score : -score;
    }
    return votes;
}

static int32_t decide_by_votes(const struct linear *linear, const double *scores, bool *tied) {
    size_t best = 0, most = 0;
    double best_sum = 0, sum;
    *tied = false;
    for (size_t k = 0; k < linear->classes; k++) {
        size_t votes = count_votes(linear, scores, k, &sum);
        bool more = k == 0 || votes > most, same = k > 0 && votes == most;
        if (more || (same && sum > best_sum)) best = k, best_sum = sum;
        *tied = !more && (*tied || same);
        if (more) most = votes;
    }
    return (int32_t)best;
}

static int32_t ovo_decide(const struct linear *linear, const double *scores) {
    bool tied;
    return decide_by_votes(linear, scores, &tied);
}

static enum region ovo_region(const struct linear *linear, const double *scores) {
    bool tied;
    (void)decide_by_votes(linear, scores, &tied);
    return tied ? REGION_TIED : REGION_CLEAR;
}

static void show_votes(const struct linear *linear, const double *scores, double *out) {
    double sum;
    for (size_t k = 0; k < linear->classes; k++)
        out[k] = (double)count_votes(linear, scores, k, &sum);
}

/* A sum of scores is brought into (-1/3, 1/3), so that it tells classes with as many votes apart and
   never outweighs a vote. */
static void ovo_decision_values(const struct linear *linear, const double *scores, double *out) {
    for (size_t k = 0; k < linear->classes; k++) {
        double sum;
        out[k] = (double)count_votes(linear, scores, k, &sum);
        out[k] += isinf(sum) ? copysign(1.0 / 3, sum) : sum / (3 * (fabs(sum) + 1));
    }
}

static void ovo_distances(const struct linear *linear, const double *norm, const double *scores,
                          double *out) {
    for (size_t k = 0; k < linear->classes; k++) out[k] = NAN;
    for (size_t r = 0; r < linear->rows; r++) {
        size_t pair[2];
        pair_classes(r, linear->classes, pair);
        double distance = distance_of(scores[r], norm[r]);
        out[pair[0]] = fmin(out[pair[0]], -distance);
        out[pair[1]] = fmin(out[pair[1]], distance);
    }
}

const struct strategy strategy_ovo = {
    .name = "ovo",
    .summary = "one-versus-one: K(K-1)/2 functions, each two classes; most votes win",
    .decode = "ovo",
    .most_classes = 512, /* pairs of more take gigabytes of weights and days of fits */
    .functions = pairs,
    .sides = pair_classes,
    .decide = ovo_decide,
    .region = ovo_region,
    .show = show_votes,
    .decision_values = ovo_decision_values,
    .distances = ovo_distances,
};
