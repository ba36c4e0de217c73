/* The parameter `centres` of rbf and sigmoid: how many are to be found, or which they are. */
#ifndef SEPAL_MAPS_CENTRES_H
#define SEPAL_MAPS_CENTRES_H

#include "core/context.h"

struct centres {
    size_t n;
    bool given; /* false: to be found */
};

/* A whole number alone is a count; else numbers with separators between them, one of which may
   stand at the end. With `points` each ';' ends a point of `dims` numbers that ',' separates;
   without, either ends a number. NULL for `numbers`: only look. */
enum centres_kind { CENTRES_POINTS, CENTRES_NUMBERS };
sepal_status centres_read(struct centres *out, double *numbers, sepal_ctx *ctx, const char *owner,
                          const char *text, enum centres_kind kind, size_t dims);

#endif
