/* Least squares on the example data has the weights that numpy finds: tests/golden/least_squares.csv,
   written by make_least_squares.py beside it. */
#include "contract/least_squares_problem.h"

#include "fixture.h"

static char *source_path(const char *name) {
    const char *source = getenv("SEPAL_SOURCE");
    static char path[4096];
    snprintf(path, sizeof path, "%s/%s", source ? source : ".", name);
    return path;
}

/* The model of an example; rows 0: all of them. */
static struct linear model_of(const char *file, size_t rows) {
    sepal_data *data, *part;
    size_t chosen[64];
    if (data_read(&data, ctx, source_path(file), NULL, NULL, true) != SEPAL_OK)
        fail_msg("%s", ctx->error.message);
    for (size_t i = 0; i < 64; i++) chosen[i] = i;
    if (rows > 0) {
        assert_int_equal(data_select(&part, ctx, data, chosen, rows), SEPAL_OK);
        data_free(data);
        data = part;
    }
    struct outcome out = fit_data(ctx, data, (struct asked){0});
    if (out.status != SEPAL_OK) fail_msg("%s", ctx->error.message);
    data_free(data);
    return out.linear;
}

/* Every weight to 1e-9 of itself, or to 1e-12 of the largest of its output. */
static void compare(const char *problem, const char *file, size_t rows) {
    struct linear linear = model_of(file, rows);
    FILE *golden = fopen(source_path("tests/golden/least_squares.csv"), "r");
    assert_non_null(golden);
    char line[256], name[64];
    size_t output, column, seen = 0;
    double expected;
    while (fgets(line, sizeof line, golden)) {
        if (sscanf(line, "%63[^,],%zu,%zu,%lf", name, &output, &column, &expected) != 4) continue;
        if (strcmp(name, problem) != 0) continue;
        const double *w = linear.w + output * linear.cols;
        double found = column == 0 ? linear_bias(&linear, output) : w[column - 1], largest = 0;
        for (size_t j = 0; j < linear.cols; j++) largest = fmax(largest, fabs(w[j]));
        if (!(fabs(found - expected) <= 1e-9 * fabs(expected) + 1e-12 * largest))
            fail_msg("%s: output %zu, column %zu: %.17g is not %.17g", problem, output, column,
                     found, expected);
        seen++;
    }
    fclose(golden);
    assert_int_equal(seen, linear.rows * (linear.cols + 1));
    linear_clear(&linear);
}

static void test_digits(void **state) {
    (void)state;
    compare("digits", "examples/data/digits.csv", 0);
}

static void test_breast_cancer(void **state) {
    (void)state;
    compare("breast_cancer", "examples/data/breast_cancer.csv", 0);
}

static void test_first_digits(void **state) {
    (void)state;
    compare("digits_20", "examples/data/digits.csv", 20);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_digits),
        cmocka_unit_test(test_breast_cancer),
        cmocka_unit_test(test_first_digits),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
