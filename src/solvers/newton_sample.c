/* Some of the rows as an objective of their own: runs of rows, evenly spread and left where they are.
   What they say of the optimum costs a fraction of a pass. */
#include "solvers/newton.h"

#include <math.h>
#include <string.h>

enum { RUN = 32, SHIFT = 7 }; /* the place of the run changes from one stretch to the next */

static bool taken(size_t run, size_t every) {
    return run % every == run / every * SHIFT % every;
}

static void take_runs(struct sample *sample, const struct objective *o, size_t every) {
    double all = 0, some = 0;
    struct matrix *x = &sample->x;
    x->rows = x->n_blocks = 0;
    for (size_t b = 0; b < o->rows.n_blocks; b++) {
        const struct block *block = &o->rows.blocks[b];
        for (size_t i = 0; i < block->rows; i += RUN) {
            size_t first = block->first_row + i, n = block->rows - i < RUN ? block->rows - i : RUN;
            for (size_t k = 0; k < n; k++) all += o->share[first + k];
            if (!taken(first / RUN, every)) continue;
            for (size_t k = 0; k < n; k++) some += o->share[first + k];
            memcpy(sample->label + x->rows, o->label + first, n * sizeof *o->label);
            memcpy(sample->share + x->rows, o->share + first, n * sizeof *o->share);
            struct block *slice = &x->blocks[x->n_blocks++];
            *slice = block_slice(block, o->cols, i, n);
            slice->first_row = x->rows;
            x->rows += n;
        }
    }
    for (size_t i = 0; i < x->rows; i++) sample->share[i] *= all / some;
}

static bool has_both_sides(const struct sample *sample) {
    size_t high = 0;
    for (size_t i = 0; i < sample->x.rows; i++) high += sample->label[i] == 1;
    return high > 0 && high < sample->x.rows;
}

sepal_status sample_init(struct sample *sample, bool *ok, const struct objective *o,
                         struct arena *arena, size_t every) {
    size_t runs = (o->n / RUN + o->rows.n_blocks) / every + 2;
    *sample = (struct sample){.o = *o, .x = o->rows};
    sample->x.blocks = arena_alloc(o->ctx, arena, runs, sizeof *sample->x.blocks);
    sample->label = arena_alloc(o->ctx, arena, runs * RUN, sizeof *sample->label);
    sample->share = arena_alloc(o->ctx, arena, runs * RUN, sizeof *sample->share);
    if (!sample->x.blocks || !sample->label || !sample->share) return SEPAL_EMEMORY;
    take_runs(sample, o, every);
    sample->o.arena = arena;
    sample->o.x = &sample->x;
    sample->o.label = sample->label;
    sample->o.share = sample->share;
    /* fewer rows say less: a larger penalty keeps columns that the sample hardly knows near 0 */
    sample->o.l2 = o->l2 * pow((double)every, 1.25);
    *ok = has_both_sides(sample);
    return objective_init(&sample->o);
}
