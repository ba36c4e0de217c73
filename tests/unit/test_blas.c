/* Laws of kernels/blas.h, for the built-in loops and for the library that blas_choose() finds:
   products agree with sums of three nested loops, factors give back what they were made of, nothing
   outside the named part of an array is touched, and the bits depend neither on the library's
   number of threads nor on how many of ours call it at once. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "seed.h"
#include "kernels/blas.h"

#ifdef SEPAL_WITH_THREADS
#include <pthread.h>
#endif

int openblas_get_num_threads(void) __attribute__((weak));
void openblas_set_num_threads(int threads) __attribute__((weak));

static const size_t sizes[] = {0, 1, 2, 3, 5, 8, 31, 32, 33, 70};
enum { SIZES = sizeof sizes / sizeof *sizes, SETS = 2 };
static const double PAD = 12345; /* what lies between the rows */

static const struct blas *set_at(size_t s) {
    return s == 0 ? &blas_builtin : blas_choose();
}

/* rows x n numbers, `pad` more at the end of each row. */
static double *random_matrix(struct rng *rng, size_t rows, size_t n, size_t pad) {
    double *a = malloc((rows * (n + pad) + 1) * sizeof *a);
    assert_non_null(a);
    for (size_t i = 0; i < rows * (n + pad); i++) {
        a[i] = i % (n + pad) < n ? 2 * rng_unit(rng) - 1 : PAD;
    }
    return a;
}

static double *copy_of(const double *a, size_t count) {
    double *copy = malloc((count + 1) * sizeof *copy);
    assert_non_null(copy);
    if (count > 0) memcpy(copy, a, count * sizeof *copy);
    return copy;
}

static void check_pad(const double *a, size_t rows, size_t n, size_t ld) {
    for (size_t i = 0; i < rows * ld; i++) {
        if (i % ld >= n) assert_true(a[i] == PAD);
    }
}

static void check_near(double found, double expected, double size, size_t terms) {
    double bound = 4 * ((double)terms + 2) * DBL_EPSILON * size;
    if (fabs(found - expected) <= bound) return;
    fail_msg("%.17g is not %.17g within %g", found, expected, bound);
}

/* sum over p of a[p][i] b[p][j] */
static double column_product(const double *a, size_t lda, size_t i, const double *b, size_t ldb,
                             size_t j, size_t k) {
    double sum = 0;
    for (size_t p = 0; p < k; p++) sum += a[p * lda + i] * b[p * ldb + j];
    return sum;
}

static void try_gemm(const struct blas *blas, struct rng *rng, size_t m, size_t n, size_t k) {
    size_t lda = m + k % 3, ldb = n + 1, ldc = n + m % 2;
    double *a = random_matrix(rng, k, m, lda - m), *b = random_matrix(rng, k, n, ldb - n);
    double *c = random_matrix(rng, m, n, ldc - n), *before = copy_of(c, m * ldc);
    double beta = (double)(k % 3) / 2;
    if (beta == 0 && m * n > 0) c[0] = NAN; /* memory that was never written */
    blas->gemm_tn(m, n, k, a, lda, b, ldb, beta, c, ldc);
    for (size_t i = 0; i < m; i++) {
        for (size_t j = 0; j < n; j++) {
            double sum = beta * before[i * ldc + j] + column_product(a, lda, i, b, ldb, j, k);
            check_near(c[i * ldc + j], sum, (double)k + 1, k);
        }
    }
    check_pad(c, m, n, ldc);
    free(a), free(b), free(c), free(before);
}

static void gemm_is_the_sum_of_products(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(1), 1);
    for (size_t s = 0; s < SETS; s++) {
        for (size_t t = 0; t < SIZES * SIZES * SIZES; t++) {
            try_gemm(set_at(s), &rng, sizes[t % SIZES], sizes[t / SIZES % SIZES],
                     sizes[t / SIZES / SIZES]);
        }
        try_gemm(set_at(s), &rng, 9, 130, 300);
    }
}

/* C = A B, and in singles C = A B and A'B. */
static void try_products(const struct blas *blas, struct rng *rng, size_t m, size_t n, size_t k) {
    double *a = random_matrix(rng, k, m, 0), *b = random_matrix(rng, k, n, 0);
    double *t = random_matrix(rng, m, k, 0), *c = random_matrix(rng, m, n, 0);
    float *as = calloc(k * m + 1, sizeof *as), *bs = calloc(k * n + 1, sizeof *bs);
    float *ts = calloc(m * k + 1, sizeof *ts), *cs = calloc(m * n + 1, sizeof *cs);
    assert_true(as && bs && ts && cs);
    for (size_t p = 0; p < k; p++)
        for (size_t i = 0; i < m; i++) t[i * k + p] = a[p * m + i];
    for (size_t q = 0; q < k * m; q++) as[q] = (float)a[q], ts[q] = (float)t[q];
    for (size_t q = 0; q < k * n; q++) bs[q] = (float)b[q];
    blas->gemm_nn(m, n, k, t, k, b, n, c, n);
    for (size_t q = 0; q < m * n; q++)
        check_near(c[q], column_product(a, m, q / n, b, n, q % n, k), (double)k + 1, k);
    for (int way = 0; blas->gemm_nn_single && way < 2; way++) {
        if (way)
            blas->gemm_tn_single(m, n, k, as, m, bs, n, cs, n);
        else
            blas->gemm_nn_single(m, n, k, ts, k, bs, n, cs, n);
        for (size_t q = 0; q < m * n; q++)
            assert_true(fabs((double)cs[q] - c[q]) <= 1e-6 * (double)(k + 1));
    }
    free(a), free(b), free(t), free(c);
    free(as), free(bs), free(ts), free(cs);
}

static void products_of_skinny_matrices(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(9), 1);
    for (size_t s = 0; s < SETS; s++)
        for (size_t t = 0; t < 40; t++)
            try_products(set_at(s), &rng, 1 + rng_below(&rng, 70), 1 + rng_below(&rng, 17),
                         1 + rng_below(&rng, 90));
}

static void try_syrk(const struct blas *blas, struct rng *rng, size_t n, size_t k) {
    size_t lda = n + k % 2, ldc = n + 1;
    double *a = random_matrix(rng, k, n, lda - n), *c = random_matrix(rng, n, n, 1);
    double *before = copy_of(c, n * ldc), beta = (double)(k % 3) / 2;
    blas->syrk_t(n, k, a, lda, beta, c, ldc);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            double was = before[i * ldc + j];
            double sum = beta * was + column_product(a, lda, i, a, lda, j, k);
            if (j >= i) check_near(c[i * ldc + j], sum, (double)k + 1, k);
            if (j < i) assert_true(c[i * ldc + j] == was);
        }
    }
    check_pad(c, n, n, ldc);
    free(a), free(c), free(before);
}

static void syrk_fills_the_upper_triangle(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(2), 1);
    for (size_t s = 0; s < SETS; s++) {
        for (size_t t = 0; t < SIZES * SIZES; t++) {
            try_syrk(set_at(s), &rng, sizes[t % SIZES], sizes[t / SIZES]);
        }
        try_syrk(set_at(s), &rng, 130, 257);
    }
}

/* G'G + I: positive definite, condition at most some hundreds. */
static double *definite_matrix(struct rng *rng, size_t n, size_t ld) {
    double *g = random_matrix(rng, n, n, 0), *a = random_matrix(rng, n, n, ld - n);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            a[i * ld + j] = column_product(g, n, i, g, n, j, n) + (i == j);
        }
    }
    free(g);
    return a;
}

static void try_cholesky(const struct blas *blas, struct rng *rng, size_t n, size_t k) {
    size_t ld = n + k % 2, ldb = k + n % 2;
    double *a = definite_matrix(rng, n, ld), *r = copy_of(a, n * ld);
    double *x = random_matrix(rng, n, k, ldb - k), *b = copy_of(x, n * ldb);
    assert_true(blas->cholesky(n, r, ld));
    for (size_t i = 0; i < n; i++) {
        for (size_t j = i; j < n; j++) {
            double sum = column_product(r, ld, i, r, ld, j, i + 1);
            check_near(sum, a[i * ld + j], (double)n, n);
        }
    }
    blas->cholesky_solve(n, r, ld, k, x, ldb);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < k; j++) {
            check_near(column_product(a, ld, i, x, ldb, j, n), b[i * ldb + j], (double)n, n);
        }
    }
    check_pad(r, n, n, ld);
    check_pad(x, n, k, ldb);
    free(a), free(r), free(x), free(b);
}

static void cholesky_solves(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(3), 1);
    for (size_t s = 0; s < SETS; s++) {
        for (size_t t = 0; t < SIZES * SIZES; t++) {
            try_cholesky(set_at(s), &rng, sizes[t % SIZES], sizes[t / SIZES]);
        }
    }
}

static void cholesky_refuses_what_is_not_definite(void **state) {
    (void)state;
    static const double bad[] = {0, -1, -1e-300, NAN, INFINITY};
    struct rng rng = rng_make(test_seed(4), 1);
    for (size_t s = 0; s < SETS; s++) {
        for (size_t t = 1; t < SIZES * 5; t++) {
            size_t n = sizes[t % SIZES], at = n == 0 ? 0 : t % n;
            if (n == 0) continue;
            double *a = definite_matrix(&rng, n, n);
            a[at * n + at] = bad[t % 5];
            assert_false(set_at(s)->cholesky(n, a, n));
            free(a);
        }
    }
}

static void try_qr(const struct blas *blas, struct rng *rng, size_t m, size_t n, double scale) {
    size_t lda = n + m % 2, steps = m < n ? m : n;
    double *a = random_matrix(rng, m, n, lda - n), *r = copy_of(a, m * lda);
    double *work = malloc((blas_qr_work(m, n) + 1) * sizeof *work);
    assert_non_null(work);
    for (size_t i = 0; i < m * lda; i++) {
        if (i % lda < n) r[i] *= scale;
    }
    blas->qr_r(m, n, r, lda, work);
    check_pad(r, m, n, lda);
    for (size_t i = 0; i < m; i++) {
        for (size_t j = 0; j < n; j++) {
            if (j < i) assert_true(r[i * lda + j] == 0);
            r[i * lda + j] /= scale;
        }
    }
    for (size_t i = 0; i < n; i++) {
        for (size_t j = i; j < n; j++) {
            double expected = column_product(a, lda, i, a, lda, j, m);
            double found = column_product(r, lda, i, r, lda, j, steps);
            check_near(found, expected, (double)m, n);
        }
    }
    free(a), free(r), free(work);
}

static void qr_keeps_the_products_of_columns(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(5), 1);
    for (size_t s = 0; s < SETS; s++) {
        for (size_t t = 0; t < SIZES * SIZES; t++) {
            size_t m = sizes[t % SIZES], n = sizes[t / SIZES];
            try_qr(set_at(s), &rng, m, n, 1);
            try_qr(set_at(s), &rng, m, n, 0x1p660); /* squares would overflow */
            try_qr(set_at(s), &rng, m, n, 0x1p-660);
        }
        try_qr(set_at(s), &rng, 300, 40, 1);
    }
}

static void qr_of_zeros_is_zero(void **state) {
    (void)state;
    for (size_t s = 0; s < SETS; s++) {
        double a[50 * 40] = {0}, *work = malloc(blas_qr_work(50, 40) * sizeof *work);
        assert_non_null(work);
        set_at(s)->qr_r(50, 40, a, 40, work);
        for (size_t i = 0; i < 50 * 40; i++) assert_true(a[i] == 0);
        free(work);
    }
}

/* Large enough that OpenBLAS would split the work if it were allowed to. */
enum { BIG = 200, RESULTS = 4 * BIG * BIG, CALLERS = 3 };

/* Every slot once; the same input each time. */
static void *run_all(void *payload) {
    double *out = payload, *product = out, *gram = out + BIG * BIG, *solved = gram + BIG * BIG;
    double *triangle = solved + BIG * BIG;
    const struct blas *blas = blas_choose();
    struct rng rng = rng_make(test_seed(6), 1);
    double *a = random_matrix(&rng, BIG, BIG, 0);
    double *work = malloc(blas_qr_work(BIG, BIG) * sizeof *work);
    if (work == NULL) abort();
    memset(out, 0, RESULTS * sizeof *out);
    blas->gemm_tn(BIG, BIG, BIG, a, BIG, a, BIG, 0, product, BIG);
    blas->syrk_t(BIG, BIG, a, BIG, 0, gram, BIG);
    for (size_t i = 0; i < BIG; i++) gram[i * BIG + i] += 1;
    if (!blas->cholesky(BIG, gram, BIG)) abort();
    memcpy(solved, a, BIG * BIG * sizeof *a);
    blas->cholesky_solve(BIG, gram, BIG, BIG, solved, BIG);
    memcpy(triangle, a, BIG * BIG * sizeof *a);
    blas->qr_r(BIG, BIG, triangle, BIG, work);
    free(a), free(work);
    return NULL;
}

static double *room_for_results(void) {
    double *out = malloc(RESULTS * sizeof *out);
    assert_non_null(out);
    return out;
}

static void threads_of_the_library_change_nothing(void **state) {
    (void)state;
    double *expected = room_for_results(), *found = room_for_results();
    int outer = openblas_get_num_threads != NULL ? openblas_get_num_threads() : 1;
    blas_enter();
    run_all(expected);
    blas_leave();
    for (int threads = 1; threads <= 4; threads++) {
        if (openblas_set_num_threads != NULL) openblas_set_num_threads(threads);
        blas_enter();
        blas_enter(); /* as a second context would */
        blas_leave();
        run_all(found);
        blas_leave();
        assert_memory_equal(expected, found, RESULTS * sizeof *found);
        if (openblas_get_num_threads != NULL) {
            assert_int_equal(openblas_get_num_threads(), threads);
        }
    }
    if (openblas_set_num_threads != NULL) openblas_set_num_threads(outer);
    free(expected), free(found);
}

#ifdef SEPAL_WITH_THREADS
static void callers_at_once_change_nothing(void **state) {
    (void)state;
    pthread_t threads[CALLERS];
    double *expected = room_for_results(), *found[CALLERS];
    blas_enter();
    run_all(expected);
    for (size_t t = 0; t < CALLERS; t++) {
        found[t] = room_for_results();
        assert_int_equal(pthread_create(&threads[t], NULL, run_all, found[t]), 0);
    }
    for (size_t t = 0; t < CALLERS; t++) {
        assert_int_equal(pthread_join(threads[t], NULL), 0);
        assert_memory_equal(expected, found[t], RESULTS * sizeof *expected);
        free(found[t]);
    }
    blas_leave();
    free(expected);
}
#endif

/* Fortran's numbers have 32 bits: what is larger is done without it. One row, so that the distance to
   the next one may be anything. */
static void strides_may_be_large(void **state) {
    (void)state;
    const size_t far = (size_t)INT_MAX + 1;
    for (size_t s = 0; s < SETS; s++) {
        const struct blas *blas = set_at(s);
        double a = 3, b = 5, c = 7, *work = malloc(blas_qr_work(1, 1) * sizeof *work);
        assert_non_null(work);
        blas->gemm_tn(1, 1, 1, &a, far, &b, far, 1, &c, far);
        assert_true(c == 22);
        blas->syrk_t(1, 1, &a, far, 1, &c, far);
        assert_true(c == 31);
        c = 16;
        assert_true(blas->cholesky(1, &c, far) && c == 4);
        b = 8;
        blas->cholesky_solve(1, &c, far, 1, &b, far);
        assert_true(b == 0.5);
        blas->qr_r(1, 1, &a, far, work);
        assert_true(fabs(a) == 3);
        free(work);
    }
}

static void names_say_which_library(void **state) {
    (void)state;
    char name[64];
    blas_describe(name, sizeof name);
    const struct blas *blas = blas_choose();
    int major = 0, used = 0;
    if (blas == &blas_builtin) {
        assert_string_equal(name, "built-in");
        assert_false(blas->slow);
    } else if (openblas_set_num_threads != NULL) {
        assert_int_equal(sscanf(name, "OpenBLAS %d.%*[0-9.a-z]%n", &major, &used), 1);
        assert_int_equal(strlen(name), used);
        assert_false(blas->slow);
    } else {
        assert_string_equal(name, "reference BLAS");
        assert_true(blas->slow);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gemm_is_the_sum_of_products),
        cmocka_unit_test(products_of_skinny_matrices),
        cmocka_unit_test(syrk_fills_the_upper_triangle),
        cmocka_unit_test(cholesky_solves),
        cmocka_unit_test(cholesky_refuses_what_is_not_definite),
        cmocka_unit_test(qr_keeps_the_products_of_columns),
        cmocka_unit_test(qr_of_zeros_is_zero),
        cmocka_unit_test(threads_of_the_library_change_nothing),
#ifdef SEPAL_WITH_THREADS
        cmocka_unit_test(callers_at_once_change_nothing),
#endif
        cmocka_unit_test(strides_may_be_large),
        cmocka_unit_test(names_say_which_library),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
