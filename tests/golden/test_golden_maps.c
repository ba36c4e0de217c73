/* Maps on the example data make what scikit-learn and NumPy make: maps.csv, written by make_maps.py
   beside it. */
#include "data/data.h"
#include "unit/map_fixture.h"

static char *source_path(const char *name) {
    const char *source = getenv("SEPAL_SOURCE");
    static char path[4096];
    snprintf(path, sizeof path, "%s/%s", source ? source : ".", name);
    return path;
}

static FILE *open_golden(void) {
    FILE *golden = fopen(source_path("tests/golden/maps.csv"), "r");
    assert_non_null(golden);
    return golden;
}

/* Every number of a case against found[row * stride + column]. */
static void compare(const char *name, const double *found, size_t stride, size_t cells) {
    FILE *golden = open_golden();
    char line[256], is[64];
    size_t i, j, seen = 0;
    double wanted;
    while (fgets(line, sizeof line, golden)) {
        if (sscanf(line, "number,%63[^,],%zu,%zu,%lf", is, &i, &j, &wanted) != 4) continue;
        if (strcmp(is, name) != 0) continue;
        if (!(fabs(found[i * stride + j] - wanted) <= 1e-13 * fabs(wanted)))
            fail_msg("%s: row %zu, column %zu: %.17g is not %.17g", name, i, j,
                     found[i * stride + j], wanted);
        seen++;
    }
    fclose(golden);
    assert_int_equal(seen, cells);
}

static struct fitted fit_example(const char *spec, const char *file, bool weighted) {
    sepal_data *data;
    if (data_read(&data, &ctx, source_path(file), NULL, NULL, true) != SEPAL_OK)
        fail_msg("%s", ctx.error.message);
    double *weight = malloc(data->matrix.rows * sizeof *weight);
    assert_non_null(weight);
    for (size_t i = 0; i < data->matrix.rows; i++) weight[i] = (double)(1 + i % 3);
    struct fitted fitted = fit_matrix(spec, &data->matrix, weighted ? weight : NULL);
    free(weight);
    data_free(data);
    return fitted;
}

/* What a map has learnt. */
static void compare_numbers(const char *name, const char *spec, const char *file, bool weighted,
                            size_t rows) {
    struct fitted fitted = fit_example(spec, file, weighted);
    const struct fitted_map *map = &fitted.chain.maps[0];
    compare(name, map->numbers, map->in, rows * map->in);
    fitted_clear(&fitted);
}

/* What it makes of rows 0, 29, 58, ... of iris. */
static void compare_phi(const char *name, const char *spec) {
    enum { STEP = 29, ROWS = 6 };
    struct fitted fitted = fit_example(spec, "examples/data/iris.csv", false);
    compare(name, fitted.numbers, fitted.phi.cols * STEP, ROWS * fitted.phi.cols);
    fitted_clear(&fitted);
}

static void test_numbers(void **state) {
    (void)state;
    const char *cancer = "examples/data/breast_cancer.csv";
    compare_numbers("standardize", "standardize", cancer, false, 2);
    compare_numbers("weighted", "standardize", cancer, true, 2);
    compare_numbers("minmax", "minmax", cancer, false, 2);
    compare_numbers("quantiles", "sigmoid(centres=4)", "examples/data/iris.csv", false, 4);
    compare_phi("poly", "poly(degree=3)");
    compare_phi("rbf", "rbf(centres=\"5,3.5,1.5,0.2;6,3,4,1.5\", width=0.7)");
}

/* The names of poly, which are its order. */
static void test_names(void **state) {
    (void)state;
    FILE *golden = open_golden();
    char line[256], wanted[64], spec[64];
    size_t columns, degree, place, seen = 0;
    while (fgets(line, sizeof line, golden)) {
        if (sscanf(line, "names,%zu,%zu,%zu,%63s", &columns, &degree, &place, wanted) != 4)
            continue;
        snprintf(spec, sizeof spec, "poly(degree=%zu)", degree);
        struct map_chain chain = map_chain_of(spec);
        assert_int_equal(map_chain_plan(&chain, &ctx, columns), SEPAL_OK);
        char *name = name_of(&chain, place);
        assert_string_equal(name, wanted);
        mem_free(name);
        seen++;
    }
    fclose(golden);
    assert_int_equal(seen, 5 + 5 + 9 + 9 + 69 + 55 + 54);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_numbers, fresh, clean),
        cmocka_unit_test_setup_teardown(test_names, fresh, clean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
