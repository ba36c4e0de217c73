/* Householder reflections (Golub and Van Loan, "Matrix Computations", 4th ed., 5.1 and 5.4), without
   pivoting but for columns that are left out where they stand, as in LINPACK's dqrdc2 of R. As long as
   none is, the columns have nothing below the diagonal and the factor stays as it is. */
#include "inference/triangle.h"

#include <math.h>

bool triangle_of_gram(double *a, size_t n, size_t cols, double least) {
    for (size_t k = 0; k < cols; k++) {
        double whole = a[k * n + k], pivot = whole;
        for (size_t i = 0; i < k; i++) pivot -= a[i * n + k] * a[i * n + k];
        if (!(pivot > least * whole)) return false;
        double root = sqrt(pivot);
        for (size_t i = 0; i < k; i++)
            for (size_t j = k + 1; j < n; j++) a[k * n + j] -= a[i * n + k] * a[i * n + j];
        for (size_t j = k + 1; j < n; j++) a[k * n + j] /= root;
        a[k * n + k] = root;
    }
    return true;
}

static double length_below(const double *r, size_t n, size_t from, size_t to, size_t j) {
    double largest = 0, sum = 0;
    for (size_t i = from; i <= to; i++) largest = fmax(largest, fabs(r[i * n + j]));
    if (largest == 0) return 0;
    for (size_t i = from; i <= to; i++) {
        double part = r[i * n + j] / largest;
        sum += part * part;
    }
    return largest * sqrt(sum);
}

/* Reflect rows from .. j so that column j has nothing below row `from`. */
static void reflect(double *r, size_t n, size_t from, size_t j, double length) {
    double head = r[from * n + j], sign = head < 0 ? -1 : 1;
    /* v = column + sign length e1, scaled to v_1 = 1; beta = v_1 / length */
    double first = head + sign * length, beta = first / (sign * length);
    for (size_t i = from + 1; i <= j; i++) r[i * n + j] /= first;
    for (size_t c = j + 1; c < n; c++) {
        double sum = r[from * n + c];
        for (size_t i = from + 1; i <= j; i++) sum += r[i * n + j] * r[i * n + c];
        sum *= beta;
        r[from * n + c] -= sum;
        for (size_t i = from + 1; i <= j; i++) r[i * n + c] -= sum * r[i * n + j];
    }
    r[from * n + j] = -sign * length;
    for (size_t i = from + 1; i <= j; i++) r[i * n + j] = 0;
}

size_t triangle_keep(double *r, size_t n, size_t cols, const double *tolerance, size_t *kept) {
    size_t m = 0;
    for (size_t j = 0; j < cols; j++) {
        double length = length_below(r, n, m, j, j);
        if (!(length > tolerance[j])) continue;
        if (m < j) reflect(r, n, m, j, length);
        kept[m++] = j;
    }
    return m;
}

void triangle_solve(double *x, const double *r, size_t n, const size_t *kept, size_t m,
                    size_t rhs) {
    for (size_t k = m; k-- > 0;) {
        double sum = r[k * n + rhs];
        for (size_t l = k + 1; l < m; l++) sum -= r[k * n + kept[l]] * x[l];
        x[k] = sum / r[k * n + kept[k]];
    }
}

void triangle_invert(double *inverse, const double *r, size_t n, const size_t *kept, size_t m) {
    for (size_t i = 0; i < m * m; i++) inverse[i] = 0;
    for (size_t k = m; k-- > 0;) { /* row k from the rows below it */
        double *row = inverse + k * m, diagonal = r[k * n + kept[k]];
        row[k] = 1;
        for (size_t l = k + 1; l < m; l++) {
            double factor = r[k * n + kept[l]];
            for (size_t c = l; c < m && factor != 0; c++) row[c] -= factor * inverse[l * m + c];
        }
        for (size_t c = k; c < m; c++) row[c] /= diagonal;
    }
}

void triangle_forward(double *x, const double *r, size_t stride, size_t m) {
    for (size_t k = 0; k < m; k++) {
        if (x[k] == 0) continue;
        const double *row = r + k * stride;
        x[k] /= row[k];
        for (size_t l = k + 1; l < m; l++) x[l] -= row[l] * x[k];
    }
}
