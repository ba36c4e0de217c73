/* The weighted linear least-squares problem of a data set, and ways to solve it:

       minimise over W   sum over rows i of w_i ||(x_i - c) W - t_i||^2  +  ridge ||W||^2

   x_i - c is the row less the weighted mean of the columns (no centre without a bias), t_i the
   target of the row's class, less the weighted mean of the targets. Where many W do it, the one of
   least norm is the answer. */
#ifndef SEPAL_LEASTSQ_LEASTSQ_H
#define SEPAL_LEASTSQ_LEASTSQ_H

#include "core/arena.h"
#include "data/data.h"
#include "linear/linear.h"
#include "dense/tall.h"

struct leastsq {
    /* Given. Solvers write row r of the answer to w + r cols, which must be zero before. */
    sepal_ctx *ctx;
    struct arena *arena; /* lives as long as the problem */
    const struct matrix *x;
    const int32_t *label;
    const double *weight, *root; /* of each row and its root; NULL: all 1 */
    size_t classes, outputs;
    double *centre; /* cols numbers for leastsq_means to fill; NULL: no bias, no centring */
    double *w;
    bool (*stops)(void *payload, const char *doing); /* shall the solver stop here? */
    void *payload;

    /* Made by leastsq_means. */
    double total;         /* sum of the weights */
    double *class_weight; /* the same for each class */
    double *offset;       /* true means minus centre: what rounding the means took off them */
    size_t *active, n;    /* the n columns that are not constant; without a bias: not zero */

    /* Made from the class weights by the caller. */
    double *target; /* classes x outputs, centred */
    double ridge;

    /* The outcome. */
    size_t rank; /* of the active columns; the best upper bound where the solver cannot know it */
    size_t iterations;
    bool converged, stopped;
    double condition; /* LSQR: what it has seen of the matrix's, from below; else 0 */
    bool uneven;      /* LSQR: it ended by its own test, but short columns have more to give */
};

/* Means of the columns, weights of the classes, columns that are constant. */
sepal_status leastsq_means(struct leastsq *p);

/* Gram matrix of the active columns (n x n, upper triangle) and right-hand sides (n x outputs). */
sepal_status leastsq_gram(double *gram, double *rhs, struct leastsq *p);

/* Normal equations, corrected with residuals taken from the data. *accurate = false: the columns
   are too nearly dependent for it, and w is untouched. */
sepal_status leastsq_normal(struct leastsq *p, bool *accurate);
/* Orthogonal factors of the data itself, any rank. */
sepal_status leastsq_qr(struct leastsq *p);
/* first[a]: the first place in active of a column equal to that at place a, a itself if none is. */
sepal_status leastsq_duplicates(size_t *first, const struct leastsq *p);
/* Whether leastsq_qr would do it in the space of the rows: N^2 cols instead of cols^3 work. */
bool leastsq_qr_by_rows(const struct leastsq *p);
/* Paige and Saunders' LSQR from 0. */
sepal_status leastsq_lsqr(struct leastsq *p, double tol, size_t max_iter);
/* Whether no more than this fraction of the loss at 0 is left to gain for an output, as far as some steps
   with columns of length 1 can tell. */
sepal_status leastsq_residual_is_small(bool *little, struct leastsq *p, size_t output,
                                       double fraction);

/* Rows [first, first + n) of a block: active columns, centred, times the root of the weight. `out`
   has room for all the columns in each of its rows, `stride` apart. */
void leastsq_rows(const struct leastsq *p, const struct block *block, size_t first, size_t n,
                  double *out, size_t stride);
/* The answer from an array of the active columns, n x outputs. */
void leastsq_store(struct leastsq *p, const double *w);
bool leastsq_stops(struct leastsq *p, const char *doing);

static inline double leastsq_root_weight(const struct leastsq *p, size_t row) {
    return p->root ? p->root[row] : 1;
}
static inline const double *leastsq_target(const struct leastsq *p, size_t row) {
    return p->target + (size_t)p->label[row] * p->outputs;
}

/* What the solvers should have reached, from the data and the model alone: the objective, half the
   weighted mean of the squared errors plus l2/2 ||W||^2, and the largest element of its gradient,
   each relative to the norms of its column and its target. `target` is not centred here. */
sepal_status leastsq_check(double *objective, double *residual, const struct leastsq *p,
                           const struct linear *linear, const double *target, double l2);

/* Products of the centred, weighted matrix A with one vector. */
struct products {
    const struct leastsq *p;
    size_t n_stripes, *stripe; /* columns stripe[s] .. stripe[s+1]-1 are one task */
};
sepal_status products_init(struct products *products, const struct leastsq *p);
sepal_status products_forward(double *u, const struct products *products, const double *v);
sepal_status products_back(double *v, const struct products *products, const double *u);

#endif
