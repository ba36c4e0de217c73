/* The pocket (Gallant 1990, without his short cuts): of all weights that a run visits, those with
   the fewest training errors, the earliest on ties. Errors are counted exactly, by the rule of
   prediction, yet most weights are worse than the best and need no full count. A few rows are wrong
   for nearly all weights of a run and most rows for hardly any: the rows that some full count since
   the last improvement found wrong are the suspects. They are read first, those that were wrong last
   time before the others, and weights with as many errors among them as the best has in all are
   turned down. Only the others are counted in full, in parallel. Which rows are suspects decides
   how long this takes, never which weights are kept. */
#include "learners/perceptron.h"

#include "core/parallel.h"

#include <math.h>

struct pocket {
    struct perceptron *p;
    double best;   /* errors of p->result: weight of the rows that are wrong */
    double enough; /* as much weight on the wrong side cannot be better than `best` */

    uint32_t *order; /* all rows, suspects first */
    size_t suspects;
    int32_t *rival;     /* of each row when it was read last */
    bool *wrong;        /* what the last full count found */
    double *block_sums; /* its errors in each block */
};

static bool errs(struct pocket *pocket, const struct example *x, size_t row) {
    const struct perceptron *p = pocket->p;
    int32_t *rival = &pocket->rival[row];
    /* of K scores two are enough when the last rival still wins */
    if (p->rows > 1 && perceptron_margin_against(p, &p->now, x, *rival) < 0) return true;
    double margin = perceptron_margin(p, &p->now, x, rival);
    return perceptron_errs(p, margin, x->label, *rival);
}

static sepal_status count_block(sepal_ctx *ctx, size_t b, void *payload) {
    struct pocket *pocket = payload;
    const struct perceptron *p = pocket->p;
    const struct block *block = &p->matrix->blocks[b];
    double sum = 0;
    (void)ctx;
    for (size_t row = block->first_row; row < block->first_row + block->rows; row++) {
        struct example x = perceptron_example(p, row);
        pocket->wrong[row] = errs(pocket, &x, row);
        if (pocket->wrong[row]) sum += x.weight;
    }
    pocket->block_sums[b] = sum;
    return SEPAL_OK;
}

/* Make suspects of the rows that are wrong: each changes places with the first that is not. */
static void move_errors_to_front(struct pocket *pocket) {
    for (size_t i = pocket->suspects; i < pocket->p->matrix->rows; i++) {
        uint32_t row = pocket->order[i];
        if (!pocket->wrong[row]) continue;
        pocket->order[i] = pocket->order[pocket->suspects];
        pocket->order[pocket->suspects++] = row;
    }
}

static void pocket_keep(struct pocket *pocket, double errors) {
    struct perceptron *p = pocket->p;
    weights_copy(p, &p->result, &p->now);
    pocket->best = errors;
    /* Counts are exact. Sums of weights taken in another order may differ by rounding, and then
       the full count, whose order is fixed, has to decide. */
    pocket->enough = p->data->weight ? errors * (1 + (double)p->matrix->rows * 0x1p-50) : errors;
    pocket->suspects = 0;
}

static sepal_status count_all(struct pocket *pocket) {
    struct perceptron *p = pocket->p;
    double errors = 0;
    TRY(parallel_for(p->fit->ctx, p->matrix->n_blocks, count_block, pocket));
    for (size_t b = 0; b < p->matrix->n_blocks; b++) errors += pocket->block_sums[b];
    if (errors < pocket->best) pocket_keep(pocket, errors);
    move_errors_to_front(pocket);
    perceptron_stops(p, p->matrix->rows);
    return SEPAL_OK;
}

/* True when the suspects alone make enough errors. Those that do move to the front. */
static bool errors_reach_best(struct pocket *pocket) {
    struct perceptron *p = pocket->p;
    double errors = 0;
    size_t front = 0, i = 0;
    for (; i < pocket->suspects && errors < pocket->enough; i++) {
        uint32_t row = pocket->order[i];
        struct example x = perceptron_example(p, row);
        if (!errs(pocket, &x, row)) continue;
        errors += x.weight;
        pocket->order[i] = pocket->order[front];
        pocket->order[front++] = row;
    }
    perceptron_stops(p, i);
    return errors >= pocket->enough;
}

sepal_status pocket_offer(struct pocket *pocket) {
    if (pocket->best == 0 || errors_reach_best(pocket)) return SEPAL_OK;
    return count_all(pocket);
}

sepal_status pocket_make(struct pocket **out, struct perceptron *p) {
    sepal_ctx *ctx = p->fit->ctx;
    struct arena *arena = &p->fit->arena;
    size_t n = p->matrix->rows;
    if (n > UINT32_MAX)
        return fail(ctx, SEPAL_EDATA,
                    "%zu rows are too many for variant=pocket; use variant=averaged", n);
    struct pocket *pocket = arena_zero(ctx, arena, 1, sizeof *pocket);
    if (!pocket) return SEPAL_EMEMORY;
    pocket->p = p;
    pocket->best = INFINITY;
    pocket->order = arena_alloc(ctx, arena, n, sizeof *pocket->order);
    pocket->rival = arena_zero(ctx, arena, n, sizeof *pocket->rival);
    pocket->wrong = arena_alloc(ctx, arena, n, sizeof *pocket->wrong);
    pocket->block_sums = arena_alloc(ctx, arena, p->matrix->n_blocks, sizeof(double));
    if (!pocket->order || !pocket->rival || !pocket->wrong || !pocket->block_sums)
        return SEPAL_EMEMORY;
    TRY(weights_make(&p->result, p));
    for (size_t i = 0; i < n; i++) pocket->order[i] = (uint32_t)i;
    *out = pocket;
    return count_all(pocket);
}
