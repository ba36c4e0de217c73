/* Labels of rows that the model they are judged by was not trained on. */
#ifndef SEPAL_DATA_UNSEEN_H
#define SEPAL_DATA_UNSEEN_H

#include "data/data.h"

/* A warning, if there are any, that also names one of the model that they may have been meant for. */
void unseen_warn(sepal_ctx *ctx, const sepal_data *data);

#endif
