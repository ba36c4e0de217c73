/* The softmax of rows of scores, one source for every kernel set. Scores are taken from the largest of
   their row, so no exponential overflows; the sum of the others is kept apart from the largest one's 1, so
   neither a loss nor a probability loses digits where one class is all but certain. */
#ifndef SEPAL_KERNELS_SOFTMAX_H
#define SEPAL_KERNELS_SOFTMAX_H

#include "kernels/logistic.h"

/* ln(1 + x) for x from 0 up to what 2^1000 holds; by x / (2 + x) where 1 + x would lose digits, without a branch */
static inline double log_of_one_plus(double x) {
    const double ln2_high = 6.93147180369123816490e-01, ln2_low = 1.90821492927058770002e-10;
    double k, m = split_part(1 + x, &k), far = x > 0.41421356237309503 ? 1 : 0;
    double over = far > 0 ? m - 1 : x, under = far > 0 ? m + 1 : 2 + x;
    k *= far;
    return k * ln2_high + (log_of_ratio(over / under) + k * ln2_low);
}

/* Rows that are taken at a time: what is not of one row alone is done in one loop over all of their numbers. */
enum { SOFTMAX_PANEL = 64, SOFTMAX_LANES = 4 };

/* A panel of rows between the steps: the first largest score of each, what the scores add up to, in lanes, and
   the exponentials of the row's class and of all but the largest. */
struct softmax_panel {
    size_t best[SOFTMAX_PANEL];
    double all[SOFTMAX_PANEL], own[SOFTMAX_PANEL], others[SOFTMAX_PANEL];
};

/* Of a kernel set: p becomes how far each score is below the largest of its row. */
typedef void softmax_begin(struct softmax_panel *panel, const double *score, size_t n,
                           size_t classes, size_t lanes, double *p);
/* p, exponentials, becomes probabilities, `others` the sum of all but the largest one's 1. */
typedef void softmax_end(struct softmax_panel *panel, size_t n, size_t classes, size_t lanes,
                         double *p);

static inline void softmax_rows(softmax_begin *begin, softmax_end *end, const double *score,
                                size_t n, size_t classes, size_t lanes, const int32_t *label,
                                double *value, double *p, double *missing) {
    struct softmax_panel panel;
    for (size_t first = 0, some; first < n; first += some) {
        some = n - first < SOFTMAX_PANEL ? n - first : SOFTMAX_PANEL;
        const double *s = score + first * lanes;
        double *to = p + first * lanes;
        begin(&panel, s, some, classes, lanes, to);
        for (size_t k = 0; k < some * lanes; k++) to[k] = exp_of_minus(to[k]);
        for (size_t i = 0; i < some; i++) panel.own[i] = to[i * lanes + (size_t)label[first + i]];
        end(&panel, some, classes, lanes, to);
        for (size_t i = 0; i < some; i++) {
            size_t own = (size_t)label[first + i], best = panel.best[i];
            double others = panel.others[i], part = 1 / (1 + others);
            /* of two classes the other one's p to the bit */
            missing[first + i] = own == best ? others * part : (1 + (others - panel.own[i])) * part;
            /* scores that are no numbers, or not finite, have no loss */
            panel.all[i] = (s[i * lanes + best] - s[i * lanes + own]) + 0 * panel.all[i];
        }
        for (size_t i = 0; i < some; i++)
            value[first + i] = panel.all[i] + log_of_one_plus(panel.others[i]);
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
