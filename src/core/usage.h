/* What the process has used so far, for reports. */
#ifndef SEPAL_CORE_USAGE_H
#define SEPAL_CORE_USAGE_H

#include "core/context.h"

double usage_peak_memory(sepal_ctx *ctx); /* bytes; NaN when the system does not say */

#endif
