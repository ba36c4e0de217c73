/* Whitening by the triangular factor of the scatter matrix, scaled to unit diagonal. If it has
   dependent columns, pivoting finds a set of independent ones, R1, and how the others depend on
   them, which gives a basis N of what S takes to zero. With P the projection that takes N out,

       pinv(S) = P G P,   G the inverse for the independent columns, zero for the others,

   so no eigenproblem is needed. Where few rows, or few independent columns, make C = R or the rows
   themselves small, least squares of least norm with C does the same.

   A Gram matrix holds the squares of what tells columns apart. If these squares come near rounding
   it is not clear from it which columns are dependent; then the rows themselves are factored. */
#include "solvers/whiten.h"

#include "kernels/blas.h"
#include "solvers/min_norm.h"
#include "solvers/tall.h"
#include "solvers/whiten_ridge.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Pivots of the matrix of unit diagonal, 1 - R^2 of a column on those before it: below ZERO they
   are rounding, above CLEAR they are not. Squares outside [LEAST, MOST] are near the ends of a
   double's range. */
static const double PIVOT_ZERO = 1e-12, PIVOT_CLEAR = 1e-8, LEAST = 1e-200, MOST = 1e200;
/* A vector lies outside the range of S if more than this part of it does. */
static const double OUTSIDE = 1e-8;
/* Matrices of up to 1 GiB; rows are factored up to QR_COLS columns, some seconds. */
enum { CELLS_MOST = 1 << 27, QR_COLS = 2048 };

static double *make(const struct scatter *s, size_t rows, size_t cols) {
    return arena_alloc(s->ctx, s->arena, rows, cols * sizeof(double));
}

/* ---- the factor --------------------------------------------------------------------------- */

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

/* x = inverse(R) x for the leading `rank` rows and columns of R */
static void solve_up(double *x, const double *r, size_t rank, size_t n,
                     const struct kernels *kernels) {
    for (size_t i = rank; i-- > 0;) {
        const double *row = r + i * n;
        x[i] = (x[i] - kernels->dot_f64(row + i + 1, x + i + 1, rank - i - 1)) / row[i];
    }
}

/* The rows of C that the factor of `rank` pivots stands for, in units of the data. */
static sepal_status use_rows_of_factor(struct whitener *w) {
    size_t n = w->n;
    double *c = make(w->s, w->rank, n);
    if (!c) return SEPAL_EMEMORY;
    for (size_t i = 0; i < w->rank * n; i++)
        c[i / n * n + w->order[i % n]] = w->factor[i] / w->scale[w->order[i % n]];
    w->factor = c;
    w->way = WHITEN_ROWS;
    w->rows = w->height = w->rank;
    return SEPAL_OK;
}

static sepal_status use_null_space(struct whitener *w) {
    size_t n = w->n, rank = w->rank, missing = n - rank;
    const struct scatter *s = w->s;
    w->null = arena_zero(s->ctx, s->arena, n, missing * sizeof *w->null);
    double *x = make(s, 1, n);
    if (!w->null || !x) return SEPAL_EMEMORY;
    for (size_t c = 0; c < missing; c++) {
        for (size_t i = 0; i < rank; i++) x[i] = w->factor[i * n + rank + c];
        solve_up(x, w->factor, rank, n, s->ctx->kernels);
        for (size_t i = 0; i < rank; i++)
            w->null[w->order[i] * missing + c] = -x[i] * w->scale[w->order[i]];
        w->null[w->order[rank + c] * missing + c] = w->scale[w->order[rank + c]];
    }
    w->way = WHITEN_NULL;
    w->height = rank;
    return SEPAL_OK;
}

/* ---- the factor of the rows themselves ---------------------------------------------------- */

struct shrunk_rows {
    struct scatter_rows rows;
    double times, ridge; /* roots of what the rows and the identity are multiplied by */
};

static void fill_shrunk(const void *payload, size_t first, size_t n, double *out, size_t stride) {
    const struct shrunk_rows *all = payload;
    const struct scatter *s = all->rows.s;
    for (size_t row = first; row < first + n; row++, out += stride) {
        if (row >= s->x->rows) {
            memset(out, 0, s->n * sizeof *out);
            out[row - s->x->rows] = all->ridge;
            continue;
        }
        scatter_fill(&all->rows, row, 1, out, stride);
        for (size_t j = 0; j < s->n; j++) out[j] *= all->times;
    }
}

static sepal_status factor_rows(struct whitener *w) {
    const struct scatter *s = w->s;
    size_t n = w->n;
    struct shrunk_rows all = {.rows = {.s = s}, .times = sqrt(1 - w->alpha), .ridge = sqrt(w->ridge)};
    struct tall tall = {.rows = s->x->rows + (w->alpha > 0 ? n : 0),
                        .cols = n,
                        .stride = s->x->cols,
                        .fill = fill_shrunk,
                        .payload = &all};
    double *r = make(s, n, n), *copy = make(s, n, n);
    double *zero = arena_zero(s->ctx, s->arena, n, sizeof *zero), *x = make(s, 1, n);
    if (!r || !copy || !zero || !x) return SEPAL_EMEMORY;
    TRY(tall_qr(r, s->ctx, &tall));
    memcpy(copy, r, n * n * sizeof *r);
    TRY(min_norm_solve(x, &w->rank, s->ctx, copy, n, n, zero, 1));
    w->factor = r;
    w->rows = w->height = n;
    w->way = WHITEN_ROWS;
    if (w->rank < n) return SEPAL_OK;
    w->way = WHITEN_TRIANGLE;
    for (size_t i = 0; i < n; i++) {
        double sign = r[i * n + i] < 0 ? -1 : 1;
        for (size_t j = i; j < n; j++) r[i * n + j] *= sign * w->scale[j];
    }
    return SEPAL_OK;
}

/* ---- the choice --------------------------------------------------------------------------- */

static sepal_status shrink(struct whitener *w, double alpha) {
    const struct scatter *s = w->s;
    struct scatter_rows rows = {.s = s};
    size_t n = w->n;
    double *g = w->factor;
    for (size_t j = 0; j < n; j++) w->trace += g[j * n + j];
    if (isnan(alpha)) TRY(ledoit_wolf(&alpha, &rows, s->x->rows, s->total, g, false));
    w->alpha = alpha;
    w->ridge = alpha * w->trace / (double)s->x->cols;
    for (size_t i = 0; i < n; i++) {
        for (size_t j = i; j < n && alpha > 0; j++) g[i * n + j] *= 1 - alpha;
        g[i * n + i] += w->ridge;
        if (!(g[i * n + i] > LEAST && g[i * n + i] < MOST))
            return fail(s->ctx, SEPAL_EDATA,
                        "the squares of matrix column %zu are beyond the range of a double; bring "
                        "the features to a common scale (standardize | ...)",
                        s->active[i] + 1);
    }
    return SEPAL_OK;
}

static sepal_status make_dense(struct whitener *w, double alpha) {
    const struct scatter *s = w->s;
    size_t n = w->n;
    w->factor = make(s, n, n);
    w->scale = make(s, 1, n);
    if (!w->factor || !w->scale) return SEPAL_EMEMORY;
    TRY(scatter_within(w->factor, s));
    TRY(shrink(w, alpha));
    TRY(check_cancelled(s->ctx, "factoring the scatter matrix"));
    w->rank = w->height = n;
    if (cholesky_scaled(w->factor, n, w->scale, PIVOT_CLEAR, s->ctx)) return SEPAL_OK;

    double *work = make(s, 1, n);
    w->order = arena_alloc(s->ctx, s->arena, n, sizeof *w->order);
    if (!work || !w->order) return SEPAL_EMEMORY;
    w->rank = cholesky_pivoted(w->factor, n, fmax(PIVOT_ZERO, (double)n * DBL_EPSILON), w->order,
                               work, s->ctx);
    double last = w->rank ? w->factor[(w->rank - 1) * (n + 1)] : 0;
    if (last * last <= PIVOT_CLEAR && n <= QR_COLS) return factor_rows(w);
    return n - w->rank > w->rank ? use_rows_of_factor(w) : use_null_space(w);
}

static sepal_status make_rows(struct whitener *w) {
    const struct scatter *s = w->s;
    struct scatter_rows rows = {.s = s};
    size_t m = s->x->rows, cols = s->x->cols;
    double *wide = make(s, m, cols);
    if (!wide) return SEPAL_EMEMORY;
    scatter_fill(&rows, 0, m, wide, cols);
    for (size_t i = 0; i < m; i++) memmove(wide + i * w->n, wide + i * cols, w->n * sizeof *wide);
    for (size_t i = 0; i < m * w->n; i++) w->trace += wide[i] * wide[i];
    w->factor = wide;
    w->way = WHITEN_ROWS;
    w->rows = w->height = m;
    return SEPAL_OK;
}

static sepal_status refuse(const struct whitener *w, bool shrunk) {
    double n = (double)w->n, rows = (double)w->s->x->rows;
    return fail(w->s->ctx, SEPAL_EDATA,
                "the scatter matrix of %zu columns would take %.3g GB, more than the 1 GB this is "
                "made for; %s",
                w->n, n * n * 8e-9,
                !shrunk && rows < n && rows * rows <= CELLS_MOST
                    ? "with shrinkage=auto it is solved in the space of the rows"
                    : "use fewer columns, or least-squares(targets=fisher), which needs no such "
                      "matrix");
}

sepal_status whitener_make(struct whitener *out, const struct scatter *s, double alpha) {
    double n = (double)s->n, rows = (double)s->x->rows;
    *out = (struct whitener){.s = s, .n = s->n};
    if (alpha == 0 && 2 * rows <= n && rows * (double)s->x->cols <= CELLS_MOST)
        return make_rows(out);
    if (n * n <= CELLS_MOST) return make_dense(out, alpha);
    if (alpha == 0 || rows >= n || rows * rows > CELLS_MOST) return refuse(out, alpha != 0);
    return ridge_make(out, alpha);
}

/* ---- vectors ------------------------------------------------------------------------------ */

static void transpose(double *out, const double *in, size_t rows, size_t cols) {
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < cols; j++) out[j * rows + i] = in[i * cols + j];
}

/* The norm of a row in units of each column's scatter. */
static double scaled_norm(const struct whitener *w, const double *row) {
    double sum = 0;
    for (size_t j = 0; j < w->n; j++) {
        double x = row[j] * (w->scale ? w->scale[j] : 1);
        sum += x * x;
    }
    return sqrt(sum);
}

/* Take the null space out of each row. *outside: there was more of it than rounding. */
static sepal_status project(const struct whitener *w, double *rows, size_t k, bool *outside) {
    size_t n = w->n, missing = n - w->rank, rank;
    sepal_ctx *ctx = w->s->ctx;
    double *null = make(w->s, n, missing), *b = make(w->s, n, k), *z = make(w->s, missing, k);
    if (!null || !b || !z) return SEPAL_EMEMORY;
    memcpy(null, w->null, n * missing * sizeof *null);
    transpose(b, rows, k, n);
    TRY(min_norm_solve(z, &rank, ctx, null, n, missing, b, k));
    for (size_t r = 0; r < k; r++) {
        double *row = rows + r * n, *out = b;
        double before = scaled_norm(w, row);
        for (size_t j = 0; j < n; j++) {
            out[j] = 0;
            for (size_t c = 0; c < missing; c++)
                out[j] += w->null[j * missing + c] * z[c * k + r];
            row[j] -= out[j];
        }
        if (scaled_norm(w, out) > OUTSIDE * before) *outside = true;
    }
    return SEPAL_OK;
}

static sepal_status whiten_by_rows(double *y, struct whitener *w, const double *b, size_t k) {
    size_t n = w->n, m = w->rows;
    sepal_ctx *ctx = w->s->ctx;
    double *a = make(w->s, n, m), *right = make(w->s, n, k), *columns = make(w->s, m, k);
    double *fitted = make(w->s, 1, n);
    if (!a || !right || !columns || !fitted) return SEPAL_EMEMORY;
    transpose(a, w->factor, m, n);
    transpose(right, b, k, n);
    TRY(min_norm_solve(columns, &w->rank, ctx, a, n, m, right, k));
    transpose(y, columns, m, k);
    for (size_t r = 0; r < k; r++) {
        memcpy(fitted, b + r * n, n * sizeof *fitted);
        for (size_t i = 0; i < m; i++)
            ctx->kernels->axpy_f64(-y[r * m + i], w->factor + i * n, fitted, n);
        if (scaled_norm(w, fitted) > OUTSIDE * scaled_norm(w, b + r * n)) w->outside = true;
    }
    return SEPAL_OK;
}

sepal_status whitener_whiten(double *y, struct whitener *w, double *b, size_t k) {
    size_t n = w->n, rank = w->rank;
    if (w->way == WHITEN_ROWS) return whiten_by_rows(y, w, b, k);
    if (w->way == WHITEN_RIDGE) return ridge_whiten(y, w, b, k);
    if (w->way == WHITEN_NULL) TRY(project(w, b, k, &w->outside));
    for (size_t i = 0; i < k * rank; i++) {
        size_t j = w->order && w->way == WHITEN_NULL ? w->order[i % rank] : i % rank;
        y[i] = b[i / rank * n + j] * w->scale[j];
    }
    w->s->ctx->blas->right_solve(k, rank, w->factor, n, y, rank);
    return SEPAL_OK;
}

static sepal_status back_by_rows(double *out, struct whitener *w, const double *y, size_t k) {
    size_t n = w->n, m = w->rows;
    double *a = make(w->s, m, n), *right = make(w->s, m, k), *columns = make(w->s, n, k);
    if (!a || !right || !columns) return SEPAL_EMEMORY;
    memcpy(a, w->factor, m * n * sizeof *a);
    transpose(right, y, k, m);
    TRY(min_norm_solve(columns, &w->rank, w->s->ctx, a, m, n, right, k));
    transpose(out, columns, n, k);
    return SEPAL_OK;
}

sepal_status whitener_back(double *out, struct whitener *w, const double *y, size_t k) {
    size_t n = w->n, rank = w->rank;
    if (w->way == WHITEN_ROWS) return back_by_rows(out, w, y, k);
    if (w->way == WHITEN_RIDGE) return ridge_back(out, w, y, k);
    double *x = make(w->s, 1, n);
    if (!x) return SEPAL_EMEMORY;
    memset(out, 0, k * n * sizeof *out);
    for (size_t r = 0; r < k; r++) {
        memcpy(x, y + r * rank, rank * sizeof *x);
        solve_up(x, w->factor, rank, n, w->s->ctx->kernels);
        for (size_t i = 0; i < rank; i++) {
            size_t j = w->way == WHITEN_NULL ? w->order[i] : i;
            out[r * n + j] = x[i] * w->scale[j];
        }
    }
    bool some; /* of no meaning here */
    return w->way == WHITEN_NULL ? project(w, out, k, &some) : SEPAL_OK;
}
