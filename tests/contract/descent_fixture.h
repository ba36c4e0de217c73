/* A solver called by itself on a sample, and two laws that hold for every one of them. */
#ifndef SEPAL_TESTS_DESCENT_FIXTURE_H
#define SEPAL_TESTS_DESCENT_FIXTURE_H

#include "unit/objective_fixture.h"

#include "solvers/solver.h"

typedef sepal_status (*solve_fn)(struct solver *d);

static bool never(void *payload, size_t iteration, double objective, double gap) {
    (void)payload, (void)iteration, (void)objective, (void)gap;
    return false;
}

static bool at_once(void *payload, size_t iteration, double objective, double gap) {
    (void)payload, (void)iteration, (void)objective, (void)gap;
    return true;
}

static struct solver descent_of(struct sample *s, double tol) {
    return (struct solver){.o = &s->o,
                           .tol = tol,
                           .seed = 1,
                           .stops = never,
                           .u = numbers(s->o.width),
                           .alpha = numbers(s->o.n)};
}

static void descent_free(struct solver *d) {
    free(d->u);
    free(d->alpha);
}

/* Threads change no bit. */
static void check_threads(struct sample *s, solve_fn solve, double tol) {
    struct solver d[2];
    for (unsigned t = 0; t < 2; t++) {
        d[t] = descent_of(s, tol);
        d[t].max_iter = 30;
        sepal_ctx_set_threads(ctx, t + 1);
        assert_int_equal(solve(&d[t]), SEPAL_OK);
    }
    assert_memory_equal(d[0].u, d[1].u, s->o.width * sizeof(double));
    assert_memory_equal(d[0].alpha, d[1].alpha, s->o.n * sizeof(double));
    descent_free(&d[0]);
    descent_free(&d[1]);
    sepal_ctx_set_threads(ctx, 1);
}

/* Asked to end, it leaves numbers and says so. */
static void check_stop(struct sample *s, solve_fn solve) {
    struct solver d = descent_of(s, 1e-8);
    d.stops = at_once;
    assert_int_equal(solve(&d), SEPAL_OK);
    assert_true(d.stopped && !d.converged);
    for (size_t j = 0; j < s->o.width; j++) assert_true(isfinite(d.u[j]));
    descent_free(&d);
}

#endif
