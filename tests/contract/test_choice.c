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
                                 .curvature = pow(10, 40 * rng_unit(&rng) - 20),
                                 .tol = pow(10, -15 * rng_unit(&rng)),
                                 .sparse = rng_below(&rng, 2),
                                 .logistic = rng_below(&rng, 2)};
        s.entries = s.rows * (s.sparse ? ceil(s.width * rng_unit(&rng)) : s.width);
        if (rng_below(&rng, 2)) {
            s.directions = 1 + (s.width - 1) * rng_unit(&rng);
            s.off_centre = pow(10, 4 * rng_unit(&rng));
            s.few_rows = rng_below(&rng, 2);
        }
        struct convex_shape taller = s, tighter = s, longer = s;
        taller.rows *= 2;
        taller.entries *= 2;
        tighter.tol *= 0.1;
        longer.curvature *= 10;
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

/* Whatever the shape, the solver that goes on without a limit is the cheapest one where nothing else can take
   over, or one of second order. (Dual coordinate descent as the last went on for hours at a curvature of 1e31.) */
static void no_plan_ends_in_a_slow_solver(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(62), 1);
    const struct loss *losses[] = {&loss_logistic, &loss_squared_hinge};
    size_t three = 0;
    for (int k = 0; k < 2000; k++) {
        struct matrix x = {.rows = 1};
        struct objective o = {
            .ctx = ctx, .x = &x, .loss = losses[k % 2], .l2 = 1, .cols = 1, .n = 1};
        struct convex_shape s = {.rows = ceil(pow(10, 5 * rng_unit(&rng))),
                                 .width = ceil(pow(10, 5 * rng_unit(&rng))),
                                 .classes = 1,
                                 .curvature = pow(10, 40 * rng_unit(&rng) - 5),
                                 .tol = pow(10, -8 * rng_unit(&rng)),
                                 .logistic = k % 2 == 0,
                                 .few_rows = rng_below(&rng, 2)};
        s.entries = s.rows * s.width;
        s.directions = 1 + (s.width - 1) * rng_unit(&rng);
        s.off_centre = 1;
        struct convex_plan plan = convex_plan_by(&o, &s);
        const struct convex_solver *end = plan.last ? plan.last : plan.then;
        assert_true(end == &convex_solver_newton || end == &convex_solver_newton_cg);
        assert_true(plan.first != plan.then && plan.then != plan.last && plan.limit > 0);
        assert_true(!plan.last || plan.then_limit > 0);
        three += plan.last != NULL && plan.last != plan.first;
    }
    assert_true(three > 0);
}

/* ---- what the choice looks at ------------------------------------------------------------------ */

/* Fewer rows than columns, spread evenly in `rank` directions at `distance` from the origin. */
static struct convex_shape shape_of_rank(struct rng *rng, size_t rank, double distance,
                                         enum bias bias) {
    enum { ROWS = 90, COLS = 120 };
    double axis[COLS * COLS], row_weight[ROWS];
    int32_t label[ROWS];
    struct matrix x;
    struct arena arena = {0};
    assert_int_equal(matrix_init(&x, ctx, ROWS, COLS, false), SEPAL_OK);
    assert_int_equal(x.n_blocks, 1);
    x.blocks[0].values = VALUES_F64;
    assert_int_equal(block_alloc(ctx, &x.blocks[0], COLS, 0), SEPAL_OK);
    for (size_t k = 0; k < rank * COLS; k++) axis[k] = normal(rng);
    for (size_t i = 0; i < ROWS; i++) {
        double *row = x.blocks[0].f64 + i * COLS;
        for (size_t j = 0; j < COLS; j++) row[j] = distance;
        for (size_t k = 0; k < rank; k++) {
            double along = 10 * normal(rng);
            for (size_t j = 0; j < COLS; j++) row[j] += along * axis[k * COLS + j];
        }
        label[i] = (int32_t)(i % 2);
        row_weight[i] = 1.0 / ROWS;
    }
    struct objective o = {.ctx = ctx,
                          .x = &x,
                          .arena = &arena,
                          .loss = &loss_logistic,
                          .label = label,
                          .row_weight = row_weight,
                          .l2 = 1.0 / ROWS,
                          .bias = bias};
    struct convex_shape shape;
    assert_int_equal(objective_init(&o), SEPAL_OK);
    assert_int_equal(convex_shape(&shape, &o, 1, 0.01), SEPAL_OK);
    matrix_clear(&x);
    arena_clear(&arena);
    return shape;
}

static void directions_are_about_the_rank(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(65), 0);
    static const size_t ranks[] = {1, 3, 12};
    for (int run = 0; run < 20; run++)
        for (size_t k = 0; k < 3; k++) {
            double found = shape_of_rank(&rng, ranks[k], 0, BIAS_NONE).directions;
            if (!(found > (double)ranks[k] / 4 && found < (double)ranks[k] * 4))
                fail_msg("%g directions of rows of rank %zu", found, ranks[k]);
        }
}

/* Without a bias the mean of the rows is one more direction, along which all of them must be moved. */
static void distance_counts_without_a_bias(void **state) {
    (void)state;
    for (uint64_t run = 0; run < 20; run++) {
        struct convex_shape shape[2][2];
        for (int far = 0; far < 2; far++)
            for (int free = 0; free < 2; free++) {
                struct rng rng = rng_make(test_seed(66), run);
                shape[far][free] =
                    shape_of_rank(&rng, 12, far ? 1000 : 0, free ? BIAS_FREE : BIAS_NONE);
            }
        for (int free = 0; free < 2; free++)
            assert_true(fabs(shape[0][free].directions / shape[1][free].directions - 1) < 1e-3);
        assert_true(shape[1][0].off_centre > 100 * shape[0][0].off_centre);
        assert_true(shape[0][1].off_centre == 1 && shape[1][1].off_centre == 1);
    }
}

/* ---- the choice ---------------------------------------------------------------------------------- */

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
    assert_int_equal(sepal_model_fit(&model, &report, ctx, spec, data, "tol=0.01"), SEPAL_OK);
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

/* Three classes of rows with much in common: dual coordinate descent is foreseen to be quick, and is not. */
static sepal_data *crowded_data(struct rng *rng) {
    enum { ROWS = 300, COLS = 200, CLASSES = 3 };
    static const char *const names[] = {"a", "b", "c"};
    double x[ROWS * COLS], w[CLASSES][COLS];
    const char *labels[ROWS];
    sepal_data *data;
    for (size_t j = 0; j < COLS; j++)
        for (size_t k = 0; k < CLASSES; k++) w[k][j] = normal(rng);
    for (size_t i = 0; i < ROWS; i++) {
        double common = normal(rng), score[CLASSES];
        size_t best = 0;
        for (size_t j = 0; j < COLS; j++) x[i * COLS + j] = 0.1 * (normal(rng) + common);
        for (size_t k = 0; k < CLASSES; k++) {
            score[k] = 2 * normal(rng);
            for (size_t j = 0; j < COLS; j++) score[k] += w[k][j] * x[i * COLS + j];
            if (score[k] > score[best]) best = k;
        }
        labels[i] = names[i < CLASSES ? i : best];
    }
    assert_int_equal(sepal_data_dense(&data, ctx, x, ROWS, COLS, labels, NULL), SEPAL_OK);
    return data;
}

/* The objective; *solver gets a copy of its name. */
static double fit_crowded(const sepal_data *data, const char *options, char solver[128]) {
    sepal_model *model = NULL;
    sepal_report *report = NULL;
    assert_int_equal(sepal_model_fit(&model, &report, ctx, "svm(C=1)", data, options), SEPAL_OK);
    assert_true(sepal_report_number(report, "gap") <= 1e-3);
    assert_true(sepal_report_number(report, "converged") == 1);
    double objective = sepal_report_number(report, "objective");
    (void)snprintf(solver, 128, "%s", sepal_report_string(report, "solver"));
    sepal_report_free(report);
    sepal_model_free(model);
    return objective;
}

/* What dual coordinate descent leaves short of the gap goes on in lock-step, too. */
static void newton_goes_on_for_all_classes(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(63), 1);
    size_t handed_over = 0;
    for (int k = 0; k < 20; k++) {
        char first[128], other[128];
        sepal_data *data = crowded_data(&rng);
        double found = fit_crowded(data, "tol=1e-3", first);
        double right = fit_crowded(data, "tol=1e-3, solver=newton", other);
        assert_true(fabs(found - right) <= 2e-3 * right);
        handed_over += strstr(first, "dual, then newton") && strstr(first, "at once");
        sepal_data_free(data);
    }
    if (handed_over < 5) fail_msg("%zu of 20 problems were handed over", handed_over);
}

/* Strong penalties: what dual coordinate descent leaves is near enough for newton to take no step, and is
   proved by newton's own dual point, not by the one it was handed. */
static void newton_proves_what_it_was_handed(void **state) {
    (void)state;
    enum { PROBLEMS = 60, COLS = 64, USED = 6 };
    struct rng rng = rng_make(test_seed(64), 1);
    size_t handed_over = 0;
    for (size_t k = 0; k < PROBLEMS; k++) {
        struct problem p = problem_new(&rng, 33, COLS, 2);
        for (size_t i = 0; i < p.rows * COLS; i++)
            p.x[i] = i % COLS < USED ? round(2 * normal(&rng)) / 10 : 0;
        sepal_data *data = problem_data(&p, ctx, true);
        sepal_model *model = NULL;
        sepal_report *report = NULL;
        assert_int_equal(sepal_model_fit(&model, &report, ctx, "logistic(l2=10)", data, NULL),
                         SEPAL_OK);
        handed_over += strstr(sepal_report_string(report, "solver"), "dual, then newton") != NULL;
        if (sepal_report_number(report, "converged") != 1)
            fail_msg("problem %zu: a gap of %g", k, sepal_report_number(report, "gap"));
        sepal_report_free(report);
        sepal_model_free(model);
        data_free(data);
        problem_free(&p);
    }
    if (handed_over < 5) fail_msg("%zu problems were handed over", handed_over);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(costs_make_sense),
                                       cmocka_unit_test(no_plan_ends_in_a_slow_solver),
                                       cmocka_unit_test(directions_are_about_the_rank),
                                       cmocka_unit_test(distance_counts_without_a_bias),
                                       cmocka_unit_test(the_origin_does_not_count),
                                       cmocka_unit_test(newton_goes_on_for_all_classes),
                                       cmocka_unit_test(newton_proves_what_it_was_handed)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
