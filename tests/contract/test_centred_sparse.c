/* Sparse rows that a map has centred stay sparse, with the centre beside them: learners and solvers
   must see the rows that dense storage holds. */
#include "contract/convex_problem.h"

/* Every solver that the learner has; those that refuse are passed over. */
static size_t compare_solvers(const struct learner *learner, const char *spec,
                              const sepal_data *dense, const sepal_data *sparse) {
    size_t compared = 0, rows = dense->matrix.rows;
    for (size_t k = 0; learner->solvers && learner->solvers[k]; k++) {
        char options[64];
        sepal_model *a = NULL, *b = NULL;
        snprintf(options, sizeof options, "tol=1e-10, solver=%s", learner->solvers[k]->name);
        if (sepal_model_fit(&a, NULL, ctx, spec, dense, options) == SEPAL_OK &&
            sepal_model_fit(&b, NULL, ctx, spec, sparse, options) == SEPAL_OK) {
            double *x = scores_of(a, dense), *y = scores_of(b, sparse), size = 0;
            for (size_t i = 0; i < rows; i++) size = fmax(size, fabs(x[i]));
            for (size_t i = 0; i < rows; i++)
                if (!(fabs(x[i] - y[i]) <= 1e-4 * size))
                    fail_msg("%s, %s: row %zu: %g dense, %g sparse", spec, options, i, x[i], y[i]);
            compared++;
            free(x);
            free(y);
        }
        sepal_model_free(a);
        sepal_model_free(b);
    }
    return compared;
}

static void solvers_see_the_centre(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(5), 1);
    struct problem p = problem_new(&rng, 60, 7, 2);
    for (size_t k = 0; k < p.rows * p.cols; k++) p.x[k] = rng_below(&rng, 3) ? 0 : 3 + p.x[k];
    sepal_data *dense = problem_data(&p, ctx, false), *sparse = problem_data(&p, ctx, true);
    static const char *const specs[] = {"standardize | least-squares(bias=false)",
                                        "standardize | least-squares(bias=false, l2=0.1)",
                                        "standardize | logistic(bias=false)",
                                        "standardize | logistic(bias=penalised, l1=0.01)",
                                        "standardize | svm(bias=false, loss=hinge)"};
    for (size_t k = 0; k < sizeof specs / sizeof *specs; k++) {
        const struct learner *learner = learner_find(strstr(specs[k], "least") ? "least-squares"
                                                     : strstr(specs[k], "logistic") ? "logistic"
                                                                                    : "svm");
        assert_true(compare_solvers(learner, specs[k], dense, sparse) >= 2);
    }
    data_free(dense);
    data_free(sparse);
    problem_free(&p);
}

/* A fit of sparse rows reaches its gap, and what the dense rows reach. */
static void compare_storages(const char *spec, const sepal_data *dense, const sepal_data *sparse) {
    const sepal_data *both[] = {dense, sparse};
    double objective[2];
    for (int k = 0; k < 2; k++) {
        sepal_report *report = NULL;
        sepal_model *model = NULL;
        assert_int_equal(sepal_model_fit(&model, &report, ctx, spec, both[k], NULL), SEPAL_OK);
        if (sepal_report_number(report, "converged") != 1)
            fail_msg("%s, sparse %d: gap %g", spec, k, sepal_report_number(report, "gap"));
        objective[k] = sepal_report_number(report, "objective");
        sepal_report_free(report);
        sepal_model_free(model);
    }
    if (!(fabs(objective[1] - objective[0]) <= 2e-6 * objective[0]))
        fail_msg("%s: %.10g dense, %.10g sparse", spec, objective[0], objective[1]);
}

/* Two columns that every row has, a million times as far from 0 as they are wide, beside sparse ones; of
   the rows of some pairs of classes one of the two has zeros. */
static void columns_far_from_zero_keep_their_digits(void **state) {
    (void)state;
    static const char *const specs[] = {"logistic(l2=0.01)",
                                        "svm(l2=0.01)",
                                        "svm(loss=hinge, l2=0.01)",
                                        "logistic(l2=0.01) | ovo",
                                        "minmax | logistic(l2=0.01) | ovo",
                                        "minmax | svm(l2=0.01) | ovr-1",
                                        "standardize | logistic(bias=false, l2=0.01)"};
    for (size_t classes = 2; classes <= 3; classes++) {
        struct rng rng = rng_make(test_seed(5), 10 + classes);
        struct problem p = problem_new(&rng, 900, 20, classes);
        for (size_t i = 0; i < p.rows; i++) {
            double *x = p.x + i * p.cols;
            for (size_t j = 2; j < p.cols; j++) x[j] = rng_below(&rng, 8) ? 0 : x[j];
            x[0] += 1e6;
            x[1] = p.label[i] == 2 && i % 2 ? 0 : 3e6 + x[1];
        }
        sepal_data *dense = problem_data(&p, ctx, false), *sparse = problem_data(&p, ctx, true);
        /* with three classes one column is 0 or 3e6, which takes maps or pairs to solve */
        for (size_t k = classes == 2 ? 0 : 3; k < sizeof specs / sizeof *specs; k++)
            compare_storages(specs[k], dense, sparse);
        data_free(dense);
        data_free(sparse);
        problem_free(&p);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(solvers_see_the_centre),
        cmocka_unit_test(columns_far_from_zero_keep_their_digits),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
