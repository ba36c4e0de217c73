/* The softmax of rows of scores, one source for every kernel set. Scores are taken from the largest of
   their row, so no exponential overflows; the sum of the others is kept apart from the largest one's 1, so
   neither a loss nor a probability loses digits where one class is all but certain. */
#ifndef SEPAL_KERNELS_SOFTMAX_H
#define SEPAL_KERNELS_SOFTMAX_H

#include "kernels/logistic.h"

/* ln(1 + x) for x from 0 up to what 2^1000 holds */
static inline double log_of_one_plus(double x) {
    const double ln2_high = 6.93147180369123816490e-01, ln2_low = 1.90821492927058770002e-10;
    if (x <= 0.41421356237309503) return log_of_ratio(x / (2 + x));
    double k, m = split_part(1 + x, &k);
    return k * ln2_high + (log_of_ratio((m - 1) / (m + 1)) + k * ln2_low);
}

static inline size_t softmax_largest(const double *s, size_t classes) {
    size_t best = 0;
    for (size_t k = 1; k < classes; k++)
        if (s[k] > s[best]) best = k;
    return best;
}

/* Rows that are taken at a time: what is not of one row alone is done in one loop over all of their numbers. */
enum { SOFTMAX_PANEL = 64 };

/* From the scores of n rows how far each is below the largest of its row; which that is, and what the
   scores add up to. */
static inline void softmax_below(const double *score, size_t n, size_t classes, size_t lanes,
                                 size_t *best, double *all, double *p) {
    for (size_t i = 0; i < n; i++) {
        const double *s = score + i * lanes;
        double most = s[best[i] = softmax_largest(s, classes)];
        all[i] = 0;
        for (size_t k = 0; k < classes; k++) all[i] += s[k];
        for (size_t l = 0; l < lanes; l++) {
            double z = most - s[l];
            p[i * lanes + l] = z > 0 ? z : 0;
        }
    }
}

static inline void softmax_panel(const double *score, size_t n, size_t classes, size_t lanes,
                                 const int32_t *label, double *value, double *p) {
    double all[SOFTMAX_PANEL], others[SOFTMAX_PANEL];
    size_t best[SOFTMAX_PANEL];
    softmax_below(score, n, classes, lanes, best, all, p);
    for (size_t k = 0; k < n * lanes; k++) p[k] = exp_of_minus(p[k]);
    for (size_t i = 0; i < n; i++) {
        double *row = p + i * lanes, sum = 0;
        for (size_t k = 0; k < classes; k++) sum += k == best[i] ? 0 : row[k];
        double part = 1 / (1 + sum);
        for (size_t l = 0; l < lanes; l++) row[l] *= part;
        for (size_t l = classes; l < lanes; l++) row[l] = 0;
        others[i] = sum;
    }
    for (size_t i = 0; i < n; i++) others[i] = log_of_one_plus(others[i]);
    for (size_t i = 0; i < n; i++) {
        const double *s = score + i * lanes;
        /* scores that are no numbers, or not finite, have no loss */
        value[i] = (s[best[i]] - s[label[i]]) + others[i] + 0 * all[i];
    }
}

static inline void softmax_rows(const double *score, size_t n, size_t classes, size_t lanes,
                                const int32_t *label, double *value, double *p) {
    for (size_t i = 0, some; i < n; i += some) {
        some = n - i < SOFTMAX_PANEL ? n - i : SOFTMAX_PANEL;
        softmax_panel(score + i * lanes, some, classes, lanes, label + i, value + i, p + i * lanes);
    }
}

/* -sum of a ln a over the numbers of each row, each in [0, 1]; 0 ln 0 is 0 */
static inline void softmax_entropy(const double *a, size_t n, size_t classes, size_t lanes,
                                   double *out) {
    const double ln2_high = 6.93147180369123816490e-01, ln2_low = 1.90821492927058770002e-10;
    const double least = 2.2250738585072014e-308;
    for (size_t i = 0; i < n; i++) {
        const double *row = a + i * lanes;
        double sum = 0;
        for (size_t l = 0; l < classes; l++) {
            double k, m = split_part(row[l] > least ? row[l] : least, &k);
            sum += row[l] * (k * ln2_high + (log_of_ratio((m - 1) / (m + 1)) + k * ln2_low));
        }
        out[i] = -sum;
    }
}

#endif
