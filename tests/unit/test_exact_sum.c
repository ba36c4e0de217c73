/* Sums of products without rounding: whatever cancels leaves exactly what is left. */
#include "seed.h"
#include "exact/exact_sum.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static double normal(struct rng *rng) {
    double u = 1 - rng_unit(rng), v = rng_unit(rng);
    return sqrt(-2 * log(u)) * cos(6.283185307179586 * v);
}

static void test_exact_sums(void **state) {
    struct rng rng = rng_make(test_seed(10), 0);
    int64_t limbs[EXACT_SUM_LIMBS];
    struct exact_sum sum = {.limb = limbs, .n = EXACT_SUM_LIMBS};
    (void)state;
    for (size_t round = 0; round < 2000; round++) {
        double a[20], b[20];
        exact_sum_clear(&sum);
        /* products in any order that cancel, and a last one that decides */
        for (size_t i = 0; i < 20; i++) {
            a[i] = ldexp(normal(&rng), (int)rng_below(&rng, 2000) - 1000);
            b[i] = ldexp(normal(&rng), (int)rng_below(&rng, 60) - 30);
            exact_sum_add(&sum, a[i], b[i]);
        }
        assert_int_not_equal(exact_sum_sign(&sum), 0);
        for (size_t i = 20; i-- > 0;) exact_sum_add(&sum, -b[i], a[i]);
        assert_int_equal(exact_sum_sign(&sum), 0);
        int sign = round % 2 ? 1 : -1;
        exact_sum_add(&sum, sign * 0x1p-1074, 0x1p-1074);
        assert_int_equal(exact_sum_sign(&sum), sign);
    }
    exact_sum_clear(&sum);
    exact_sum_add(&sum, 1.7976931348623157e308, 1.7976931348623157e308);
    exact_sum_add(&sum, -5e-324, 5e-324);
    assert_int_equal(exact_sum_sign(&sum), 1);
    static const uint32_t whole[] = {0, 1}; /* 2^32 */
    int64_t more[EXACT_SUM_LIMBS + 2];
    struct exact_sum wide = {.limb = more, .n = EXACT_SUM_LIMBS + 2};
    exact_sum_clear(&wide);
    exact_sum_add_whole(&wide, whole, 2, 0.1);
    exact_sum_add(&wide, -0x1p32, 0.1);
    assert_int_equal(exact_sum_sign(&wide), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_exact_sums)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
