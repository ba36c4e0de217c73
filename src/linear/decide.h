/* From the R scores of a row to a class, to probabilities, to one number a class. */
#ifndef SEPAL_LINEAR_DECIDE_H
#define SEPAL_LINEAR_DECIDE_H

#include "linear/strategy.h"

int32_t linear_decide(const struct linear *linear, const double *scores);
enum region linear_region(const struct linear *linear, const double *scores);

/* Numbers a row that users see: 1 for two classes, else K, the scores themselves or, for pairs, the
   votes; the last class of K - 1 functions has 0, which is what it is decided by. */
size_t linear_shown(const struct linear *linear);
void linear_show(const struct linear *linear, const double *scores, double *out);
/* K probabilities by the link of the scores themselves, which must be there, of label sets each by itself;
   calibration.h has those of a calibrated model. */
void linear_probabilities(const struct linear *linear, const double *scores, double *out);

/* Their logarithms, exact where a probability is too near to 0 or 1 for a double. Of more than two
   classes `out` may be `scores`. */
void linear_log_probabilities(const struct linear *linear, const double *scores, double *out);

/* For whoever makes probabilities of logarithms: 1 / (1 + e^-s) and its logarithm without overflow, and n
   logarithms up to a common term, in place, as probabilities and as logarithms of such. */
double logistic(double s);
double log_logistic(double s);
void softmax_of_logs(double *logs, size_t n);
void log_softmax_of_logs(double *logs, size_t n);

#endif
