/* Whitening by the triangular factor of the scatter matrix, scaled to unit diagonal. If it has
   dependent columns, pivoting finds a set of independent ones, R1, and how the others depend on
   them, which gives a basis N of what S takes to zero. With P the projection that takes N out,

       pinv(S) = P G P,   G the inverse for the independent columns, zero for the others,

   so no eigenproblem is needed. Where few rows, or few independent columns, make C = R or the rows
   themselves small, least squares of least norm with C does the same.

   A Gram matrix holds the squares of what tells columns apart, and these may drown in rounding. So
   the rows themselves are asked whether they have anything along N; if they do, they are factored
   themselves. */
#include "statistics/whiten.h"

#include "core/alloc.h"
#include "kernels/blas.h"
#include "dense/min_norm.h"
#include "dense/tall.h"
#include "statistics/whiten_ridge.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Pivots of the matrix of unit diagonal, 1 - R^2 of a column on those before it: below ZERO they
   are rounding, above CLEAR they are not. */
static const double PIVOT_ZERO = 1e-12, PIVOT_CLEAR = 1e-8;
/* The same where there are no rows to turn to. */
static const double PIVOT_LEFT = 1e-6;
/* Columns are dependent if the rows have no more than this along a combination of them, relative to
   what the columns have. */
static const double DEPENDENT = 1e-12;
/* A vector lies outside the range of S if more than this part of it does. */
static const double OUTSIDE = 1e-8;
/* Matrices of up to 1 GiB; ranks of rows and columns are found by vector operations, some seconds. */
enum { CELLS_MOST = 1 << 27, QR_COLS = 2048, QR_ROWS = 1024 };
/* Solutions by R'R are corrected by residuals with C itself, so often. */
enum { CORRECTIONS = 2 };

/* ---- the factor --------------------------------------------------------------------------- */

/* x = inverse(R) x for the leading `rank` rows and columns of R */
static void whiten_solve_up(double *x, const double *r, size_t rank, size_t n,
                            const struct kernels *kernels) {
    for (size_t i = rank; i-- > 0;) {
        const double *row = r + i * n;
        x[i] = (x[i] - kernels->dot_f64(row + i + 1, x + i + 1, rank - i - 1)) / row[i];
    }
}

/* C' = QR, so that C C' = R'R, of few rows and columns. */
static sepal_status use_rows(struct whitener *w, size_t rows, bool dependent) {
    const struct scatter *s = w->s;
    size_t m = rows, n = w->n, work = blas_qr_work(n, m);
    double *columns = whiten_make(s, n, m), *scratch = whiten_make(s, 1, work);
    if (!columns || !scratch) return SEPAL_EMEMORY;
    w->way = WHITEN_ROWS;
    w->rows = w->height = m;
    w->inner = columns;
    w->dependent = dependent;
    transpose(columns, w->factor, m, n);
    s->ctx->blas->qr_r(n, m, columns, m, scratch);
    if (!dependent) return SEPAL_OK;
    double *unit = arena_zero(s->ctx, s->arena, m, m * sizeof *unit);
    w->inner = whiten_make(s, m, m);
    if (!unit || !w->inner) return SEPAL_EMEMORY;
    for (size_t i = 0; i < m; i++) unit[i * m + i] = 1;
    return min_norm_solve(w->inner, &w->rank, s->ctx, columns, m, m, unit, m);
}

/* The rows of C that the factor of `rank` pivots stands for, in units of the data. */
static sepal_status use_rows_of_factor(struct whitener *w) {
    size_t n = w->n;
    double *c = arena_zero(w->s->ctx, w->s->arena, w->rank, n * sizeof *c);
    if (!c) return SEPAL_EMEMORY;
    for (size_t i = 0; i < w->rank; i++)
        for (size_t j = i; j < n; j++)
            c[i * n + w->order[j]] = w->factor[i * n + j] / w->scale[w->order[j]];
    w->factor = c;
    return use_rows(w, w->rank, false);
}

/* A basis of what S takes to zero: how the dependent columns depend on the others. */
static sepal_status find_null_space(struct whitener *w) {
    size_t n = w->n, rank = w->rank, missing = n - rank;
    const struct scatter *s = w->s;
    w->null = arena_zero(s->ctx, s->arena, n, missing * sizeof *w->null);
    double *x = whiten_make(s, 1, n);
    if (!w->null || !x) return SEPAL_EMEMORY;
    for (size_t c = 0; c < missing; c++) {
        for (size_t i = 0; i < rank; i++) x[i] = w->factor[i * n + rank + c];
        whiten_solve_up(x, w->factor, rank, n, s->ctx->kernels);
        for (size_t i = 0; i < rank; i++)
            if (fabs(x[i]) > PIVOT_ZERO)
                w->null[w->order[i] * missing + c] = -x[i] * w->scale[w->order[i]];
        w->null[w->order[rank + c] * missing + c] = w->scale[w->order[rank + c]];
    }
    return SEPAL_OK;
}

struct confirming {
    const struct whitener *w;
    size_t *column, columns; /* those that have a part in the null space */
};

/* Squares of what the rows of a block have along each vector of the null space. */
static sepal_status add_null_squares(sepal_ctx *ctx, const struct block *block, double *sums,
                                     void *payload) {
    const struct confirming *all = payload;
    const struct scatter *s = all->w->s;
    size_t cols = s->x->cols, missing = all->w->n - all->w->rank;
    double *along = mem_alloc(ctx, missing, sizeof *along), x;
    if (!along) return SEPAL_EMEMORY;
    for (size_t i = 0; i < block->rows; i++) {
        const double *mean = s->mean + scatter_class(s, block->first_row + i) * cols;
        double root = sqrt(scatter_weight(s, block->first_row + i));
        memset(along, 0, missing * sizeof *along);
        for (size_t a = 0; a < all->columns; a++) {
            size_t j = s->active[all->column[a]], at = row_seek(block, i, j), found;
            if (!row_next(block, i, cols, &at, &found, &x) || found != j) x = 0;
            x = (x - s->centre[j] - mean[j]) * scatter_inverse_unit(s, j);
            ctx->kernels->axpy_f64(root * x, all->w->null + all->column[a] * missing, along,
                                   missing);
        }
        for (size_t c = 0; c < missing; c++) sums[c] += along[c] * along[c];
    }
    mem_free(along);
    return SEPAL_OK;
}

/* Whether the rows themselves have nothing along the null space but rounding. */
static sepal_status confirm_null_space(bool *confirmed, const struct whitener *w) {
    const struct scatter *s = w->s;
    size_t n = w->n, missing = n - w->rank;
    struct confirming all = {.w = w};
    double *sums = whiten_make(s, 1, missing);
    all.column = arena_alloc(s->ctx, s->arena, n, sizeof *all.column);
    if (!sums || !all.column) return SEPAL_EMEMORY;
    for (size_t j = 0; j < n; j++) {
        size_t c = 0;
        while (c < missing && w->null[j * missing + c] == 0) c++;
        if (c < missing) all.column[all.columns++] = j;
    }
    TRY(matrix_sum(sums, s->ctx, s->x, missing, add_null_squares, &all));
    *confirmed = true;
    for (size_t c = 0; c < missing; c++) {
        double size = 0;
        for (size_t j = 0; j < n; j++) size += fabs(w->null[j * missing + c]) / w->scale[j];
        *confirmed = *confirmed && sqrt(sums[c]) <= DEPENDENT * size;
    }
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
    struct shrunk_rows all = {
        .rows = {.s = s}, .times = sqrt(1 - w->alpha), .ridge = sqrt(w->ridge)};
    struct tall tall = {.rows = s->x->rows + (w->alpha > 0 ? n : 0),
                        .cols = n,
                        .stride = s->x->cols,
                        .fill = fill_shrunk,
                        .payload = &all};
    double *r = whiten_make(s, n, n), *rows = whiten_make(s, n, n);
    if (!r || !rows) return SEPAL_EMEMORY;
    TRY(tsqr(r, s->ctx, &tall));
    TRY(min_norm_rows(rows, &w->rank, s->ctx, r, n, n));
    /* rows of r that are nothing but rounding would pass for rows of C in a problem by rows */
    w->factor = rows;
    w->rows = w->height = w->rank;
    w->way = WHITEN_SQUARE;
    if (w->rank < n) return SEPAL_OK;
    w->factor = r;
    w->way = WHITEN_TRIANGLE;
    for (size_t i = 0; i < n; i++) {
        double sign = r[i * n + i] < 0 ? -1 : 1;
        for (size_t j = i; j < n; j++) r[i * n + j] *= sign * w->scale[j];
    }
    return SEPAL_OK;
}

/* ---- the choice --------------------------------------------------------------------------- */

static sepal_status whiten_make_dense(struct whitener *w, double alpha, double divisor) {
    const struct scatter *s = w->s;
    size_t n = w->n;
    w->factor = whiten_make(s, n, n);
    w->scale = whiten_make(s, 1, n);
    if (!w->factor || !w->scale) return SEPAL_EMEMORY;
    TRY(scatter_within(w->factor, s));
    TRY(whitener_shrink(w, alpha, divisor));
    TRY(check_cancelled(s->ctx, "factoring the scatter matrix"));
    w->rank = w->height = n;
    double least = s->left ? PIVOT_LEFT : PIVOT_CLEAR;
    if (cholesky_scaled(w->factor, n, w->scale, least, s->ctx)) return SEPAL_OK;
    if (s->left) return scatter_lacks(s);

    double *work = whiten_make(s, 1, n);
    w->order = arena_alloc(s->ctx, s->arena, n, sizeof *w->order);
    if (!work || !w->order) return SEPAL_EMEMORY;
    w->rank = cholesky_pivoted(w->factor, n, fmax(PIVOT_ZERO, (double)n * DBL_EPSILON), w->order,
                               work, s->ctx);
    TRY(find_null_space(w));
    double last = w->rank ? w->factor[(w->rank - 1) * (n + 1)] : 0;
    bool clear = last * last > PIVOT_CLEAR;
    bool all_rows_count = w->rank + s->classes >= s->x->rows; /* they cannot have a higher rank */
    if (n <= QR_COLS && clear && !all_rows_count) TRY(confirm_null_space(&clear, w));
    if (n <= QR_COLS && !clear) return factor_rows(w);
    if (n - w->rank > w->rank) return use_rows_of_factor(w);
    w->way = WHITEN_NULL;
    w->height = w->rank;
    return SEPAL_OK;
}

static sepal_status make_rows(struct whitener *w) {
    const struct scatter *s = w->s;
    struct scatter_rows rows = {.s = s};
    size_t m = s->x->rows, cols = s->x->cols;
    double *wide = whiten_make(s, m, cols);
    if (!wide) return SEPAL_EMEMORY;
    scatter_fill(&rows, 0, m, wide, cols);
    for (size_t i = 0; i < m; i++) memmove(wide + i * w->n, wide + i * cols, w->n * sizeof *wide);
    for (size_t i = 0; i < m * w->n; i++) w->trace += wide[i] * wide[i];
    w->factor = wide;
    return use_rows(w, m, true);
}

static sepal_status whiten_refuse(const struct whitener *w, bool shrunk) {
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

sepal_status whitener_make(struct whitener *out, const struct scatter *s, double alpha,
                           double divisor) {
    double n = (double)s->n, rows = (double)s->x->rows;
    *out = (struct whitener){.s = s, .n = s->n};
    bool few = s->x->rows <= QR_ROWS && 2 * rows <= n && rows * (double)s->x->cols <= CELLS_MOST;
    if (s->left && (few || n * n > CELLS_MOST)) return scatter_lacks(s);
    if (alpha == 0 && few) return make_rows(out);
    if (n * n <= CELLS_MOST) return whiten_make_dense(out, alpha, divisor);
    if (alpha == 0 || rows >= n || rows * rows > CELLS_MOST) return whiten_refuse(out, alpha != 0);
    return ridge_make(out, alpha, divisor);
}

/* ---- vectors ------------------------------------------------------------------------------ */

/* The norm of a row in units of each column's scatter. */
static double scaled_norm(const struct whitener *w, const double *row) {
    double sum = 0;
    for (size_t j = 0; j < w->n; j++) {
        double x = row[j] * (w->scale ? w->scale[j] : 1);
        sum += x * x;
    }
    return sqrt(sum);
}

/* Note which rows of b lie outside the range of S, by what is left of them. */
static void whiten_note_outside(struct whitener *w, const double *rest, const double *b, size_t k) {
    for (size_t r = 0; r < k; r++)
        if (scaled_norm(w, rest + r * w->n) > OUTSIDE * scaled_norm(w, b + r * w->n))
            w->outside = true;
}

/* Take the null space out of each row. *outside: there was more of it than rounding. */
static sepal_status whiten_project(const struct whitener *w, double *rows, size_t k,
                                   bool *outside) {
    size_t n = w->n, missing = n - w->rank, rank;
    sepal_ctx *ctx = w->s->ctx;
    double *null = whiten_make(w->s, n, missing), *b = whiten_make(w->s, n, k),
           *z = whiten_make(w->s, missing, k);
    if (!null || !b || !z) return SEPAL_EMEMORY;
    memcpy(null, w->null, n * missing * sizeof *null);
    transpose(b, rows, k, n);
    TRY(min_norm_solve(z, &rank, ctx, null, n, missing, b, k));
    for (size_t r = 0; r < k; r++) {
        double *row = rows + r * n, *out = b;
        double before = scaled_norm(w, row);
        for (size_t j = 0; j < n; j++) {
            out[j] = 0;
            for (size_t c = 0; c < missing; c++) out[j] += w->null[j * missing + c] * z[c * k + r];
            row[j] -= out[j];
        }
        if (scaled_norm(w, out) > OUTSIDE * before) *outside = true;
    }
    return SEPAL_OK;
}

/* v = pinv(C C') v for k rows of m numbers */
static sepal_status solve_inner(const struct whitener *w, double *v, size_t k) {
    size_t m = w->rows;
    const struct blas *blas = w->s->ctx->blas;
    double *columns = whiten_make(w->s, m, k), *half = whiten_make(w->s, m, k);
    double *across = w->dependent ? whiten_make(w->s, m, m) : columns;
    if (!columns || !half || !across) return SEPAL_EMEMORY;
    transpose(columns, v, k, m);
    if (w->dependent) {
        transpose(across, w->inner, m, m);
        blas->gemm_tn(m, k, m, w->inner, m, columns, k, 0, half, k);
        blas->gemm_tn(m, k, m, across, m, half, k, 0, columns, k);
    } else {
        blas->cholesky_solve(m, w->inner, m, k, columns, k);
    }
    transpose(v, columns, m, k);
    return SEPAL_OK;
}

/* out (k x m) = b C' for b (k x n) */
static void times_rows(double *out, const struct whitener *w, const double *b, size_t k) {
    const struct kernels *kernels = w->s->ctx->kernels;
    for (size_t i = 0; i < k; i++)
        for (size_t r = 0; r < w->rows; r++)
            out[i * w->rows + r] = kernels->dot_f64(b + i * w->n, w->factor + r * w->n, w->n);
}

/* out (k x n) += sign y C for y (k x m) */
static void whiten_add_rows(double *out, const struct whitener *w, const double *y, size_t k,
                            double sign) {
    for (size_t i = 0; i < k * w->rows; i++)
        w->s->ctx->kernels->axpy_f64(sign * y[i], w->factor + i % w->rows * w->n,
                                     out + i / w->rows * w->n, w->n);
}

/* y = pinv(C C') C b, and again for what b - C'y is left */
static sepal_status whiten_by_rows(double *y, struct whitener *w, double *b, size_t k) {
    size_t n = w->n, m = w->rows;
    double *rest = whiten_make(w->s, k, n), *more = whiten_make(w->s, k, m);
    if (!rest || !more) return SEPAL_EMEMORY;
    memcpy(rest, b, k * n * sizeof *rest);
    memset(y, 0, k * m * sizeof *y);
    for (size_t step = 0; step <= CORRECTIONS; step++) {
        times_rows(more, w, rest, k);
        TRY(solve_inner(w, more, k));
        for (size_t i = 0; i < k * m; i++) y[i] += more[i];
        whiten_add_rows(rest, w, more, k, -1);
    }
    whiten_note_outside(w, rest, b, k);
    return SEPAL_OK;
}

/* w = C' pinv(C C') y, and again for what y - C w is left */
static sepal_status back_by_rows(double *out, const struct whitener *w, const double *y, size_t k) {
    size_t n = w->n, m = w->rows;
    double *rest = whiten_make(w->s, k, m), *image = whiten_make(w->s, k, m);
    if (!rest || !image) return SEPAL_EMEMORY;
    memcpy(rest, y, k * m * sizeof *rest);
    memset(out, 0, k * n * sizeof *out);
    for (size_t step = 0; step <= CORRECTIONS; step++) {
        TRY(solve_inner(w, rest, k));
        whiten_add_rows(out, w, rest, k, 1);
        times_rows(image, w, out, k);
        for (size_t i = 0; i < k * m; i++) rest[i] = y[i] - image[i];
    }
    return SEPAL_OK;
}

/* The same for a C that is nearly singular, by least squares of least norm. */
static sepal_status whiten_by_square(double *y, struct whitener *w, const double *b, size_t k) {
    size_t n = w->n, m = w->rows, rank;
    double *a = whiten_make(w->s, n, m), *right = whiten_make(w->s, n, k),
           *columns = whiten_make(w->s, m, k);
    double *rest = whiten_make(w->s, k, n);
    if (!a || !right || !columns || !rest) return SEPAL_EMEMORY;
    transpose(a, w->factor, m, n);
    transpose(right, b, k, n);
    TRY(min_norm_solve(columns, &rank, w->s->ctx, a, n, m, right, k));
    transpose(y, columns, m, k);
    memcpy(rest, b, k * n * sizeof *rest);
    whiten_add_rows(rest, w, y, k, -1);
    whiten_note_outside(w, rest, b, k);
    return SEPAL_OK;
}

static sepal_status back_by_square(double *out, const struct whitener *w, const double *y,
                                   size_t k) {
    size_t n = w->n, m = w->rows, rank;
    double *a = whiten_make(w->s, m, n), *right = whiten_make(w->s, m, k),
           *columns = whiten_make(w->s, n, k);
    if (!a || !right || !columns) return SEPAL_EMEMORY;
    memcpy(a, w->factor, m * n * sizeof *a);
    transpose(right, y, k, m);
    TRY(min_norm_solve(columns, &rank, w->s->ctx, a, m, n, right, k));
    transpose(out, columns, n, k);
    return SEPAL_OK;
}

/* k rows of active columns, from the units of the data to those of S or back */
static void whiten_change_units(const struct whitener *w, double *rows, size_t k) {
    for (size_t r = 0; w->s->inverse_unit && r < k; r++)
        for (size_t j = 0; j < w->n; j++) rows[r * w->n + j] *= w->s->inverse_unit[w->s->active[j]];
}

sepal_status whitener_whiten(double *y, struct whitener *w, double *b, size_t k) {
    size_t n = w->n, rank = w->rank;
    whiten_change_units(w, b, k);
    if (w->way == WHITEN_ROWS) return whiten_by_rows(y, w, b, k);
    if (w->way == WHITEN_SQUARE) return whiten_by_square(y, w, b, k);
    if (w->way == WHITEN_RIDGE) return ridge_whiten(y, w, b, k);
    if (w->way == WHITEN_NULL) TRY(whiten_project(w, b, k, &w->outside));
    for (size_t i = 0; i < k * rank; i++) {
        size_t j = w->order && w->way == WHITEN_NULL ? w->order[i % rank] : i % rank;
        y[i] = b[i / rank * n + j] * w->scale[j];
    }
    w->s->ctx->blas->right_solve(k, rank, w->factor, n, y, rank);
    return SEPAL_OK;
}

static sepal_status back(double *out, struct whitener *w, const double *y, size_t k) {
    size_t n = w->n, rank = w->rank;
    if (w->way == WHITEN_ROWS) return back_by_rows(out, w, y, k);
    if (w->way == WHITEN_SQUARE) return back_by_square(out, w, y, k);
    if (w->way == WHITEN_RIDGE) return ridge_back(out, w, y, k);
    double *x = whiten_make(w->s, 1, n);
    if (!x) return SEPAL_EMEMORY;
    memset(out, 0, k * n * sizeof *out);
    for (size_t r = 0; r < k; r++) {
        memcpy(x, y + r * rank, rank * sizeof *x);
        whiten_solve_up(x, w->factor, rank, n, w->s->ctx->kernels);
        for (size_t i = 0; i < rank; i++) {
            size_t j = w->way == WHITEN_NULL ? w->order[i] : i;
            out[r * n + j] = x[i] * w->scale[j];
        }
    }
    bool some; /* of no meaning here */
    return w->way == WHITEN_NULL ? whiten_project(w, out, k, &some) : SEPAL_OK;
}

sepal_status whitener_back(double *out, struct whitener *w, const double *y, size_t k) {
    TRY(back(out, w, y, k));
    whiten_change_units(w, out, k);
    return SEPAL_OK;
}
