/* Some of the rows as an objective of their own: runs of rows, evenly spread and left where they are.
   What they say of the optimum costs a fraction of a pass. */
#include "solvers/newton.h"

#include <string.h>

enum { RUN = 32, SHIFT = 7 }; /* the place of the run changes from one stretch to the next */

static bool taken(size_t run, size_t every) {
    return run % every == run / every * SHIFT % every;
}

/* The label of a class so small that all its runs are taken; -1: none is. */
static int32_t rare_label(const struct objective *o) {
    static const size_t few = 8;
    size_t high = 0;
    for (size_t i = 0; i < o->n; i++) high += o->label[i] == 1;
    if (high * few < o->n) return 1;
    return (o->n - high) * few < o->n ? 0 : -1;
}

static bool all_have(const int32_t *label, size_t n, int32_t which) {
    size_t k = 0;
    while (k < n && (label[k] == 1) == which) k++;
    return k == n;
}

/* The weights of n rows by their sides, in four partial sums each, so that one addition need not wait for
   the one before. */
static void add_weights(double sum[2][4], const double *weight, const int32_t *label, size_t n) {
    double low[4] = {0}, high[4] = {0};
    size_t k = 0;
    for (; n - k >= 4; k += 4)
        for (size_t l = 0; l < 4; l++) {
            double w = weight[k + l], side = label[k + l] == 1 ? w : 0;
            low[l] += w - side;
            high[l] += side;
        }
    for (size_t l = 0; l < 4; l++) sum[0][l] += low[l], sum[1][l] += high[l];
    for (; k < n; k++) sum[label[k] == 1][0] += weight[k];
}

static double sum_of_four(const double sum[4]) {
    return (sum[0] + sum[2]) + (sum[1] + sum[3]);
}

static void take_runs(struct sample *sample, const struct objective *o, size_t every) {
    double all[2][4] = {{0}}, some[2][4] = {{0}}, factor[2];
    struct matrix *x = &sample->x;
    int32_t rare = rare_label(o);
    x->rows = x->n_blocks = 0;
    for (size_t b = 0; b < o->rows.n_blocks; b++) {
        const struct block *block = &o->rows.blocks[b];
        for (size_t i = 0; i < block->rows; i += RUN) {
            size_t first = block->first_row + i, n = block->rows - i < RUN ? block->rows - i : RUN;
            const int32_t *label = o->label + first;
            add_weights(all, o->row_weight + first, label, n);
            if (!taken(first / RUN, every) && !(rare >= 0 && all_have(label, n, rare))) continue;
            add_weights(some, o->row_weight + first, label, n);
            memcpy(sample->label + x->rows, label, n * sizeof *o->label);
            memcpy(sample->row_weight + x->rows, o->row_weight + first, n * sizeof *o->row_weight);
            struct block *slice = &x->blocks[x->n_blocks++];
            *slice = block_slice(block, o->cols, i, n);
            slice->first_row = x->rows;
            x->rows += n;
        }
    }
    for (size_t side = 0; side < 2; side++)
        factor[side] = sum_of_four(all[side]) / sum_of_four(some[side]);
    for (size_t i = 0; i < x->rows; i++)
        sample->row_weight[i] *= sample->label[i] == 1 ? factor[1] : factor[0];
}

static bool has_both_sides(const struct sample *sample) {
    size_t high = 0;
    for (size_t i = 0; i < sample->x.rows; i++) high += sample->label[i] == 1;
    return high > 0 && high < sample->x.rows;
}

sepal_status sample_init(struct sample *sample, bool *ok, const struct objective *o,
                         struct arena *arena, size_t every) {
    size_t runs = o->n / RUN + o->rows.n_blocks;
    *sample = (struct sample){.o = *o, .x = o->rows};
    sample->x.blocks = arena_alloc(o->ctx, arena, runs, sizeof *sample->x.blocks);
    sample->label = arena_alloc(o->ctx, arena, o->n, sizeof *sample->label);
    sample->row_weight = arena_alloc(o->ctx, arena, o->n, sizeof *sample->row_weight);
    if (!sample->x.blocks || !sample->label || !sample->row_weight) return SEPAL_EMEMORY;
    take_runs(sample, o, every);
    sample->o.arena = arena;
    sample->o.x = &sample->x;
    sample->o.label = sample->label;
    sample->o.row_weight = sample->row_weight;
    *ok = has_both_sides(sample);
    return objective_init(&sample->o);
}
