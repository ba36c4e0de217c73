/* Laws of kernels/kernels.h: every set that this processor can use gives the reference's bits for any
   length, offset and value; the reference is as near to the true sum as its lanes promise; sparse
   kernels are the dense ones on picked weights. All arrays are heap blocks that end where the data
   ends, so that an address sanitizer sees any overreach. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "seed.h"
#include "kernels/kernels.h"

enum { SHORT = 67, WEIGHTS = 300 };

static const size_t long_sizes[] = {127, 128, 129, 255, 1000, 4099};
enum { LONG = sizeof long_sizes / sizeof *long_sizes, SIZES = SHORT + 1 + LONG };

static size_t size_at(size_t i) {
    return i <= SHORT ? i : long_sizes[i - SHORT - 1];
}

/* One row and its weights; the arrays begin `offset` elements into their blocks. */
struct row {
    size_t n;
    double *x, *c, *w, *blocks[3];
    float *x32, *block32;
    uint32_t *index;
    double *weights; /* what index points into */
};

/* Mostly plain numbers, with zeros of both signs, and sizes far apart. */
static double random_value(struct rng *rng) {
    double value = rng_unit(rng) - 0.5;
    switch (rng_below(rng, 8)) {
    case 0: return 0.0;
    case 1: return -0.0;
    case 2: return value * 1e12;
    case 3: return value * 1e-12;
    default: return value;
    }
}

static double *random_block(struct rng *rng, size_t n) {
    double *block = malloc((n + 1) * sizeof *block);
    assert_non_null(block);
    for (size_t i = 0; i < n; i++) block[i] = random_value(rng);
    return block;
}

static struct row make_row(struct rng *rng, size_t n, size_t offset) {
    struct row row = {.n = n};
    for (size_t b = 0; b < 3; b++) {
        double *block = malloc((n + offset) * sizeof *block + 1);
        assert_non_null(block);
        for (size_t i = 0; i < n; i++) block[offset + i] = random_value(rng);
        row.blocks[b] = block;
    }
    row.x = row.blocks[0] + offset, row.c = row.blocks[1] + offset, row.w = row.blocks[2] + offset;
    row.block32 = malloc((n + offset) * sizeof *row.block32 + 1);
    row.index = malloc(n * sizeof *row.index + 1);
    assert_non_null(row.block32);
    assert_non_null(row.index);
    row.x32 = row.block32 + offset;
    for (size_t i = 0; i < n; i++) row.x32[i] = (float)row.x[i];
    for (size_t i = 0; i < n; i++) row.index[i] = (uint32_t)rng_below(rng, WEIGHTS);
    row.weights = random_block(rng, WEIGHTS);
    return row;
}

static void free_row(struct row *row) {
    for (size_t b = 0; b < 3; b++) free(row->blocks[b]);
    free(row->block32);
    free(row->index);
    free(row->weights);
}

enum { SUMS = 9 };

static void all_sums(double out[SUMS], const struct kernels *k, const struct row *r) {
    out[0] = k->dot_f64(r->x, r->w, r->n);
    out[1] = k->dot_f32(r->x32, r->w, r->n);
    out[2] = k->dot_centred_f64(r->x, r->c, r->w, r->n);
    out[3] = k->dot_centred_f32(r->x32, r->c, r->w, r->n);
    out[4] = k->gather_f64(r->x, r->index, r->weights, r->n);
    out[5] = k->gather_f32(r->x32, r->index, r->weights, r->n);
    out[6] = k->gather_ones(r->index, r->weights, r->n);
    out[7] = k->distance_f64(r->x, r->c, r->n);
    out[8] = k->distance_scaled_f64(r->x, r->c, r->w, r->n);
}

/* The terms that sum s adds, in long double, where the product of two doubles is nearly exact. */
static long double term(const struct row *r, size_t s, size_t j) {
    long double x = s % 2 == 0 ? (long double)r->x[j] : (long double)r->x32[j];
    long double centred =
        s % 2 == 0 ? (long double)(r->x[j] - r->c[j]) : (long double)((double)r->x32[j] - r->c[j]);
    if (s == 8) {
        double z = (r->x[j] - r->c[j]) * r->w[j];
        return (long double)z * z;
    }
    if (s == 7) return (long double)(r->x[j] - r->c[j]) * (r->x[j] - r->c[j]);
    if (s < 2) return x * (long double)r->w[j];
    if (s < 4) return centred * (long double)r->w[j];
    if (s < 6) return x * (long double)r->weights[r->index[j]];
    return (long double)r->weights[r->index[j]];
}

static void every_set_gives_the_same_sums(void **state) {
    (void)state;
    const struct kernels *sets[KERNEL_SETS];
    size_t count = kernels_usable(sets);
    struct rng rng = rng_make(test_seed(1), 1);
    for (size_t i = 0; i < SIZES; i++) {
        for (size_t offset = 0; offset < 4; offset++) {
            struct row row = make_row(&rng, size_at(i), offset);
            double expected[SUMS], found[SUMS];
            all_sums(expected, &kernels_reference, &row);
            for (size_t s = 0; s < count; s++) {
                all_sums(found, sets[s], &row);
                assert_memory_equal(expected, found, sizeof expected);
            }
            free_row(&row);
        }
    }
}

static void sums_of_negative_zeros_are_zero(void **state) {
    (void)state;
    const struct kernels *sets[KERNEL_SETS];
    size_t count = kernels_usable(sets);
    struct rng rng = rng_make(test_seed(2), 1);
    for (size_t n = 0; n <= SHORT; n++) {
        struct row row = make_row(&rng, n, 1);
        for (size_t i = 0; i < n; i++) row.x[i] = row.x32[i] = -0.0f, row.c[i] = 0, row.w[i] = 1;
        for (size_t i = 0; i < WEIGHTS; i++) row.weights[i] = i % 2 == 0 ? 0.0 : -0.0;
        for (size_t s = 0; s < count; s++) {
            double found[SUMS];
            const double zeros[SUMS] = {0};
            all_sums(found, sets[s], &row);
            assert_memory_equal(found, zeros, sizeof zeros);
        }
        free_row(&row);
    }
}

/* Each lane adds at most ceil(n / 16) products and the tree 4 more levels: at most that many
   roundings, and one for the product, meet a term. */
static void reference_is_near_the_true_sum(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(3), 1);
    for (size_t i = 0; i < SIZES; i++) {
        struct row row = make_row(&rng, size_at(i), i % 3);
        double found[SUMS];
        all_sums(found, &kernels_reference, &row);
        for (size_t s = 0; s < SUMS; s++) {
            long double sum = 0, size = 0;
            for (size_t j = 0; j < row.n; j++) {
                sum += term(&row, s, j);
                size += fabsl(term(&row, s, j));
            }
            size_t roundings = row.n / KERNEL_LANES + 6;
            long double bound = (long double)roundings * size * DBL_EPSILON / 2;
            assert_true(fabsl((long double)found[s] - sum) <= bound);
        }
        free_row(&row);
    }
}

/* Bits that only a sum in the documented order has: 1 + 2^-53 is lost in one lane, kept across. */
static void lanes_are_those_documented(void **state) {
    (void)state;
    const struct kernels *sets[KERNEL_SETS];
    size_t count = kernels_usable(sets);
    double x[48] = {0}, ones[48];
    for (size_t j = 0; j < 48; j++) ones[j] = 1;
    for (size_t s = 0; s < count; s++) {
        for (size_t l = 0; l < KERNEL_LANES; l++) {
            for (size_t other = 0; other < KERNEL_LANES; other++) {
                memset(x, 0, sizeof x);
                x[l] = 1;
                x[16 + other] = x[32 + other] = 0x1p-53;
                double expected = l == other ? 1.0 : 1.0 + 0x1p-52;
                assert_true(sets[s]->dot_f64(x, ones, 48) == expected);
            }
        }
    }
}

static void axpy_is_the_same_everywhere(void **state) {
    (void)state;
    const struct kernels *sets[KERNEL_SETS];
    size_t count = kernels_usable(sets);
    struct rng rng = rng_make(test_seed(4), 1);
    for (size_t i = 0; i < SIZES; i++) {
        for (size_t offset = 0; offset < 4; offset++) {
            struct row row = make_row(&rng, size_at(i), offset);
            size_t bytes = row.n * sizeof(double);
            double a = random_value(&rng), *expected = malloc(bytes + 1);
            double *product = malloc(bytes + 1);
            assert_non_null(expected);
            assert_non_null(product);
            for (size_t s = 0; s < count; s++) {
                memcpy(row.c, row.w, bytes);
                for (size_t j = 0; j < row.n; j++) expected[j] = row.w[j] + a * row.x[j];
                sets[s]->axpy_f64(a, row.x, row.c, row.n);
                assert_memory_equal(row.c, expected, bytes);
                for (size_t j = 0; j < row.n; j++) expected[j] += a * (double)row.x32[j];
                sets[s]->axpy_f32(a, row.x32, row.c, row.n);
                assert_memory_equal(row.c, expected, bytes);
                for (size_t j = 0; j < row.n; j++) expected[j] = row.x[j] * row.w[j];
                sets[s]->times(product, row.x, row.w, row.n);
                assert_memory_equal(product, expected, bytes);
            }
            free(product);
            free(expected);
            free_row(&row);
        }
    }
}

/* Some rows at a time: the bits of one at a time, whatever their number and length. */
static void rows_are_as_one_by_one(void **state) {
    (void)state;
    enum { ROWS = 11, LONGEST = 70 };
    const struct kernels *sets[KERNEL_SETS];
    size_t count = kernels_usable(sets);
    struct rng rng = rng_make(test_seed(11), 1);
    for (size_t n = 0; n <= LONGEST; n++) {
        size_t rows = n % (ROWS + 1);
        double *block[ROWS], a[ROWS], *w = random_block(&rng, n);
        const double *x[ROWS];
        for (size_t i = 0; i < ROWS; i++) {
            x[i] = block[i] = random_block(&rng, n);
            a[i] = random_value(&rng);
        }
        for (size_t s = 0; s < count; s++) {
            double out[ROWS + 1], total[ROWS + 1], sum[LONGEST + 1], size[LONGEST + 1];
            double expected[LONGEST + 1], magnitude[LONGEST + 1] = {0};
            out[rows] = total[rows] = 17;
            sets[s]->dot_rows(out, x, rows, w, n);
            sets[s]->magnitude_rows(total, x, rows, w, n);
            memcpy(expected, w, n * sizeof *w);
            for (size_t i = 0; i < rows; i++) {
                double one = kernels_reference.dot_f64(x[i], w, n), same;
                assert_memory_equal(&out[i], &one, sizeof one);
                kernels_reference.magnitude_rows(&same, &x[i], 1, w, n);
                assert_memory_equal(&total[i], &same, sizeof same);
                double plain = 0;
                for (size_t j = 0; j < n; j++) plain += fabs(x[i][j] * w[j]);
                assert_true(fabs(plain - same) <= 1e-14 * plain);
                for (size_t j = 0; j < n; j++) {
                    expected[j] += a[i] * x[i][j];
                    magnitude[j] += fabs(a[i] * x[i][j]);
                }
            }
            assert_true(out[rows] == 17 && total[rows] == 17);
            memcpy(sum, w, n * sizeof *w);
            sets[s]->add_rows(sum, NULL, a, x, rows, n);
            assert_memory_equal(sum, expected, n * sizeof *sum);
            memcpy(sum, w, n * sizeof *w);
            memset(size, 0, sizeof size);
            sets[s]->add_rows(sum, size, a, x, rows, n);
            assert_memory_equal(sum, expected, n * sizeof *sum);
            assert_memory_equal(size, magnitude, n * sizeof *size);
        }
        for (size_t i = 0; i < ROWS; i++) free(block[i]);
        free(w);
    }
}

/* Some columns at a time: one set gives the bits of the other, and nothing behind the last number is read
   as one or written. */
static void columns_are_summed(void **state) {
    (void)state;
    enum { COLS = 9, LONGEST = 70, APART = LONGEST + 3, ROWS = 2 };
    const struct kernels *sets[KERNEL_SETS];
    size_t count = kernels_usable(sets);
    struct rng rng = rng_make(test_seed(12), 1);
    for (size_t n = 0; n <= LONGEST; n++) {
        size_t cols = n % (COLS + 1), rows = 1 + n % ROWS;
        double *x = random_block(&rng, COLS * APART), *a = random_block(&rng, COLS);
        double *by = random_block(&rng, ROWS * APART), *start = random_block(&rng, ROWS * APART);
        double first[ROWS * APART], other[ROWS * APART];
        for (size_t k = 0; k < COLS; k++) x[k * APART + n] = NAN;
        for (size_t r = 0; r < ROWS; r++) by[r * APART + n] = INFINITY;
        for (size_t s = 0; s < count; s++) {
            double *out = s ? other : first;
            memcpy(out, start, sizeof first);
            sets[s]->add_columns(out, a, x, APART, cols, n);
            for (size_t i = 0; i < n; i++) {
                double one = start[i];
                for (size_t k = 0; k < cols; k++) one += a[k] * x[k * APART + i];
                assert_memory_equal(&out[i], &one, sizeof one);
            }
            assert_memory_equal(out + n, start + n, sizeof first - n * sizeof *out);
            memcpy(out, start, sizeof first);
            sets[s]->dot_columns(out, APART, by, APART, rows, x, APART, cols, n);
            for (size_t r = 0; r < ROWS; r++) {
                for (size_t k = 0; k < APART; k++) {
                    size_t at = r * APART + k;
                    double plain = start[at], size = fabs(plain);
                    for (size_t i = 0; r < rows && k < cols && i < n; i++) {
                        plain += by[r * APART + i] * x[k * APART + i];
                        size += fabs(by[r * APART + i] * x[k * APART + i]);
                    }
                    assert_true(fabs(plain - out[at]) <= 1e-14 * size);
                }
            }
            assert_memory_equal(first, out, sizeof first);
        }
        free(x), free(a), free(by), free(start);
    }
}

/* Every number comes to its place, and nothing is written beside them. */
static void rows_are_turned(void **state) {
    (void)state;
    enum { MOST = 13, APART = MOST + 2 };
    const struct kernels *sets[KERNEL_SETS];
    size_t count = kernels_usable(sets);
    for (size_t rows = 0; rows <= MOST; rows++)
        for (size_t cols = 1; cols <= MOST; cols++) {
            double *x = malloc(rows * cols * sizeof *x + 1), out[MOST * APART];
            assert_non_null(x);
            for (size_t k = 0; k < rows * cols; k++) x[k] = (double)k;
            for (size_t s = 0; s < count; s++) {
                for (size_t k = 0; k < MOST * APART; k++) out[k] = -1;
                sets[s]->turn(out, APART, x, rows, cols);
                for (size_t j = 0; j < MOST; j++)
                    for (size_t i = 0; i < APART; i++) {
                        bool there = i < rows && j < cols;
                        assert_true(out[j * APART + i] == (there ? (double)(i * cols + j) : -1));
                    }
            }
            free(x);
        }
}

static void shifts_are_exact(void **state) {
    (void)state;
    enum { MOST = 70 };
    const struct kernels *sets[KERNEL_SETS];
    size_t count = kernels_usable(sets);
    struct rng rng = rng_make(test_seed(21), 1);
    double x[MOST], c[MOST], out[MOST + 1];
    float single[MOST];
    for (size_t n = 0; n <= MOST; n++) {
        double a = n % 3 ? 1 : rng_unit(&rng);
        for (size_t j = 0; j < n; j++) {
            x[j] = rng_unit(&rng) - 0.5;
            c[j] = rng_unit(&rng);
            single[j] = (float)x[j];
        }
        for (size_t s = 0; s < count; s++) {
            for (int form = 0; form < 4; form++) {
                const double *centre = form % 2 ? c : NULL;
                out[n] = 17;
                if (form < 2)
                    sets[s]->shift_f64(out, x, centre, a, n);
                else
                    sets[s]->shift_f32(out, single, centre, a, n);
                for (size_t j = 0; j < n; j++) {
                    double number = form < 2 ? x[j] : (double)single[j];
                    assert_true(out[j] == (centre ? number - c[j] : number) * a);
                }
                assert_true(out[n] == 17);
            }
        }
    }
}

static void numbers_are_surveyed(void **state) {
    (void)state;
    static const double odd[] = {0,       -0.0,    INFINITY, -INFINITY, NAN,
                                 DBL_MIN, DBL_MAX, -DBL_MAX, 5e-324};
    enum { ODD = sizeof odd / sizeof *odd, LONGEST = 70 };
    const struct kernels *sets[KERNEL_SETS];
    size_t count = kernels_usable(sets);
    struct rng rng = rng_make(test_seed(14), 1);
    for (size_t n = 0; n < LONGEST; n++) {
        double x[LONGEST];
        size_t zeros = 0, minus = 0, beyond = 0, got[3];
        for (size_t i = 0; i < n; i++) {
            x[i] = rng_below(&rng, 3) ? random_value(&rng) : odd[rng_below(&rng, ODD)];
            zeros += x[i] == 0;
            minus += x[i] == 0 && signbit(x[i]);
            beyond += isfinite(x[i]) ? 0 : 1;
        }
        for (size_t s = 0; s < count; s++) {
            sets[s]->survey(x, n, &got[0], &got[1], &got[2]);
            assert_true(got[0] == zeros && got[1] == minus && got[2] == beyond);
        }
    }
}

static void entropies_are_exact(void **state) {
    (void)state;
    enum { TRIES = 20000 };
    const struct kernels *sets[KERNEL_SETS];
    size_t count = kernels_usable(sets);
    struct rng rng = rng_make(test_seed(12), 1);
    for (size_t k = 0; k < TRIES; k++) {
        double a = rng_unit(&rng), found[KERNEL_SETS];
        if (k % 4 == 1) a = pow(10, -300 * a);
        if (k % 4 == 2) a = 1 - pow(10, -16 * a);
        if (k % 4 == 3) a = 0.5 + (a - 0.5) * 1e-3;
        if (k < 3) a = (double)k / 2;
        for (size_t s = 0; s < count; s++) {
            sets[s]->entropy(&a, 1, &found[s]);
            assert_memory_equal(&found[0], &found[s], sizeof *found);
        }
        long double low = a < 0.5 ? a : 1 - (long double)a;
        long double right = low > 0 ? -low * logl(low) - (1 - low) * log1pl(-low) : 0;
        assert_true(fabsl(found[0] - right) <= 8 * (DBL_EPSILON / 2) * right);
    }
}

/* Rows may name a column twice: additions then happen one after the other. */
static void scatter_adds_in_order(void **state) {
    (void)state;
    const struct kernels *sets[KERNEL_SETS];
    size_t count = kernels_usable(sets);
    struct rng rng = rng_make(test_seed(5), 1);
    for (size_t i = 0; i < SIZES; i++) {
        struct row row = make_row(&rng, size_at(i), i % 4);
        for (size_t j = 0; j < row.n && i % 2 == 0; j++) row.index[j] %= 5;
        double a = random_value(&rng), *start = random_block(&rng, WEIGHTS);
        for (size_t s = 0; s < count; s++) {
            double expected[WEIGHTS];
            memcpy(expected, start, sizeof expected);
            memcpy(row.weights, start, sizeof expected);
            for (size_t j = 0; j < row.n; j++) expected[row.index[j]] += a * row.x[j];
            sets[s]->scatter_f64(a, row.x, row.index, row.weights, row.n);
            assert_memory_equal(expected, row.weights, sizeof expected);
            for (size_t j = 0; j < row.n; j++) expected[row.index[j]] += a * (double)row.x32[j];
            sets[s]->scatter_f32(a, row.x32, row.index, row.weights, row.n);
            assert_memory_equal(expected, row.weights, sizeof expected);
            for (size_t j = 0; j < row.n; j++) expected[row.index[j]] += a;
            sets[s]->scatter_ones(a, row.index, row.weights, row.n);
            assert_memory_equal(expected, row.weights, sizeof expected);
        }
        free(start);
        free_row(&row);
    }
}

static void gathers_are_dots_of_picked_weights(void **state) {
    (void)state;
    const struct kernels *chosen = kernels_choose();
    struct rng rng = rng_make(test_seed(6), 1);
    for (size_t i = 0; i < SIZES; i++) {
        struct row row = make_row(&rng, size_at(i), 0);
        for (size_t j = 0; j < row.n && i % 2 == 0; j++) row.index[j] %= 5;
        for (size_t j = 0; j < row.n; j++) row.w[j] = row.weights[row.index[j]], row.c[j] = 1;
        double sums[SUMS], ones = chosen->dot_f64(row.c, row.w, row.n);
        all_sums(sums, chosen, &row);
        assert_memory_equal(sums, sums + 4, 2 * sizeof *sums);
        assert_memory_equal(&ones, sums + 6, sizeof ones);
        free_row(&row);
    }
}

static void the_environment_can_ask_for_a_set(void **state) {
    (void)state;
    const struct kernels *sets[KERNEL_SETS];
    size_t count = kernels_usable(sets);
    assert_ptr_equal(sets[count - 1], &kernels_reference);
    for (size_t s = 0; s < count; s++) {
        assert_int_equal(setenv("SEPAL_KERNELS", sets[s]->name, 1), 0);
        assert_ptr_equal(kernels_choose(), sets[s]);
    }
    assert_int_equal(setenv("SEPAL_KERNELS", "ref", 1), 0);
    assert_ptr_equal(kernels_choose(), &kernels_reference);
    assert_int_equal(unsetenv("SEPAL_KERNELS"), 0);
    assert_ptr_equal(kernels_choose(), sets[0]);
    assert_string_equal(kernels_reference.name, "reference");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_set_gives_the_same_sums),
        cmocka_unit_test(sums_of_negative_zeros_are_zero),
        cmocka_unit_test(reference_is_near_the_true_sum),
        cmocka_unit_test(lanes_are_those_documented),
        cmocka_unit_test(axpy_is_the_same_everywhere),
        cmocka_unit_test(rows_are_as_one_by_one),
        cmocka_unit_test(columns_are_summed),
        cmocka_unit_test(rows_are_turned),
        cmocka_unit_test(shifts_are_exact),
        cmocka_unit_test(numbers_are_surveyed),
        cmocka_unit_test(entropies_are_exact),
        cmocka_unit_test(scatter_adds_in_order),
        cmocka_unit_test(gathers_are_dots_of_picked_weights),
        cmocka_unit_test(the_environment_can_ask_for_a_set),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
