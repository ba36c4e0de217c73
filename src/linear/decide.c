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

double logistic(double s) {
    double small = exp(-fabs(s));
    return s >= 0 ? 1 / (1 + small) : small / (1 + small);
}

double log_logistic(double s) {
    return fmin(s, 0) - log1p(exp(-fabs(s)));
}

void softmax_of_logs(double *logs, size_t n) {
    double largest = -INFINITY, sum = 0;
    for (size_t k = 0; k < n; k++) largest = fmax(largest, logs[k]);
    for (size_t k = 0; k < n; k++) {
        logs[k] = exp(logs[k] - largest);
        sum += logs[k];
    }
    for (size_t k = 0; k < n; k++) logs[k] /= sum;
}

void log_softmax_of_logs(double *logs, size_t n) {
    size_t best = 0;
    for (size_t k = 1; k < n; k++)
        if (logs[k] > logs[best]) best = k;
    /* a probability near 1 is told by the others, each of which is small */
    double largest = logs[best], others = 0;
    for (size_t k = 0; k < n; k++)
        if (k != best) others += exp(logs[k] - largest);
    for (size_t k = 0; k < n; k++) logs[k] = logs[k] - largest - log1p(others);
}

/* Rates go by their logarithms, too: all of them may be too small for a double. */
static void logs_of_scores(const struct linear *linear, const double *scores, double *out) {
    bool rates = linear->link == LINK_RATES || linear->link == LINK_EACH;
    for (size_t k = 0; k < linear->classes; k++)
        out[k] = rates ? log_logistic(scores[k]) : scores[k];
}

void linear_probabilities(const struct linear *linear, const double *scores, double *out) {
    if (linear->strategy == &strategy_sign) {
        out[1] = logistic(scores[0]);
        out[0] = logistic(-scores[0]);
        return;
    }
    if (linear->link == LINK_EACH) {
        for (size_t k = 0; k < linear->classes; k++) out[k] = logistic(scores[k]);
        return;
    }
    logs_of_scores(linear, scores, out);
    softmax_of_logs(out, linear->classes);
}

void linear_log_probabilities(const struct linear *linear, const double *scores, double *out) {
    if (linear->strategy == &strategy_sign) {
        double score = scores[0];
        out[1] = log_logistic(score);
        out[0] = log_logistic(-score);
        return;
    }
    logs_of_scores(linear, scores, out);
    if (linear->link != LINK_EACH) log_softmax_of_logs(out, linear->classes);
}
