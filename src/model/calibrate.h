/* Calibration by cross-fitting: every row is scored by a model of the other folds, so that the function from
   scores to probabilities is not fitted to rows that the scores were fitted to. */
#ifndef SEPAL_MODEL_CALIBRATE_H
#define SEPAL_MODEL_CALIBRATE_H

#include "learners/learner.h"
#include "linear/calibration.h"

/* What fit->options ask for, of the rows of `fit`, for the pipeline of this spec. */
sepal_status calibrate_rows(struct calibration **out, struct fit *fit, const char *spec);
/* Among the facts of a report, as `calibration`. */
void calibration_tell(struct tree_maker *make, struct tree *parent,
                      const struct calibration *calibration);

#endif
