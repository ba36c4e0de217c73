#include "linear/summary.h"

#include "core/alloc.h"

#include <string.h>

const char *const summary_state_names[SUMMARY_STATES] = {"wald", "separable", "quasi-separable",
                                                         "growing", "few-rows"};

sepal_status summary_new(struct summary **out, sepal_ctx *ctx, enum summary_state state,
                         size_t functions, size_t terms) {
    struct summary *summary = mem_zero(ctx, 1, sizeof *summary);
    *out = NULL;
    if (!summary) return SEPAL_EMEMORY;
    *summary = (struct summary){.state = state, .functions = functions, .terms = terms};
    summary->alias = mem_zero(ctx, terms, sizeof *summary->alias);
    if (state == SUMMARY_WALD)
        summary->estimate = mem_zero(ctx, 2 * functions, terms * sizeof *summary->estimate);
    if (!summary->alias || (state == SUMMARY_WALD && !summary->estimate)) {
        summary_free(summary);
        return SEPAL_EMEMORY;
    }
    if (summary->estimate) summary->error = summary->estimate + functions * terms;
    *out = summary;
    return SEPAL_OK;
}

sepal_status summary_set_columns(struct summary *summary, sepal_ctx *ctx, const size_t *columns,
                                 size_t n) {
    summary->columns = mem_alloc(ctx, n, sizeof *columns);
    if (!summary->columns) return SEPAL_EMEMORY;
    if (n > 0) memcpy(summary->columns, columns, n * sizeof *columns);
    summary->n_columns = n;
    return SEPAL_OK;
}

size_t summary_rank(const struct summary *summary) {
    size_t rank = 0;
    for (size_t t = 0; t < summary->terms; t++) rank += summary->alias[t] == ALIAS_NONE;
    return rank;
}

void summary_free(struct summary *summary) {
    if (!summary) return;
    mem_free(summary->estimate);
    mem_free(summary->alias);
    mem_free(summary->columns);
    mem_free(summary);
}

sepal_status bootstrap_new(struct bootstrap **out, sepal_ctx *ctx, size_t functions, size_t terms) {
    size_t cells;
    *out = NULL;
    if (__builtin_mul_overflow(functions, terms, &cells))
        return fail(ctx, SEPAL_EMEMORY, "not enough memory for %zu x %zu standard errors",
                    functions, terms);
    struct bootstrap *bootstrap = mem_zero(ctx, 1, sizeof *bootstrap);
    if (!bootstrap) return SEPAL_EMEMORY;
    *bootstrap = (struct bootstrap){.functions = functions, .terms = terms};
    bootstrap->count = mem_zero(ctx, cells, 4 * sizeof *bootstrap->count);
    if (!bootstrap->count) {
        bootstrap_free(bootstrap);
        return SEPAL_EMEMORY;
    }
    bootstrap->error = bootstrap->count + cells;
    bootstrap->low = bootstrap->error + cells;
    bootstrap->high = bootstrap->low + cells;
    *out = bootstrap;
    return SEPAL_OK;
}

void bootstrap_free(struct bootstrap *bootstrap) {
    if (!bootstrap) return;
    mem_free(bootstrap->count);
    mem_free(bootstrap);
}
