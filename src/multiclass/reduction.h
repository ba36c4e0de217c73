/* Reductions: how more than two classes are learnt. The last stage of a spec. */
#ifndef SEPAL_MULTICLASS_REDUCTION_H
#define SEPAL_MULTICLASS_REDUCTION_H

struct reduction {
    const char *name, *summary;
};

extern const struct reduction *const reduction_table[]; /* ends with NULL */
const struct reduction *reduction_find(const char *name);

/* The reduction of a learner that fits K linear functions by itself. */
extern const struct reduction reduction_machine;

#endif
