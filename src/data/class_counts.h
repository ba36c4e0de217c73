/* How many rows there are of each class. */
#ifndef SEPAL_DATA_CLASS_COUNTS_H
#define SEPAL_DATA_CLASS_COUNTS_H

#include "data/data.h"

/* of n labels, each of them from 0 to classes - 1 */
void class_counts(size_t *count, const int32_t *label, size_t n, size_t classes);
/* the weights of the rows of each class: their number, where rows have no weights */
void class_weights(double *weight, const sepal_data *data);

#endif
