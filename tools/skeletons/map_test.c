/* @NAME@: on the rows it was fitted to, dense and sparse, every column keeps its signs and zeros and has 1
   as its largest absolute value. */
#include "unit/map_fixture.h"

static void check_columns(const double *x, const double *phi, size_t rows, size_t cols) {
    for (size_t j = 0; j < cols; j++) {
        double most = 0, largest = 0;
        for (size_t i = 0; i < rows; i++) most = fmax(most, fabs(x[i * cols + j]));
        for (size_t i = 0; i < rows; i++) {
            near(phi[i * cols + j] * most, x[i * cols + j], 1e-14, "@NAME@");
            largest = fmax(largest, fabs(phi[i * cols + j]));
        }
        assert_true(largest == (most > 0 ? 1 : 0));
    }
}

static void test_the_largest_is_1(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(1), 1);
    for (size_t number = 0; number < 40; number++) {
        size_t rows = 2 + rng_below(&rng, 50), cols = 1 + rng_below(&rng, 8);
        double *x = draw(&rng, rows, cols, 0.5);
        struct fitted fitted = fit_rows("@NAME@", x, rows, cols, number % 2, NULL);
        check_columns(x, fitted.numbers, rows, cols);
        assert_int_equal(fitted.phi.sparse, number % 2);
        fitted_clear(&fitted);
        free(x);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_the_largest_is_1, fresh, clean)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
