/* What every solver of an objective must keep: they agree to the gap, the gap that is printed is
   never below the true excess, weights that follow from some rows alone do, and no failed allocation
   harms. All names of --solver take part; what one refuses, it refuses with the names of others. */
#include "contract/convex_problem.h"

static const char *const specs[] = {
    "logistic(C=1)",
    "logistic(C=0.1, bias=false)",
    "logistic(C=10, bias=penalised)",
    "logistic(C=1, ratio=0.5)",
    "logistic(penalty=l1, C=0.5)",
    "logistic(penalty=l1, C=2, bias=penalised)",
    "svm(C=1)",
    "svm(C=0.1, bias=false)",
    "svm(C=1, ratio=0.3)",
    "svm(penalty=l1, C=0.2)",
    "svm(loss=hinge, C=1)",
    "svm(loss=hinge, C=0.1, bias=false)",
    "svm(loss=hinge, C=3, bias=penalised)",
    "svm(loss=hinge, C=0.3, ratio=0.5)",
    "svm(loss=hinge, penalty=l1, C=0.3)",
};
enum { SPECS = sizeof specs / sizeof *specs };

static struct problem small_problem(struct rng *rng, bool sparse) {
    size_t cols = 1 + rng_below(rng, rng_below(rng, 3) ? 12 : 60);
    struct problem p = problem_new(rng, 6 + rng_below(rng, 60), cols, 2);
    for (size_t i = 0; sparse && i < p.rows * cols; i++)
        if (rng_below(rng, 3)) p.x[i] = 0;
    if (rng_below(rng, 2)) problem_weigh(&p, rng);
    return p;
}

/* The fit by one solver; false: it refuses, and says what else there is. */
static bool fit_by(struct answer *out, const sepal_data *data, const char *spec, const char *solver,
                   const char *tol) {
    char options[128];
    snprintf(options, sizeof options, "solver=%s, tol=%s", solver, tol);
    *out = fit_data_by(data, spec, options);
    if (out->status == SEPAL_OK) return true;
    if (out->status != SEPAL_EUSAGE || (!strstr(ctx->error.message, "cannot do this") &&
                                        !strstr(ctx->error.message, "has no solver")))
        fail_msg("%s by %s: %s", spec, solver, ctx->error.message);
    assert_true(strstr(ctx->error.message, "take one of: ") ||
                strstr(ctx->error.message, "; choose "));
    return false;
}

/* The least P known: by the solver that the data's shape suggests, to the last digits. */
static double least_of(const sepal_data *data, const char *spec) {
    struct answer best = fit_data_by(data, spec, "tol=1e-12");
    assert_int_equal(best.status, SEPAL_OK);
    answer_free(&best);
    return best.objective;
}

/* ---- agreement ---------------------------------------------------------------------------------- */

static void check_solver(const sepal_data *data, const char *spec, const char *solver,
                         const char *tol, double least) {
    struct answer a;
    if (!fit_by(&a, data, spec, solver, tol)) return;
    if (!a.converged && !solver_walks(solver))
        fail_msg("%s by %s, tol %s: gap %g", spec, solver, tol, a.gap);
    if (a.converged) assert_true(a.gap <= strtod(tol, NULL));
    assert_true(a.dual <= a.objective);
    double excess = (a.objective - least) / a.objective;
    if (excess > a.gap + 1e-13)
        fail_msg("%s by %s, tol %s: gap %g, but the excess is %g", spec, solver, tol, a.gap,
                 excess);
    if (a.dual > least * (1 + 1e-13))
        fail_msg("%s by %s: D = %.17g, P = %.17g", spec, solver, a.dual, least);
    answer_free(&a);
}

static void test_solvers(void **state) {
    (void)state;
    static const char *const tols[] = {"1e-2", "1e-4", "1e-6", "1e-8"};
    struct rng rng = rng_make(test_seed(111), 1);
    char solver[32];
    for (size_t number = 0; number < 6 * SPECS; number++) {
        const char *spec = specs[number % SPECS];
        struct problem p = small_problem(&rng, number / SPECS % 2);
        sepal_data *data = problem_data(&p, ctx, number / SPECS % 2);
        double least = least_of(data, spec);
        for (size_t k = 0; solver_at(solver, sizeof solver, k); k++)
            check_solver(data, spec, solver, tols[(number + k) % 4], least);
        data_free(data);
        problem_free(&p);
    }
}

/* Columns of many sizes and far means: solvers may fall short, but they may not say otherwise. */
static struct problem hard_problem(struct rng *rng, size_t form) {
    struct problem p = small_problem(rng, form % 2);
    for (size_t j = 0; j < p.cols; j++) {
        double scale = form % 3 == 1 ? pow(10, 16 * rng_unit(rng) - 8) : 1;
        double mean = form % 3 == 1 ? 0 : pow(10, 8 * rng_unit(rng));
        for (size_t i = 0; i < p.rows; i++) {
            double *x = &p.x[i * p.cols + j];
            if (*x != 0 || form % 2 == 0) *x = scale * (*x + mean);
        }
    }
    return p;
}

static void test_honesty(void **state) {
    (void)state;
    enum { MOST = 32 };
    struct rng rng = rng_make(test_seed(117), 1);
    size_t short_of = 0, all = 0;
    for (size_t number = 0; number < 6 * SPECS; number++) {
        const char *spec = specs[number % SPECS];
        struct problem p = hard_problem(&rng, number / SPECS);
        sepal_data *data = problem_data(&p, ctx, number / SPECS % 2);
        struct answer a[MOST];
        double least = INFINITY;
        char solver[32];
        for (size_t k = 0; solver_at(solver, sizeof solver, k) && k < MOST; k++) {
            if (!fit_by(&a[k], data, spec, solver,
                        number % 2 ? "1e-6, max-iter=300" : "1e-10, max-iter=300"))
                continue;
            short_of += !a[k].converged;
            all++;
            least = fmin(least, a[k].objective);
            assert_true(isfinite(a[k].objective) && a[k].dual >= 0);
        }
        for (size_t k = 0; solver_at(solver, sizeof solver, k) && k < MOST; k++) {
            if (!a[k].w) continue;
            if (a[k].dual > least * (1 + 1e-12))
                fail_msg("%s by %s, form %zu: D = %.17g, but P = %.17g is known", spec, solver,
                         number / SPECS, a[k].dual, least);
            answer_free(&a[k]);
        }
        data_free(data);
        problem_free(&p);
    }
    print_message("%zu of %zu fits fell short, and said so\n", short_of, all);
}

/* Every refusal names exactly those that do not refuse. */
static void test_refusals(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(112), 1);
    struct problem p = small_problem(&rng, false);
    sepal_data *data = problem_data(&p, ctx, false);
    for (size_t s = 0; s < SPECS; s++) {
        char able[256] = "", solver[32], wanted[300];
        struct answer a;
        for (size_t k = 0; solver_at(solver, sizeof solver, k); k++) {
            if (!fit_by(&a, data, specs[s], solver, "1e-2")) continue;
            snprintf(able + strlen(able), sizeof able - strlen(able), "%s%s", *able ? ", " : "",
                     solver);
            answer_free(&a);
        }
        snprintf(wanted, sizeof wanted, "take one of: %s", able);
        for (size_t k = 0; solver_at(solver, sizeof solver, k); k++) {
            if (fit_by(&a, data, specs[s], solver, "1e-2"))
                answer_free(&a);
            else if (!strstr(ctx->error.message, wanted) &&
                     !strstr(ctx->error.message, "has no solver"))
                fail_msg("%s: '%s' is not in '%s'", specs[s], wanted, ctx->error.message);
        }
    }
    data_free(data);
    problem_free(&p);
}

/* ---- support vectors ---------------------------------------------------------------------------- */

/* Rows well outside the margin may go, at fixed C. */
static void test_support(void **state) {
    (void)state;
    static const char *const machines[] = {"svm(C=1)", "svm(loss=hinge, C=1)",
                                           "svm(loss=hinge, C=0.2, bias=false)"};
    struct rng rng = rng_make(test_seed(113), 1);
    size_t left_out = 0;
    for (size_t number = 0; number < 60; number++) {
        const char *spec = machines[number % 3];
        struct problem p = problem_new(&rng, 80, 1 + rng_below(&rng, 5), 2);
        for (size_t i = 0; i < p.rows; i++) p.x[i * p.cols] += 2.0 * p.label[i];
        struct answer a = solved(&p, false, spec, "tol=1e-11");
        double excess = 0;
        size_t kept = 0, before = p.rows, seen[2] = {0, 0};
        for (size_t i = 0; i < p.rows; i++) {
            double score = (double)goal_score(&p, &a, i), m = p.label[i] == 1 ? score : -score;
            excess += (double)goal_loss(number % 3 ? HINGE : SQUARED_HINGE, m);
            if (m > 1.01) continue;
            memmove(p.x + kept * p.cols, p.x + i * p.cols, p.cols * sizeof *p.x);
            seen[p.label[i]]++;
            p.label[kept++] = p.label[i];
        }
        p.rows = kept;
        left_out += before - kept;
        if (seen[0] && seen[1]) {
            struct answer b = solved(&p, false, spec, "tol=1e-11");
            double distance = 0, size = 0;
            for (size_t j = 0; j < p.cols; j++) {
                distance += (a.w[j] - b.w[j]) * (a.w[j] - b.w[j]);
                size += a.w[j] * a.w[j];
            }
            if (distance > 1e-7 * (size + excess))
                fail_msg("%s: without %zu rows weights move by %g of %g", spec, before - kept,
                         sqrt(distance), sqrt(size));
            answer_free(&b);
        }
        answer_free(&a);
        problem_free(&p);
    }
    assert_true(left_out > 500);
}

/* ---- a far outlier on the right side -------------------------------------------------------------- */

static void test_outlier(void **state) {
    (void)state;
    static const char *const learners[] = {"logistic(penalty=none)", "logistic(C=1)"};
    struct rng rng = rng_make(test_seed(114), 1);
    for (size_t number = 0; number < 40; number++) {
        size_t cols = 1 + rng_below(&rng, 4), rows = 60;
        struct problem p = problem_new(&rng, rows + 1, cols, 2);
        p.rows = rows;
        struct answer a = solved(&p, false, learners[number % 2], "tol=1e-13");
        double size = 0, difference = 0;
        for (size_t j = 0; j < cols; j++) size += a.w[j] * a.w[j];
        p.rows = rows + 1;
        p.label[rows] = 1;
        for (size_t j = 0; j < cols; j++) p.x[rows * cols + j] = (40 - a.b) * a.w[j] / size;
        struct answer b = solved(&p, false, learners[number % 2], "tol=1e-13");
        for (size_t j = 0; j < cols; j++) difference += (a.w[j] - b.w[j]) * (a.w[j] - b.w[j]);
        if (difference > 1e-12 * size)
            fail_msg("%s: an outlier moves the weights by %g", learners[number % 2],
                     sqrt(difference / size));
        answer_free(&a);
        answer_free(&b);
        problem_free(&p);
    }
}

/* ---- probabilities of more classes ---------------------------------------------------------------- */

static void test_probabilities(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(115), 1);
    for (size_t number = 0; number < 30; number++) {
        struct problem p = any_problem(&rng, 3 + rng_below(&rng, 4), 1 + rng_below(&rng, 6));
        sepal_data *data = problem_data(&p, ctx, number % 2);
        sepal_model *model =
            fit_spec(data, number % 3 ? "logistic" : "standardize | logistic | ovr");
        double *score = scores_of(model, data);
        sepal_predictions out = predict_all(model, data, SEPAL_PROBABILITIES, NULL);
        assert_ptr_equal(model->linear.strategy, &strategy_ovr);
        for (size_t i = 0; i < p.rows; i++) {
            double sum = 0, total = 0;
            for (size_t k = 0; k < p.classes; k++) sum += 1 / (1 + exp(-score[i * p.classes + k]));
            for (size_t k = 0; k < p.classes; k++) {
                double right = 1 / (1 + exp(-score[i * p.classes + k])) / sum;
                assert_true(fabs(out.numbers[i * p.classes + k] - right) <= 1e-14);
                total += out.numbers[i * p.classes + k];
            }
            assert_true(fabs(total - 1) <= 1e-14);
        }
        answers_free(&out);
        free(score);
        sepal_model_free(model);
        model = fit_spec(data, "logistic | ovo");
        assert_int_equal(sepal_model_outputs(model, SEPAL_PROBABILITIES), 0);
        sepal_model_free(model);
        data_free(data);
        problem_free(&p);
    }
}

/* ---- memory --------------------------------------------------------------------------------------- */

/* Every allocation of every solver fails once. */
static void test_memory(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(116), 1);
    size_t points = 0;
    char solver[32], options[64];
    for (int sparse = 0; sparse < 2; sparse++) {
        struct problem p = problem_new(&rng, 14, 3, 2);
        sepal_data *data = problem_data(&p, ctx, sparse);
        for (size_t k = 0; solver_at(solver, sizeof solver, k); k++)
            for (size_t s = 0; s < SPECS; s += 2) {
                sepal_model *model = NULL;
                sepal_status status = SEPAL_EMEMORY;
                snprintf(options, sizeof options, "solver=%s", solver);
                for (size_t at = 1; status == SEPAL_EMEMORY; at++, points++) {
                    ctx->faults[FAULT_ALLOC] = (struct fault){.fail_at = at};
                    status = sepal_model_fit(&model, NULL, ctx, specs[s], data, options);
                    ctx->faults[FAULT_ALLOC].fail_at = 0;
                    assert_true((status == SEPAL_OK) == (model != NULL));
                }
                assert_true(status == SEPAL_OK || status == SEPAL_EUSAGE);
                sepal_model_free(model);
            }
        data_free(data);
        problem_free(&p);
    }
    printf("COUNT injection-points %zu 0\n", points);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_solvers), cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_honesty), cmocka_unit_test(test_support),
        cmocka_unit_test(test_outlier), cmocka_unit_test(test_probabilities),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
