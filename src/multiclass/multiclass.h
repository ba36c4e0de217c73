/* How more than two classes are learnt: by the learner itself, or by two-class problems. */
#ifndef SEPAL_MULTICLASS_MULTICLASS_H
#define SEPAL_MULTICLASS_MULTICLASS_H

#include "learners/learner.h"
#include "linear/strategy.h"

/* What a learner is given when the spec names no strategy. */
const struct strategy *strategy_default(const struct learner *learner, const void *config);

/* Fit the functions of a strategy: all by the learner itself, or its two-class problems one after the
   other, joined in fit->linear. */
sepal_status strategy_fit(struct fit *fit, const struct learner *learner,
                          const struct strategy *strategy);

/* The two-class problems of a strategy alone, of any number of classes. */
sepal_status problems_fit(struct fit *fit, const struct learner *learner,
                          const struct strategy *strategy);
/* label_sets.c: each label against its absence, where that can be learnt. */
sepal_status label_sets_fit(struct fit *fit, const struct learner *learner,
                            const struct strategy *strategy);

#endif
