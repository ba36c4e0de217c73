/* Bounds on weights: where a solver starts, and what is told of them. */
#include "learners/convex.h"

#include <math.h>
#include <stdio.h>

struct weight_bounds *convex_bounds(void *config) {
    return &((struct convex_config *)config)->weights;
}

void convex_enter_box(struct convex *convex) {
    const struct objective *o = &convex->objective;
    if (o->box) box_project(o->box, convex->descent.u, o->cols);
}

/* Columns by the bounds they have. */
struct bound_counts {
    size_t bounded, nonneg, active;
};

static struct bound_counts count_bounds(const struct convex *convex) {
    const struct objective *o = &convex->objective;
    struct bound_counts counts = {.active = box_active(o->box, convex->descent.u, o->cols)};
    for (size_t j = 0; j < o->cols; j++) {
        counts.bounded += box_bounds(o->box, j);
        counts.nonneg += o->box->low[j] == 0 && o->box->high[j] == INFINITY;
    }
    return counts;
}

const char *convex_bounds_words(struct convex *convex) {
    if (!convex->objective.box) return "";
    struct bound_counts counts = count_bounds(convex);
    size_t others = counts.bounded - counts.nonneg;
    char nonneg[64] = "", other[64] = "", active[64] = "";
    if (counts.nonneg)
        (void)snprintf(nonneg, sizeof nonneg, "%zu column%s >= 0", counts.nonneg,
                       counts.nonneg == 1 ? "" : "s");
    if (others || !counts.nonneg)
        (void)snprintf(other, sizeof other, "%s%zu %s", counts.nonneg ? ", " : "", others,
                       counts.nonneg ? "otherwise"
                       : others == 1 ? "column"
                                     : "columns");
    if (!convex->fit->own_schema) /* of one problem of many it is not the whole count */
        (void)snprintf(active, sizeof active, " (%zu at a bound)", counts.active);
    return fit_text(convex->fit, ", weights bounded: %s%s%s", nonneg, other, active);
}

void convex_report_bounds(const struct convex *convex, struct fit *fit) {
    if (!fit->make || !convex->objective.box) return;
    struct bound_counts counts = count_bounds(convex);
    struct tree *facts = tree_object(fit->make, fit->report, "bounds");
    tree_number(fit->make, facts, "columns", (double)counts.bounded);
    tree_number(fit->make, facts, "active", (double)counts.active);
}
