/* One row through a model without a data set, and without a context: safe on any number of threads. */
#ifndef SEPAL_MODEL_PREDICT_ROW_H
#define SEPAL_MODEL_PREDICT_ROW_H

#include "model/model.h"

/* `out`: the class, -1 if it is not decided; `shown`: linear_shown numbers. Either may be NULL. */
sepal_status model_predict_row(int32_t *out, double *shown, const sepal_model *model,
                               const double *x, size_t n);
/* A row that is 0 but for n entries; their columns rise. */
sepal_status model_predict_sparse_row(int32_t *out, double *shown, const sepal_model *model,
                                      const int32_t *index, const double *x, size_t n);

#endif
