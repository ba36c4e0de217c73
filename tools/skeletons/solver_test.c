/* @NAME@: the independent proof confirms the gap that it stopped by, on rows of every kind; threads change
   no bit; asked to end, it leaves numbers and says so. */
#include "contract/descent_fixture.h"

#include "objective/certify.h"

static const struct loss *const losses[] = {&loss_logistic, &loss_squared_hinge, &loss_squared};

static void test_gaps_are_true(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(1), 1);
    for (size_t number = 0; number < 54; number++) {
        struct sample *s = sample_new(&rng, 20 + rng_below(&rng, 60), 1 + rng_below(&rng, 6),
                                      number % WAYS_TO_KEEP, (enum bias)(number / 6 % 3), false, 0);
        s->o.l2 = 0.1;
        s->o.loss = losses[number / 18];
        struct solver d = descent_of(s, 1e-6);
        struct proof proof;
        assert_int_equal(solve_@name@(&d), SEPAL_OK);
        assert_true(d.converged);
        assert_int_equal(certify(&proof, &s->o, d.u, NULL), SEPAL_OK);
        assert_true(fabsl(plain_objective(s, d.u) - proof.primal) <= 1e-12L * proof.primal);
        /* the best is no less than the dual bound, and no more than the gap below */
        struct solver best = descent_of(s, 1e-10);
        assert_int_equal(solve_newton_cg(&best), SEPAL_OK);
        long double least = plain_objective(s, best.u);
        assert_true(proof.primal - least <= 1e-6L * proof.primal);
        descent_free(&best);
        descent_free(&d);
        sample_free(s);
    }
}

static void test_threads_and_ends(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(2), 1);
    struct sample *s = sample_new(&rng, 40000, 8, 1, BIAS_FREE, false, 1);
    s->o.l2 = 1e-4;
    check_threads(s, solve_@name@, 1e-8);
    check_stop(s, solve_@name@);
    sample_free(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_gaps_are_true, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_threads_and_ends, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
