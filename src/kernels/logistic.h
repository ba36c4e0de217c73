/* The logistic loss without a branch, so that every kernel set can turn it into vectors; solvers take
   its parts for single values. One source, one order of operations: one result, whatever the libm.

   With e = exp(-|m|) the loss is max(-m, 0) + log1p(e), its pull 1 / (1 + exp(m)), its curvature
   e / (1 + e)^2: none of them overflows, none loses digits in the tails. */
#ifndef SEPAL_KERNELS_LOGISTIC_H
#define SEPAL_KERNELS_LOGISTIC_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* exp(-z) for z >= 0, and 3e-308 where it would be less: 2^k times the series of the rest r, which is
   at most ln(2)/2: its 14th term is below 1e-17. */
static inline double exp_of_minus(double z) {
    const double log2e = 1.4426950408889634, shift = 6755399441055744.0; /* 1.5 * 2^52 */
    const double ln2_high = 6.93147180369123816490e-01, ln2_low = 1.90821492927058770002e-10;
    double x = z > 708 ? -708 : -z;
    double shifted = x * log2e + shift, k = shifted - shift;
    double r = (x - k * ln2_high) - k * ln2_low;
    double sum = 1.0 / 6227020800;
    sum = sum * r + 1.0 / 479001600;
    sum = sum * r + 1.0 / 39916800;
    sum = sum * r + 1.0 / 3628800;
    sum = sum * r + 1.0 / 362880;
    sum = sum * r + 1.0 / 40320;
    sum = sum * r + 1.0 / 5040;
    sum = sum * r + 1.0 / 720;
    sum = sum * r + 1.0 / 120;
    sum = sum * r + 1.0 / 24;
    sum = sum * r + 1.0 / 6;
    sum = sum * r + 1.0 / 2;
    sum = sum * r + 1;
    sum = sum * r + 1;
    int64_t power;
    memcpy(&power, &shifted, sizeof power);
    power = (int64_t)((uint64_t)power << 52) + ((int64_t)1023 << 52);
    double scale;
    memcpy(&scale, &power, sizeof scale);
    return sum * scale;
}

/* log(1 + e) for e in [-1/2, 1]: 2 artanh(s), s = e / (2 + e) of at most 1/3. */
static inline double log_of_one_plus(double e) {
    double s = e / (2 + e), q = s * s, sum = 1.0 / 35;
    sum = sum * q + 1.0 / 33;
    sum = sum * q + 1.0 / 31;
    sum = sum * q + 1.0 / 29;
    sum = sum * q + 1.0 / 27;
    sum = sum * q + 1.0 / 25;
    sum = sum * q + 1.0 / 23;
    sum = sum * q + 1.0 / 21;
    sum = sum * q + 1.0 / 19;
    sum = sum * q + 1.0 / 17;
    sum = sum * q + 1.0 / 15;
    sum = sum * q + 1.0 / 13;
    sum = sum * q + 1.0 / 11;
    sum = sum * q + 1.0 / 9;
    sum = sum * q + 1.0 / 7;
    sum = sum * q + 1.0 / 5;
    sum = sum * q + 1.0 / 3;
    sum = sum * q + 1;
    return 2 * s * sum;
}

static inline void logistic_loss(const double *m, size_t n, double *value, double *pull,
                                 double *curve) {
    for (size_t i = 0; i < n; i++) {
        double z = m[i] < 0 ? -m[i] : m[i], e = exp_of_minus(z), one = 1 + e;
        value[i] = log_of_one_plus(e) + (m[i] < 0 ? z : 0);
        pull[i] = (m[i] < 0 ? 1 : e) / one;
        curve[i] = e / (one * one);
    }
}

/* ln x for x in (0, 1]: x = 2^k m, m in [2/3, 4/3), whose logarithm is 2 artanh((m - 1) / (m + 1)). */
static inline double log_of_part(double x) {
    const double ln2_high = 6.93147180369123816490e-01, ln2_low = 1.90821492927058770002e-10;
    const double shift = 6755399441055744.0; /* 1.5 * 2^52 */
    const int64_t two_thirds = 0x3fe5555555555555;
    int64_t bits, shift_bits;
    memcpy(&bits, &x, sizeof bits);
    memcpy(&shift_bits, &shift, sizeof shift_bits);
    /* the exponent in the last bits of `shift`, where it is a number of its own */
    int64_t exponent = (int64_t)((uint64_t)(bits - two_thirds + ((int64_t)1024 << 52)) >> 52);
    int64_t k_bits = shift_bits + exponent,
            m_bits = bits - (int64_t)((uint64_t)(exponent - 1024) << 52);
    double k, m;
    memcpy(&k, &k_bits, sizeof k);
    memcpy(&m, &m_bits, sizeof m);
    k = (k - shift) - 1024;
    return k * ln2_high + (log_of_one_plus(m - 1) + k * ln2_low);
}

static inline void logistic_entropy(const double *a, size_t n, double *out) {
    for (size_t i = 0; i < n; i++) {
        double low = a[i] < 0.5 ? a[i] : 1 - a[i], least = 2.2250738585072014e-308;
        double log_low = log_of_part(low > least ? low : least);
        out[i] = -low * log_low - (1 - low) * log_of_one_plus(-low);
    }
}

#endif
