/* Steps over many mistakes at once: `batch`, `minibatch`, and `delta` in those modes. All examples
   of a step are judged by the same weights. Judging is done in parallel; the mistakes are added in
   the order of their rows, so the sum has the same bits with any number of threads.

   A batch whose mistakes add up to exactly 0 ends the run: the weights can never change again, and
   the mistakes themselves are a proof (Gordan 1873) that no weights make all of them right, for the
   sum over them of t w~.x~ is w~.0 = 0 whatever w~ is. */
#include "learners/perceptron.h"

#include "core/parallel.h"

#include <math.h>
#include <string.h>

enum { RIGHT = -1 }; /* in place of a rival: no mistake */
enum { CHUNK = 1024, CHUNKS_BETWEEN = 64 };

struct batch_judging {
    const struct perceptron *p;
    size_t first, n; /* places in the order */
    int32_t *rival;  /* of each place from `first` on */
    atomic_bool overflow;
};

static size_t batch_row_at(const struct perceptron *p, size_t place) {
    return p->order ? p->order[place] : place;
}

static sepal_status judge_chunk(sepal_ctx *ctx, size_t chunk, void *payload) {
    struct batch_judging *all = payload;
    const struct perceptron *p = all->p;
    size_t at = chunk * CHUNK, end = at + CHUNK < all->n ? at + CHUNK : all->n;
    (void)ctx;
    for (; at < end; at++) {
        struct example x = perceptron_example(p, batch_row_at(p, all->first + at));
        double margin = perceptron_margin(p, &p->now, &x, &all->rival[at]);
        if (!isfinite(margin)) atomic_store(&all->overflow, true);
        if (margin > 0) all->rival[at] = RIGHT;
    }
    return SEPAL_OK;
}

/* Find the mistakes of n places; adds their number to p->mistakes. Incomplete when interrupted. */
static sepal_status batch_judge(struct perceptron *p, int32_t *rival, size_t first, size_t n,
                                size_t *mistakes) {
    const size_t most = (size_t)CHUNK * CHUNKS_BETWEEN;
    *mistakes = 0;
    for (size_t at = 0, part; at < n; at += part) {
        part = n - at < most ? n - at : most;
        struct batch_judging all = {.p = p, .first = first + at, .n = part, .rival = rival + at};
        atomic_init(&all.overflow, false);
        TRY(parallel_for(p->fit->ctx, (part + CHUNK - 1) / CHUNK, judge_chunk, &all));
        if (atomic_load(&all.overflow)) return perceptron_overflow(p);
        for (size_t i = at; i < at + part; i++) *mistakes += rival[i] != RIGHT;
        if (perceptron_stops(p, part)) break;
    }
    p->mistakes += *mistakes;
    return SEPAL_OK;
}

static void add_mistakes(const struct perceptron *p, struct weights *to, const int32_t *rival,
                         size_t first, size_t n, double step) {
    for (size_t i = 0; i < n; i++) {
        if (rival[i] == RIGHT) continue;
        struct example x = perceptron_example(p, batch_row_at(p, first + i));
        perceptron_add(p, to, &x, rival[i], step * x.weight);
    }
}

/* ---- is the sum exactly 0? ---------------------------------------------------------------- */

/* a + b, and the error of that sum, which is a number itself (Knuth, TAOCP 2, 4.2.2). */
static double batch_two_sum(double a, double b, double *error) {
    double sum = a + b, part = sum - a;
    *error = (a - (sum - part)) + (b - part);
    return sum;
}

/* high + low += a x without any error; false when that takes more than two doubles. */
static bool batch_add_exactly(double *high, double *low, double a, double x) {
    double product = a * x, lost, left;
    if (fma(a, x, -product) != 0) return false;
    *high = batch_two_sum(*high, product, &lost);
    *low = batch_two_sum(*low, lost, &left);
    return left == 0;
}

static bool add_row_exactly(const struct perceptron *p, struct weights *high, struct weights *low,
                            const struct example *x, size_t r, double a) {
    double *h = high->w + r * p->cols, *l = low->w + r * p->cols, value;
    size_t at = 0, j;
    bool exact = !p->config->bias || batch_add_exactly(&high->b[r], &low->b[r], a, 1);
    while (exact && row_next(x->block, x->i, p->cols, &at, &j, &value))
        exact = batch_add_exactly(&h[j], &l[j], a, value);
    return exact;
}

static bool cancels(const double *high, const double *low, size_t n) {
    for (size_t j = 0; j < n; j++)
        if (high[j] != -low[j]) return false;
    return true;
}

/* Rounding can make a sum 0 that is not; a proof needs the exact one. */
static sepal_status batch_prove(struct perceptron *p, const int32_t *rival) {
    struct weights high, low;
    TRY(weights_make(&high, p));
    TRY(weights_make(&low, p));
    bool exact = true;
    for (size_t i = 0; i < p->matrix->rows && exact; i++) {
        if (rival[i] == RIGHT) continue;
        struct example x = perceptron_example(p, i);
        double a = x.weight;
        if (p->rows == 1)
            exact = add_row_exactly(p, &high, &low, &x, 0, x.label == 1 ? a : -a);
        else
            exact = add_row_exactly(p, &high, &low, &x, (size_t)x.label, a) &&
                    add_row_exactly(p, &high, &low, &x, (size_t)rival[i], -a);
    }
    p->proved =
        exact && cancels(high.w, low.w, p->rows * p->cols) && cancels(high.b, low.b, p->rows);
    return SEPAL_OK;
}

/* ---- the runs ----------------------------------------------------------------------------- */

sepal_status perceptron_batch(struct perceptron *p) {
    struct fit *fit = p->fit;
    size_t n = p->matrix->rows, mistakes;
    struct weights sum;
    int32_t *rival = arena_alloc(fit->ctx, &fit->arena, n, sizeof *rival);
    if (!rival) return SEPAL_EMEMORY;
    TRY(weights_make(&sum, p));
    double theta = p->config->variant == BATCH ? p->config->theta : 0;
    for (size_t epoch = 1; epoch <= p->limit; epoch++) {
        p->mistakes = 0;
        TRY(batch_judge(p, rival, 0, n, &mistakes));
        if (mistakes == 0 || fit->stopped) break;
        p->epochs = epoch;
        memset(sum.w, 0, p->rows * p->cols * sizeof *sum.w);
        memset(sum.b, 0, p->rows * sizeof *sum.b);
        add_mistakes(p, &sum, rival, 0, n, 1);
        double norm = weights_norm(p, &sum);
        if (norm == 0) TRY(batch_prove(p, rival));
        if (p->step * norm <= theta) {
            p->small_update = p->step * norm;
            break;
        }
        weights_add(p, &p->now, p->step, &sum);
        p->updates += mistakes;
        if (fit->ctx->trace) TRY(perceptron_trace_batch(p, epoch, mistakes));
        fit_note(fit, epoch, (double)p->mistakes);
        if (fit_stops(fit, "epoch %zu, %zu mistakes", epoch, p->mistakes)) break;
    }
    return SEPAL_OK;
}

static sepal_status minibatch_epoch(struct perceptron *p, int32_t *rival, size_t *steps) {
    size_t n = p->matrix->rows, mistakes;
    for (size_t first = 0, part; first < n; first += part) {
        part = n - first < p->config->batch ? n - first : p->config->batch;
        TRY(batch_judge(p, rival, first, part, &mistakes));
        if (p->fit->stopped) break;
        if (mistakes == 0) continue;
        add_mistakes(p, &p->now, rival, first, part, p->step);
        p->updates += mistakes;
        if (p->fit->ctx->trace) TRY(perceptron_trace_batch(p, ++*steps, mistakes));
    }
    return SEPAL_OK;
}

sepal_status perceptron_minibatch(struct perceptron *p) {
    struct fit *fit = p->fit;
    size_t n = p->matrix->rows, steps = 0;
    size_t most = p->config->batch < n ? p->config->batch : n;
    int32_t *rival = arena_alloc(fit->ctx, &fit->arena, most, sizeof *rival);
    if (!rival) return SEPAL_EMEMORY;
    bool clean = false;
    for (size_t epoch = 1; epoch <= p->limit && !clean; epoch++) {
        p->epochs = epoch;
        p->mistakes = 0;
        TRY(perceptron_shuffle(p, epoch));
        TRY(minibatch_epoch(p, rival, &steps));
        fit_note(fit, epoch, (double)p->mistakes);
        if (fit_stops(fit, "epoch %zu, %zu mistakes", epoch, p->mistakes)) break;
        TRY(perceptron_is_clean(&clean, p));
    }
    return SEPAL_OK;
}
