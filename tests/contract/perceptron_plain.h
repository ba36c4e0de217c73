/* The rules of the perceptron family once more, as plainly as they can be written. */
#ifndef SEPAL_TESTS_PERCEPTRON_PLAIN_H
#define SEPAL_TESTS_PERCEPTRON_PLAIN_H

#include "contract/perceptron_problem.h"

struct naive {
    const struct problem *p;
    const struct perceptron_config *config;
    size_t rows, count;
    double w[MOST_WEIGHTS], best[MOST_WEIGHTS];
    long double sum[MOST_WEIGHTS];
    double best_errors;
    size_t updates, epochs, seen, stop_after;
};

static inline double naive_score(const struct naive *run, size_t i, size_t r) {
    const struct problem *p = run->p;
    double s = run->w[run->rows * p->cols + r];
    for (size_t j = p->cols; j-- > 0;) s += run->w[r * p->cols + j] * p->x[i * p->cols + j];
    return s;
}

static inline double naive_margin(const struct naive *run, size_t i, int32_t *rival) {
    int32_t y = run->p->label[i];
    if (run->rows == 1) {
        *rival = !y;
        return y ? naive_score(run, i, 0) : -naive_score(run, i, 0);
    }
    *rival = y == 0;
    for (int32_t k = 0; k < (int32_t)run->rows; k++)
        if (k != y && naive_score(run, i, (size_t)k) > naive_score(run, i, (size_t)*rival))
            *rival = k;
    return naive_score(run, i, (size_t)y) - naive_score(run, i, (size_t)*rival);
}

static inline void naive_row(struct naive *run, double *to, size_t i, size_t r, double a) {
    const struct problem *p = run->p;
    for (size_t j = 0; j < p->cols; j++) to[r * p->cols + j] += a * p->x[i * p->cols + j];
    if (run->config->bias) to[run->rows * p->cols + r] += a;
}

static inline void naive_add(struct naive *run, double *to, size_t i, int32_t rival, double a) {
    int32_t y = run->p->label[i];
    if (run->p->weight) a *= run->p->weight[i];
    if (run->rows == 1) {
        naive_row(run, to, i, 0, y ? a : -a);
        return;
    }
    naive_row(run, to, i, (size_t)y, a);
    naive_row(run, to, i, (size_t)rival, -a);
}

static inline double naive_errors(const struct naive *run) {
    double errors = 0;
    for (size_t i = 0; i < run->p->n; i++) {
        int32_t predicted = 0;
        if (run->rows == 1) predicted = naive_score(run, i, 0) >= 0;
        for (size_t k = 1; k < run->rows; k++)
            if (naive_score(run, i, k) > naive_score(run, i, (size_t)predicted))
                predicted = (int32_t)k;
        if (predicted != run->p->label[i]) errors += run->p->weight ? run->p->weight[i] : 1;
    }
    return errors;
}

static inline void naive_pocket(struct naive *run) {
    if (run->config->variant != POCKET) return;
    double errors = naive_errors(run);
    if (errors >= run->best_errors) return;
    run->best_errors = errors;
    memcpy(run->best, run->w, sizeof run->best);
}

static inline size_t naive_mistakes(const struct naive *run) {
    size_t mistakes = 0;
    int32_t rival;
    for (size_t i = 0; i < run->p->n; i++) mistakes += naive_margin(run, i, &rival) <= 0;
    return mistakes;
}

static inline void naive_order(const struct naive *run, uint32_t *order, bool shuffled) {
    for (size_t i = 0; i < run->p->n; i++) order[i] = (uint32_t)i;
    struct rng rng = rng_make(7, run->epochs); /* fixed: the order of the learner */
    if (shuffled) rng_shuffle(&rng, order, run->p->n);
}

/* A batch that adds up to 0 changes nothing, now or later: the run ends before it. */
static inline bool naive_idle(const struct naive *run, const double *change, size_t group) {
    double most = 0;
    for (size_t j = 0; j < run->count; j++) most = fmax(most, fabs(change[j]));
    return group == run->p->n && run->p->n > 1 && most == 0;
}

/* One epoch in groups of `group` examples judged together. */
static inline size_t naive_epoch(struct naive *run, const uint32_t *order, size_t group,
                                 double step) {
    size_t n = run->p->n, mistakes = 0;
    for (size_t first = 0; first < n; first += group) {
        double change[MOST_WEIGHTS] = {0};
        for (size_t i = first; i < n && i < first + group; i++) {
            int32_t rival;
            if (naive_margin(run, order[i], &rival) > 0) continue;
            naive_add(run, change, order[i], rival, step);
            mistakes++;
        }
        if (naive_idle(run, change, group)) return 0;
        for (size_t j = 0; j < run->count; j++) run->w[j] += change[j];
        if (group > 1) continue;
        for (size_t j = 0; j < run->count; j++) run->sum[j] += (long double)run->w[j];
        if (++run->seen == run->stop_after) break;
        if (mistakes) naive_pocket(run);
    }
    run->updates += mistakes;
    return mistakes;
}

/* start: weights and biases; NULL: all 0. */
static inline void naive_run_from(struct naive *run, const struct problem *p,
                                  const struct perceptron_config *config, size_t stop_after,
                                  const double *start) {
    *run = (struct naive){.p = p, .config = config, .rows = p->classes == 2 ? 1 : p->classes};
    run->count = run->rows * (p->cols + 1);
    run->stop_after = stop_after;
    for (size_t j = 0; start && j < run->count; j++)
        run->w[j] = config->bias || j < run->rows * p->cols ? start[j] : 0;
    run->best_errors = INFINITY;
    naive_pocket(run);
    bool delta = config->variant == DELTA;
    bool batch = config->variant == BATCH || (delta && config->mode == MODE_BATCH);
    bool minibatch = config->variant == MINIBATCH || (delta && config->mode == MODE_MINIBATCH);
    size_t group = batch ? p->n : minibatch ? config->batch : 1;
    double step = delta ? 2 * config->eta / (double)group : config->eta;
    uint32_t *order = malloc(p->n * sizeof *order);
    assert_non_null(order);
    while (run->epochs < config->epochs) {
        run->epochs++;
        naive_order(run, order, minibatch || (config->shuffle && !batch));
        size_t mistakes = naive_epoch(run, order, group, step);
        bool checks = batch || minibatch || delta;
        if (run->seen == stop_after && stop_after) break;
        if (mistakes == 0 || (checks && naive_mistakes(run) == 0)) break;
    }
    free(order);
    if (config->variant == POCKET) memcpy(run->w, run->best, sizeof run->w);
    for (size_t j = 0; config->variant == AVERAGED && j < run->count; j++)
        run->w[j] = (double)(run->sum[j] / (long double)run->seen);
}

static inline void naive_run(struct naive *run, const struct problem *p,
                             const struct perceptron_config *config, size_t stop_after) {
    naive_run_from(run, p, config, stop_after, NULL);
}

static inline double naive_objective(const struct naive *run) {
    double sum = 0, total = 0;
    for (size_t i = 0; i < run->p->n; i++) {
        double weight = run->p->weight ? run->p->weight[i] : 1;
        int32_t rival;
        sum += weight * fmax(0, -naive_margin(run, i, &rival));
        total += weight;
    }
    return sum / total;
}

#endif
