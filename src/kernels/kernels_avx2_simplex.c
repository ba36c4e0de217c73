/* The kernels of kernels_avx2.c for points of the simplex. */
#include "kernels/sets.h"

#if KERNELS_HAVE_AVX2

#include <immintrin.h>
#include <limits.h>

enum { VECTOR = 4 }; /* doubles */

static double largest_of(const double *z, size_t lanes) {
    __m256d most = _mm256_set1_pd(-INFINITY);
    double part[VECTOR], largest = -INFINITY;
    /* the second operand stays where one is no number */
    for (size_t k = 0; k < lanes; k += VECTOR) most = _mm256_max_pd(_mm256_loadu_pd(z + k), most);
    _mm256_storeu_pd(part, most);
    for (size_t l = 0; l < VECTOR; l++) largest = part[l] > largest ? part[l] : largest;
    return largest;
}

static int bits_set(int mask) {
    return __builtin_popcount((unsigned)mask);
}

size_t avx2_simplex_project(double *z, size_t lanes) {
    double largest = largest_of(z, lanes), theta = -1;
    if (!(fabs(largest) < HUGE_VAL)) return 0;
    __m256d most = _mm256_set1_pd(largest), threshold;
    for (size_t k = 0; k < lanes; k += VECTOR)
        _mm256_storeu_pd(z + k, _mm256_sub_pd(_mm256_loadu_pd(z + k), most));
    int inside = 0;
    for (int before = INT_MAX;;) {
        __m256d sum = _mm256_setzero_pd();
        double part[VECTOR];
        inside = 0;
        threshold = _mm256_set1_pd(theta);
        for (size_t k = 0; k < lanes; k += VECTOR) {
            __m256d x = _mm256_loadu_pd(z + k), above = _mm256_cmp_pd(x, threshold, _CMP_GT_OQ);
            sum = _mm256_add_pd(sum, _mm256_and_pd(x, above));
            inside += bits_set(_mm256_movemask_pd(above));
        }
        if (inside >= before) break; /* more: rounding */
        before = inside;
        _mm256_storeu_pd(part, sum);
        theta = (simplex_sum(part) - 1) / inside;
    }
    for (size_t k = 0; k < lanes; k += VECTOR) {
        __m256d x = _mm256_loadu_pd(z + k), above = _mm256_cmp_pd(x, threshold, _CMP_GT_OQ);
        _mm256_storeu_pd(z + k, _mm256_and_pd(_mm256_sub_pd(x, threshold), above));
    }
    return (size_t)inside;
}

void avx2_simplex_survey(struct simplex_view *out, const double *a, const double *g, size_t lanes) {
    const __m256d none = _mm256_setzero_pd(), beyond = _mm256_set1_pd(INFINITY);
    __m256d most = _mm256_set1_pd(-INFINITY), second = most, least = beyond, mean = none;
    double part[3][VECTOR];
    int used = 0;
    for (size_t k = 0; k < lanes; k += VECTOR) {
        __m256d at = _mm256_loadu_pd(g + k), by = _mm256_loadu_pd(a + k);
        __m256d in = _mm256_cmp_pd(by, none, _CMP_GT_OQ);
        second = _mm256_max_pd(_mm256_min_pd(at, most), second);
        most = _mm256_max_pd(at, most);
        least = _mm256_min_pd(_mm256_blendv_pd(beyond, at, in), least);
        mean = _mm256_add_pd(mean, _mm256_mul_pd(by, at));
        used += bits_set(_mm256_movemask_pd(in));
    }
    _mm256_storeu_pd(part[0], most);
    _mm256_storeu_pd(part[1], second);
    _mm256_storeu_pd(part[2], least);
    simplex_join(out, part[0], part[1], part[2]);
    _mm256_storeu_pd(part[0], mean);
    out->mean = simplex_sum(part[0]);
    out->used = (size_t)used;
}

#endif
