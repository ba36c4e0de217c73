/* Which point of a grid to take: the best on the rows held out, or the simplest of those within a standard
   error of it (Breiman, Friedman, Olshen and Stone 1984); the error is that of the mean over the splits. */
#include "selection/tune.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Points that have the metric on fewer splits than others are not compared with them. */
static size_t most_splits(const struct tune_round *round, size_t n) {
    size_t most = 0;
    for (size_t k = 0; k < n; k++)
        if (round->valid[k].n > most) most = round->valid[k].n;
    return most;
}

sepal_status tune_choose(struct tune_round *round, const struct tuning *tuning) {
    const struct grid *grid = &tuning->grid;
    size_t n = grid->n, most = most_splits(round, n), compared = 0, equal = 0;
    int better = tuning->measure.better;
    bool *eligible = arena_zero(tuning->ctx, &round->trials.arena, n, sizeof *eligible);
    if (!eligible) return SEPAL_EMEMORY;
    round->best = n;
    for (size_t k = 0; k < n; k++) {
        if (round->valid[k].n < most) continue;
        compared++;
        if (round->best == n ||
            better * (round->valid[k].mean - round->valid[round->best].mean) > 0)
            round->best = k;
    }
    const double mean = round->valid[round->best].mean;
    for (size_t k = 0; k < n; k++) {
        eligible[k] = round->valid[k].n == most && round->valid[k].mean == mean;
        equal += eligible[k];
    }
    round->all_equal = n > 1 && equal == compared;
    round->best = grid_simplest(grid, eligible, round->best); /* of equals the simplest */
    double error = round->valid[round->best].error, room = isnan(error) ? 0 : error;
    for (size_t k = 0; k < n; k++)
        eligible[k] = round->valid[k].n == most && better * (round->valid[k].mean - mean) >= -room;
    round->one_se = grid_simplest(grid, eligible, round->best);
    round->chosen = tuning->options.choose == TUNE_ONE_SE ? round->one_se : round->best;
    return SEPAL_OK;
}

void tune_warn(const struct tune_round *round, const struct tuning *tuning) {
    const struct grid *grid = &tuning->grid;
    sepal_ctx *ctx = tuning->ctx;
    if (round->all_equal) {
        warn(ctx, "all-equal",
             "all %zu points of the grid have the same %s, %g: the choice among them is by "
             "simplicity alone; try values further apart, or another " OPTION "metric",
             grid->n, tuning->measure.name, round->valid[round->best].mean);
        return;
    }
    for (size_t a = 0; a < grid->n_axes; a++) {
        const char *further = grid_beyond(grid, round->best, a);
        if (further)
            warn(ctx, "grid-end",
                 "the best %s, %s, is at the end of its values, and better ones may lie beyond; "
                 "go on with " OPTION "over %s",
                 grid->axes[a].name, grid->axes[a].text[grid_place(grid, round->best, a)], further);
    }
}

const char *tune_why(const struct tune_round *round, const struct tuning *tuning) {
    const char *name = tuning->measure.name;
    struct text text = {0};
    bool best = tuning->options.choose != TUNE_ONE_SE;
    if (round->all_equal)
        text_printf(tuning->ctx, &text, "all points have the same %s; this is the simplest", name);
    else if (best)
        text_printf(tuning->ctx, &text, "the %s mean %s on held-out rows",
                    tuning->measure.better > 0 ? "largest" : "least", name);
    else if (round->one_se == round->best)
        text_printf(tuning->ctx, &text,
                    "the %s mean %s on held-out rows, and none simpler is within a standard error",
                    tuning->measure.better > 0 ? "largest" : "least", name);
    else
        text_printf(tuning->ctx, &text,
                    "the simplest within a standard error of the %s mean %s on held-out rows",
                    tuning->measure.better > 0 ? "largest" : "least", name);
    const char *copy =
        text.failed ? NULL
                    : arena_text(tuning->ctx, tuning->asked->make->arena, text.bytes, text.length);
    text_clear(&text);
    return copy;
}
