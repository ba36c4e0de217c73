/* With f = a/(W - a), W the weight of the rows that the mean is of and a that of the row x, the mean
   m moves by -f (x - m), and the scatter M around it loses b uu', b = W f, u = x - m. By Sherman and
   Morrison inverse(M - b uu') v = q + b z (z'v) / (1 - b u'z), with z = inverse(M) u and q = inverse(M) v,
   and q of the moved means is a sum of z and what is known for all rows (Hastie, Tibshirani and
   Friedman, "The Elements of Statistical Learning", 7.10; Golub and Van Loan, "Matrix Computations", 2.1.4). */
#include "learners/leave_out.h"

#include "core/alloc.h"
#include "dense/cholesky.h"
#include "kernels/blas.h"
#include "learners/discriminant.h"

#include <math.h>
#include <string.h>

/* Pivots of M in units of its diagonal, and the part of M along z that a row must leave. Below that a fit to the
   rest is better, which has other ways for what is nearly singular. */
static const double PIVOT_LEAST = 1e-6, LEFT_LEAST = 1e-3;
enum { COLS_MOST = 4096 };

/* ---- all rows ----------------------------------------------------------------------------- */

static void solve(const struct leave_out *all, sepal_ctx *ctx, double *x) {
    for (size_t j = 0; j < all->n; j++) x[j] *= all->scale[j];
    ctx->blas->cholesky_solve(all->n, all->factor, all->n, 1, x, 1);
    for (size_t j = 0; j < all->n; j++) x[j] *= all->scale[j];
}

static bool has_constant(const struct scatter *s) {
    for (size_t j = 0; j < s->x->cols; j++)
        if (s->spread[j] == SPREAD_BETWEEN) return true;
    return false;
}

static sepal_status make_factor(struct leave_out *out) {
    struct scatter *s = &out->s, joined;
    size_t n = out->n;
    out->factor = arena_zero(s->ctx, s->arena, n, n * sizeof *out->factor);
    out->scale = arena_alloc(s->ctx, s->arena, n, sizeof *out->scale);
    out->solved = arena_alloc(s->ctx, s->arena, s->classes, n * sizeof *out->solved);
    if (!out->factor || !out->scale || !out->solved) return SEPAL_EMEMORY;
    if (!out->within) TRY(scatter_join(&joined, s));
    TRY(scatter_within(out->factor, out->within ? s : &joined));
    for (size_t j = 0; j < n; j++) out->factor[j * (n + 1)] += out->ridge;
    out->exact = cholesky_scaled(out->factor, n, out->scale, PIVOT_LEAST, s->ctx);
    return check_cancelled(s->ctx, "factoring the scatter matrix");
}

sepal_status leave_out_start(struct leave_out *out, struct fit *fit) {
    return scatter_start(&out->s, fit);
}

sepal_status leave_out_factor(struct leave_out *out, struct fit *fit) {
    struct scatter *s = &out->s;
    out->exact = false;
    if (has_constant(s)) return SEPAL_OK;
    TRY(scatter_columns(s, SPREAD_WITHIN));
    out->n = s->n;
    if (s->n == 0 || s->n > COLS_MOST || s->x->rows <= s->n + s->classes) return SEPAL_OK;
    TRY(make_factor(out));
    for (size_t k = 0; out->exact && k < s->classes; k++) {
        double *solved = out->solved + k * s->n;
        const double *mean = s->mean + k * s->x->cols;
        for (size_t j = 0; j < s->n; j++) {
            size_t column = s->active[j];
            solved[j] = mean[column] - s->offset[column];
        }
        solve(out, fit->ctx, solved);
    }
    return SEPAL_OK;
}

/* ---- all but one -------------------------------------------------------------------------- */

struct leaving {
    const struct leave_out *all;
    size_t own;    /* the class of the row */
    double weight; /* of the row */
    double *x;     /* cols, around the centre */
    double *u, *z; /* n */
    double shift,
        moved;   /* what the mean of its class, and that of all, move by, in parts of x less them */
    double left; /* 1 - b u'z */
    struct left_row row;
};

static sepal_status take_room(struct leaving *p, sepal_ctx *ctx, double **room) {
    const struct scatter *s = &p->all->s;
    size_t n = p->all->n, cols = s->x->cols, k = s->classes;
    *room = mem_zero(ctx, 2 * n + 2 * cols + k + k * cols + k * n, sizeof **room);
    if (!*room) return SEPAL_EMEMORY;
    double *at = *room;
    p->x = at, at += cols;
    p->u = at, at += n;
    p->z = at, at += n;
    p->row.offset = at, at += cols;
    p->row.class_weight = at, at += k;
    p->row.mean = at, at += k * cols;
    p->row.solved = at;
    p->row.n = n;
    return SEPAL_OK;
}

static void move_means(struct leaving *p) {
    const struct scatter *s = &p->all->s;
    size_t cols = s->x->cols;
    memcpy(p->row.class_weight, s->class_weight, s->classes * sizeof(double));
    memcpy(p->row.mean, s->mean, s->classes * cols * sizeof(double));
    p->row.class_weight[p->own] -= p->weight;
    p->row.total = s->total - p->weight;
    p->shift = p->weight / p->row.class_weight[p->own];
    p->moved = p->weight / p->row.total;
    double *mean = p->row.mean + p->own * cols;
    for (size_t j = 0; j < cols; j++) {
        mean[j] -= p->shift * (p->x[j] - mean[j]);
        p->row.offset[j] = s->offset[j] - p->moved * (p->x[j] - s->offset[j]);
    }
}

/* b of the matrix that the row takes away. */
static double taken(const struct leaving *p) {
    const struct scatter *s = &p->all->s;
    return p->all->within ? s->class_weight[p->own] * p->shift : s->total * p->moved;
}

static void find_direction(struct leaving *p, sepal_ctx *ctx) {
    const struct scatter *s = &p->all->s;
    const double *from = p->all->within ? s->mean + p->own * s->x->cols : s->offset;
    double along = 0;
    for (size_t j = 0; j < p->all->n; j++)
        p->z[j] = p->u[j] = p->x[s->active[j]] - from[s->active[j]];
    solve(p->all, ctx, p->z);
    for (size_t j = 0; j < p->all->n; j++) along += p->u[j] * p->z[j];
    p->left = 1 - taken(p) * along;
}

/* The whitened differences of the means, first with the matrix of all rows, then without this one. */
static void solve_means(struct leaving *p) {
    const struct leave_out *all = p->all;
    const struct scatter *s = &all->s;
    size_t n = all->n, cols = s->x->cols;
    const double *own = all->solved + p->own * n;
    for (size_t k = 0; k < s->classes; k++) {
        const double *mean = p->row.mean + k * cols, *known = all->solved + k * n;
        double *solved = p->row.solved + k * n, along = 0;
        double shift = k == p->own ? p->shift : 0;
        for (size_t j = 0; j < n; j++) {
            size_t column = s->active[j];
            double of_class = all->within ? p->z[j] : p->z[j] - own[j];
            double of_all = all->within ? p->z[j] + own[j] : p->z[j];
            solved[j] = known[j] - shift * of_class + p->moved * of_all;
            along += p->z[j] * (mean[column] - p->row.offset[column]);
        }
        double times = taken(p) * along / p->left;
        for (size_t j = 0; j < n; j++) solved[j] += times * p->z[j];
    }
}

sepal_status leave_out_row(struct linear *linear, bool *exact, sepal_ctx *ctx,
                           const struct leave_out *all, size_t row) {
    const struct scatter *s = &all->s;
    struct leaving p = {.all = all, .own = scatter_class(s, row), .weight = scatter_weight(s, row)};
    size_t local;
    double *room;
    *exact = false;
    double rest = s->class_weight[p.own] - p.weight;
    if (s->class_rows[p.own] < 2 || !(rest > LEFT_LEAST * s->class_weight[p.own])) return SEPAL_OK;
    if (!(s->total - p.weight > (double)all->freedom * (1 + LEFT_LEAST))) return SEPAL_OK;
    TRY(take_room(&p, ctx, &room));
    const struct block *block = matrix_block_of(s->x, row, &local);
    block_dense(block, local, 1, s->x->cols, s->centre, NULL, p.x, s->x->cols);
    move_means(&p);
    find_direction(&p, ctx);
    *exact = p.left > LEFT_LEAST;
    if (*exact) {
        solve_means(&p);
        all->set(linear, &p.row, all->payload);
    }
    mem_free(room);
    return SEPAL_OK;
}
