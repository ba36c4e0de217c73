/* One JSON line for every epoch of sgd. Weights are shown when there are few. */
#include "core/tree.h"
#include "solvers/sgd.h"

static void put_functions(struct tree_maker *make, struct tree *line, const struct sgd_epoch *e) {
    enum { FEW = 16 };
    size_t cols = e->o->cols;
    if (cols > FEW) return;
    struct tree *weights = tree_array(make, line, "weights"),
                *bias = tree_array(make, line, "bias");
    for (size_t k = 0; k < e->functions; k++) {
        double row[FEW];
        for (size_t c = 0; c < cols; c++) row[c] = e->u[c * e->lanes + k];
        tree_numbers(make, weights, NULL, row, cols);
        tree_number(make, bias, NULL, e->o->bias == BIAS_NONE ? 0 : e->u[cols * e->lanes + k]);
    }
}

sepal_status sgd_trace(const struct sgd_epoch *e) {
    struct arena arena = {0};
    struct tree_maker make = {.ctx = e->o->ctx, .arena = &arena};
    struct tree *line = tree_object(&make, NULL, NULL);
    tree_number(&make, line, "epoch", (double)e->epoch);
    tree_number(&make, line, "steps", (double)e->steps);
    tree_number(&make, line, "objective", e->objective);
    put_functions(&make, line, e);
    sepal_status status = json_trace(&make, line);
    arena_clear(&arena);
    return status;
}
