/* Perceptron runs that take one example at a time: `online`, `delta` per sample, `pocket` and `averaged`
   (Rosenblatt 1958; Gallant, "Perceptron-based learning algorithms", 1990; Freund and Schapire,
   "Large margin classification using the perceptron algorithm", 1999).

   The mean of the weights after every example needs no sum of weights per example. An epoch has n
   examples: the weights at its start count n times, and a step at place i (from 0) counts in the
   n - i sums that come after it. Nothing is subtracted, so nothing cancels. */
#include "learners/perceptron.h"

#include <math.h>

struct online_run {
    struct perceptron *p;
    struct pocket *pocket; /* NULL: none */
    struct weights sum;    /* averaged: of the weights after every example; else w is NULL */
    size_t seen;           /* examples in that sum */
};

static sepal_status online_visit(struct online_run *run, size_t place) {
    struct perceptron *p = run->p;
    size_t row = p->order ? p->order[place] : place;
    struct example x = perceptron_example(p, row);
    int32_t rival;
    double before = perceptron_margin(p, &p->now, &x, &rival);
    if (!isfinite(before)) return perceptron_overflow(p);
    if (before > 0) return SEPAL_OK;

    double a = p->step * x.weight;
    perceptron_add(p, &p->now, &x, rival, a);
    p->mistakes++;
    p->updates++;
    if (run->sum.w) perceptron_add(p, &run->sum, &x, rival, a * (double)(p->matrix->rows - place));
    if (p->fit->ctx->trace) TRY(perceptron_trace_step(p, &x, rival, before));
    return run->pocket ? pocket_offer(run->pocket) : SEPAL_OK;
}

static sepal_status run_epoch(struct online_run *run, size_t epoch) {
    struct perceptron *p = run->p;
    size_t n = p->matrix->rows, place = 0;
    if (p->config->shuffle) TRY(perceptron_shuffle(p, epoch));
    p->epochs = epoch;
    p->mistakes = 0;
    if (run->sum.w) weights_add(p, &run->sum, (double)n, &p->now);
    while (place < n && !p->fit->stopped) {
        TRY(online_visit(run, place++));
        perceptron_stops(p, 1);
    }
    /* the places that were not reached have been counted with the weights as they are now */
    if (run->sum.w && place < n) weights_add(p, &run->sum, -(double)(n - place), &p->now);
    run->seen += place;
    return SEPAL_OK;
}

/* `delta` looks whether it is done after each epoch, the others see it from an epoch without a
   step. */
static sepal_status is_done(bool *out, struct perceptron *p) {
    *out = p->mistakes == 0;
    if (*out || p->config->variant != DELTA) return SEPAL_OK;
    return perceptron_is_clean(out, p);
}

static void take_mean(struct online_run *run) {
    struct perceptron *p = run->p;
    double n = run->seen ? (double)run->seen : 1;
    for (size_t j = 0; j < p->rows * p->cols; j++) p->result.w[j] = run->sum.w[j] / n;
    for (size_t r = 0; r < p->rows; r++) p->result.b[r] = run->sum.b[r] / n;
}

sepal_status perceptron_online(struct perceptron *p) {
    struct online_run run = {.p = p};
    if (p->config->variant == POCKET) TRY(pocket_make(&run.pocket, p));
    if (p->config->variant == AVERAGED) {
        TRY(weights_make(&run.sum, p));
        TRY(weights_make(&p->result, p));
    }
    bool done = false;
    for (size_t epoch = 1; epoch <= p->limit && !done; epoch++) {
        TRY(run_epoch(&run, epoch));
        TRY(is_done(&done, p));
        fit_note(p->fit, epoch, (double)p->mistakes);
        if (fit_stops(p->fit, "epoch %zu, %zu mistakes", epoch, p->mistakes)) break;
    }
    if (run.sum.w) take_mean(&run);
    return SEPAL_OK;
}
