/* Standard errors of maximum likelihood, and why there are none. */
#ifndef SEPAL_INFERENCE_WALD_H
#define SEPAL_INFERENCE_WALD_H

#include "data/data.h"
#include "inference/terms.h"

/* Whether a factor of so many rows and parameters, terms of each function, is worth its time, which is theirs
   by the square of the parameters: at most 1000 of them, and some seconds. */
bool wald_affordable(size_t rows, size_t functions, size_t terms);

struct wald {
    sepal_ctx *ctx;
    struct arena *arena;
    const sepal_data *data; /* rows of phi; weights count as so many rows */
    const struct map_chain *chain;
    const struct linear *linear; /* the fit */
    const struct terms *terms;
};

/* Of logistic regression on two classes: the estimates, made exact by Newton steps from those of the
   fit, and their standard errors, in the user's units. Where the steps go on without end *out says so, and
   where they end short of the maximum it stays NULL. */
sepal_status wald_logistic(struct summary **out, const struct wald *wald);
/* The same of softmax on more than two classes: each against the first, K - 1 functions. */
sepal_status wald_multinomial(struct summary **out, const struct wald *wald);
/* Of a fit whose weights grow without end: which columns are behind it. */
sepal_status wald_endless(struct summary **out, const struct wald *wald, enum summary_state state);

#endif
