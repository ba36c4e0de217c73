/* The softmax of kernels_avx2.c: what is of one row alone. */
#include "kernels/sets.h"

#if KERNELS_HAVE_AVX2

#include <immintrin.h>

/* All bits of the last vector's numbers that count. */
static __m256d counting(size_t classes, size_t lanes) {
    long long part[SOFTMAX_LANES];
    for (size_t l = 0; l < SOFTMAX_LANES; l++)
        part[l] = lanes - SOFTMAX_LANES + l < classes ? -1 : 0;
    return _mm256_castsi256_pd(_mm256_loadu_si256((const __m256i *)(const void *)part));
}

static double most_of(__m256d x) {
    __m128d half = _mm_max_pd(_mm256_castpd256_pd128(x), _mm256_extractf128_pd(x, 1));
    return _mm_cvtsd_f64(_mm_max_sd(half, _mm_unpackhi_pd(half, half)));
}

static double least_of(__m256d x) {
    __m128d half = _mm_min_pd(_mm256_castpd256_pd128(x), _mm256_extractf128_pd(x, 1));
    return _mm_cvtsd_f64(_mm_min_sd(half, _mm_unpackhi_pd(half, half)));
}

/* In the order of simplex_sum. */
static double sum_of(__m256d x) {
    __m128d half = _mm_add_pd(_mm256_castpd256_pd128(x), _mm256_extractf128_pd(x, 1));
    return _mm_cvtsd_f64(_mm_add_sd(half, _mm_unpackhi_pd(half, half)));
}

void avx2_softmax_begin(struct softmax_panel *panel, const double *score, size_t n, size_t classes,
                        size_t lanes, double *p) {
    const __m256d none = _mm256_setzero_pd(), low = _mm256_set1_pd(-INFINITY);
    const __m256d counts = counting(classes, lanes), step = _mm256_set1_pd(SOFTMAX_LANES);
    size_t last = lanes - SOFTMAX_LANES;
    for (size_t i = 0; i < n; i++, score += lanes, p += lanes) {
        /* the second operand stays where one is no number */
        __m256d tail = _mm256_loadu_pd(score + last), all = none, largest = low;
        for (size_t l = 0; l < last; l += SOFTMAX_LANES) {
            __m256d s = _mm256_loadu_pd(score + l);
            largest = _mm256_max_pd(s, largest);
            all = _mm256_add_pd(all, s);
        }
        all = _mm256_add_pd(all, _mm256_and_pd(tail, counts));
        largest = _mm256_max_pd(_mm256_blendv_pd(low, tail, counts), largest);
        __m256d most = _mm256_set1_pd(most_of(largest)), at = _mm256_setr_pd(0, 1, 2, 3);
        __m256d first = _mm256_set1_pd((double)classes);
        for (size_t l = 0; l < lanes; l += SOFTMAX_LANES) {
            __m256d s = _mm256_loadu_pd(score + l), is = _mm256_cmp_pd(s, most, _CMP_EQ_OQ);
            first = _mm256_min_pd(_mm256_blendv_pd(first, at, is), first);
            at = _mm256_add_pd(at, step);
            /* what is no number becomes 0 */
            _mm256_storeu_pd(p + l, _mm256_max_pd(_mm256_sub_pd(most, s), none));
        }
        size_t best = (size_t)least_of(first);
        panel->best[i] = best < classes ? best : 0;
        panel->all[i] = sum_of(all);
    }
}

void avx2_softmax_end(struct softmax_panel *panel, size_t n, size_t classes, size_t lanes,
                      double *p) {
    const __m256d counts = counting(classes, lanes);
    const __m256i step = _mm256_set1_epi64x(SOFTMAX_LANES);
    size_t last = lanes - SOFTMAX_LANES;
    for (size_t i = 0; i < n; i++, p += lanes) {
        __m256i best = _mm256_set1_epi64x((long long)panel->best[i]);
        __m256i at = _mm256_setr_epi64x(0, 1, 2, 3);
        __m256d sum = _mm256_setzero_pd(), part, tail = _mm256_loadu_pd(p + last);
        for (size_t l = 0; l < last; l += SOFTMAX_LANES) {
            __m256d is = _mm256_castsi256_pd(_mm256_cmpeq_epi64(at, best));
            sum = _mm256_add_pd(sum, _mm256_andnot_pd(is, _mm256_loadu_pd(p + l)));
            at = _mm256_add_epi64(at, step);
        }
        tail = _mm256_and_pd(tail, counts);
        __m256d is = _mm256_castsi256_pd(_mm256_cmpeq_epi64(at, best));
        sum = _mm256_add_pd(sum, _mm256_andnot_pd(is, tail));
        double others = sum_of(sum);
        part = _mm256_set1_pd(1 / (1 + others));
        for (size_t l = 0; l < last; l += SOFTMAX_LANES)
            _mm256_storeu_pd(p + l, _mm256_mul_pd(_mm256_loadu_pd(p + l), part));
        _mm256_storeu_pd(p + last, _mm256_mul_pd(tail, part));
        panel->others[i] = others;
    }
}

KERNEL_SOFTMAX(avx2, avx2_softmax_begin, avx2_softmax_end)

#endif
