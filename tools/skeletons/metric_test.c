/* @NAME@: the number in the report of evaluate is the one by its definition, counted by plain loops; with
   as many rows of every class it is the accuracy. */
#include "contract/strategy_problem.h"

#include "report/report.h"

static double by_definition(const struct problem *p, const int32_t *decided) {
    double sum = 0;
    for (size_t k = 0; k < p->classes; k++) {
        double right = 0, all = 0;
        for (size_t i = 0; i < p->rows; i++) {
            if (p->label[i] != (int)k) continue;
            all += problem_weight(p, i);
            right += decided[i] == (int32_t)k ? problem_weight(p, i) : 0;
        }
        sum += right / all;
    }
    return sum / (double)p->classes;
}

static void test_by_definition(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(1), 1);
    for (size_t number = 0; number < 40; number++) {
        bool even = number % 2;
        size_t classes = 2 + number % 3;
        struct problem p = even ? any_problem(&rng, classes, 2) : problem_new(&rng, 60, 2, classes);
        if (even) p.rows -= p.rows % classes;
        if (!even) problem_weigh(&p, &rng);
        sepal_data *data = problem_data(&p, ctx, false);
        sepal_model *model = fit_spec(data, "least-squares");
        sepal_predictions said = predict_all(model, data, SEPAL_SCORES, NULL);
        sepal_report *report = NULL;
        assert_int_equal(sepal_model_evaluate(&report, ctx, model, data, NULL), SEPAL_OK);
        double found = sepal_report_number(report, "@name@");
        assert_true(fabs(found - by_definition(&p, said.classes)) <= 1e-12);
        if (even) assert_true(fabs(found - sepal_report_number(report, "accuracy")) <= 1e-12);
        sepal_report_free(report);
        answers_free(&said);
        sepal_model_free(model);
        data_free(data);
        problem_free(&p);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_by_definition)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
