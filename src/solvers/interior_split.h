/* Weights under an L1 penalty on the path of the interior-point method: each is the difference of two
   numbers above 0, w = up - down, and the dual variable t on it keeps between -l1 and l1. The path:
   up (l1 - t) = down (l1 + t) = terms_per_weight mu. */
#ifndef SEPAL_SOLVERS_INTERIOR_SPLIT_H
#define SEPAL_SOLVERS_INTERIOR_SPLIT_H

#include "core/arena.h"

#include <math.h>

struct split {
    size_t n; /* 0: there is no L1 penalty, and all of this has no effect */
    double l1;
    double terms_per_weight;        /* of a weight's products beside those of the rows */
    double *up, *down;              /* n */
    double *left[2];                /* n: l1 - t and l1 + t, to their last digits */
    double *dup, *ddown, *dt;       /* the step */
    double *corrector[2], *kept[2]; /* as for the rows; before a correction */
};

sepal_status split_init(struct split *s, sepal_ctx *ctx, struct arena *arena, size_t n, double l1,
                        double total_weight);
/* On the path at w. */
void split_start(struct split *s, const double *w, double mu);
/* The sum of products after a step of this length, and its number of terms, by total_weight. */
double split_products(const struct split *s, double length);
double split_terms(const struct split *s);
/* Add what the weights ask of the step to the diagonal of its matrix (stride apart), and to its right
   side. */
void split_hessian(const struct split *s, double *diagonal, size_t stride);
void split_right_side(const struct split *s, double target, double *right);
/* The steps that belong to du; then how far they can go. */
void split_follow(struct split *s, double target, const double *du);
double split_max_step_length(const struct split *s, double length);
void split_predictor_correction(struct split *s);
void split_correct_centrality(struct split *s, double target, double length);
void split_keep(struct split *s, bool back); /* `corrector`: keep it, or take it back */
void split_forget(struct split *s);          /* `corrector` becomes 0 */
void split_advance(struct split *s, double length, double *u);
/* The step length up to `length` at which x stays above 0: the ratio test. */
static inline double step_to_boundary(double length, double x, double change) {
    return x + length * change < 0 ? -x / change : length;
}
/* Products that would be far from the target after a step are moved towards it by this much (Gondzio,
   "Multiple centrality corrections in a primal-dual method for linear programming", 1996). */
static inline double centrality_correction(double product, double target) {
    static const double near = 0.1, far = 10;
    if (product < near * target) return near * target - product;
    return product > far * target ? fmax(far * target - product, -far * target) : 0;
}
static inline double split_alpha(const struct split *s, size_t j) {
    return 0.5 * (s->left[1][j] - s->left[0][j]);
}

#endif
