/* The kernels of kernels_avx2.c that have a lane for each class. */
#include "kernels/sets.h"

#if KERNELS_HAVE_AVX2

#include <immintrin.h>

#define INLINE static inline __attribute__((always_inline))

enum { VECTOR = 4 }; /* doubles */

INLINE size_t column_of(const uint32_t *index, size_t j) {
    return index ? index[j] : j;
}

/* Sums of `vectors` vectors of 8 singles, in 4 parts so that additions need not wait. */
INLINE void lanes_dot_of(float *out, const float *x, const uint32_t *index, size_t n,
                         const float *w, size_t lanes, size_t vectors) {
    __m256 sum[4][2];
    size_t j = 0;
    for (size_t p = 0; p < 4; p++)
        for (size_t v = 0; v < vectors; v++) sum[p][v] = _mm256_setzero_ps();
    for (; n - j >= 4; j += 4) {
        for (size_t p = 0; p < 4; p++) {
            const float *from = w + column_of(index, j + p) * lanes;
            __m256 all = _mm256_set1_ps(x[j + p]);
            for (size_t v = 0; v < vectors; v++)
                sum[p][v] =
                    _mm256_add_ps(sum[p][v], _mm256_mul_ps(all, _mm256_loadu_ps(from + 8 * v)));
        }
    }
    for (size_t p = 0; p < n - j; p++) {
        const float *from = w + column_of(index, j + p) * lanes;
        __m256 all = _mm256_set1_ps(x[j + p]);
        for (size_t v = 0; v < vectors; v++)
            sum[p][v] = _mm256_add_ps(sum[p][v], _mm256_mul_ps(all, _mm256_loadu_ps(from + 8 * v)));
    }
    for (size_t v = 0; v < vectors; v++)
        _mm256_storeu_ps(out + 8 * v, _mm256_add_ps(_mm256_add_ps(sum[0][v], sum[2][v]),
                                                    _mm256_add_ps(sum[1][v], sum[3][v])));
}

void avx2_lanes_dot(float *out, const float *x, const uint32_t *index, size_t n, const float *w,
                    size_t lanes, size_t used) {
    if (used == OVR_LANES_HALF)
        lanes_dot_of(out, x, index, n, w, lanes, 1);
    else
        lanes_dot_of(out, x, index, n, w, lanes, 2);
}

void avx2_lanes_fetch(const uint32_t *index, size_t n, const void *w, size_t bytes) {
    enum { LINE = 64 };
    const char *from = w;
    for (size_t j = 0; j < n; j++) _mm_prefetch(from + index[j] * bytes, _MM_HINT_T0);
    if (bytes <= LINE) return;
    for (size_t j = 0; j < n; j++) _mm_prefetch(from + index[j] * bytes + LINE, _MM_HINT_T0);
}

INLINE void lanes_add_of(float *w, const float *d, const float *x, const uint32_t *index, size_t n,
                         size_t lanes, size_t vectors) {
    __m256 step[2];
    for (size_t v = 0; v < vectors; v++) step[v] = _mm256_loadu_ps(d + 8 * v);
    for (size_t j = 0; j < n; j++) {
        float *to = w + column_of(index, j) * lanes;
        __m256 all = _mm256_set1_ps(x[j]);
        for (size_t v = 0; v < vectors; v++)
            _mm256_storeu_ps(to + 8 * v, _mm256_add_ps(_mm256_loadu_ps(to + 8 * v),
                                                       _mm256_mul_ps(all, step[v])));
    }
}

void avx2_lanes_add(float *w, const float *d, const float *x, const uint32_t *index, size_t n,
                    size_t lanes, size_t used) {
    if (used == OVR_LANES_HALF)
        lanes_add_of(w, d, x, index, n, lanes, 1);
    else
        lanes_add_of(w, d, x, index, n, lanes, 2);
}

/* The weights of a column: singles, or doubles where those are NULL. */
INLINE __m256d load_weights(const float *w, const double *w64, size_t at) {
    return w ? _mm256_cvtps_pd(_mm_loadu_ps(w + at)) : _mm256_loadu_pd(w64 + at);
}

/* Two partial sums: 16 lanes of doubles take 8 vectors already. */
INLINE void lanes_dot_of_doubles(double *out, const double *x, const uint32_t *index, size_t n,
                                 const float *w, const double *w64, size_t lanes, size_t vectors) {
    __m256d sum[2][4];
    for (size_t p = 0; p < 2; p++)
        for (size_t v = 0; v < vectors; v++) sum[p][v] = _mm256_setzero_pd();
    for (size_t j = 0; j < n; j += 2) {
        for (size_t p = 0; p < 2 && j + p < n; p++) {
            size_t from = column_of(index, j + p) * lanes;
            __m256d all = _mm256_set1_pd(x[j + p]);
            for (size_t v = 0; v < vectors; v++)
                sum[p][v] = _mm256_add_pd(
                    sum[p][v], _mm256_mul_pd(all, load_weights(w, w64, from + v * VECTOR)));
        }
    }
    for (size_t v = 0; v < vectors; v++)
        _mm256_storeu_pd(out + v * VECTOR, _mm256_add_pd(sum[0][v], sum[1][v]));
}

INLINE void lanes_dot_by_lanes(double *out, const double *x, const uint32_t *index, size_t n,
                               const float *w, const double *w64, size_t lanes, size_t used) {
    switch (used / VECTOR) {
    case 1: lanes_dot_of_doubles(out, x, index, n, w, w64, lanes, 1); break;
    case 2: lanes_dot_of_doubles(out, x, index, n, w, w64, lanes, 2); break;
    case 3: lanes_dot_of_doubles(out, x, index, n, w, w64, lanes, 3); break;
    default: lanes_dot_of_doubles(out, x, index, n, w, w64, lanes, 4);
    }
}

void avx2_lanes_dot_f64(double *out, const double *x, const uint32_t *index, size_t n,
                        const float *w, size_t lanes, size_t used) {
    if (w)
        lanes_dot_by_lanes(out, x, index, n, w, NULL, lanes, used); /* so the compiler knows it */
}

void avx2_lanes_dot_doubles(double *out, const double *x, const uint32_t *index, size_t n,
                            const double *w, size_t lanes, size_t used) {
    lanes_dot_by_lanes(out, x, index, n, NULL, w, lanes, used);
}

INLINE void lanes_add_f64_of(double *w, const double *d, const double *x, const uint32_t *index,
                             size_t n, size_t lanes, size_t vectors) {
    __m256d step[4];
    for (size_t v = 0; v < vectors; v++) step[v] = _mm256_loadu_pd(d + v * VECTOR);
    for (size_t j = 0; j < n; j++) {
        double *to = w + column_of(index, j) * lanes;
        __m256d all = _mm256_set1_pd(x[j]);
        for (size_t v = 0; v < vectors; v++)
            _mm256_storeu_pd(to + v * VECTOR, _mm256_add_pd(_mm256_loadu_pd(to + v * VECTOR),
                                                            _mm256_mul_pd(all, step[v])));
    }
}

void avx2_lanes_add_f64(double *w, const double *d, const double *x, const uint32_t *index,
                        size_t n, size_t lanes, size_t used) {
    switch (used / VECTOR) {
    case 1: lanes_add_f64_of(w, d, x, index, n, lanes, 1); break;
    case 2: lanes_add_f64_of(w, d, x, index, n, lanes, 2); break;
    case 3: lanes_add_f64_of(w, d, x, index, n, lanes, 3); break;
    default: lanes_add_f64_of(w, d, x, index, n, lanes, 4);
    }
}

#endif
