/* Limits of docs/limits.md that no file can reach in a test. */
#include "data/limits.h"
#include "read_fixture.h"

/* A column of categories at, below and above as many matrix columns as can be numbered. */
static void columns_of_the_matrix(void **state) {
    (void)state;
    int failures = 0;
    for (int off = -1; off <= 1; off++) {
        size_t width = (size_t)((long long)LIMIT_INDEX + off);
        struct column columns[2] = {{.name = "t", .text = true, .n_categories = width - 1},
                                    {.name = "a"}};
        struct schema schema = {.family = FAMILY_TABLE, .n_columns = 2, .columns = columns};
        schema_layout(&schema);
        assert_int_equal(schema.width, width);
        sepal_status status = schema_check_width(&ctx, &schema);
        failures += status != (off > 0 ? SEPAL_EDATA : SEPAL_OK);
    }
    printf("COUNT limits 3 %d\n", failures);
    assert_int_equal(failures, 0);
}

/* Sizes whose product wraps around to something small: as many bytes as there are must be had, or
   none. */
static void products_of_sizes(void **state) {
    (void)state;
    size_t half = SIZE_MAX / 2 + 1, failures = 0;
    const struct {
        size_t count, size;
    } products[] = {{half, 2}, {half + 1, 2}, {half / 4 + 1, 8}, {SIZE_MAX, SIZE_MAX}, {half, 1}};
    for (size_t i = 0; i < sizeof products / sizeof *products; i++) {
        size_t room = 0;
        void *items = NULL;
        failures += mem_alloc(&ctx, products[i].count, products[i].size) != NULL;
        failures += mem_zero(&ctx, products[i].count, products[i].size) != NULL;
        failures +=
            mem_reserve(&ctx, &items, &room, products[i].count, products[i].size) != SEPAL_EMEMORY;
        struct block block = {.rows = products[i].count, .values = VALUES_F64};
        failures += block_alloc(&ctx, &block, products[i].size, 0) != SEPAL_EMEMORY;
    }
    printf("COUNT limits %zu %zu\n", 4 * (sizeof products / sizeof *products), failures);
    assert_int_equal(failures, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(columns_of_the_matrix, fresh, clean),
        cmocka_unit_test_setup_teardown(products_of_sizes, fresh, clean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
