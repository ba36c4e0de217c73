/* --solver prox-newton: the optimality conditions by plain loops, on rows of every kind, with every
   bias and centre; bounds that are true; zeros that are exact; a penalty from which on all weights
   are 0; elastic nets that go over into an L2 penalty; wide sets that no matrix of second
   derivatives takes whole; the same bits from one thread and from two. */
#include "unit/objective_fixture.h"

#include "objective/certify.h"
#include "solvers/solver.h"

#include <stdio.h>

static bool goes_on(void *payload, size_t iteration, double objective, double gap) {
    double *last = payload;
    (void)iteration, (void)gap;
    assert_true(objective <= *last * (1 + 1e-12)); /* it never climbs */
    *last = objective;
    return false;
}

static bool never_stops(void *payload, size_t iteration, double objective, double gap) {
    (void)payload, (void)iteration, (void)objective, (void)gap;
    return false;
}

struct solved {
    double *u, *alpha;
    bool converged;
    struct proof proof;
};

static struct solved solve_from(struct sample *s, double tol, const double *start,
                                sepal_status (*solver)(struct solver *)) {
    double last = INFINITY;
    struct solved out = {.u = numbers(s->o.width), .alpha = numbers(s->o.n)};
    struct solver d = {.o = &s->o,
                       .tol = tol,
                       .stops = solver == solve_prox_newton ? goes_on : never_stops,
                       .payload = &last,
                       .u = out.u,
                       .alpha = out.alpha,
                       .warm = start != NULL};
    if (start) memcpy(out.u, start, s->o.width * sizeof *start);
    assert_int_equal(solver(&d), SEPAL_OK);
    out.converged = d.converged;
    assert_int_equal(certify(&out.proof, &s->o, out.u, d.paired ? out.alpha : NULL), SEPAL_OK);
    return out;
}

static struct solved solve(struct sample *s, double tol) {
    return solve_from(s, tol, NULL, solve_prox_newton);
}

static void solved_free(struct solved *solved) {
    free(solved->u);
    free(solved->alpha);
}

/* ---- optimality --------------------------------------------------------------------------- */

static double value(const struct sample *s, size_t i, size_t j) {
    return j == s->o.cols ? 1 : s->x[i * s->o.cols + j] - s->centre[j];
}

/* v by plain loops: sums of share a y (x - c, 1) with the dual variables at u. */
static void plain_sums(double *v, const struct sample *s, const double *u) {
    const struct objective *o = &s->o;
    memset(v, 0, o->width * sizeof *v);
    for (size_t i = 0; i < o->n; i++) {
        double score = 0, y = s->label[i] == 1 ? 1 : -1, alpha;
        for (size_t j = 0; j < o->width; j++) score += value(s, i, j) * u[j];
        double m = y * score;
        o->loss->at(&kernels_reference, 1, &m, NULL, &alpha, NULL);
        for (size_t j = 0; j < o->width; j++) v[j] += s->row_weight[i] * alpha * y * value(s, i, j);
    }
}

/* The largest breach of the conditions, in parts of l1. */
static double breach(const struct sample *s, const double *u) {
    const struct objective *o = &s->o;
    double *v = numbers(o->width), most = 0;
    plain_sums(v, s, u);
    for (size_t j = 0; j < o->width; j++) {
        double off = fabs(v[j]);
        if (j < o->penalised && u[j] == 0) off = fmax(0, fabs(v[j]) - o->l1);
        if (j < o->penalised && u[j] != 0) off = fabs(v[j] - o->l2 * u[j] - copysign(o->l1, u[j]));
        most = fmax(most, off);
    }
    free(v);
    return most / o->l1;
}

/* The least l1 for which w = 0 is optimal, the bias as it then is. */
static double all_zero_from(struct sample *s) {
    struct objective *o = &s->o;
    double *v = numbers(o->width), most = 0;
    o->l1 = 1e6;
    struct solved zero = solve(s, 1e-12);
    plain_sums(v, s, zero.u);
    for (size_t j = 0; j < o->cols; j++) most = fmax(most, fabs(v[j]));
    solved_free(&zero);
    free(v);
    return most;
}

static const enum bias biases[] = {BIAS_FREE, BIAS_NONE, BIAS_PENALISED};
static const struct loss *const smooth[] = {&loss_logistic, &loss_squared_hinge, &loss_squared};

static void check(struct sample *s, double l1, double l2) {
    s->o.l1 = l1;
    s->o.l2 = l2;
    struct solved solved = solve(s, 1e-10);
    double off = breach(s, solved.u);
    if (!solved.converged || !(solved.proof.gap <= 2e-10) || !(off <= 1e-3))
        fail_msg("%s, %zu x %zu, bias %d, l1 %g, l2 %g: converged %d, gap %g, breach %g",
                 s->o.loss->name, s->o.n, s->o.cols, (int)s->o.bias, l1, l2, solved.converged,
                 solved.proof.gap, off);
    assert_true(solved.proof.primal >= solved.proof.dual);
    solved_free(&solved);
}

static void test_optimality(void **state) {
    struct rng rng = rng_make(test_seed(61), 1);
    (void)state;
    for (int trial = 0; trial < 216; trial++) {
        size_t rows = 4 + rng_below(&rng, 300), cols = 1 + rng_below(&rng, 30);
        bool centred = rng_below(&rng, 2);
        struct sample *s = sample_new(&rng, rows, cols, (size_t)trial % WAYS_TO_KEEP,
                                      biases[trial / 6 % 3], centred, 0.5);
        s->o.loss = smooth[trial / 18 % 3];
        double most = all_zero_from(s);
        check(s, most * (0.02 + 0.9 * rng_unit(&rng)), rng_below(&rng, 2) ? 0 : 0.01);
        sample_free(s);
    }
}

/* More columns than a block has members, and more than rows. */
static void test_wide(void **state) {
    struct rng rng = rng_make(test_seed(62), 1);
    (void)state;
    for (size_t way = 0; way < WAYS_TO_KEEP; way++) {
        enum bias bias = biases[(way + way / 3) % 3];
        struct sample *s = sample_new(&rng, 90, 700, way, bias, bias == BIAS_NONE, 0);
        double most = all_zero_from(s);
        check(s, 0.05 * most, 0);
        check(s, 0.01 * most, 0.02 * most);
        s->o.loss = &loss_squared_hinge;
        check(s, 0.05 * most, 0);
        sample_free(s);
    }
}

/* ---- zeros -------------------------------------------------------------------------------- */

static size_t count_weights(const struct sample *s, const double *u) {
    size_t n = 0;
    for (size_t j = 0; j < s->o.cols; j++) n += u[j] != 0;
    return n;
}

static void test_all_zero(void **state) {
    struct rng rng = rng_make(test_seed(63), 1);
    (void)state;
    for (int trial = 0; trial < 54; trial++) {
        struct sample *s =
            sample_new(&rng, 50 + rng_below(&rng, 100), 1 + rng_below(&rng, 20),
                       (size_t)trial % WAYS_TO_KEEP, biases[trial % 2], trial % 4 == 0, 1);
        s->o.loss = smooth[trial / 6 % 3];
        double most = all_zero_from(s);
        const double factors[] = {10, 1 + 1e-12, 1 - 1e-6};
        for (int k = 0; k < 3; k++) {
            s->o.l1 = factors[k] * most;
            struct solved solved = solve(s, 1e-14);
            if ((count_weights(s, solved.u) == 0) != (k < 2))
                fail_msg("trial %d: %zu weights at %g l1_max", trial, count_weights(s, solved.u),
                         factors[k]);
            solved_free(&solved);
        }
        sample_free(s);
    }
}

/* Small weights are 0, and not nearly: the support is as small as the conditions want it. */
static void test_exact_zeros(void **state) {
    struct rng rng = rng_make(test_seed(64), 1);
    (void)state;
    for (size_t way = 0; way < WAYS_TO_KEEP; way++) {
        struct sample *s = sample_new(&rng, 400, 40, way, BIAS_FREE, false, 0);
        double *v = numbers(s->o.width);
        s->o.l1 = 0.3 * all_zero_from(s);
        struct solved solved = solve(s, 1e-12);
        plain_sums(v, s, solved.u);
        for (size_t j = 0; j < s->o.cols; j++)
            if (fabs(v[j]) < s->o.l1 * (1 - 1e-4)) assert_true(solved.u[j] == 0);
        assert_in_range(count_weights(s, solved.u), 1, 39);
        free(v);
        solved_free(&solved);
        sample_free(s);
    }
}

/* ---- beside other solvers ------------------------------------------------------------------- */

static void test_towards_l2(void **state) {
    struct rng rng = rng_make(test_seed(65), 1);
    (void)state;
    for (int trial = 0; trial < 36; trial++) {
        struct sample *s = sample_new(&rng, 200, 15, (size_t)trial % WAYS_TO_KEEP,
                                      biases[trial / 6 % 3], false, 0.5);
        s->o.loss = smooth[trial / 18];
        s->o.l2 = 0.05;
        struct solved other = solve_from(s, 1e-13, NULL, solve_newton);
        s->o.l1 = 1e-9;
        struct solved solved = solve(s, 1e-13);
        assert_true(fabs(solved.proof.primal - other.proof.primal) <= 1e-7);
        for (size_t j = 0; j < s->o.width; j++) assert_true(fabs(solved.u[j] - other.u[j]) <= 1e-5);
        solved_free(&solved);
        solved_free(&other);
        sample_free(s);
    }
}

/* From another point it comes to the same one. */
static void test_warm(void **state) {
    struct rng rng = rng_make(test_seed(66), 1);
    (void)state;
    for (int trial = 0; trial < 18; trial++) {
        struct sample *s =
            sample_new(&rng, 150, 30, (size_t)trial % WAYS_TO_KEEP, biases[trial / 6], true, 0);
        double *start = numbers(s->o.width);
        for (size_t j = 0; j < s->o.width; j++) start[j] = normal(&rng);
        s->o.l1 = 0.2 * all_zero_from(s);
        struct solved cold = solve(s, 1e-11), warm = solve_from(s, 1e-11, start, solve_prox_newton);
        assert_true(fabs(cold.proof.primal - warm.proof.primal) <= 1e-10 * cold.proof.primal);
        solved_free(&cold);
        solved_free(&warm);
        free(start);
        sample_free(s);
    }
}

/* ---- threads ------------------------------------------------------------------------------ */

static void test_threads(void **state) {
    struct rng rng = rng_make(test_seed(67), 1);
    (void)state;
    for (int trial = 0; trial < 12; trial++) {
        struct sample *s = sample_new(&rng, 2200, trial < 6 ? 30 : 540,
                                      (size_t)trial % WAYS_TO_KEEP, biases[trial % 3], false, 0);
        struct solved by[2];
        s->o.l1 = 0.1 * all_zero_from(s);
        for (unsigned t = 0; t < 2; t++) {
            ctx->threads = t + 1;
            by[t] = solve(s, 1e-6);
        }
        ctx->threads = 0;
        assert_memory_equal(by[0].u, by[1].u, s->o.width * sizeof *by[0].u);
        assert_memory_equal(by[0].alpha, by[1].alpha, s->o.n * sizeof *by[0].alpha);
        solved_free(&by[0]);
        solved_free(&by[1]);
        sample_free(s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_optimality, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_wide, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_all_zero, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_exact_zeros, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_towards_l2, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_warm, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_threads, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
