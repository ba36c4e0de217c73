/* The doctor: what in a data set may harm a fit, said before it. */
#ifndef SEPAL_DOCTOR_DOCTOR_H
#define SEPAL_DOCTOR_DOCTOR_H

#include "core/tree.h"
#include "data/data.h"

/* Fill `report` (an object) with what was looked at, and the array `doctor` of findings {code, columns,
   message, advice}, the most important first. `spec`: what is to be fitted, NULL: anything. */
sepal_status doctor_examine(sepal_ctx *ctx, const sepal_data *data, const char *spec,
                            struct tree_maker *make, struct tree *report);

#endif
