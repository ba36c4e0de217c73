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

static inline void softmax_row(const double *s, size_t classes, size_t lanes, int32_t label,
                               double *value, double *p) {
    size_t best = softmax_largest(s, classes);
    double most = s[best], others = 0, all = 0;
    for (size_t l = 0; l < lanes; l++) {
        double z = most - s[l];
        p[l] = exp_of_minus(z > 0 ? z : 0);
    }
    for (size_t k = 0; k < classes; k++) {
        others += k == best ? 0 : p[k];
        all += s[k];
    }
    double part = 1 / (1 + others);
    for (size_t l = 0; l < lanes; l++) p[l] *= part;
    for (size_t l = classes; l < lanes; l++) p[l] = 0;
    /* scores that are no numbers, or not finite, have no loss */
    *value = (most - s[label]) + log_of_one_plus(others) + 0 * all;
}

static inline void softmax_rows(const double *score, size_t n, size_t classes, size_t lanes,
                                const int32_t *label, double *value, double *p) {
    for (size_t i = 0; i < n; i++)
        softmax_row(score + i * lanes, classes, lanes, label[i], &value[i], p + i * lanes);
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
