/* Least squares of least norm by QR with column pivoting (Golub and Van Loan, "Matrix
   Computations", 4th ed., 5.4-5.5):

       A S P = Q R       S scales the columns to unit norm, P exchanges them (pivoting), and the
                         rank r is the number of diagonal elements of R that stand out of rounding

   With R = (R1 R2) in its first r rows, y = (inverse(R1) (Q'B)_1..r, 0) is one solution in scaled
   columns, and the columns of N = (-inverse(R1) R2, I) span what may be added to it. r = n: the
   answer is W = S P y. Otherwise W is what is left of S P y after projecting out S P N, by a second
   QR. Columns of A may differ by hundreds of powers of ten, and then so do the rows of S N; with
   pivoting of columns, and in each the largest element exchanged to the top, Householder QR is
   stable for each row by itself (Powell and Reid 1969; Cox and Higham, "Stability of Householder QR
   factorization for weighted least squares problems", 1998). The usual way, a second QR of R put
   back into A's units, is not: rounding in large columns would drown whole small ones. For the same
   reason elements of N that may be nothing but rounding are dropped as they arise.

   Matrices are held as contiguous columns; a reflector is applied to a column by one dot product
   and one sum, and the norms that pivoting needs are computed anew while the column is at hand,
   which spares all worry about norms that are only updated (Drmac and Bujanovic, ACM TOMS 2008). */
#include "dense/min_norm.h"

#include "core/arena.h"
#include "kernels/kernels.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* A norm is the root of a plain sum of squares while no square that matters can have been lost
   below 2^-1022 or beyond 2^1024; else the column is scaled first. */
static const double SQUARES_LEAST = 0x1p-900, SQUARES_MOST = 0x1p1000;
/* Columns larger than 2^this are scaled down before anything else. */
enum { EXPONENT_MOST = 900 };

/* QR with column pivoting of columns 0 .. n-1; the `extra` columns after them are only multiplied
   by Q'. Column i < rank then holds R's column above place i and v_i from there on. */
struct factors {
    size_t rows, n, extra, rank;
    double **column;
    size_t *order;     /* order[i]: the column that pivoting brought to place i */
    size_t *row_order; /* the same for rows */
    double *noise;     /* elements of a row that are not larger count as zero */
    double *norm;      /* of what is left of each column */
    double *diagonal, *tau;
};

static sepal_status min_norm_make_factors(struct factors *out, sepal_ctx *ctx, struct arena *arena,
                                          size_t rows, size_t n, size_t extra) {
    size_t all = n + extra;
    double *numbers = arena_zero(ctx, arena, rows, all * sizeof *numbers);
    *out = (struct factors){.rows = rows, .n = n, .extra = extra};
    out->column = arena_alloc(ctx, arena, all, sizeof *out->column);
    out->order = arena_alloc(ctx, arena, n, sizeof *out->order);
    out->row_order = arena_alloc(ctx, arena, rows, sizeof *out->row_order);
    if (!numbers || !out->column || !out->order || !out->row_order) return SEPAL_EMEMORY;
    TRY(ARENA_VECTORS(ctx, arena, rows, &out->noise));
    TRY(ARENA_VECTORS(ctx, arena, n, &out->norm, &out->diagonal, &out->tau));
    for (size_t j = 0; j < all; j++) out->column[j] = numbers + j * rows;
    for (size_t j = 0; j < n; j++) out->order[j] = j;
    for (size_t i = 0; i < rows; i++) out->row_order[i] = i;
    return SEPAL_OK;
}

static double column_norm(const struct kernels *kernels, const double *x, size_t n) {
    double squares = kernels->dot_f64(x, x, n);
    if (squares > SQUARES_LEAST && squares < SQUARES_MOST) return sqrt(squares);
    double largest = 0, sum = 0;
    for (size_t i = 0; i < n; i++) largest = fmax(largest, fabs(x[i]));
    if (largest == 0) return 0;
    for (size_t i = 0; i < n; i++) sum += (x[i] / largest) * (x[i] / largest);
    return largest * sqrt(sum);
}

static void bring_column(struct factors *f, size_t i) {
    size_t best = i;
    for (size_t j = i + 1; j < f->n; j++) {
        if (f->norm[j] > f->norm[best]) best = j;
    }
    double *column = f->column[best], norm = f->norm[best];
    size_t order = f->order[best];
    f->column[best] = f->column[i], f->norm[best] = f->norm[i], f->order[best] = f->order[i];
    f->column[i] = column, f->norm[i] = norm, f->order[i] = order;
}

/* Earlier reflectors take part, as if the rows had always been in this order. */
static void bring_row(struct factors *f, size_t i) {
    size_t best = i;
    for (size_t p = i + 1; p < f->rows; p++) {
        if (fabs(f->column[i][p]) > fabs(f->column[i][best])) best = p;
    }
    size_t row = f->row_order[best];
    double noise = f->noise[best];
    f->row_order[best] = f->row_order[i], f->row_order[i] = row;
    f->noise[best] = f->noise[i], f->noise[i] = noise;
    for (size_t j = 0; j < f->n + f->extra; j++) {
        double element = f->column[j][best];
        f->column[j][best] = f->column[j][i], f->column[j][i] = element;
    }
}

static void reflect(const struct factors *f, const struct kernels *kernels, size_t i, double *x) {
    const double *v = f->column[i] + i;
    double s = f->tau[i] * kernels->dot_f64(v, x + i, f->rows - i);
    kernels->axpy_f64(-s, v, x + i, f->rows - i);
}

static void drop_noise(const struct factors *f, double *x, size_t first) {
    for (size_t p = first; p < f->rows; p++) {
        if (fabs(x[p]) <= f->noise[p]) x[p] = 0;
    }
}

static void min_norm_factor(struct factors *f, const struct kernels *kernels, double tolerance) {
    for (size_t j = 0; j < f->n; j++) f->norm[j] = column_norm(kernels, f->column[j], f->rows);
    double least = 0;
    for (f->rank = 0; f->rank < f->n && f->rank < f->rows; f->rank++) {
        size_t i = f->rank;
        bring_column(f, i);
        if (i == 0) least = tolerance * f->norm[0];
        if (!(f->norm[i] > least)) break;

        bring_row(f, i);
        double *v = f->column[i] + i;
        double alpha = v[0], beta = -copysign(f->norm[i], alpha);
        f->diagonal[i] = beta;
        f->tau[i] = (beta - alpha) / beta;
        v[0] = 1;
        for (size_t p = 1; p < f->rows - i; p++) v[p] /= alpha - beta;
        for (size_t j = i + 1; j < f->n + f->extra; j++) {
            reflect(f, kernels, i, f->column[j]);
            if (j >= f->n) continue;
            drop_noise(f, f->column[j], i + 1);
            f->norm[j] = column_norm(kernels, f->column[j] + i + 1, f->rows - i - 1);
        }
    }
}

/* What rounding leaves of a unit column that depends on others. The usual max(m, n) 2^-52, but A is
   most often the R of data that had many more rows than R has, added up tile by tile in a tree;
   the rows of a tile leave their rounding too. Measured on indicator columns, sums of up to 500
   columns and 10^6 rows in tiles of 1024: at most 1.7e-14, a thirteenth of this tolerance. */
enum { RANK_ROWS = 1024 };
/* Elements of N below this part of the tolerance are rounding. In trials with columns whose norms
   lay up to 2^800 apart, a quarter of the tolerance hurt the residual and a 64th let noise in. */
enum { NOISE_PART = 16 };

static double rank_tolerance(size_t m, size_t n) {
    size_t most = m > n ? m : n;
    return (double)(most > RANK_ROWS ? most : RANK_ROWS) * DBL_EPSILON;
}

static sepal_status min_norm_check_finite(sepal_ctx *ctx, const double *x, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (!isfinite(x[i]))
            return fail(ctx, SEPAL_EDATA,
                        "the least-squares system has numbers beyond the range of a "
                        "double; scale the features down");
    return SEPAL_OK;
}

/* The columns of A in unit norm; scales[j] is the norm that they had after division by 2^shift. */
static sepal_status min_norm_load(struct factors *f, double *scales, int *shift, sepal_ctx *ctx,
                                  const double *a) {
    double largest = 0;
    TRY(min_norm_check_finite(ctx, a, f->rows * f->n));
    for (size_t i = 0; i < f->rows * f->n; i++) largest = fmax(largest, fabs(a[i]));
    if (largest > 0 && ilogb(largest) > EXPONENT_MOST) *shift = ilogb(largest) - EXPONENT_MOST;
    double factor_down = ldexp(1, -*shift);
    for (size_t j = 0; j < f->n; j++) {
        double *x = f->column[j];
        for (size_t i = 0; i < f->rows; i++) x[i] = a[i * f->n + j] * factor_down;
        scales[j] = column_norm(ctx->kernels, x, f->rows);
        for (size_t i = 0; i < f->rows && scales[j] > 0; i++) x[i] /= scales[j];
    }
    return SEPAL_OK;
}

static sepal_status load_targets(struct factors *f, sepal_ctx *ctx, const double *b) {
    TRY(min_norm_check_finite(ctx, b, f->rows * f->extra));
    for (size_t j = 0; j < f->extra; j++)
        for (size_t i = 0; i < f->rows; i++) f->column[f->n + j][i] = b[i * f->extra + j];
    return SEPAL_OK;
}

/* x = inverse(R1) x */
static void solve_triangle(const struct factors *f, const struct kernels *kernels, double *x) {
    for (size_t i = f->rank; i-- > 0;) {
        x[i] /= f->diagonal[i];
        kernels->axpy_f64(-x[i], f->column[i], x, i);
    }
}

/* S N and S y; row `at` belongs to the column of A at that place. A column of zeros gets no part in
   N, so its weight stays zero. */
static void load_null_space(struct factors *g, const struct factors *f, const double *scales,
                            double noise) {
    for (size_t at = 0; at < f->n; at++) {
        double scale = scales[f->order[at]];
        if (scale > 0) g->noise[at] = noise / scale;
        if (at >= f->rank && scale > 0) g->column[at - f->rank][at] = 1 / scale;
        if (at >= f->rank) continue;
        for (size_t j = 0; j < g->n; j++) {
            g->column[j][at] = -f->column[f->rank + j][at] / scale;
        }
        for (size_t c = 0; c < g->extra; c++) {
            g->column[g->n + c][at] = f->column[f->n + c][at] / scale;
        }
    }
    for (size_t j = 0; j < g->n; j++) drop_noise(g, g->column[j], 0);
}

/* The scales, none smaller than 2^-apart of the largest. */
static void keep_near(double *kept, const double *scales, size_t n, int apart) {
    double largest = 0;
    for (size_t j = 0; j < n; j++) largest = fmax(largest, scales[j]);
    for (size_t j = 0; j < n; j++)
        kept[j] = scales[j] > 0 ? fmax(scales[j], ldexp(largest, -apart)) : 0;
}

/* W = S y less its projection on the columns of S N, with the scales `kept` for S. */
static sepal_status min_norm_project(double *w, const struct factors *f, sepal_ctx *ctx,
                                     struct arena *arena, const double *scales, const double *kept,
                                     double noise) {
    struct factors g;
    TRY(min_norm_make_factors(&g, ctx, arena, f->n, f->n - f->rank, f->extra));
    load_null_space(&g, f, kept, noise);
    min_norm_factor(&g, ctx->kernels, 0);
    for (size_t c = 0; c < g.extra; c++) {
        double *z = g.column[g.n + c];
        memset(z, 0, g.rank * sizeof *z);
        for (size_t i = g.rank; i-- > 0;) reflect(&g, ctx->kernels, i, z);
        for (size_t i = 0; i < f->n; i++) {
            size_t j = f->order[g.row_order[i]];
            w[j * f->extra + c] = scales[j] > 0 ? z[i] * (kept[j] / scales[j]) : 0;
        }
    }
    return SEPAL_OK;
}

/* Whether A W = A S y, up to rounding, as it must be. */
static bool solves(const double *w, const struct factors *f, const double *scales, const double *a,
                   double factor_down) {
    static const double rounding = 1e-12;
    for (size_t c = 0; c < f->extra; c++)
        for (size_t i = 0; i < f->rows; i++) {
            double difference = 0, size = 0;
            for (size_t at = 0; at < f->n; at++) {
                size_t j = f->order[at];
                double x = a[i * f->n + j] * factor_down, projected = x * w[j * f->extra + c];
                double basic = at < f->rank ? x / scales[j] * f->column[f->n + c][at] : 0;
                difference += projected - basic;
                size += fabs(basic);
            }
            if (!(fabs(difference) <= rounding * size)) return false;
        }
    return true;
}

/* Least norm. Where scales are so far apart that quotients are below a double's range, what is lost with
   them is a part of the answer: then columns that are very small count as larger, and the answer is not
   quite the solution of least norm, but it is one. */
static sepal_status solve_singular(double *w, const struct factors *f, sepal_ctx *ctx,
                                   struct arena *arena, const double *scales, const double *a,
                                   double factor_down) {
    enum { NEAR = 400 };
    double noise = rank_tolerance(f->rows, f->n) / NOISE_PART;
    double *kept = arena_alloc(ctx, arena, f->n, sizeof *kept);
    if (kept == NULL) return SEPAL_EMEMORY;
    for (size_t j = f->rank; j < f->n; j++) solve_triangle(f, ctx->kernels, f->column[j]);
    TRY(min_norm_project(w, f, ctx, arena, scales, scales, noise));
    if (solves(w, f, scales, a, factor_down)) return SEPAL_OK;
    keep_near(kept, scales, f->n, NEAR);
    return min_norm_project(w, f, ctx, arena, scales, kept, noise);
}

static sepal_status solve_factored(double *w, size_t *rank, sepal_ctx *ctx, struct arena *arena,
                                   const double *a, size_t m, size_t n, const double *b, size_t k) {
    struct factors f;
    int shift = 0;
    double *scales = arena_alloc(ctx, arena, n, sizeof *scales);
    if (scales == NULL) return SEPAL_EMEMORY;
    TRY(min_norm_make_factors(&f, ctx, arena, m, n, k));
    TRY(min_norm_load(&f, scales, &shift, ctx, a));
    TRY(load_targets(&f, ctx, b));
    min_norm_factor(&f, ctx->kernels, rank_tolerance(m, n));
    *rank = f.rank;
    for (size_t c = 0; c < k; c++) solve_triangle(&f, ctx->kernels, f.column[n + c]);
    if (f.rank < n) TRY(solve_singular(w, &f, ctx, arena, scales, a, ldexp(1, -shift)));
    for (size_t i = 0; i < n * k && f.rank == n; i++) {
        w[f.order[i / k] * k + i % k] = f.column[n + i % k][i / k] / scales[f.order[i / k]];
    }
    for (size_t i = 0; i < n * k; i++) {
        w[i] = ldexp(w[i], -shift);
        if (!isfinite(w[i])) {
            return fail(ctx, SEPAL_EDATA,
                        "the least-squares weight of column %zu is beyond the "
                        "range of a double; scale this feature up",
                        i / k + 1);
        }
    }
    return SEPAL_OK;
}

sepal_status min_norm_solve(double *w, size_t *rank, sepal_ctx *ctx, double *a, size_t m, size_t n,
                            double *b, size_t k) {
    struct arena arena = {0};
    sepal_status status = solve_factored(w, rank, ctx, &arena, a, m, n, b, k);
    arena_clear(&arena);
    return status;
}

static sepal_status min_norm_keep_rows(double *out, size_t *rank, sepal_ctx *ctx,
                                       struct arena *arena, const double *a, size_t m, size_t n) {
    struct factors f;
    int shift = 0;
    double *scales = arena_alloc(ctx, arena, n, sizeof *scales);
    if (scales == NULL) return SEPAL_EMEMORY;
    TRY(min_norm_make_factors(&f, ctx, arena, m, n, 0));
    TRY(min_norm_load(&f, scales, &shift, ctx, a));
    min_norm_factor(&f, ctx->kernels, rank_tolerance(m, n));
    *rank = f.rank;
    memset(out, 0, f.rank * n * sizeof *out);
    for (size_t i = 0; i < f.rank; i++)
        for (size_t at = i; at < n; at++) {
            size_t j = f.order[at];
            double element = at == i ? f.diagonal[i] : f.column[at][i];
            out[i * n + j] = ldexp(element * scales[j], shift);
        }
    return SEPAL_OK;
}

sepal_status min_norm_rows(double *out, size_t *rank, sepal_ctx *ctx, const double *a, size_t m,
                           size_t n) {
    struct arena arena = {0};
    sepal_status status = min_norm_keep_rows(out, rank, ctx, &arena, a, m, n);
    arena_clear(&arena);
    return status;
}
