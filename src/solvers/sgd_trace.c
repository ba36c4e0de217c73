/* One JSON line for every epoch of sgd. Weights are shown when there are few. */
#include "core/tree.h"
#include "solvers/sgd.h"

static void sgd_trace_put_weights(struct tree_maker *make, struct tree *line, const struct sgd *w) {
    enum { FEW = 16 };
    if (w->o->cols > FEW) return;
    tree_numbers(make, tree_array(make, line, "weights"), NULL, w->d->u, w->o->cols);
    tree_number(make, tree_array(make, line, "bias"), NULL, objective_bias(w->o, w->d->u));
}

sepal_status sgd_trace(const struct sgd *w) {
    struct arena arena = {0};
    struct tree_maker make = {.ctx = w->o->ctx, .arena = &arena};
    struct tree *line = tree_object(&make, NULL, NULL);
    tree_number(&make, line, "epoch", (double)w->d->iterations);
    tree_number(&make, line, "steps", (double)w->steps);
    tree_number(&make, line, "objective", w->objective);
    sgd_trace_put_weights(&make, line, w);
    sepal_status status = json_trace(&make, line);
    arena_clear(&arena);
    return status;
}
