/* What a solver says of itself, asked without the learner, which would send it on: where it says that
   the aim is reached the proof agrees, and where it need not give up it does not. Random problems,
   rows of every kind. */
#include "unit/objective_fixture.h"

#include "objective/certify.h"
#include "solvers/solver.h"

enum { RIDGE = 1, LASSO = 2, NET = 4 };
enum { SMOOTH = 1, HINGE = 2 };
enum { PROBLEMS = 30, TOLS = 3, ASKED = PROBLEMS * TOLS };

static const struct tried_solver {
    const char *name;
    sepal_status (*solve)(struct solver *d);
    int losses, penalties;
    bool centres_sparse;
    bool guesses;    /* what a free bias costs */
    size_t gives_up; /* so often at most, of ASKED */
} solvers[] = {
    {"newton", solve_newton, SMOOTH, RIDGE, true, false, 0},
    {"newton-cg", solve_newton_cg, SMOOTH, RIDGE, true, true, 0},
    {"dual", solve_dual, SMOOTH | HINGE, RIDGE, false, true, 0},
    {"interior", solve_interior, HINGE, RIDGE | LASSO | NET, true, false, 0},
    {"augmented", solve_augmented, HINGE, RIDGE, false, false, 0},
    {"prox-newton", solve_prox_newton, SMOOTH, LASSO | NET, true, false, 0},
};
enum { SOLVERS = sizeof solvers / sizeof *solvers };

static bool goes_on(void *payload, size_t iteration, double objective, double gap) {
    (void)payload, (void)iteration, (void)objective, (void)gap;
    return false;
}

static struct sample *draw_sample(struct rng *rng, const struct tried_solver *solver,
                                  size_t number) {
    size_t way = rng_below(rng, WAYS_TO_KEEP);
    bool centred = rng_below(rng, 2) && (way < 2 || solver->centres_sparse);
    struct sample *s =
        sample_new(rng, 10 + rng_below(rng, 200), 1 + rng_below(rng, 12), way,
                   solver->guesses ? BIAS_NONE : (enum bias)(number % 3), centred, 0);
    const struct loss *smooth[] = {&loss_logistic, &loss_squared_hinge};
    bool hinge = solver->losses == HINGE || (solver->losses & HINGE && rng_below(rng, 2));
    s->o.loss = hinge ? &loss_hinge : smooth[rng_below(rng, 2)];
    int penalty = 1 << rng_below(rng, 3);
    while (!(solver->penalties & penalty)) penalty = 1 << rng_below(rng, 3);
    double strength = pow(10, -2 * rng_unit(rng) - 0.5);
    s->o.l1 = penalty == RIDGE ? 0 : 0.1 * strength;
    s->o.l2 = penalty == LASSO ? 0 : strength;
    return s;
}

struct account {
    bool converged;
    double gap;
};

static struct account ask(const struct tried_solver *solver, struct sample *s, double tol) {
    struct solver d = {.o = &s->o,
                       .tol = tol,
                       .seed = 3,
                       .stops = goes_on,
                       .decrement = NAN,
                       .u = numbers(s->o.width),
                       .alpha = numbers(s->o.n)};
    struct proof proof;
    assert_int_equal(solver->solve(&d), SEPAL_OK);
    assert_int_equal(certify(&proof, d.o, d.u, d.paired ? d.alpha : NULL), SEPAL_OK);
    free(d.u);
    free(d.alpha);
    return (struct account){d.converged, proof.gap};
}

static void test_accounts(void **state) {
    (void)state;
    static const double tols[TOLS] = {1e-2, 1e-4, 1e-6}, kind = 3;
    struct rng rng = rng_make(test_seed(31), 1);
    for (size_t k = 0; k < SOLVERS; k++) {
        const struct tried_solver *solver = &solvers[k];
        size_t gave_up = 0;
        for (size_t number = 0; number < PROBLEMS; number++) {
            struct sample *s = draw_sample(&rng, solver, number);
            for (size_t t = 0; t < TOLS; t++) {
                struct account account = ask(solver, s, tols[t]);
                gave_up += !account.converged;
                if (account.converged && !(account.gap <= kind * tols[t]))
                    fail_msg("%s, %s, bias %d, l1 %g, l2 %g: a gap of %g where %g was the aim",
                             solver->name, s->o.loss->name, s->o.bias, s->o.l1, s->o.l2,
                             account.gap, tols[t]);
            }
            sample_free(s);
        }
        if (gave_up > solver->gives_up)
            fail_msg("%s gave up on %zu of %d", solver->name, gave_up, ASKED);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_accounts),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
