/* What joint multi-class learners minimise: K score functions, and a loss of each row that sees all of its
   scores.

       P(U) = sum over rows i of c_i loss(s_i, y_i) + l1 |W|_1 + l2/2 |W|^2,   s_i = U' (x_i - c, 1)

   A point U has a row of `lanes` numbers for each column, the K weights side by side, and behind them the
   row of the biases. Lanes beyond K are 0 in every array. Passes over the rows go by the slabs of the
   objective, so threads change no bit. */
#ifndef SEPAL_JOINT_JOINT_H
#define SEPAL_JOINT_JOINT_H

#include "objective/objective.h"

/* A loss of K scores. Where it is convex, loss(s, y) is the largest over the simplex of
   sum of a_k (s_k - s_y) + neg_conjugate(a, y); a is the row's dual variables, and at the largest
   a - e_y is the slope of the loss. */
struct joint_loss {
    const char *name;
    const char *words;
    bool smooth, convex;
    /* Of n rows of scores: the losses, the slopes (n x lanes) and, unless NULL, what `curve` needs
       (n x lanes). */
    void (*at)(const struct kernels *kernels, size_t n, size_t classes, size_t lanes,
               const double *score, const int32_t *label, double *value, double *slope,
               double *state);
    /* Of smooth convex ones: the second derivative at `state` times t, n x lanes, in place. */
    void (*curve)(size_t n, size_t lanes, const double *state, double *t);
    /* Of convex ones: what n rows of dual variables add to the dual. */
    void (*neg_conjugate)(const struct kernels *kernels, size_t n, size_t classes, size_t lanes,
                          const double *alpha, const int32_t *label, double *out);
};
extern const struct joint_loss joint_cross_entropy;  /* -ln of the softmax of the row's own class */
extern const struct joint_loss joint_squared_error;  /* sum over classes of (softmax - target)^2 */
extern const struct joint_loss joint_crammer_singer; /* max(0, 1 + largest other score - own) */

enum { JOINT_PANEL = 64 };

struct joint {
    /* Given. */
    const struct objective *o; /* rows, weights, penalties, bias, centre; its labels are classes */
    const struct joint_loss *loss;
    size_t classes;
    /* Made by joint_init. */
    size_t lanes; /* K, up to a multiple of 4 */
    size_t size;  /* of a point: o->width x lanes */
    size_t cells; /* n x lanes */
    double *slab_sum;
};
sepal_status joint_init(struct joint *j);
/* joint_loss.c: the sum of the losses at weights of 0. */
sepal_status joint_at_zero(double *out, const struct joint *j);

/* The number of a point's entries that are penalised: they come first. */
static inline size_t joint_penalised(const struct joint *j) {
    return j->o->penalised * j->lanes;
}
/* Numbers of the rows that a pass meets. */
static inline double joint_entries(const struct joint *j) {
    const struct matrix *rows = &j->o->rows;
    return rows->sparse ? (double)rows->nonzeros : (double)j->o->n * (double)j->o->cols;
}
/* joint_shift.c: of all points with the same losses that with the least penalty; without one, numbers of all
   classes add up to 0, as they do with an L2 penalty. */
void joint_remove_shift(const struct joint *j, double *u);
double joint_penalty(const struct joint *j, const double *u);

/* ---- joint_pass.c: passes over the rows --------------------------------------------------------- */

/* s (n x lanes) */
sepal_status joint_scores(double *s, const struct joint *j, const double *u);
/* out (size) = the sum over rows of r_i (x_i - c, 1)', r n x lanes */
sepal_status joint_back(double *out, const struct joint *j, const double *r);
/* the same of the squares of the rows' numbers */
sepal_status joint_squares(double *out, const struct joint *j, const double *r);
/* as joint_back with r_i = c_i (e_y - alpha_i): what dual variables amount to */
sepal_status joint_dual_sums(double *out, const struct joint *j, const double *alpha);
/* One read of the rows: scores, the sum of losses, its gradient, and what products with the Hessian
   need. The penalties are in none of them. */
struct joint_sweep {
    double loss;
    double *score;    /* n x lanes */
    double *gradient; /* size */
    double *state;    /* n x lanes; NULL: not wanted */
};
sepal_status joint_sweep(struct joint_sweep *sweep, const struct joint *j, const double *u);
/* The same at scores that are known: no gradient. */
sepal_status joint_loss_at(double *out, const struct joint *j, const double *score);
/* out (size) = the Hessian of the losses at `state` times v */
sepal_status joint_product(double *out, const struct joint *j, const double *state,
                           const double *v);
/* The sum of losses at scores s + length t. */
sepal_status joint_loss_along(double *out, const struct joint *j, const double *s, const double *t,
                              double length);

/* ---- joint_dual.c: dual points ------------------------------------------------------------------ */

/* Bring n x lanes numbers into the simplex, and for a free bias into balance: the weighted sum of each
   class's dual variables is that of its rows. */
sepal_status joint_feasible(const struct joint *j, double *alpha);
/* What feasible variables add to the dual, but for the penalty. */
sepal_status joint_conjugates(double *out, const struct joint *j, const double *alpha);
/* The dual value of feasible variables, by one read of the rows. `v` (size) gets the sum over rows of
   c_i (e_y - alpha_i) (x_i - c, 1)'. With an L1 penalty alone they are moved towards their rows' own classes,
   as far as it wants. */
sepal_status joint_dual_value(double *out, double *v, const struct joint *j, double *alpha);

#endif
