/* What convex learners minimise over the weights w and the bias b:

       P(w, b) = sum over rows i of c_i loss(m_i) + l1 |w|_1 + l2/2 |w|^2
       m_i = y_i ((x_i - c) . w + b),   y_i = 1 or -1

   where w may have to stay within a box. A point u holds w and behind it b, if there is one. Solvers see this and no classifier. Every
   pass over the rows goes by slabs, ranges of rows that depend on the data's shape alone; each has
   sums of its own, which are added in the order of the slabs. So threads change no bit. */
#ifndef SEPAL_OBJECTIVE_OBJECTIVE_H
#define SEPAL_OBJECTIVE_OBJECTIVE_H

#include "core/arena.h"
#include "data/matrix.h"
#include "objective/box.h"
#include "objective/loss.h"

enum bias { BIAS_FREE, BIAS_NONE, BIAS_PENALISED };

enum { SLABS_MOST = 8 };

struct objective {
    /* Given. */
    sepal_ctx *ctx;
    struct arena *arena; /* lives as long as the objective */
    const struct matrix *x;
    const struct loss *loss;
    const int32_t *label;     /* 1: y = 1; any other: y = -1 */
    const double *row_weight; /* of each row in the sum of losses; above 0 */
    double l1, l2;
    enum bias bias;        /* penalised: b has the penalties of a weight */
    const struct box *box; /* NULL: weights may be any numbers */
    /* What is taken off each column; NULL: nothing. Dense rows are centred as they are read, so
       large means cost no digits; sparse rows stay as they are, and the sums are corrected. Set to
       NULL, or to 0, by objective_init where `rows` have it off. */
    const double *centre;

    /* Made by objective_init. */
    struct matrix
        rows; /* x, its sparse blocks without a centre of their own; few dense rows, and columns that
                    all sparse rows have: x - c */
    bool turned; /* dense rows with few columns: passes take some rows at a time by columns */
    double
        *columns; /* few of such rows, x - c by columns, `apart` numbers from each other; or NULL */
    size_t apart;
    size_t n, cols;
    size_t width;     /* of a point */
    size_t penalised; /* the first so many numbers of a point are */
    size_t slabs, slab_first[SLABS_MOST + 1];
    double *slab_sum; /* slabs x width: of one pass at a time */
    double *squares;  /* n: |x_i|^2 of sparse rows; of dense rows NULL */
};

sepal_status objective_init(struct objective *o);
/* centre.c, a part of it: rows, and the centre that is left. */
sepal_status objective_rows(struct objective *o);
/* row_norms.c, a part of it too. */
sepal_status objective_keep_squares(struct objective *o);
/* Before that, for a free bias: centre the columns by their means, written to out. Of sparse rows only
   those that lose no zeros and are far from 0: o->centre stays NULL where there are none. */
sepal_status objective_centre(double *out, struct objective *o);

static inline double objective_side(const struct objective *o, size_t i) {
    return o->label[i] == 1 ? 1 : -1;
}
static inline double objective_bias(const struct objective *o, const double *u) {
    return o->bias == BIAS_NONE ? 0 : u[o->cols];
}
/* The sum of the row weights c_i, and the mean of n numbers by these weights. */
static inline double objective_total_weight(const struct objective *o) {
    double total = 0;
    for (size_t i = 0; i < o->n; i++) total += o->row_weight[i];
    return total;
}
static inline double objective_mean(const struct objective *o, const double *number) {
    double sum = 0;
    for (size_t i = 0; i < o->n; i++) sum += o->row_weight[i] * number[i];
    return sum / objective_total_weight(o);
}
/* Numbers of the slabs, added in their order. */
static inline double objective_total(const struct objective *o, const double *number) {
    double sum = 0;
    for (size_t s = 0; s < o->slabs; s++) sum += number[s];
    return sum;
}
/* l1 |.|_1 + l2/2 |.|^2 of a point's penalised numbers */
double objective_penalty(const struct objective *o, const double *u);

/* m, n numbers */
sepal_status objective_margins(double *m, const struct objective *o, const double *u);
/* |x_i - c|^2 of all rows; of sparse rows |x_i|^2 */
sepal_status objective_squared_norms(double *out, const struct objective *o);
/* the sum of c_i loss(m_i) */
sepal_status objective_loss(double *out, const struct objective *o, const double *m);
/* the same of the margins m + length t, which are not kept */
sepal_status objective_loss_along(double *out, const struct objective *o, const double *m,
                                  const double *t, double length);
/* the sum of c_i times minus the conjugate of the loss at -factor a_i */
sepal_status objective_neg_conjugate(double *out, const struct objective *o, const double *a,
                                     double factor);
/* out (width numbers) = the sum over rows of r_i (x_i - c, 1) */
sepal_status objective_back(double *out, const struct objective *o, const double *r);
/* the same with r_i = c_i y_i a_i: what the dual variables a amount to */
sepal_status objective_dual_sums(double *out, const struct objective *o, const double *a);

/* the sum over rows of r_i times the squares of (x_i - c, 1): with curvatures, the Hessian's diagonal */
sepal_status objective_diagonal(double *out, const struct objective *o, const double *r);

/* Of turned rows width^2, the sum over rows of curvature_i (x_i - c, 1)(x_i - c, 1)', on and above the
   diagonal. */
sepal_status objective_hessian(double *out, const struct objective *o, const double *curvature);

/* One pass over the rows: margins, the sum of losses, and of c_i loss the gradient and, unless
   NULL, the curvature of each row. The penalties are in none of them. */
struct sweep {
    double loss;
    double *m;         /* n */
    double *gradient;  /* width */
    double *curvature; /* n; NULL: not wanted */
    double *hessian;   /* as objective_hessian, of the curvatures found; NULL: not wanted */
};
sepal_status objective_sweep(struct sweep *sweep, const struct objective *o, const double *u);
/* out (width) = the sum over rows of curvature_i (x_i - c, 1) ((x_i - c, 1) . v): the Hessian without
   the penalty. Unless NULL, t (n numbers) gets (x_i - c, 1) . v. */
sepal_status objective_product(double *out, double *t, const struct objective *o,
                               const double *curvature, const double *v);

#endif
