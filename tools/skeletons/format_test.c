/* @NAME@: a file gives the same rows as its text in csv, whatever the number of threads; what is wrong is
   refused at its place. */
#include "unit/read_fixture.h"

static void test_the_same_as_csv(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(1), 1);
    FILE *file = fopen("rows.@NAME@", "w"), *csv = fopen("rows.csv", "w");
    assert_true(file && csv);
    for (size_t i = 0; i < 500; i++) {
        double x = rng_unit(&rng), y = rng_unit(&rng);
        fprintf(file, "%.17g;%.17g;%s\n", x, y, x > y ? "a" : "b");
        fprintf(csv, "%.17g,%.17g,%s\n", x, y, x > y ? "a" : "b");
    }
    fclose(file);
    fclose(csv);
    for (size_t i = 0; i < N_WIDTHS; i++) {
        ctx.threads = widths[i];
        sepal_data *data = must_read("rows.@NAME@", NULL), *same = must_read("rows.csv", NULL);
        assert_int_equal(data->matrix.rows, 500);
        assert_same_data(data, same);
        data_free(data);
        data_free(same);
    }
}

static void test_refusals(void **state) {
    (void)state;
    put("bad.@NAME@", "1;2;a\n3;b\n");
    assert_refused("bad.@NAME@", NULL, NULL, true, (struct refusal){2, 4, "has 2 cells"});
    put("bad.@NAME@", "");
    assert_refused("bad.@NAME@", NULL, NULL, true, (struct refusal){0, 0, ""});
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_the_same_as_csv, fresh, clean),
        cmocka_unit_test_setup_teardown(test_refusals, fresh, clean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
