/* What the columns sum up to within each class: the counts of naive Bayes. */
#ifndef SEPAL_STATISTICS_CLASS_SUMS_H
#define SEPAL_STATISTICS_CLASS_SUMS_H

#include "core/arena.h"
#include "data/data.h"

struct class_sums {
    double *sum;    /* room for classes x cols: the weighted sums */
    double *weight; /* room for one a class: the weight of its rows */
    bool bits;      /* given: a value above 0 counts as 1, any other as 0 */
    /* The first rows with a value below 0, and with one that is neither 0 nor 1 (looked for with
       `bits` only); SIZE_MAX: there is none. */
    size_t negative_row, other_row;
};

/* Each number is a sum over the rows in their order, whatever the number of threads. */
sepal_status class_sums(struct class_sums *out, sepal_ctx *ctx, struct arena *arena,
                        const sepal_data *data);

#endif
