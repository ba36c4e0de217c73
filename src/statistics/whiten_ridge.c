/* With Z the class-centred rows, t = 1 - alpha and g what is added to the diagonal, the shrunk matrix is
   S = t Z'Z + g I = C'C for C = (sqrt(t) Z; sqrt(g) I), and by Woodbury's identity

       inverse(S) b = (b - Z' inverse(Z Z' + g/t I) Z b) / g,

   a system of as many equations as there are rows. The difference cancels when g is small, so the
   residual b - S w, taken from the rows, is solved for and added. pinv(C)'b = C inverse(S) b. */
#include "statistics/whiten_ridge.h"

#include "core/alloc.h"
#include "core/parallel.h"
#include "kernels/blas.h"
#include "dense/tall.h"

#include <math.h>
#include <string.h>

enum { STRIPE = 64, REFINEMENTS = 3 };

struct ridge_product {
    const struct scatter *s;
    const double *in;
    double *out;
    size_t k;
};

/* Rows j of Z' are columns of Z. */
static void ridge_fill_columns(const void *payload, size_t first, size_t n, double *out,
                               size_t stride) {
    const struct scatter *s = payload;
    size_t cols = s->x->cols, m = s->x->rows;
    for (size_t i = 0; i < m; i++) {
        const double *mean = s->mean + scatter_class(s, i) * cols;
        double root = sqrt(scatter_weight(s, i)), x;
        size_t local, j, from = s->active[first], to = s->active[first + n - 1], a = 0;
        const struct block *block = matrix_block_of(s->x, i, &local);
        size_t at = row_seek(block, local, from);
        for (j = 0; j < n; j++) {
            size_t c = s->active[first + j];
            out[j * stride + i] = root * (-s->centre[c] - mean[c]) * scatter_inverse_unit(s, c);
        }
        while (row_next(block, local, cols, &at, &j, &x) && j <= to) {
            while (s->active[first + a] < j) a++;
            if (s->active[first + a] == j)
                out[a * stride + i] =
                    root * (x - s->centre[j] - mean[j]) * scatter_inverse_unit(s, j);
        }
    }
}

/* One row of Z times k vectors: out (k x m) = in (k x n) Z'. */
static sepal_status multiply_row(sepal_ctx *ctx, size_t i, void *payload) {
    const struct ridge_product *all = payload;
    const struct scatter *s = all->s;
    struct scatter_rows rows = {.s = s};
    double *row = mem_alloc(ctx, s->x->cols, sizeof *row);
    if (!row) return SEPAL_EMEMORY;
    scatter_fill(&rows, i, 1, row, s->x->cols);
    for (size_t r = 0; r < all->k; r++)
        all->out[r * s->x->rows + i] = ctx->kernels->dot_f64(row, all->in + r * s->n, s->n);
    mem_free(row);
    return SEPAL_OK;
}

/* A stripe of the columns of Z: out (k x n) = in (k x m) Z. */
static sepal_status multiply_stripe(sepal_ctx *ctx, size_t task, void *payload) {
    const struct ridge_product *all = payload;
    const struct scatter *s = all->s;
    size_t m = s->x->rows, from = task * STRIPE, n = s->n - from < STRIPE ? s->n - from : STRIPE;
    double *columns = mem_alloc(ctx, STRIPE, m * sizeof *columns);
    if (!columns) return SEPAL_EMEMORY;
    ridge_fill_columns(s, from, n, columns, m);
    for (size_t r = 0; r < all->k; r++)
        for (size_t j = 0; j < n; j++)
            all->out[r * s->n + from + j] =
                ctx->kernels->dot_f64(columns + j * m, all->in + r * m, m);
    mem_free(columns);
    return SEPAL_OK;
}

static sepal_status forward(double *out, const struct scatter *s, const double *in, size_t k) {
    struct ridge_product all = {.s = s, .in = in, .out = out, .k = k};
    return parallel_for(s->ctx, s->x->rows, multiply_row, &all);
}

static sepal_status backward(double *out, const struct scatter *s, const double *in, size_t k) {
    struct ridge_product all = {.s = s, .in = in, .out = out, .k = k};
    return parallel_for(s->ctx, (s->n + STRIPE - 1) / STRIPE, multiply_stripe, &all);
}

/* The intensity, from Z Z' (upper triangle): its squares are those of Z'Z. */
static double ridge_estimate(const struct whitener *w) {
    const struct scatter *s = w->s;
    size_t m = w->rows;
    double squares = 0, fourth = 0, mean = w->trace / s->total / (double)s->x->cols;
    for (size_t i = 0; i < m; i++) {
        double diagonal = w->factor[i * m + i];
        fourth += diagonal * diagonal / scatter_weight(s, i);
        squares += diagonal * diagonal;
        for (size_t j = i + 1; j < m; j++)
            squares += 2 * (w->factor[i * m + j] * w->factor[i * m + j]);
    }
    squares /= s->total * s->total;
    return ledoit_wolf_sums(fourth, squares, squares - (double)s->x->cols * (mean * mean),
                            s->total);
}

/* The rows in units of their standard deviations. */
static sepal_status ridge_standardize(struct whitener *w, double divisor) {
    const struct scatter *s = w->s;
    size_t cols = s->x->cols;
    struct scatter *scaled = arena_alloc(s->ctx, s->arena, 1, sizeof *scaled);
    double *squares = whiten_make(s, s->classes, cols);
    if (!scaled || !squares) return SEPAL_EMEMORY;
    TRY(scatter_squares(squares, s));
    for (size_t j = 0; j < s->n; j++) {
        double sum = 0;
        for (size_t k = 0; k < s->classes; k++) sum += squares[k * cols + s->active[j]];
        squares[j] = sum; /* active[j] >= j, so it has been read */
    }
    TRY(scatter_standardize(scaled, s, squares, 1, divisor, NULL));
    w->s = scaled;
    return SEPAL_OK;
}

sepal_status ridge_make(struct whitener *w, double alpha, double divisor) {
    if (isnan(alpha)) TRY(ridge_standardize(w, divisor));
    const struct scatter *s = w->s;
    size_t m = s->x->rows;
    struct tall tall = {
        .rows = w->n, .cols = m, .stride = m, .fill = ridge_fill_columns, .payload = s};
    w->way = WHITEN_RIDGE;
    w->rank = w->n;
    w->rows = m;
    w->height = m + w->n;
    w->factor = whiten_make(s, m, m);
    if (!w->factor) return SEPAL_EMEMORY;
    TRY(tall_gram(w->factor, s->ctx, &tall));
    for (size_t i = 0; i < m; i++) w->trace += w->factor[i * m + i];
    w->alpha = isnan(alpha) ? ridge_estimate(w) : alpha;
    w->ridge = w->alpha * (isnan(alpha) ? divisor : w->trace / (double)s->x->cols);
    bool good = isfinite(w->trace) && w->ridge > 0;
    if (good && w->alpha < 1) {
        for (size_t i = 0; i < m; i++) w->factor[i * m + i] += w->ridge / (1 - w->alpha);
        good = s->ctx->blas->cholesky(m, w->factor, m);
    }
    if (good) return SEPAL_OK;
    return fail(s->ctx, SEPAL_EDATA,
                "with shrinkage %g the covariance of %zu columns is singular; give a larger one "
                "(shrinkage=0.1)",
                w->alpha, w->n);
}

/* out = inverse(S) b, once */
static sepal_status solve_once(double *out, const struct whitener *w, const double *b, size_t k,
                               double *rows, double *columns) {
    size_t m = w->rows, n = w->n;
    memcpy(out, b, k * n * sizeof *out);
    if (w->alpha < 1) {
        TRY(forward(rows, w->s, b, k));
        transpose(columns, rows, k, m);
        w->s->ctx->blas->cholesky_solve(m, w->factor, m, k, columns, k);
        transpose(rows, columns, m, k);
        TRY(backward(columns, w->s, rows, k));
        for (size_t i = 0; i < k * n; i++) out[i] -= columns[i];
    }
    for (size_t i = 0; i < k * n; i++) out[i] /= w->ridge;
    return SEPAL_OK;
}

static sepal_status ridge_solve(double *out, const struct whitener *w, const double *b, size_t k) {
    const struct scatter *s = w->s;
    size_t m = w->rows, n = w->n, most = m > n ? m : n;
    double *rows = whiten_make(s, k, m), *columns = whiten_make(s, k, most);
    double *rest = whiten_make(s, k, n), *more = whiten_make(s, k, n);
    if (!rows || !columns || !rest || !more) return SEPAL_EMEMORY;
    TRY(solve_once(out, w, b, k, rows, columns));
    for (size_t step = 0; step < REFINEMENTS && w->alpha < 1; step++) {
        TRY(check_cancelled(s->ctx, "refining the weights"));
        TRY(forward(rows, s, out, k));
        TRY(backward(columns, s, rows, k));
        for (size_t i = 0; i < k * n; i++)
            rest[i] = b[i] - (1 - w->alpha) * columns[i] - w->ridge * out[i];
        TRY(solve_once(more, w, rest, k, rows, columns));
        for (size_t i = 0; i < k * n; i++) out[i] += more[i];
    }
    return SEPAL_OK;
}

sepal_status ridge_whiten(double *y, struct whitener *w, const double *b, size_t k) {
    const struct scatter *s = w->s;
    size_t m = w->rows, n = w->n, height = w->height;
    double *solved = whiten_make(s, k, n), *rows = whiten_make(s, k, m);
    if (!solved || !rows) return SEPAL_EMEMORY;
    TRY(ridge_solve(solved, w, b, k));
    TRY(forward(rows, s, solved, k));
    for (size_t i = 0; i < k * height; i++) {
        size_t r = i / height, at = i % height;
        y[i] = at < m ? sqrt(1 - w->alpha) * rows[r * m + at]
                      : sqrt(w->ridge) * solved[r * n + at - m];
    }
    return SEPAL_OK;
}

sepal_status ridge_back(double *out, struct whitener *w, const double *y, size_t k) {
    const struct scatter *s = w->s;
    size_t m = w->rows, n = w->n, height = w->height;
    double *rows = whiten_make(s, k, m), *b = whiten_make(s, k, n);
    if (!rows || !b) return SEPAL_EMEMORY;
    for (size_t i = 0; i < k * m; i++) rows[i] = y[i / m * height + i % m];
    TRY(backward(b, s, rows, k));
    for (size_t i = 0; i < k * n; i++)
        b[i] = sqrt(1 - w->alpha) * b[i] + sqrt(w->ridge) * y[i / n * height + m + i % n];
    return ridge_solve(out, w, b, k);
}
