/* The logistic loss without a branch, so that every kernel set can turn it into vectors; solvers take
   its parts for single values. One source, one order of operations: one result, whatever the libm.

   With e = exp(-|m|) the loss is max(-m, 0) + log1p(e), its dual variable 1 / (1 + exp(m)), its curvature
   e / (1 + e)^2: none of them overflows, none loses digits in the tails. */
#ifndef SEPAL_KERNELS_LOGISTIC_H
#define SEPAL_KERNELS_LOGISTIC_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* exp(-z) for z >= 0, and 3e-308 where it would be less: 2^k times the exponential of the rest r, which is
   at most ln(2)/2 and where the polynomial, through exp at Chebyshev's points, is exact to 2e-17. Its odd
   and even terms are summed side by side. */
static inline double exp_of_minus(double z) {
    const double log2e = 1.4426950408889634, shift = 6755399441055744.0; /* 1.5 * 2^52 */
    const double ln2_high = 6.93147180369123816490e-01, ln2_low = 1.90821492927058770002e-10;
    double x = z > 708 ? -708 : -z;
    double shifted = x * log2e + shift, k = shifted - shift;
    double r = (x - k * ln2_high) - k * ln2_low, q = r * r;
    double even = 2.7620088445409746e-07, odd = 2.510038549551032e-08;
    even = even * q + 2.4801521295954376e-05;
    odd = odd * q + 2.7557268459997064e-06;
    even = even * q + 0.0013888888917213717;
    odd = odd * q + 0.00019841269863053618;
    even = even * q + 0.04166666666662413;
    odd = odd * q + 0.008333333333330062;
    even = even * q + 0.5000000000000001;
    odd = odd * q + 0.16666666666666669;
    double sum = 1 + (r + q * (even + r * odd));
    int64_t power;
    memcpy(&power, &shifted, sizeof power);
    power = (int64_t)((uint64_t)power << 52) + ((int64_t)1023 << 52);
    double scale;
    memcpy(&scale, &power, sizeof scale);
    return sum * scale;
}

/* ln((1 + s) / (1 - s)), 2 artanh(s), for |s| up to (sqrt(2) - 1) / (sqrt(2) + 1), where the polynomial is
   exact to 5e-18: with s = (x - 1) / (x + 1) it is ln x for x from sqrt(1/2) to sqrt(2). */
static inline double log_of_ratio(double s) {
    double q = s * s, sum = 0.07308292712444311;
    sum = sum * q + 0.07665855309105386;
    sum = sum * q + 0.09091444727837474;
    sum = sum * q + 0.11111105565129939;
    sum = sum * q + 0.14285714313001635;
    sum = sum * q + 0.19999999999949722;
    sum = sum * q + 0.3333333333333335;
    return 2 * (s + s * q * sum);
}

static const double LOGISTIC_LN2 = 0.6931471805599453;

/* One division serves all: by 1 + e for the dual variable, and by 2 + e for ln(1 + e) or, where 1 + e is beyond
   sqrt(2), by 3 + e for ln((1 + e) / 2). */
static inline void logistic_loss(const double *m, size_t n, double *value, double *alpha,
                                 double *curvature) {
    for (size_t i = 0; i < n; i++) {
        double z = m[i] < 0 ? -m[i] : m[i], e = exp_of_minus(z), one = 1 + e;
        double far = e > 0.41421356237309503 ? 1 : 0, other = 2 + e + far;
        double inverse = 1 / (one * other), part = inverse * other;
        value[i] = log_of_ratio((e - far) * (inverse * one)) + far * LOGISTIC_LN2;
        value[i] += m[i] < 0 ? z : 0;
        alpha[i] = (m[i] < 0 ? 1 : e) * part;
        curvature[i] = e * part * part;
    }
}

/* x in (0, 1] as 2^k m, m from sqrt(1/2) to sqrt(2): returns m */
static inline double split_part(double x, double *k) {
    const double shift = 6755399441055744.0; /* 1.5 * 2^52 */
    const int64_t root_half = 0x3fe6a09e667f3bcd;
    int64_t bits, shift_bits;
    memcpy(&bits, &x, sizeof bits);
    memcpy(&shift_bits, &shift, sizeof shift_bits);
    /* the exponent in the last bits of `shift`, where it is a number of its own */
    int64_t exponent = (int64_t)((uint64_t)(bits - root_half + ((int64_t)1024 << 52)) >> 52);
    int64_t k_bits = shift_bits + exponent,
            m_bits = bits - (int64_t)((uint64_t)(exponent - 1024) << 52);
    double m;
    memcpy(k, &k_bits, sizeof *k);
    memcpy(&m, &m_bits, sizeof m);
    *k = (*k - shift) - 1024;
    return m;
}

/* By a, or 1 - a where that is less: ln a = k ln 2 + ln m, and ln(1 - a), or that of 2 (1 - a) where 1 - a is
   below sqrt(1/2). One division serves both. */
static inline void logistic_entropy(const double *a, size_t n, double *out) {
    const double ln2_high = 6.93147180369123816490e-01, ln2_low = 1.90821492927058770002e-10;
    for (size_t i = 0; i < n; i++) {
        double low = a[i] < 0.5 ? a[i] : 1 - a[i], least = 2.2250738585072014e-308, k;
        double m = split_part(low > least ? low : least, &k), above = m + 1;
        double far = low > 0.29289321881345254 ? 1 : 0, rest = far - low - far * low;
        double other = 2 + rest, inverse = 1 / (above * other);
        double log_low = log_of_ratio((m - 1) * (inverse * other)) + k * ln2_low;
        double log_high = log_of_ratio(rest * (inverse * above)) - far * LOGISTIC_LN2;
        out[i] = -low * (k * ln2_high + log_low) - (1 - low) * log_high;
    }
}

#endif
