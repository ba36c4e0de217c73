/* One JSON line for every epoch of sgd. Weights are shown when there are few. */
#include "core/text.h"
#include "core/tree.h"
#include "solvers/sgd.h"

static void sgd_trace_put_weights(struct tree_maker *make, struct tree *line, const struct sgd *w) {
    enum { FEW = 16 };
    if (w->o->cols > FEW) return;
    struct tree *row = tree_array(make, tree_array(make, line, "weights"), NULL);
    for (size_t j = 0; j < w->o->cols; j++) tree_number(make, row, NULL, w->d->u[j]);
    tree_number(make, tree_array(make, line, "bias"), NULL, objective_bias(w->o, w->d->u));
}

sepal_status sgd_trace(const struct sgd *w) {
    sepal_ctx *ctx = w->o->ctx;
    struct arena arena = {0};
    struct tree_maker make = {.ctx = ctx, .arena = &arena};
    struct text json = {0};
    struct tree *line = tree_object(&make, NULL, NULL);
    tree_number(&make, line, "epoch", (double)w->d->iterations);
    tree_number(&make, line, "steps", (double)w->steps);
    tree_number(&make, line, "objective", w->objective);
    sgd_trace_put_weights(&make, line, w);
    if (!make.failed) json_print(ctx, &json, line, 0);
    sepal_status status = make.failed || json.failed ? SEPAL_EMEMORY : SEPAL_OK;
    if (status == SEPAL_OK && ctx->trace(json.bytes, ctx->trace_payload) != 0)
        status = fail(ctx, SEPAL_EOUTPUT, "the trace could not be written");
    text_clear(&json);
    arena_clear(&arena);
    return status;
}
