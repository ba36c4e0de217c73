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
/* K probabilities, of label sets each by itself; the model must have a link. */
void linear_probabilities(const struct linear *linear, const double *scores, double *out);

/* Their logarithms, exact where a probability is too near to 0 or 1 for a double. Of more than two
   classes `out` may be `scores`. */
void linear_log_probabilities(const struct linear *linear, const double *scores, double *out);

#endif
