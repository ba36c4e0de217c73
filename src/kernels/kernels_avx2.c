/* The kernels for x86-64 with AVX2, the same bits as kernels_ref.c: lane l lives in element l % 4
   of vector l / 4, product and sum are separate instructions, and missing elements of the last
   block count as +0 * +0, which changes no lane (see there). Compiled with -mavx2 and without
   -mfma. The sparse sums load their weights one by one: the gather instruction is not faster on
   current processors, slow where microcode guards it, and takes only signed indices. */
#include "kernels/sets.h"

#if KERNELS_HAVE_AVX2

#include <immintrin.h>

#define INLINE static inline __attribute__((always_inline))

enum { VECTOR = 4 }; /* doubles per vector */

struct lanes {
    __m256d v0, v1, v2, v3;
};

INLINE __m256d add_vectors(struct lanes sum) {
    return _mm256_add_pd(_mm256_add_pd(sum.v0, sum.v2), _mm256_add_pd(sum.v1, sum.v3));
}

INLINE double add_lanes(struct lanes sum) {
    __m256d all = add_vectors(sum);
    __m128d pair = _mm_add_pd(_mm256_castpd256_pd128(all), _mm256_extractf128_pd(all, 1));
    return _mm_cvtsd_f64(_mm_add_sd(pair, _mm_unpackhi_pd(pair, pair)));
}

/* A window of this table, all ones for the elements that are there. */
static const int64_t mask_table[2 * VECTOR] = {-1, -1, -1, -1, 0, 0, 0, 0};

INLINE __m256i mask_of(size_t left) {
    size_t have = left < VECTOR ? left : VECTOR;
    return _mm256_loadu_si256((const __m256i *)(const void *)(mask_table + VECTOR - have));
}

/* Four elements, or the first `left` of them and zeros for the rest. 0 means all four: it is a constant
   inside of a row and never occurs in its tail, so that neither has a branch. */
enum { WHOLE = 0 };

INLINE __m256d load_f64(const double *x, size_t left) {
    return left == WHOLE ? _mm256_loadu_pd(x) : _mm256_maskload_pd(x, mask_of(left));
}

INLINE __m256d load_f32(const float *x, size_t left) {
    if (left == WHOLE) return _mm256_cvtps_pd(_mm_loadu_ps(x));
    __m256i wide = mask_of(left);
    __m256i even = _mm256_permutevar8x32_epi32(wide, _mm256_setr_epi32(0, 2, 4, 6, 0, 2, 4, 6));
    return _mm256_cvtps_pd(_mm_maskload_ps(x, _mm256_castsi256_si128(even)));
}

INLINE __m256d pick(const double *w, const uint32_t *index, size_t left) {
    if (left == WHOLE || left >= VECTOR)
        return _mm256_setr_pd(w[index[0]], w[index[1]], w[index[2]], w[index[3]]);
    double w1 = left > 1 ? w[index[1]] : 0, w2 = left > 2 ? w[index[2]] : 0;
    return _mm256_setr_pd(w[index[0]], w1, w2, 0);
}

/* Whose products are summed; a sum leaves alone what it does not use. */
struct terms {
    const double *x;
    const float *x32;
    const double *c;
    const uint32_t *index;
    const double *w;
};

INLINE __m256d term_f64(const struct terms *t, size_t j, size_t left) {
    return _mm256_mul_pd(load_f64(t->x + j, left), load_f64(t->w + j, left));
}

INLINE __m256d term_f32(const struct terms *t, size_t j, size_t left) {
    return _mm256_mul_pd(load_f32(t->x32 + j, left), load_f64(t->w + j, left));
}

INLINE __m256d term_centred_f64(const struct terms *t, size_t j, size_t left) {
    __m256d x = _mm256_sub_pd(load_f64(t->x + j, left), load_f64(t->c + j, left));
    return _mm256_mul_pd(x, load_f64(t->w + j, left));
}

INLINE __m256d term_centred_f32(const struct terms *t, size_t j, size_t left) {
    __m256d x = _mm256_sub_pd(load_f32(t->x32 + j, left), load_f64(t->c + j, left));
    return _mm256_mul_pd(x, load_f64(t->w + j, left));
}

INLINE __m256d term_distance(const struct terms *t, size_t j, size_t left) {
    __m256d x = _mm256_sub_pd(load_f64(t->x + j, left), load_f64(t->c + j, left));
    return _mm256_mul_pd(x, x);
}

INLINE __m256d term_distance_scaled(const struct terms *t, size_t j, size_t left) {
    __m256d z = term_centred_f64(t, j, left);
    return _mm256_mul_pd(z, z);
}

INLINE __m256d term_gather_f64(const struct terms *t, size_t j, size_t left) {
    return _mm256_mul_pd(load_f64(t->x + j, left), pick(t->w, t->index + j, left));
}

INLINE __m256d term_gather_f32(const struct terms *t, size_t j, size_t left) {
    return _mm256_mul_pd(load_f32(t->x32 + j, left), pick(t->w, t->index + j, left));
}

INLINE __m256d term_gather_ones(const struct terms *t, size_t j, size_t left) {
    return pick(t->w, t->index + j, left);
}

INLINE __m256d term_magnitude(const struct terms *t, size_t j, size_t left) {
    return _mm256_andnot_pd(_mm256_set1_pd(-0.0), term_f64(t, j, left));
}

/* What all sums share: whole blocks of 16, then those vectors of the last block that have
   elements. `term` gives the terms of the 4 elements from j on; it is a constant, so the compiler
   inlines it. */
INLINE double sum_of(const struct terms *t, size_t n,
                     __m256d (*term)(const struct terms *, size_t j, size_t left)) {
    __m256d zero = _mm256_setzero_pd();
    struct lanes sum = {zero, zero, zero, zero};
    size_t j = 0;
    for (; n - j >= KERNEL_LANES; j += KERNEL_LANES) {
        sum.v0 = _mm256_add_pd(sum.v0, term(t, j, WHOLE));
        sum.v1 = _mm256_add_pd(sum.v1, term(t, j + VECTOR, WHOLE));
        sum.v2 = _mm256_add_pd(sum.v2, term(t, j + 2 * VECTOR, WHOLE));
        sum.v3 = _mm256_add_pd(sum.v3, term(t, j + 3 * VECTOR, WHOLE));
    }
    size_t left = n - j;
    if (left > 0) sum.v0 = _mm256_add_pd(sum.v0, term(t, j, left));
    if (left > 4) sum.v1 = _mm256_add_pd(sum.v1, term(t, j + 4, left - 4));
    if (left > 8) sum.v2 = _mm256_add_pd(sum.v2, term(t, j + 8, left - 8));
    if (left > 12) sum.v3 = _mm256_add_pd(sum.v3, term(t, j + 12, left - 12));
    return add_lanes(sum);
}

double avx2_dot_f64(const double *x, const double *w, size_t n) {
    return sum_of(&(struct terms){.x = x, .w = w}, n, term_f64);
}

double avx2_dot_f32(const float *x, const double *w, size_t n) {
    return sum_of(&(struct terms){.x32 = x, .w = w}, n, term_f32);
}

double avx2_dot_centred_f64(const double *x, const double *c, const double *w, size_t n) {
    return sum_of(&(struct terms){.x = x, .c = c, .w = w}, n, term_centred_f64);
}

double avx2_dot_centred_f32(const float *x, const double *c, const double *w, size_t n) {
    return sum_of(&(struct terms){.x32 = x, .c = c, .w = w}, n, term_centred_f32);
}

double avx2_distance_f64(const double *x, const double *c, size_t n) {
    return sum_of(&(struct terms){.x = x, .c = c}, n, term_distance);
}

double avx2_distance_scaled_f64(const double *x, const double *c, const double *w, size_t n) {
    return sum_of(&(struct terms){.x = x, .c = c, .w = w}, n, term_distance_scaled);
}

double avx2_gather_f64(const double *x, const uint32_t *index, const double *w, size_t n) {
    return sum_of(&(struct terms){.x = x, .index = index, .w = w}, n, term_gather_f64);
}

double avx2_gather_f32(const float *x, const uint32_t *index, const double *w, size_t n) {
    return sum_of(&(struct terms){.x32 = x, .index = index, .w = w}, n, term_gather_f32);
}

double avx2_gather_ones(const uint32_t *index, const double *w, size_t n) {
    return sum_of(&(struct terms){.index = index, .w = w}, n, term_gather_ones);
}

void avx2_axpy_f64(double a, const double *x, double *w, size_t n) {
    __m256d all = _mm256_set1_pd(a);
    size_t j = 0;
    for (; n - j >= VECTOR; j += VECTOR) {
        _mm256_storeu_pd(w + j, _mm256_add_pd(load_f64(w + j, WHOLE),
                                              _mm256_mul_pd(all, load_f64(x + j, WHOLE))));
    }
    for (; j < n; j++) w[j] += a * x[j];
}

void avx2_axpy_f32(double a, const float *x, double *w, size_t n) {
    __m256d all = _mm256_set1_pd(a);
    size_t j = 0;
    for (; n - j >= VECTOR; j += VECTOR) {
        _mm256_storeu_pd(w + j, _mm256_add_pd(load_f64(w + j, WHOLE),
                                              _mm256_mul_pd(all, load_f32(x + j, WHOLE))));
    }
    for (; j < n; j++) w[j] += a * (double)x[j];
}

/* ---- some rows at a time ------------------------------------------------------------------- */

/* What add_lanes makes of each of four rows. */
INLINE __m256d add_four(const __m256d row[4]) {
    __m256d first = _mm256_add_pd(_mm256_permute2f128_pd(row[0], row[1], 0x20),
                                  _mm256_permute2f128_pd(row[0], row[1], 0x31));
    __m256d second = _mm256_add_pd(_mm256_permute2f128_pd(row[2], row[3], 0x20),
                                   _mm256_permute2f128_pd(row[2], row[3], 0x31));
    return _mm256_permute4x64_pd(_mm256_hadd_pd(first, second), 0xd8);
}

/* Rows of at most 32 numbers, `vectors` vectors full or not: the weights stay where they are. */
INLINE void short_rows(double *out, const double *const *x, size_t rows, const double *w, size_t n,
                       size_t vectors, bool magnitudes) {
    __m256d sign = _mm256_set1_pd(magnitudes ? -0.0 : 0.0), zero = _mm256_setzero_pd();
    __m256d weight[8], four[4];
    __m256i mask = mask_of(n - (vectors - 1) * VECTOR);
    for (size_t v = 0; v < vectors; v++) weight[v] = load_f64(w + v * VECTOR, n - v * VECTOR);
    for (size_t i = 0; i < rows; i += 4) {
        for (size_t r = 0; r < 4; r++) {
            const double *row = x[i + r < rows ? i + r : rows - 1];
            __m256d sum[4] = {zero, zero, zero, zero};
            for (size_t v = 0; v < vectors; v++) {
                __m256d part = v + 1 < vectors ? load_f64(row + v * VECTOR, WHOLE)
                                               : _mm256_maskload_pd(row + v * VECTOR, mask);
                part = _mm256_andnot_pd(sign, _mm256_mul_pd(part, weight[v]));
                sum[v % 4] = _mm256_add_pd(sum[v % 4], part);
            }
            four[r] = add_vectors((struct lanes){sum[0], sum[1], sum[2], sum[3]});
        }
        if (i + 4 <= rows)
            _mm256_storeu_pd(out + i, add_four(four));
        else
            _mm256_maskstore_pd(out + i, mask_of(rows - i), add_four(four));
    }
}

INLINE bool rows_are_short(double *out, const double *const *x, size_t rows, const double *w,
                           size_t n, bool magnitudes) {
    switch ((n + VECTOR - 1) / VECTOR) {
    case 1: short_rows(out, x, rows, w, n, 1, magnitudes); return true;
    case 2: short_rows(out, x, rows, w, n, 2, magnitudes); return true;
    case 3: short_rows(out, x, rows, w, n, 3, magnitudes); return true;
    case 4: short_rows(out, x, rows, w, n, 4, magnitudes); return true;
    case 5: short_rows(out, x, rows, w, n, 5, magnitudes); return true;
    case 6: short_rows(out, x, rows, w, n, 6, magnitudes); return true;
    case 7: short_rows(out, x, rows, w, n, 7, magnitudes); return true;
    case 8: short_rows(out, x, rows, w, n, 8, magnitudes); return true;
    default: return false;
    }
}

static void avx2_dot_rows(double *out, const double *const *x, size_t rows, const double *w,
                          size_t n) {
    if (rows_are_short(out, x, rows, w, n, false)) return;
    for (size_t i = 0; i < rows; i++) out[i] = avx2_dot_f64(x[i], w, n);
}

static void avx2_magnitude_rows(double *out, const double *const *x, size_t rows, const double *w,
                                size_t n) {
    if (rows_are_short(out, x, rows, w, n, true)) return;
    for (size_t i = 0; i < rows; i++)
        out[i] = sum_of(&(struct terms){.x = x[i], .w = w}, n, term_magnitude);
}

/* The numbers of `vectors` vectors, whose sums stay where they are. */
INLINE void add_row_vectors(double *w, double *magnitude, const double *a, const double *const *x,
                            size_t rows, size_t j, size_t vectors) {
    __m256d sum[4], size[4], sign = _mm256_set1_pd(-0.0);
    for (size_t v = 0; v < vectors; v++) {
        sum[v] = load_f64(w + j + v * VECTOR, WHOLE);
        size[v] = magnitude ? load_f64(magnitude + j + v * VECTOR, WHOLE) : sign;
    }
    for (size_t i = 0; i < rows; i++) {
        __m256d all = _mm256_set1_pd(a[i]);
        for (size_t v = 0; v < vectors; v++) {
            __m256d term = _mm256_mul_pd(all, load_f64(x[i] + j + v * VECTOR, WHOLE));
            sum[v] = _mm256_add_pd(sum[v], term);
            if (magnitude) size[v] = _mm256_add_pd(size[v], _mm256_andnot_pd(sign, term));
        }
    }
    for (size_t v = 0; v < vectors; v++) {
        _mm256_storeu_pd(w + j + v * VECTOR, sum[v]);
        if (magnitude) _mm256_storeu_pd(magnitude + j + v * VECTOR, size[v]);
    }
}

INLINE void add_last_vector(double *w, double *magnitude, const double *a, const double *const *x,
                            size_t rows, size_t j, size_t left) {
    __m256i mask = mask_of(left);
    __m256d sum = _mm256_maskload_pd(w + j, mask), sign = _mm256_set1_pd(-0.0);
    __m256d size = magnitude ? _mm256_maskload_pd(magnitude + j, mask) : sign;
    for (size_t i = 0; i < rows; i++) {
        __m256d part = _mm256_maskload_pd(x[i] + j, mask);
        __m256d term = _mm256_mul_pd(_mm256_set1_pd(a[i]), part);
        sum = _mm256_add_pd(sum, term);
        if (magnitude) size = _mm256_add_pd(size, _mm256_andnot_pd(sign, term));
    }
    _mm256_maskstore_pd(w + j, mask, sum);
    if (magnitude) _mm256_maskstore_pd(magnitude + j, mask, size);
}

INLINE void add_all_vectors(double *w, double *magnitude, const double *a, const double *const *x,
                            size_t rows, size_t n) {
    size_t j = 0;
    for (; n - j >= KERNEL_LANES; j += KERNEL_LANES)
        add_row_vectors(w, magnitude, a, x, rows, j, 4);
    for (; n - j >= VECTOR; j += VECTOR) add_row_vectors(w, magnitude, a, x, rows, j, 1);
    if (j < n) add_last_vector(w, magnitude, a, x, rows, j, n - j);
}

/* ---- some columns at a time ---------------------------------------------------------------- */

/* `vectors` vectors of sums, the last one of `left` numbers or whole, stay where they are. */
INLINE void add_columns_to(double *out, const double *a, const double *x, size_t apart, size_t cols,
                           size_t vectors, size_t left) {
    __m256d sum[4];
    for (size_t v = 0; v < vectors; v++) sum[v] = load_f64(out + v * VECTOR, left);
    for (size_t k = 0; k < cols; k++) {
        __m256d all = _mm256_set1_pd(a[k]);
        for (size_t v = 0; v < vectors; v++) {
            __m256d part = load_f64(x + k * apart + v * VECTOR, left);
            sum[v] = _mm256_add_pd(sum[v], _mm256_mul_pd(all, part));
        }
    }
    for (size_t v = 0; v < vectors; v++) {
        if (left == WHOLE)
            _mm256_storeu_pd(out + v * VECTOR, sum[v]);
        else
            _mm256_maskstore_pd(out + v * VECTOR, mask_of(left), sum[v]);
    }
}

static void avx2_add_columns(double *out, const double *a, const double *x, size_t apart,
                             size_t cols, size_t n) {
    size_t i = 0;
    for (; n - i >= 4 * VECTOR; i += 4 * VECTOR)
        add_columns_to(out + i, a, x + i, apart, cols, 4, WHOLE);
    for (; n - i >= VECTOR; i += VECTOR) add_columns_to(out + i, a, x + i, apart, cols, 1, WHOLE);
    if (i < n) add_columns_to(out + i, a, x + i, apart, cols, 1, n - i);
}

/* 8 lanes are two vectors, the second of which may have nothing left. */
INLINE void dot_tile_step(__m256d sum[8][2], const double *by, size_t by_apart, size_t rows,
                          const double *x, size_t apart, size_t cols, size_t left) {
    for (size_t h = 0; h < 2; h++) {
        size_t have = left == WHOLE ? WHOLE : left - h * VECTOR;
        __m256d factor[2];
        if (left != WHOLE && left <= h * VECTOR) return;
        for (size_t r = 0; r < rows; r++)
            factor[r] = load_f64(by + r * by_apart + h * VECTOR, have);
        for (size_t k = 0; k < cols; k++) {
            __m256d part = load_f64(x + k * apart + h * VECTOR, have);
            for (size_t r = 0; r < rows; r++)
                sum[r * cols + k][h] =
                    _mm256_add_pd(sum[r * cols + k][h], _mm256_mul_pd(factor[r], part));
        }
    }
}

/* One row by at most 4 columns, or 2 by 2: their sums are in registers, and what is loaded serves several. */
INLINE void dot_tile(double *out, size_t out_apart, const double *by, size_t by_apart, size_t rows,
                     const double *x, size_t apart, size_t cols, size_t n) {
    __m256d zero = _mm256_setzero_pd(), sum[8][2];
    for (size_t k = 0; k < rows * cols; k++) sum[k][0] = sum[k][1] = zero;
    size_t i = 0;
    for (; n - i >= 2 * VECTOR; i += 2 * VECTOR)
        dot_tile_step(sum, by + i, by_apart, rows, x + i, apart, cols, WHOLE);
    if (i < n) dot_tile_step(sum, by + i, by_apart, rows, x + i, apart, cols, n - i);
    for (size_t k = 0; k < rows * cols; k++)
        out[k / cols * out_apart + k % cols] +=
            add_lanes((struct lanes){sum[k][0], zero, sum[k][1], zero});
}

INLINE void dot_tiles(double *out, size_t out_apart, const double *by, size_t by_apart, size_t rows,
                      const double *x, size_t apart, size_t cols, size_t n) {
    size_t most = 4 / rows;
    for (; cols >= most; cols -= most, out += most, x += most * apart)
        dot_tile(out, out_apart, by, by_apart, rows, x, apart, most, n);
    for (; cols > 0; cols--, out++, x += apart)
        dot_tile(out, out_apart, by, by_apart, rows, x, apart, 1, n);
}

KERNELS_BY_BRANCHES(avx2)

/* 4 rows of 4 numbers, of which `left` are there, as so many columns. */
INLINE void turn_tile(double *out, size_t apart, const double *x, size_t cols, size_t left) {
    __m256d a = load_f64(x, left), b = load_f64(x + cols, left);
    __m256d c = load_f64(x + 2 * cols, left), d = load_f64(x + 3 * cols, left);
    __m256d ab[2] = {_mm256_unpacklo_pd(a, b), _mm256_unpackhi_pd(a, b)};
    __m256d cd[2] = {_mm256_unpacklo_pd(c, d), _mm256_unpackhi_pd(c, d)};
    for (size_t j = 0; j < 4 && (left == WHOLE || j < left); j++) {
        __m256d column = j < 2 ? _mm256_permute2f128_pd(ab[j % 2], cd[j % 2], 0x20)
                               : _mm256_permute2f128_pd(ab[j % 2], cd[j % 2], 0x31);
        _mm256_storeu_pd(out + j * apart, column);
    }
}

void avx2_turn(double *out, size_t apart, const double *x, size_t rows, size_t cols) {
    size_t i = 0;
    for (; rows - i >= 4; i += 4, x += 4 * cols) {
        size_t j = 0;
        for (; cols - j >= VECTOR; j += VECTOR)
            turn_tile(out + j * apart + i, apart, x + j, cols, WHOLE);
        switch (cols - j) {
        case 3: turn_tile(out + j * apart + i, apart, x + j, cols, 3); break;
        case 2: turn_tile(out + j * apart + i, apart, x + j, cols, 2); break;
        case 1: turn_tile(out + j * apart + i, apart, x + j, cols, 1); break;
        default: break;
        }
    }
    for (; i < rows; i++, x += cols)
        for (size_t j = 0; j < cols; j++) out[j * apart + i] = x[j];
}

const struct kernels kernels_avx2 = {
    .name = "avx2", KERNELS_OF_ROWS(avx2), KERNELS_OF_PANELS(avx2), KERNELS_OF_ONE_SOURCE};

#endif
