/* LSQR (Paige and Saunders, "LSQR: An algorithm for sparse linear equations and sparse least
   squares", ACM TOMS 8, 1982): the bidiagonalisation of Golub and Kahan, A v = alpha u + ..., with
   the small least-squares problem solved along the way by plane rotations. Started from 0 all its
   iterates are in the row space of A, so it ends at the solution of least norm. One right-hand side
   after the other. */
#include "leastsq/leastsq.h"

#include <math.h>
#include <stdio.h>

/* The names are those of the paper. */
struct lsqr {
    struct products products;
    double *u, *v, *w, *product; /* product: as long as the longer of u and v */
    double alpha, rho_bar, phi_bar;
    double squares_of_psi; /* what the damping adds to the residual */
    double norm_a;         /* the best lower bound so far, which makes the test a strict one */
    double norm_r, norm_ar;
    double inverse; /* the square of a bound from below of the inverse's norm */
};

/* x = (product - keep x) / its norm, which is returned */
static double lsqr_advance(const struct kernels *kernels, double *x, const double *product,
                           double keep, size_t n) {
    for (size_t i = 0; i < n; i++) x[i] = product[i] - keep * x[i];
    double norm = sqrt(kernels->dot_f64(x, x, n));
    for (size_t i = 0; norm > 0 && i < n; i++) x[i] /= norm;
    return norm;
}

static sepal_status lsqr_start(struct lsqr *s, size_t output, double *norm_b) {
    const struct leastsq *p = s->products.p;
    const struct kernels *kernels = p->ctx->kernels;
    for (size_t i = 0; i < p->x->rows; i++)
        s->product[i] = leastsq_root_weight(p, i) * leastsq_target(p, i)[output];
    *norm_b = lsqr_advance(kernels, s->u, s->product, 0, p->x->rows);
    TRY(products_back(s->product, &s->products, s->u));
    s->alpha = lsqr_advance(kernels, s->v, s->product, 0, p->x->cols);
    for (size_t j = 0; j < p->x->cols; j++) s->w[j] = s->v[j];
    s->phi_bar = s->norm_r = *norm_b;
    s->rho_bar = s->alpha;
    s->norm_ar = s->alpha * *norm_b;
    s->norm_a = s->squares_of_psi = s->inverse = 0;
    return SEPAL_OK;
}

static sepal_status lsqr_step(struct lsqr *s, double damp, double *x) {
    const struct leastsq *p = s->products.p;
    const struct kernels *kernels = p->ctx->kernels;
    size_t cols = p->x->cols;
    TRY(products_forward(s->product, &s->products, s->v));
    double beta = lsqr_advance(kernels, s->u, s->product, s->alpha, p->x->rows);
    s->norm_a = fmax(s->norm_a, hypot(hypot(s->alpha, beta), damp));
    TRY(products_back(s->product, &s->products, s->u));
    s->alpha = lsqr_advance(kernels, s->v, s->product, beta, cols);

    double rho_bar = hypot(s->rho_bar, damp);
    double psi = damp / rho_bar * s->phi_bar, phi_bar = s->rho_bar / rho_bar * s->phi_bar;
    double rho = hypot(rho_bar, beta), c = rho_bar / rho, sine = beta / rho;
    double theta = sine * s->alpha, phi = c * phi_bar;
    s->rho_bar = -c * s->alpha;
    s->phi_bar = sine * phi_bar;
    kernels->axpy_f64(phi / rho, s->w, x, cols);
    s->inverse = fmax(s->inverse, kernels->dot_f64(s->w, s->w, cols) / (rho * rho));
    for (size_t j = 0; j < cols; j++) s->w[j] = s->v[j] - theta / rho * s->w[j];

    s->squares_of_psi += psi * psi;
    s->norm_r = sqrt(s->phi_bar * s->phi_bar + s->squares_of_psi);
    s->norm_ar = s->alpha * fabs(sine * phi);
    return SEPAL_OK;
}

/* Row `output` of the answer. */
static sepal_status lsqr_solve(struct lsqr *s, struct leastsq *p, size_t output, double tol,
                               size_t max_iter) {
    enum { LINE_BYTES = 96 };
    char line[LINE_BYTES];
    double *x = p->w + output * p->x->cols, norm_b, damp = sqrt(p->ridge);
    TRY(lsqr_start(s, output, &norm_b));
    size_t iteration = 0;
    bool converged = s->norm_ar == 0;
    while (!converged && iteration < max_iter && !p->stopped) {
        TRY(lsqr_step(s, damp, x));
        iteration++;
        converged = s->norm_r <= tol * norm_b || s->norm_ar <= tol * s->norm_a * s->norm_r;
        snprintf(line, sizeof line, "lsqr: output %zu of %zu, iteration %zu", output + 1,
                 p->outputs, iteration);
        if (!converged) leastsq_stops(p, line);
    }
    if (iteration > p->iterations) p->iterations = iteration;
    if (converged) {
        TRY(leastsq_residual_is_small(&converged, p, output, sqrt(tol)));
        p->uneven = p->uneven || !converged;
    }
    p->converged = p->converged && converged;
    p->condition = fmax(p->condition, s->norm_a * sqrt(s->inverse));
    return SEPAL_OK;
}

sepal_status leastsq_lsqr(struct leastsq *p, double tol, size_t max_iter) {
    size_t rows = p->x->rows, cols = p->x->cols, longer = rows > cols ? rows : cols;
    struct lsqr s = {0};
    TRY(ARENA_VECTORS(p->ctx, p->arena, rows, &s.u));
    TRY(ARENA_VECTORS(p->ctx, p->arena, cols, &s.v, &s.w));
    TRY(ARENA_VECTORS(p->ctx, p->arena, longer, &s.product));
    TRY(products_init(&s.products, p));
    size_t most = p->centre && rows > 0 ? rows - 1 : rows;
    p->rank = most < p->n ? most : p->n;
    p->converged = true;
    for (size_t r = 0; r < p->outputs; r++) TRY(lsqr_solve(&s, p, r, tol, max_iter));

    /* A constant column is zero once centred; of sparse ones rounding leaves some. */
    for (size_t j = 0, a = 0; j < cols; j++) {
        if (a < p->n && p->active[a] == j) {
            a++;
            continue;
        }
        for (size_t r = 0; r < p->outputs; r++) p->w[r * cols + j] = 0;
    }
    return SEPAL_OK;
}
