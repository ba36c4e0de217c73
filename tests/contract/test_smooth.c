/* The solvers of smooth losses that take any shape, on rows of every kind: what they say of the gap the
   independent proof confirms, free biases of rows far from 0 included; threads change no bit. */
#include "contract/descent_fixture.h"

#include "objective/certify.h"

#include <stdio.h>

static const struct tried_solver {
    const char *name;
    solve_fn solve;
    double most_c;
} solvers[] = {{"newton-cg", solve_newton_cg, 1e4}, {"lbfgs", solve_lbfgs, 1e2}};
static const struct loss *const losses[] = {&loss_logistic, &loss_squared_hinge, &loss_squared};
enum { SOLVERS = sizeof solvers / sizeof *solvers, SMOOTH = 3, BIASES = 3 };

/* Labels by a plane and noise. */
static struct sample *random_sample(struct rng *rng, size_t way, enum bias bias, bool centred,
                                    double mean) {
    size_t rows = 10 + rng_below(rng, 150), cols = 1 + rng_below(rng, 25);
    struct sample *s = sample_new(rng, rows, cols, way, bias, centred, mean);
    for (size_t i = 2; i < rows; i++) s->label[i] = s->x[i * cols] - mean + normal(rng) > 0 ? 1 : 0;
    return s;
}

static void check_answer(struct sample *s, const struct tried_solver *solver, double tol,
                         const char *what) {
    struct solver d = descent_of(s, tol);
    struct proof proof;
    assert_int_equal(solver->solve(&d), SEPAL_OK);
    assert_int_equal(certify(&proof, &s->o, d.u, d.paired ? d.alpha : NULL), SEPAL_OK);
    if (!d.converged || !(proof.gap <= tol * 1.01 + 1e-13))
        fail_msg("%s, %s, %s: %zu x %zu, l2 %g: converged %d, gap %g of %g after %zu", solver->name,
                 s->o.loss->name, what, s->o.n, s->o.cols, s->o.l2, d.converged, proof.gap, tol,
                 d.iterations);
    assert_true(fabsl(plain_objective(s, d.u) - proof.primal) <= 1e-12L * proof.primal);
    d.warm = true;
    d.converged = false;
    d.tol *= 0.1;
    assert_int_equal(solver->solve(&d), SEPAL_OK);
    assert_true(d.converged); /* it goes on from what it left */
    descent_free(&d);
}

static void test_gaps_are_true(void **state) {
    (void)state;
    static const double strengths[] = {1e-3, 1, 1e2, 1e4}, means[] = {0, 1, 30};
    struct rng rng = rng_make(test_seed(611), 1);
    char what[80];
    for (size_t number = 0; number < 432; number++) {
        size_t way = number % WAYS_TO_KEEP;
        enum bias bias = (enum bias)(number / WAYS_TO_KEEP % BIASES);
        double mean = means[number / 18 % 3], c = strengths[number / 54 % 4];
        bool centred = number % 7 == 0;
        struct sample *s = random_sample(&rng, way, bias, centred, mean);
        s->o.l2 = 1 / (c * (double)s->o.n);
        s->o.loss = losses[number / 2 % SMOOTH];
        snprintf(what, sizeof what, "number %zu, way %zu, bias %d, mean %g", number, way, bias,
                 mean);
        for (size_t k = 0; k < SOLVERS; k++)
            for (int digits = 1; digits <= 7 && c <= solvers[k].most_c; digits += 3)
                check_answer(s, &solvers[k], pow(10, -digits), what);
        sample_free(s);
    }
}

static void test_threads(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(612), 1);
    for (size_t way = 0; way < WAYS_TO_KEEP; way++) {
        struct sample *s = sample_new(&rng, 40000, 8, way, BIAS_FREE, false, 1);
        s->o.l2 = 1e-4;
        assert_true(s->o.slabs > 1);
        for (size_t k = 0; k < SOLVERS; k++) check_threads(s, solvers[k].solve, 1e-8);
        sample_free(s);
    }
}

/* Asked to end, they leave numbers and say so; without limit lbfgs leaves the rest to others. */
static void test_ends(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(613), 1);
    struct sample *s = sample_new(&rng, 300, 200, 1, BIAS_FREE, false, 30);
    s->o.l2 = 1e-7;
    for (size_t k = 0; k < SOLVERS; k++) check_stop(s, solvers[k].solve);
    struct solver d = descent_of(s, 1e-12);
    d.limit = 1;
    assert_int_equal(solve_lbfgs(&d), SEPAL_OK);
    assert_true(d.slow && !d.converged);
    descent_free(&d);
    sample_free(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_gaps_are_true, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_threads, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_ends, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
