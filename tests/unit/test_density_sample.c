/* A million rows of every kind of density: their moments are the density's within five standard
   errors, and row i is the same whoever draws it. */
#include "core/alloc.h"
#include "seed.h"
#include "linear/density_sample.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#undef fail
#include <cmocka.h>

#include "fixture.h"

enum { COLS = 4, FORMS = 2, DRAWS = 1000000, LENGTH = 30 };

/* Two forms, the second of which is looked at. */
static struct density *make(enum density_kind kind) {
    static const double roots[COLS][COLS] = {/* below the diagonal nobody looks */
                                             {2, -1, 0.5, 3},
                                             {1e300, 0.1, 0.2, -0.4},
                                             {1e300, 1e300, 30, 1},
                                             {1e300, 1e300, 1e300, 1e-3}};
    static const double chances[COLS] = {0.1, 0.25, 0.05, 0.6}; /* their sum is 1 */
    struct density *d;
    assert_int_equal(density_new(&d, ctx, kind, FORMS, COLS), SEPAL_OK);
    for (size_t j = 0; j < COLS; j++) {
        d->mean[j] = -1;
        d->mean[COLS + j] = kind < DENSITY_MULTINOMIAL ? 10 * (double)j - 3 : log(chances[j]);
        if (kind == DENSITY_DIAGONAL) d->root[j] = 1, d->root[COLS + j] = roots[j][j];
        for (size_t i = 0; kind <= DENSITY_FULL && i < COLS; i++)
            d->root[(kind == DENSITY_FULL ? COLS * COLS : 0) + i * COLS + j] = roots[i][j];
    }
    if (kind == DENSITY_SPHERICAL) d->root[0] = 1, d->root[1] = 5;
    return d;
}

/* The mean and covariances that rows of the second form must have. */
struct moments {
    double mean[COLS], covariance[COLS][COLS];
};

static struct moments expected(const struct density *d, const double *centre) {
    struct moments m = {0};
    const double *mean = d->mean + COLS, *root = d->root;
    if (d->kind == DENSITY_FULL) root += COLS * COLS;
    for (size_t a = 0; a < COLS; a++) {
        double p = exp(mean[a]);
        m.mean[a] = mean[a] + centre[a];
        if (d->kind == DENSITY_MULTINOMIAL) m.mean[a] = LENGTH * p;
        if (d->kind == DENSITY_BERNOULLI) m.mean[a] = p;
        for (size_t b = 0; b < COLS; b++) {
            double q = exp(mean[b]), *cov = &m.covariance[a][b];
            switch (d->kind) {
            case DENSITY_MULTINOMIAL: *cov = LENGTH * ((a == b) * p - p * q); break;
            case DENSITY_BERNOULLI: *cov = a == b ? p * (1 - p) : 0; break;
            case DENSITY_DIAGONAL: *cov = a == b ? root[COLS + a] * root[COLS + a] : 0; break;
            case DENSITY_SPHERICAL: *cov = a == b ? root[1] * root[1] : 0; break;
            default:
                for (size_t i = 0; i <= a && i <= b; i++)
                    *cov += root[i * COLS + a] * root[i * COLS + b];
            }
        }
    }
    return m;
}

static void test_moments(void **state) {
    (void)state;
    static const double centre[COLS] = {1e6, 0, -2, 0.5};
    for (enum density_kind kind = 0; kind < DENSITY_KINDS; kind++) {
        struct density *d = make(kind);
        struct sampler sampler;
        struct moments m = expected(d, centre), found = {0};
        double squares[COLS][COLS] = {{0}}, row[COLS]; /* of the products, for their errors */
        assert_int_equal(sampler_init(&sampler, ctx, d, centre, LENGTH), SEPAL_OK);
        for (uint64_t i = 0; i < DRAWS; i++) {
            sampler_row(row, &sampler, ctx->kernels, 1, i, 1);
            for (size_t a = 0; a < COLS; a++) {
                found.mean[a] += (row[a] - m.mean[a]) / DRAWS;
                for (size_t b = 0; b <= a; b++) {
                    double product = (row[a] - m.mean[a]) * (row[b] - m.mean[b]);
                    found.covariance[a][b] += product / DRAWS;
                    squares[a][b] += product * product / DRAWS;
                }
            }
        }
        for (size_t a = 0; a < COLS; a++) {
            double variance = m.covariance[a][a];
            assert_true(fabs(found.mean[a]) < 5 * sqrt(variance / DRAWS));
            for (size_t b = 0; b <= a; b++) {
                double cov = found.covariance[a][b];
                double error = sqrt((squares[a][b] - cov * cov) / DRAWS);
                if (fabs(cov - m.covariance[a][b]) > 5 * error)
                    fail_msg("%s: covariance %zu %zu is %g, not %g (error %g)", density_names[kind],
                             a, b, cov, m.covariance[a][b], error);
            }
        }
        sampler_clear(&sampler);
        density_free(d);
    }
}

/* The order of draws does not matter; seeds and rows do; classes share their noise. */
static void test_rows_by_number(void **state) {
    (void)state;
    for (enum density_kind kind = 0; kind < DENSITY_KINDS; kind++) {
        struct density *d = make(kind);
        struct sampler sampler;
        double rows[64][COLS], again[COLS];
        size_t same = 0;
        assert_int_equal(sampler_init(&sampler, ctx, d, NULL, LENGTH), SEPAL_OK);
        for (uint64_t i = 0; i < 64; i++)
            sampler_row(rows[i], &sampler, &kernels_reference, 7, i, 1);
        for (uint64_t i = 64; i-- > 0;) {
            sampler_row(again, &sampler, ctx->kernels, 7, i, 1);
            assert_memory_equal(again, rows[i], sizeof again);
            sampler_row(again, &sampler, ctx->kernels, 8, i, 1);
            bool other = false, next = i == 0;
            double sum = 0;
            for (size_t j = 0; j < COLS; j++) {
                other = other || again[j] != rows[i][j];
                next = next || rows[i][j] != rows[i - 1][j];
                sum += rows[i][j];
            }
            same += (size_t)!other + (size_t)!next;
            if (kind == DENSITY_MULTINOMIAL) assert_true(sum == LENGTH);
        }
        assert_true(same < (kind < DENSITY_MULTINOMIAL ? 1 : 60));
        sampler_clear(&sampler);
        density_free(d);
    }
}

/* Columns that cannot be drawn are not, those that must be are. */
static void test_certain_counts(void **state) {
    (void)state;
    struct density *d = make(DENSITY_MULTINOMIAL);
    struct sampler sampler;
    double row[COLS];
    for (size_t j = 0; j < COLS; j++) d->mean[j] = j == 2 ? 0 : -800;
    assert_int_equal(sampler_init(&sampler, ctx, d, NULL, 1000), SEPAL_OK);
    for (uint64_t i = 0; i < 20; i++) {
        sampler_row(row, &sampler, ctx->kernels, 1, i, 0);
        assert_true(row[2] == 1000);
    }
    sampler_clear(&sampler);
    density_free(d);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_moments),
        cmocka_unit_test(test_rows_by_number),
        cmocka_unit_test(test_certain_counts),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
