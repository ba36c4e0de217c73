/* @NAME@: each function is that of a fit of its class against all others by itself, and the class of the
   largest score is chosen; both hold after the model's file, too. */
#include "contract/strategy_problem.h"

/* The scores of class k against the rest, to be freed. */
static double *alone(const struct problem *p, size_t k, const sepal_data *rows) {
    struct problem two = *p;
    two.classes = 2;
    two.label = malloc(p->rows * sizeof *two.label);
    assert_non_null(two.label);
    for (size_t i = 0; i < p->rows; i++) two.label[i] = p->label[i] == (int)k;
    sepal_data *data = problem_data(&two, ctx, false);
    sepal_model *model = fit_spec(data, "least-squares");
    double *scores = scores_of(model, rows);
    sepal_model_free(model);
    data_free(data);
    free(two.label);
    return scores;
}

static void check_rows(const struct problem *p, const sepal_model *model, const sepal_data *data) {
    double *scores = scores_of(model, data);
    sepal_predictions said = predict_all(model, data, SEPAL_SCORES, NULL);
    assert_int_equal(model->linear.rows, p->classes);
    for (size_t k = 0; k < p->classes; k++) {
        double *own = alone(p, k, data);
        for (size_t i = 0; i < p->rows; i++) {
            const double *row = scores + i * p->classes;
            assert_true(fabs(row[k] - own[i]) <= 1e-9);
            assert_true(row[said.classes[i]] >= row[k]);
        }
        free(own);
    }
    answers_free(&said);
    free(scores);
}

static void test_the_largest_score_wins(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(1), 1);
    for (size_t number = 0; number < 10; number++) {
        struct problem p = any_problem(&rng, 3 + number % 3, 1 + rng_below(&rng, 5));
        sepal_data *data = problem_data(&p, ctx, false);
        sepal_model *model = fit_spec(data, "least-squares | @NAME@"), *loaded = NULL;
        check_rows(&p, model, data);
        assert_int_equal(sepal_model_save(ctx, model, "@name@.sepal"), SEPAL_OK);
        assert_int_equal(sepal_model_load(&loaded, ctx, "@name@.sepal"), SEPAL_OK);
        check_rows(&p, loaded, data);
        remove("@name@.sepal");
        sepal_model_free(loaded);
        sepal_model_free(model);
        data_free(data);
        problem_free(&p);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_the_largest_score_wins)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
