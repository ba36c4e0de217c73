#include "linear/decide.h"

#include <math.h>
#include <string.h>

int32_t linear_decide(const struct linear *linear, const double *scores) {
    return linear->strategy->decide(linear, scores);
}

enum region linear_region(const struct linear *linear, const double *scores) {
    const struct strategy *strategy = linear->strategy;
    return strategy->region ? strategy->region(linear, scores) : REGION_CLEAR;
}

size_t linear_shown(const struct linear *linear) {
    return linear->strategy == &strategy_sign ? 1 : linear->classes;
}

void linear_show(const struct linear *linear, const double *scores, double *out) {
    if (linear->strategy->show)
        linear->strategy->show(linear, scores, out);
    else
        memcpy(out, scores, linear->rows * sizeof *out);
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
    if (linear->strategy == &strategy_sign) {
        out[1] = decide_logistic(scores[0]);
        out[0] = decide_logistic(-scores[0]);
        return;
    }
    size_t classes = linear->classes;
    if (linear->link == LINK_EACH) {
        for (size_t k = 0; k < classes; k++) out[k] = decide_logistic(scores[k]);
        return;
    }
    /* rates go by their logarithms, too: all of them may be too small for a double */
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
    if (linear->strategy == &strategy_sign) {
        double score = scores[0];
        out[1] = log_logistic(score);
        out[0] = log_logistic(-score);
        return;
    }
    for (size_t k = 0; k < classes; k++) {
        bool rate = linear->link == LINK_RATES || linear->link == LINK_EACH;
        out[k] = rate ? log_logistic(scores[k]) : scores[k];
        if (out[k] > out[best]) best = k;
    }
    if (linear->link == LINK_EACH) return;
    /* a probability near 1 is told by the others, each of which is small */
    double largest = out[best], others = 0;
    for (size_t k = 0; k < classes; k++)
        if (k != best) others += exp(out[k] - largest);
    for (size_t k = 0; k < classes; k++) out[k] = out[k] - largest - log1p(others);
}
