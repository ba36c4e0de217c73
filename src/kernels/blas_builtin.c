/* Dense matrix arithmetic without a BLAS library. Everything rests on one blocked product,
   C += alpha A'B: pieces of A and B are copied to small contiguous tiles and multiplied four rows
   by four columns at a time, so that all they need is in the nearest cache (Goto and van de Geijn,
   "Anatomy of high-performance matrix multiplication", ACM TOMS 34(3), 2008). Cholesky and its
   solves are right-looking block forms, QR is blocked Householder with the compact WY form
   (Schreiber and Van Loan, SIAM J. Sci. Stat. Comput. 10(1), 1989; Golub and Van Loan, "Matrix
   Computations", 4th ed., 4.2 and 5.2). */
#include "kernels/blas.h"

#include <math.h>

enum {
    TILE = 4,    /* rows and columns of C that are summed at once */
    DEPTH = 128, /* rows of A and B in one go: a packed tile of A is 4 kB */
    WIDTH = 64,  /* columns of B in one go: the packed block is 64 kB, less than an L2 cache */
    BLOCK = 32   /* rows or columns that the factorisations finish before the rest is updated */
};

/* An operand seen through its strides: element (p, i) is at[p * down + i * across]. */
struct view {
    const double *at;
    size_t down, across;
};

static size_t builtin_smaller(size_t a, size_t b) {
    return a < b ? a : b;
}

static void pack(double *out, struct view from, size_t p0, size_t depth, size_t i0, size_t n) {
    size_t width = builtin_smaller(n - i0, TILE);
    for (size_t p = 0; p < depth; p++) {
        const double *row = from.at + (p0 + p) * from.down + i0 * from.across;
        for (size_t i = 0; i < TILE; i++) {
            out[p * TILE + i] = i < width ? row[i * from.across] : 0;
        }
    }
}

static void multiply_tile(double sums[TILE][TILE], const double *a, const double *b, size_t depth) {
    double s[TILE][TILE] = {{0}};
    for (size_t p = 0; p < depth; p++) {
        for (size_t i = 0; i < TILE; i++) {
            for (size_t j = 0; j < TILE; j++) s[i][j] += a[p * TILE + i] * b[p * TILE + j];
        }
    }
    for (size_t i = 0; i < TILE; i++) {
        for (size_t j = 0; j < TILE; j++) sums[i][j] = s[i][j];
    }
}

/* What a product writes: C (m x n), of which only j >= i when `upper`. */
struct target {
    size_t m, n;
    double alpha;
    bool upper;
    double *c;
    size_t ldc;
};

static void builtin_add_tile(const struct target *to, size_t i0, size_t j0,
                             double sums[TILE][TILE]) {
    size_t i_end = builtin_smaller(to->m, i0 + TILE), j_end = builtin_smaller(to->n, j0 + TILE);
    for (size_t i = i0; i < i_end; i++) {
        size_t first = to->upper && i > j0 ? i : j0;
        double *row = to->c + i * to->ldc;
        for (size_t j = first; j < j_end; j++) row[j] += to->alpha * sums[i - i0][j - j0];
    }
}

/* Columns j0 .. j1-1 of C += alpha times the product of rows p0 .. p0+depth-1 of A and B. */
static void multiply_block(const struct target *to, struct view a, struct view b, size_t p0,
                           size_t depth, size_t j0, size_t j1) {
    double packed_a[DEPTH * TILE], packed_b[DEPTH * WIDTH], sums[TILE][TILE];
    for (size_t j = j0; j < j1; j += TILE) {
        pack(packed_b + (j - j0) * depth, b, p0, depth, j, to->n);
    }
    size_t rows = to->upper ? builtin_smaller(to->m, j1) : to->m;
    for (size_t i = 0; i < rows; i += TILE) {
        pack(packed_a, a, p0, depth, i, to->m);
        for (size_t j = j0; j < j1; j += TILE) {
            if (to->upper && j + TILE <= i) continue;
            multiply_tile(sums, packed_a, packed_b + (j - j0) * depth, depth);
            builtin_add_tile(to, i, j, sums);
        }
    }
}

/* C += alpha A'B with A (k x m), B (k x n). */
static void builtin_multiply(const struct target *to, size_t k, struct view a, struct view b) {
    for (size_t p = 0; p < k; p += DEPTH) {
        for (size_t j = 0; j < to->n; j += WIDTH) {
            multiply_block(to, a, b, p, builtin_smaller(k - p, DEPTH), j,
                           builtin_smaller(to->n, j + WIDTH));
        }
    }
}

/* beta 0 clears, whatever C held: it may be memory never written. */
static void scale(const struct target *to, double beta) {
    for (size_t i = 0; i < to->m; i++) {
        double *row = to->c + i * to->ldc;
        for (size_t j = to->upper ? i : 0; j < to->n; j++) row[j] = beta == 0 ? 0 : beta * row[j];
    }
}

static void builtin_gemm_tn(size_t m, size_t n, size_t k, const double *a, size_t lda,
                            const double *b, size_t ldb, double beta, double *c, size_t ldc) {
    struct target to = {.m = m, .n = n, .alpha = 1, .c = c, .ldc = ldc};
    scale(&to, beta);
    builtin_multiply(&to, k, (struct view){a, lda, 1}, (struct view){b, ldb, 1});
}

static void builtin_gemm_nn(size_t m, size_t n, size_t k, const double *a, size_t lda,
                            const double *b, size_t ldb, double *c, size_t ldc) {
    struct target to = {.m = m, .n = n, .alpha = 1, .c = c, .ldc = ldc};
    scale(&to, 0);
    builtin_multiply(&to, k, (struct view){a, 1, lda}, (struct view){b, ldb, 1});
}

static void builtin_syrk_t(size_t n, size_t k, const double *a, size_t lda, double beta, double *c,
                           size_t ldc) {
    struct target to = {.m = n, .n = n, .alpha = 1, .upper = true, .c = c, .ldc = ldc};
    scale(&to, beta);
    builtin_multiply(&to, k, (struct view){a, lda, 1}, (struct view){a, lda, 1});
}

/* y -= a x */
static void subtract(double a, const double *x, double *y, size_t n) {
    for (size_t j = 0; j < n; j++) y[j] -= a * x[j];
}

static bool builtin_cholesky(size_t n, double *a, size_t lda) {
    for (size_t i0 = 0; i0 < n; i0 += BLOCK) {
        size_t i1 = builtin_smaller(n, i0 + BLOCK);
        for (size_t i = i0; i < i1; i++) {
            double *row = a + i * lda;
            if (!(row[i] > 0) || !isfinite(row[i])) return false;
            double root = sqrt(row[i]);
            for (size_t j = i; j < n; j++) row[j] /= root;
            row[i] = root;
            for (size_t q = i + 1; q < i1; q++) subtract(row[q], row + q, a + q * lda + q, n - q);
        }
        if (i1 == n) break;
        struct view panel = {a + i0 * lda + i1, lda, 1};
        struct target rest = {n - i1, n - i1, -1, true, a + i1 * lda + i1, lda};
        builtin_multiply(&rest, i1 - i0, panel, panel);
    }
    return true;
}

/* B = inverse(R') B: each finished block of rows is taken out of the rows below it. */
static void solve_down(size_t n, const double *r, size_t ldr, size_t k, double *b, size_t ldb) {
    for (size_t i0 = 0; i0 < n; i0 += BLOCK) {
        size_t i1 = builtin_smaller(n, i0 + BLOCK);
        for (size_t i = i0; i < i1; i++) {
            double *row = b + i * ldb;
            for (size_t j = 0; j < k; j++) row[j] /= r[i * ldr + i];
            for (size_t q = i + 1; q < i1; q++) subtract(r[i * ldr + q], row, b + q * ldb, k);
        }
        if (i1 == n) break;
        struct target rest = {n - i1, k, -1, false, b + i1 * ldb, ldb};
        builtin_multiply(&rest, i1 - i0, (struct view){r + i0 * ldr + i1, ldr, 1},
                         (struct view){b + i0 * ldb, ldb, 1});
    }
}

/* B = inverse(R) B: from each block of rows, the last first, all rows below it are taken out. */
static void builtin_solve_up(size_t n, const double *r, size_t ldr, size_t k, double *b,
                             size_t ldb) {
    for (size_t i1 = n; i1 > 0;) {
        size_t i0 = (i1 - 1) / BLOCK * BLOCK;
        struct target rows = {i1 - i0, k, -1, false, b + i0 * ldb, ldb};
        if (i1 < n) {
            builtin_multiply(&rows, n - i1, (struct view){r + i0 * ldr + i1, 1, ldr},
                             (struct view){b + i1 * ldb, ldb, 1});
        }
        for (size_t i = i1; i-- > i0;) {
            double *row = b + i * ldb;
            for (size_t q = i + 1; q < i1; q++) subtract(r[i * ldr + q], b + q * ldb, row, k);
            for (size_t j = 0; j < k; j++) row[j] /= r[i * ldr + i];
        }
        i1 = i0;
    }
}

static void builtin_cholesky_solve(size_t n, const double *r, size_t ldr, size_t k, double *b,
                                   size_t ldb) {
    solve_down(n, r, ldr, k, b, ldb);
    builtin_solve_up(n, r, ldr, k, b, ldb);
}

/* Row by row, each element taken off the later ones as soon as it is known. */
static void builtin_right_solve(size_t m, size_t n, const double *r, size_t ldr, double *x,
                                size_t ldx) {
    for (size_t i = 0; i < m; i++) {
        double *row = x + i * ldx;
        for (size_t j = 0; j < n; j++) {
            row[j] /= r[j * ldr + j];
            for (size_t l = j + 1; l < n; l++) row[l] -= row[j] * r[j * ldr + l];
        }
    }
}

/* Turn the column x (len elements, ld apart) into v with v_0 = 1 left out, H = I - tau v v' and
   H x = (x_0, 0 ... 0) with the x_0 on return. Returns tau; 0 when there is nothing to do. */
static double make_reflector(double *x, size_t len, size_t ld) {
    double largest = 0, sum = 0;
    for (size_t i = 1; i < len; i++) largest = fmax(largest, fabs(x[i * ld]));
    if (largest == 0) return 0;
    largest = fmax(largest, fabs(x[0]));
    for (size_t i = 0; i < len; i++) sum += (x[i * ld] / largest) * (x[i * ld] / largest);
    double beta = -copysign(largest * sqrt(sum), x[0]);
    double tau = (beta - x[0]) / beta;
    double divisor = x[0] - beta;
    for (size_t i = 1; i < len; i++) x[i * ld] /= divisor;
    x[0] = beta;
    return tau;
}

/* Householder QR of the columns j0 .. j1-1 alone, rows j0 .. m-1; row-wise, as the rows lie. */
static void factor_panel(size_t m, double *a, size_t lda, size_t j0, size_t j1, double *tau) {
    double dots[BLOCK];
    for (size_t j = j0; j < j1; j++) {
        size_t right = j1 - j - 1;
        double *top = a + j * lda + j;
        double t = tau[j - j0] = make_reflector(top, m - j, lda);
        for (size_t c = 0; c < right; c++) dots[c] = top[1 + c];
        for (size_t i = 1; i < m - j; i++) {
            const double *row = top + i * lda;
            for (size_t c = 0; c < right; c++) dots[c] += row[0] * row[1 + c];
        }
        subtract(t, dots, top + 1, right);
        for (size_t i = 1; i < m - j; i++) {
            subtract(t * top[i * lda], dots, top + i * lda + 1, right);
        }
    }
}

/* T (nb x nb, upper) with H_0 H_1 ... = I - V T V', from the products G = V'V. */
static void make_wy(double *t, const double *g, const double *tau, size_t nb) {
    for (size_t j = 0; j < nb; j++) {
        for (size_t i = 0; i < j; i++) {
            double sum = 0;
            for (size_t p = i; p < j; p++) sum += t[i * BLOCK + p] * g[p * BLOCK + j];
            t[i * BLOCK + j] = -tau[j] * sum;
        }
        t[j * BLOCK + j] = tau[j];
    }
}

/* C -= V T' V'C for the columns j1 .. n-1, rows j0 .. m-1, V being the panel's reflectors. */
static void update_right(size_t m, size_t n, double *a, size_t lda, size_t j0, size_t j1,
                         const double *tau, double *work) {
    size_t nb = j1 - j0, rows = m - j0, cols = n - j1;
    double t[BLOCK * BLOCK], g[BLOCK * BLOCK];
    double *v = work, *w = work + rows * nb;
    for (size_t i = 0; i < rows; i++) {
        const double *from = a + (j0 + i) * lda + j0;
        for (size_t j = 0; j < nb; j++) v[i * nb + j] = i > j ? from[j] : i == j;
    }
    builtin_syrk_t(nb, rows, v, nb, 0, g, BLOCK);
    make_wy(t, g, tau, nb);

    double *c = a + j0 * lda + j1;
    builtin_gemm_tn(nb, cols, rows, v, nb, c, lda, 0, w, cols);
    for (size_t i = nb; i-- > 0;) {
        for (size_t j = 0; j < cols; j++) w[i * cols + j] *= t[i * BLOCK + i];
        for (size_t p = 0; p < i; p++) {
            subtract(-t[p * BLOCK + i], w + p * cols, w + i * cols, cols);
        }
    }
    struct target to = {rows, cols, -1, false, c, lda};
    builtin_multiply(&to, nb, (struct view){v, 1, nb}, (struct view){w, cols, 1});
}

static void builtin_qr_r(size_t m, size_t n, double *a, size_t lda, double *work) {
    double tau[BLOCK];
    size_t steps = builtin_smaller(m, n);
    for (size_t j0 = 0; j0 < steps; j0 += BLOCK) {
        size_t j1 = builtin_smaller(steps, j0 + BLOCK);
        factor_panel(m, a, lda, j0, j1, tau);
        if (j1 < n) update_right(m, n, a, lda, j0, j1, tau, work);
    }
    for (size_t i = 1; i < m; i++) {
        for (size_t j = 0; j < builtin_smaller(i, n); j++) a[i * lda + j] = 0;
    }
}

/* V and W of update_right here; LAPACK's dgelqf takes 32 n and min(m, n), which is less. */
size_t blas_qr_work(size_t m, size_t n) {
    return BLOCK * (m + n + 1);
}

const struct blas blas_builtin = {
    .gemm_tn = builtin_gemm_tn,
    .gemm_nn = builtin_gemm_nn,
    .syrk_t = builtin_syrk_t,
    .cholesky = builtin_cholesky,
    .cholesky_solve = builtin_cholesky_solve,
    .right_solve = builtin_right_solve,
    .qr_r = builtin_qr_r,
};
