/* Laws of dense/min_norm.h: the residual is orthogonal to every column, the weights are
   orthogonal to every vector that the matrix maps to zero (so no smaller ones do as well), the rank
   is exact, and units of columns change nothing but units of weights. Dependent columns are made
   of small integers, so that they depend exactly. */
#include "seed.h"
#include "kernels/blas.h"
#include "kernels/kernels.h"
#include "dense/min_norm.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h> /* after core/context.h: it defines a macro fail() */

enum { MOST = 40, MOST_K = 3 };

struct problem {
    size_t m, n, k, rank;
    double a[MOST * MOST], b[MOST * MOST_K];
    double null[MOST][MOST]; /* n - rank vectors with A null = 0 */
    double w[MOST * MOST_K];
};

static void make_context(sepal_ctx *ctx) {
    memset(ctx, 0, sizeof *ctx);
    ctx->root = ctx;
    ctx->kernels = kernels_choose();
}

static double random_integer(struct rng *rng, unsigned limit) {
    return (double)rng_below(rng, 2 * (uint64_t)limit + 1) - limit;
}

/* The first `rank` columns random, the others sums of up to three of them. */
static void make_problem(struct problem *p, struct rng *rng, size_t m, size_t n, size_t rank) {
    memset(p, 0, sizeof *p);
    p->m = m, p->n = n, p->rank = rank, p->k = 1 + rng_below(rng, MOST_K);
    for (size_t i = 0; i < m; i++) {
        for (size_t j = 0; j < rank; j++) p->a[i * n + j] = random_integer(rng, 1000);
    }
    for (size_t j = rank; j < n; j++) {
        double *null = p->null[j - rank];
        null[j] = -1;
        for (size_t t = 0; t < 3 && rank > 0; t++) {
            null[rng_below(rng, rank)] = random_integer(rng, 4);
        }
        for (size_t i = 0; i < m; i++) {
            for (size_t c = 0; c < rank; c++) p->a[i * n + j] += p->a[i * n + c] * null[c];
        }
    }
    for (size_t i = 0; i < m * p->k; i++) p->b[i] = random_integer(rng, 100);
}

static void solve_problem(struct problem *p) {
    sepal_ctx ctx;
    make_context(&ctx);
    size_t rank = 99, count = p->m * p->n;
    double *a = malloc((count + 1) * sizeof *a), *b = malloc((p->m * p->k + 1) * sizeof *b);
    assert_non_null(a);
    assert_non_null(b);
    memcpy(a, p->a, count * sizeof *a);
    memcpy(b, p->b, p->m * p->k * sizeof *b);
    for (size_t i = 0; i < p->n * p->k; i++) p->w[i] = NAN;
    assert_int_equal(min_norm_solve(p->w, &rank, &ctx, a, p->m, p->n, b, p->k), SEPAL_OK);
    assert_int_equal(rank, p->rank);
    free(a), free(b);
}

/* |sum of x_j y_j| is rounding of its terms. */
static bool orthogonal(const double *x, size_t x_step, const double *y, size_t y_step, size_t n,
                       double accuracy) {
    long double sum = 0, x_size = 0, y_size = 0;
    for (size_t j = 0; j < n; j++) {
        long double u = (long double)x[j * x_step], v = (long double)y[j * y_step];
        sum += u * v, x_size += u * u, y_size += v * v;
    }
    return fabsl(sum) <= (long double)accuracy * sqrtl(x_size * y_size);
}

static void check_residual(const struct problem *p) {
    for (size_t c = 0; c < p->k; c++) {
        long double size = 0;
        double residual[MOST];
        for (size_t i = 0; i < p->m; i++) {
            long double sum = (long double)p->b[i * p->k + c];
            size += sum * sum;
            for (size_t j = 0; j < p->n; j++) {
                sum -= (long double)p->a[i * p->n + j] * (long double)p->w[j * p->k + c];
            }
            residual[i] = (double)sum;
        }
        for (size_t j = 0; j < p->n; j++) {
            long double sum = 0, column = 0;
            for (size_t i = 0; i < p->m; i++) {
                long double x = (long double)p->a[i * p->n + j];
                sum += x * (long double)residual[i], column += x * x;
            }
            assert_true(fabsl(sum) <= 1e-11L * sqrtl(column * size));
        }
    }
}

/* Solved; whether by the solution of least norm. */
static bool is_least(struct problem *p, double accuracy) {
    bool least = true;
    solve_problem(p);
    check_residual(p);
    for (size_t v = 0; v < p->n - p->rank; v++)
        for (size_t c = 0; c < p->k; c++)
            least = least && orthogonal(p->null[v], 1, p->w + c, p->k, p->n, accuracy);
    return least;
}

static void check_all(struct problem *p, double accuracy) {
    assert_true(is_least(p, accuracy));
}

static void the_residual_and_the_null_space_are_orthogonal(void **state) {
    (void)state;
    static struct problem p;
    struct rng rng = rng_make(test_seed(1), 1);
    for (size_t t = 0; t < 600; t++) {
        size_t n = 1 + rng_below(&rng, MOST), rank = rng_below(&rng, n + 1);
        if (t % 3 == 0) rank = n;
        if (rank > MOST - 5) rank = MOST - 5;
        size_t m = rank + rng_below(&rng, MOST - rank) + (t % 2 == 0 ? 0 : 1);
        if (m < MOST && m < rank + 3) m = rank + 3; /* away from singular by chance */
        make_problem(&p, &rng, m, n, rank);
        check_all(&p, 1e-11);
    }
}

/* Fewer rows than columns: the null space is not known beforehand, but W must be A'U for some U,
   which makes W the answer for U's right-hand side. */
static void lanes_problems_have_weights_in_the_row_space(void **state) {
    (void)state;
    static struct problem p;
    struct rng rng = rng_make(test_seed(2), 1);
    for (size_t t = 0; t < 200; t++) {
        size_t n = 8 + rng_below(&rng, MOST - 8), m = 1 + rng_below(&rng, n - 6);
        double expected[MOST] = {0}, u[MOST], size = 0;
        make_problem(&p, &rng, m, n, n);
        p.rank = m, p.k = 1;
        for (size_t i = 0; i < m; i++) u[i] = random_integer(&rng, 5);
        for (size_t i = 0; i < m * n; i++) expected[i % n] += p.a[i] * u[i / n];
        memset(p.b, 0, sizeof p.b);
        for (size_t i = 0; i < m * n; i++) p.b[i / n] += p.a[i] * expected[i % n];
        solve_problem(&p);
        for (size_t j = 0; j < n; j++) size = fmax(size, fabs(expected[j]));
        for (size_t j = 0; j < n; j++) assert_true(fabs(p.w[j] - expected[j]) <= 1e-10 * size);
    }
}

static void known_weights_are_found(void **state) {
    (void)state;
    static struct problem p;
    struct rng rng = rng_make(test_seed(3), 1);
    for (size_t t = 0; t < 200; t++) {
        size_t n = 1 + rng_below(&rng, MOST - 6);
        double expected[MOST];
        make_problem(&p, &rng, n + 4, n, n);
        p.k = 1;
        memset(p.b, 0, sizeof p.b);
        for (size_t j = 0; j < n; j++) expected[j] = random_integer(&rng, 50);
        for (size_t i = 0; i < p.m * n; i++) p.b[i / n] += p.a[i] * expected[i % n];
        solve_problem(&p);
        for (size_t j = 0; j < n; j++) assert_true(fabs(p.w[j] - expected[j]) <= 1e-10 * 50);
    }
}

/* Column j in units of 2^e[j]: the weights in the inverse units, to nearly the last bits, when all
   columns are independent. */
static void units_of_columns_are_units_of_weights(void **state) {
    (void)state;
    static struct problem p, q;
    static const int exponents[] = {0, 500, -500, 1010, -900, 30};
    struct rng rng = rng_make(test_seed(4), 1);
    for (size_t t = 0; t < 100; t++) {
        size_t n = 1 + rng_below(&rng, 30);
        make_problem(&p, &rng, 35, n, n);
        q = p;
        for (size_t i = 0; i < p.m * n; i++) q.a[i] = ldexp(p.a[i], exponents[(i % n + t) % 6]);
        solve_problem(&p);
        solve_problem(&q);
        for (size_t i = 0; i < n * p.k; i++) {
            double w = ldexp(q.w[i], exponents[(i / p.k + t) % 6]);
            assert_true(fabs(w - p.w[i]) <= 1e-12 * fabs(p.w[i]) + 1e-15);
        }
    }
}

/* Each column twice, in units that differ by up to 300 powers of ten from pair to pair: a pair
   shares equally the weight that its column would have alone. */
static void pairs_of_any_scale_share_equally(void **state) {
    (void)state;
    static struct problem p, q;
    struct rng rng = rng_make(test_seed(5), 1);
    for (size_t t = 0; t < 100; t++) {
        size_t n = 1 + rng_below(&rng, MOST / 2);
        make_problem(&p, &rng, n + 5, n, n);
        p.k = 1;
        for (size_t j = 0; j < n; j++) {
            double unit = pow(10, random_integer(&rng, t % 2 == 0 ? 150 : 3));
            for (size_t i = 0; i < p.m; i++) p.a[i * n + j] *= unit;
        }
        q = p;
        q.n = 2 * n;
        for (size_t i = 0; i < p.m * 2 * n; i++) q.a[i] = p.a[i / (2 * n) * n + i % (2 * n) % n];
        solve_problem(&p);
        solve_problem(&q);
        for (size_t j = 0; j < 2 * n; j++) {
            double half = p.w[j % n] / 2;
            assert_true(fabs(q.w[j] - half) <= 1e-10 * fabs(half));
        }
    }
}

/* Any dependence between columns of any units (powers of two, to keep it exact). */
static void dependence_across_scales(void **state) {
    (void)state;
    static struct problem p;
    struct rng rng = rng_make(test_seed(8), 1);
    size_t seldom =
        0; /* that far apart rounding may pass for a part of N, or the other way round */
    for (size_t t = 0; t < 600; t++) {
        /* An excess of 1e-6 in W, orthogonal to it, makes it longer by 1e-12. */
        double accuracy = t % 2 == 0 ? 1e-10 : 1e-6;
        size_t n = 2 + rng_below(&rng, 28), rank = 1 + rng_below(&rng, n - 1);
        make_problem(&p, &rng, rank + 4, n, rank);
        for (size_t j = 0; j < n; j++) {
            int unit = (int)random_integer(&rng, t % 2 == 0 ? 8 : 400);
            for (size_t i = 0; i < p.m; i++) p.a[i * n + j] = ldexp(p.a[i * n + j], unit);
            for (size_t v = 0; v < n - rank; v++) p.null[v][j] = ldexp(p.null[v][j], -unit);
        }
        bool least = is_least(&p, accuracy);
        assert_true(least || t % 2 == 1);
        seldom += !least;
    }
    assert_true(seldom <= 3);
}

/* The same so far apart that quotients are below a double's range: it is still a solution. */
static void solutions_beyond_all_scales(void **state) {
    (void)state;
    static struct problem p;
    struct rng rng = rng_make(test_seed(9), 1);
    for (size_t t = 0; t < 300; t++) {
        size_t n = 2 + rng_below(&rng, 28), rank = 1 + rng_below(&rng, n - 1);
        make_problem(&p, &rng, rank + 4, n, rank);
        for (size_t j = 0; j < n; j++) {
            int unit = (int)random_integer(&rng, 700);
            for (size_t i = 0; i < p.m; i++) p.a[i * n + j] = ldexp(p.a[i * n + j], unit);
        }
        solve_problem(&p);
        check_residual(&p);
    }
}

/* A column and s times that column share in the ratio 1 : s. */
static void a_column_and_its_multiple(void **state) {
    (void)state;
    for (int e = -500; e <= 500; e += 25) {
        double s = ldexp(1, e), total = 1 + s * s;
        double a[6] = {1, s, 2, 2 * s, -1, -s}, b[3] = {3, 5, 7}, w[2], alone = 1;
        size_t rank;
        sepal_ctx ctx;
        make_context(&ctx);
        assert_int_equal(min_norm_solve(w, &rank, &ctx, a, 3, 2, b, 1), SEPAL_OK);
        assert_int_equal(rank, 1);
        assert_true(fabs(w[0] - alone / total) <= 1e-14 * alone / total);
        assert_true(fabs(w[1] - alone / total * s) <= 1e-14 * alone / total * s);
    }
}

static void zero_columns_get_zero(void **state) {
    (void)state;
    static struct problem p;
    struct rng rng = rng_make(test_seed(6), 1);
    for (size_t t = 0; t < 100; t++) {
        size_t n = 2 + rng_below(&rng, 20);
        make_problem(&p, &rng, 30, n, n);
        size_t zero = rng_below(&rng, n);
        for (size_t i = 0; i < p.m; i++) p.a[i * n + zero] = 0;
        p.rank = n - 1;
        memset(p.null, 0, sizeof p.null);
        p.null[0][zero] = 1;
        check_all(&p, 1e-11);
        for (size_t c = 0; c < p.k; c++) assert_true(p.w[zero * p.k + c] == 0);
    }
    make_problem(&p, &rng, 5, 4, 0);
    check_all(&p, 1e-11);
    for (size_t i = 0; i < 4 * p.k; i++) assert_true(p.w[i] == 0);
}

static void closed_forms(void **state) {
    (void)state;
    static const struct {
        size_t m, n, rank;
        double a[6], b[3], w[3];
    } cases[] = {
        {1, 2, 1, {1, 1}, {2}, {1, 1}},
        {1, 2, 1, {3, 4}, {25}, {3, 4}},
        {1, 3, 1, {1, 0, 2}, {5}, {1, 0, 2}},
        {3, 1, 1, {1, 1, 1}, {1, 2, 6}, {3}},
        {2, 2, 1, {1, 2, 2, 4}, {5, 10}, {1, 2}},
        {2, 2, 1, {1, 1, 1, 1}, {0, 2}, {0.5, 0.5}},
        {2, 2, 2, {1e150, 0, 0, 1e-150}, {1, 1}, {1e-150, 1e150}},
        {2, 3, 2, {1e150, 0, 0, 0, 1e-150, 1e-150}, {1, 1}, {1e-150, 5e149, 5e149}},
        {2, 3, 2, {1e-150, 1e-150, 1e150, 0, 0, 1e150}, {3, 1}, {1e150, 1e150, 1e-150}},
        {1, 2, 1, {1e300, 1e300}, {1e300}, {0.5, 0.5}},
        {2, 1, 1, {1.5e308, 1.5e308}, {15, 15}, {1e-307}},
        {2, 1, 1, {1e-300, 1e-300}, {1e-300, 3e-300}, {2}},
    };
    for (size_t t = 0; t < sizeof cases / sizeof *cases; t++) {
        static struct problem p;
        memset(&p, 0, sizeof p);
        p.m = cases[t].m, p.n = cases[t].n, p.k = 1, p.rank = cases[t].rank;
        memcpy(p.a, cases[t].a, sizeof cases[t].a);
        memcpy(p.b, cases[t].b, sizeof cases[t].b);
        solve_problem(&p);
        for (size_t j = 0; j < p.n; j++) {
            assert_true(fabs(p.w[j] - cases[t].w[j]) <= 1e-14 * fabs(cases[t].w[j]));
        }
    }
}

/* Indicators of every category beside a column of ones, and a sum of columns that are nearly
   parallel: what a QR of many rows leaves of their dependence must not look like a column. */
static void rounding_of_an_earlier_qr_is_no_rank(void **state) {
    (void)state;
    enum { ROWS = 1024, COLUMNS = 12, CATEGORIES = 4 };
    struct rng rng = rng_make(test_seed(7), 1);
    double *a = malloc(ROWS * COLUMNS * sizeof *a);
    double *work = malloc(blas_qr_work(ROWS, COLUMNS) * sizeof *work);
    assert_non_null(a);
    assert_non_null(work);
    for (size_t t = 0; t < 20; t++) {
        for (size_t i = 0; i < ROWS; i++) {
            double *row = a + i * COLUMNS, near = 100;
            memset(row, 0, COLUMNS * sizeof *row);
            row[rng_below(&rng, CATEGORIES)] = 1;
            row[CATEGORIES] = 1;
            for (size_t j = CATEGORIES + 1; j < COLUMNS - 1; j++) {
                row[j] = near += rng_unit(&rng) / 10;
                row[COLUMNS - 1] += row[j] * (j % 2 == 0 ? 1 : -1);
            }
        }
        (t % 2 == 0 ? &blas_builtin : blas_choose())->qr_r(ROWS, COLUMNS, a, COLUMNS, work);
        sepal_ctx ctx;
        make_context(&ctx);
        double w[COLUMNS], b[COLUMNS] = {1};
        size_t rank;
        sepal_status status = min_norm_solve(w, &rank, &ctx, a, COLUMNS, COLUMNS, b, 1);
        assert_int_equal(status, SEPAL_OK);
        assert_int_equal(rank, COLUMNS - 2);
    }
    free(a), free(work);
}

static void nothing_to_solve(void **state) {
    (void)state;
    sepal_ctx ctx;
    make_context(&ctx);
    double a[4] = {0}, b[4] = {0}, w[4] = {7, 7, 7, 7};
    size_t rank = 99;
    assert_int_equal(min_norm_solve(w, &rank, &ctx, a, 0, 2, b, 2), SEPAL_OK);
    assert_int_equal(rank, 0);
    for (size_t i = 0; i < 4; i++) assert_true(w[i] == 0);
    rank = 99;
    assert_int_equal(min_norm_solve(w, &rank, &ctx, a, 2, 0, b, 2), SEPAL_OK);
    assert_int_equal(rank, 0);
    a[0] = a[3] = 1;
    assert_int_equal(min_norm_solve(w, &rank, &ctx, a, 2, 2, b, 0), SEPAL_OK);
    assert_int_equal(rank, 2);
}

static void numbers_that_are_none_are_refused(void **state) {
    (void)state;
    sepal_ctx ctx;
    static const double bad[] = {NAN, INFINITY, -INFINITY};
    for (size_t t = 0; t < 6; t++) {
        make_context(&ctx);
        double a[4] = {1, 2, 3, 4}, b[2] = {1, 2}, w[2];
        size_t rank;
        *(t < 3 ? &a[t] : &b[1]) = bad[t % 3];
        assert_int_equal(min_norm_solve(w, &rank, &ctx, a, 2, 2, b, 1), SEPAL_EDATA);
    }
    make_context(&ctx);
    double a[1] = {1e-300}, b[1] = {1e300}, w[1];
    size_t rank;
    assert_int_equal(min_norm_solve(w, &rank, &ctx, a, 1, 1, b, 1), SEPAL_EDATA);
}

static void missing_memory_is_reported(void **state) {
    (void)state;
    sepal_status status = SEPAL_EMEMORY;
    size_t failures = 0;
    while (status != SEPAL_OK) {
        sepal_ctx ctx;
        make_context(&ctx);
        ctx.faults[FAULT_ALLOC].fail_at = failures + 1;
        double *a = calloc(60 * 70, sizeof *a), *b = calloc(60, sizeof *b);
        double *w = calloc(70, sizeof *w);
        size_t rank;
        assert_true(a != NULL && b != NULL && w != NULL);
        status = min_norm_solve(w, &rank, &ctx, a, 60, 70, b, 1);
        assert_true(status == SEPAL_OK || status == SEPAL_EMEMORY);
        if (status != SEPAL_OK) failures++;
        free(a), free(b), free(w);
    }
    assert_true(failures >= 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_residual_and_the_null_space_are_orthogonal),
        cmocka_unit_test(lanes_problems_have_weights_in_the_row_space),
        cmocka_unit_test(known_weights_are_found),
        cmocka_unit_test(units_of_columns_are_units_of_weights),
        cmocka_unit_test(pairs_of_any_scale_share_equally),
        cmocka_unit_test(dependence_across_scales),
        cmocka_unit_test(solutions_beyond_all_scales),
        cmocka_unit_test(a_column_and_its_multiple),
        cmocka_unit_test(zero_columns_get_zero),
        cmocka_unit_test(closed_forms),
        cmocka_unit_test(rounding_of_an_earlier_qr_is_no_rank),
        cmocka_unit_test(nothing_to_solve),
        cmocka_unit_test(numbers_that_are_none_are_refused),
        cmocka_unit_test(missing_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
