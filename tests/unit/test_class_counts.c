/* Counts of classes are those of a plain loop, for few classes and many, and weights their sums. */
#include "data/class_counts.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "seed.h"

enum { ROWS = 300, CLASSES = 130 };

static void counts_are_those_of_a_loop(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(41), 1);
    for (size_t classes = 1; classes <= CLASSES; classes++)
        for (size_t round = 0; round < 4; round++) {
            size_t n = rng_below(&rng, ROWS), expected[CLASSES] = {0}, found[CLASSES + 1];
            int32_t label[ROWS];
            double weight[ROWS], sum[CLASSES] = {0}, weighed[CLASSES + 1];
            for (size_t i = 0; i < n; i++) {
                label[i] = (int32_t)rng_below(&rng, classes);
                weight[i] = rng_unit(&rng);
                expected[label[i]]++;
                sum[label[i]] += weight[i];
            }
            found[classes] = 17;
            weighed[classes] = 17;
            class_counts(found, label, n, classes);
            assert_memory_equal(found, expected, classes * sizeof *found);
            struct schema schema = {0};
            schema.n_classes = classes;
            sepal_data data = {.schema = &schema, .label = label, .matrix = {.rows = n}};
            class_weights(weighed, &data);
            for (size_t k = 0; k < classes; k++) assert_true(weighed[k] == (double)expected[k]);
            data.weight = weight;
            class_weights(weighed, &data);
            for (size_t k = 0; k < classes; k++)
                assert_true(fabs(weighed[k] - sum[k]) <= 1e-13 * sum[k]);
            assert_true(found[classes] == 17 && weighed[classes] == 17);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(counts_are_those_of_a_loop)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
