/* Weights within bounds, by the solver itself: the conditions of Karush, Kuhn and Tucker by plain loops on
   rows of every kind, with every bias and penalty or none; bounds that hold nothing change nothing; a
   weight that is fixed at 0 is a column that is not there, one fixed at c an offset; starts out of
   bounds; columns that say the same; wide sets; the same bits from one thread and from two. */
#include "contract/descent_fixture.h"

#include "objective/certify.h"
#include "solvers/column_subset.h"

#include <float.h>

enum { WIDEST = 700 };

struct bounded {
    struct sample *s;
    double *low, *high;
    struct box box;
};

static void set_all(struct bounded *b, double low, double high) {
    for (size_t j = 0; j < b->s->o.cols; j++) b->low[j] = low, b->high[j] = high;
}

static struct bounded bounded_new(struct sample *s) {
    struct bounded b = {s, numbers(s->o.cols), numbers(s->o.cols), {0}};
    set_all(&b, -INFINITY, INFINITY);
    b.box = (struct box){b.low, b.high};
    return b;
}

static void bounded_free(struct bounded *b) {
    free(b->low);
    free(b->high);
    sample_free(b->s);
}

/* Of every sort. */
static void random_bounds(struct bounded *b, struct rng *rng, bool both) {
    for (size_t j = 0; j < b->s->o.cols; j++) {
        double at = 0.3 * normal(rng), width = 0.3 * fabs(normal(rng));
        switch (rng_below(rng, 6)) {
        case 0: b->low[j] = 0, b->high[j] = both ? width : INFINITY; break;
        case 1: b->low[j] = both ? -1 : -INFINITY, b->high[j] = 0; break;
        case 2: b->low[j] = b->high[j] = at; break;
        case 3: b->low[j] = at, b->high[j] = at + width; break;
        case 4: b->low[j] = at, b->high[j] = both ? at + 2 : INFINITY; break;
        default: b->low[j] = both ? -2 : -INFINITY, b->high[j] = both ? 2 : INFINITY;
        }
    }
}

struct outcome {
    struct solver d;
    struct proof proof;
};

static struct outcome bounded_solve(struct bounded *b, double tol, const double *start) {
    b->s->o.box = &b->box;
    struct outcome out = {.d = descent_of(b->s, tol)};
    if (start) memcpy(out.d.u, start, b->s->o.width * sizeof *start);
    out.d.warm = start != NULL;
    assert_int_equal(solve_in_units(&out.d, solve_prox_newton, SOLVER_FAR), SEPAL_OK);
    assert_int_equal(certify(&out.proof, &b->s->o, out.d.u, out.d.paired ? out.d.alpha : NULL),
                     SEPAL_OK);
    return out;
}

/* The largest breach of the conditions: the slope is 0 between the bounds, not below 0 at the low one, not
   above 0 at the high one. */
static double kkt_breach(const struct bounded *b, const double *u) {
    const struct objective *o = &b->s->o;
    double most = 0;
    for (size_t j = 0; j < o->width; j++) {
        long double v = 0;
        for (size_t i = 0; i < o->n; i++) {
            double y = b->s->label[i] == 1 ? 1 : -1, m = (double)(y * plain_score(b->s, i, u)), a;
            o->loss->at(&kernels_reference, 1, &m, NULL, &a, NULL);
            v += b->s->row_weight[i] * a * y * plain_x(b->s, i, j);
        }
        bool weight = j < o->cols, penalised = j < o->penalised;
        double slope = (double)-v + (penalised ? o->l2 * u[j] : 0), l1 = penalised ? o->l1 : 0;
        double up = slope + (u[j] < 0 ? -l1 : l1), down = slope + (u[j] > 0 ? l1 : -l1);
        if (!weight || u[j] < b->high[j]) most = fmax(most, -up);
        if (!weight || u[j] > b->low[j]) most = fmax(most, down);
        if (weight) assert_true(u[j] >= b->low[j] && u[j] <= b->high[j]);
    }
    return most;
}

static const enum bias biases[] = {BIAS_FREE, BIAS_NONE, BIAS_PENALISED};
static const struct loss *const smooth[] = {&loss_logistic, &loss_squared_hinge, &loss_squared};

static void draw_penalty(struct objective *o, size_t kind, struct rng *rng) {
    double strength = pow(10, 3 * rng_unit(rng) - 3.5);
    o->l1 = kind == 1 || kind == 2 ? 0.2 * strength : 0;
    o->l2 = kind == 0 || kind == 2 ? strength : 0;
}

static void test_conditions(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(131), 1);
    size_t held = 0, weights = 0;
    for (size_t number = 0; number < 432; number++) {
        struct bounded b = bounded_new(sample_new(&rng, 40 + rng_below(&rng, 200),
                                                  1 + rng_below(&rng, 9), number % WAYS_TO_KEEP,
                                                  biases[number / 6 % 3], rng_below(&rng, 2), 0.2));
        struct objective *o = &b.s->o;
        size_t penalty = number / 54 % 4;
        bool both = rng_below(&rng, 2);
        o->loss = smooth[number / 18 % 3];
        draw_penalty(o, penalty, &rng);
        random_bounds(&b, &rng, both);
        struct outcome out = bounded_solve(&b, 1e-11, NULL);
        double off = kkt_breach(&b, out.d.u);
        bool provable = penalty < 3 || (both && o->bias != BIAS_PENALISED);
        bool proved = !provable || out.proof.gap <= 1e-10;
        if (!out.d.converged || !(off <= 1e-4) || !proved)
            fail_msg("%zu: %s, %zu x %zu, bias %d, l1 %g, l2 %g, both %d: converged %d, breach %g, "
                     "gap %g",
                     number, o->loss->name, o->n, o->cols, (int)o->bias, o->l1, o->l2, (int)both,
                     (int)out.d.converged, off, out.proof.gap);
        held += box_active(&b.box, out.d.u, o->cols);
        weights += o->cols;
        descent_free(&out.d);
        bounded_free(&b);
    }
    assert_true(3 * held > weights && held < weights); /* both sorts were met */
}

/* Bounds far away. */
static void test_idle_bounds(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(132), 1);
    for (size_t number = 0; number < 60; number++) {
        struct bounded b = bounded_new(sample_new(&rng, 150, 6, number % WAYS_TO_KEEP,
                                                  biases[number / 6 % 3], rng_below(&rng, 2), 0));
        b.s->o.l1 = number % 2 ? 0.003 : 0;
        b.s->o.l2 = 0.01;
        struct solver free = descent_of(b.s, 1e-12);
        assert_int_equal(b.s->o.l1 > 0 ? solve_prox_newton(&free) : solve_newton(&free), SEPAL_OK);
        set_all(&b, -50, 50);
        struct outcome out = bounded_solve(&b, 1e-12, NULL);
        for (size_t j = 0; j < b.s->o.width; j++)
            assert_true(fabs(out.d.u[j] - free.u[j]) <= 1e-5 * (1 + fabs(free.u[j])));
        descent_free(&free);
        descent_free(&out.d);
        bounded_free(&b);
    }
}

/* The same rows without one column. */
static struct some_columns without(const struct sample *s, size_t gone, struct arena *arena) {
    struct some_columns some;
    size_t *column = arena_alloc(ctx, arena, s->o.cols, sizeof *column), n = 0;
    for (size_t j = 0; j < s->o.cols; j++)
        if (j != gone) column[n++] = j;
    assert_int_equal(some_columns_init(&some, &s->o, n, column, NULL, arena), SEPAL_OK);
    return some;
}

static void test_fixed_at_0(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(133), 1);
    for (size_t number = 0; number < 36; number++) {
        struct arena arena = {0};
        struct bounded b = bounded_new(
            sample_new(&rng, 120, 5, number % 2, biases[number % 3], rng_below(&rng, 2), 0));
        size_t gone = rng_below(&rng, 5);
        b.s->o.l2 = 0.02;
        b.s->o.l1 = number % 4 < 2 ? 0.002 : 0;
        struct some_columns some = without(b.s, gone, &arena);
        struct solver less = {.o = &some.o,
                              .tol = 1e-12,
                              .stops = never,
                              .u = numbers(some.o.width),
                              .alpha = numbers(some.o.n)};
        assert_int_equal(some.o.l1 > 0 ? solve_prox_newton(&less) : solve_newton(&less), SEPAL_OK);
        b.low[gone] = b.high[gone] = 0;
        struct outcome out = bounded_solve(&b, 1e-12, NULL);
        for (size_t j = 0, k = 0; j < b.s->o.width; j++) {
            double want = j == gone ? 0 : less.u[k++];
            assert_true(fabs(out.d.u[j] - want) <= 1e-5 * (1 + fabs(want)));
        }
        assert_true(out.d.u[gone] == 0);
        descent_free(&less);
        descent_free(&out.d);
        bounded_free(&b);
        arena_clear(&arena);
    }
}

/* A weight fixed at c is an offset c x of every score: at the optimum the other slopes are 0 with it, which
   kkt_breach looks at, and the objective is that of fixing it anywhere near to first order only in c. */
static void test_fixed_at_c(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(134), 1);
    for (size_t number = 0; number < 30; number++) {
        struct bounded b = bounded_new(
            sample_new(&rng, 120, 4, number % WAYS_TO_KEEP, biases[number % 3], true, 0));
        double values[3], c = normal(&rng), step = 1e-3;
        b.s->o.l2 = 0.05;
        for (int k = 0; k < 3; k++) {
            b.low[2] = b.high[2] = c + (k - 1) * step;
            struct outcome out = bounded_solve(&b, 1e-13, NULL);
            assert_true(out.d.converged && out.d.u[2] == b.low[2]);
            assert_true(kkt_breach(&b, out.d.u) <= 1e-5);
            values[k] = out.proof.primal;
            descent_free(&out.d);
        }
        /* the least over the others is convex in c */
        assert_true(values[1] <= 0.5 * (values[0] + values[2]) + 1e-12);
        bounded_free(&b);
    }
}

/* From anywhere, and from out of the bounds, to the same point. */
static void test_starts(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(135), 1);
    for (size_t number = 0; number < 40; number++) {
        struct bounded b = bounded_new(sample_new(&rng, 100, 5, number % WAYS_TO_KEEP,
                                                  biases[number % 3], rng_below(&rng, 2), 0));
        b.s->o.l2 = 0.01;
        random_bounds(&b, &rng, false);
        struct outcome cold = bounded_solve(&b, 1e-12, NULL);
        double start[6];
        for (size_t j = 0; j < 6; j++) start[j] = 5 * normal(&rng);
        struct outcome warm = bounded_solve(&b, 1e-12, start);
        for (size_t j = 0; j < b.s->o.width; j++)
            assert_true(fabs(cold.d.u[j] - warm.d.u[j]) <= 1e-4 * (1 + fabs(cold.d.u[j])));
        descent_free(&cold.d);
        descent_free(&warm.d);
        bounded_free(&b);
    }
}

/* Columns that say the same, nearly the same, or nothing, without a penalty. */
static void test_repeated(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(136), 1);
    for (size_t number = 0; number < 24; number++) {
        struct bounded b = bounded_new(sample_new(&rng, 120, 8, 1, biases[number % 2], false, 0));
        struct matrix *x = &b.s->matrix;
        for (size_t i = 0; i < 120; i++) {
            double *row = x->blocks[0].f64 + i * 8;
            row[4] = row[0];
            row[5] = row[1] + 1e-5 * row[2];
            row[6] = row[2] + row[3];
            row[7] = 3;
            memcpy(b.s->x + i * 8, row, 8 * sizeof *row);
        }
        memset(b.s->centre, 0, 8 * sizeof *b.s->centre);
        b.s->o.centre = NULL;
        assert_int_equal(objective_init(&b.s->o), SEPAL_OK);
        b.s->o.loss = smooth[number / 2 % 3];
        set_all(&b, 0, number % 4 < 2 ? INFINITY : 0.2);
        if (number % 3 == 0) b.low[1] = b.low[3] = -INFINITY;
        struct outcome out = bounded_solve(&b, 1e-9, NULL);
        double off = kkt_breach(&b, out.d.u);
        if (!out.d.converged || !(off <= 1e-4))
            fail_msg("%zu: converged %d, breach %g", number, (int)out.d.converged, off);
        descent_free(&out.d);
        bounded_free(&b);
    }
}

/* Columns far from 0 without a bias to centre them: coordinate descent gives up, and the weights between
   their bounds solve equations. */
static void test_far_means(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(140), 1);
    for (size_t number = 0; number < 40; number++) {
        struct bounded b = bounded_new(
            sample_new(&rng, 150, 9, 1, number % 2 ? BIAS_NONE : BIAS_PENALISED, false, 30));
        b.s->o.l1 = number % 3 ? 0 : 1e-4;
        b.s->o.l2 = 1e-4;
        random_bounds(&b, &rng, number % 4 < 2);
        struct outcome out = bounded_solve(&b, 1e-9, NULL);
        double off = kkt_breach(&b, out.d.u);
        if (!out.d.converged || !(out.proof.gap <= 1e-8) || !(off <= 1e-2))
            fail_msg("%zu: converged %d, gap %g, breach %g", number, (int)out.d.converged,
                     out.proof.gap, off);
        descent_free(&out.d);
        bounded_free(&b);
    }
}

static void test_wide_bounds(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(137), 1);
    for (size_t number = 0; number < 8; number++) {
        struct bounded b = bounded_new(
            sample_new(&rng, 60, WIDEST, number % WAYS_TO_KEEP, biases[number % 3], number % 2, 0));
        draw_penalty(&b.s->o, number % 3, &rng);
        random_bounds(&b, &rng, false);
        struct outcome out = bounded_solve(&b, 1e-8, NULL);
        double off = kkt_breach(&b, out.d.u);
        if (!out.d.converged || !(out.proof.gap <= 1e-7) || !(off <= 1e-2))
            fail_msg("%zu: l1 %g, l2 %g, converged %d, gap %g, breach %g", number, b.s->o.l1,
                     b.s->o.l2, (int)out.d.converged, out.proof.gap, off);
        descent_free(&out.d);
        bounded_free(&b);
    }
}

static void test_same_bits(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(138), 1);
    for (size_t number = 0; number < 6; number++) {
        struct bounded b = bounded_new(
            sample_new(&rng, 3000, 60, number, biases[number % 3], rng_below(&rng, 2), 0));
        b.s->o.l1 = number % 4 == 1 ? 1e-4 : 0;
        b.s->o.l2 = number % 4 < 3 ? 1e-4 : 0;
        random_bounds(&b, &rng, true);
        b.s->o.box = &b.box;
        check_threads(b.s, solve_prox_newton, 1e-8);
        check_stop(b.s, solve_prox_newton);
        bounded_free(&b);
    }
}

/* All other solvers say that they cannot. */
static void test_refusals(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(139), 1);
    struct bounded b = bounded_new(sample_new(&rng, 10, 2, 1, BIAS_FREE, false, 0));
    b.s->o.l2 = 1;
    b.s->o.box = &b.box;
    for (size_t k = 0; convex_solver_table[k]; k++) {
        const char *why = solver_refuses(convex_solver_table[k], &b.s->o);
        assert_true((why == NULL) == (convex_solver_table[k]->solve == solve_prox_newton));
    }
    bounded_free(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_conditions, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_idle_bounds, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_fixed_at_0, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_fixed_at_c, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_starts, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_repeated, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_far_means, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_wide_bounds, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_same_bits, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_refusals, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
