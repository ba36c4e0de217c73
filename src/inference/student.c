/* The two tails of Student's t are the regularised incomplete beta function I_x(f/2, 1/2) at x = f/(f + t^2),
   by its continued fraction (DLMF 8.17.22, summed by the method of Lentz), on the side where it converges
   fast. Accurate in relative terms far into the tails, where 1 minus the middle would be rounding.

   The test: C. Nadeau and Y. Bengio, Inference for the generalization error, Machine Learning 52, 2003. The
   variance of a mean over splits is more than variance/n, because the splits share rows to learn from. */
#include "inference/student.h"

#include <math.h>
#include <stdbool.h>

/* B(f/2, 1/2) = Gamma(f/2) Gamma(1/2) / Gamma((f+1)/2), by the recurrence of the ratio of the Gammas. */
static double beta_of_half(size_t freedom) {
    const double root_pi = 1.7724538509055160273;
    double ratio = root_pi; /* Gamma(1/2) / Gamma(1) */
    if (freedom > 10000) {  /* Stirling's series of it, which is exact to rounding here */
        double f = (double)freedom, inverse = 1 / f;
        return root_pi * sqrt(2 * inverse) * (1 + inverse * (0.25 + inverse / 32));
    }
    for (size_t k = 1; k < freedom; k++) ratio = 2 / ((double)k * ratio);
    return ratio * root_pi;
}

/* One half-step of the method: d and c are the fractions' last denominators. */
static void lentz(double coefficient, double *d, double *c, double *value) {
    static const double TINY = 1e-300;
    *d = 1 + coefficient * *d;
    if (fabs(*d) < TINY) *d = TINY;
    *d = 1 / *d;
    *c = 1 + coefficient / *c;
    if (fabs(*c) < TINY) *c = TINY;
    *value *= *d * *c;
}

static double beta_fraction(double a, double b, double x) {
    enum { MOST = 10000 };
    double c = 1, d = 1 / (1 - (a + b) * x / (a + 1)), value = d;
    for (int k = 1; k < MOST; k++) {
        double m = k, before = value;
        lentz(m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)), &d, &c, &value);
        lentz(-(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)), &d, &c, &value);
        if (fabs(value - before) <= 1e-16 * fabs(value)) break;
    }
    return value;
}

double student_two_sided(double t, size_t freedom) {
    if (isnan(t) || freedom == 0) return NAN;
    double f = (double)freedom, a = f / 2, square = t * t;
    if (!isfinite(square)) return 0;
    double x = f / (f + square), rest = square / (f + square);
    if (square == 0) return 1;
    /* x^a (1-x)^(1/2) / B */
    double front = exp(-a * log1p(square / f)) * sqrt(rest) / beta_of_half(freedom);
    if (x < (a + 1) / (a + 2.5)) return front * beta_fraction(a, 0.5, x) / a;
    return 1 - front * beta_fraction(0.5, a, rest) / 0.5;
}

struct paired_test paired_test(const double *difference, size_t n, double ratio) {
    struct paired_test test = {NAN, NAN, NAN, NAN, n > 1 ? n - 1 : 0};
    double sum = 0, square = 0, most = 0;
    for (size_t i = 0; i < n; i++) {
        sum += difference[i];
        most = fmax(most, fabs(difference[i]));
    }
    if (n == 0) return test;
    test.difference = sum / (double)n;
    if (n < 2 || isnan(test.difference)) return test;
    for (size_t i = 0; i < n; i++) {
        double off = difference[i] - test.difference;
        square += off * off;
    }
    double variance = square / (double)(n - 1);
    if (most == 0) { /* the same on every split */
        test.standard_error = test.t = 0;
        test.p = 1;
        return test;
    }
    test.standard_error = sqrt((1 / (double)n + ratio) * variance);
    if (sqrt(variance) <= 1e-14 * most) return test; /* constant but for rounding: no test */
    test.t = test.difference / test.standard_error;
    test.p = student_two_sided(test.t, test.freedom);
    return test;
}

void adjust_holm(double *adjusted, const double *p, size_t n) {
    size_t tests = 0, done = 0;
    double last = -INFINITY, most = 0;
    for (size_t i = 0; i < n; i++) {
        if (!isnan(p[i])) tests++;
        adjusted[i] = p[i];
    }
    while (done < tests) { /* those of the next smallest value together */
        double next = INFINITY;
        size_t same = 0;
        for (size_t i = 0; i < n; i++)
            if (p[i] > last && p[i] < next) next = p[i];
        most = fmax(most, fmin(1, (double)(tests - done) * next));
        for (size_t i = 0; i < n; i++) {
            if (p[i] != next) continue;
            adjusted[i] = most;
            same++;
        }
        done += same;
        last = next;
    }
}
