/* Rows drawn from a data set. */
#ifndef SEPAL_DATA_CLASS_SAMPLE_H
#define SEPAL_DATA_CLASS_SAMPLE_H

#include "data/data.h"

/* Round(fraction n_k) rows of every class k, and `least` > 0 of them or more where it has so many, chosen by
   a seeded shuffle within the class. */
sepal_status data_sample(sepal_data **out, sepal_ctx *ctx, const sepal_data *data, double fraction,
                         size_t least);

#endif
