/* Least squares by orthogonal factors of the data, for any rank and without squaring its condition.

   In the space of the columns: the triangular factor R of (X T) holds all that the problem needs,
   n x n numbers for X and n x outputs for Q'T; what is left is a small problem of least norm. A
   ridge is as many rows more, sqrt(ridge) I with targets 0. Of k equal columns x one is taken, as
   sqrt(k) x: where its weight is v theirs are v/sqrt(k), and their norm is |v|.

   In the space of the rows, when they are far fewer than the columns: X' = Q R, so that the answer,
   pinv(X) T, is Q pinv(R)' T. What pinv(R)' makes is in the range of R, where R pinv(R) changes
   nothing; so it is also Q R pinv(R) pinv(R)' T = X' a with a = pinv(R) pinv(R)' T, and Q is not
   needed. A ridge would make `a` much larger than its part that X' leaves: none of it here. */
#include "leastsq/leastsq.h"

#include "core/alloc.h"
#include "core/parallel.h"
#include "kernels/blas.h"
#include "dense/min_norm.h"

#include <math.h>
#include <string.h>

/* ---- space of the columns ------------------------------------------------------------------ */

/* The problem with one of each set of equal columns. */
struct distinct {
    struct leastsq p;
    size_t *place; /* of each active column of the whole problem: which of these it is */
    double *scale; /* sqrt(k) */
};

static sepal_status find_distinct(struct distinct *out, const struct leastsq *whole) {
    size_t n = whole->n;
    size_t *first = arena_alloc(whole->ctx, whole->arena, n, sizeof *first);
    *out = (struct distinct){.p = *whole};
    out->p.n = 0;
    out->p.active = arena_alloc(whole->ctx, whole->arena, n, sizeof *out->p.active);
    out->place = arena_alloc(whole->ctx, whole->arena, n, sizeof *out->place);
    out->scale = arena_zero(whole->ctx, whole->arena, n, sizeof *out->scale);
    if (!first || !out->p.active || !out->place || !out->scale) return SEPAL_EMEMORY;
    TRY(leastsq_duplicates(first, whole));
    for (size_t a = 0; a < n; a++) {
        if (first[a] == a) out->p.active[out->p.n] = whole->active[a];
        out->place[a] = first[a] == a ? out->p.n++ : out->place[first[a]];
        out->scale[out->place[a]]++;
    }
    for (size_t j = 0; j < out->p.n; j++) out->scale[j] = sqrt(out->scale[j]);
    return SEPAL_OK;
}

/* Rows of (X T), then those of the ridge; the columns are yet to be scaled. */
static void qr_fill_rows(const void *payload, size_t first, size_t n, double *out, size_t stride) {
    const struct distinct *distinct = payload;
    const struct leastsq *p = &distinct->p;
    for (size_t row = first; row < first + n; row++, out += stride) {
        double *target = out + p->n;
        if (row >= p->x->rows) {
            size_t j = row - p->x->rows;
            memset(out, 0, (p->n + p->outputs) * sizeof *out);
            out[j] = sqrt(p->ridge) / distinct->scale[j];
            continue;
        }
        size_t local;
        const struct block *block = matrix_block_of(p->x, row, &local);
        leastsq_rows(p, block, local, 1, out, stride);
        for (size_t r = 0; r < p->outputs; r++)
            target[r] = leastsq_root_weight(p, row) * leastsq_target(p, row)[r];
    }
}

/* The weights of all the active columns. */
static void store_distinct(struct leastsq *p, const struct distinct *distinct, const double *w) {
    for (size_t a = 0; a < p->n; a++)
        for (size_t r = 0; r < p->outputs; r++) {
            size_t j = distinct->place[a];
            p->w[r * p->x->cols + p->active[a]] = w[j * p->outputs + r] / distinct->scale[j];
        }
}

static sepal_status solve_columns(struct leastsq *p) {
    struct distinct distinct;
    TRY(find_distinct(&distinct, p));
    size_t n = distinct.p.n, k = p->outputs, rows = p->x->rows + (p->ridge > 0 ? n : 0);
    struct tall tall = {.rows = rows,
                        .cols = n + k,
                        .stride = p->x->cols + k,
                        .fill = qr_fill_rows,
                        .payload = &distinct};
    size_t height = rows < n ? rows : n;
    double *r = arena_alloc(p->ctx, p->arena, n + k, (n + k) * sizeof *r);
    double *a = arena_alloc(p->ctx, p->arena, height, n * sizeof *a);
    double *b = arena_alloc(p->ctx, p->arena, height, k * sizeof *b);
    double *w = arena_alloc(p->ctx, p->arena, n, k * sizeof *w);
    if (!r || !a || !b || !w) return SEPAL_EMEMORY;
    TRY(tsqr(r, p->ctx, &tall));
    if (leastsq_stops(p, "solving the triangular system")) return SEPAL_OK;
    for (size_t i = 0; i < height; i++) {
        for (size_t j = 0; j < n; j++) a[i * n + j] = r[i * (n + k) + j] * distinct.scale[j];
        memcpy(b + i * k, r + i * (n + k) + n, k * sizeof *b);
    }
    TRY(min_norm_solve(w, &p->rank, p->ctx, a, height, n, b, k));
    store_distinct(p, &distinct, w);
    return SEPAL_OK;
}

/* ---- space of the rows --------------------------------------------------------------------- */

/* Row j of X' is column j of the data. */
static void qr_fill_columns(const void *payload, size_t first, size_t n, double *out,
                            size_t stride) {
    const struct leastsq *p = payload;
    size_t end = first + n;
    for (size_t i = 0; i < p->x->rows; i++) {
        size_t local, at, j;
        double x;
        const struct block *block = matrix_block_of(p->x, i, &local);
        for (j = first; j < end; j++) out[(j - first) * stride + i] = p->centre ? -p->centre[j] : 0;
        at = row_seek(block, local, first);
        while (row_next(block, local, p->x->cols, &at, &j, &x) && j < end)
            out[(j - first) * stride + i] += x;
        for (j = first; j < end; j++) {
            double *element = &out[(j - first) * stride + i];
            *element = (*element - p->offset[j]) * leastsq_root_weight(p, i);
        }
    }
}

struct back_product {
    const struct leastsq *p;
    const double *a; /* rows x outputs */
};

/* Row r of the answer, X'a_r. The weights of the few digits that the centre lacks come last. */
static sepal_status multiply_back(sepal_ctx *ctx, size_t r, void *payload) {
    const struct back_product *all = payload;
    const struct leastsq *p = all->p;
    size_t cols = p->x->cols;
    double *row = mem_alloc(ctx, cols, sizeof *row), *w = p->w + r * cols, sum = 0;
    if (!row) return SEPAL_EMEMORY;
    for (size_t i = 0; i < p->x->rows; i++) {
        size_t local;
        const struct block *block = matrix_block_of(p->x, i, &local);
        double a = all->a[i * p->outputs + r];
        block_dense(block, local, 1, cols, p->centre, p->root, row, cols);
        ctx->kernels->axpy_f64(a, row, w, cols);
        sum += leastsq_root_weight(p, i) * a;
    }
    ctx->kernels->axpy_f64(-sum, p->offset, w, cols);
    mem_free(row);
    return SEPAL_OK;
}

/* C (k x n) = A'B for A (m x k), B (m x n), all small */
static void qr_multiply(const struct leastsq *p, double *c, size_t k, size_t n, const double *a,
                        const double *b) {
    p->ctx->blas->gemm_tn(k, n, p->x->rows, a, k, b, n, 0, c, n);
}

static sepal_status solve_rows(struct leastsq *p) {
    size_t m = p->x->rows, k = p->outputs;
    struct tall tall = {
        .rows = p->x->cols, .cols = m, .stride = m, .fill = qr_fill_columns, .payload = p};
    double *r = arena_alloc(p->ctx, p->arena, m, m * sizeof *r);
    double *unit = arena_zero(p->ctx, p->arena, m, m * sizeof *unit);
    double *inverse = arena_alloc(p->ctx, p->arena, m, m * sizeof *inverse);
    double *a = arena_alloc(p->ctx, p->arena, m, k * sizeof *a);
    double *y = arena_alloc(p->ctx, p->arena, m, k * sizeof *y);
    if (!r || !unit || !inverse || !a || !y) return SEPAL_EMEMORY;
    TRY(tsqr(r, p->ctx, &tall));
    if (leastsq_stops(p, "solving the triangular system")) return SEPAL_OK;
    for (size_t i = 0; i < m; i++) unit[i * m + i] = 1;
    TRY(min_norm_solve(inverse, &p->rank, p->ctx, r, m, m, unit, m));

    for (size_t i = 0; i < m * k; i++)
        a[i] = leastsq_root_weight(p, i / k) * leastsq_target(p, i / k)[i % k];
    qr_multiply(p, y, m, k, inverse, a);
    transpose(unit, inverse, m, m);
    qr_multiply(p, a, m, k, unit, y);
    struct back_product all = {.p = p, .a = a};
    return parallel_for(p->ctx, k, multiply_back, &all);
}

/* The space of the columns serves features of very different scales better, so it is left only
   where its work, n times the square of the missing rank, would take more than a second. */
bool leastsq_qr_by_rows(const struct leastsq *p) {
    const double WORK_MOST = 2e9;
    double missing = (double)p->n - (double)p->x->rows;
    return p->ridge == 0 && missing > 0 && (double)p->n * missing * missing > WORK_MOST;
}

sepal_status leastsq_qr(struct leastsq *p) {
    TRY(leastsq_qr_by_rows(p) ? solve_rows(p) : solve_columns(p));
    if (p->ridge > 0) p->rank = p->n;
    p->converged = !p->stopped;
    return SEPAL_OK;
}
