/* @NAME@: the class that is chosen is the likeliest; a cutoff is refused. */
#include "contract/strategy_problem.h"

static void test_the_likeliest(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(1), 1);
    for (size_t number = 0; number < 20; number++) {
        struct problem p = any_problem(&rng, 2 + number % 3, 1 + rng_below(&rng, 5));
        sepal_data *data = problem_data(&p, ctx, false);
        sepal_model *model = fit_spec(data, "lda");
        sepal_predictions said = predict_all(model, data, SEPAL_PROBABILITIES, "decide=@NAME@");
        for (size_t i = 0; i < p.rows; i++)
            for (size_t k = 0; k < p.classes; k++) {
                const double *row = said.numbers + i * p.classes;
                assert_true(row[said.classes[i]] >= row[k] - 1e-12);
            }
        assert_int_equal(sepal_model_predict_rows(&said, ctx, model, data, 0, p.rows,
                                            "decide=@NAME@, cutoff=0.5"),
                         SEPAL_EUSAGE);
        answers_free(&said);
        sepal_model_free(model);
        data_free(data);
        problem_free(&p);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_the_likeliest)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
