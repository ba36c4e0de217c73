/* The kernels that gain by vectors of 8 doubles, with AVX-512; the same bits as kernels_ref.c: lane l lives in
   element l % 8 of vector l / 8, and missing elements count as +0 * +0, which changes no lane. Compiled
   with -mavx512f and its like and -ffp-contract=off, so that no product and sum become one. */
#include "kernels/sets.h"

#if KERNELS_HAVE_AVX2

#include <immintrin.h>

#define INLINE static inline __attribute__((always_inline))

enum { VECTOR = 8, SHORT = 4 * VECTOR };

INLINE __mmask8 mask_of(size_t left) {
    return (__mmask8)(left < VECTOR ? (1U << left) - 1 : 0xffU);
}

INLINE __m512d load(const double *x, __mmask8 mask) {
    return _mm512_maskz_loadu_pd(mask, x);
}

/* ---- some rows at a time ------------------------------------------------------------------- */

/* The sums of each of eight rows: of 8 lanes those of distance 4 are added, then 2, then 1, as in
   kernels_ref.c. */
INLINE __m512d add_eight(const __m512d row[8]) {
    __m512d four[4], two[2];
    for (size_t p = 0; p < 4; p++)
        four[p] = _mm512_add_pd(_mm512_shuffle_f64x2(row[2 * p], row[2 * p + 1], 0x44),
                                _mm512_shuffle_f64x2(row[2 * p], row[2 * p + 1], 0xee));
    for (size_t p = 0; p < 2; p++)
        two[p] = _mm512_add_pd(_mm512_shuffle_f64x2(four[2 * p], four[2 * p + 1], 0x88),
                               _mm512_shuffle_f64x2(four[2 * p], four[2 * p + 1], 0xdd));
    __m512d mixed =
        _mm512_add_pd(_mm512_unpacklo_pd(two[0], two[1]), _mm512_unpackhi_pd(two[0], two[1]));
    return _mm512_permutexvar_pd(_mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7), mixed);
}

INLINE __m512d add_term(__m512d sum, __m512d x, __m512d w, bool magnitudes) {
    __m512d term = _mm512_mul_pd(x, w);
    return _mm512_add_pd(sum, magnitudes ? _mm512_abs_pd(term) : term);
}

/* Eight rows of `vectors` vectors, the last one by its mask: the weights stay where they are. */
INLINE __m512d eight_short_rows(const double *const row[8], const __m512d *weight, size_t vectors,
                                __mmask8 mask, bool magnitudes) {
    __m512d zero = _mm512_setzero_pd(), eight[8];
    for (size_t r = 0; r < 8; r++) {
        __m512d sum[2] = {zero, zero};
        for (size_t v = 0; v < vectors; v++) {
            __m512d x = load(row[r] + v * VECTOR, v + 1 < vectors ? 0xff : mask);
            sum[v % 2] = add_term(sum[v % 2], x, weight[v], magnitudes);
        }
        eight[r] = _mm512_add_pd(sum[0], sum[1]);
    }
    return add_eight(eight);
}

INLINE void two_vectors(__m512d sum[8][2], const double *const row[8], const double *w, size_t j,
                        size_t left, bool magnitudes) {
    for (size_t v = 0; v < 2 && left > v * VECTOR; v++) {
        __mmask8 mask = mask_of(left - v * VECTOR);
        __m512d weight = load(w + j + v * VECTOR, mask);
        for (size_t r = 0; r < 8; r++)
            sum[r][v] =
                add_term(sum[r][v], load(row[r] + j + v * VECTOR, mask), weight, magnitudes);
    }
}

INLINE __m512d eight_long_rows(const double *const row[8], const double *w, size_t n,
                               bool magnitudes) {
    __m512d sum[8][2], eight[8];
    size_t j = 0;
    for (size_t r = 0; r < 8; r++) sum[r][0] = sum[r][1] = _mm512_setzero_pd();
    for (; n - j >= KERNEL_LANES; j += KERNEL_LANES)
        two_vectors(sum, row, w, j, KERNEL_LANES, magnitudes);
    if (j < n) two_vectors(sum, row, w, j, n - j, magnitudes);
    for (size_t r = 0; r < 8; r++) eight[r] = _mm512_add_pd(sum[r][0], sum[r][1]);
    return add_eight(eight);
}

/* `vectors` of each row; 0: more than the registers hold. */
INLINE void sums_of_rows(double *out, const double *const *x, size_t rows, const double *w,
                         size_t n, size_t vectors, bool magnitudes) {
    __mmask8 mask = vectors > 0 ? mask_of(n - (vectors - 1) * VECTOR) : 0;
    __m512d weight[SHORT / VECTOR];
    for (size_t v = 0; v < vectors; v++)
        weight[v] = load(w + v * VECTOR, v + 1 < vectors ? 0xff : mask);
    for (size_t i = 0; i < rows; i += 8) {
        const double *row[8];
        for (size_t r = 0; r < 8; r++) row[r] = x[i + r < rows ? i + r : rows - 1];
        __m512d sums = vectors > 0 ? eight_short_rows(row, weight, vectors, mask, magnitudes)
                                   : eight_long_rows(row, w, n, magnitudes);
        _mm512_mask_storeu_pd(out + i, mask_of(rows - i), sums);
    }
}

INLINE void sums_by_length(double *out, const double *const *x, size_t rows, const double *w,
                           size_t n, bool magnitudes) {
    switch ((n + VECTOR - 1) / VECTOR) {
    case 1: sums_of_rows(out, x, rows, w, n, 1, magnitudes); break;
    case 2: sums_of_rows(out, x, rows, w, n, 2, magnitudes); break;
    case 3: sums_of_rows(out, x, rows, w, n, 3, magnitudes); break;
    case 4: sums_of_rows(out, x, rows, w, n, 4, magnitudes); break;
    default: sums_of_rows(out, x, rows, w, n, 0, magnitudes);
    }
}

static void avx512_dot_rows(double *out, const double *const *x, size_t rows, const double *w,
                            size_t n) {
    sums_by_length(out, x, rows, w, n, false);
}

static void avx512_magnitude_rows(double *out, const double *const *x, size_t rows, const double *w,
                                  size_t n) {
    sums_by_length(out, x, rows, w, n, true);
}

/* The numbers of `vectors` vectors, the last one by its mask, whose sums stay where they are. */
INLINE void add_row_vectors(double *w, double *magnitude, const double *a, const double *const *x,
                            size_t rows, size_t j, size_t vectors, __mmask8 last) {
    __m512d sum[4], size[4];
    __mmask8 mask[4];
    for (size_t v = 0; v < vectors; v++) {
        mask[v] = v + 1 < vectors ? 0xff : last;
        sum[v] = load(w + j + v * VECTOR, mask[v]);
        size[v] = magnitude ? load(magnitude + j + v * VECTOR, mask[v]) : _mm512_setzero_pd();
    }
    for (size_t i = 0; i < rows; i++) {
        __m512d all = _mm512_set1_pd(a[i]);
        for (size_t v = 0; v < vectors; v++) {
            __m512d term = _mm512_mul_pd(all, load(x[i] + j + v * VECTOR, mask[v]));
            sum[v] = _mm512_add_pd(sum[v], term);
            if (magnitude) size[v] = _mm512_add_pd(size[v], _mm512_abs_pd(term));
        }
    }
    for (size_t v = 0; v < vectors; v++) {
        _mm512_mask_storeu_pd(w + j + v * VECTOR, mask[v], sum[v]);
        if (magnitude) _mm512_mask_storeu_pd(magnitude + j + v * VECTOR, mask[v], size[v]);
    }
}

INLINE void add_all_vectors(double *w, double *magnitude, const double *a, const double *const *x,
                            size_t rows, size_t n) {
    size_t j = 0, vectors;
    for (; n - j >= SHORT; j += SHORT) add_row_vectors(w, magnitude, a, x, rows, j, 4, 0xff);
    vectors = (n - j + VECTOR - 1) / VECTOR;
    __mmask8 last = vectors > 0 ? mask_of(n - j - (vectors - 1) * VECTOR) : 0;
    switch (vectors) {
    case 1: add_row_vectors(w, magnitude, a, x, rows, j, 1, last); break;
    case 2: add_row_vectors(w, magnitude, a, x, rows, j, 2, last); break;
    case 3: add_row_vectors(w, magnitude, a, x, rows, j, 3, last); break;
    case 4: add_row_vectors(w, magnitude, a, x, rows, j, 4, last); break;
    default: break;
    }
}

/* ---- some columns at a time ---------------------------------------------------------------- */

/* `vectors` vectors of sums, all by the mask, stay where they are. */
INLINE void add_columns_to(double *out, const double *a, const double *x, size_t apart, size_t cols,
                           size_t vectors, __mmask8 mask) {
    __m512d sum[8];
    for (size_t v = 0; v < vectors; v++) sum[v] = load(out + v * VECTOR, mask);
    for (size_t k = 0; k < cols; k++) {
        __m512d all = _mm512_set1_pd(a[k]);
        for (size_t v = 0; v < vectors; v++)
            sum[v] =
                _mm512_add_pd(sum[v], _mm512_mul_pd(all, load(x + k * apart + v * VECTOR, mask)));
    }
    for (size_t v = 0; v < vectors; v++) _mm512_mask_storeu_pd(out + v * VECTOR, mask, sum[v]);
}

static void avx512_add_columns(double *out, const double *a, const double *x, size_t apart,
                               size_t cols, size_t n) {
    size_t i = 0;
    for (; n - i >= 8 * VECTOR; i += 8 * VECTOR)
        add_columns_to(out + i, a, x + i, apart, cols, 8, 0xff);
    for (; i < n; i += VECTOR) add_columns_to(out + i, a, x + i, apart, cols, 1, mask_of(n - i));
}

INLINE void dot_tile_step(__m512d sum[2][4], const double *by, size_t by_apart, size_t rows,
                          const double *x, size_t apart, size_t cols, __mmask8 mask) {
    __m512d factor[2];
    for (size_t r = 0; r < rows; r++) factor[r] = load(by + r * by_apart, mask);
    for (size_t k = 0; k < cols; k++) {
        __m512d part = load(x + k * apart, mask);
        for (size_t r = 0; r < rows; r++)
            sum[r][k] = _mm512_add_pd(sum[r][k], _mm512_mul_pd(factor[r], part));
    }
}

/* At most 2 rows by 4 columns: their sums are in registers, and what is loaded serves several. */
INLINE void dot_tile(double *out, size_t out_apart, const double *by, size_t by_apart, size_t rows,
                     const double *x, size_t apart, size_t cols, size_t n) {
    __m512d zero = _mm512_setzero_pd(),
            sum[2][4] = {{zero, zero, zero, zero}, {zero, zero, zero, zero}};
    size_t i = 0;
    for (; n - i >= VECTOR; i += VECTOR)
        dot_tile_step(sum, by + i, by_apart, rows, x + i, apart, cols, 0xff);
    if (i < n) dot_tile_step(sum, by + i, by_apart, rows, x + i, apart, cols, mask_of(n - i));
    double part[8];
    _mm512_storeu_pd(part, add_eight((__m512d[8]){sum[0][0], sum[0][1], sum[0][2], sum[0][3],
                                                  sum[1][0], sum[1][1], sum[1][2], sum[1][3]}));
    for (size_t r = 0; r < rows; r++)
        for (size_t k = 0; k < cols; k++) out[r * out_apart + k] += part[4 * r + k];
}

INLINE void dot_tiles(double *out, size_t out_apart, const double *by, size_t by_apart, size_t rows,
                      const double *x, size_t apart, size_t cols, size_t n) {
    for (; cols >= 4; cols -= 4, out += 4, x += 4 * apart)
        dot_tile(out, out_apart, by, by_apart, rows, x, apart, 4, n);
    switch (cols) {
    case 3: dot_tile(out, out_apart, by, by_apart, rows, x, apart, 3, n); break;
    case 2: dot_tile(out, out_apart, by, by_apart, rows, x, apart, 2, n); break;
    case 1: dot_tile(out, out_apart, by, by_apart, rows, x, apart, 1, n); break;
    default: break;
    }
}

KERNELS_BY_BRANCHES(avx512)

/* The exponentials and logarithms, most of the work, by wider vectors; a row's own sums are in 4 lanes. */
static KERNEL_SOFTMAX(avx512, avx2_softmax_begin, avx2_softmax_end)

    const struct kernels kernels_avx512 = {
        .name = "avx512", KERNELS_OF_ROWS(avx2), KERNELS_OF_PANELS(avx512), KERNELS_OF_ONE_SOURCE};

#endif
