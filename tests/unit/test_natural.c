/* Natural numbers of any size, primes and exact multipliers: against numbers that are known, and laws
   over random ones. */
#include "core/arena.h"
#include "seed.h"
#include "kernels/kernels.h"
#include "exact/integer_nullspace.h"
#include "exact/modular.h"
#include "exact/bigint.h"

#include "core/alloc.h"
#include "core/parallel.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { ROOM = 64 };

static sepal_ctx ctx;
static struct arena arena;

static void bigint_set(struct bigint *a, uint64_t value) {
    a->n = 0;
    for (; value != 0; value >>= 32) a->limb[a->n++] = (uint32_t)value;
}

static int fresh(void **state) {
    (void)state;
    ctx = (sepal_ctx){.root = &ctx, .threads = 2, .kernels = kernels_choose()};
    arena = (struct arena){0};
    return 0;
}

static int clean(void **state) {
    (void)state;
    arena_clear(&arena);
    pool_free(ctx.pool);
    return 0;
}

static struct bigint number(const char *digits) {
    struct bigint a;
    assert_int_equal(bigint_make(&a, &ctx, &arena, ROOM), SEPAL_OK);
    for (; *digits; digits++) bigint_extend(&a, 10, (uint64_t)(*digits - '0'));
    return a;
}

static void expect(struct bigint a, const char *digits) {
    struct bigint copy;
    assert_int_equal(bigint_make(&copy, &ctx, &arena, ROOM), SEPAL_OK);
    bigint_copy(&copy, &a);
    assert_string_equal(bigint_print(&ctx, &arena, &copy), digits);
}

static struct bigint any(struct rng *rng, size_t words) {
    struct bigint a;
    assert_int_equal(bigint_make(&a, &ctx, &arena, ROOM), SEPAL_OK);
    for (size_t i = 0; i < words; i++) bigint_extend(&a, UINT64_MAX, rng_next(rng));
    return a;
}

static void test_known_numbers(void **state) {
    (void)state;
    struct bigint a = number("0");
    expect(a, "0");
    expect(number("1000000000"), "1000000000");
    expect(number("340282366920938463463374607431768211456"),
           "340282366920938463463374607431768211456");
    bigint_set(&a, UINT64_MAX);
    expect(a, "18446744073709551615");
    bigint_extend(&a, UINT64_MAX, UINT64_MAX); /* (2^64 - 1) 2^64 */
    expect(a, "340282366920938463444927863358058659840");
    assert_int_equal(bigint_zeros(&a), 64);
    bigint_shift_right(&a, 64);
    expect(a, "18446744073709551615");
    bigint_shift_right(&a, 64);
    expect(a, "0");
    assert_true(bigint_zeros(&a) == SIZE_MAX);
    /* 2^89 - 1 and 2^61 - 1 are prime */
    struct bigint p = number("618970019642690137449562111"), c = number("9");
    bigint_extend(&p, UINT64_C(2305843009213693951), 0);
    struct bigint q = number("2305843009213693951");
    bigint_copy(&c, &p);
    bigint_gcd(&c, &q);
    expect(c, "2305843009213693951");
    bigint_divide(&p, &c);
    expect(p, "618970019642690137449562111");
}

/* (a u + v) - v = a u; (a u) / u = a for odd u; order and difference agree. */
static void test_laws(void **state) {
    struct rng rng = rng_make(test_seed(1), 0);
    (void)state;
    for (size_t round = 0; round < 3000; round++) {
        struct bigint a = any(&rng, rng_below(&rng, 6)), b = any(&rng, 0), one = any(&rng, 0);
        uint64_t u = rng_next(&rng) >> rng_below(&rng, 64) | 1,
                 v = rng_next(&rng) >> rng_below(&rng, 64);
        bigint_copy(&b, &a);
        bigint_extend(&b, u, v);
        bigint_set(&one, v);
        assert_true(bigint_compare(&b, &one) >= 0);
        bigint_subtract(&b, &one);
        bigint_set(&one, u);
        bigint_divide(&b, &one);
        assert_int_equal(bigint_compare(&a, &b), 0);
        struct bigint c = any(&rng, rng_below(&rng, 4)), product = any(&rng, 0);
        if (a.n == 0 || c.n == 0) continue;
        bigint_shift_right(&a, bigint_zeros(&a));
        bigint_shift_right(&c, bigint_zeros(&c));
        bigint_copy(&product, &a);
        bigint_gcd(&product, &c); /* divides both */
        struct bigint rest = any(&rng, 0);
        bigint_copy(&rest, &a);
        bigint_divide(&rest, &product);
        assert_true(bigint_compare(&rest, &a) <= 0 && rest.n > 0);
        arena_clear(&arena);
    }
}

static void test_primes(void **state) {
    (void)state;
    static const uint64_t known[] = {/* below 2^61, 2^62, 2^31, 100 */
                                     UINT64_C(2305843009213693951), UINT64_C(4611686018427387847),
                                     UINT64_C(2147483647), 97};
    assert_true(prime_below(UINT64_C(1) << 61) == known[0]);
    assert_true(prime_below(UINT64_C(1) << 62) == known[1]);
    assert_true(prime_below(UINT64_C(1) << 31) == known[2]);
    assert_true(prime_below(100) == known[3]);
    struct rng rng = rng_make(test_seed(2), 0);
    struct modulus m = modulus_make(known[1]);
    for (size_t round = 0; round < 1000; round++) {
        uint64_t a = rng_next(&rng), b = rng_next(&rng);
        uint64_t product =
            modular_value(&m, modular_multiply(&m, modular_enter(&m, a), modular_enter(&m, b)));
        assert_true(product == (uint64_t)((modular_wide)(a % m.p) * (b % m.p) % m.p));
        uint64_t x = modular_enter(&m, a);
        if (x) assert_true(modular_multiply(&m, x, modular_inverse(&m, x)) == m.one);
    }
}

/* ---- multipliers --------------------------------------------------------------------------- */

static struct exact_vector kernel_of(const double *a, size_t equations, size_t points,
                                     const int64_t *weight) {
    struct exact_system s = {.n_equations = equations, .n_points = points};
    struct budget budget = {.max_seconds = NAN, .max_work = NAN};
    struct exact_vector v;
    for (size_t e = 0; e < equations; e++)
        for (size_t p = 0; p < points; p++)
            assert_int_equal(exact_system_add(&s, &ctx, e, p, a[e * points + p]), SEPAL_OK);
    assert_int_equal(exact_null_vector(&v, &ctx, &arena, &s, weight, &budget), SEPAL_OK);
    mem_free(s.entries);
    return v;
}

static void test_small_kernels(void **state) {
    (void)state;
    static const double square[] = {0, 0, -1, 1, 0, -1, 0, 1, 1, -1, -1, 1};
    struct exact_vector v = kernel_of(square, 3, 4, NULL);
    assert_int_equal(v.rank, 3);
    for (size_t i = 0; i < 4; i++) assert_string_equal(v.digits[i], "1");
    /* 3 * 0.1 is not 0.3: the doubles differ by 2^-54, so nothing small solves 0.1 m = 0.3 n */
    static const double tenths[] = {0.1, -0.3};
    v = kernel_of(tenths, 1, 2, NULL);
    assert_string_equal(v.digits[0], "10808639105689190");
    assert_string_equal(v.digits[1], "3602879701896397");
    assert_true(v.negative[0] == v.negative[1]);
    static const double regular[] = {1, 2, 3, 4};
    v = kernel_of(regular, 2, 2, NULL);
    assert_true(v.digits == NULL && v.rank == 2);
    static const double wide[] = {0x1p1000, -0x1p-1000};
    v = kernel_of(wide, 1, 2, NULL);
    assert_string_equal(v.digits[0], "1");
    assert_int_equal(strlen(v.digits[1]), 603); /* 2^2000 */
    /* two open points: their multipliers are in the ratio of the weights */
    static const double plane[] = {1, 1, -2};
    static const int64_t weight[] = {7, 3, 5};
    v = kernel_of(plane, 1, 3, NULL);
    assert_null(v.digits);
    v = kernel_of(plane, 1, 3, weight);
    assert_string_equal(v.digits[0], "7");
    assert_string_equal(v.digits[1], "3");
    assert_string_equal(v.digits[2], "5");
}

/* A random vector comes back from random equations that it solves. */
static void test_vectors_come_back(void **state) {
    struct rng rng = rng_make(test_seed(3), 0);
    (void)state;
    for (size_t round = 0; round < 200; round++) {
        size_t n = 2 + rng_below(&rng, 7), equations = n - 1 + rng_below(&rng, 4);
        double x[8], a[11 * 8];
        for (size_t j = 0; j < n; j++) x[j] = (double)rng_below(&rng, 2001) - 1000;
        x[n - 1] = 1; /* so that the last column can make every equation hold */
        for (size_t e = 0; e < equations; e++) {
            double sum = 0;
            for (size_t j = 0; j + 1 < n; j++) {
                a[e * n + j] = (double)rng_below(&rng, 2000001) - 1000000;
                sum += a[e * n + j] * x[j];
            }
            a[e * n + n - 1] = -sum;
        }
        struct exact_vector v = kernel_of(a, equations, n, NULL);
        assert_int_equal(v.rank, n - 1);
        for (size_t j = 0; j < n; j++) {
            assert_true(fabs(x[j]) == strtod(v.digits[j], NULL));
            if (x[j] != 0) assert_true((x[j] < 0) == (v.negative[j] != v.negative[n - 1]));
        }
        arena_clear(&arena);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_known_numbers, fresh, clean),
        cmocka_unit_test_setup_teardown(test_laws, fresh, clean),
        cmocka_unit_test_setup_teardown(test_primes, fresh, clean),
        cmocka_unit_test_setup_teardown(test_small_kernels, fresh, clean),
        cmocka_unit_test_setup_teardown(test_vectors_come_back, fresh, clean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
