/* Limits and stops at places where a solver hands over, begins with some of the rows, or is in the middle
   of a matrix: what is reported then is true, and a limit that is not reached changes nothing. */
#include "contract/convex_problem.h"

#include "model/model.h"
#include "solvers/solver.h"

static sepal_data *make_data(struct rng *rng, size_t rows, size_t cols, size_t of_ten,
                             double noise) {
    double *x = calloc(rows * cols, sizeof *x);
    const char **labels = malloc(rows * sizeof *labels);
    sepal_data *data;
    assert_true(x && labels);
    for (size_t i = 0; i < rows; i++) {
        double score = noise * normal(rng);
        for (size_t j = 0; j < cols; j++) {
            if (rng_below(rng, 10) >= of_ten) continue;
            x[i * cols + j] = normal(rng);
            score += x[i * cols + j] * (j % 2 ? 1 : -1) / (of_ten < 10 ? 1 : 4);
        }
        labels[i] = i < 2 ? (i ? "a" : "b") : score > 0 ? "a" : "b";
    }
    assert_int_equal(sepal_data_dense(&data, ctx, x, rows, cols, labels, NULL), SEPAL_OK);
    free(x);
    free(labels);
    return data;
}

/* ---- --max-iter ----------------------------------------------------------------------------- */

struct counted {
    double iterations, objective;
    bool converged, handed_over;
};

static struct counted fit_counted(const sepal_data *data, const char *spec, const char *options) {
    sepal_model *model = NULL;
    sepal_report *report = NULL;
    assert_int_equal(sepal_model_fit(&model, &report, ctx, spec, data, options), SEPAL_OK);
    const struct tree *solver = tree_find(report->root, "solver");
    struct counted out = {
        .iterations = sepal_report_number(report, "iterations"),
        .objective = sepal_report_number(report, "objective"),
        .converged = sepal_report_number(report, "converged") == 1,
        .handed_over = solver && memmem(solver->text.bytes, solver->text.length, ", then ", 7)};
    sepal_report_free(report);
    sepal_model_free(model);
    return out;
}

/* --max-iter is for all solvers and all rounds with a stricter aim together: a limit that is not
   reached changes nothing, and no fit has more. */
static void limits_count_all_solvers(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(41), 1);
    static const struct {
        const char *spec;
        size_t rows, cols, of_ten;
        const char *tol;
    } kinds[] = {{"svm(loss=hinge, C=0.1)", 200, 20, 5, "tol=1e-6"},
                 {"svm(loss=hinge, C=0.01)", 200, 40, 9, "tol=1e-6"},
                 {"svm(loss=hinge, C=0.01)", 400, 20, 9, "tol=1e-9"}};
    size_t handed_over = 0;
    for (size_t k = 0; k < 120; k++) {
        const char *spec = kinds[k % 3].spec, *tol = kinds[k % 3].tol;
        sepal_data *data =
            make_data(&rng, kinds[k % 3].rows, kinds[k % 3].cols, kinds[k % 3].of_ten, 2);
        struct counted all = fit_counted(data, spec, tol), same, less;
        char options[64];
        /* more than that is near the limits that solvers have of their own */
        if (all.handed_over && all.iterations > 1 && all.iterations < 150) {
            handed_over++;
            snprintf(options, sizeof options, "%s, max-iter=%.0f", tol, all.iterations + 1);
            same = fit_counted(data, spec, options);
            if (same.iterations != all.iterations || same.converged != all.converged ||
                same.objective != all.objective)
                fail_msg("%s, problem %zu: %g iterations, converged %d; with one more as the limit "
                         "%g, %d",
                         spec, k, all.iterations, all.converged, same.iterations, same.converged);
            snprintf(options, sizeof options, "%s, max-iter=%.0f", tol, all.iterations - 1);
            less = fit_counted(data, spec, options);
            assert_true(less.iterations <= all.iterations - 1);
        }
        data_free(data);
    }
    if (handed_over < 40) fail_msg("%zu problems were handed over", handed_over);
}

/* ---- some of the rows ----------------------------------------------------------------------- */

struct looks {
    size_t calls, stop_at, before_first_step;
};

static bool look(void *payload, size_t iteration, double objective, double gap) {
    struct looks *looks = payload;
    (void)objective, (void)gap;
    looks->before_first_step += iteration == 0;
    looks->calls++;
    return looks->stop_at && looks->calls >= looks->stop_at;
}

/* newton begins with a sample of many rows. Its steps there are looks at the clock, too, and the first
   that says stop is the last but one, which is that of all rows. */
static void stops_while_sampling(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(41), 2);
    sepal_data *data = make_data(&rng, 40000, 3, 10, 0.01);
    double *row_weight = malloc(data->matrix.rows * sizeof *row_weight), *u = malloc(4 * sizeof *u);
    double *a = calloc(data->matrix.rows, sizeof *a);
    assert_true(row_weight && u && a);
    for (size_t i = 0; i < data->matrix.rows; i++) row_weight[i] = 1 / (double)data->matrix.rows;
    struct arena arena = {0};
    struct objective o = {.ctx = ctx,
                          .arena = &arena,
                          .x = &data->matrix,
                          .loss = &loss_logistic,
                          .label = data->label,
                          .row_weight = row_weight,
                          .l2 = 1e-6,
                          .bias = BIAS_FREE};
    assert_int_equal(objective_init(&o), SEPAL_OK);
    size_t most = SIZE_MAX;
    for (size_t k = 0; k < most; k++) {
        struct looks looks = {.stop_at = k};
        struct solver d = {.o = &o,
                           .tol = 1e-9,
                           .decrement = NAN,
                           .stops = look,
                           .payload = &looks,
                           .u = u,
                           .alpha = a};
        memset(u, 0, 4 * sizeof *u);
        assert_int_equal(solve_newton(&d), SEPAL_OK);
        if (k == 0) {
            most = looks.before_first_step;
            assert_true(d.converged && !d.stopped);
            assert_true(most >= 4); /* two samples of two steps at least */
            continue;
        }
        assert_true(d.stopped && !d.converged && d.iterations == 0);
        assert_true(looks.calls <= k + 1);
    }
    arena_clear(&arena);
    data_free(data);
    free(row_weight);
    free(u);
    free(a);
}

/* ---- in the middle of a matrix -------------------------------------------------------------- */

static struct { size_t calls, stop_at; } wish;

static int asks(const char *line, void *payload) {
    (void)line;
    ((sepal_ctx *)payload)->last_progress_ns = 0;
    return ++wish.calls >= wish.stop_at && wish.stop_at;
}

/* Without a penalty half the square of the Newton decrement is about what P is above its least. Stopped
   while the Hessian is added up there is no factor to tell it by, and it is not told. */
static void no_decrement_of_half_a_hessian(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(41), 3);
    sepal_data *data = make_data(&rng, 2000, 140, 10, 2);
    double least = NAN;
    size_t told = 0, untold = 0;
    sepal_ctx_set_progress(ctx, asks, ctx);
    for (size_t k = 0;; k++) {
        sepal_model *model = NULL;
        sepal_report *report = NULL;
        wish.calls = 0;
        wish.stop_at = k;
        sepal_status status = sepal_model_fit(&model, &report, ctx, "logistic(penalty=none)", data,
                                              "solver=newton, tol=1e-12");
        if (k > 0 && wish.calls < k) {
            sepal_report_free(report);
            sepal_model_free(model);
            break;
        }
        if (status == SEPAL_OK) {
            double decrement = sepal_report_number(report, "certificate.decrement");
            double objective = sepal_report_number(report, "objective");
            double iterations = sepal_report_number(report, "iterations");
            if (k == 0) least = objective;
            double above = objective - least, promise = decrement * decrement / 2;
            if (k > 0 && isnan(decrement)) untold += iterations > 0;
            if (k > 0 && !isnan(decrement) && above > 1e-9) {
                told++;
                if (!(promise > 0.2 * above && promise < 5 * above))
                    fail_msg(
                        "stopped at look %zu, after %g steps: %g above the least, decrement %g", k,
                        iterations, above, decrement);
            }
        }
        sepal_report_free(report);
        sepal_model_free(model);
    }
    sepal_ctx_set_progress(ctx, NULL, NULL);
    assert_true(told > 0 && untold > 0);
    data_free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(limits_count_all_solvers),
        cmocka_unit_test(stops_while_sampling),
        cmocka_unit_test(no_decrement_of_half_a_hessian),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
