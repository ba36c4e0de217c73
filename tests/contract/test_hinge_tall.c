/* The hinge with many rows: what is solved by the rows near their kink is the answer of all rows, by the
   independent proof and beside the solver that takes all rows at once; threads change no bit. */
#include "contract/descent_fixture.h"

#include "objective/certify.h"
#include "solvers/hinge.h"

#include <stdio.h>

enum { ROWS = 16500, COLS = 4, BIASES = 3 };
static const double TOL = 1e-7;

enum kind { NOISE, OVERLAP, SEPARABLE, RARE, WHOLE, KINDS };
static const char *const names[KINDS] = {"noise", "overlap", "separable", "rare class",
                                         "whole numbers"};

static void set_label(struct sample *s, struct rng *rng, enum kind kind, size_t i) {
    static const double hidden[COLS] = {1, -0.5, 0.25, 0};
    double score = kind == RARE ? -4 : 0;
    for (size_t j = 0; j < COLS; j++) score += hidden[j] * (s->x[i * COLS + j] - 1);
    if (kind != SEPARABLE) score += normal(rng);
    if (kind != NOISE && i >= 2) s->label[i] = score > 0;
}

static struct sample *tall_sample(struct rng *rng, enum kind kind, size_t number) {
    enum bias bias = (enum bias)(number % BIASES);
    size_t way = number / BIASES % 2;
    struct sample *s = sample_new(rng, ROWS, COLS, way, bias, bias == BIAS_FREE, 1);
    for (size_t i = 0; i < ROWS; i++) {
        for (size_t j = 0; kind == WHOLE && j < COLS; j++)
            s->x[i * COLS + j] = round(s->x[i * COLS + j]);
        set_label(s, rng, kind, i);
        size_t local;
        struct block *block = &s->matrix.blocks[i / s->matrix.block_rows];
        local = i - block->first_row;
        block_store_row(block, local, s->x + i * COLS, COLS);
    }
    s->o.centre = bias == BIAS_FREE ? s->centre : NULL;
    assert_int_equal(objective_init(&s->o), SEPAL_OK);
    s->o.loss = &loss_hinge;
    s->o.l2 = 1 / (pow(10, (double)(number % 4) - 1) * ROWS);
    return s;
}

static sepal_status all_at_once(struct solver *d) {
    return interior_narrow(d, 0);
}

static double solve_to(struct sample *s, solve_fn solve, const char *what, size_t *iterations) {
    struct solver d = descent_of(s, TOL);
    struct proof proof;
    assert_int_equal(solve(&d), SEPAL_OK);
    assert_int_equal(certify(&proof, &s->o, d.u, d.alpha), SEPAL_OK);
    if (!d.converged || !(proof.gap <= TOL * 1.01))
        fail_msg("%s, l2 %g: converged %d, gap %g after %zu", what, s->o.l2, d.converged, proof.gap,
                 d.iterations);
    *iterations = d.iterations;
    descent_free(&d);
    return proof.primal;
}

static void test_answers(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(621), 1);
    for (size_t number = 0; number < 2 * KINDS; number++) {
        enum kind kind = (enum kind)(number % KINDS);
        struct sample *s = tall_sample(&rng, kind, number);
        assert_true(interior_is_tall(&s->o));
        size_t few, many;
        double some = solve_to(s, solve_interior, names[kind], &few);
        double all = solve_to(s, all_at_once, names[kind], &many);
        assert_true(kind != OVERLAP ||
                    few < 70); /* the sample and one or two bands, not all rows */
        if (!(fabs(some - all) <= TOL * 1.01 * all))
            fail_msg("%s: %.17g by rows near the kink, %.17g by all", names[kind], some, all);
        sample_free(s);
    }
}

static void test_threads(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(622), 1);
    for (size_t number = 0; number < BIASES; number++) {
        struct sample *s = tall_sample(&rng, OVERLAP, number);
        check_threads(s, solve_interior, TOL);
        sample_free(s);
    }
}

struct asking {
    size_t asked, most;
};

static bool stops_after(void *payload, size_t iteration, double objective, double gap) {
    struct asking *asking = payload;
    (void)iteration, (void)objective, (void)gap;
    return ++asking->asked > asking->most;
}

/* Asked to end at any time, in the sample too, it ends and leaves numbers; it is not asked again much. */
static void test_stops(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(623), 1);
    struct sample *s = tall_sample(&rng, OVERLAP, 0);
    check_stop(s, solve_interior);
    for (size_t most = 1; most < 30; most += 7) {
        struct asking asking = {.most = most};
        struct solver d = descent_of(s, 1e-12);
        d.stops = stops_after;
        d.payload = &asking;
        assert_int_equal(solve_interior(&d), SEPAL_OK);
        if (d.stopped != (asking.asked > most) || asking.asked > most + 2)
            fail_msg("told to stop when asked for the %zuth time: asked %zu times, stopped %d",
                     most, asking.asked, d.stopped);
        for (size_t j = 0; j < s->o.width; j++) assert_true(isfinite(d.u[j]));
        descent_free(&d);
    }
    sample_free(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_answers, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_threads, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_stops, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
