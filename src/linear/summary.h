/* What inference adds to the scores, for the table of coefficients: parts that only some models have. A
   row of the table is a term, see inference/terms.h. */
#ifndef SEPAL_LINEAR_SUMMARY_H
#define SEPAL_LINEAR_SUMMARY_H

#include "core/context.h"

#include <stddef.h>

enum summary_state {
    SUMMARY_WALD,            /* there are standard errors */
    SUMMARY_SEPARABLE,       /* a hyperplane separates the classes: no finite estimates */
    SUMMARY_QUASI_SEPARABLE, /* the same, with rows of both classes on the hyperplane */
    SUMMARY_GROWING,         /* the weights grow as if it were so, and that is not decided */
    SUMMARY_FEW_ROWS,        /* not more rows than parameters */
    SUMMARY_STATES
};
extern const char *const summary_state_names[SUMMARY_STATES];

/* Why a term has no estimate of its own. */
enum alias { ALIAS_NONE, ALIAS_CONSTANT, ALIAS_DEPENDENT, ALIASES };

/* Of maximum likelihood: estimates in the user's units and roots of the diagonal of the inverse Fisher
   information. `functions` is 1 for two classes; a joint model of K classes has K - 1 of them, each class
   against the first, and the information is that of all (K - 1) * terms parameters. */
struct summary {
    enum summary_state state;
    size_t functions, terms;
    double *estimate;  /* functions x terms; 0 of aliased terms */
    double *error;     /* as many, behind them */
    enum alias *alias; /* of each term */
    double null_deviance, deviance;
    /* Of a state without estimates: the columns that make them diverge, rising; `alone`: each does so by
       itself, else they do together. */
    size_t *columns, n_columns;
    bool alone;
};
/* Zeroed; arrays of estimates only for SUMMARY_WALD. */
sepal_status summary_new(struct summary **out, sepal_ctx *ctx, enum summary_state state,
                         size_t functions, size_t terms);
sepal_status summary_set_columns(struct summary *summary, sepal_ctx *ctx, const size_t *columns,
                                 size_t n);
size_t summary_rank(const struct summary *summary); /* terms with an estimate */
void summary_free(struct summary *summary);

/* Of fits to rows drawn with replacement: for each function and term how many of these fits had it, the
   standard deviation of its estimates, and their 2.5 % and 97.5 % quantiles. */
struct bootstrap {
    size_t resamples, failed; /* failed: of these, fits without a result */
    size_t functions, terms;
    double *count, *error, *low, *high; /* functions x terms each, one behind the other */
};
sepal_status bootstrap_new(struct bootstrap **out, sepal_ctx *ctx, size_t functions, size_t terms);
void bootstrap_free(struct bootstrap *bootstrap);

#endif
