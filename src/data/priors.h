/* Probabilities of the classes as users write them: "LABEL:P,..." or "P,P,..." in label order. */
#ifndef SEPAL_DATA_PRIORS_H
#define SEPAL_DATA_PRIORS_H

#include "data/schema.h"

struct priors_text {
    const char *text;
    const char *name;            /* in messages, "lda: priors" */
    const char *owner;           /* of the classes, "data" or "model" */
    const struct schema *schema; /* its classes */
    bool weights; /* factors of some classes instead: any sum, 0 where none is given */
};
/* Every class must have one above 0, and they must sum to 1. Labels may hold colons and commas. */
sepal_status priors_parse(double *out, sepal_ctx *ctx, const struct priors_text *given);

#endif
