/* Where the numbers of each column lie: their range, their mean and standard deviation. What sparse
   rows do not store counts as 0, and a centre of theirs is taken off. */
#ifndef SEPAL_MAPS_COLUMN_STATS_H
#define SEPAL_MAPS_COLUMN_STATS_H

#include "maps/map.h"

sepal_status column_ranges(double *low, double *high, const struct map_rows *rows);
/* Weighted; the sum of the weights in the denominator. A constant column has exactly its value as
   mean, and deviation 0. Numbers too large to be summed up give infinities or NaN. */
sepal_status column_moments(double *mean, double *deviation, const struct map_rows *rows);

/* Calls `see` for the entries of columns [first, end), row after row; zeros of dense rows and what
   sparse rows do not store are left out, centres are not looked at. */
typedef void (*column_value_fn)(void *payload, size_t column, size_t row, double x);
void column_values(const struct matrix *x, size_t first, size_t end, column_value_fn see,
                   void *payload);

#endif
