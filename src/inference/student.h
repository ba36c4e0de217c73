/* Student's t distribution, and the test of Nadeau and Bengio for means over resampled splits. */
#ifndef SEPAL_INFERENCE_STUDENT_H
#define SEPAL_INFERENCE_STUDENT_H

#include <stddef.h>

/* How likely a value at least as far from 0 as t is, on either side, with `freedom` degrees of freedom; NaN
   where t is no number or there is no degree. */
double student_two_sided(double t, size_t freedom);

/* A mean of differences and its test. NaN: no such number. */
struct paired_test {
    double difference, standard_error, t, p;
    size_t freedom;
};
/* Of n differences, one a split, whose rows to judge by are `ratio` times those to learn from (of k folds
   1/(k-1)): t = mean / sqrt((1/n + ratio) variance), with n - 1 degrees of freedom. */
struct paired_test paired_test(const double *difference, size_t n, double ratio);

/* p-values such that each is right beside the others (Holm 1979), in their place in adjusted[]; NaN stays NaN
   and does not count. */
void adjust_holm(double *adjusted, const double *p, size_t n);

#endif
