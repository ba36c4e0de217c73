/* What a solver that judges itself by the whole matrix may have left: LSQR ends when the gradient is
   small beside the norm of A, and columns far shorter than the longest are not seen in that. Conjugate
   gradients on the normal equations, with all columns scaled to length 1, go on from its answer; the
   answer stays, but what they gain is known. */
#include "leastsq/leastsq.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { STEPS_MOST = 30 };
static const double ROUNDING = 1 + 1e-12;

struct residual_descent {
    struct products products;
    double *length;    /* cols: ridge included; 0: constant */
    double *r, *q;     /* rows: targets less values, and A p */
    double *x, *s, *p; /* cols: where it is, minus the gradient / length, the direction */
};

/* A column less its centre, in units of the largest number that a pass finds: none is too small for
   its square. Entries that are not there are minus the centre. */
static void residual_pass(const struct leastsq *p, double *square, double *unit, double *seen) {
    struct block_iterator blocks = {.matrix = p->x};
    double all = 0, x;
    for (const struct block *block; (block = block_next(&blocks));)
        for (size_t i = 0; i < block->rows; i++) {
            double root = leastsq_root_weight(p, block->first_row + i);
            all += root * root;
            for (size_t at = 0, j; row_next(block, i, p->x->cols, &at, &j, &x);) {
                double value = root * (p->centre ? x - p->centre[j] : x);
                if (!square)
                    unit[j] = fmax(unit[j], fabs(value));
                else if (unit[j] > 0)
                    square[j] += value / unit[j] * (value / unit[j]);
                seen[j] += square ? 0 : root * root;
            }
        }
    for (size_t j = 0; p->centre && j < p->x->cols; j++) {
        double value = sqrt(fmax(0, all - seen[j])) * fabs(p->centre[j]);
        if (!square)
            unit[j] = fmax(unit[j], value);
        else if (unit[j] > 0)
            square[j] += value / unit[j] * (value / unit[j]);
    }
}

static sepal_status residual_set_up(struct residual_descent *t, struct leastsq *p,
                                    struct arena *arena) {
    size_t rows = p->x->rows, cols = p->x->cols;
    double **by_column[] = {&t->length, &t->x, &t->s, &t->p};
    for (size_t k = 0; k < sizeof by_column / sizeof *by_column; k++)
        if (!(*by_column[k] = arena_zero(p->ctx, arena, cols, sizeof(double))))
            return SEPAL_EMEMORY;
    t->r = arena_alloc(p->ctx, arena, rows, sizeof *t->r);
    t->q = arena_alloc(p->ctx, arena, rows, sizeof *t->q);
    if (!t->r || !t->q) return SEPAL_EMEMORY;
    residual_pass(p, NULL, t->length, t->x);
    residual_pass(p, t->s, t->length, t->x);
    for (size_t j = 0, a = 0; j < cols; j++) {
        bool active = a < p->n && p->active[a] == j;
        a += active;
        t->length[j] = active ? hypot(t->length[j] * sqrt(t->s[j]), sqrt(p->ridge)) : 0;
    }
    return products_init(&t->products, p);
}

/* s = A'r - ridge x in units of the columns' lengths, and its square. */
static sepal_status residual_look(struct residual_descent *t, double *square) {
    const struct leastsq *p = t->products.p;
    TRY(products_back(t->s, &t->products, t->r));
    *square = 0;
    for (size_t j = 0; j < p->x->cols; j++) {
        double slope = t->s[j] - p->ridge * t->x[j];
        t->s[j] = t->length[j] > 0 ? slope / t->length[j] : 0;
        *square += t->s[j] * t->s[j];
    }
    return SEPAL_OK;
}

static double value(const struct residual_descent *t) {
    const struct leastsq *p = t->products.p;
    const struct kernels *kernels = p->ctx->kernels;
    double sum = kernels->dot_f64(t->r, t->r, p->x->rows);
    /* columns of 1e-200 have weights whose squares no double holds */
    if (p->ridge > 0) sum += p->ridge * kernels->dot_f64(t->x, t->x, p->x->cols);
    return sum;
}

static sepal_status residual_advance(struct residual_descent *t, double square) {
    const struct leastsq *p = t->products.p;
    const struct kernels *kernels = p->ctx->kernels;
    size_t rows = p->x->rows, cols = p->x->cols;
    TRY(products_forward(t->q, &t->products, t->p));
    double curvature = kernels->dot_f64(t->q, t->q, rows);
    if (p->ridge > 0) curvature += p->ridge * kernels->dot_f64(t->p, t->p, cols);
    if (!(curvature > 0)) return SEPAL_OK;
    kernels->axpy_f64(-square / curvature, t->q, t->r, rows);
    kernels->axpy_f64(square / curvature, t->p, t->x, cols);
    return SEPAL_OK;
}

/* Whether no more than `much` is left to gain. */
static sepal_status residual_run(struct residual_descent *t, double start, double much,
                                 bool *little) {
    const struct leastsq *p = t->products.p;
    double square, before = INFINITY, first = value(t), last = first, now = first;
    TRY(residual_look(t, &square));
    *little = true;
    for (int k = 0; k < STEPS_MOST && first > much && now <= ROUNDING * last; k++) {
        if (!(square > DBL_EPSILON * DBL_EPSILON * (double)p->x->rows * start)) return SEPAL_OK;
        for (size_t j = 0; j < p->x->cols; j++)
            if (t->length[j] > 0) t->p[j] = t->s[j] / t->length[j] + square / before * t->p[j];
        TRY(residual_advance(t, square));
        last = now;
        now = value(t); /* not more than before, unless all is rounding */
        *little = !(first - now > much);
        if (!*little) return SEPAL_OK;
        before = square;
        TRY(residual_look(t, &square));
    }
    return SEPAL_OK;
}

sepal_status leastsq_residual_is_small(bool *little, struct leastsq *p, size_t output,
                                       double fraction) {
    struct arena arena = {0};
    struct residual_descent t = {0};
    double start = 0;
    sepal_status status = residual_set_up(&t, p, &arena);
    if (status == SEPAL_OK) {
        memcpy(t.x, p->w + output * p->x->cols, p->x->cols * sizeof *t.x);
        status = products_forward(t.q, &t.products, t.x);
    }
    for (size_t i = 0; status == SEPAL_OK && i < p->x->rows; i++) {
        double target = leastsq_root_weight(p, i) * leastsq_target(p, i)[output];
        t.r[i] = target - t.q[i];
        start += target * target;
    }
    if (status == SEPAL_OK) status = residual_run(&t, start, fraction * start, little);
    arena_clear(&arena);
    return status;
}
