#include "linear/decide.h"

#include <math.h>

void pair_classes(size_t r, size_t classes, size_t *i, size_t *j) {
    size_t first = 0, others = classes - 1;
    while (r >= others) r -= others--, first++;
    *i = first;
    *j = first + 1 + r;
}

static size_t pair_row(size_t classes, size_t i, size_t j) {
    return i * (2 * classes - i - 1) / 2 + j - i - 1;
}

/* Pairwise answers about class k: its votes, and the scores that speak for it less those against. */
static size_t count_votes(const struct linear *linear, const double *scores, size_t k,
                          double *sum) {
    size_t votes = 0;
    *sum = 0;
    for (size_t j = 0; j < linear->classes; j++) {
        if (j == k) continue;
        double score =
            scores[j < k ? pair_row(linear->classes, j, k) : pair_row(linear->classes, k, j)];
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

/* The last class of K - 1 functions has the score 0. */
static double decide_score_of(const struct linear *linear, const double *scores, size_t k) {
    return k < linear->rows ? scores[k] : 0;
}

int32_t linear_decide(const struct linear *linear, const double *scores) {
    bool tied;
    if (linear->decode == DECODE_SIGN) return scores[0] >= 0;
    if (linear->decode == DECODE_OVO) return decide_by_votes(linear, scores, &tied);
    size_t best = 0;
    for (size_t k = 1; k < linear->classes; k++)
        if (decide_score_of(linear, scores, k) > decide_score_of(linear, scores, best)) best = k;
    return (int32_t)best;
}

enum region linear_region(const struct linear *linear, const double *scores) {
    size_t claims = 0;
    bool tied;
    switch (linear->decode) {
    case DECODE_OVO:
        (void)decide_by_votes(linear, scores, &tied);
        return tied ? REGION_TIED : REGION_CLEAR;
    case DECODE_OVR:
    case DECODE_OVR_1:
        for (size_t r = 0; r < linear->rows; r++) claims += scores[r] >= 0;
        if (claims > 1) return REGION_SEVERAL;
        return claims == 0 && linear->decode == DECODE_OVR ? REGION_NONE : REGION_CLEAR;
    default: return REGION_CLEAR;
    }
}

size_t linear_shown(const struct linear *linear) {
    return linear->decode == DECODE_SIGN ? 1 : linear->classes;
}

void linear_show(const struct linear *linear, const double *scores, double *out) {
    double sum;
    if (linear->decode == DECODE_SIGN) {
        out[0] = scores[0];
        return;
    }
    for (size_t k = 0; k < linear->classes; k++)
        out[k] = linear->decode == DECODE_OVO ? (double)count_votes(linear, scores, k, &sum)
                                              : decide_score_of(linear, scores, k);
}

/* 1 / (1 + e^-s) without overflow. */
static double decide_logistic(double s) {
    double small = exp(-fabs(s));
    return s >= 0 ? 1 / (1 + small) : small / (1 + small);
}

/* ln(1 / (1 + e^-s)) */
static double log_logistic(double s) {
    return fmin(s, 0) - log1p(exp(-fabs(s)));
}

void linear_probabilities(const struct linear *linear, const double *scores, double *out) {
    if (linear->decode == DECODE_SIGN) {
        out[1] = decide_logistic(scores[0]);
        out[0] = decide_logistic(-scores[0]);
        return;
    }
    /* rates go by their logarithms, too: all of them may be too small for a double */
    size_t classes = linear->classes;
    double largest = -INFINITY, sum = 0;
    for (size_t k = 0; k < classes; k++) {
        out[k] = linear->link == LINK_RATES ? log_logistic(scores[k]) : scores[k];
        largest = fmax(largest, out[k]);
    }
    for (size_t k = 0; k < classes; k++) {
        out[k] = exp(out[k] - largest);
        sum += out[k];
    }
    for (size_t k = 0; k < classes; k++) out[k] /= sum;
}

void linear_log_probabilities(const struct linear *linear, const double *scores, double *out) {
    size_t classes = linear->classes, best = 0;
    if (linear->decode == DECODE_SIGN) {
        double score = scores[0];
        out[1] = log_logistic(score);
        out[0] = log_logistic(-score);
        return;
    }
    for (size_t k = 0; k < classes; k++) {
        out[k] = linear->link == LINK_RATES ? log_logistic(scores[k]) : scores[k];
        if (out[k] > out[best]) best = k;
    }
    /* a probability near 1 is told by the others, each of which is small */
    double largest = out[best], others = 0;
    for (size_t k = 0; k < classes; k++)
        if (k != best) others += exp(out[k] - largest);
    for (size_t k = 0; k < classes; k++) out[k] = out[k] - largest - log1p(others);
}
