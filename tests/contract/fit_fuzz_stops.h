/* Fits of the fit fuzzer that are stopped, by the user or by a time limit: there is a model with weights of
   its own for every class, which claims nothing that is not so; or none, and a message that says why. */
#ifndef TESTS_FIT_FUZZ_STOPS_H
#define TESTS_FIT_FUZZ_STOPS_H

#include "contract/fit_fuzz_laws.h"

/* Hinge and softmax fits have their say each time, others now and then. */
static inline bool stops_matter(const struct fuzz *z) {
    enum goal_kind kind = goal_of(z->spec.learner, z->spec.text);
    return kind == GOAL_HINGE || kind == GOAL_CRAMMER_SINGER || kind == GOAL_CROSS_ENTROPY ||
           kind == GOAL_MSE || z->number % 4 == 2;
}

static inline bool has_weights(const struct linear *linear, size_t r) {
    for (size_t j = 0; j < linear->cols; j++)
        if (linear->w[r * linear->cols + j] != 0) return true;
    return false;
}

/* Weights of 0 may be the answer to a problem that was solved, but none to one that was not. */
static inline void check_interrupted(struct fuzz *z, const struct run *run, size_t look_number) {
    const struct linear *linear = &run->model->linear;
    for (size_t r = 0; r < linear->rows; r++) {
        const struct part *part = &run->parts[run->n_parts == linear->rows ? r : 0];
        if (part->converged || has_weights(linear, r)) continue;
        find(z, run->options, "stopped at look %zu: class %zu has no weights of its own",
             look_number, r);
        return;
    }
}

static inline void check_stopped(struct fuzz *z, const struct run *run, const struct run *whole,
                                 size_t look_number) {
    if (run->status == SEPAL_ECANCEL) {
        if (run->model || strstr(run->error, "interrupted") != run->error)
            find(z, run->options, "stopped at look %zu: '%s'", look_number, run->error);
        return;
    }
    check_run(z, run);
    if (run->status != SEPAL_OK) return;
    if (run->interrupted) check_interrupted(z, run, look_number);
    check_file(z, run);
    /* the mean of a perceptron's weights depends on how far it went */
    if (!strstr(z->spec.text, "averaged"))
        compare_objectives(z, "stopped, against a whole fit", run, whole, NULL, true);
}

static inline void law_stops(struct fuzz *z, const struct run *base) {
    enum { TRIES = 2, OPTIONS_BYTES = 96 };
    static const char *const limits[] = {"1e-9", "1e-5", "1e-4", "1e-3"};
    struct rng rng = rng_make(z->seed, 8000000 + z->number); /* fixed: the seed of the problem */
    const struct solver_name *const *names = z->spec.learner->solvers;
    size_t solvers = names ? rows_of_table((const void *const *)names) : 0;
    char options[OPTIONS_BYTES] = "";
    if (base->status != SEPAL_OK) return;
    if (solvers && chance(&rng, 0.5))
        snprintf(options, sizeof options, "solver=%s", names[rng_below(&rng, solvers)]->name);
    z->stop_at = SIZE_MAX;
    struct run whole = run_fit(z, &z->table, NULL, options);
    size_t looks = z->looks;
    check_run(z, &whole);
    if (!*options) same_bits(z, "with someone looking", base, &whole);
    for (size_t k = 0; k < TRIES && whole.status == SEPAL_OK && looks; k++) {
        z->stop_at = 1 + rng_below(&rng, looks);
        struct run run = run_fit(z, &z->table, NULL, options);
        check_stopped(z, &run, &whole, z->stop_at);
        run_free(&run);
    }
    z->stop_at = 0;
    size_t used = strlen(options);
    snprintf(options + used, sizeof options - used, "%smax-seconds=%s", used ? ", " : "",
             limits[rng_below(&rng, 4)]);
    struct run late = run_fit(z, &z->table, NULL, options);
    if (whole.status == SEPAL_OK) check_stopped(z, &late, &whole, 0);
    run_free(&late);
    run_free(&whole);
}

#endif
