/* Which solver is chosen: foreseen costs that make sense for any shape, and a choice that does not depend
   on where the origin lies. */
#include "contract/convex_problem.h"

#include "learners/convex.h"

typedef struct convex_cost (*cost_fn)(const struct convex_shape *s);
static const cost_fn costs[] = {cost_of_newton,     cost_of_newton_cg, cost_of_lbfgs,
                                cost_of_dual,       cost_of_interior,  cost_of_augmented,
                                cost_of_ovr_newton, cost_of_ovr_dual};
enum { COSTS = sizeof costs / sizeof *costs };

static double whole(cost_fn of, const struct convex_shape *shape) {
    struct convex_cost cost = of(shape);
    return cost.step * cost.steps;
}

/* Above 0 for any shape; more rows, or a smaller gap, never cost less, and rows that move themselves
   further never make an epoch-wise solver cheaper. */
static void costs_make_sense(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(61), 1);
    for (int k = 0; k < 2000; k++) {
        struct convex_shape s = {.rows = ceil(pow(10, 7 * rng_unit(&rng))),
                                 .width = ceil(pow(10, 5 * rng_unit(&rng))),
                                 .classes = 1 + (double)rng_below(&rng, 100),
                                 .reach = pow(10, 40 * rng_unit(&rng) - 20),
                                 .tol = pow(10, -15 * rng_unit(&rng)),
                                 .sparse = rng_below(&rng, 2),
                                 .logistic = rng_below(&rng, 2)};
        s.entries = s.rows * (s.sparse ? ceil(s.width * rng_unit(&rng)) : s.width);
        struct convex_shape taller = s, tighter = s, longer = s;
        taller.rows *= 2;
        taller.entries *= 2;
        tighter.tol *= 0.1;
        longer.reach *= 10;
        for (size_t c = 0; c < COSTS; c++) {
            double cost = whole(costs[c], &s);
            assert_true(cost > 0 && isfinite(cost));
            assert_true(whole(costs[c], &taller) >= cost);
            assert_true(whole(costs[c], &tighter) >= cost);
        }
        assert_true(whole(cost_of_dual, &longer) >= whole(cost_of_dual, &s));
        assert_true(whole(cost_of_ovr_dual, &longer) >= whole(cost_of_ovr_dual, &s));
    }
}

/* The solver that a fit begins with. Numbers are multiples of 1/64, so that a shift rounds nothing. */
static void choose(char *out, size_t room, size_t rows, size_t cols, size_t classes, double shift,
                   const char *spec, uint64_t number) {
    static const char *const names[] = {"a", "b", "c", "d"};
    struct rng rng = rng_make(test_seed(62), number);
    double *x = malloc(rows * cols * sizeof *x);
    const char **labels = malloc(rows * sizeof *labels);
    sepal_data *data;
    sepal_model *model = NULL;
    sepal_report *report = NULL;
    assert_true(x && labels);
    for (size_t i = 0; i < rows; i++) {
        labels[i] = names[i % classes];
        for (size_t j = 0; j < cols; j++)
            x[i * cols + j] = shift + round(64 * normal(&rng)) / 64 + (double)(i % classes) / 4;
    }
    assert_int_equal(sepal_data_dense(&data, ctx, x, rows, cols, labels, NULL), SEPAL_OK);
    assert_int_equal(sepal_fit(&model, &report, ctx, spec, data, "tol=0.01"), SEPAL_OK);
    const struct tree *solver = tree_find(report->root, "solver");
    assert_true(solver && solver->text.length < room);
    memcpy(out, solver->text.bytes, solver->text.length);
    out[solver->text.length] = 0;
    sepal_report_free(report);
    sepal_model_free(model);
    sepal_data_free(data);
    free(x);
    free(labels);
}

static void the_origin_does_not_count(void **state) {
    (void)state;
    static const char *const specs[] = {"logistic", "svm", "svm(loss=hinge)",
                                        "svm(loss=hinge, C=0.0001)"};
    /* the last is too large to be kept less its means */
    static const size_t shapes[][2] = {{30, 3}, {200, 100}, {60, 300}, {40, 1500}, {500, 300}};
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++)
        for (size_t s = 0; s < 4; s++)
            for (size_t classes = 2; classes <= 4; classes += 2) {
                char here[160], there[160];
                choose(here, sizeof here, shapes[k][0], shapes[k][1], classes, 0, specs[s], k);
                choose(there, sizeof there, shapes[k][0], shapes[k][1], classes, 4096, specs[s], k);
                assert_string_equal(here, there);
            }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(costs_make_sense),
                                       cmocka_unit_test(the_origin_does_not_count)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
