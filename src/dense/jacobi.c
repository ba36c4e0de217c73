/* One-sided Jacobi: pairs of rows are rotated until all are orthogonal to each other (Hestenes,
   "Inversion of matrices by biorthogonalization and related results", J. SIAM 6, 1958; Demmel and
   Veselic, "Jacobi's method is more accurate than QR", SIAM J. Matrix Anal. Appl. 13, 1992). */
#include "dense/jacobi.h"

#include <float.h>
#include <math.h>

/* Convergence is quadratic in the end; ten sweeps are many. */
enum { SWEEPS = 40 };

/* Rotate two rows, if they are not orthogonal yet. Rows of nothing but rounding are left alone. */
static bool jacobi_rotate(double *p, double *q, size_t n, double least,
                          const struct kernels *kernels) {
    double a = kernels->dot_f64(p, p, n), b = kernels->dot_f64(q, q, n);
    double c = kernels->dot_f64(p, q, n);
    if (a <= least || b <= least || fabs(c) <= (double)n * DBL_EPSILON * sqrt(a) * sqrt(b))
        return false;
    double zeta = (b - a) / (2 * c);
    double t = copysign(1, zeta) / (fabs(zeta) + sqrt(1 + zeta * zeta));
    double cosine = 1 / sqrt(1 + t * t), sine = cosine * t;
    for (size_t j = 0; j < n; j++) {
        double x = p[j], y = q[j];
        p[j] = cosine * x - sine * y;
        q[j] = sine * x + cosine * y;
    }
    return true;
}

static void jacobi_sort(double *rows, size_t k, size_t n, const struct kernels *kernels) {
    for (size_t i = 0; i < k; i++) {
        size_t best = i;
        double largest = -1;
        for (size_t p = i; p < k; p++) {
            double norm = kernels->dot_f64(rows + p * n, rows + p * n, n);
            if (norm > largest) largest = norm, best = p;
        }
        for (size_t j = 0; best != i && j < n; j++) {
            double x = rows[i * n + j];
            rows[i * n + j] = rows[best * n + j], rows[best * n + j] = x;
        }
    }
}

void jacobi_rows(double *rows, size_t k, size_t n, const struct kernels *kernels) {
    double total = 0;
    for (size_t i = 0; i < k; i++) total += kernels->dot_f64(rows + i * n, rows + i * n, n);
    double least = total * DBL_EPSILON * DBL_EPSILON;
    bool changed = true;
    for (size_t sweep = 0; changed && sweep < SWEEPS; sweep++) {
        changed = false;
        for (size_t p = 0; p + 1 < k; p++)
            for (size_t q = p + 1; q < k; q++)
                if (jacobi_rotate(rows + p * n, rows + q * n, n, least, kernels)) changed = true;
    }
    jacobi_sort(rows, k, n, kernels);
}
