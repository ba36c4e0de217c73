#include "learners/convex.h"

#include <math.h>
#include <string.h>

static const char *const penalty_names[] = {"auto", "l2", "l1", "elasticnet", "none"};

static sepal_status convex_parameters_refuse(sepal_ctx *ctx, const char *what) {
    return fail(ctx, SEPAL_EUSAGE, "%s", what);
}

/* penalty= against the numbers given. */
static sepal_status check_penalty(sepal_ctx *ctx, const struct convex_config *c) {
    enum penalty penalty = (enum penalty)c->penalty;
    const char *odd = NULL;
    if (penalty == PENALTY_NONE && (c->l1 > 0 || c->l2 > 0 || !isnan(c->c) || !isnan(c->ratio)))
        odd = !isnan(c->c) ? "C" : !isnan(c->ratio) ? "ratio" : c->l1 > 0 ? "l1" : "l2";
    else if (penalty == PENALTY_L2 && (c->l1 > 0 || c->ratio > 0))
        odd = c->l1 > 0 ? "l1" : "ratio";
    else if (penalty == PENALTY_L1 && (c->l2 > 0 || c->ratio < 1))
        odd = c->l2 > 0 ? "l2" : "ratio";
    if (!odd) return SEPAL_OK;
    return fail(ctx, SEPAL_EUSAGE, "penalty=%s leaves no room for %s; leave one of them out",
                penalty_names[penalty], odd);
}

/* A strength of 0 was meant, but not one that was left out. */
static sepal_status check_strength(sepal_ctx *ctx, const struct convex_config *c) {
    bool lacks_l2 = c->penalty == PENALTY_L2 && isnan(c->l2);
    bool lacks_l1 = c->penalty == PENALTY_L1 && isnan(c->l1);
    if (!lacks_l2 && !lacks_l1) return SEPAL_OK;
    const char *name = penalty_names[c->penalty];
    return fail(ctx, SEPAL_EUSAGE, "penalty=%s, but %s is not given; give it, or penalty=none",
                name, name);
}

/* C and ratio, of which l1 and l2 follow when the rows are known. */
static void settle_c(struct convex_config *c) {
    if (isnan(c->c)) c->c = 1;
    if (isnan(c->ratio)) {
        c->ratio = c->penalty == PENALTY_L1 ? 1 : c->penalty == PENALTY_ELASTICNET ? 0.5 : 0;
    }
    if (c->penalty == PENALTY_AUTO)
        c->penalty = c->ratio == 0 ? PENALTY_L2 : c->ratio == 1 ? PENALTY_L1 : PENALTY_ELASTICNET;
}

static void settle_l(struct convex_config *c) {
    if (isnan(c->l1)) c->l1 = 0;
    if (isnan(c->l2)) c->l2 = 0;
    if (c->penalty == PENALTY_AUTO)
        c->penalty = c->l1 > 0   ? (c->l2 > 0 ? PENALTY_ELASTICNET : PENALTY_L1)
                     : c->l2 > 0 ? PENALTY_L2
                                 : PENALTY_NONE;
}

sepal_status convex_settle(sepal_ctx *ctx, void *config) {
    struct convex_config *c = config;
    bool strengths = !isnan(c->l1) || !isnan(c->l2);
    if (strengths && !isnan(c->c))
        return convex_parameters_refuse(
            ctx, "C and l1 or l2 say the same in two ways; give C (and ratio), or l1 and "
                 "l2");
    if (strengths && !isnan(c->ratio))
        return convex_parameters_refuse(ctx, "ratio goes with C; give C and ratio, or l1 and l2");
    if (c->correct_priors && c->bias == BIAS_NONE)
        return convex_parameters_refuse(
            ctx,
            "correct_priors=true shifts the intercept, and with bias=false there is none; leave "
            "one of them out");
    TRY(check_penalty(ctx, c));
    if (strengths) TRY(check_strength(ctx, c));
    if (strengths || c->penalty == PENALTY_NONE)
        settle_l(c);
    else
        settle_c(c);
    return SEPAL_OK;
}

bool convex_shiftable(const void *config) {
    return ((const struct convex_config *)config)->bias == BIAS_FREE;
}

enum likelihood convex_no_likelihood(const void *config, bool *intercept) {
    *intercept = ((const struct convex_config *)config)->bias != BIAS_NONE;
    return LIKELIHOOD_NONE;
}

enum likelihood convex_likelihood(const void *config, bool *intercept) {
    const struct convex_config *c = config;
    (void)convex_no_likelihood(config, intercept);
    if (!isnan(c->c) || c->l1 > 0 || c->l2 > 0) return LIKELIHOOD_PENALISED;
    if (weight_bounds_given(&c->weights)) return LIKELIHOOD_BOUNDED;
    return strcmp(c->class_weight, "none") == 0 ? LIKELIHOOD_MAXIMISED : LIKELIHOOD_WEIGHTED;
}
