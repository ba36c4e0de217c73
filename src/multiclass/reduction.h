/* Reductions: how more than two classes are learnt. The last stage of a spec. */
#ifndef SEPAL_MULTICLASS_REDUCTION_H
#define SEPAL_MULTICLASS_REDUCTION_H

#include "learners/learner.h"

struct reduction {
    const char *name, *summary;
    enum decode decode;
};

extern const struct reduction *const reduction_table[]; /* ends with NULL */
const struct reduction *reduction_find(const char *name);

/* The reduction of a learner that fits K linear functions by itself. */
extern const struct reduction reduction_machine;
/* What a learner is given when the spec names none. */
const struct reduction *reduction_default(const struct learner *learner);

/* Fit more than two classes: by the learner itself, or its two-class problems one after the other,
   joined in fit->linear. */
sepal_status reduction_fit(struct fit *fit, const struct learner *learner,
                           const struct reduction *reduction);

#endif
