/* Why a run did not end clean: because nothing separates the classes, or because it was too short.
   Asked of the solver of separability within a budget that is no larger than that of the run and
   does not depend on the clock. */
#include "learners/perceptron.h"

#include "separability/separable.h"

#include <math.h>

static const double MOST_WORK = 3e9; /* a few seconds */

static sepal_status perceptron_proof_ask(struct separability *out, struct perceptron *p,
                                         struct arena *arena) {
    sepal_ctx *ctx = p->fit->ctx;
    struct question q = {.x = p->matrix, .bias = p->config->bias};
    double run = (double)p->epochs * (double)p->matrix->rows * (double)(p->cols * p->rows);
    struct budget budget = {
        .start_ns = p->fit->start_ns, .max_seconds = NAN, .max_work = fmin(run, MOST_WORK)};
    int8_t *side = p->rows == 1 ? arena_alloc(ctx, arena, p->matrix->rows, sizeof *side) : NULL;
    if (p->rows == 1 && !side) return SEPAL_EMEMORY;
    for (size_t i = 0; side && i < p->matrix->rows; i++) side[i] = p->data->label[i] ? 1 : -1;
    q.side = side;
    q.label = p->data->label;
    q.classes = p->rows;
    return separable_decide(out, ctx, arena, &q, (struct separable_wish){.quasi = true}, &budget);
}

sepal_status perceptron_prove(enum perceptron_chance *out, struct perceptron *p) {
    struct arena arena = {0};
    struct separability found = {.separable = OUTCOME_UNKNOWN};
    sepal_status status = perceptron_proof_ask(&found, p, &arena);
    *out = found.separable == OUTCOME_YES  ? CHANCE_LATER
           : found.separable == OUTCOME_NO ? CHANCE_NEVER
                                           : CHANCE_UNKNOWN;
    if (status == SEPAL_OK && *out == CHANCE_NEVER) {
        warn(p->fit->ctx, "not-separable",
             "the classes are not linearly separable, so no number of epochs is enough: positive "
             "multiples of %zu rows, each with the sign of its class, add up to exactly 0 (`sepal "
             "separable` shows them)%s; try %sadd features",
             found.certificate.n,
             found.quasi == OUTCOME_YES
                 ? "; some weights have no row on their wrong side, but rows of both classes on "
                   "their surface (quasi-complete separation)"
                 : "",
             p->result.w ? "to " : OPTION "variant pocket or averaged, or ");
    }
    arena_clear(&arena);
    return status;
}
