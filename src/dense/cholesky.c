/* Cholesky factors of a positive semi-definite matrix with the largest remaining diagonal element
   as pivot (Higham, "Accuracy and Stability of Numerical Algorithms", 2nd ed., 10.3). Rows are
   finished in blocks, after which the rest is updated by one matrix product (Lucas, "LAPACK-style
   codes for level 2 and 3 pivoted Cholesky factorizations", LAPACK Working Note 161, 2004). The
   rest is held with the opposite sign, because products can only be added. */
#include "dense/cholesky.h"

#include "kernels/blas.h"
#include "kernels/kernels.h"

#include <math.h>
#include <string.h>

enum { BLOCK = 64 };

struct pivoting {
    double *a;
    size_t n, start; /* first row of the block */
    size_t *order;
    double *taken; /* from each diagonal element by the rows of this block */
};

static void swap(double *x, double *y) {
    double z = *x;
    *x = *y, *y = z;
}

/* Exchange rows and columns i < p of the symmetric matrix whose upper triangle is held. */
static void cholesky_exchange(struct pivoting *f, size_t i, size_t p) {
    size_t n = f->n, order = f->order[i];
    double *a = f->a;
    if (i == p) return;
    f->order[i] = f->order[p], f->order[p] = order;
    swap(&f->taken[i], &f->taken[p]);
    swap(&a[i * n + i], &a[p * n + p]);
    for (size_t r = 0; r < i; r++) swap(&a[r * n + i], &a[r * n + p]);
    for (size_t r = i + 1; r < p; r++) swap(&a[i * n + r], &a[r * n + p]);
    for (size_t c = p + 1; c < n; c++) swap(&a[i * n + c], &a[p * n + c]);
}

/* Row i of R; false: no pivot is left. */
static bool finish_row(struct pivoting *f, const struct kernels *kernels, size_t i,
                       double tolerance) {
    size_t n = f->n, best = i;
    double largest = 0;
    for (size_t j = i; j < n; j++) {
        double left = -f->a[j * n + j] - f->taken[j];
        if (left > largest) largest = left, best = j;
    }
    if (!(largest > tolerance)) return false;
    cholesky_exchange(f, i, best);
    double *row = f->a + i * n, root = sqrt(largest);
    for (size_t r = f->start; r < i; r++) {
        const double *above = f->a + r * n;
        kernels->axpy_f64(above[i], above + i + 1, row + i + 1, n - i - 1);
    }
    row[i] = root;
    for (size_t j = i + 1; j < n; j++) {
        row[j] = row[j] == 0 ? 0 : -row[j] / root;
        f->taken[j] += row[j] * row[j];
    }
    return true;
}

size_t cholesky_pivoted(double *a, size_t n, double tolerance, size_t *order, double *work,
                        sepal_ctx *ctx) {
    struct pivoting f = {.a = a, .n = n, .order = order, .taken = work};
    size_t rank = 0;
    bool more = true;
    for (size_t i = 0; i < n; i++) {
        order[i] = i;
        for (size_t j = i; j < n; j++) a[i * n + j] = -a[i * n + j];
    }
    while (more && rank < n) {
        size_t end = rank + BLOCK < n ? rank + BLOCK : n;
        f.start = rank;
        memset(work, 0, n * sizeof *work);
        while (rank < end && (more = finish_row(&f, ctx->kernels, rank, tolerance))) rank++;
        if (more && rank < n)
            ctx->blas->syrk_t(n - rank, rank - f.start, a + f.start * n + rank, n, 1,
                              a + rank * n + rank, n);
    }
    memset(a + rank * n, 0, (n - rank) * n * sizeof *a);
    return rank;
}

/* ---- without pivoting ---------------------------------------------------------------------- */

bool cholesky_scaled(double *s, size_t n, double *scale, double least, sepal_ctx *ctx) {
    for (size_t j = 0; j < n; j++) scale[j] = 1 / sqrt(s[j * n + j]);
    for (size_t i = 0; i < n; i++) {
        s[i * n + i] = 1;
        for (size_t j = i + 1; j < n; j++) {
            s[i * n + j] *= scale[i] * scale[j];
            s[j * n + i] = s[i * n + j]; /* kept below the diagonal */
        }
    }
    bool clear = ctx->blas->cholesky(n, s, n);
    for (size_t j = 0; j < n && clear; j++) clear = s[j * n + j] * s[j * n + j] > least;
    for (size_t i = 0; i < n && !clear; i++) {
        s[i * n + i] = 1;
        for (size_t j = i + 1; j < n; j++) s[i * n + j] = s[j * n + i];
    }
    return clear;
}
