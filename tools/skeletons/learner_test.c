/* @NAME@: on random problems, dense and sparse, with weights and without, the class that is chosen is the
   one whose mean, by plain loops, is nearest. */
#include "contract/strategy_problem.h"

static long double distance_to(const struct problem *p, size_t k, const double *x) {
    long double sum = 0;
    for (size_t j = 0; j < p->cols; j++) {
        long double mean = 0, total = 0;
        for (size_t i = 0; i < p->rows; i++) {
            if (p->label[i] != (int)k) continue;
            mean += problem_weight(p, i) * p->x[i * p->cols + j];
            total += problem_weight(p, i);
        }
        sum += (x[j] - mean / total) * (x[j] - mean / total);
    }
    return sum;
}

static void test_the_nearest_mean_decides(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(1), 1);
    for (size_t number = 0; number < 40; number++) {
        struct problem p = any_problem(&rng, 2 + number % 4, 1 + rng_below(&rng, 6));
        if (number % 3 == 0) problem_weigh(&p, &rng);
        sepal_data *data = problem_data(&p, ctx, number % 2);
        sepal_model *model = fit_spec(data, "@NAME@");
        sepal_predictions said = predict_all(model, data, SEPAL_SCORES, NULL);
        for (size_t i = 0; i < p.rows; i++) {
            const double *x = p.x + i * p.cols;
            long double chosen = distance_to(&p, (size_t)said.classes[i], x);
            for (size_t k = 0; k < p.classes; k++)
                assert_true(chosen <= distance_to(&p, k, x) * (1 + 1e-10L));
        }
        answers_free(&said);
        sepal_model_free(model);
        data_free(data);
        problem_free(&p);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_the_nearest_mean_decides)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
